//! Item A31-015: the share of lines that a naive Bayes classifier over pairs of characters attributes to the right
//! speaker, above chance.

use std::collections::{BTreeMap, HashMap};

use crate::checks::{
    CheckMaterial,
    features::{Person, SURE, SpeechLine},
    items::{ItemThresholds, Measure, ramp},
};
use crate::morphology::WordOrigin;

/// A pair of adjacent characters; `None` is the end of a sentence.
type Pair = (char, Option<char>);

/// The counts of character pairs in the lines of one speaker.
#[derive(Default)]
struct SpeakerModel {
    pairs: HashMap<Pair, f64>,
    all: f64,
}

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let mut lines: BTreeMap<&Person, Vec<(&SpeechLine, Vec<Pair>)>> = BTreeMap::new();
    for line in &material.speakers().lines {
        let Some(person) = line.speaker(SURE).filter(|person| **person != Person::Somebody) else {
            continue;
        };
        let pairs = pairs(material, line);
        if !pairs.is_empty() {
            lines.entry(person).or_default().push((line, pairs));
        }
    }
    lines.retain(|_, lines| lines.len() >= gauge.limit("minimum").max(1));
    if lines.len() < 2 {
        return Measure::not_applicable();
    }
    let lines: Vec<Vec<(&SpeechLine, Vec<Pair>)>> = lines.into_values().collect();
    let voices: Vec<SpeakerModel> = lines.iter().map(|lines| SpeakerModel::from_lines(lines)).collect();
    let kinds: std::collections::HashSet<&Pair> = voices.iter().flat_map(|voice| voice.pairs.keys()).collect();
    let kinds = kinds.len() as f64;
    let (mut all, mut right, mut wrong) = (0.0, 0.0, Vec::new());
    for (speaker, lines) in lines.iter().enumerate() {
        for (line, pairs) in lines {
            let own = SpeakerModel::from_lines(&[(*line, pairs.clone())]);
            let score = |voice: usize| voices[voice].likelihood(pairs, kinds, (voice == speaker).then_some(&own));
            // A line equally likely for two speakers counts as wrong.
            let others = (0..voices.len()).filter(|voice| *voice != speaker).map(score);
            all += 1.0;
            if others.fold(f64::NEG_INFINITY, f64::max) < score(speaker) {
                right += 1.0;
            } else {
                wrong.push(material.source_of(&line.visible));
            }
        }
    }
    let above = right / all - 1.0 / voices.len() as f64;
    Measure::from_score(ramp(above, 0.0, gauge.threshold("above_chance"))).with_value(above).with_places(wrong)
}

/// Returns the character pairs of a line, without punctuation and names.
fn pairs(material: &CheckMaterial<'_>, line: &SpeechLine) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for words in line.own_words(material) {
        let heard = words.iter().filter(|word| word.parts[0] != "記号" && word.origin != WordOrigin::Name);
        let text: Vec<char> = heard.flat_map(|word| word.surface.chars()).filter(|c| c.is_alphanumeric()).collect();
        pairs.extend(text.iter().enumerate().map(|(at, c)| (*c, text.get(at + 1).copied())));
    }
    pairs
}

impl SpeakerModel {
    fn from_lines(lines: &[(&SpeechLine, Vec<Pair>)]) -> Self {
        let mut voice = Self::default();
        for pair in lines.iter().flat_map(|(_, pairs)| pairs) {
            *voice.pairs.entry(*pair).or_default() += 1.0;
            voice.all += 1.0;
        }
        voice
    }

    /// Returns the log-likelihood of a line, optionally after removing the line itself from the counts.
    fn likelihood(&self, pairs: &[Pair], kinds: f64, without: Option<&Self>) -> f64 {
        let less = |pair: &Pair| without.and_then(|own| own.pairs.get(pair)).copied().unwrap_or_default();
        let all = self.all - without.map_or(0.0, |own| own.all) + kinds;
        let count = |pair: &Pair| self.pairs.get(pair).copied().unwrap_or_default() - less(pair) + 1.0;
        pairs.iter().map(|pair| (count(pair) / all).ln()).sum()
    }
}
