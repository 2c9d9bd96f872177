//! The token budgets of the parts of a reply, and the functions that shorten them.
//!
//! The budgets together stay below the cap of a reply, since the text of a page is not a list from which rows could be
//! dropped later.

use fumi_base::{text::Locale, tokens};
use fumi_kernel::cut_values::json_end;

/// The token budget of a tool's own answer: HTML, a body, a value.
pub(super) const ANSWER: usize = 10_000;
/// The token budget of a snapshot of a whole page if the caller sets no length.
pub(super) const PAGE: usize = 3_000;
/// The token budget of a snapshot for which the caller sets a length.
pub(super) const SNAPSHOT: usize = 10_000;
/// The maximum bytes of one of these parts as JSON, within a reply of 36,000 tokens; a token of plain English has four
/// bytes.
const BYTES: usize = 24_000;
/// The tokens reserved for the last line of a cut snapshot, which states how to continue.
const LAST_LINE: usize = 120;
/// The token budget of console messages beside an answer.
pub(super) const CONSOLE: usize = 2_000;
/// The maximum length of a URL or message in a list, in characters.
pub(super) const ROW: usize = 500;

/// Returns the text, or its beginning with a mark that states how much is missing and how to get the rest.
pub(super) fn truncate(text: String, most: usize, locale: Locale, how: (&str, &str)) -> String {
    truncate_part(text, None, most, locale, how)
}

