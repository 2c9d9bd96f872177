//! Pages with labelled faults, and the findings of the rules in them.
//!
//! A label is ⟦rule|text⟧; the page is checked without the marks, as its author would have left it. A finding belongs
//! to a label if it is of the same rule and touches its text.

use std::{fs, ops::Range, path::Path};

use fumi_novel::checks::{Finding, RuleGroup, run_rules};

use crate::inputs::with_material;

/// A labelled page.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its file.
    pub(crate) name: String,
    /// The text without the marks.
    pub(crate) text: String,
    /// Its faults, in order.
    pub(crate) labels: Vec<Label>,
}

/// A fault that a person labelled.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The rule that must find it.
    pub(crate) rule: String,
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
}

/// The findings of the rules in a page.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    /// The page.
    pub(crate) page: Page,
    /// For each label whether its rule finds it.
    pub(crate) found: Vec<bool>,
    /// The number of findings at a label of another rule.
    pub(crate) beside: usize,
    /// Findings without a label.
    pub(crate) unexplained: Vec<Finding>,
}

/// The folder of the pages that no rule or word list was written from.
pub(crate) const UNSEEN: &str = "benches/faults/pages";
/// The folder of the pages that rules and word lists were written from.
pub(crate) const KNOWN: &str = "benches/faults/pages-known";

/// Returns all pages of a folder.
#[must_use]
pub(crate) fn all(root: &Path, folder: &str) -> Vec<Page> {
    let folder = root.join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut pages: Vec<Page> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            read(&name, &fs::read_to_string(&path).expect("readable"))
        })
        .collect();
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    pages
}

/// Removes the marks from a page.
#[must_use]
pub(crate) fn read(name: &str, marked: &str) -> Page {
    let mut page = Page {
        name: name.to_owned(),
        text: String::new(),
        labels: Vec::new(),
    };
    let mut rest = marked;
    while let Some((before, label)) = rest.split_once('⟦') {
        page.text.push_str(before);
        let (label, after) = label.split_once('⟧').expect("a label ends");
        let (rule, words) = label.split_once('|').expect("a label has a rule");
        let start = page.text.len();
        page.text.push_str(words);
        page.labels.push(Label {
            rule: rule.to_owned(),
            range: start..page.text.len(),
        });
        rest = after;
    }
    page.text.push_str(rest);
    page
}

/// Checks a page.
#[must_use]
pub(crate) fn judge(page: Page) -> Judged {
    let findings = with_material(&page.text, |material| {
        run_rules(material, &RuleGroup::ALL, &|| false).expect("not cancelled")
    });
    // A run is reported at its first sentence, with all of its sentences as evidence.
    let touches = |finding: &Finding, label: &Label| {
        let mut places = std::iter::once(&finding.source).chain(&finding.evidence);
        places.any(|place| place.start < label.range.end && label.range.start < place.end.max(place.start + 1))
    };
    let belongs = |finding: &Finding, label: &Label| finding.rule == label.rule && touches(finding, label);
    let labels = page.labels.iter();
    let found = labels
        .map(|label| findings.iter().any(|finding| belongs(finding, label)))
        .collect();
    let labels = || page.labels.iter();
    let others = findings
        .iter()
        .filter(|finding| !labels().any(|label| belongs(finding, label)));
    let (beside, unexplained): (Vec<&Finding>, Vec<&Finding>) =
        others.partition(|finding| labels().any(|label| touches(finding, label)));
    let (beside, unexplained) = (beside.len(), unexplained.into_iter().cloned().collect());
    Judged {
        page,
        found,
        beside,
        unexplained,
    }
}
