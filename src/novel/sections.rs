//! A section of a text, selected by heading, by lines, or by the path of a value.
//!
//! Lines are numbered from 1 and keep their line ends, so that joined sections equal the text. Values at a path are not
//! resolved here, because that requires parsing the text as data.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use crate::errors::artifact::ArtifactError;

/// The longest piece of a line, in characters, so that even an endless line fits into paged replies.
const PIECE: usize = 1_000;

/// A request for a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSection {
    /// The text under a Markdown heading.
    Heading(String),
    /// A value of a YAML or JSON file, by JSON pointer: `/key_events/0`.
    Pointer(String),
    /// A range of lines, optionally starting inside a line.
    Lines {
        /// The first line and the first character in it, both from 1.
        from: (usize, usize),
        /// The last line.
        to: usize,
    },
}

/// A Markdown heading with its range of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownHeading {
    /// The level: the number of `#` signs.
    pub level: usize,
    /// The title without the signs.
    pub title: String,
    /// The heading's line and the last line under it, including deeper headings.
    pub lines: (usize, usize),
}

/// A line of a text, or a part of a long line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePiece {
    /// The line number, from 1.
    pub line: usize,
    /// The position of the first character within the line, from 1.
    pub character: usize,
    /// The text, with the line end if it is included.
    pub text: String,
}

impl TextSection {
    /// Parses a caller's text: `/a/b` is a pointer, `10-40`, `10` or `10:501-40` are lines, anything else is a heading.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if text.starts_with('/') {
            return Self::Pointer(text.to_owned());
        }
        lines_of(text).unwrap_or_else(|| Self::Heading(plain(text)))
    }
}

impl MarkdownHeading {
    /// Returns the heading as written in the text.
    pub fn shown(&self) -> String {
        format!("{} {}", "#".repeat(self.level), self.title)
    }
}

fn lines_of(text: &str) -> Option<TextSection> {
    let (first, last) = text.split_once('-').unwrap_or((text, ""));
    let (line, character) = first.split_once(':').unwrap_or((first, "1"));
    let line = number(line)?;
    let to = if last.is_empty() && !text.contains('-') { line } else { number(last)? };
    Some(TextSection::Lines { from: (line, number(character)?), to })
}

fn number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number with too many digits is a line that no text has.
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}

/// Normalises a heading for comparison, without its signs.
fn plain(heading: &str) -> String {
    heading.trim().trim_start_matches('#').trim().nfc().collect()
}

/// Returns the number of lines of a text.
pub fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// Returns the headings of a text in order. Lines between code fences are not headings.
pub fn headings(text: &str) -> Vec<MarkdownHeading> {
    let mut found: Vec<MarkdownHeading> = Vec::new();
    let mut fence = None;
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = fence.is_none() && (1..=6).contains(&level) && line[level..].starts_with([' ', '\t', '　']);
        if is_heading {
            found.push(MarkdownHeading { level, title: line[level..].trim().to_owned(), lines: (at + 1, 0) });
        }
    }
    let total = count(text);
    for at in 0..found.len() {
        let next = found[at + 1..].iter().find(|next| next.level <= found[at].level);
        found[at].lines.1 = next.map_or(total, |next| next.lines.0 - 1);
    }
    found
}

/// Splits the lines of a section into pieces of limited length. `None` selects the whole text.
///
/// A [`TextSection::Pointer`] does not select lines and is an error.
pub fn pieces(text: &str, section: Option<&TextSection>) -> Result<Vec<LinePiece>, ArtifactError> {
    let total = count(text);
    let ((first, character), last) = match section {
        None if total == 0 => return Ok(Vec::new()),
        None => ((1, 1), total),
        Some(TextSection::Lines { from, to }) => {
            let is_there = from.0 >= 1 && from.1 >= 1 && from.0 <= *to && from.0 <= total;
            if !is_there {
                return Err(ArtifactError::LinesNotFound { lines: total });
            }
            (*from, (*to).min(total))
        }
        Some(TextSection::Heading(title)) => lines_under_heading(text, title, total)?,
        Some(TextSection::Pointer(_)) => return Err(ArtifactError::NotData),
    };
    let mut pieces = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate().take(last).skip(first - 1) {
        let skipped = if at + 1 == first { character - 1 } else { 0 };
        cut(at + 1, line, skipped, &mut pieces);
    }
    if pieces.is_empty() {
        // The line has fewer characters than the requested start.
        return Err(ArtifactError::LinesNotFound { lines: total });
    }
    Ok(pieces)
}

/// Returns the start and the last line of the text under a heading.
fn lines_under_heading(text: &str, title: &str, total: usize) -> Result<((usize, usize), usize), ArtifactError> {
    let all = headings(text);
    let same: Vec<&MarkdownHeading> = all.iter().filter(|heading| plain(&heading.title) == title).collect();
    match same.as_slice() {
        [heading] => Ok(((heading.lines.0, 1), heading.lines.1)),
        [] => Err(ArtifactError::SectionNotFound {
            section: title.to_owned(),
            known: all.iter().map(MarkdownHeading::shown).collect(),
            lines: total,
        }),
        several => Err(ArtifactError::SectionAmbiguous {
            section: title.to_owned(),
            ranges: several.iter().map(|heading| heading.lines).collect(),
        }),
    }
}

