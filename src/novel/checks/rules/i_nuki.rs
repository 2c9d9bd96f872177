//! Rule `i_nuki`: finds てる for ている in a narration that mostly writes ている.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// The maximum number of words before and after て that are shown with it.
const NEAR: usize = 4;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (mut short, mut full) = (Vec::new(), 0_usize);
    for words in stretches::narration_stretches(material) {
        for at in 1..words.len() {
            if let Some(gap) = gap(words, at) {
                short.push((words, at, gap));
            }
            full += usize::from(is_te(&words[at - 1]) && matches!(words[at].base, "いる" | "居る"));
        }
    }
    if short.len() as f64 > found.threshold("voice") * (short.len() + full) as f64 {
        return;
    }
    for (words, at, gap) in short {
        let verb = (0..at).rev().take(NEAR).take_while(|before| is_verb(&words[*before])).last().unwrap_or(at);
        let end = words[at + 1..].iter().take(NEAR).take_while(|word| word.has_parts(&["助動詞"])).count();
        let own = &words[verb..=at + end];
        let mut text = material.text()[phrasing::visible(own)].to_owned();
        text.insert(gap - own[0].visible.start, 'い');
        let mut finding = phrasing::finding_with_wording(material, own, &text);
        // 書いてない may be the negation of 書いてある.
        if words.get(at + 1).is_some_and(|next| next.base == "ない") {
            finding.edits.clear();
        }
        found.push(finding);
    }
}

/// Returns the position of a missing い in or after a word, in the visible text.
fn gap(words: &[Morpheme<'_>], at: usize) -> Option<usize> {
    let word = &words[at];
    if !is_verb(&words[at - 1]) {
        return None;
    }
    let te = word.visible.start + "て".len();
    let form = words[at - 1].inflection.map_or("", |inflection| inflection.form);
    let is_negated = |at: usize| words.get(at).is_some_and(|next| next.base == "ない");
    // In 一つとしてない, して is a particle.
    let is_as = at > 1 && words[at - 2].surface == "と" && words[at - 1].surface == "し" && is_negated(at + 1);
    match word.base {
        _ if !word.has_parts(&["動詞", "非自立"]) => {}
        // In 通ってずうっと the て belongs to the verb and something else follows.
        _ if words.get(at + 1).is_some_and(|next| next.base == "ぬ") => return None,
        "てる" if !is_as => return Some(te),
        "でる" if form == "連用タ接続" => return Some(te),
        _ => return None,
    }
    let next = words.get(at + 1)?;
    (is_te(word) && needs_verb(next)).then_some(te)
}

/// True if a word cannot follow て without a verb in between: 知って|ます, 読んで|た, 立って|られない.
fn needs_verb(word: &Morpheme<'_>) -> bool {
    let is_past = word.inflection.is_some_and(|inflection| inflection.kind == "特殊・タ");
    let is_suffix = word.has_parts(&["動詞", "接尾"]) && word.base == "られる";
    is_past
        || is_suffix
        || (word.has_parts(&["助動詞"]) && word.base == "ます")
        || matches!(word.surface, "て" | "たら" | "たり")
}

fn is_te(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助詞", "接続助詞"]) && matches!(word.surface, "て" | "で")
}

fn is_verb(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["動詞"])
}
