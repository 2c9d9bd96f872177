//! The changes between two snapshots of a page, in the notation of snapshots and with usable refs.
//!
//! `@ main > list [ref=e13]` names the place of the lines below it. `+` marks a new line (with all lines inside it),
//! `~` a line that changed, and `gone:` a line that is no longer there. Unchanged lines are left out. The result is
//! always shorter than the new snapshot; otherwise the new snapshot itself is returned.

use std::{collections::HashSet, fmt::Write as _};

use super::line_matching::match_lines;
use super::lines::{SnapshotLine, reference};

/// Lines shown of a stretch of removed lines; the rest is only counted, as a caller can do nothing with removed
/// elements.
const GONE_SHOWN: usize = 3;
/// Characters shown of a removed line.
const GONE_LENGTH: usize = 80;
/// The largest size of the changes relative to the whole snapshot, as a fraction. Beyond it the whole is returned,
/// which is easier to read and hardly longer.
const WORTH: (usize, usize) = (4, 5);
/// Ancestors shown in the place of a change, the nearest ones.
const PLACE_SHOWN: usize = 3;
/// Roles of elements that take keys.
const FIELDS: [&str; 4] = ["textbox", "searchbox", "combobox", "spinbutton"];
/// The line between what hid a page and, now that the page is back, its changes since it was hidden.
const PAGE_IS_BACK: &str = "… the earlier page is back (browser_snapshot shows it)";
/// Characters reserved for the mark of a cut.
const MARK_ROOM: usize = 80;

/// The changes since an earlier snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SnapshotDiff {
    /// No visible change.
    Unchanged,
    /// The changed lines. If the limit cut them, the text says how to see the rest.
    Part {
        /// Lines that begin with `@`, `+`, `~` or `gone:`.
        text: String,
        /// The number of changed lines that the limit left out.
        cut: usize,
    },
    /// The whole new snapshot, because the list of changes would be longer.
    Full(String),
}

/// Returns the changes from `before` to `after`, in at most `limit` characters. If the limit cuts them, a mark is
/// added.
pub(super) fn changes(before: &str, after: &str, limit: usize) -> SnapshotDiff {
    let (old, new) = (SnapshotLine::parse(before), SnapshotLine::parse(after));
    let mut told = DiffWriter::new(after);
    told.compare(&old, &new, &mut Vec::new());
    if told.lines.is_empty() {
        return SnapshotDiff::Unchanged;
    }
    let (text, cut) = told.within(limit);
    let (length, whole) = (text.chars().count(), after.chars().count());
    if length * WORTH.1 <= whole * WORTH.0 {
        SnapshotDiff::Part { text, cut }
    } else {
        SnapshotDiff::Full(after.to_owned())
    }
}

/// Returns the changes of a page that was hidden and is back, for example from behind a modal dialog: what hid it, and
/// the changes since it was hidden. Otherwise the whole page would be new. If the changes from `before` are shorter,
/// returns those.
pub(super) fn changes_of_page_behind(hidden: &str, before: &str, after: &str, limit: usize) -> SnapshotDiff {
    let all = changes(before, after, limit);
    let (old, new) = (SnapshotLine::parse(before), SnapshotLine::parse(after));
    let mut top = DiffWriter::new(after);
    top.gone(&old, &match_lines(&old, &new).old_kept, &[]);
    top.lines.push(PAGE_IS_BACK.to_owned());
    let top = top.lines.join("\n");
    let room = limit.saturating_sub(top.chars().count());
    let (text, cut) = match changes(hidden, after, room) {
        SnapshotDiff::Part { text, cut } => (joined(&top, &text), cut),
        SnapshotDiff::Unchanged => (top, 0),
        SnapshotDiff::Full(_) => return all,
    };
    let is_shorter = match &all {
        SnapshotDiff::Unchanged => true,
        SnapshotDiff::Part { text: all, cut: all_cut } => (*all_cut, all.len()) <= (cut, text.len()),
        SnapshotDiff::Full(all) => all.len() <= text.len(),
    };
    if is_shorter { all } else { SnapshotDiff::Part { text, cut } }
}

