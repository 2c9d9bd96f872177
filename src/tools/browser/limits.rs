//! The token budgets of the parts of a reply, and the functions that shorten them.
//!
//! The budgets together stay below the cap of a reply, since the text of a page is not a list from which rows could be
//! dropped later.

use fumi_base::{text::Locale, tokens};
use fumi_kernel::shorten::json_end;

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
    if fitting_end(text, most) == text.len() {
        return None;
    }
    let end = fitting_end(text, most.saturating_sub(LAST_LINE));
    Some(text[end..].chars().count())
}

/// Returns a snapshot that fits: whole lines are dropped before the last line, which is kept.
pub(super) fn fit_snapshot(text: String, most: usize) -> String {
    if fitting_end(&text, most) == text.len() {
        return text;
    }
    let (lines, last) = text.rsplit_once('\n').unwrap_or(("", &text));
    let left = most.saturating_sub(tokens::estimate(last) + 1);
    let kept = &lines[..fitting_end(lines, left)];
    let whole = kept.rfind('\n').map_or("", |end| &kept[..=end]);
    format!("{whole}{last}")
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

/// Returns the rows below a line with their number, and advice if some are missing.
pub(super) fn with_count(rows: impl ExactSizeIterator<Item = String>, total: usize, locale: Locale) -> String {
    let shown = rows.len();
    let head = match locale {
        Locale::En if total == 0 => Some("none".to_owned()),
        Locale::Ja if total == 0 => Some("なし".to_owned()),
        _ if shown >= total => None,
        Locale::En => Some(format!(
            "{shown} of {total} (the rest: narrow the call or raise its limit)"
        )),
        Locale::Ja => Some(format!(
            "全 {total} 件中 {shown} 件（残りを見るには条件を絞るか、件数の上限を上げてください）"
        )),
    };
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
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

    use super::{fit_snapshot, surplus, truncate, truncate_row};

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
    fn a_row_ends_at_a_character() {
        assert_eq!(truncate_row("https://x.test/"), "https://x.test/");
        assert_eq!(truncate_row(&"あ".repeat(501)), format!("{}…", "あ".repeat(500)));
    }
}
