//! Phrases of narration that recur in many episodes: gestures and expressions that a reader of the whole novel knows by
//! heart.
//!
//! A phrase begins and ends with a word that carries meaning and has a verb or an adjective. Those with a part of the body,
//! and listed clichés, are worn when they recur; other phrases may be what the story is about, so only long ones are
//! reported, as information. Names are part of no phrase.

use std::collections::HashMap;

use fumi_base::text::BilingualText;

use super::{BookEpisode, BookFindingKind, FoundInBook, Occurrences, SourcePlace};
use crate::{
    checks::{Severity, features::is_characteristic, narration_stretches},
    lexicons::{BODY, BOOK, cliches::CLICHES},
    morphology::{Morpheme, WordOrigin},
};

/// The largest number of words of a phrase.
const LONGEST: usize = 6;

/// The largest number of words of a gesture: 肩を小さくすくめる.
const GESTURE: usize = 4;

/// The number of meaningful words from which any phrase is reported.
const LONG: usize = 3;

/// The least numbers of occurrences and of episodes of a phrase.
const LEAST: usize = 5;
const EPISODES: usize = 3;

/// The numbers of characters per occurrence up to which a phrase is reported, and up to which it counts as worn: about two
/// episodes, and about one.
const HABIT: usize = 10_000;
const WORN: usize = 5_000;

/// The maximum number of phrases that are kept while episodes are read.
const PHRASES: usize = 300_000;

/// The number of episodes after which a phrase that occurred once may be forgotten.
const REMEMBERED: u32 = 10;

/// The sign between the words of a phrase.
const BETWEEN: char = '\u{1f}';

#[derive(Debug)]
struct Phrase {
    seen: Occurrences,
    /// The text of the first occurrence, in the base form.
    text: String,
    /// True for a gesture or a listed cliché.
    is_stock: bool,
}

/// The phrases of a novel, by the base forms of their words.
#[derive(Debug, Default)]
pub(super) struct WornPhraseCheck {
    phrases: HashMap<String, Phrase>,
}

impl WornPhraseCheck {
    pub(super) fn read(&mut self, episode: &BookEpisode<'_, '_>, focus: Option<u32>) {
        for words in narration_stretches(episode.material) {
            for at in 0..words.len() {
                self.phrases_at(episode, words, at, focus);
            }
        }
        if self.phrases.len() > PHRASES {
            let old = episode.number.saturating_sub(REMEMBERED);
            self.phrases.retain(|_, phrase| phrase.seen.count > 1 || phrase.seen.last_episode > old);
        }
        if self.phrases.len() > PHRASES {
            self.phrases.retain(|_, phrase| phrase.seen.count > 1);
        }
    }

    /// Adds the phrases that begin at a word.
    fn phrases_at(&mut self, episode: &BookEpisode<'_, '_>, words: &[Morpheme<'_>], at: usize, focus: Option<u32>) {
        if !is_meaningful(&words[at]) {
            return;
        }
        let is_body = BODY.nouns.at(words, at).is_some();
        let listed = BODY.reactions.at(words, at).or_else(|| CLICHES.at(words, at)).map(|hit| hit.words.end);
        let (mut meaningful, mut acts) = (0, false);
        for end in at + 1..=words.len().min(at + LONGEST) {
            let last = &words[end - 1];
            let is_name = last.origin == WordOrigin::Name || last.has_parts(&["名詞", "固有名詞"]);
            if is_name || last.has_parts(&["記号"]) || last.has_parts(&["名詞", "数"]) {
                return;
            }
            if !is_meaningful(last) {
                continue;
            }
            meaningful += 1;
            acts |= last.inflection.is_some();
            let is_gesture =
                is_body && last.has_parts(&["動詞"]) && is_characteristic(last.base) && end - at <= GESTURE;
            let is_stock = is_gesture || listed == Some(end);
            if end < at + 2 || meaningful < 2 || !acts || !(is_stock || meaningful >= LONG) {
                continue;
            }
            let mut key = String::new();
            for word in &words[at..end] {
                key.push_str(word.base);
                key.push(BETWEEN);
            }
            let place = SourcePlace::new(episode.number, &(words[at].source.start..last.source.end));
            if !self.phrases.contains_key(&key) && self.phrases.len() >= PHRASES * 2 {
                continue;
            }
            let text = || episode.material.text()[words[at].visible.start..last.visible.start].to_owned() + last.base;
            let new = || Phrase { seen: Occurrences::default(), text: text(), is_stock };
            self.phrases.entry(key).or_insert_with(new).seen.add(place, focus);
        }
    }

    /// Returns the phrases that recur, for the number of characters of the novel.
    pub(super) fn findings(self, characters: usize) -> Vec<FoundInBook> {
        let (habit, worn) = (LEAST.max(characters / HABIT), (LEAST + 1).max(characters / WORN));
        let recurs = |phrase: &Phrase| phrase.seen.count >= habit && phrase.seen.episodes >= EPISODES;
        let mut often: Vec<(String, Phrase)> = self.phrases.into_iter().filter(|(_, phrase)| recurs(phrase)).collect();
        // The longest first, so that its parts can be left out.
        often.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        let mut kept: Vec<(String, Phrase)> = Vec::new();
        for (key, phrase) in often {
            let is_part = |(longer, whole): &(String, Phrase)| {
                (longer.starts_with(&key) || longer.contains(&format!("{BETWEEN}{key}")))
                    && phrase.seen.count <= whole.seen.count + whole.seen.count / 2
            };
            if !kept.iter().any(is_part) {
                kept.push((key, phrase));
            }
        }
        let found = kept.into_iter().map(|(_, phrase)| {
            let Phrase { seen, text, is_stock } = phrase;
            let severity = match (is_stock, seen.count >= worn) {
                (true, true) => Severity::Medium,
                (true, false) => Severity::Low,
                (false, _) => Severity::Info,
            };
            FoundInBook {
                kind: BookFindingKind::WornPhrase,
                severity,
                message: BilingualText::new(
                    format!("「{text}」 recurs {} times in {} episodes.", seen.count, seen.episodes),
                    format!("「{text}」が{}話で{}回使われています。", seen.episodes, seen.count),
                ),
                seen,
            }
        });
        found.collect()
    }
}

/// True if a word carries meaning beyond grammar.
fn is_meaningful(word: &Morpheme<'_>) -> bool {
    word.is_content() && !BOOK.is_light(word.base)
}