/// Returns the earlier snapshot with the focus on the clicked element, if the element has the focus now: that a click focuses
/// its element is not reported as a change. For a field it is reported, since keys go there.
pub(super) fn with_focus(before: String, after: &str, clicked: &str) -> String {
    let focused = format!(" [active] [ref={clicked}]");
    let line = after.lines().find(|line| line.contains(&focused));
    let is_field = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        FIELDS.iter().any(|role| line.starts_with(role))
    };
    if before.contains(&focused) || line.is_none_or(is_field) {
        return before;
    }
    before.replacen(&format!(" [ref={clicked}]"), &focused, 1)
}

/// Returns all changed lines of a small part, however many changed.
pub(super) fn lines(before: &str, after: &str) -> String {
    let mut told = DiffWriter::new(after);
    told.compare(&SnapshotLine::parse(before), &SnapshotLine::parse(after), &mut Vec::new());
    told.lines.join("\n")
}

/// Joins the changes of a small part and those of the whole page, each below its own place.
pub(super) fn joined(part: &str, whole: &str) -> String {
    if part.is_empty() {
        return whole.to_owned();
    }
    let top = if is_place(whole) { "" } else { "@ page\n" };
    format!("{part}\n{top}{whole}")
}

/// True if a line names the place of the lines below it, such as `@ page`.
fn is_place(line: &str) -> bool {
    line.starts_with('@')
}

/// The collected lines of the result, in the order of the page.
struct DiffWriter<'text> {
    lines: Vec<String>,
    place: Option<String>,
    /// The references of the new snapshot: an element that only moved is not gone.
    references: HashSet<&'text str>,
}

impl<'text> DiffWriter<'text> {
    fn new(after: &'text str) -> Self {
        Self { lines: Vec::new(), place: None, references: after.lines().filter_map(reference).collect() }
    }

    fn compare<'line>(&mut self, old: &[SnapshotLine<'line>], new: &[SnapshotLine<'line>], path: &mut Vec<&'line str>) {
        let pairs = match_lines(old, new);
        let mut gone = 0;
        for (line, pair) in new.iter().zip(&pairs.of_new) {
            let Some(index) = *pair else {
                // A mark that only moved is not a change.
                if !(line.is_mark() && old.iter().any(|was| was.is_mark() && was.noun() == line.noun())) {
                    self.added(line, path);
                }
                continue;
            };
            self.gone(&old[gone..index], &pairs.old_kept[gone..index], path);
            gone = index + 1;
            let was = &old[index];
            if was.fingerprint() == line.fingerprint() {
                continue;
            }
            if is_worth_reporting(was.content, line.content) {
                self.add_line(path, format!("~ {}", line.content.trim_end_matches(':')));
            }
            path.push(line.head());
            self.compare(&was.children, &line.children, path);
            path.pop();
        }
        self.gone(&old[gone..], &pairs.old_kept[gone..], path);
    }

    fn added(&mut self, line: &SnapshotLine<'_>, path: &[&str]) {
        let mut text = String::new();
        write_tree(&mut text, line, 0);
        for row in text.lines() {
            self.add_line(path, row.to_owned());
        }
    }

    fn gone(&mut self, lines: &[SnapshotLine<'_>], kept: &[bool], path: &[&str]) {
        let left: Vec<&SnapshotLine<'_>> = lines
            .iter()
            .zip(kept)
            .filter(|(line, kept)| !**kept && !line.is_property() && !line.is_mark())
            .map(|(line, _)| line)
            .filter(|line| reference(line.content).is_none_or(|own| !self.references.contains(own)))
            .collect();
        for line in left.iter().take(GONE_SHOWN) {
            let more = match line.size() - 1 {
                0 => String::new(),
                more => format!(" ({more} inside)"),
            };
            self.add_line(path, format!("gone: {}{more}", shortened(line.content)));
        }
        if left.len() > GONE_SHOWN {
            self.add_line(path, format!("gone: {} more", left.len() - GONE_SHOWN));
        }
    }

    /// Adds a line. Before it, adds a line with the place, unless the previous line has the same place.
    fn add_line(&mut self, path: &[&str], line: String) {
        let near = path.len().saturating_sub(PLACE_SHOWN);
        let far = if near > 0 { "… > " } else { "" };
        let place = format!("{far}{}", path[near..].join(" > "));
        if self.place.as_ref() != Some(&place) {
            if !path.is_empty() || self.place.is_some() {
                let top = if place.is_empty() { "page" } else { &place };
                self.lines.push(format!("@ {top}"));
            }
            self.place = Some(place);
        }
        self.lines.push(line);
    }

    /// Returns the whole lines that fit into `limit` characters, and the number of changed lines that did not fit.
    fn within(&self, limit: usize) -> (String, usize) {
        let length: usize = self.lines.iter().map(|line| line.chars().count() + 1).sum();
        let limit = if length <= limit { usize::MAX } else { limit.saturating_sub(MARK_ROOM) };
        let mut used = 0;
        let fitting = self
            .lines
            .iter()
            .take_while(|line| {
                used += line.chars().count() + 1;
                used <= limit
            })
            .count();
        // A place without a line below it is useless.
        let fitting = fitting - usize::from(fitting > 0 && is_place(&self.lines[fitting - 1]));
        let cut = self.lines[fitting..].iter().filter(|line| !is_place(line)).count();
        let mut text = self.lines[..fitting].join("\n");
        if cut > 0 {
            let separator = if fitting == 0 { "" } else { "\n" };
            let _ = write!(text, "{separator}… {cut} more changed lines (browser_snapshot shows the page as it is)");
        }
        (text, cut)
    }
}

