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
        let turns = own.windows(2).filter(|pair| turns(pair[0], pair[1])).count();
        if turns > most {
            found.push(Finding::at(sentence.source()).with("count", turns));
        }
    }
}

/// True if が expresses a contrast; that of 雨だろうが風だろうが does not.
fn turns(before: &Morpheme<'_>, word: &Morpheme<'_>) -> bool {
    word.surface == "が" && word.has_parts(&["助詞", "接続助詞"]) && !matches!(before.surface, "う" | "よう" | "まい")
}
