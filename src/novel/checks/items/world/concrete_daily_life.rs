//! Item A31-055: words of clothing, food, dwelling and tools per 1,000 characters of narration and speech; full score
//! at `enough` (4).

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::SETTING,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let characters = material.characters();
    if characters == 0 {
        return Measure::not_applicable();
    }
    let life = &SETTING.daily_life;
    let kinds = [&life.clothing, &life.food, &life.dwelling, &life.tools];
    let mut places: [Vec<_>; 4] = Default::default();
    let sentences = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    for (at, _) in sentences {
        let words = material.words_of(at);
        for (kind, own) in kinds.iter().zip(&mut places) {
            own.extend(
                kind.find(words)
                    .into_iter()
                    .map(|hit| words[hit.words.start].source.start..words[hit.words.end - 1].source.end),
            );
        }
    }
    let count: usize = places.iter().map(Vec::len).sum();
    let rate = 1_000.0 * count as f64 / characters as f64;
    // The first places of each kind.
    let shown = places.into_iter().flat_map(|kind| kind.into_iter().take(2));
    Measure::from_score(ramp(rate, 0.0, gauge.threshold("enough"))).with_value(rate).with_places(shown)
}
