//! Classification of lines: the kind of each line, and the part of the file to which it belongs.
//!
//! Every line has exactly one kind and one part, so that the parts cover the whole source. Lines that consist only of
//! notes are recognised later, when their notes are read (see [`super::inline`]).

use std::ops::Range;

use super::{
    ManuscriptPart, ManuscriptSyntax, MarkupIssue, MarkupIssueKind, ParseResults, SceneBreak, SourceLine, SpanKind,
    lines::{TextLine, split},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A line of white space only.
    Empty,
    /// A heading; `text` is the byte offset at which its words begin.
    Heading {
        /// The level; 1 is the highest.
        level: u8,
        /// A byte offset in the source.
        text: usize,
    },
    /// A line of prose.
    Paragraph,
    /// A break between scenes.
    SceneBreak(SceneBreak),
    /// A line of notes without visible text.
    Notes,
    /// A line that only marks the beginning of a part.
    PartMark,
    /// A line of a part that is not analysed: front matter, legend, colophon.
    Verbatim,
}

/// The largest number of lines in the header of an Aozora file: title, subtitle, translations, author, translator.
const HEADER_LINES: usize = 8;

/// The largest number of lines in front matter or in a legend; a longer one without an end is text.
const MATTER_LINES: usize = 200;

/// The longest line that can be a heading without `#`, such as 第3話　題, in characters.
const HEADING_CHARACTERS: usize = 40;

/// Classifies every line. The bytes between the contents of lines are line ends and a byte order mark.
pub(super) fn classify(source: &str, syntax: ManuscriptSyntax, issues: &mut Vec<MarkupIssue>) -> Vec<SourceLine> {
    let lines = split(source);
    match syntax {
        ManuscriptSyntax::Web => classify_web(source, &lines, issues),
        ManuscriptSyntax::Aozora => classify_aozora(source, &lines),
    }
}

fn content<'a>(source: &'a str, line: &TextLine) -> &'a str {
    &source[line.start..line.end]
}

fn source_line(line: &TextLine, part: ManuscriptPart, kind: LineKind) -> SourceLine {
    SourceLine { content: line.start..line.end, next: line.next, part, kind }
}

fn classify_web(source: &str, lines: &[TextLine], issues: &mut Vec<MarkupIssue>) -> Vec<SourceLine> {
    let front = front_matter(source, lines);
    let mut read: Vec<SourceLine> =
        lines[..front].iter().map(|line| source_line(line, ManuscriptPart::Front, LineKind::Verbatim)).collect();
    let kinds: Vec<(LineKind, Option<ManuscriptPart>)> =
        lines[front..].iter().map(|line| web_line(source, line)).collect();
    let first = kinds.iter().position(|(kind, _)| *kind != LineKind::Empty);
    let titled = first.filter(|at| matches!(kinds[*at], (LineKind::Heading { level: 1, .. }, None)));
    let mut part = if titled.is_some() { ManuscriptPart::Title } else { ManuscriptPart::Body };
    let mut has_prose = false;
    // The line at which the foreword ends.
    let mut foreword_end = None;
    for (at, (kind, mark)) in kinds.iter().enumerate() {
        let line = &lines[front + at];
        let mut kind = *kind;
        if titled.is_some_and(|title| at == title + 1) {
            part = ManuscriptPart::Body;
        }
        match mark {
            Some(ManuscriptPart::Foreword) if has_prose => kind = web_heading(content(source, line), line.start),
            Some(ManuscriptPart::Foreword) => {
                part = ManuscriptPart::Foreword;
                foreword_end = foreword_ends(&kinds, at + 1);
                if let Some(ForewordEnd::Implicit(_)) = foreword_end {
                    issues.push(MarkupIssue { kind: MarkupIssueKind::OpenForeword, range: line.start..line.end });
                }
            }
            Some(begun) => part = *begun,
            None if part == ManuscriptPart::Foreword => match foreword_end {
                Some(ForewordEnd::Explicit(end)) if at == end => {
                    part = ManuscriptPart::Body;
                    if kind == LineKind::SceneBreak(SceneBreak::Signs) {
                        kind = LineKind::PartMark;
                    }
                }
                Some(ForewordEnd::Implicit(end)) if at == end => part = ManuscriptPart::Body,
                _ => {}
            },
            None => {}
        }
        has_prose |= part == ManuscriptPart::Body && kind == LineKind::Paragraph;
        read.push(source_line(line, part, kind));
    }
    read
}

