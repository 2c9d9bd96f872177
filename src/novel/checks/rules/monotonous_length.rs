//! Rule `monotonous_length`: finds narration whose sentences all have about the same length.

use super::{RuleReporter, whole_text};
use crate::checks::{CheckMaterial, Severity};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (lowest, least) = (found.threshold("lowest"), found.limit("least"));
    let spread = material.metrics().lengths.spread;
    if spread.count >= least && spread.variation() < lowest {
        let finding = whole_text::finding(material, Vec::new())
            .with("count", spread.count)
            .with("value", format!("{:.2}", spread.variation()))
            .with("limit", lowest);
        if spread.count < found.limit("sure") {
            found.push_with_severity(Severity::Info, finding);
        } else {
            found.push(finding);
        }
    }
}
