//! Rule `demonstrative_cluster`: finds sentences with too many demonstratives: それ, その, ここ.

use super::{RuleReporter, stretches};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::connectives::CONNECTIVES,
    manuscript::TextVoice,
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let least = found.limit("least");
    for (_, sentence, words) in material.sentences_in_voice(TextVoice::Narration) {
        let own: Vec<&Morpheme<'_>> = stretches::unquoted(words).collect();
        let count = (0..own.len()).filter(|at| points(own[*at], own.get(at + 1).copied())).count();
        if count >= least {
            found.push(Finding::at(sentence.source()).with("count", count));
        }
    }
}

/// True if a word is a demonstrative. それから and そのまま are separate words and do not count, nor does そういえば.
fn points(word: &Morpheme<'_>, next: Option<&Morpheme<'_>>) -> bool {
    if word.surface == "そう" || word.surface == "こう" {
        let is_saying = next.is_some_and(|next| {
            matches!(next.base, "いう" | "言う")
                && next.inflection.is_some_and(|inflection| inflection.form == "仮定形")
        });
        return word.has_parts(&["副詞"]) && !is_saying;
    }
    (word.has_parts(&["名詞", "代名詞"]) || word.has_parts(&["連体詞"])) && CONNECTIVES.demonstratives.has(word.base)
}
