//! Rule `concord`: finds adverbs without the ending that they demand: 決して突然の話だった.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

/// The ending that an adverb demands later in its sentence.
#[derive(Clone, Copy)]
enum Demand {
    /// A negation.
    Negation,
    /// A comparison: よう, みたい, ごとく.
    Comparison,
    /// A reason: から, ため, のだ.
    Reason,
    /// A concession (ても, とも, うと), not a condition (なら, たら).
    Concession,
}

/// The adverbs, by their surfaces, each with the ending that it demands. Adverbs that also occur alone (全然, まったく, おそらく, もし) are left out.
const ADVERBS: [(&str, Demand); 15] = [
    ("決して", Demand::Negation),
    ("けっして", Demand::Negation),
    ("必ずしも", Demand::Negation),
    ("ろくに", Demand::Negation),
    ("ちっとも", Demand::Negation),
    ("少しも", Demand::Negation),
    ("めったに", Demand::Negation),
    ("滅多に", Demand::Negation),
    ("到底", Demand::Negation),
    ("とうてい", Demand::Negation),
    ("みじんも", Demand::Negation),
    ("微塵も", Demand::Negation),
    ("あたかも", Demand::Comparison),
    ("なぜなら", Demand::Reason),
    ("たとえ", Demand::Concession),
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for (_, _, sentence) in material.sentences_in_voice(TextVoice::Narration) {
        for words in stretches::stretches(sentence).iter().filter(|stretch| !stretch.is_quoted).map(|own| own.words) {
            for (adverb, demand) in ADVERBS {
                let Some(place) = find(material, words, adverb) else { continue };
                let rest = &words[place.1..];
                // Without a predicate after it the sentence breaks off on purpose.
                let ends = rest.iter().rev().find(|word| !word.has_parts(&["記号"]));
                let is_whole = ends.is_some_and(|word| word.inflection.is_some()) && !is_cut(material, words);
                if is_whole && !is_met(demand, material, rest) {
                    let finding = phrasing::at(material, &words[place.0..]);
                    found.push(finding.with("value", adverb));
                }
            }
        }
    }
}

/// Returns the first word of an adverb and the word after it.
fn find(material: &CheckMaterial<'_>, words: &[Morpheme<'_>], adverb: &str) -> Option<(usize, usize)> {
    (0..words.len()).find_map(|at| {
        let start = words[at].visible.start;
        if !material.text()[start..].starts_with(adverb) {
            return None;
        }
        // 意を決して and 時あたかも are set phrases.
        let before = at.checked_sub(1).map(|before| words[before].surface);
        if matches!((before, adverb), (Some("を"), "決して") | (Some("時"), "あたかも")) {
            return None;
        }
        // たとえようもない and たとえ話 have another word.
        let is_adverb = ["副詞", "接続詞"].iter().any(|part| words[at].has_parts(&[part]));
        if words[at].surface == adverb && !is_adverb {
            return None;
        }
        let end = start + adverb.len();
        let next = words.iter().position(|word| word.visible.start == end)?;
        if matches!(words[next].surface, "話" | "が" | "は" | "を" | "に") {
            return None;
        }
        Some((at, next))
    })
}

/// True if the sentence ends in a dash or an ellipsis.
fn is_cut(material: &CheckMaterial<'_>, words: &[Morpheme<'_>]) -> bool {
    let end = words.last().map_or(0, |word| word.visible.end);
    let text = &material.text()[..end];
    text.ends_with(['…', '―', '—', '‥'])
}

fn is_met(demand: Demand, material: &CheckMaterial<'_>, rest: &[Morpheme<'_>]) -> bool {
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return true };
    let text = &material.text()[first.visible.start..last.visible.end];
    let has_base = |bases: &[&str]| rest.iter().any(|word| bases.contains(&word.base));
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let has_copula = || rest.iter().any(|word| word.has_parts(&["助動詞"]) && matches!(word.base, "だ" | "です"));
    let is_negated = || {
        has_base(&["ない", "無い", "ぬ", "ん", "まい", "ず", "嫌", "いや", "だめ", "駄目", "無理", "不可能", "違う", "やめる", "困る"])
            || has(&["ざる", "なし", "なく", "なかろ", "ねば", "ねえ", "ませ", "ない", "なかっ", "なけれ", "ずに", "ぬ", "ず、", "難し", "がた", "難い", "ものか", "もんか", "平気", "かね"])
    };
    match demand {
        Demand::Negation => is_negated(),
        Demand::Comparison => has(&["よう", "みたい", "ごと", "如", "かの", "かに", "も同然", "様"]),
        // The copula gives a fact as the reason: なぜなら彼は王であった.
        Demand::Reason => {
            has_copula()
                || rest.iter().any(|word| word.surface == "から" && word.has_parts(&["助詞", "接続助詞"]))
                || has(&["ため", "ゆえ", "ので", "のだ", "のである", "のです", "のだっ", "わけだ", "せいだ"])
        }
        // たとえ火の中水の中 has no verb; a condition is the wrong ending.
        Demand::Concession => !has(&["なら", "たら", "れば", "けれど"]),
    }
}
