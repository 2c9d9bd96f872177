//! The ending of a sentence of speech: polite, old, rough, soft, plain, or peculiar to one character.
//!
//! A sentence without a predicate (はい, ……, a bare noun) has no ending. The classes are those of the page of
//! `speech_style_consistency`.

use crate::morphology::{Ipadic, Morpheme, Morphology};

/// A class of sentence endings in speech.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpeechEnding {
    /// Polite endings: です, ます, ください.
    Polite,
    /// Old people's endings: じゃ, のう, わい, ぬ.
    Old,
    /// Rough endings: ぞ, ぜ, ねえ, やがる.
    Rough,
    /// Soft endings: わ, のよ, かしら.
    Soft,
    /// All other predicates.
    Plain,
    /// An ending listed in the settings that belongs to no class.
    Own(String),
}

const OLD: [&str; 13] = [
    "じゃ",
    "じゃな",
    "じゃよ",
    "じゃぞ",
    "じゃのう",
    "じゃろ",
    "じゃろう",
    "じゃわい",
    "のう",
    "のぉ",
    "わい",
    "わいの",
    "わいな",
];
const SOFT: [&str; 14] = [
    "わ",
    "わよ",
    "わね",
    "わねえ",
    "わねぇ",
    "わよね",
    "のよ",
    "のよね",
    "のね",
    "のねえ",
    "かしら",
    "かしらね",
    "かしらねえ",
    "のよねえ",
];
const ROUGH: [&str; 5] = ["ぞ", "ぜ", "ねえ", "ねぇ", "やがる"];
/// Endings in which ねえ follows a particle and is not a rough ない.
const CALLING: [&str; 9] = ["わねえ", "よねえ", "のねえ", "だねえ", "すねえ", "かねえ", "わねぇ", "よねぇ", "だねぇ"];
const POLITE: [&str; 8] = ["です", "ます", "でした", "ました", "ません", "でしょう", "ましょう", "ください"];
/// Endings common to all speakers, without particles.
const PLAIN: [&str; 36] = [
    "",
    "だ",
    "だろう",
    "だろ",
    "だった",
    "た",
    "ない",
    "なかった",
    "る",
    "う",
    "い",
    "く",
    "す",
    "つ",
    "む",
    "ぐ",
    "ぶ",
    "のだ",
    "んだ",
    "の",
    "ん",
    "もの",
    "もん",
    "じゃない",
    "じゃん",
    "ろ",
    "れ",
    "け",
    "けど",
    "から",
    "し",
    "って",
    "て",
    "たい",
    "てる",
    "やがった",
];
const PARTICLES: [&str; 10] = ["よ", "ね", "ねえ", "な", "なあ", "さ", "か", "の", "わけ", "は"];

impl SpeechEnding {
    /// Classifies an ending that the settings list.
    pub fn of_listed(ending: &str) -> Self {
        let ending = ending.trim_matches(|c: char| !c.is_alphanumeric());
        let polite = POLITE.iter().any(|polite| without_particles(ending, |rest| rest.ends_with(polite)));
        if ends(ending, &OLD) || ending.ends_with('ぬ') {
            Self::Old
        } else if polite {
            Self::Polite
        } else if is_rough(ending) || ending.ends_with("やがった") {
            Self::Rough
        } else if ends(ending, &SOFT) {
            Self::Soft
        } else if without_particles(ending, |rest| PLAIN.contains(&rest)) {
            Self::Plain
        } else {
            Self::Own(ending.to_owned())
        }
    }

