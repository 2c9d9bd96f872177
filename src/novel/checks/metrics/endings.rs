//! The endings of sentences of narration: the form of the last bunsetsu, and the last two characters before the closing
//! punctuation.
//!
//! A sentence is read from its end: punctuation is skipped, then final particles (よ, ね, か ...), and the word before
//! them decides. So 来なかった is past, since た comes last, and 行きました is past and polite.

use std::{collections::BTreeMap, ops::Range};

use super::{SentenceLengths, SentenceRows, share};
use crate::{checks::material::CheckMaterial, manuscript::is_kanji, morphology::Morpheme};

/// The number of characters of an ending.
const LENGTH: usize = 2;

/// The grammatical form in which a sentence ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndingClass {
    /// Past tense: 〜た, 〜ました.
    Past,
    /// Dictionary form of a verb or adjective: 〜る, 〜い.
    Present,
    /// Copula: 〜だ, 〜である.
    Copula,
    /// A noun, 体言止め.
    Noun,
    /// Negation: 〜ない, 〜ぬ, 〜ません.
    Negation,
    /// Conjecture: 〜う, 〜まい, 〜らしい, 〜ようだ, 〜かもしれない.
    Conjecture,
    /// A question: 〜か, or a question mark.
    Question,
    /// Polite present: 〜です, 〜ます.
    Polite,
    /// Anything else: a particle, an adverb, an imperative, a verb in a continuing form.
    Other,
}

impl EndingClass {
    /// Returns a typical ending of the class in Japanese.
    pub const fn sound(self) -> &'static str {
        match self {
            Self::Past => "た",
            Self::Present => "る",
            Self::Copula => "だ・である",
            Self::Noun => "体言止め",
            Self::Negation => "ない",
            Self::Conjecture => "だろう",
            Self::Question => "か",
            Self::Polite => "です・ます",
            Self::Other => "その他",
        }
    }
}

/// The ending of a sentence of narration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentenceEnding {
    /// The grammatical form.
    pub class: EndingClass,
    /// True if です or ます is in the ending, whatever its form.
    pub is_polite: bool,
    /// The last two characters before the closing punctuation; empty unless both are letters or digits.
    pub last_characters: String,
}

/// The endings of the sentences of narration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndingMetrics {
    pub of_sentences: Vec<SentenceEnding>,
    /// The share of each class that occurs.
    pub shares: BTreeMap<EndingClass, f64>,
    /// Runs of at least two consecutive sentences that end in the same two characters, as ranges of indices into
    /// [`SentenceLengths::sentences`].
    pub same_last_characters: Vec<Range<usize>>,
    /// Runs of at least two consecutive sentences with endings of the same class, other than [`EndingClass::Other`].
    pub same_class: Vec<Range<usize>>,
}

impl EndingMetrics {
    pub(super) fn from_material(material: &CheckMaterial<'_>, lengths: &SentenceLengths, rows: &SentenceRows) -> Self {
        let of_sentences: Vec<SentenceEnding> = lengths
            .sentences
            .iter()
            .map(|(at, _)| {
                let sentence = &material.sentences()[*at];
                ending(&sentence.text(material.manuscript()), material.words_of(*at))
            })
            .collect();
        let mut counts: BTreeMap<EndingClass, usize> = BTreeMap::new();
        for ending in &of_sentences {
            *counts.entry(ending.class).or_default() += 1;
        }
        let heard = |at: usize| &of_sentences[at].last_characters;
        let class = |at: usize| of_sentences[at].class;
        Self {
            shares: counts.into_iter().map(|(class, count)| (class, share(count, of_sentences.len()))).collect(),
            same_last_characters: rows.runs(2, |one, next| !heard(one).is_empty() && heard(one) == heard(next)),
            same_class: rows.runs(2, |one, next| class(one) != EndingClass::Other && class(one) == class(next)),
            of_sentences,
        }
    }

