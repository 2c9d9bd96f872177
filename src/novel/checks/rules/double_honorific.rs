//! Rule `double_honorific`: finds verbs with two honorific forms: おっしゃられる, お帰りになられる.

use super::{Found, phrasing, stretches};
use crate::{checks::material::Material, lexicons::honorifics::HONORIFICS};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    for stretch in stretches::told(material) {
        let words = stretch.words;
        for hit in HONORIFICS.phrases.find(words) {
            let own = &words[hit.words.clone()];
            let single = HONORIFICS.phrases.instead(&hit, words);
            let mut finding = match &single {
                Some(text) => phrasing::instead(material, own, text),
                None => phrasing::at(material, own).with("expected", HONORIFICS.phrases.pair(&hit).1),
            };
            let severity = HONORIFICS.severity(&hit);
            if severity.is_some() || stretch.is_quoted {
                finding.edits.clear();
            }
            match severity {
                Some(severity) => found.push_as(severity, finding),
                None => found.push(finding),
            }
        }
    }
}
