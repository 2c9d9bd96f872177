//! Item A31-012: the rate of words of feeling and of summing up in the narration of the ending, relative to the rest: 1
//! up to `even` times that rate, 0 at `most` times.

use crate::{
    checks::{
        CheckMaterial,
        features::is_outside_speech,
        items::{ItemThresholds, Measure, per_thousand, ramp},
    },
    manuscript::TextVoice,
};

/// Verbs that sum up a conclusion.
const SUMMING: [&str; 8] = ["思う", "想う", "感じる", "悟る", "気づく", "気付く", "気がつく", "気が付く"];

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of a text are small")]
pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let sentences = material.sentences().iter().enumerate();
    let story: Vec<(usize, usize, TextVoice)> = sentences
        .filter(|(_, sentence)| sentence.is_story())
        .map(|(at, sentence)| (at, sentence.counts(material.manuscript()).characters, sentence.voice))
        .collect();
    let told: usize = story.iter().filter(|(_, _, voice)| is_outside_speech(*voice)).map(|(_, count, _)| count).sum();
    if told < gauge.limit("minimum") {
        return Measure::not_applicable();
    }
    let all: usize = story.iter().map(|(_, count, _)| count).sum();
    let share = (all as f64 * gauge.threshold("ending")).ceil() as usize;
    let (mut wanted, mut from) = (share.max(gauge.limit("shortest_ending")), story.len());
    while wanted > 0 && from > 0 {
        from -= 1;
        wanted = wanted.saturating_sub(story[from].1);
    }
    let count = |part: &[(usize, usize, TextVoice)]| {
        let told = part.iter().filter(|(_, _, voice)| is_outside_speech(*voice));
        let (mut characters, mut places) = (0, Vec::new());
        for (at, count, _) in told {
            characters += count;
            let feelings = material.feelings().named_in(&(*at..at + 1)).iter();
            places.extend(feelings.map(|feeling| feeling.visible.clone()));
            let words = material.words_of(*at).iter();
            let summing = words.filter(|word| word.parts[0] == "動詞" && SUMMING.contains(&word.base));
            places.extend(summing.map(|word| word.visible.clone()));
        }
        (per_thousand(places.len(), characters), places)
    };
    let (rest, ending) = (count(&story[..from]), count(&story[from..]));
    let places = ending.1.iter().map(|visible| material.source_of(visible));
    let score = if ending.1.len() <= gauge.limit("free") {
        1.0
    } else if rest.0 == 0.0 {
        0.0
    } else {
        ramp(ending.0 / rest.0, gauge.threshold("most"), gauge.threshold("even"))
    };
    let times = if rest.0 == 0.0 { ending.0 } else { ending.0 / rest.0 };
    Measure::from_score(score).with_value(times).with_places(places)
}
