//! Rule `tautology`: finds phrases that say one thing twice: 頭痛が痛い, 約三日ほど, 各家庭ごと.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::misuses::TAUTOLOGIES, morphology::Morpheme};

/// Words before a number that make it inexact.
const ABOUT_BEFORE: [&str; 4] = ["約", "およそ", "おおよそ", "凡そ"];

/// Words after a number that make it inexact.
const ABOUT_AFTER: [&str; 8] = ["ほど", "程", "くらい", "ぐらい", "位", "ばかり", "前後", "程度"];

/// The maximum number of words of a number with its counter.
const NUMBER: usize = 6;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for hit in TAUTOLOGIES.find(words) {
            let (_, single) = TAUTOLOGIES.pair(&hit);
            found.push(phrasing::at(material, &words[hit.words]).with("expected", single));
        }
        for at in 0..words.len() {
            if let Some(own) = inexact_twice(&words[at..]).or_else(|| each_twice(&words[at..])) {
                let single: String = own[..own.len() - 1].iter().map(|word| word.surface).collect();
                found.push(phrasing::at(material, own).with("expected", single));
            }
        }
    }
}

/// Returns the words of 約三日ほど.
fn inexact_twice<'w, 'a>(words: &'w [Morpheme<'a>]) -> Option<&'w [Morpheme<'a>]> {
    let (about, rest) = words.split_first()?;
    let is_number = |word: &Morpheme<'_>| word.has_parts(&["名詞", "数"]) || word.parts.contains(&"助数詞");
    let starts = ABOUT_BEFORE.contains(&about.surface) && rest.first()?.has_parts(&["名詞", "数"]);
    let end = rest.iter().take(NUMBER).position(|word| ABOUT_AFTER.contains(&word.surface))?;
    (starts && rest[..end].iter().all(is_number)).then(|| &words[..end + 2])
}

/// Returns the words of 各家庭ごと.
fn each_twice<'w, 'a>(words: &'w [Morpheme<'a>]) -> Option<&'w [Morpheme<'a>]> {
    let [each, rest @ ..] = words else { return None };
    let end = rest.iter().take(3).position(|word| matches!(word.surface, "ごと" | "毎"))?;
    let is_phrase = each.surface == "各" && end > 0 && rest[..end].iter().all(|word| word.has_parts(&["名詞"]));
    is_phrase.then(|| &words[..end + 2])
}
