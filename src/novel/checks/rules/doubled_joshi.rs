//! Rule `doubled_joshi`: finds the same particle twice with only nouns in between: 倉庫で中庭で.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// The particles that a sentence can hardly have twice; others often occur beside themselves.
const PARTICLES: [&str; 7] = ["が", "に", "で", "へ", "から", "まで", "より"];

/// Nouns that express manner, not place, before で.
const MANNERS: [&str; 10] = ["人", "自分", "独り", "ひとり", "みんな", "皆", "全部", "平気", "裸足", "大声"];

/// Nouns that express manner or time, not place, before に.
const ADVERBS: [&str; 34] = [
    "即座",
    "一緒",
    "いっしょ",
    "同時",
    "一度",
    "一斉",
    "一気",
    "最初",
    "最後",
    "交互",
    "互い",
    "無性",
    "次",
    "次々",
    "別々",
    "順",
    "無理",
    "永久",
    "しずか",
    "さま",
    "風",
    "ふう",
    "際",
    "まま",
    "代わり",
    "斜め",
    "むり",
    "久し振り",
    "久しぶり",
    "次第",
    "しだい",
    "しだいしだい",
    "顔",
    "逆さま",
];

/// Nouns that form one predicate with が and an adjective or verb: 気が狂う, 都合がよい.
const PREDICATES: [&str; 22] = [
    "気",
    "都合",
    "頭",
    "腹",
    "目",
    "眼",
    "手",
    "足",
    "胸",
    "耳",
    "口",
    "顔",
    "声",
    "背",
    "気持ち",
    "気持",
    "機嫌",
    "調子",
    "具合",
    "仲",
    "心",
    "話",
];

/// Verbs before which に expresses purpose or result.
const ENDS: [&str; 16] = [
    "する",
    "なる",
    "成る",
    "行く",
    "いく",
    "来る",
    "くる",
    "いたす",
    "致す",
    "出る",
    "帰る",
    "やる",
    "入る",
    "着替える",
    "上がる",
    "おく",
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let interval = found.limit("interval");
    for words in stretches::narration_stretches(material) {
        let mut before: Vec<usize> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if !word.has_parts(&["助詞"]) {
                let is_noun = word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]);
                if !is_noun {
                    before.clear();
                }
                continue;
            }
            let near = before.iter().rev().take(interval);
            let same = near.copied().find(|known| is_same(&words[*known], word) && *known + 1 < at);
            if let Some(known) = same
                && PARTICLES.contains(&word.surface)
                && is_single(words, known)
                && !is_repeated(words, known, at)
                && is_single(words, at)
                && !is_exempt(words, at)
                && !is_adverb(words, known)
                && !is_adverb(words, at)
            {
                let finding = phrasing::at(material, &words[known..=at]);
                found.push(finding.with("value", word.surface));
            }
            before.push(at);
        }
    }
}

fn is_same(one: &Morpheme<'_>, other: &Morpheme<'_>) -> bool {
    one.surface == other.surface && one.parts == other.parts
}

/// True if no other particle combines with it: には, からは, での.
fn is_single(words: &[Morpheme<'_>], at: usize) -> bool {
    let is_particle = |at: usize| words.get(at).is_some_and(|word| word.has_parts(&["助詞"]));
    !is_particle(at + 1) && !at.checked_sub(1).is_some_and(is_particle)
}

/// True if a noun is repeated (次から次から), or if the particle is part of a noun (ことがらが).
fn is_repeated(words: &[Morpheme<'_>], known: usize, at: usize) -> bool {
    let (one, other) = (known.checked_sub(1).map(|before| words[before].surface), words[at - 1].surface);
    // 次から次から, 何に彼に, 同方向に同速度に
    let is_twice = one == Some(other) || matches!((one, other), (Some("何"), "彼"));
    let is_twice = is_twice || starts_alike(words, known, at);
    is_twice || words[known + 1].has_parts(&["名詞", "接尾"])
}

/// True if both nouns begin with the same prefix.
fn starts_alike(words: &[Morpheme<'_>], known: usize, at: usize) -> bool {
    let prefix = |at: usize| at.checked_sub(2).map(|before| &words[before]).filter(|word| word.has_parts(&["接頭詞"]));
    prefix(known).is_some_and(|one| prefix(at).is_some_and(|other| one.surface == other.surface))
}

/// True if the second particle of a pair is acceptable.
fn is_exempt(words: &[Morpheme<'_>], at: usize) -> bool {
    let noun = words[at - 1].surface;
    let next = words.get(at + 1);
    match words[at].surface {
        "に" => next.is_some_and(|next| ENDS.contains(&next.base)),
        "が" => PREDICATES.contains(&noun),
        "で" => MANNERS.contains(&noun),
        _ => false,
    }
}

/// True if a particle forms an adverb with the noun before it: 三列に, 華奢に, 今に, 乱暴で.
fn is_adverb(words: &[Morpheme<'_>], at: usize) -> bool {
    let Some(noun) = at.checked_sub(1).map(|before| &words[before]) else { return true };
    let is_manner = noun.has_parts(&["名詞", "形容動詞語幹"]);
    let is_time = || noun.parts.contains(&"副詞可能") || noun.parts.contains(&"助数詞") || !noun.has_parts(&["名詞"]);
    match words[at].surface {
        "に" => is_manner || is_time() || ADVERBS.contains(&noun.surface),
        "で" => is_manner || MANNERS.contains(&noun.surface),
        _ => false,
    }
}
