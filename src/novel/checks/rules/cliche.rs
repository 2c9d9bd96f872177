//! Rule `cliche`: finds clichés of fiction.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::cliches::CLICHES};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for hit in CLICHES.find_with_adverbs(words) {
            found.push(phrasing::at(material, &words[hit.words]));
        }
    }
}