fn cut(line: usize, text: &str, skipped: usize, pieces: &mut Vec<LinePiece>) {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(skipped).step_by(PIECE).collect();
    for (nth, start) in starts.iter().enumerate() {
        let end = starts.get(nth + 1).copied().unwrap_or(text.len());
        pieces.push(LinePiece { line, character: skipped + nth * PIECE + 1, text: text[*start..end].to_owned() });
    }
}

/// Returns the section to request for the remaining pieces: `41-120`, or `12:1001-120` in the middle of a line.
pub fn remaining_section(pieces: &[LinePiece], shown: Range<usize>) -> Option<String> {
    let (next, last) = (pieces.get(shown.end)?, pieces.last()?);
    Some(if next.character == 1 {
        format!("{}-{}", next.line, last.line)
    } else {
        format!("{}:{}-{}", next.line, next.character, last.line)
    })
}

#[cfg(test)]
mod tests {
    use super::{MarkdownHeading, TextSection, headings, pieces, remaining_section};
    use crate::errors::artifact::ArtifactError;

    const TEXT: &str = "# 第一話\n朝。\n## 場面一\n昼。\n```\n# 中\n```\n## 場面二\n夜。\n# 後書き\n了";

    fn shown(section: &str) -> String {
        let found = pieces(TEXT, Some(&TextSection::parse(section)));
        found.map_or_else(|error| error.to_string(), |pieces| pieces.into_iter().map(|piece| piece.text).collect())
    }

    #[test]
    fn a_part_is_named_by_heading_or_lines() {
        let all: Vec<(String, (usize, usize))> =
            headings(TEXT).iter().map(|heading| (heading.shown(), heading.lines)).collect();
        let expected = [("# 第一話", (1, 9)), ("## 場面一", (3, 7)), ("## 場面二", (8, 9)), ("# 後書き", (10, 11))];
        assert_eq!(all, expected.map(|(title, lines)| (title.to_owned(), lines)));
        assert_eq!(shown("場面二"), "## 場面二\n夜。\n");
        assert_eq!(shown("## 場面一"), "## 場面一\n昼。\n```\n# 中\n```\n");
        assert_eq!(shown("後書き"), "# 後書き\n了");
        assert_eq!(shown("2-3"), "朝。\n## 場面一\n");
        assert_eq!(shown("11"), "了");
        assert_eq!(shown("2:2-2"), "。\n");
        assert_eq!(shown("10-99"), "# 後書き\n了");
        let whole: String = pieces(TEXT, None).expect("whole").into_iter().map(|piece| piece.text).collect();
        assert_eq!(whole, TEXT);
        assert!(pieces("", None).expect("nothing").is_empty());
    }

    #[test]
    fn unknown_sections_report_known_ones() {
        for section in ["0", "12", "5-3", "2:9-2", "99999999999999999999999"] {
            let refused = pieces(TEXT, Some(&TextSection::parse(section))).expect_err(section);
            assert!(matches!(refused, ArtifactError::LinesNotFound { lines: 11 }), "{section}: {refused}");
        }
        let refused = pieces(TEXT, Some(&TextSection::parse("場面三"))).expect_err("none");
        let ArtifactError::SectionNotFound { known, lines: 11, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!(known.len(), 4);
        let twice = pieces("# a\n1\n# a\n2\n", Some(&TextSection::parse("a"))).expect_err("twice");
        let ArtifactError::SectionAmbiguous { ranges, .. } = twice else {
            panic!("{twice}");
        };
        assert_eq!(ranges, [(1, 2), (3, 4)]);
        assert_eq!(TextSection::parse("/a/0"), TextSection::Pointer("/a/0".to_owned()));
        assert_eq!(TextSection::parse("10-"), TextSection::Heading("10-".to_owned()));
        let level = |text: &str| headings(text).first().map(|heading: &MarkdownHeading| heading.level);
        assert_eq!((level("####### 七"), level("#一"), level("###### 六")), (None, None, Some(6)));
    }

    #[test]
    fn long_lines_are_paged_within_the_line() {
        let text = format!("頭\n{}\n尾\n", "あ".repeat(2_500));
        let all = pieces(&text, None).expect("whole");
        assert_eq!(all.len(), 5);
        let joined: String = all.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(joined, text);
        assert_eq!(remaining_section(&all, 0..2).as_deref(), Some("2:1001-3"));
        assert_eq!(remaining_section(&all, 0..4).as_deref(), Some("3-3"));
        assert_eq!(remaining_section(&all, 0..5), None);
        let next = pieces(&text, Some(&TextSection::parse("2:1001-3"))).expect("the rest");
        let next: String = next.iter().map(|piece| piece.text.as_str()).collect();
        let first: String = all[..2].iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(first + &next, text);
    }
}