/// The line at which a foreword ends, and the reason.
#[derive(Clone, Copy)]
enum ForewordEnd {
    /// An explicit end: a line that begins something else.
    Explicit(usize),
    /// An implicit end: the first empty line after the text of the foreword.
    Implicit(usize),
}

fn foreword_ends(kinds: &[(LineKind, Option<ManuscriptPart>)], from: usize) -> Option<ForewordEnd> {
    let mut empty = None;
    let mut has_text = false;
    for (at, (kind, mark)) in kinds.iter().enumerate().skip(from) {
        match kind {
            _ if mark.is_some() => return Some(ForewordEnd::Explicit(at)),
            LineKind::Heading { .. } | LineKind::SceneBreak(_) => return Some(ForewordEnd::Explicit(at)),
            LineKind::Empty if has_text => empty = empty.or(Some(at)),
            LineKind::Empty => {}
            _ => has_text = true,
        }
    }
    empty.map(ForewordEnd::Implicit)
}

/// Returns the number of lines of the front matter: `---`, keys, `---`.
fn front_matter(source: &str, lines: &[TextLine]) -> usize {
    let text = |line: &TextLine| content(source, line).trim_end();
    let [first, second, rest @ ..] = lines else { return 0 };
    if text(first) != "---" || !text(second).contains(':') {
        return 0;
    }
    let ends = rest.iter().take(MATTER_LINES).position(|line| text(line) == "---");
    ends.map_or(0, |at| at + 3)
}

/// Classifies a line of web text by itself and returns the part that it begins, if any.
fn web_line(source: &str, line: &TextLine) -> (LineKind, Option<ManuscriptPart>) {
    let text = content(source, line);
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return (LineKind::Empty, None);
    }
    if let Some(part) = part_mark(trimmed) {
        return (LineKind::PartMark, Some(part));
    }
    if is_scene_divider(trimmed) {
        return (LineKind::SceneBreak(SceneBreak::Signs), None);
    }
    (web_heading(text, line.start), None)
}

/// Returns a heading if the line has `#` or a heading's words, otherwise a paragraph.
fn web_heading(text: &str, start: usize) -> LineKind {
    if let Some((level, at)) = parse_hash_heading(text) {
        return LineKind::Heading { level, text: start + at };
    }
    if is_numbered(text.trim()) {
        return LineKind::Heading { level: 1, text: start + (text.len() - text.trim_start().len()) };
    }
    LineKind::Paragraph
}

/// Parses `## words` and returns the level and the byte offset of the words.
fn parse_hash_heading(text: &str) -> Option<(u8, usize)> {
    let signs = text.chars().take_while(|c| matches!(c, '#' | '＃')).count();
    let level = u8::try_from(signs).ok().filter(|level| (1..=6).contains(level))?;
    let after = text.char_indices().nth(signs)?.0;
    let words = text[after..].trim_start();
    // A tag such as #恋愛 is not a heading, and neither is a `#` without words.
    (!words.is_empty() && words.len() < text.len() - after).then(|| (level, text.len() - words.len()))
}

/// True for 第3話 and 第十二章　題: a number, a counter, and at most a title after a space or a punctuation mark.
fn is_numbered(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('第') else {
        return false;
    };
    let digits = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c) || "〇一二三四五六七八九十百千".contains(c);
    let unit = rest.trim_start_matches(digits);
    if unit.len() == rest.len() || line.chars().nth(HEADING_CHARACTERS).is_some() || line.contains('。') {
        return false;
    }
    let mut after = unit.chars();
    after.next().is_some_and(|c| "話章部節幕巻回編篇".contains(c))
        && after.next().is_none_or(|c| c.is_whitespace() || "：:「『（(〈【―—─-－・~〜～".contains(c))
}

/// Returns the part that a line begins: the part's name in brackets or as a heading.
fn part_mark(trimmed: &str) -> Option<ManuscriptPart> {
    let pairs = [('【', '】'), ('［', '］'), ('[', ']'), ('〈', '〉')];
    let in_brackets = pairs.iter().find_map(|(open, close)| trimmed.strip_prefix(*open)?.strip_suffix(*close));
    let name = in_brackets.or_else(|| parse_hash_heading(trimmed).map(|(_, at)| &trimmed[at..]))?;
    match name.trim() {
        "前書き" | "まえがき" | "前書" => Some(ManuscriptPart::Foreword),
        "本文" => Some(ManuscriptPart::Body),
        "後書き" | "あとがき" | "後書" => Some(ManuscriptPart::Afterword),
        _ => None,
    }
}

