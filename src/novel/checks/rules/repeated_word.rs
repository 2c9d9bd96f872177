//! Rule `repeated_word`: finds words and phrases repeated directly or once more in the same clause.
//!
//! Idiomatic repetitions are not reported: numbers, times, directions, emphasis, sounds.

use super::{
    RuleReporter, repeated_in_clause,
    signs::{is_katakana, is_numeral},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::repetitions::REPETITIONS,
    manuscript::{TextVoice, is_kanji},
    morphology::{Morpheme, WordOrigin},
};

/// The largest number of words of a phrase that is repeated directly.
const LONGEST: usize = 6;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let words = material.words();
    let mut at = 0;
    while at < words.len() {
        if material.sentences()[words[at].sentence].is_heading {
            at += 1;
            continue;
        }
        let is_speech = material.voice_at(words[at].source.start) != TextVoice::Narration;
        let is_fault = |once: &[Morpheme<'_>]| is_fault(once, words.get(at + 2 * once.len()), is_speech);
        let length =
            (1..=LONGEST).rev().find(|length| is_twice(words, at, *length) && is_fault(&words[at..at + length]));
        let found_here = length.map(|length| (2 * length, length));
        let in_clause = || if is_speech { None } else { repeated_in_clause::slip(&words[at..]) };
        let Some((both, one)) = found_here.or_else(in_clause) else {
            at += 1;
            continue;
        };
        let phrase: String = words[at..at + one].iter().map(|word| word.surface).collect();
        let place = words[at].source.start..words[at + both - 1].source.end;
        found.push(Finding::at(place).with("expected", phrase));
        at += both;
    }
}

/// True if `length` words from an index on are repeated directly.
fn is_twice(words: &[Morpheme<'_>], at: usize, length: usize) -> bool {
    let Some(both) = words.get(at..at + 2 * length) else {
        return false;
    };
    let (once, again) = both.split_at(length);
    once.iter().zip(again).all(|(one, other)| one.surface == other.surface && one.parts[0] == other.parts[0])
        && both.windows(2).all(|pair| pair[0].visible.end == pair[1].visible.start && pair[0].sentence == pair[1].sentence)
        // Three repetitions are intentional.
        && words.get(at + 2 * length).is_none_or(|next| next.surface != once[0].surface)
}

fn is_fault(once: &[Morpheme<'_>], next: Option<&Morpheme<'_>>, is_speech: bool) -> bool {
    // ご免ご免と quotes speech, 愚図愚図と expresses a manner.
    let is_said = next.is_some_and(|next| next.surface.starts_with('と') || next.surface.starts_with("って"));
    match once {
        [word, particle] if particle.has_parts(&["助詞"]) => {
            is_word_with_particle(word, particle.surface, is_speech) || (!is_speech && is_listed(once))
        }
        [word] if !is_speech && !is_said => {
            is_noun_alone(word) || REPETITIONS.adverbs.contains(word.surface) || is_listed(once)
        }
        [_, _, ..] => is_phrase(once, next) || (!is_speech && !is_said && is_listed(once)),
        _ => false,
    }
}

/// True for words that never follow themselves: その, 一度も.
fn is_listed(once: &[Morpheme<'_>]) -> bool {
    let text: String = once.iter().map(|word| word.surface).collect();
    REPETITIONS.leading.contains(&text) || (once.len() > 1 && REPETITIONS.counted.contains(&text))
}

/// True for a phrase of three words or more that ends with a particle of case (天井の染みを), and for a noun with して before
/// いる (停泊していて). Other phrases are doubled for emphasis: 来る日も来る日も, 待っても待っても.
fn is_phrase(once: &[Morpheme<'_>], next: Option<&Morpheme<'_>>) -> bool {
    let [first, .., last] = once else { return false };
    if once.len() < 3 || !first.has_parts(&["名詞"]) || first.surface.starts_with(is_numeral) {
        return false;
    }
    let is_action =
        once.len() == 3 && first.has_parts(&["名詞", "サ変接続"]) && once[1].base == "する" && last.surface == "て";
    if is_action {
        return next.is_some_and(|next| matches!(next.base, "いる" | "おく" | "しまう"));
    }
    let is_case =
        last.has_parts(&["助詞"]) && matches!(last.surface, "を" | "に" | "が" | "は" | "へ" | "で" | "から" | "まで");
    let is_plain = once.iter().all(|word| !word.has_parts(&["記号"]) && word.surface != "も");
    is_case && is_plain && !once[once.len() - 2].has_parts(&["動詞"])
}

fn is_word_with_particle(word: &Morpheme<'_>, particle: &str, is_speech: bool) -> bool {
    if word.has_parts(&["副詞"]) {
        return !is_speech && particle == "に" && REPETITIONS.adverbs.contains(&format!("{}に", word.surface));
    }
    let is_noun = word.has_parts(&["名詞"]) && matches!(word.parts[1], "一般" | "固有名詞" | "代名詞" | "サ変接続");
    let is_case = matches!(particle, "が" | "を" | "は" | "に" | "へ");
    // それはそれは美しい, 手に手に, 奥へ奥へ
    let is_idiom = matches!((word.surface, particle), ("それ" | "これ", "は") | ("手" | "口" | "心", "に"));
    let is_direction =
        matches!(particle, "に" | "へ") && word.surface.chars().all(|c| REPETITIONS.directions.contains(c));
    // 窓の窓の光
    let is_chain = particle == "の"
        && matches!(word.parts[1], "一般" | "サ変接続")
        && word.surface.contains(is_kanji)
        && !REPETITIONS.chained.contains(word.surface);
    is_noun && (is_case || is_chain) && !is_idiom && !is_direction
}

fn is_noun_alone(word: &Morpheme<'_>) -> bool {
    let characters = word.surface.chars().count();
    let is_written = word.surface.contains(is_kanji)
        || (characters >= 3 && word.origin == WordOrigin::Dictionary && word.surface.chars().all(is_katakana));
    let is_noun = word.has_parts(&["名詞"]) && matches!(word.parts[1], "一般" | "サ変接続");
    let is_counted = word.surface.starts_with(|c| is_numeral(c) || "何幾数両毎各其某".contains(c));
    let is_meant = REPETITIONS.each.contains(word.surface) || REPETITIONS.idioms.contains(word.surface);
    is_noun && !is_counted && is_written && characters >= 2 && !is_meant
}
