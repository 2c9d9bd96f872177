//! Episode numbers and the names of episode files.
//!
//! A generated name is a plain file name on every system and cannot leave its folder; a parsed name may have any of the
//! usual spellings. The module does not look for files.

use std::{fmt, num::NonZeroU32};

use unicode_normalization::UnicodeNormalization;

/// The highest episode number: five digits, so that file names sort.
const LAST: u32 = 99_999;

/// The largest part of a title kept in a file name, in bytes. File systems allow 255 for the whole name.
const TITLE_BYTES: usize = 180;

/// The number of an episode, from 1 to 99,999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EpisodeId(NonZeroU32);

impl EpisodeId {
    /// Creates an episode number; returns `None` unless it is from 1 to 99,999.
    pub fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).filter(|number| number.get() <= LAST).map(Self)
    }

    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// Parses number and title from a file name without extension: `第001話_題`, `第十二話　題`, `001_題`, `episode_1`.
    pub fn parse_stem(stem: &str) -> Option<(Self, Option<String>)> {
        let stem: String = stem.nfc().collect();
        let (number, rest) = numbered(&stem)?;
        let is_break = |c: char| c.is_whitespace() || "_＿-－―—:：.・".contains(c);
        let title = rest.trim_start_matches(is_break).trim();
        Some((Self::new(number)?, (!title.is_empty()).then(|| title.to_owned())))
    }

    /// Returns the file name without extension. Characters of the title that are not allowed in file names are replaced
    /// by similar ones.
    pub fn file_stem(self, title: &str) -> String {
        let title = safe_title(title);
        if title.is_empty() { self.to_string() } else { format!("{self}_{title}") }
    }
}

impl fmt::Display for EpisodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "第{:03}話", self.number())
    }
}

/// Parses the number at the beginning of a name and returns it with the rest.
fn numbered(stem: &str) -> Option<(u32, &str)> {
    if let Some(after) = stem.strip_prefix('第') {
        let (digits, rest) = after.split_once('話')?;
        return Some((number(digits.trim())?, rest));
    }
    let word = ["episode", "ep"].into_iter().find_map(|word| {
        let head = stem.get(..word.len())?;
        head.eq_ignore_ascii_case(word).then(|| stem[word.len()..].trim_start_matches(['_', '-', ' ', '.']))
    });
    let counted = word.unwrap_or(stem);
    let rest = counted.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &counted[..counted.len() - rest.len()];
    let ends = rest.chars().next().is_none_or(|c| "_-　 .".contains(c));
    // 2026-01-31 is a date, not an episode.
    let is_date = word.is_none() && rest.trim_start_matches(['-', '.', '_']).starts_with(|c: char| c.is_ascii_digit());
    (!digits.is_empty() && ends && !is_date).then(|| Some((number(digits)?, rest)))?
}

/// Parses a number in half-width, full-width or kanji digits: 12, １２, 十二, 一二.
fn number(digits: &str) -> Option<u32> {
    let (mut whole, mut part, mut last) = (0_u32, 0_u32, None::<u32>);
    for c in digits.chars() {
        let scale = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '0'..='9' => {
                last = Some(last.unwrap_or(0).checked_mul(10)?.checked_add(u32::from(c) - u32::from('0'))?);
                continue;
            }
            '０'..='９' => {
                last = Some(last.unwrap_or(0).checked_mul(10)?.checked_add(u32::from(c) - u32::from('０'))?);
                continue;
            }
            _ => {
                let digit = "〇一二三四五六七八九".chars().position(|kanji| kanji == c)?;
                last = Some(last.unwrap_or(0).checked_mul(10)?.checked_add(u32::try_from(digit).ok()?)?);
                continue;
            }
        };
        part = part.checked_add(last.take().unwrap_or(1).checked_mul(scale)?)?;
    }
    whole = whole.checked_add(part)?.checked_add(last.unwrap_or(0))?;
    (!digits.is_empty() && whole <= LAST).then_some(whole)
}