    /// Returns the share of a class; 0 if it does not occur.
    pub fn share(&self, class: EndingClass) -> f64 {
        self.shares.get(&class).copied().unwrap_or_default()
    }
}

fn ending(text: &str, words: &[Morpheme<'_>]) -> SentenceEnding {
    let spoken = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_asked = text[spoken.len()..].contains(['？', '?', '⁇', '⁈', '⁉']);
    let heard = spoken.char_indices().rev().nth(LENGTH - 1);
    let heard = heard.map_or("", |(at, _)| &spoken[at..]);
    let mut words = trimmed(words, |word| word.has_parts(&["記号"]));
    let mut is_question = is_asked;
    while let Some((last, before)) = words.split_last()
        && is_final_particle(last)
    {
        is_question |= matches!(last.surface, "か" | "かい" | "かしら");
        words = before;
    }
    let is_of = |word: &Morpheme<'_>, kinds: &[&str]| word.inflection.is_some_and(|own| kinds.contains(&own.kind));
    let verbal = words.iter().rev().take_while(|word| word.has_parts(&["助動詞"]));
    SentenceEnding {
        class: if is_question { EndingClass::Question } else { class(words) },
        is_polite: verbal.into_iter().any(|word| is_of(word, &["特殊・マス", "特殊・デス"])),
        last_characters: if heard.chars().all(char::is_alphanumeric) { heard.to_owned() } else { String::new() },
    }
}

fn trimmed<'w, 'a>(mut words: &'w [Morpheme<'a>], is_passed: impl Fn(&Morpheme<'a>) -> bool) -> &'w [Morpheme<'a>] {
    while let Some((last, before)) = words.split_last()
        && is_passed(last)
    {
        words = before;
    }
    words
}

fn is_final_particle(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助詞", "終助詞"]) || word.has_parts(&["助詞", "副助詞／並立助詞／終助詞"])
}

/// Returns the class of the words of a sentence, without final particles and punctuation.
fn class(words: &[Morpheme<'_>]) -> EndingClass {
    let Some((last, before)) = words.split_last() else {
        return EndingClass::Other;
    };
    let previous = before.last();
    let follows = |bases: &[&str]| previous.is_some_and(|word| bases.contains(&word.base));
    let is_guess = || previous.is_some_and(|word| word.parts[2] == "助動詞語幹" || word.base == "みたい");
    let is_plain = last.inflection.is_some_and(|own| own.form.contains("基本形"));
    match (last.parts[0], last.inflection.map_or("", |own| own.kind)) {
        ("助動詞", "特殊・タ") if is_plain => EndingClass::Past,
        ("助動詞", "特殊・ダ" | "特殊・デス") if is_plain && is_guess() => EndingClass::Conjecture,
        ("助動詞", "特殊・ダ") if is_plain => EndingClass::Copula,
        ("助動詞", "特殊・デス" | "特殊・マス") if is_plain => EndingClass::Polite,
        ("助動詞", "不変化型") if matches!(last.base, "う" | "よう" | "まい") => EndingClass::Conjecture,
        ("助動詞", "特殊・ヌ" | "不変化型") if matches!(last.base, "ぬ" | "ん" | "ず") => {
            EndingClass::Negation
        }
        ("助動詞", _) if last.base == "らしい" && is_plain => EndingClass::Conjecture,
        ("助動詞" | "形容詞", _) if last.base == "ない" && is_plain => {
            if follows(&["しれる", "知れる", "違い", "ちがい", "相違"]) {
                EndingClass::Conjecture
            } else {
                EndingClass::Negation
            }
        }
        ("助動詞" | "動詞", _) if last.base == "ある" && is_plain && previous.is_some_and(is_copula) => {
            EndingClass::Copula
        }
        ("助動詞" | "動詞" | "形容詞", _) if is_plain => EndingClass::Present,
        ("名詞", _) if is_noun(last) => inflected(last, previous).unwrap_or(EndingClass::Noun),
        _ => EndingClass::Other,
    }
}

/// True for the で of である.
fn is_copula(word: &Morpheme<'_>) -> bool {
    word.surface == "で" && word.has_parts(&["助動詞"])
}

/// True if a sentence that ends in this word ends in a noun; の, よう and the like do not count.
fn is_noun(word: &Morpheme<'_>) -> bool {
    word.parts[2] != "助動詞語幹"
        && !matches!(word.parts[1], "接続詞的" | "動詞非自立的" | "特殊")
        && !(word.parts[1] == "非自立" && matches!(word.surface, "の" | "ん"))
}

/// Returns the class of what the dictionary takes for a noun after a kanji but is the end of a verb or adjective:
/// 尾＋けた, 悪＋るい.
fn inflected(last: &Morpheme<'_>, previous: Option<&Morpheme<'_>>) -> Option<EndingClass> {
    let is_after_kanji = previous.is_some_and(|word| word.surface.ends_with(is_kanji));
    let is_kana = last.surface.chars().all(|c| ('ぁ'..='ゖ').contains(&c));
    let is_suffix = matches!(last.parts[1], "接尾" | "非自立" | "副詞可能") && last.parts[2] != "助数詞";
    let is_short = last.surface.chars().count() <= 2 && !is_suffix;
    match last.surface.chars().next_back()? {
        _ if !(is_after_kanji && is_kana && is_short) => None,
        'た' => Some(EndingClass::Past),
        'る' | 'い' | 'う' | 'く' | 'ぐ' | 'す' | 'つ' | 'む' => Some(EndingClass::Present),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::EndingClass;
    use crate::checks::metrics::tests::{is_near, measured};

    fn classes(text: &str) -> Vec<EndingClass> {
        let endings = measured(text).endings.of_sentences;
        endings.iter().map(|ending| ending.class).collect()
    }

    #[test]
    fn class_ignores_final_particles() {
        use EndingClass::{Conjecture, Copula, Negation, Noun, Other, Past, Polite, Present, Question};
        let text = "　雨が降った。雨が降る。空は暗い。これは本だ。吾輩は猫である。窓の外には海。誰も来ない。誰も来なかった。\
                    雨が降るだろう。雨が降るらしい。雨が降るようだ。雨かもしれない。誰もいるまい。誰が来るのか。来たのは誰？\
                    本です。雨が降ります。誰も来ません。雨が降りました。駅へ。雨が降ったよ。本を読んだ。金がない。知らぬ。\
                    男のあとを尾けた。雨に相違ない。";
        let expected = [
            Past, Present, Present, Copula, Copula, Noun, Negation, Past, Conjecture, Conjecture, Conjecture,
            Conjecture, Conjecture, Question, Question, Polite, Polite, Negation, Past, Other, Past, Past, Negation,
            Negation, Past, Conjecture,
        ];
        assert_eq!(classes(text), expected);
    }

    #[test]
    fn runs_of_equal_endings_and_classes_are_found() {
        let endings = measured("　犬がいた。猫がいた……。鳥は鳴いた。魚が跳ねた。夜。\n「おや」\n　見た。").endings;
        let heard: Vec<&str> = endings.of_sentences.iter().map(|ending| ending.last_characters.as_str()).collect();
        assert_eq!(heard, ["いた", "いた", "いた", "ねた", "", "見た"]);
        let runs = [endings.same_last_characters.clone(), endings.same_class.clone()].concat();
        assert_eq!(runs, vec![0..3, 0..4]);
        assert!(is_near(endings.share(EndingClass::Past), 5.0 / 6.0));
        assert!(is_near(endings.share(EndingClass::Noun), 1.0 / 6.0));
    }

    #[test]
    fn politeness_is_independent_of_class() {
        let endings = measured("　雨が降りました。誰も来ません。雨が降るでしょう。雨だった。").endings;
        let polite: Vec<bool> = endings.of_sentences.iter().map(|ending| ending.is_polite).collect();
        assert_eq!(polite, [true, true, true, false]);
    }
}