/// True if a line consists only of signs that divide scenes. Strokes must be at least three, because two are a dash.
fn is_scene_divider(trimmed: &str) -> bool {
    let (mut stars, mut strokes) = (0, 0);
    for c in trimmed.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '＊' | '*' | '◇' | '◆' | '☆' | '★' | '□' | '■' | '○' | '●' | '◎' | '▽' | '▼' | '△' | '▲' | '※' | '♦'
            | '♢' | '†' | '‡' | '§' | '❖' | '✦' | '✧' | '⁂' => stars += 1,
            '―' | '─' | '—' | '━' | '-' | '－' | '=' | '＝' | '~' | '〜' | '～' | '_' | '＿' => {
                strokes += 1;
            }
            _ => return false,
        }
    }
    stars > 0 || strokes >= 3
}

fn classify_aozora(source: &str, lines: &[TextLine]) -> Vec<SourceLine> {
    let text = |line: &TextLine| content(source, line);
    let is_empty = |line: &TextLine| text(line).trim().is_empty();
    let skip_empty = |from: usize| from + lines[from..].iter().take_while(|line| is_empty(line)).count();
    let header = lines
        .iter()
        .take(HEADER_LINES + 1)
        .position(is_empty)
        .filter(|_| {
            let first = lines.first().map(text).unwrap_or_default();
            !first.starts_with(['　', '「', '『', '（', '［', ' '])
        })
        .filter(|at| *at > 0);
    let front = header.map_or(0, skip_empty);
    let is_rule = |line: &TextLine| text(line).len() >= 10 && text(line).bytes().all(|byte| byte == b'-');
    let legend = lines[front..].first().filter(|line| is_rule(line)).and_then(|_| {
        let ends = lines[front + 1..].iter().take(MATTER_LINES).position(is_rule)?;
        Some(skip_empty(front + ends + 2))
    });
    let body = legend.unwrap_or(front);
    let colophon = lines[body..]
        .iter()
        .rposition(|line| text(line).starts_with("底本：") || text(line).starts_with("底本:"))
        .map_or(lines.len(), |at| body + at);
    let part = |at: usize| match at {
        _ if at < front => ManuscriptPart::Front,
        _ if at < body => ManuscriptPart::Legend,
        _ if at < colophon => ManuscriptPart::Body,
        _ => ManuscriptPart::Colophon,
    };
    let kind = |line: &TextLine, part: ManuscriptPart| match part {
        ManuscriptPart::Body if is_empty(line) => LineKind::Empty,
        ManuscriptPart::Body if is_scene_divider(text(line).trim()) => LineKind::SceneBreak(SceneBreak::Signs),
        ManuscriptPart::Body => LineKind::Paragraph,
        _ => LineKind::Verbatim,
    };
    let numbered = lines.iter().enumerate();
    numbered.map(|(at, line)| source_line(line, part(at), kind(line, part(at)))).collect()
}