/// Makes a title safe as a part of a file name.
fn safe_title(title: &str) -> String {
    let mut safe = String::new();
    for c in title.nfc() {
        let c = match c {
            '/' => '／',
            '\\' => '＼',
            ':' => '：',
            '*' => '＊',
            '?' => '？',
            '"' => '”',
            '<' => '＜',
            '>' => '＞',
            '|' => '｜',
            // A row of dots becomes `..`, the parent folder, under compatibility normalisation.
            '‥' => '…',
            // Direction marks and zero-width characters make a name look like another.
            c if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{2028}' | '\u{2029}') =>
            {
                continue;
            }
            c => c,
        };
        if matches!(c, '.' | '．') && safe.ends_with(['.', '．', '…']) {
            while safe.ends_with(['.', '．', '…']) {
                safe.pop();
            }
            safe.push('…');
        } else {
            safe.push(c);
        }
        if safe.len() > TITLE_BYTES {
            safe.pop();
            break;
        }
    }
    // Some systems drop dots and spaces at the end of a name, and a title of spaces is empty.
    let ends = |c: char| c.is_whitespace() || matches!(c, '.' | '．');
    safe.trim_matches(ends).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::EpisodeId;

    fn episode(number: u32) -> EpisodeId {
        EpisodeId::new(number).expect("a number")
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (stem, expected) in [
            ("第001話_こぶとえくぼ", Some((1, Some("こぶとえくぼ")))),
            ("第１２話　題", Some((12, Some("題")))),
            ("第百二十三話", Some((123, None))),
            ("第一〇話：終わり", Some((10, Some("終わり")))),
            ("第1話_1_2", Some((1, Some("1_2")))),
            ("001_題", Some((1, Some("題")))),
            ("12", Some((12, None))),
            ("episode_003", Some((3, None))),
            ("EP4 題", Some((4, Some("題")))),
            ("第000話", None),
            ("第100000話", None),
            ("第99999999999話", None),
            ("第話", None),
            ("第一部", None),
            ("2026-01-31 覚え書き", None),
            ("100の質問", None),
            ("メモ", None),
            ("", None),
        ] {
            let found = EpisodeId::parse_stem(stem);
            let found = found.as_ref().map(|(episode, title)| (episode.number(), title.as_deref()));
            assert_eq!(found, expected, "{stem}");
        }
    }

    #[test]
    fn titles_become_plain_names() {
        for (title, stem) in [
            ("雨", "第001話_雨"),
            ("前編/後編: \"問い?\"", "第001話_前編／後編： ”問い？”"),
            ("../../etc/passwd", "第001話_…／…／etc／passwd"),
            ("．．／‥", "第001話_…／…"),
            ("...", "第001話_…"),
            ("", "第001話"),
            (" .\n", "第001話"),
            ("右\u{202e}左", "第001話_右左"),
            ("か\u{3099}", "第001話_が"),
        ] {
            assert_eq!(episode(1).file_stem(title), stem, "{title:?}");
        }
        assert!(episode(1).file_stem(&"長".repeat(500)).len() < 210);
    }

    #[test]
    fn any_title_makes_one_file_that_is_read_back() {
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(number in 1_u32..=99_999, title in "\\PC{0,80}|[./\\\\:．‥… 　]{0,12}")| {
            let stem = episode(number).file_stem(&title);
            prop_assert!(stem.len() <= 200 && !stem.contains(['/', '\\', '\0']), "{stem:?}");
            let (found, _) = EpisodeId::parse_stem(&stem).expect("an episode");
            prop_assert_eq!(found.number(), number);
            // Checks the name against the rules of the project boundary.
            let root = tempfile::tempdir().expect("a folder");
            let project = fumi_base::project::Project::open(root.path()).expect("a project");
            let refused = project.resolve(&format!("{stem}.md")).expect_err("missing");
            prop_assert!(matches!(refused, fumi_base::project::PathError::FileNotFound { .. }), "{stem:?}: {refused}");
        });
    }
}
