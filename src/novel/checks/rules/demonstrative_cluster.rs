//! Finds sentences that point too often: それ, その, ここ.

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

/// Whether a word points by itself. それから and そのまま are words of their own, and so is そういえば.
fn points(word: &Morpheme<'_>, next: Option<&Morpheme<'_>>) -> bool {
    if word.surface == "そう" || word.surface == "こう" {
        let is_saying = next.is_some_and(|next| {
            matches!(next.base, "いう" | "言う") && next.inflection.is_some_and(|inflection| inflection.form == "仮定形")
        });
        return word.is(&["副詞"]) && !is_saying;
    }
    (word.is(&["名詞", "代名詞"]) || word.is(&["連体詞"])) && CONNECTIVES.demonstratives.has(word.base)
}
