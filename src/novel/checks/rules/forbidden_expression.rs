//! Rule `forbidden_expression`: finds the expressions of the novel's own list.

use super::{RuleReporter, phrasing};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::Phrases,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let unwanted = material.tuning().forbidden.iter().filter(|entry| !entry.trim().is_empty());
    let phrases = Phrases::new(unwanted.map(|entry| entry.trim()));
    if phrases.entries().is_empty() {
        return;
    }
    for at in 0..material.sentences().len() {
        let words = material.words_of(at);
        for hit in phrases.find(words) {
            let (first, last) = (&words[hit.words.start], &words[hit.words.end - 1]);
            found.push(phrasing::whole(material, Finding::at(first.source.start..last.source.end)));
        }
    }
}