/// Adds the spans of parts, headings, paragraphs and scene breaks.
pub(super) fn add_block_spans(source: &str, lines: &[SourceLine], found: &mut ParseResults) {
    let mut start = 0;
    for (at, line) in lines.iter().enumerate() {
        if lines.get(at + 1).is_none_or(|next| next.part != line.part) {
            found.span(SpanKind::Part(line.part), start..line.next);
            start = line.next;
        }
        match line.kind {
            LineKind::Heading { level, .. } => found.span(SpanKind::Heading { level }, line.content.clone()),
            LineKind::Paragraph => found.span(SpanKind::Paragraph, line.content.clone()),
            LineKind::SceneBreak(kind) => found.span(SpanKind::SceneBreak(kind), line.content.clone()),
            _ => {}
        }
    }
    debug_assert_eq!(start, source.len(), "the last line ends the last part");
    let mut empty: Option<Range<usize>> = None;
    for (at, line) in lines.iter().enumerate() {
        let begins = line.kind == LineKind::Empty && at > 0 && lines[at - 1].kind == LineKind::Paragraph;
        if begins {
            empty = Some(at..at);
        } else if line.kind != LineKind::Empty {
            let gap = empty.take().filter(|gap| at - gap.start >= 2);
            if let Some(gap) =
                gap.filter(|gap| line.kind == LineKind::Paragraph && lines[gap.start - 1].part == line.part)
            {
                let from = lines[gap.start].content.start;
                found.span(SpanKind::SceneBreak(SceneBreak::Empty), from..lines[at - 1].content.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LineKind, ManuscriptPart, ManuscriptSyntax, SceneBreak, classify, is_numbered, is_scene_divider};

    fn kinds(source: &str, syntax: ManuscriptSyntax) -> Vec<(ManuscriptPart, LineKind)> {
        let mut issues = Vec::new();
        let lines = classify(source, syntax, &mut issues);
        lines.into_iter().map(|line| (line.part, line.kind)).collect()
    }

    #[test]
    fn a_web_episode_falls_into_its_parts() {
        use LineKind::{Empty, Heading, Paragraph, PartMark};
        let source = "# 第1話　始まり\n\n【前書き】\nよろしく。\n\n【本文】\n　朝だ。\n＊　＊　＊\n　夜だ。\n\n## 後書き\nまた。\n";
        assert_eq!(
            kinds(source, ManuscriptSyntax::Web),
            [
                (ManuscriptPart::Title, Heading { level: 1, text: 2 }),
                (ManuscriptPart::Body, Empty),
                (ManuscriptPart::Foreword, PartMark),
                (ManuscriptPart::Foreword, Paragraph),
                (ManuscriptPart::Foreword, Empty),
                (ManuscriptPart::Body, PartMark),
                (ManuscriptPart::Body, Paragraph),
                (ManuscriptPart::Body, LineKind::SceneBreak(SceneBreak::Signs)),
                (ManuscriptPart::Body, Paragraph),
                (ManuscriptPart::Body, Empty),
                (ManuscriptPart::Afterword, PartMark),
                (ManuscriptPart::Afterword, Paragraph),
            ]
        );
    }

    #[test]
    fn foreword_ends_at_divider_or_first_empty_line() {
        let said = kinds("【前書き】\nどうも。\n\n挨拶です。\n――――――\n本文。\n", ManuscriptSyntax::Web);
        assert_eq!(said[3].0, ManuscriptPart::Foreword);
        assert_eq!(said[4], (ManuscriptPart::Body, LineKind::PartMark));
        let unsaid = kinds("【前書き】\n\nどうも。\n\n本文。\n", ManuscriptSyntax::Web);
        assert_eq!(unsaid[2].0, ManuscriptPart::Foreword);
        assert_eq!(unsaid[4], (ManuscriptPart::Body, LineKind::Paragraph));
        // In the middle of a story, the same line is a chapter heading.
        let late = kinds("本文。\n## 前書き\n", ManuscriptSyntax::Web);
        assert!(matches!(late[1], (ManuscriptPart::Body, LineKind::Heading { level: 2, .. })));
    }

    #[test]
    fn front_matter_needs_its_end() {
        assert_eq!(kinds("---\ntitle: 題\n---\n本文。\n", ManuscriptSyntax::Web)[1].0, ManuscriptPart::Front);
        let open = kinds("---\ntitle: 題\n本文。\n", ManuscriptSyntax::Web);
        assert!(open.iter().all(|(part, _)| *part == ManuscriptPart::Body));
    }

    #[test]
    fn an_aozora_file_falls_into_its_parts() {
        use ManuscriptPart::{Body, Colophon, Front, Legend};
        let rule = "-".repeat(55);
        let source = format!("題\n著者\n\n{rule}\n【記号】\n{rule}\n\n　本文。\n\n底本：「本」\n公開\n");
        let parts: Vec<ManuscriptPart> =
            kinds(&source, ManuscriptSyntax::Aozora).into_iter().map(|(part, _)| part).collect();
        assert_eq!(parts, [Front, Front, Front, Legend, Legend, Legend, Legend, Body, Body, Colophon, Colophon]);
        let fragment = kinds("　本文。\n\n　続き。\n", ManuscriptSyntax::Aozora);
        assert!(fragment.iter().all(|(part, _)| *part == Body));
    }

    #[test]
    fn headings_by_number_are_short_and_end_there() {
        for yes in ["第1話", "第１２章　旅立ち", "第百二十話：再会", "第二部「帰郷」"] {
            assert!(is_numbered(yes), "{yes}");
        }
        for no in ["第三章の始まりだった", "第1話　彼は言った。そして", "第話", "第一印象", "次は第1話"]
        {
            assert!(!is_numbered(no), "{no}");
        }
    }

    #[test]
    fn three_strokes_divide_scenes_and_two_do_not() {
        for yes in ["＊＊＊", "* * *", "◇", "―――", "---", "◇　◆　◇", "※"] {
            assert!(is_scene_divider(yes), "{yes}");
        }
        for no in ["――", "…………", "・・・", "―――と彼", "！？"] {
            assert!(!is_scene_divider(no), "{no}");
        }
    }
}
