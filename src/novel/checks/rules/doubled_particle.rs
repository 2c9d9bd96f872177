//! `doubled_particle`: the same particle twice in a row.

use super::{
    Found,
    signs::{after, before},
};
use crate::{
    checks::{finding::Finding, material::Material},
    morphology::Morpheme,
};

/// The particles that hands repeat.
const PARTICLES: [&str; 9] = ["を", "に", "が", "は", "と", "で", "も", "の", "へ"];

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    for words in material.words().windows(3) {
        let [word, first, second] = words else { continue };
        if material.sentences()[first.sentence].is_heading || !is_doubled(material.text(), word, first, second) {
            continue;
        }
        let finding = Finding::at(first.source.start..second.source.end).with("expected", first.surface);
        found.push(finding.edited(second.source.clone(), ""));
    }
}

fn is_doubled(text: &str, word: &Morpheme<'_>, first: &Morpheme<'_>, second: &Morpheme<'_>) -> bool {
    let is_same = first.surface == second.surface && PARTICLES.contains(&first.surface);
    if !is_same || !first.is(&["助詞"]) || !second.is(&["助詞"]) {
        return false;
    }
    let is_row = word.visible.end == first.visible.start && first.visible.end == second.visible.start;
    // Three or more are laughter.
    let letter = after(first.surface, 0);
    let is_more = before(text, first.visible.start) == letter || after(text, second.visible.end) == letter;
    // 赤いのの隣: the first one stands for a noun.
    let is_word = if first.surface == "の" {
        word.is(&["名詞"])
    } else {
        !word.is(&["記号"]) && !word.is(&["助詞"]) || word.is(&["助詞"]) && word.surface.chars().count() > 1
    };
    is_row && !is_more && is_word
}
