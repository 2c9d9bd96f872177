//! Rule `doubled_joshi`: finds the same particle twice with only nouns in between: 倉庫で中庭で.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// The particles that a sentence can hardly have twice; others often occur beside themselves.
const PARTICLES: [&str; 7] = ["が", "に", "で", "へ", "から", "まで", "より"];

/// Nouns that express manner, not place, before で.
const MANNERS: [&str; 16] = [
    "人",
    "自分",
    "独り",
    "ひとり",
    "みんな",
    "皆",
    "全部",
    "平気",
    "裸足",
    "大声",
    "独身",
    "ぼっち",
    "無料",
    "本気",
    "素手",
    "小声",
];

/// Nouns that express manner or time, not place, before に.
const ADVERBS: [&str; 43] = [
    "先",
    "間",
    "定刻",
    "どおり",
    "通り",
    "おき",
    "ごと",
    "ため",
    "第一",
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
const ENDS: [&str; 15] = [
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
    "着替える",
    "上がる",
    "おく",
];

/// Verbs before which に and a noun of action express purpose: 食事に出かける.
const MOTIONS: [&str; 5] = ["向かう", "招く", "訪れる", "連れる", "急ぐ"];

/// Verbs before which に expresses purpose with any noun: ピクニックに出かける.
const OUTINGS: [&str; 3] = ["出かける", "出掛ける", "誘う"];

/// Nouns of time before a number of times: 週に一度.
const PERIODS: [&str; 5] = ["年", "月", "週", "日", "朝"];

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
                && !is_rate(words, known)
                && !is_rate(words, at)
                && !is_adverb(words, known)
                && !is_adverb(words, at)
            {
                let finding = phrasing::at(material, &words[known..=at]);
                found.push(finding.with("value", word.surface));
            }
            // 庭に池の縁に: the nouns that の joins are one.
            if word.surface != "の" {
                before.push(at);
            }
        }
    }
}

/// True if a number of times in a period stands around a particle: 月に二度.
fn is_rate(words: &[Morpheme<'_>], at: usize) -> bool {
    let period = at.checked_sub(1).map(|before| words[before].surface);
    let is_number = words.get(at + 1).is_some_and(|number| number.has_parts(&["名詞", "数"]));
    is_number && period.is_some_and(|period| PERIODS.contains(&period))
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
    let is_place = |noun: &str| "上下左右前後東西南北".contains(noun);
    let is_twice = is_twice || starts_alike(words, known, at) || (one.is_some_and(is_place) && is_place(other));
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
    let is_action = words[at - 1].has_parts(&["名詞", "サ変接続"]);
    let next = words[at + 1..].iter().find(|word| !word.has_parts(&["副詞"]));
    match words[at].surface {
        // 帰りに私に: a time and a person.
        "に" => {
            words[at - 1].has_parts(&["名詞", "代名詞"])
                || next.is_some_and(|next| {
                    ENDS.contains(&next.base)
                        || OUTINGS.contains(&next.base)
                        || (is_action && MOTIONS.contains(&next.base))
                })
        }
        // 彼が彼女が好きだと言う: the pronoun is the subject of an inner clause.
        "が" => PREDICATES.contains(&noun) || words[at - 1].has_parts(&["名詞", "代名詞"]),
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
        "で" => is_manner || noun.parts.contains(&"助数詞") || MANNERS.contains(&noun.surface),
        _ => false,
    }
}
