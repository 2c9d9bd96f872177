//! Feelings in a text: words that name a feeling, and bodily reactions that show one.
//!
//! A reaction is a listed phrase (唇を噛む), or a noun of the body with a verb of reaction a few words after it. A word
//! of feeling within a phrase counts as part of the phrase. The person who feels it, and whether it fits, are not
//! determined.

use std::ops::Range;

use crate::{
    checks::material::CheckMaterial,
    lexicons::{BODY, EMOTION, PhraseHit},
    manuscript::TextVoice,
    morphology::Morpheme,
};

/// The maximum number of words from a noun of the body to its verb (novel-checks 2.5, A31-003).
pub const REACH: usize = 5;

/// The maximum distance of the pairs that are recorded.
const FARTHEST: usize = 20;

/// A word that names a feeling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeling {
    /// The index of the sentence in the text.
    pub sentence: usize,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    /// The index of the word in [`EMOTION`].
    pub entry: usize,
    /// The valence, from -2 (unpleasant) to 2 (pleasant).
    pub valence: i8,
    /// True if the feeling is negated: 嬉しくない.
    pub is_negated: bool,
}

/// A bodily reaction that shows a feeling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// The index of the sentence in the text.
    pub sentence: usize,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    /// The noun and the verb, by their base forms.
    pub gesture: (String, String),
    /// The distance from the noun to the verb in words; 0 for a listed phrase.
    pub distance: usize,
}

/// The feelings in the story of a text, in its order.
#[derive(Clone, Debug, Default)]
pub struct Feelings {
    /// The feelings that are named.
    pub named: Vec<Feeling>,
    /// The reactions, including pairs that are farther apart than [`REACH`].
    pub shown: Vec<Reaction>,
}

impl Feeling {
    /// Returns the strength of the feeling, 1 or 2.
    pub fn strength(&self) -> u8 {
        self.valence.unsigned_abs().max(1)
    }
}

impl Feelings {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut feelings = Self::default();
        for (at, sentence) in material.sentences().iter().enumerate() {
            if sentence.is_story() {
                feelings.sentence(at, material.words_of(at));
            }
        }
        feelings
    }

    /// Returns the named feelings in a range of sentences.
    pub fn named_in(&self, sentences: &Range<usize>) -> &[Feeling] {
        let place = |at: usize| self.named.partition_point(|feeling| feeling.sentence < at);
        &self.named[place(sentences.start)..place(sentences.end)]
    }

    /// Iterates over the reactions in a range of sentences whose distance is at most [`REACH`].
    pub fn shown_in(&self, sentences: &Range<usize>) -> impl Iterator<Item = &Reaction> {
        let place = |at: usize| self.shown.partition_point(|reaction| reaction.sentence < at);
        let within = &self.shown[place(sentences.start)..place(sentences.end)];
        within.iter().filter(|reaction| reaction.distance <= REACH)
    }

    /// Returns the total strength in a range of sentences: 1 or 2 for each named feeling, 1 for each reaction.
    pub fn strength_in(&self, sentences: &Range<usize>) -> f64 {
        let told: f64 = self.named_in(sentences).iter().map(|feeling| f64::from(feeling.strength())).sum();
        told + self.shown_in(sentences).map(|_| 1.0).sum::<f64>()
    }

    /// Returns the mean valence of the named feelings in a range of sentences, without negated ones; `None` without
    /// such feelings.
    pub fn valence_in(&self, sentences: &Range<usize>) -> Option<f64> {
        let meant = self.named_in(sentences).iter().filter(|feeling| !feeling.is_negated);
        let (sum, count) =
            meant.fold((0.0, 0.0), |(sum, count), feeling| (sum + f64::from(feeling.valence), count + 1.0));
        (count > 0.0).then(|| sum / count)
    }

    fn sentence(&mut self, sentence: usize, words: &[Morpheme<'_>]) {
        let phrases = BODY.reactions.find(words);
        let is_free = |hit: &PhraseHit| {
            let after = phrases.partition_point(|phrase| phrase.words.end <= hit.words.start);
            phrases.get(after).is_none_or(|phrase| hit.words.end <= phrase.words.start)
        };
        let before = self.shown.len();
        for hit in &phrases {
            self.shown.push(Reaction {
                sentence,
                visible: visible(words, &hit.words),
                gesture: gesture(&words[hit.words.clone()]),
                distance: 0,
            });
        }
        let nouns = BODY.nouns.find(words).into_iter().filter(|hit| is_free(hit));
        let nouns: Vec<PhraseHit> = nouns.filter(|hit| words[hit.words.end - 1].parts[0] == "名詞").collect();
        for verb in BODY.reaction_verbs.find(words).into_iter().filter(|hit| is_free(hit)) {
            // Takes the nearest noun: in 手を握り、声が震えた the voice trembles.
            let before = nouns.partition_point(|noun| noun.words.end <= verb.words.start);
            let Some(noun) = before.checked_sub(1).map(|at| &nouns[at]) else {
                continue;
            };
            let distance = verb.words.start + 1 - noun.words.end;
            if distance <= FARTHEST {
                let base = |hit: &PhraseHit| words[hit.words.end - 1].base.to_owned();
                self.shown.push(Reaction {
                    sentence,
                    visible: visible(words, &(noun.words.start..verb.words.end)),
                    gesture: (base(noun), words[verb.words.start].base.to_owned()),
                    distance,
                });
            }
        }
        self.shown[before..].sort_by_key(|reaction| reaction.visible.start);
        for hit in EMOTION.words.find(words).into_iter().filter(|hit| is_free(hit)) {
            self.named.push(Feeling {
                sentence,
                visible: visible(words, &hit.words),
                entry: hit.entry,
                valence: EMOTION.valence(hit.entry),
                is_negated: is_negated(&words[hit.words.end..]),
            });
        }
    }
}

/// True for narration and thoughts, false for speech.
pub fn is_outside_speech(voice: TextVoice) -> bool {
    voice != TextVoice::Dialogue
}

fn visible(words: &[Morpheme<'_>], range: &Range<usize>) -> Range<usize> {
    words[range.start].visible.start..words[range.end - 1].visible.end
}

/// Returns the noun and the verb of a phrase.
fn gesture(words: &[Morpheme<'_>]) -> (String, String) {
    let base = |word: Option<&Morpheme<'_>>| word.map_or("", |word| word.base).to_owned();
    let noun = words.iter().find(|word| word.parts[0] == "名詞");
    let verb = words.iter().rev().find(|word| matches!(word.parts[0], "動詞" | "形容詞"));
    (base(noun), base(verb.or(words.last())))
}

/// True if the following words negate a feeling: 嬉しくない, 嬉しいわけではない, 心配せず. Any other verb ends the
/// search (嬉しくてたまらない).
fn is_negated(following: &[Morpheme<'_>]) -> bool {
    for word in following.iter().take(6) {
        if matches!(word.base, "ない" | "無い" | "ぬ" | "ん" | "まい") && matches!(word.parts[0], "助動詞" | "形容詞")
        {
            return true;
        }
        let goes_on = matches!(word.parts[0], "助詞" | "助動詞")
            || word.has_parts(&["名詞", "非自立"])
            || word.has_parts(&["名詞", "接尾"])
            || matches!(word.base, "する" | "できる" | "出来る" | "いる" | "要る" | "がる");
        if !goes_on {
            return false;
        }
    }
    false
}
