//! Item A31-040: the share of clichés among the figures of speech in the narration; the fewer the better.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, ramp, share},
    rules::{run_selected_rules, similes},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let worn = run_selected_rules(material, |rule| rule.name == "cliche");
    // A comparison within a cliché counts as the cliché. Both lists are in the order of the text.
    let mut rest = worn.iter().peekable();
    let figures = similes(material).into_iter().map(|figure| material.source_of(&figure));
    let own = figures.filter(|figure| {
        while rest.next_if(|phrase| phrase.source.end <= figure.start).is_some() {}
        rest.peek().is_none_or(|phrase| figure.end <= phrase.source.start)
    });
    let all = own.count() + worn.len();
    if all == 0 {
        return Measure::not_applicable();
    }
    let worn_share = share(worn.len(), all);
    Measure::from_score(ramp(worn_share, gauge.threshold("most"), gauge.threshold("none")))
        .with_value(worn_share)
        .with_places(worn.into_iter().map(|phrase| phrase.source))
}
