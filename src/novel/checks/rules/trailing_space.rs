//! Rule `trailing_space`: finds white space at the end of a line, or filling all of it.

use super::Found;
use crate::{
    checks::{finding::Finding, material::Material},
    manuscript::LineKind,
};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    let manuscript = material.manuscript();
    let lines = manuscript.lines().iter().filter(|line| line.kind != LineKind::Verbatim);
    for line in lines {
        let text = &manuscript.source()[line.content.clone()];
        let kept = text.trim_end_matches([' ', '　', '\t']).len();
        if kept < text.len() {
            let space = line.content.start + kept..line.content.end;
            found.push(Finding::at(space).replaced_by(""));
        }
    }
}