    /// Classifies the ending of a sentence, given its words and the speaker's own endings. Returns `None` if it has no
    /// predicate.
    pub fn from_words(words: &[&Morpheme<'_>], own: &[Self]) -> Option<Self> {
        let words: Vec<&Morpheme<'_>> = words.iter().filter(|word| is_word(word)).copied().collect();
        let last = &words[words.len().saturating_sub(LAST)..];
        let text: String = last.iter().map(|word| word.surface).collect();
        let is_own = |ending: &&Self| matches!(ending, Self::Own(own) if text.ends_with(own.as_str()));
        if let Some(own) = own.iter().find(is_own) {
            return Some(own.clone());
        }
        // The last content word and the words after it.
        let head = last.iter().rposition(|word| is_head(word)).unwrap_or(0);
        let tail = last.get(head..)?;
        let is_predicate = tail.iter().any(|word| matches!(word.parts[0], "動詞" | "形容詞" | "助動詞"))
            || tail.first().is_some_and(|word| word.has_parts(&["名詞", "非自立"])) && head > 0;
        if !is_predicate {
            return None;
        }
        let has = |bases: &[&str]| tail.iter().any(|word| bases.contains(&word.base));
        let is_old = ends(&text, &OLD) || has_final(tail, "ぬ");
        Some(if is_old {
            Self::Old
        } else if has(&["です", "ます", "くださる", "下さる"]) {
            Self::Polite
        } else if is_rough(&text) && !is_calling_particle(tail) || has(&["やがる"]) {
            Self::Rough
        } else if ends(&text, &SOFT) {
            Self::Soft
        } else {
            Self::Plain
        })
    }

    /// Classifies the ending of a sample line of the settings.
    pub fn of_sample(line: &str, own: &[Self]) -> Option<Self> {
        let line = line.trim_end_matches(|c: char| !c.is_alphanumeric());
        let sentence = line.rsplit(['。', '！', '？', '!', '?']).next()?;
        let mut words = Vec::new();
        Ipadic::shared().reader().read(sentence, &mut words);
        let words: Vec<Morpheme<'_>> = words
            .iter()
            .map(|word| {
                let surface = &sentence[word.range.clone()];
                Morpheme {
                    sentence: 0,
                    visible: word.range.clone(),
                    source: word.range.clone(),
                    surface,
                    base: word.entry.base.unwrap_or(surface),
                    reading: word.entry.reading,
                    parts: word.entry.parts,
                    inflection: word.entry.inflection,
                    origin: word.entry.origin,
                }
            })
            .collect();
        Self::from_words(&words.iter().collect::<Vec<_>>(), own)
    }
}

/// The maximum number of words read at the end of a sentence.
const LAST: usize = 12;

fn is_word(word: &Morpheme<'_>) -> bool {
    word.parts[0] != "記号" && word.surface.chars().any(char::is_alphanumeric)
}

/// True if a word is a content word that the words after it complete.
fn is_head(word: &Morpheme<'_>) -> bool {
    // The dictionary sometimes reads ねえ as an interjection although it is not one.
    !matches!(word.parts[0], "助詞" | "助動詞" | "フィラー" | "感動詞") && !matches!(word.parts[1], "非自立" | "接尾")
}

fn ends(text: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| text.ends_with(ending))
}

fn is_rough(text: &str) -> bool {
    ends(text, &ROUGH) && !ends(text, &CALLING)
        || ["ねえよ", "ねえな", "ねえか", "ねえさ"].iter().any(|rough| text.ends_with(rough))
}

/// True if the last word is the particle of 行くねえ, which follows a finite verb, and not the negation of 行かねえ.
fn is_calling_particle(tail: &[&Morpheme<'_>]) -> bool {
    let [.., before, last] = tail else { return false };
    let is_final = before.inflection.is_some_and(|inflection| inflection.form == "基本形");
    matches!(last.surface, "ねえ" | "ねぇ") && is_final
}

/// True if the last word that is not a particle is the ぬ of 知らぬ.
fn has_final(tail: &[&Morpheme<'_>], surface: &str) -> bool {
    let last = tail.iter().rev().find(|word| word.parts[0] != "助詞");
    last.is_some_and(|word| word.parts[0] == "助動詞" && word.surface == surface)
}

/// True if an ending satisfies `is`, with or without particles such as よ, ね, な, さ after it.
fn without_particles(ending: &str, is: impl Fn(&str) -> bool) -> bool {
    let mut rest = ending;
    loop {
        if is(rest) {
            return true;
        }
        let Some(shorter) = PARTICLES.iter().find_map(|particle| rest.strip_suffix(particle)) else {
            return false;
        };
        rest = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::SpeechEnding::{self, Old, Own, Plain, Polite, Rough, Soft};

    #[test]
    fn listed_endings_are_classified() {
        let listed = [
            "じゃろう",
            "のう",
            "です",
            "ですか",
            "もようです",
            "ねえ",
            "やがった",
            "わよ",
            "わねえ",
            "だな",
            "じゃないの",
            "さ",
        ];
        let classes = [Old, Old, Polite, Polite, Polite, Rough, Rough, Soft, Soft, Plain, Plain, Plain];
        assert_eq!(listed.map(SpeechEnding::of_listed), classes);
        assert_eq!(["にゃ", "ぴょん"].map(SpeechEnding::of_listed), ["にゃ", "ぴょん"].map(|own| Own(own.to_owned())));
    }

    #[test]
    fn sentences_are_classified_by_predicate() {
        let of = |line: &str| SpeechEnding::of_sample(line, &[Own("にゃ".to_owned())]);
        let some = [
            ("春まで待てばよいのじゃ", Old),
            ("わしは知らぬ", Old),
            ("銭の話ではないわい", Old),
            ("雪だから休みます。出せるでしょう", Polite),
            ("釘をください", Polite),
            ("縮んでねえ", Rough),
            ("知らねえ", Rough),
            ("いい天気だねえ", Plain),
            ("よく行くねえ", Plain),
            ("行くぞ", Rough),
            ("戻るわよ", Soft),
            ("困るわねえ", Soft),
            ("よく冷える", Plain),
            ("書いたら、抜くだろう", Plain),
            ("行くにゃ", Own("にゃ".to_owned())),
        ];
        for (line, class) in some {
            assert_eq!(of(line), Some(class), "{line}");
        }
        for line in ["はい", "……", "お客さん", "向こう岸まで", "そうか"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
