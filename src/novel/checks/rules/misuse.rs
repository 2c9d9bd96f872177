//! Rule `misuse`: finds set phrases in a form that dictionaries reject: 的を得る.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::misuses::MISUSES};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        for hit in MISUSES.find(stretch.words) {
            let own = &stretch.words[hit.words.clone()];
            let mut finding = match MISUSES.replacement(&hit, stretch.words) {
                Some(text) => phrasing::finding_with_wording(material, own, &text),
                None => phrasing::at(material, own).with("expected", MISUSES.pair(&hit).1),
            };
            if stretch.is_quoted {
                finding.edits.clear();
            }
            found.push(finding);
        }
    }
}
