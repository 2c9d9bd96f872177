//! Rule `misconversion`: finds words written with the kanji of another word of the same sound: 以外な結末.

use std::ops::Range;

use super::{RuleReporter, phrasing};
use crate::{checks::material::CheckMaterial, lexicons::misconversions::MISCONVERSIONS};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for sentence in material.sentences().iter().filter(|sentence| sentence.is_story()) {
        // The text between two pieces is a quotation with sentences of its own.
        for piece in &sentence.pieces {
            let start = piece.visible.start;
            for (wrong, right) in MISCONVERSIONS.find(&material.text()[piece.visible.clone()]) {
                let place = start + wrong.start..start + wrong.end;
                let word = word_at(material, &place);
                let text = material.text();
                let written = format!("{}{right}{}", &text[word.start..place.start], &text[place.end..word.end]);
                found.push(phrasing::finding_with_wording_at(material, &word, &written));
            }
        }
    }
}

/// Returns the visible range of the word that contains a range, or the range if no word does.
fn word_at(material: &CheckMaterial<'_>, place: &Range<usize>) -> Range<usize> {
    let words = material.words();
    let next = words.partition_point(|word| word.visible.end <= place.start);
    let word = words.get(next).map(|word| &word.visible);
    word.filter(|word| word.start <= place.start && place.end <= word.end).cloned().unwrap_or_else(|| place.clone())
}
