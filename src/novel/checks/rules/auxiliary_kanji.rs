//! Rule `auxiliary_kanji`: finds auxiliary words written in kanji: て下さい, た事が.

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::material::CheckMaterial,
    lexicons::{
        PhraseHit, Replacements,
        spellings::{AFTER_TA, AFTER_TE, AUXILIARIES},
    },
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for hit in AUXILIARIES.find(words) {
            push(material, words, hit.words.start, &AUXILIARIES, &hit, found);
        }
        for (pairs, follows) in [(&*AFTER_TE, is_te as fn(&Morpheme<'_>) -> bool), (&*AFTER_TA, is_ta)] {
            for hit in pairs.find(words) {
                if let Some(before) = hit.words.start.checked_sub(1).filter(|before| follows(&words[*before])) {
                    push(material, words, before, pairs, &hit, found);
                }
            }
        }
    }
}

/// Reports a pair, starting from its て or た, if it has a replacement.
fn push(
    material: &CheckMaterial<'_>,
    words: &[Morpheme<'_>],
    start: usize,
    pairs: &Replacements,
    hit: &PhraseHit,
    found: &mut RuleReporter<'_, '_>,
) {
    if let Some(kana) = pairs.replacement(hit, words) {
        let head: String = words[start..hit.words.start].iter().map(|word| word.surface).collect();
        found.push(phrasing::finding_with_wording(material, &words[start..hit.words.end], &(head + &kana)));
    }
}

fn is_te(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助詞", "接続助詞"]) && matches!(word.surface, "て" | "で")
}

fn is_ta(word: &Morpheme<'_>) -> bool {
    let inflection = word.inflection;
    inflection.is_some_and(|inflection| inflection.kind == "特殊・タ" && inflection.form == "基本形")
}
