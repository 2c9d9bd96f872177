//! Rule `misconversion`: finds words written with the kanji of another word of the same sound: 以外な結末.

use std::collections::BTreeMap;

use super::{RuleReporter, phrasing};
use crate::{checks::{Severity, material::CheckMaterial}, lexicons::misconversions::MISCONVERSIONS};

/// The least number of times that an author who means a spelling uses it.
const CONSISTENT: usize = 3;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let mut findings = Vec::new();
    for sentence in material.sentences().iter().filter(|sentence| sentence.is_story()) {
        // The text between two pieces is a quotation with sentences of its own.
        for piece in &sentence.pieces {
            let start = piece.visible.start;
            for (wrong, right) in MISCONVERSIONS.find(&material.text()[piece.visible.clone()]) {
                let place = start + wrong.start..start + wrong.end;
                findings.push((right, phrasing::finding_with_wording_at(material, &place, right)));
            }
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (right, _) in &findings {
        *counts.entry(right).or_default() += 1;
    }
    for (right, finding) in findings {
        let is_style = counts[right] >= CONSISTENT;
        found.push_with_severity(if is_style { Severity::Info } else { Severity::Medium }, finding);
    }
}
