//! Rule `platform_character`: finds characters that began as extensions of single vendors.

use super::{RuleReporter, passages::passages, signs::runs};
use crate::checks::{finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        for run in runs(passage.text, is_extension) {
            found.push(Finding::at(passage.source_of(material, &run)));
        }
    }
}

/// True for Roman numerals, numbers and words in circles and brackets, units, № and ℡.
fn is_extension(c: char) -> bool {
    matches!(c, '\u{2160}'..='\u{2188}' | '\u{2460}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{3200}'..='\u{33ff}' | '№' | '℡')
}
