//! Helpers for findings about a few adjacent words and their replacement.

use std::ops::Range;

use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::common_affixes,
    morphology::Morpheme,
};

/// Returns the range of adjacent words in the visible text.
pub(super) fn visible(words: &[Morpheme<'_>]) -> Range<usize> {
    let start = words.first().map_or(0, |word| word.visible.start);
    start..words.last().map_or(start, |word| word.visible.end)
}

/// Creates a finding at adjacent words.
pub(super) fn at(material: &CheckMaterial<'_>, words: &[Morpheme<'_>]) -> Finding {
    Finding::at(material.source_of(&visible(words)))
}

/// Creates a finding at adjacent words that is fixed by replacing the part that differs.
pub(super) fn finding_with_wording(material: &CheckMaterial<'_>, words: &[Morpheme<'_>], text: &str) -> Finding {
    finding_with_wording_at(material, &visible(words), text)
}

/// Creates such a finding at a range of the visible text.
pub(super) fn finding_with_wording_at(material: &CheckMaterial<'_>, place: &Range<usize>, text: &str) -> Finding {
    let found = &material.text()[place.clone()];
    let (head, tail) = common_affixes(found, text);
    let changed = place.start + head..place.end - tail;
    let written = &text[head..text.len() - tail];
    Finding::at(material.source_of(place)).with("expected", text).with_edit(material.source_of(&changed), written)
}
