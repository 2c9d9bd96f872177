//! How long a part of a reply may be, in tokens, and how one that is longer is cut.
//!
//! The parts together stay below the cap of a reply, since what a page says is no list whose rows could be left out.

use fumi_base::{text::Locale, tokens};

use crate::tool::shorten::json_end;

/// What a tool answers: HTML, a body, a value.
pub(super) const ANSWER: usize = 10_000;
/// A snapshot of a whole page whose length the caller does not say.
pub(super) const PAGE: usize = 3_000;
/// A snapshot that the caller wants long.
pub(super) const SNAPSHOT: usize = 10_000;
/// Bytes of one of these as JSON writes it, beside the rest of a reply of 36,000: a token of plain English has four.
const BYTES: usize = 24_000;
/// The line at the end of a cut snapshot that says how to go on, in tokens.
const LAST_LINE: usize = 120;
/// Messages of the console beside an answer.
pub(super) const CONSOLE: usize = 2_000;
/// One address or message in a list, in characters.
pub(super) const ROW: usize = 500;

/// The text, or its beginning with a mark that says how much is missing and how to go on.
pub(super) fn cut(text: String, most: usize, locale: Locale, how: (&str, &str)) -> String {
    cut_of(text, None, most, locale, how)
}

/// The same of a text that is only the beginning of one of so many characters.
pub(super) fn cut_of(text: String, of: Option<usize>, most: usize, locale: Locale, how: (&str, &str)) -> String {
    let end = fitting_end(&text, most);
    let all = of.unwrap_or_else(|| text.chars().count());
    let kept = text[..end].chars().count();
    if end == text.len() && kept >= all {
        return text;
    }
    let mark = match locale {
        Locale::En => format!("… {kept} of {all} characters; {}", how.0),
        Locale::Ja => format!("… {all} 文字中 {kept} 文字。{}", how.1),
    };
    format!("{}\n{mark}", &text[..end])
}

/// Returns the number of characters that a snapshot has to lose, if it is too long, with some room for its last line, which says
/// how to go on.
pub(super) fn surplus(text: &str, most: usize) -> Option<usize> {
    if fitting_end(text, most) == text.len() {
        return None;
    }
    let end = fitting_end(text, most.saturating_sub(LAST_LINE));
    Some(text[end..].chars().count())
}

/// Returns a snapshot without the lines before its last that have no room.
pub(super) fn held(text: String, most: usize) -> String {
    if fitting_end(&text, most) == text.len() {
        return text;
    }
    let (lines, last) = text.rsplit_once('\n').unwrap_or(("", &text));
    let left = most.saturating_sub(tokens::estimate(last) + 1);
    let kept = &lines[..fitting_end(lines, left)];
    let whole = kept.rfind('\n').map_or("", |end| &kept[..=end]);
    format!("{whole}{last}")
}

/// Where the beginning ends that has at most so many tokens, and [`BYTES`].
fn fitting_end(text: &str, most: usize) -> usize {
    let text = &text[..json_end(text, BYTES)];
    // A token is at least one byte: most texts need no estimate.
    if text.len() <= most || tokens::estimate(text) <= most {
        return text.len();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let kept = ends.partition_point(|end| *end <= most || tokens::estimate(&text[..*end]) <= most);
    ends[kept.saturating_sub(1)]
}

/// The last rows that fit together, in their order.
pub(super) fn newest<T>(mut rows: Vec<T>, most: usize, line: impl Fn(&T) -> String) -> Vec<T> {
    let kept = fitting(rows.iter().rev(), most, line);
    rows.drain(..rows.len() - kept);
    rows
}

/// The first rows that fit together.
pub(super) fn oldest<T>(mut rows: Vec<T>, most: usize, line: impl Fn(&T) -> String) -> Vec<T> {
    let kept = fitting(rows.iter(), most, line);
    rows.truncate(kept);
    rows
}

/// How many rows fit together. Their structure costs up to twice their line.
fn fitting<'r, T: 'r>(rows: impl Iterator<Item = &'r T>, most: usize, line: impl Fn(&T) -> String) -> usize {
    let mut left = most;
    rows.take_while(|row| {
        let cost = 2 * tokens::estimate(&line(row));
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    })
    .count()
}

/// Rows below how many there are, and what to do if these are not all.
pub(super) fn listed(rows: impl ExactSizeIterator<Item = String>, total: usize, locale: Locale) -> String {
    let how = match (rows.len() < total, locale) {
        (false, _) => "",
        (true, Locale::En) => " (the rest: narrow the call)",
        (true, Locale::Ja) => "（残りを見るには条件を絞ってください）",
    };
    let head = format!("{} / {total}{how}", rows.len());
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}

/// One row of a list: the beginning of what is too long for it.
pub(super) fn row(text: &str) -> String {
    match text.char_indices().nth(ROW) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::{text::Locale, tokens};

    use super::{cut, held, row, surplus};

    #[test]
    fn what_fits_stays_and_what_does_not_says_how_much_is_missing() {
        let how = ("ask for less", "絞ってください");
        assert_eq!(cut("short".to_owned(), 3, Locale::En, how), "short");
        let long = "一つの長い文章です。".repeat(100);
        let shown = cut(long.clone(), 50, Locale::En, how);
        let (kept, mark) = shown.rsplit_once('\n').expect("a mark");
        assert!(long.starts_with(kept) && !kept.is_empty());
        assert!(tokens::estimate(kept) <= 50);
        let expected = format!("… {} of 1000 characters; ask for less", kept.chars().count());
        assert_eq!(mark, expected);
        assert!(cut(long, 50, Locale::Ja, how).contains("1000 文字中"));
    }

    #[test]
    fn snapshot_that_is_too_long_keeps_whole_lines_and_its_last() {
        let long = format!("{}- … more (find)", "- text: 一つの長い文章です。\n".repeat(100));
        assert!(surplus(&long, 200).is_some_and(|surplus| surplus > 500));
        assert_eq!(surplus(&long, 5_000), None);
        let kept = held(long, 200);
        assert!(tokens::estimate(&kept) <= 200, "{kept}");
        assert!(kept.ends_with("です。\n- … more (find)"), "{kept}");
    }

    #[test]
    fn a_row_ends_at_a_character() {
        assert_eq!(row("https://x.test/"), "https://x.test/");
        assert_eq!(row(&"あ".repeat(501)), format!("{}…", "あ".repeat(500)));
    }
}
