//! Rule `unknown_hiragana`: finds hiragana that form no word and that Japanese spelling does not allow.

use std::ops::Range;

use super::{
    RuleReporter,
    signs::{before, is_hiragana},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    morphology::WordOrigin,
};

/// The number of characters around a guess that are searched for a name.
const NEAR: usize = 20;

/// The kana that a small ゃ, ゅ or ょ can follow.
const CARRIERS: &str = "きぎしじちぢにひびぴみりてでふゔキギシジチヂニヒビピミリテデフヴ";

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let shortest = found.limit("shortest");
    let text = material.text();
    for word in material.words() {
        let is_guess = word.origin == WordOrigin::Unknown && word.surface.chars().all(is_hiragana);
        if is_guess
            && word.surface.chars().count() >= shortest
            && is_unspellable(text, word.visible.start, word.surface)
            && !is_in_name(material, &word.visible)
        {
            found.push(Finding::at(word.source.clone()));
        }
    }
}

/// True if a name of the novel overlaps a guess: the dictionary may miss it next to unknown letters.
fn is_in_name(material: &CheckMaterial<'_>, guess: &Range<usize>) -> bool {
    let text = material.text();
    let before = text[..guess.start].char_indices().rev().nth(NEAR).map_or(0, |(at, _)| at);
    let near = &text[before..];
    let near = &near[..near.char_indices().nth(2 * NEAR + guess.len()).map_or(near.len(), |(at, _)| at)];
    let mut names = material.context().names.names().iter();
    names.any(|name| {
        let mut places = near.match_indices(name.surface.as_str()).map(|(at, _)| before + at);
        places.any(|at| at < guess.end && guess.start < at + name.surface.len())
    })
}

fn is_unspellable(text: &str, start: usize, word: &str) -> bool {
    word.match_indices(['ゃ', 'ゅ', 'ょ']).any(|(at, _)| before(text, start + at).is_none_or(|c| !CARRIERS.contains(c)))
}
