//! Rule `long_vowel_run`: finds several long vowel signs in a row.

use super::{
    RuleReporter,
    passages::{is_protected, passages},
    signs::{count, is_dash_of_long_vowels, runs},
};
use crate::checks::{finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let longest = found.limit("longest");
    for passage in passages(material) {
        for run in runs(passage.text, |c| c == 'ー') {
            let length = count(passage.text, &run);
            // A line of long vowel signs only is a scene break.
            if length > longest.max(1)
                && passage.text.trim().len() > run.len()
                && !is_dash_of_long_vowels(passage.text, &run)
                && !is_protected(material, &passage, &run)
            {
                found.push(Finding::at(passage.source_of(material, &run)).with("count", length));
            }
        }
    }
}
