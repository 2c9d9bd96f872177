//! Rule `tautology`: finds phrases that say one thing twice: 頭痛が痛い, 約三日ほど, 各家庭ごと.

use std::ops::Range;

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::material::CheckMaterial,
    lexicons::{doublings::DOUBLINGS, misuses::TAUTOLOGIES},
    morphology::Morpheme,
};

/// Words before a number that make it inexact.
const ABOUT_BEFORE: [&str; 4] = ["約", "およそ", "おおよそ", "凡そ"];

/// Words after a number that make it inexact.
const ABOUT_AFTER: [&str; 8] = ["ほど", "程", "くらい", "ぐらい", "位", "ばかり", "前後", "程度"];

/// Nouns in 感 that are not what is felt.
const SENSES: [&str; 6] = ["五感", "第六感", "六感", "触感", "食感", "質感"];

/// The maximum number of words of a number with its counter.
const NUMBER: usize = 6;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        // A phrase that several of these know is one finding.
        let mut taken: Vec<Range<usize>> = Vec::new();
        let mut report = |range: Range<usize>, single: &str| {
            if taken.iter().all(|other| other.end <= range.start || range.end <= other.start) {
                found.push(phrasing::at(material, &words[range.clone()]).with("expected", single));
                taken.push(range);
            }
        };
        for hit in TAUTOLOGIES.find(words) {
            let (_, single) = TAUTOLOGIES.pair(&hit);
            report(hit.words.clone(), single);
        }
        for double in DOUBLINGS.find(words) {
            report(double.words, double.single);
        }
        for at in 0..words.len() {
            if let Some(own) = inexact_twice(&words[at..]).or_else(|| each_twice(&words[at..])) {
                let single: String = own[..own.len() - 1].iter().map(|word| word.surface).collect();
                report(at..at + own.len(), &single);
            }
            if feels_feeling(&words[at..]) {
                // 孤独感 is two words.
                let start = at - usize::from(at > 0 && words[at].surface == "感");
                let single: String = words[start..at + 2].iter().map(|word| word.surface).collect();
                report(start..at + 3, &format!("{single}覚える"));
            }
        }
    }
}

/// True for 違和感を感じる and other nouns in 感 that are felt.
fn feels_feeling(words: &[Morpheme<'_>]) -> bool {
    let [feeling, particle, feel, ..] = words else { return false };
    let is_feeling =
        feeling.has_parts(&["名詞"]) && feeling.surface.ends_with('感') && !SENSES.contains(&feeling.surface);
    is_feeling && particle.surface == "を" && feel.base == "感じる"
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
