//! Rule `tautology`: finds phrases that say one thing twice: 頭痛が痛い, 一番最初.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::misuses::TAUTOLOGIES};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for hit in TAUTOLOGIES.find(words) {
            let (_, single) = TAUTOLOGIES.pair(&hit);
            found.push(phrasing::at(material, &words[hit.words]).with("expected", single));
        }
    }
}
