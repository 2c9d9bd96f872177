//! Item A31-045: findings of the basic rules that the safe level fixes, and unbalanced brackets, per 1,000 characters.

use crate::checks::{
    CheckMaterial, FixLevel, RuleGroup,
    items::{ItemThresholds, Measure, ramp},
    rules::run_selected_rules,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let characters = material.characters();
    if characters == 0 {
        return Measure::not_applicable();
    }
    let faults = run_selected_rules(material, |rule| {
        let is_safe = rule.page.fix == Some(FixLevel::Safe);
        rule.page.group == RuleGroup::Basic && (is_safe || rule.name == "unbalanced_bracket")
    });
    let rate = faults.len() as f64 * 1_000.0 / characters as f64;
    Measure::from_score(ramp(rate, gauge.threshold("most"), gauge.threshold("few")))
        .with_value(rate)
        .with_places(faults.into_iter().map(|fault| fault.source))
}
