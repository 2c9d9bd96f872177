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
    whole(material, Finding::at(material.source_of(&visible(words))))
}

/// Lets the message of a finding about words quote them up to the end of their inflected phrase: おっしゃられた for おっしゃられ.
pub(super) fn whole(material: &CheckMaterial<'_>, finding: Finding) -> Finding {
    match material.end_of_phrase(finding.source.end) {
        Some(last) => finding.quoted_to(last.source.end),
        None => finding,
    }
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
    let mut finding = Finding::at(material.source_of(place));
    let mut expected = text.to_owned();
    if let Some(last) = material.end_of_phrase(finding.source.end) {
        expected.push_str(&material.text()[place.end..last.visible.end]);
        finding = finding.quoted_to(last.source.end);
    }
    finding.with("expected", expected).with_edit(material.source_of(&changed), written)
}