fn write_tree(text: &mut String, line: &SnapshotLine<'_>, depth: usize) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}+ {}", "  ".repeat(depth), line.content);
    for child in &line.children {
        write_tree(text, child, depth + 1);
    }
}

/// Shortens a removed line to what is needed to recognise it.
fn shortened(content: &str) -> String {
    let content = content.trim_end_matches(':');
    match content.char_indices().nth(GONE_LENGTH) {
        Some((end, _)) => format!("{}…", &content[..end]),
        None => content.to_owned(),
    }
}

/// True if a changed line is worth reporting. Losing the focus alone is not, because the element that gained it is
/// reported.
fn is_worth_reporting(was: &str, is: &str) -> bool {
    // A trailing colon only means that lines follow.
    let plain = |text: &str| text.trim_end_matches(':').replace(" [active]", "");
    was.trim_end_matches(':') != is.trim_end_matches(':') && (is.contains(" [active]") || plain(was) != plain(is))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNLIMITED: usize = usize::MAX;
    const PAGE: &str = "\
- banner:
  - navigation \"Main\" [ref=e1]:
    - link \"Home\" [ref=e2]
    - link \"Orders\" [ref=e3]
- main:
  - heading \"Orders\" [level=1]
  - textbox \"Filter\" [ref=e4]
  - table [ref=e5]:
    - row: ID | Action
    - row: 1 | button \"Edit\" [ref=e6]
    - row: 2 | button \"Edit\" [ref=e7]
    - … 1,993 more rows (snapshot target=e5, or find)
    - row: 2000 | button \"Edit\" [ref=e8]
- contentinfo:
  - paragraph: Example Corp";

    fn part(before: &str, after: &str) -> String {
        match changes(before, after, UNLIMITED) {
            SnapshotDiff::Part { text, cut: 0 } => text,
            other => panic!("{other:?}"),
        }
    }

    /// Returns forty lines of links.
    fn links(name: &str) -> String {
        let mut text = String::new();
        for number in 20..60 {
            let _ = writeln!(text, "  - link \"{name}{number}\" [ref=e{number}]");
        }
        text
    }

    #[test]
    fn the_same_page_has_not_changed() {
        assert_eq!(changes(PAGE, PAGE, UNLIMITED), SnapshotDiff::Unchanged);
        assert_eq!(changes("", "", UNLIMITED), SnapshotDiff::Unchanged);
    }

    #[test]
    fn a_value_is_told_with_its_place() {
        let after = PAGE.replace("[ref=e4]", "[active] [ref=e4]: Ann");
        assert_eq!(part(PAGE, &after), "@ main\n~ textbox \"Filter\" [active] [ref=e4]: Ann");
    }

    #[test]
    fn page_that_was_behind_a_dialog_is_not_new() {
        let dialog = "- dialog \"Rename\" [ref=e9]:\n  - button \"Save\" [ref=e10]";
        let page = format!("{PAGE}\n- list:\n{}", links("Act "));
        let closed = format!("gone: dialog \"Rename\" [ref=e9] (1 inside)\n{PAGE_IS_BACK}");
        let told = changes_of_page_behind(&page, dialog, &page, UNLIMITED);
        assert_eq!(told, SnapshotDiff::Part { text: closed.clone(), cut: 0 });
        let after = format!("{page}- alert: name taken");
        let told = changes_of_page_behind(&page, dialog, &after, UNLIMITED);
        assert_eq!(told, SnapshotDiff::Part { text: format!("{closed}\n@ page\n+ alert: name taken"), cut: 0 });
    }

    #[test]
    fn losing_the_focus_alone_is_not_told() {
        let before = PAGE.replace("[ref=e4]", "[active] [ref=e4]");
        assert_eq!(changes(&before, PAGE, UNLIMITED), SnapshotDiff::Unchanged);
    }

    #[test]
    fn focus_of_the_clicked_element_is_not_told_except_of_a_field() {
        let focused =
            |reference: &str| PAGE.replace(&format!(" [ref={reference}]"), &format!(" [active] [ref={reference}]"));
        for (reference, expected) in [("e2", None), ("e4", Some("@ main\n~ textbox \"Filter\" [active] [ref=e4]"))] {
            let after = focused(reference);
            let told = changes(&with_focus(PAGE.to_owned(), &after, reference), &after, UNLIMITED);
            let expected =
                expected.map_or(SnapshotDiff::Unchanged, |text| SnapshotDiff::Part { text: text.to_owned(), cut: 0 });
            assert_eq!(told, expected, "{reference}");
        }
        // Another element has the focus now.
        let after = focused("e3");
        assert_eq!(with_focus(PAGE.to_owned(), &after, "e2"), PAGE);
    }

    #[test]
    fn new_element_is_listed_with_its_children() {
        let after = PAGE.replace(
            "- contentinfo:",
            "- dialog \"Sure?\" [ref=e9]:\n  - paragraph: No way back\n  - button \"Yes\" [ref=e10]\n- contentinfo:",
        );
        let expected = "+ dialog \"Sure?\" [ref=e9]:\n  + paragraph: No way back\n  + button \"Yes\" [ref=e10]";
        assert_eq!(part(PAGE, &after), expected);
    }

    #[test]
    fn removed_rows_are_listed_and_others_keep_identity() {
        let after = PAGE.replace("    - row: 1 | button \"Edit\" [ref=e6]\n", "").replace("1,993", "1,992");
        let expected = "@ main > table [ref=e5]\ngone: row: 1 | button \"Edit\" [ref=e6]\n~ … 1,992 more rows (snapshot target=e5, or find)";
        assert_eq!(part(PAGE, &after), expected);
    }

    #[test]
    fn a_row_whose_button_changed_is_still_that_row() {
        let after = PAGE.replace("2 | button \"Edit\" [ref=e7]", "2 | button \"Done\" [ref=e9]");
        assert_eq!(part(PAGE, &after), "@ main > table [ref=e5]\n~ row: 2 | button \"Done\" [ref=e9]");
    }

    #[test]
    fn a_placeholder_that_gave_way_to_a_value_is_not_told() {
        let before = PAGE.replace("\"Filter\" [ref=e4]", "\"Filter\" [ref=e4]:\n    - /placeholder: Name");
        let after = PAGE.replace("\"Filter\" [ref=e4]", "\"Filter\" [ref=e4]: Ann");
        assert_eq!(part(&before, &after), "@ main\n~ textbox \"Filter\" [ref=e4]: Ann");
    }

    #[test]
    fn a_long_stretch_that_is_gone_is_counted() {
        let before = format!("{PAGE}\n{}", links("L"));
        let text = part(&before, PAGE);
        assert!(text.ends_with("gone: link \"L22\" [ref=e22]\ngone: 37 more"), "{text}");
    }

    #[test]
    fn what_moved_is_new_at_its_place() {
        let after = PAGE
            .replace("    - link \"Home\" [ref=e2]\n", "")
            .replace("- heading", "- link \"Home\" [ref=e2]\n  - heading");
        let text = part(PAGE, &after);
        assert!(text.contains("@ main\n+ link \"Home\" [ref=e2]"), "{text}");
        assert!(!text.contains("gone"), "{text}");
    }

    #[test]
    fn another_page_is_given_whole() {
        let after = "- heading \"Signed in\" [level=1]";
        assert_eq!(changes(PAGE, after, UNLIMITED), SnapshotDiff::Full(after.to_owned()));
    }

    #[test]
    fn cut_text_never_ends_with_place_line() {
        let after = PAGE.replace("\"Home\"", "\"Start\"").replace("2 | button \"Edit\"", "2 | button \"Done\"");
        for limit in 100..400 {
            let SnapshotDiff::Part { text, cut } = changes(PAGE, &after, limit) else { panic!("not a part") };
            let kept = text.lines().rfind(|line| !line.starts_with('…'));
            assert!(!kept.is_some_and(is_place), "{limit}: {text}");
            assert_eq!(text.matches("\n~").count() + cut, 2, "{limit}: {text}");
        }
    }

    #[test]
    fn the_limit_cuts_whole_lines_and_says_so() {
        let after = links("New ");
        let after = format!("{PAGE}\n{after}");
        let SnapshotDiff::Part { text, cut } = changes(PAGE, &after, 400) else { panic!("not a part") };
        assert!(cut > 20 && text.chars().count() <= 400, "{cut} {text}");
        assert!(text.ends_with(&format!("… {cut} more changed lines (browser_snapshot shows the page as it is)")));
    }

    /// Generates lines of random depth, role, ref and value, as a page could have them.
    fn page() -> impl Strategy<Value = String> {
        let line = (0_usize..4, "[a-c]", proptest::option::of(1_u8..30), proptest::option::of("[xy]{1,2}"));
        proptest::collection::vec(line, 0..24).prop_map(|lines| {
            let mut text = String::new();
            for (depth, role, reference, value) in lines {
                let reference = reference.map(|number| format!(" [ref=e{number}]")).unwrap_or_default();
                let value = value.map(|value| format!(": {value}")).unwrap_or_default();
                let _ = writeln!(text, "{}- {role}{reference}{value}", "  ".repeat(depth));
            }
            text
        })
    }

    fn references(text: &str) -> std::collections::BTreeSet<String> {
        text.match_indices("[ref=")
            .filter_map(|(at, _)| super::super::lines::reference(&text[at..]))
            .map(str::to_owned)
            .collect()
    }

    proptest! {
        #[test]
        fn never_larger_and_no_new_reference_is_lost(before in page(), after in page(), limit in 100_usize..600) {
            let (text, cut) = match changes(&before, &after, limit) {
                SnapshotDiff::Unchanged => (String::new(), 0),
                SnapshotDiff::Part { text, cut } => (text, cut),
                SnapshotDiff::Full(text) => (text, 0),
            };
            prop_assert!(text.chars().count() <= after.chars().count());
            if cut == 0 {
                let new: Vec<_> = references(&after).difference(&references(&before)).cloned().collect();
                for reference in new {
                    prop_assert!(references(&text).contains(&reference), "{reference} is missing in\n{text}");
                }
            }
        }

        #[test]
        fn unchanged_means_equal(before in page(), after in page()) {
            let same = before.lines().eq(after.lines());
            let told = changes(&before, &after, UNLIMITED);
            prop_assert!(!same || told == SnapshotDiff::Unchanged);
        }
    }
}
