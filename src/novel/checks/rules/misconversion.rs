//! Rule `misconversion`: finds words written with the kanji of another word of the same sound: 以外な結末.

use std::ops::Range;

use super::{RuleReporter, phrasing};
use crate::{
    checks::material::CheckMaterial,
    lexicons::{
        common_affixes,
        homophones::{HOMOPHONE_VERBS, HOMOPHONES},
        misconversions::MISCONVERSIONS,
    },
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let sentences = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    for (at, sentence) in sentences {
        // The text between two pieces is a quotation with sentences of its own.
        for piece in &sentence.pieces {
            let start = piece.visible.start;
            let in_context = MISCONVERSIONS.find(&material.text()[piece.visible.clone()]);
            let misfits = misfits(material, at, &piece.visible);
            let is_new = |place: &Range<usize>| {
                in_context.iter().all(|(known, _)| place.end <= known.start || known.end <= place.start)
            };
            let misfits: Vec<_> = misfits.into_iter().filter(|(place, _)| is_new(place)).collect();
            let misfits = misfits.iter().map(|(place, right)| (place, right.as_str()));
            for (wrong, right) in in_context.iter().map(|(place, right)| (place, *right)).chain(misfits) {
                let place = start + wrong.start..start + wrong.end;
                let word = word_at(material, &place);
                let text = material.text();
                let written = format!("{}{right}{}", &text[word.start..place.start], &text[place.end..word.end]);
                found.push(phrasing::finding_with_wording_at(material, &word, &written));
            }
        }
    }
}

/// Returns the words of a piece of a sentence that do not fit the words around them, as ranges in the piece, each with the
/// right word.
fn misfits(material: &CheckMaterial<'_>, sentence: usize, piece: &Range<usize>) -> Vec<(Range<usize>, String)> {
    let text = &material.text()[piece.clone()];
    let words = material.words_of(sentence).iter();
    let words: Vec<_> =
        words.filter(|word| piece.start <= word.visible.start && word.visible.end <= piece.end).collect();
    let misfits = words.iter().filter_map(|word| {
        let start = word.visible.start - piece.start;
        if word.inflection.is_some() {
            return misfit_of_verb(text, start, word);
        }
        let is_action = word.has_parts(&["名詞", "サ変接続"]);
        let (place, right) = HOMOPHONES.misfit_at(text, start, is_action)?;
        // A part of a longer word is another word.
        let is_whole = words.iter().any(|word| word.visible.end - piece.start == place.end);
        is_whole.then(|| (place, right.to_owned()))
    });
    misfits.collect()
}

/// Returns the part of an inflected word that belongs to another word of the same sound, with that of the right word: 取 of
/// 取った, and 撮.
fn misfit_of_verb(text: &str, start: usize, word: &Morpheme<'_>) -> Option<(Range<usize>, String)> {
    let place = start..start + word.surface.len();
    let meant = HOMOPHONE_VERBS.meant_instead(text, &place, word.base)?;
    let (_, tail) = common_affixes(word.base, meant);
    let (written, right) = (&word.base[..word.base.len() - tail], &meant[..meant.len() - tail]);
    word.surface.starts_with(written).then(|| (start..start + written.len(), right.to_owned()))
}

/// Returns the visible range of the word that contains a range, or the range if no word does.
fn word_at(material: &CheckMaterial<'_>, place: &Range<usize>) -> Range<usize> {
    let words = material.words();
    let next = words.partition_point(|word| word.visible.end <= place.start);
    let word = words.get(next).map(|word| &word.visible);
    word.filter(|word| word.start <= place.start && place.end <= word.end).cloned().unwrap_or_else(|| place.clone())
}
