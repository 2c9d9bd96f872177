//! The tension of a section, from its sentences only: share of speech, sentence length, share of verbs, exclamation and
//! question marks.
//!
//! It is the mean of four numbers from 0 to 1 (novel-checks 2.3; the ranges are those of the page of `tempo`). It
//! measures sentences, not events: a quiet paragraph that readers dread counts as slow.

use super::StorySegment;
use crate::{
    checks::{items::ramp, material::CheckMaterial},
    manuscript::{CharacterCounts, TextVoice},
};

/// The share of speech at which a section is all dialogue.
const SPOKEN: f64 = 0.6;
/// The mean sentence lengths of slow and of quick sections, in characters.
const LENGTHS: (f64, f64) = (45.0, 15.0);
/// The shares of verbs among the words of slow and of quick sections.
const VERBS: (f64, f64) = (0.08, 0.18);
/// The number of ！ and ？ per sentence in a loud section.
const LOUD: f64 = 0.3;

/// The tension of a section and parts of its measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tension {
    /// The tension, from 0 to 1.
    pub value: f64,
    /// The share of speech among the characters.
    pub spoken: f64,
    /// The mean sentence length, in characters.
    pub sentence_length: f64,
}

/// Measures a section of the story.
pub fn tension(material: &CheckMaterial<'_>, section: &StorySegment) -> Tension {
    tension_of(material, section.sentences(material))
}

/// Measures the sentences with these indices.
pub fn tension_of(material: &CheckMaterial<'_>, range: impl IntoIterator<Item = usize>) -> Tension {
    let manuscript = material.manuscript();
    let (mut spoken, mut all, mut sentences) = (0, 0, 0_usize);
    let (mut verbs, mut words, mut marks) = (0_usize, 0_usize, 0_usize);
    for at in range {
        let sentence = &material.sentences()[at];
        let text = sentence.text(manuscript);
        let characters = CharacterCounts::count(&text).characters;
        if characters == 0 {
            continue;
        }
        sentences += 1;
        all += characters;
        if sentence.voice == TextVoice::Dialogue {
            spoken += characters;
        }
        marks += text.chars().filter(|c| matches!(c, '！' | '？' | '!' | '?' | '‼' | '⁉')).count();
        for word in material.words_of(at) {
            words += usize::from(!word.has_parts(&["記号"]));
            verbs += usize::from(word.has_parts(&["動詞", "自立"]));
        }
    }
    if sentences == 0 {
        return Tension::default();
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let (spoken, length) = (share(spoken, all), share(all, sentences));
    let parts = [
        ramp(spoken, 0.0, SPOKEN),
        ramp(length, LENGTHS.0, LENGTHS.1),
        ramp(share(verbs, words), VERBS.0, VERBS.1),
        ramp(share(marks, sentences), 0.0, LOUD),
    ];
    Tension { value: parts.iter().sum::<f64>() / 4.0, spoken, sentence_length: length }
}
