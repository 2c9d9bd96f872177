//! What several rules look at: the lines that are read, each with its visible text.
//!
//! A rule over signs goes from line to line, since no sign reaches over one. Lines that divide scenes are none of them.

use std::ops::Range;

use crate::{
    checks::{finding::Finding, material::Material},
    manuscript::LineKind,
};

/// A paragraph or a heading.
pub(super) struct Passage<'a> {
    /// What is seen of it.
    pub(super) text: &'a str,
    /// Where that begins in the visible text.
    pub(super) start: usize,
    /// Bytes of the source.
    pub(super) source: Range<usize>,
    /// Whether it is a heading.
    pub(super) is_heading: bool,
}

impl Passage<'_> {
    /// A range of the passage as one of the visible text.
    pub(super) fn visible(&self, range: &Range<usize>) -> Range<usize> {
        self.start + range.start..self.start + range.end
    }

    /// A range of the passage as one of the source.
    pub(super) fn source_of(&self, material: &Material<'_>, range: &Range<usize>) -> Range<usize> {
        material.source_of(&self.visible(range))
    }
}

/// All lines that are read, forewords and afterwords too.
pub(super) fn passages<'a>(material: &Material<'a>) -> impl Iterator<Item = Passage<'a>> {
    let manuscript = material.manuscript();
    manuscript.lines().iter().filter_map(|line| {
        let is_heading = matches!(line.kind, LineKind::Heading { .. });
        (is_heading || line.kind == LineKind::Paragraph).then(|| Passage {
            text: manuscript.visible_in(&line.content),
            start: manuscript.visible().from_source(line.content.start),
            source: line.content.clone(),
            is_heading,
        })
    })
}

/// A finding that is mended by writing something else in its place; only told where markup lies within it.
pub(super) fn mended(material: &Material<'_>, passage: &Passage<'_>, range: &Range<usize>, text: &str) -> Finding {
    let source = passage.source_of(material, range);
    let is_plain = source.len() == range.len();
    let finding = Finding::at(source);
    if is_plain {
        finding.replaced_by(text)
    } else {
        finding.with("expected", text)
    }
}

/// Whether signs at a place are no prose: of an address, of code, of a name.
pub(super) fn is_kept(material: &Material<'_>, passage: &Passage<'_>, range: &Range<usize>) -> bool {
    material.is_protected(&passage.source_of(material, range))
}
