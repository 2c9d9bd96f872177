//! Rule `replacement_character`: finds replacement characters for lost ones, and control characters.

use super::{RuleReporter, signs::after};
use crate::checks::{finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let source = material.manuscript().source();
    for (at, c) in source.char_indices() {
        let is_fault = match c {
            '\n' | '\t' => false,
            '\r' => after(source, at + 1) != Some('\n'),
            '\u{feff}' => at > 0,
            '\u{fffd}' => true,
            _ => c.is_control(),
        };
        if is_fault {
            let number = format!("U+{:04X}", u32::from(c));
            found.push(Finding::at(at..at + c.len_utf8()).with("found", number));
        }
    }
}
