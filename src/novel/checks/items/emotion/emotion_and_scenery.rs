//! Item A31-011: the share of emotional peaks with nature, light or sound in the narration within `window` sentences,
//! full score at `enough`.

use crate::{
    checks::{
        CheckMaterial,
        features::is_outside_speech,
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::{SENSES, SETTING},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let (peak, window) = (gauge.threshold("peak"), gauge.limit("window"));
    let lists = [&SETTING.nature, &SENSES.sight, &SENSES.hearing];
    let has_scenery = |at: usize| {
        let words = material.words_of(at);
        lists.iter().any(|list| (0..words.len()).any(|word| list.at(words, word).is_some()))
    };
    // The indices of the story's sentences, and before each the number of sentences with scenery.
    let sentences = material.sentences().iter().enumerate();
    let story: Vec<usize> = sentences.filter(|(_, sentence)| sentence.is_story()).map(|(at, _)| at).collect();
    let mut scenery = vec![0_usize];
    for at in &story {
        let is_told = is_outside_speech(material.sentences()[*at].voice);
        scenery.push(scenery[scenery.len() - 1] + usize::from(is_told && has_scenery(*at)));
    }
    let (mut peaks, mut answered) = (Vec::new(), 0_usize);
    for (place, at) in story.iter().enumerate() {
        if material.feelings().strength_in(&(*at..at + 1)) < peak {
            continue;
        }
        let near = place.saturating_sub(window)..(place + window + 1).min(story.len());
        answered += usize::from(scenery[near.end] > scenery[near.start]);
        peaks.push(material.sentences()[*at].source());
    }
    if peaks.is_empty() {
        return Measure::not_applicable();
    }
    let share = answered as f64 / peaks.len() as f64;
    Measure::from_score(ramp(share, 0.0, gauge.threshold("enough"))).with_value(share).with_places(peaks)
}
