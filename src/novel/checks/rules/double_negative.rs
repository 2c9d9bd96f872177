//! Rule `double_negative`: finds negatives that are negated again: 〜なくはない, 〜ないわけではない.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        let mut at = 0;
        while at < words.len() {
            let end = if is_negative(&words[at]) { denied(words, at) } else { None };
            if let Some(end) = end {
                found.push(phrasing::at(material, &words[at..end]));
            }
            at = end.unwrap_or(at + 1);
        }
    }
}

/// Returns the index after the second negation of a negative, if there is one.
fn denied(words: &[Morpheme<'_>], at: usize) -> Option<usize> {
    let form = words[at].inflection.map_or("", |inflection| inflection.form);
    let surface = |at: usize| words.get(at).map_or("", |word| word.surface);
    // いないとは言えない
    let said: String = (1..4).map(|ahead| surface(at + ahead)).collect();
    if form == "基本形"
        && ["とは言え", "とも言え", "とはいえ", "ともいえ"].iter().any(|said_so| said.starts_with(said_so))
    {
        let denial = (at + 2..at + 5).find(|denial| words.get(*denial).is_some_and(is_negative));
        return denial.map(|denial| denial + 1);
    }
    let joint = match (form, surface(at + 1), surface(at + 2)) {
        ("連用テ接続", _, _) => at + 1,
        ("基本形", "わけ" | "訳", "で") => at + 3,
        ("基本形", "こと" | "事", _) | ("基本形" | "連用デ接続", "で", _) => at + 2,
        _ => return None,
    };
    if !matches!(surface(joint), "は" | "も") {
        return None;
    }
    let denial = joint + 1;
    let mut end = match words.get(denial)? {
        word if is_negative(word) => denial + 1,
        word if word.base == "ある" && surface(denial + 1) == "ませ" && surface(denial + 2) == "ん" => denial + 3,
        _ => return None,
    };
    while words.get(end).is_some_and(|word| word.has_parts(&["助動詞"]) && matches!(word.base, "た" | "です")) {
        end += 1;
    }
    // 〜ないではないか is a question or an exclamation.
    (surface(end) != "か").then_some(end)
}

fn is_negative(word: &Morpheme<'_>) -> bool {
    matches!(word.base, "ない" | "無い") && (word.has_parts(&["助動詞"]) || word.has_parts(&["形容詞", "自立"]))
}
