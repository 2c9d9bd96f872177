//! The passages that rules about characters search: the readable lines, each with its visible text.
//!
//! These rules work line by line, since no such match spans two lines. Scene breaks are not passages.

use std::ops::Range;

use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::LineKind,
};

/// A paragraph or a heading with its visible text.
pub(super) struct TextPassage<'a> {
    /// The visible text of the line.
    pub(super) text: &'a str,
    /// The start of the line in the visible text, in bytes.
    pub(super) start: usize,
    /// The byte range in the source.
    pub(super) source: Range<usize>,
    /// True if the line is a heading.
    pub(super) is_heading: bool,
}

impl TextPassage<'_> {
    /// Converts a range of the passage to the visible text.
    pub(super) fn visible(&self, range: &Range<usize>) -> Range<usize> {
        self.start + range.start..self.start + range.end
    }

    /// Converts a range of the passage to the source.
    pub(super) fn source_of(&self, material: &CheckMaterial<'_>, range: &Range<usize>) -> Range<usize> {
        material.source_of(&self.visible(range))
    }
}

/// Iterates over all readable lines, including forewords and afterwords.
pub(super) fn passages<'a>(material: &CheckMaterial<'a>) -> impl Iterator<Item = TextPassage<'a>> {
    let manuscript = material.manuscript();
    manuscript.lines().iter().filter_map(|line| {
        let is_heading = matches!(line.kind, LineKind::Heading { .. });
        (is_heading || line.kind == LineKind::Paragraph).then(|| TextPassage {
            text: manuscript.visible_in(&line.content),
            start: manuscript.visible().from_source(line.content.start),
            source: line.content.clone(),
            is_heading,
        })
    })
}

/// Creates a finding that is fixed by replacing its text. If markup lies within it, the replacement is only shown.
pub(super) fn finding_with_replacement(
    material: &CheckMaterial<'_>,
    passage: &TextPassage<'_>,
    range: &Range<usize>,
    text: &str,
) -> Finding {
    let source = passage.source_of(material, range);
    let is_plain = source.len() == range.len();
    let finding = Finding::at(source);
    if is_plain { finding.with_replacement(text) } else { finding.with("expected", text) }
}

/// True if the range is not prose but part of an address, code or a name.
pub(super) fn is_protected(material: &CheckMaterial<'_>, passage: &TextPassage<'_>, range: &Range<usize>) -> bool {
    material.is_protected(&passage.source_of(material, range))
}
