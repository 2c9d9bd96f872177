//! Item A31-038: the mean over the scenes of the number of sentences at the beginning of each whose narration has a
//! word of place, nature or the senses, relative to `enough`.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure},
    },
    lexicons::SETTING,
    manuscript::TextVoice,
    morphology::{Morpheme, WordOrigin},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.is_empty() {
        return Measure::not_applicable();
    }
    let enough = gauge.threshold("enough");
    let mut places = Vec::new();
    let mut sum = 0.0;
    for scene in scenes {
        let heads = scene.heads(material, gauge.limit("head"));
        let narrated = heads.filter(|(at, _)| material.sentences()[*at].voice == TextVoice::Narration);
        let grounded: Vec<usize> =
            narrated.filter(|(at, words)| is_grounded(material, *at, words)).map(|(at, _)| at).collect();
        sum += (grounded.len() as f64 / enough).min(1.0);
        places.extend(grounded.first().map(|at| material.sentences()[*at].source()));
    }
    let mean = sum / scenes.len() as f64;
    Measure::from_score(mean).with_value(mean).with_places(places)
}

/// True if the words of a sentence, or its first ones, name a place, nature or a perception.
fn is_grounded(material: &CheckMaterial<'_>, at: usize, words: &[Morpheme<'_>]) -> bool {
    let sensed = material.sensory_words();
    let own = &sensed[sensed.partition_point(|word| word.sentence < at)..];
    let is_sensed = own.first().is_some_and(|word| word.sentence == at && word.words.end <= words.len());
    let is_own = |word: &Morpheme<'_>| word.origin == WordOrigin::Name && word.parts[2] == "地域";
    is_sensed
        || words.iter().any(is_own)
        || [&SETTING.place, &SETTING.nature].into_iter().any(|list| !list.find(words).is_empty())
}
