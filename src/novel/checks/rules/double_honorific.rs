//! Rule `double_honorific`: finds verbs with two honorific forms: おっしゃられる, お帰りになられる.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::honorifics::HONORIFICS};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        let words = stretch.words;
        for hit in HONORIFICS.phrases.find(words) {
            let own = &words[hit.words.clone()];
            let single = HONORIFICS.phrases.replacement(&hit, words);
            let mut finding = match &single {
                Some(text) => phrasing::finding_with_wording(material, own, text),
                None => phrasing::at(material, own).with("expected", HONORIFICS.phrases.pair(&hit).1),
            };
            let severity = HONORIFICS.severity(&hit);
            if severity.is_some() || stretch.is_quoted {
                finding.edits.clear();
            }
            match severity {
                Some(severity) => found.push_with_severity(severity, finding),
                None => found.push(finding),
            }
        }
    }
}
