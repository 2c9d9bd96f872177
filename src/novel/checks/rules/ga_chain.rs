//! Rule `ga_chain`: finds sentences with several contrasts by the conjunctive particle が.

use super::{RuleReporter, stretches};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::TextVoice,
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let most = found.limit("most");
    for (_, sentence, words) in material.sentences_in_voice(TextVoice::Narration) {
        let own: Vec<&Morpheme<'_>> = stretches::unquoted(words).collect();
        let after = |at: usize| own.get(at + 2).copied();
        let turns = own.windows(2).enumerate().filter(|(at, pair)| turns(pair[0], pair[1], after(*at))).count();
        if turns > most {
            found.push(Finding::at(sentence.source()).with("count", turns));
        }
    }
}

/// Words after a が that does not contrast: 行くがいい, 見るが早いか, 眼を醒ますが最後, 信ずるが故に, 為さぬがごとく.
const SET_PHRASES: [&str; 17] = [
    "いい",
    "よい",
    "良い",
    "よろしい",
    "早い",
    "最後",
    "故",
    "ゆえ",
    "ため",
    "為",
    "如し",
    "ごとし",
    "如く",
    "ごとく",
    "如き",
    "ごとき",
    "まま",
];

/// True if が expresses a contrast; those of 雨だろうが風だろうが, of set phrases, and of quoted words (…ですがと言う) do not.
fn turns(before: &Morpheme<'_>, word: &Morpheme<'_>, after: Option<&Morpheme<'_>>) -> bool {
    let is_set = after.is_some_and(|after| SET_PHRASES.contains(&after.base));
    let is_quoted = after.is_some_and(|after| matches!(after.surface, "と" | "って" | "など"));
    word.surface == "が"
        && word.has_parts(&["助詞", "接続助詞"])
        && !matches!(before.surface, "う" | "よう" | "まい")
        && !is_set
        && !is_quoted
}
