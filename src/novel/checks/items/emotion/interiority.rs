//! Item A31-007: the share of thoughts, and of narration with a verb of thought, among all sentences outside speech: 1
//! from `few` to `many`, 0 at none and at `most`.

use crate::{
    checks::{
        CheckMaterial,
        features::is_outside_speech,
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::VERBS,
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let sentences = material.sentences().iter().enumerate();
    let told = sentences.filter(|(_, sentence)| sentence.is_story() && is_outside_speech(sentence.voice));
    let (mut all, mut inner) = (0_usize, Vec::new());
    for (at, sentence) in told {
        all += 1;
        let words = material.words_of(at);
        let thinks =
            |hit: &crate::lexicons::PhraseHit| words[hit.words.clone()].iter().any(|word| word.parts[0] == "動詞");
        if sentence.voice == TextVoice::Thought || VERBS.thought.find(words).iter().any(thinks) {
            inner.push(sentence.source());
        }
    }
    if all < gauge.limit("minimum").max(1) {
        return Measure::not_applicable();
    }
    let share = inner.len() as f64 / all as f64;
    let (few, many) = (gauge.threshold("few"), gauge.threshold("many"));
    let score = ramp(share, 0.0, few).min(ramp(share, gauge.threshold("most"), many));
    Measure::from_score(score).with_value(share).with_places(inner)
}
