//! Findings about a few words side by side, with what is to stand there instead.

use std::ops::Range;

use crate::{
    checks::{finding::Finding, material::Material},
    lexicons::shared,
    morphology::Morpheme,
};

/// Where words that touch stand in the visible text.
pub(super) fn visible(words: &[Morpheme<'_>]) -> Range<usize> {
    let start = words.first().map_or(0, |word| word.visible.start);
    start..words.last().map_or(start, |word| word.visible.end)
}

/// A finding at words that touch.
pub(super) fn at(material: &Material<'_>, words: &[Morpheme<'_>]) -> Finding {
    Finding::at(material.source_of(&visible(words)))
}

/// A finding at words that touch, mended by exchanging what differs.
pub(super) fn instead(material: &Material<'_>, words: &[Morpheme<'_>], text: &str) -> Finding {
    exchanged(material, &visible(words), text)
}

/// The same at a place of the visible text.
pub(super) fn exchanged(material: &Material<'_>, place: &Range<usize>, text: &str) -> Finding {
    let found = &material.text()[place.clone()];
    let (head, tail) = shared(found, text);
    let changed = place.start + head..place.end - tail;
    let written = &text[head..text.len() - tail];
    Finding::at(material.source_of(place))
        .with("expected", text)
        .edited(material.source_of(&changed), written)
}
