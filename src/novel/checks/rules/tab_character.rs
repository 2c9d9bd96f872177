//! Rule `tab_character`: finds tabs within the text.

use super::{
    RuleReporter,
    signs::{after, before, runs},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::LineKind,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let manuscript = material.manuscript();
    for line in manuscript.lines().iter().filter(|line| line.kind != LineKind::Verbatim) {
        let text = manuscript.source()[line.content.clone()].trim_end();
        for run in runs(text, |c| c == '\t') {
            let is_ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_graphic());
            let is_english = is_ascii(before(text, run.start)) && is_ascii(after(text, run.end));
            // Next to a full-width space another space would be redundant.
            let has_space = before(text, run.start) == Some('　') || after(text, run.end) == Some('　');
            let space = match (has_space, is_english) {
                (true, _) => "",
                (false, true) => " ",
                (false, false) => "　",
            };
            let tabs = line.content.start + run.start..line.content.start + run.end;
            found.push(Finding::at(tabs).with_replacement(space));
        }
    }
}