/// Shortens a text as [`truncate`] does, if the text is itself only the beginning of one with `of` characters.
pub(super) fn truncate_part(text: String, of: Option<usize>, most: usize, locale: Locale, how: (&str, &str)) -> String {
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

/// Returns the number of characters that a snapshot must lose, or `None` if it fits. Leaves room for its last line,
/// which states how to continue.
pub(super) fn surplus(text: &str, most: usize) -> Option<usize> {
    if fits(text, most) {
        return None;
    }
    let end = fitting_end(text, most.saturating_sub(LAST_LINE));
    Some(text[end..].chars().count())
}

/// Returns a snapshot that fits: whole lines are dropped before the last line, which is kept.
pub(super) fn fit_snapshot(text: String, most: usize) -> String {
    if fits(&text, most) {
        return text;
    }
    let (lines, last) = text.rsplit_once('\n').unwrap_or(("", &text));
    let left = most.saturating_sub(tokens::estimate(last) + 1);
    let kept = &lines[..fitting_end(lines, left)];
    let whole = kept.rfind('\n').map_or("", |end| &kept[..=end]);
    format!("{whole}{last}")
}

pub(super) fn fits(text: &str, most: usize) -> bool {
    fitting_end(text, most) == text.len()
}

/// Returns the end of the longest beginning of a text with at most `most` tokens and [`BYTES`] bytes.
fn fitting_end(text: &str, most: usize) -> usize {
    let text = &text[..json_end(text, BYTES)];
    // A token has at least one byte, so most texts need no estimate.
    if text.len() <= most || tokens::estimate(text) <= most {
        return text.len();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let kept = ends.partition_point(|end| *end <= most || tokens::estimate(&text[..*end]) <= most);
    ends[kept.saturating_sub(1)]
}

/// Keeps the last rows that fit together, in their order.
pub(super) fn keep_last<T>(mut rows: Vec<T>, most: usize, line: impl Fn(&T) -> String) -> Vec<T> {
    let kept = fitting(rows.iter().rev(), most, line);
    rows.drain(..rows.len() - kept);
    rows
}

/// Keeps the first rows that fit together.
pub(super) fn keep_first<T>(mut rows: Vec<T>, most: usize, line: impl Fn(&T) -> String) -> Vec<T> {
    let kept = fitting(rows.iter(), most, line);
    rows.truncate(kept);
    rows
}

/// Returns the number of rows that fit together. A row as JSON costs up to twice the tokens of its line.
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

/// The texts of a list's count, in English and Japanese.
pub(super) struct CountTexts {
    /// The text of an empty list.
    pub(super) none: (&'static str, &'static str),
    /// The rows that are shown of a list that is cut: the first or the newest.
    pub(super) shown: (&'static str, &'static str),
    /// The way to the other rows.
    pub(super) more: (&'static str, &'static str),
}

/// Returns the lines of a list. If only some rows of all are shown, a line above them says so and how to get the rest.
pub(super) fn with_count(
    lines: Vec<String>,
    (shown, total): (usize, usize),
    locale: Locale,
    texts: &CountTexts,
) -> String {
    let CountTexts { none, shown: which, more } = texts;
    let head = match locale {
        Locale::En if total == 0 => Some(none.0.to_owned()),
        Locale::Ja if total == 0 => Some(none.1.to_owned()),
        _ if shown >= total => None,
        Locale::En => Some(format!("{} {shown} of {total} ({})", which.0, more.0)),
        Locale::Ja => Some(format!("全 {total} 件中{} {shown} 件（{}）", which.1, more.1)),
    };
    head.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// Returns the lines of rows below headings: `part` returns the heading of a row, if it has one, and its line. Rows
/// with the same heading as the row before them stand below one heading.
pub(super) fn grouped<'r, T>(rows: &'r [T], part: impl Fn(&'r T) -> (Option<&'r str>, String)) -> Vec<String> {
    let mut lines = Vec::with_capacity(rows.len() + 1);
    let mut last = None;
    for row in rows {
        let (heading, line) = part(row);
        if heading.is_some() && heading != last {
            last = heading;
            lines.extend(heading.map(str::to_owned));
        }
        lines.push(line);
    }
    lines
}

/// Shortens a text to one row of a list, with an ellipsis if it was longer.
pub(super) fn truncate_row(text: &str) -> String {
    match text.char_indices().nth(ROW) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::{text::Locale, tokens};

    use super::{CountTexts, fit_snapshot, grouped, surplus, truncate, truncate_row, with_count};

    #[test]
    fn too_long_text_is_cut_with_a_count() {
        let how = ("ask for less", "絞ってください");
        assert_eq!(truncate("short".to_owned(), 3, Locale::En, how), "short");
        let long = "一つの長い文章です。".repeat(100);
        let shown = truncate(long.clone(), 50, Locale::En, how);
        let (kept, mark) = shown.rsplit_once('\n').expect("a mark");
        assert!(long.starts_with(kept) && !kept.is_empty());
        assert!(tokens::estimate(kept) <= 50);
        let expected = format!("… {} of 1000 characters; ask for less", kept.chars().count());
        assert_eq!(mark, expected);
        assert!(truncate(long, 50, Locale::Ja, how).contains("1000 文字中"));
    }

    #[test]
    fn snapshot_that_is_too_long_keeps_whole_lines_and_its_last() {
        let long = format!("{}- … more (find)", "- text: 一つの長い文章です。\n".repeat(100));
        assert!(surplus(&long, 200).is_some_and(|surplus| surplus > 500));
        assert_eq!(surplus(&long, 5_000), None);
        let kept = fit_snapshot(long, 200);
        assert!(tokens::estimate(&kept) <= 200, "{kept}");
        assert!(kept.ends_with("です。\n- … more (find)"), "{kept}");
    }

    #[test]
    fn cut_list_says_how_many_rows_it_has_and_how_to_get_them() {
        let texts = CountTexts {
            none: ("none", "なし"),
            shown: ("newest", "新しい方から"),
            more: ("narrow the filter", "絞ってください"),
        };
        let count = |shown, total, locale| with_count(vec!["a".to_owned(); shown], (shown, total), locale, &texts);
        assert_eq!(count(0, 0, Locale::En), "none");
        assert_eq!(count(2, 2, Locale::En), "a\na");
        assert_eq!(count(1, 81, Locale::En), "newest 1 of 81 (narrow the filter)\na");
        assert_eq!(count(1, 81, Locale::Ja), "全 81 件中新しい方から 1 件（絞ってください）\na");
    }

    #[test]
    fn rows_stand_below_their_heading() {
        let rows = [(Some("a"), 1), (Some("a"), 2), (None, 3), (Some("a"), 4), (Some("b"), 5)];
        let lines = grouped(&rows, |(heading, number)| (*heading, number.to_string()));
        assert_eq!(lines, ["a", "1", "2", "3", "4", "b", "5"]);
    }

    #[test]
    fn a_row_ends_at_a_character() {
        assert_eq!(truncate_row("https://x.test/"), "https://x.test/");
        assert_eq!(truncate_row(&"あ".repeat(501)), format!("{}…", "あ".repeat(500)));
    }
}
