//! Item A31-045: findings of the basic rules that the safe level fixes, and unbalanced brackets, per 1,000 characters.

use crate::checks::{
    FixLevel, Group, Material,
    items::{Gauge, Measure, ramp},
    rules::findings,
};

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of findings and characters are far below 2⁵²"
)]
pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let characters = material.characters();
    if characters == 0 {
        return Measure::not_applicable();
    }
    let faults = findings(material, |rule| {
        let is_safe = rule.page.fix == Some(FixLevel::Safe);
        rule.page.group == Group::Basic && (is_safe || rule.name == "unbalanced_bracket")
    });
    let rate = faults.len() as f64 * 1_000.0 / characters as f64;
    Measure::of(ramp(rate, gauge.threshold("most"), gauge.threshold("few")))
        .from(rate)
        .at(faults.into_iter().map(|fault| fault.source))
}
