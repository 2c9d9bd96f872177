//! Rule `redundancy`: finds wordy phrases that have a shorter form: 確認することができる.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::redundancy::REDUNDANCY, morphology::Morpheme};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for hit in REDUNDANCY.find(words) {
            let (long, short) = REDUNDANCY.pair(&hit);
            let needs_action = long.starts_with("する") && !short.starts_with("する");
            let before = hit.words.start.checked_sub(1).map(|before| &words[before]);
            if needs_action && !before.is_some_and(is_action) {
                continue;
            }
            let own = &words[hit.words.clone()];
            found.push(match REDUNDANCY.replacement(&hit, words) {
                Some(text) => phrasing::finding_with_wording(material, own, &text),
                None => phrasing::at(material, own).with("expected", short),
            });
        }
    }
}

/// True if する turns the noun into a verb.
fn is_action(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["名詞", "サ変接続"])
}
