//! Rule `tari`: finds 〜たり without its second 〜たり: 泣いたり笑って過ごした.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        let places: Vec<usize> = (0..words.len()).filter(|at| is_tari(&words[*at])).collect();
        let [only] = places.as_slice() else { continue };
        let rest = &words[only + 1..];
        let is_inflected = only.checked_sub(1).is_some_and(|before| is_before_tari(&words[before]));
        if !is_inflected || is_alone(rest) {
            continue;
        }
        // The second verb, with its て or た, or at the end of its clause.
        let Some(verb) = rest.iter().position(|word| word.has_parts(&["動詞", "自立"])) else { continue };
        let is_plain = is_plain_verb(&rest[verb]);
        let is_linking = rest[verb].inflection.is_some_and(|inflection| inflection.form == "連用形");
        let is_end = |next: &Morpheme<'_>| {
            matches!(next.surface, "て" | "で" | "た" | "だ")
                || (is_plain && matches!(next.surface, "。" | "と" | "という" | "ので" | "こと" | "ため"))
                || (is_linking && matches!(next.surface, "ながら" | "つつ" | "、"))
        };
        let Some(end) = rest.get(verb + 1).filter(|next| is_end(next)) else { continue };
        let is_broken = |word: &Morpheme<'_>| word.surface.contains(['―', '…', '—']);
        let is_joined =
            rest[..verb].iter().all(|word| word.base != "する" && !word.has_parts(&["助動詞"]) && !is_broken(word));
        if is_joined && end.visible.start == rest[verb].visible.end {
            let start = only.saturating_sub(1);
            found.push(phrasing::at(material, &words[start..only + 3 + verb]));
        }
    }
}

fn is_tari(word: &Morpheme<'_>) -> bool {
    matches!(word.surface, "たり" | "だり") && word.has_parts(&["助詞"])
}

/// True for what たり can follow: 泣い, 大きかっ; not for 手当 of 手当たり and へ of へたり込む.
fn is_before_tari(word: &Morpheme<'_>) -> bool {
    word.inflection.is_some() && word.base != "た" && word.surface != "へ"
}

/// True for the plain form of a verb that says what someone does: めくれる, not ある.
fn is_plain_verb(word: &Morpheme<'_>) -> bool {
    let is_plain = word.inflection.is_some_and(|inflection| inflection.form == "基本形");
    is_plain && !matches!(word.base, "ある" | "いる" | "なる" | "思う" | "言う" | "見える")
}

/// True if する, も or the like follows: 泣いたりした, 泣いたりはしない, 泣いたりなんかして.
fn is_alone(rest: &[Morpheme<'_>]) -> bool {
    let next = rest.first();
    next.is_none_or(|next| {
        matches!(next.base, "する" | "できる" | "出来る" | "なさる" | "いたす")
            || next.has_parts(&["助詞"])
            || matches!(next.surface, "など" | "なんか" | "何" | "なんぞ" | "ける" | "ゆう" | "。")
    })
}
