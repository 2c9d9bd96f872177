//! Rule `simile_excess`: finds narration with too many comparisons: 海のように, 石を割るような.

use std::ops::Range;

use super::{RuleReporter, phrasing, rates, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// Verbs before ように that state an intended possibility.
const ABLE: [&str; 14] = [
    "聞こえる",
    "聞える",
    "見える",
    "みえる",
    "できる",
    "出来る",
    "わかる",
    "分かる",
    "判る",
    "届く",
    "間に合う",
    "助かる",
    "治る",
    "済む",
];

/// Verbs after ように that express an order, a wish or a change.
const TOLD: [&str; 27] = [
    "なる",
    "成る",
    "する",
    "いう",
    "言う",
    "頼む",
    "たのむ",
    "命じる",
    "命ずる",
    "願う",
    "祈る",
    "勧める",
    "促す",
    "伝える",
    "指示",
    "お願い",
    "祈り",
    "思う",
    "思える",
    "見える",
    "みえる",
    "感じる",
    "聞こえる",
    "できる",
    "心がける",
    "努める",
    "気",
];

/// Verbs before たように that name a source.
const SAID: [&str; 9] = ["言う", "いう", "述べる", "書く", "話す", "聞く", "知る", "思う", "考える"];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    rates::push_excess(material, found, &similes(material));
}

/// Returns the words of comparison in the narration, as byte ranges in the visible text.
pub(in crate::checks) fn similes(material: &CheckMaterial<'_>) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for words in stretches::narration_stretches(material) {
        for at in 0..words.len() {
            let end = match words[at].surface {
                "ごとく" | "ごとき" | "如く" | "如き" => at + 1,
                "よう" | "様"
                    if is_form(words, at + 1) && words[at].has_parts(&["名詞", "非自立"]) && compares(words, at) =>
                {
                    at + 2
                }
                "みたい" if is_form(words, at + 1) && at > 0 && !words[at - 1].has_parts(&["名詞", "代名詞"]) => {
                    at + 2
                }
                _ => continue,
            };
            places.push(phrasing::visible(&words[at..end]));
        }
    }
    places
}

fn is_form(words: &[Morpheme<'_>], at: usize) -> bool {
    words.get(at).is_some_and(|word| matches!(word.surface, "な" | "に"))
}

/// True if よう with な or に is a comparison.
fn compares(words: &[Morpheme<'_>], at: usize) -> bool {
    let [before @ .., last] = &words[..at] else { return false };
    let form = last.inflection.map_or("", |inflection| inflection.form);
    let previous = before.last();
    if last.surface == "の" {
        return previous.is_some_and(|word| !word.has_parts(&["名詞", "代名詞"]));
    }
    if last.has_parts(&["助動詞"]) && last.inflection.is_some_and(|inflection| inflection.kind == "特殊・タ") {
        return form == "基本形" && previous.is_some_and(|word| !SAID.contains(&word.base));
    }
    if !last.has_parts(&["動詞"]) || form != "基本形" {
        return false;
    }
    if words[at + 1].surface == "な" {
        return true;
    }
    let next = words[at + 2..].iter().find(|word| !word.has_parts(&["記号"]) && !word.has_parts(&["助詞"]));
    !ABLE.contains(&last.base)
        && last.base != "られる"
        && !is_potential(last)
        && next.is_none_or(|word| !TOLD.contains(&word.base))
}

/// True if a verb is a potential form: 読める, 歩ける. Verbs that often occur in comparisons (抜けるように) are not
/// listed.
fn is_potential(word: &Morpheme<'_>) -> bool {
    let is_ichidan = word.inflection.is_some_and(|inflection| inflection.kind.starts_with("一段"));
    let ends = [
        "読める",
        "書ける",
        "話せる",
        "言える",
        "会える",
        "行ける",
        "帰れる",
        "歩ける",
        "走れる",
        "動ける",
        "使える",
        "眠れる",
        "飲める",
        "食える",
        "買える",
        "乗れる",
        "戻れる",
        "暮らせる",
        "持てる",
    ];
    is_ichidan && ends.iter().any(|end| word.base.ends_with(end))
}
