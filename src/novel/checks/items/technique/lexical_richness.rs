//! Item A31-046: the moving-average type-token ratio of the content words, scaled from `poor` to `enough`.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
        metrics::variety,
    },
    morphology::{Morpheme, WordOrigin},
};

/// Words equally frequent in every text, which say nothing about its vocabulary.
const COMMON: [&str; 18] = [
    "する",
    "ある",
    "有る",
    "いる",
    "居る",
    "なる",
    "成る",
    "言う",
    "いう",
    "云う",
    "思う",
    "やる",
    "できる",
    "出来る",
    "ない",
    "無い",
    "くる",
    "いく",
];

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let window = gauge.limit("window");
    let sentences = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    let words = sentences.flat_map(|(at, _)| material.words_of(at)).filter(|word| is_counted(word));
    let words: Vec<&str> = words.map(|word| word.base).collect();
    match variety(&words, window) {
        Some(variety) if words.len() >= window => {
            Measure::from_score(ramp(variety, gauge.threshold("poor"), gauge.threshold("enough"))).with_value(variety)
        }
        _ => Measure::not_applicable(),
    }
}

fn is_counted(word: &Morpheme<'_>) -> bool {
    word.is_content() && word.origin != WordOrigin::Name && !COMMON.contains(&word.base)
}
