//! Rule `ra_nuki`: finds potential forms without ら in narration: 見れる, 食べれる.

use std::ops::Range;

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// The forms without ら that the dictionary has as verbs.
const KNOWN: [&str; 3] = ["見れる", "来れる", "みれる"];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for (at, word) in words.iter().enumerate() {
            let start = word.visible.start;
            if let Some(re) = own_re(word) {
                push(material, start..re, found);
            } else if is_ichidan(word) && words.get(at + 1).is_some_and(is_reru) && !is_in_pieces(&words[at + 1..]) {
                push(material, start..word.visible.end, found);
            }
        }
    }
}

/// Reports a verb whose れ directly follows its stem.
fn push(material: &CheckMaterial<'_>, stem: Range<usize>, found: &mut RuleReporter<'_, '_>) {
    let place = stem.start..stem.end + "れ".len();
    let written = format!("{}られ", &material.text()[stem]);
    found.push(phrasing::finding_with_wording_at(material, &place, &written));
}

/// Returns the position of the れ of a form such as 見れる.
fn own_re(word: &Morpheme<'_>) -> Option<usize> {
    let re = word.surface.find('れ').filter(|_| KNOWN.contains(&word.base) && word.has_parts(&["動詞"]))?;
    Some(word.visible.start + re)
}

/// True if れる cannot follow: 一段 verbs and 来る take られる. A single kana is rarely a verb.
fn is_ichidan(word: &Morpheme<'_>) -> bool {
    let Some(inflection) = word.inflection.filter(|inflection| inflection.form == "未然形") else { return false };
    let is_kana = word.surface.chars().all(|c| matches!(c, 'ぁ'..='ん'));
    let is_kind = inflection.kind.starts_with("一段") || inflection.kind.starts_with("カ変");
    word.has_parts(&["動詞"]) && is_kind && (!is_kana || word.surface.chars().count() > 1)
}

/// True if the れ belongs to きれぎれ (弱い声できれぎれに).
fn is_in_pieces(rest: &[Morpheme<'_>]) -> bool {
    rest.get(1).is_some_and(|word| word.surface.starts_with("ぎれ"))
}

fn is_reru(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["動詞", "接尾"]) && word.base == "れる"
}
