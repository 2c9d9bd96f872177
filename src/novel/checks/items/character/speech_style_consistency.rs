//! Item A31-014: the Jensen-Shannon divergence of a speaker's ending classes from those of the previous episode, else
//! from those of the sheet.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{
    CheckMaterial,
    features::{CastMember, SURE, SpeechEnding, SpeechStyle, own_endings, percent},
    items::{ItemThresholds, Measure, ramp},
};

/// The number of occurrences of each class of endings.
type EndingCounts = BTreeMap<SpeechEnding, f64>;

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let minimum = gauge.limit("minimum").max(1);
    let mut found: Vec<(f64, Vec<std::ops::Range<usize>>)> = Vec::new();
    for (at, member) in material.cast().members.iter().enumerate() {
        let manner = &material.speech_styles().styles[at];
        let (count, here) = heard(manner);
        let before = material.previous_speech_styles().map(|before| heard(&before.styles[at]));
        let before = before.filter(|(count, _)| *count >= minimum).map(|(_, before)| before);
        let Some(right) = before.or_else(|| listed(member)).filter(|_| count >= minimum) else {
            continue;
        };
        let strange = manner.endings.iter().filter(|said| !right.contains_key(&said.value));
        let strange = strange.filter(|said| said.percent >= percent(SURE));
        let places = strange.map(|said| material.source_of(&said.visible)).collect();
        found.push((divergence(&here, &right), places));
    }
    if found.is_empty() {
        return Measure::not_applicable();
    }
    let (near, far) = (gauge.threshold("near"), gauge.threshold("far"));
    let count = found.iter().map(|_| 1.0).sum::<f64>();
    let score = found.iter().map(|(divergence, _)| ramp(*divergence, far, near)).sum::<f64>() / count;
    let mean = found.iter().map(|(divergence, _)| divergence).sum::<f64>() / count;
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    Measure::from_score(score).with_value(mean).with_places(found.into_iter().flat_map(|(_, places)| places))
}

fn heard(manner: &SpeechStyle) -> (usize, EndingCounts) {
    let sure = manner.endings.iter().filter(|said| said.percent >= percent(SURE));
    let mut endings = EndingCounts::new();
    for said in sure.clone() {
        *endings.entry(said.value.clone()).or_default() += 1.0;
    }
    (sure.count(), endings)
}

/// Returns the ending classes of a sheet, from its listed endings and sample lines.
fn listed(member: &CastMember) -> Option<EndingCounts> {
    let own = own_endings(member);
    let samples = member.sample_lines.iter().filter_map(|line| SpeechEnding::of_sample(line, &own));
    let mut endings = EndingCounts::new();
    for ending in member.endings.iter().map(|ending| SpeechEnding::of_listed(ending)).chain(samples) {
        *endings.entry(ending).or_default() += 1.0;
    }
    (!endings.is_empty()).then_some(endings)
}

/// Returns the Jensen-Shannon divergence of two distributions to base 2, from 0 to 1.
fn divergence(one: &EndingCounts, other: &EndingCounts) -> f64 {
    let share =
        |endings: &EndingCounts, class| endings.get(class).copied().unwrap_or_default() / endings.values().sum::<f64>();
    let classes: BTreeSet<&SpeechEnding> = one.keys().chain(other.keys()).collect();
    let part = |own: f64, middle: f64| if own > 0.0 { own * (own / middle).log2() } else { 0.0 };
    let parts = classes.into_iter().map(|class| {
        let (one, other) = (share(one, class), share(other, class));
        let middle = f64::midpoint(one, other);
        f64::midpoint(part(one, middle), part(other, middle))
    });
    parts.sum()
}

#[cfg(test)]
mod tests {
    use super::{SpeechEnding, divergence};

    #[test]
    fn divergence_is_zero_for_equal_and_one_for_disjoint() {
        let of = |classes: &[(SpeechEnding, f64)]| classes.iter().cloned().collect();
        let polite = of(&[(SpeechEnding::Polite, 4.0)]);
        assert!(divergence(&polite, &of(&[(SpeechEnding::Polite, 9.0)])).abs() < 1e-9);
        assert!((divergence(&polite, &of(&[(SpeechEnding::Rough, 2.0)])) - 1.0).abs() < 1e-9);
        assert!(
            (divergence(&polite, &of(&[(SpeechEnding::Rough, 1.0), (SpeechEnding::Polite, 1.0)])) - 0.3113).abs()
                < 1e-3
        );
    }
}
