//! Rule `repeated_word`: finds words repeated directly, either with their particle or as a noun of several characters.
//!
//! Idiomatic repetitions are not reported: numbers, times, directions, emphasis, sounds.

use super::{
    RuleReporter,
    signs::{is_katakana, is_numeral},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::{TextVoice, is_kanji},
    morphology::{Morpheme, WordOrigin},
};

/// Adverbs whose repetition is not emphasis.
const ADVERBS: [&str; 7] = ["すぐに", "ついに", "すでに", "既に", "直ちに", "特に", "急に"];

/// Nouns of direction that repeat to express continuation: 奥へ奥へ.
const DIRECTIONS: &str = "上下前後奥先外内中右左東西南北遠近高深沖底方";

/// Nouns whose repetition is a word of its own or a complaint: 後手後手, 仕事仕事.
const IDIOMS: [&str; 7] = ["仕事", "後手", "込み", "見え", "愚痴", "合間", "ハイ"];

/// Nouns after which a repeated の may be meant: 友達の友達の話, 先の先の手.
const CHAINED: [&str; 32] = [
    "本当",
    "迷子",
    "友達",
    "友人",
    "知り合い",
    "知人",
    "親",
    "母",
    "父",
    "祖父",
    "祖母",
    "孫",
    "子",
    "子供",
    "兄",
    "姉",
    "弟",
    "妹",
    "先祖",
    "隣",
    "先",
    "次",
    "前",
    "後",
    "裏",
    "奥",
    "上",
    "下",
    "中",
    "外",
    "端",
    "夢",
];

/// Nouns that repeat to express "each": 場面場面で.
const EACH: [&str; 20] = [
    "個人", "部分", "場面", "要所", "瞬間", "場所", "節目", "時期", "時代", "季節", "局面", "箇所", "段階", "地域",
    "世代", "家庭", "単語", "文字", "言葉", "各自",
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let words = material.words();
    let mut at = 0;
    while at < words.len() {
        let is_speech = material.voice_at(words[at].source.start) != TextVoice::Narration;
        let is_fault = |once: &[Morpheme<'_>]| is_fault(once, words.get(at + 2 * once.len()), is_speech);
        let length =
            [2, 1].into_iter().find(|length| is_twice(words, at, *length) && is_fault(&words[at..at + length]));
        let Some(length) = length.filter(|_| !material.sentences()[words[at].sentence].is_heading) else {
            at += 1;
            continue;
        };
        let one: String = words[at..at + length].iter().map(|word| word.surface).collect();
        let both = words[at].source.start..words[at + 2 * length - 1].source.end;
        found.push(Finding::at(both).with("expected", one));
        at += 2 * length;
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
        [word, particle] if particle.has_parts(&["助詞"]) => is_word_with_particle(word, particle.surface, is_speech),
        [word] if !is_speech && !is_said => is_noun_alone(word) || ADVERBS.contains(&word.surface),
        _ => false,
    }
}

fn is_word_with_particle(word: &Morpheme<'_>, particle: &str, is_speech: bool) -> bool {
    if word.has_parts(&["副詞"]) {
        return !is_speech && particle == "に" && ADVERBS.contains(&format!("{}に", word.surface).as_str());
    }
    let is_noun = word.has_parts(&["名詞"]) && matches!(word.parts[1], "一般" | "固有名詞" | "代名詞" | "サ変接続");
    let is_case = matches!(particle, "が" | "を" | "は" | "に" | "へ");
    // それはそれは美しい, 奥へ奥へ
    let is_idiom = matches!((word.surface, particle), ("それ" | "これ", "は"));
    let is_direction = matches!(particle, "に" | "へ") && word.surface.chars().all(|c| DIRECTIONS.contains(c));
    // 窓の窓の光
    let is_chain = particle == "の"
        && matches!(word.parts[1], "一般" | "サ変接続")
        && word.surface.contains(is_kanji)
        && !CHAINED.contains(&word.surface);
    is_noun && (is_case || is_chain) && !is_idiom && !is_direction
}

fn is_noun_alone(word: &Morpheme<'_>) -> bool {
    let characters = word.surface.chars().count();
    let is_written = word.surface.contains(is_kanji)
        || (characters >= 3 && word.origin == WordOrigin::Dictionary && word.surface.chars().all(is_katakana));
    let is_noun = word.has_parts(&["名詞"]) && matches!(word.parts[1], "一般" | "サ変接続");
    let is_counted = word.surface.starts_with(|c| is_numeral(c) || "何幾数両毎各其某".contains(c));
    let is_meant = EACH.contains(&word.surface) || IDIOMS.contains(&word.surface);
    is_noun && !is_counted && is_written && characters >= 2 && !is_meant
}
