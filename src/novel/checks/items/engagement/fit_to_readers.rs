//! Item A31-067: the mean of two scores: words of the genre per 1,000 characters, full at `enough` (4); and the share
//! of lines that are speech, 1 within the genre's band and 0 at `margin` (0.2) outside it.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp, trapezoid},
    },
    lexicons::genre,
    text::DialogueRatio,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let genre = material.context().settings.genre.as_deref().and_then(genre);
    let spoken = DialogueRatio::count(material.manuscript()).by_lines();
    let Some((genre, spoken)) = genre.zip(spoken) else {
        return Measure::not_applicable();
    };
    let sentences = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    let places: Vec<_> = sentences
        .flat_map(|(at, _)| {
            let words = material.words_of(at);
            let hits = genre.lexicon.find(words).into_iter();
            hits.map(|hit| words[hit.words.start].source.start..words[hit.words.end - 1].source.end).collect::<Vec<_>>()
        })
        .collect();
    let rate = 1_000.0 * places.len() as f64 / material.characters().max(1) as f64;
    let [low, high] = genre.dialogue;
    let words = ramp(rate, 0.0, gauge.threshold("enough"));
    let dialogue = trapezoid(spoken, low, high, gauge.threshold("margin"));
    Measure::from_score(f64::midpoint(words, dialogue)).with_value(rate).with_places(places)
}
