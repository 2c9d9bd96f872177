//! Item A31-014: the Jensen-Shannon divergence of a speaker's ending classes from those of the previous episode, else
//! from those of the sheet.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{
    Material,
    features::{Ending, Manner, Member, SURE, own_endings, percent},
    items::{Gauge, Measure, ramp},
};

/// The number of occurrences of each class of endings.
type Endings = BTreeMap<Ending, f64>;

pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let minimum = gauge.limit("minimum").max(1);
    let mut found: Vec<(f64, Vec<std::ops::Range<usize>>)> = Vec::new();
    for (at, member) in material.cast().members.iter().enumerate() {
        let manner = &material.manners().of[at];
        let (count, here) = heard(manner);
        let before = material.manners_before().map(|before| heard(&before.of[at]));
        let before = before.filter(|(count, _)| *count >= minimum).map(|(_, before)| before);
        let Some(right) = before.or_else(|| listed(member)).filter(|_| count >= minimum) else {
            continue;
        };
        let strange = manner.endings.iter().filter(|said| !right.contains_key(&said.what));
        let strange = strange.filter(|said| said.percent >= percent(SURE));
        let places = strange.map(|said| material.source_of(&said.visible)).collect();
        found.push((divergence(&here, &right), places));
    }
    if found.is_empty() {
        return Measure::not_applicable();
    }
    let (near, far) = (gauge.threshold("near"), gauge.threshold("far"));
    let count = found.iter().map(|_| 1.0).sum::<f64>();
    let score = found
        .iter()
        .map(|(divergence, _)| ramp(*divergence, far, near))
        .sum::<f64>()
        / count;
    let mean = found.iter().map(|(divergence, _)| divergence).sum::<f64>() / count;
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    Measure::of(score)
        .from(mean)
        .at(found.into_iter().flat_map(|(_, places)| places))
}

fn heard(manner: &Manner) -> (usize, Endings) {
    let sure = manner.endings.iter().filter(|said| said.percent >= percent(SURE));
    let mut endings = Endings::new();
    for said in sure.clone() {
        *endings.entry(said.what.clone()).or_default() += 1.0;
    }
    (sure.count(), endings)
}

/// Returns the ending classes of a sheet, from its listed endings and sample lines.
fn listed(member: &Member) -> Option<Endings> {
    let own = own_endings(member);
    let samples = member
        .sample_lines
        .iter()
        .filter_map(|line| Ending::of_sample(line, &own));
    let mut endings = Endings::new();
    for ending in member
        .endings
        .iter()
        .map(|ending| Ending::of_listed(ending))
        .chain(samples)
    {
        *endings.entry(ending).or_default() += 1.0;
    }
    (!endings.is_empty()).then_some(endings)
}

/// Returns the Jensen-Shannon divergence of two distributions to base 2, from 0 to 1.
fn divergence(one: &Endings, other: &Endings) -> f64 {
    let share =
        |endings: &Endings, class| endings.get(class).copied().unwrap_or_default() / endings.values().sum::<f64>();
    let classes: BTreeSet<&Ending> = one.keys().chain(other.keys()).collect();
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
    use super::{Ending, divergence};

    #[test]
    fn equal_distributions_are_near_and_disjoint_ones_far() {
        let of = |classes: &[(Ending, f64)]| classes.iter().cloned().collect();
        let polite = of(&[(Ending::Polite, 4.0)]);
        assert!(divergence(&polite, &of(&[(Ending::Polite, 9.0)])).abs() < 1e-9);
        assert!((divergence(&polite, &of(&[(Ending::Rough, 2.0)])) - 1.0).abs() < 1e-9);
        assert!((divergence(&polite, &of(&[(Ending::Rough, 1.0), (Ending::Polite, 1.0)])) - 0.3113).abs() < 1e-3);
    }
}
