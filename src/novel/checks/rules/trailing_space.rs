//! Rule `trailing_space`: finds white space at the end of a line, or filling all of it.

use super::RuleReporter;
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::LineKind,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let manuscript = material.manuscript();
    let lines = manuscript.lines().iter().filter(|line| line.kind != LineKind::Verbatim);
    for line in lines {
        let text = &manuscript.source()[line.content.clone()];
        let kept = text.trim_end_matches([' ', '　', '\t']).len();
        if kept < text.len() {
            let space = line.content.start + kept..line.content.end;
            found.push(Finding::at(space).with_replacement(""));
        }
    }
}
