//! Rule `demonstrative_cluster`: finds sentences with too many demonstratives: それ, その, ここ.

use super::{Found, stretches};
use crate::{
    checks::{finding::Finding, material::Material},
    lexicons::connectives::CONNECTIVES,
    manuscript::Voice,
    morphology::Morpheme,
};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    let least = found.limit("least");
    for (_, sentence, words) in material.heard(Voice::Narration) {
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
            matches!(next.base, "いう" | "言う") && next.inflection.is_some_and(|inflection| inflection.form == "仮定形")
        });
        return word.is(&["副詞"]) && !is_saying;
    }
    (word.is(&["名詞", "代名詞"]) || word.is(&["連体詞"])) && CONNECTIVES.demonstratives.has(word.base)
}
