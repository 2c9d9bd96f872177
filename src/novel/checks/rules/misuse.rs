//! Rule `misuse`: finds set phrases in a form that dictionaries reject: 的を得る.

use super::{Found, phrasing, stretches};
use crate::{checks::material::Material, lexicons::misuses::MISUSES};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    for stretch in stretches::told(material) {
        for hit in MISUSES.find(stretch.words) {
            let own = &stretch.words[hit.words.clone()];
            let mut finding = match MISUSES.instead(&hit, stretch.words) {
                Some(text) => phrasing::instead(material, own, &text),
                None => phrasing::at(material, own).with("expected", MISUSES.pair(&hit).1),
            };
            if stretch.is_quoted {
                finding.edits.clear();
            }
            found.push(finding);
        }
    }
}
