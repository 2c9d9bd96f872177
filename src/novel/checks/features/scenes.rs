//! Scenes and sections: the units of a story between breaks, and parts of them that can be compared.
//!
//! A scene ends at a scene break or a heading. A section is a scene; a scene of more than [`LONGEST`] characters is
//! split at the ends of paragraphs into even sections of [`SHORTEST`] to [`LONGEST`] characters (novel-checks 2.3).

use std::ops::Range;

use crate::{
    checks::material::{CheckMaterial, Prose},
    manuscript::{CharacterCounts, LineKind, ManuscriptPart, is_counted},
    morphology::Morpheme,
};

/// The minimum number of characters of a section that results from a split.
const SHORTEST: usize = 700;
/// The maximum number of characters of a section, as far as paragraph ends allow.
const LONGEST: usize = 1_100;

/// A contiguous part of the story, made of whole paragraphs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorySegment {
    /// The paragraphs in order.
    pub paragraphs: Vec<Prose>,
    /// The number of visible characters.
    pub characters: usize,
}

impl StorySegment {
    /// Returns the byte range in the source from the first paragraph to the last.
    pub fn source(&self) -> Range<usize> {
        let start = self.paragraphs.first().map_or(0, |prose| prose.source.start);
        start..self.paragraphs.last().map_or(start, |prose| prose.source.end)
    }

    /// Returns the byte range in the visible text from the first paragraph to the last.
    pub fn visible(&self) -> Range<usize> {
        let start = self.paragraphs.first().map_or(0, |prose| prose.visible.start);
        start..self.paragraphs.last().map_or(start, |prose| prose.visible.end)
    }

    /// Returns the indices of the sentences that begin in it.
    pub fn sentences(&self, material: &CheckMaterial<'_>) -> Range<usize> {
        let visible = self.visible();
        let sentences = material.sentences();
        let place = |at: usize| sentences.partition_point(|sentence| sentence.visible().start < at);
        place(visible.start)..place(visible.end)
    }

    /// Returns the range of its first `characters` visible characters, in bytes of the visible text.
    pub fn head(&self, material: &CheckMaterial<'_>, characters: usize) -> Range<usize> {
        let visible = self.visible();
        let text = &material.text()[visible.clone()];
        let mut read = text.char_indices().filter(|(_, c)| is_counted(*c));
        let end = read.nth(characters).map_or(text.len(), |(at, _)| at);
        visible.start..visible.start + end
    }

    /// Iterates over the sentences in the first `characters` visible characters, each with its index and those of its
    /// words that are within that range.
    pub fn heads<'m, 'a>(
        &self,
        material: &'m CheckMaterial<'a>,
        characters: usize,
    ) -> impl Iterator<Item = (usize, &'m [Morpheme<'a>])> {
        let head = self.head(material, characters);
        let of_head = self.sentences(material).take_while({
            let end = head.end;
            move |at| material.sentences()[*at].visible().start < end
        });
        of_head.map(move |at| {
            let words = material.words_of(at);
            (at, &words[..words.partition_point(|word| word.visible.end <= head.end)])
        })
    }

    fn push(&mut self, paragraph: Prose, characters: usize) {
        self.paragraphs.push(paragraph);
        self.characters += characters;
    }
}

/// The scenes and sections of a story, in order.
#[derive(Clone, Debug, Default)]
pub struct Scenes {
    /// The scenes, which end at breaks and headings.
    pub scenes: Vec<StorySegment>,
    /// The sections, which are scenes or parts of them.
    pub sections: Vec<StorySegment>,
}

impl Scenes {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let lines = material.manuscript().lines();
        let mut scenes: Vec<StorySegment> = Vec::new();
        let mut open = StorySegment::default();
        let mut at = 0;
        for paragraph in material.paragraphs() {
            let between = &lines[at..paragraph.line];
            let is_break = |kind: LineKind| matches!(kind, LineKind::SceneBreak(_) | LineKind::Heading { .. });
            let empty = between.iter().filter(|line| line.kind == LineKind::Empty).count();
            let breaks = between.iter().any(|line| line.part == ManuscriptPart::Body && is_break(line.kind));
            // Two empty lines count as a scene break, as readers perceive them (novel-checks 2.0).
            if (breaks || empty >= 2) && !open.paragraphs.is_empty() {
                scenes.push(std::mem::take(&mut open));
            }
            at = paragraph.line + 1;
            let characters = CharacterCounts::count(&material.text()[paragraph.visible.clone()]).characters;
            open.push(paragraph, characters);
        }
        if !open.paragraphs.is_empty() {
            scenes.push(open);
        }
        Self { sections: scenes.iter().flat_map(|scene| sections(material, scene)).collect(), scenes }
    }
}

/// Splits a scene into sections of about the same length, none above [`LONGEST`] as far as paragraph ends allow.
fn sections(material: &CheckMaterial<'_>, scene: &StorySegment) -> Vec<StorySegment> {
    if scene.characters <= LONGEST {
        return vec![scene.clone()];
    }
    let parts = scene.characters.div_ceil(LONGEST);
    let aim = (scene.characters / parts).max(SHORTEST);
    let mut sections = Vec::new();
    let mut open = StorySegment::default();
    let mut rest = scene.characters;
    for paragraph in &scene.paragraphs {
        let characters = CharacterCounts::count(&material.text()[paragraph.visible.clone()]).characters;
        open.push(paragraph.clone(), characters);
        rest -= characters;
        // A shorter rest would be too short for a section of its own.
        if open.characters >= aim && rest >= SHORTEST / 2 {
            sections.push(std::mem::take(&mut open));
        }
    }
    if !open.paragraphs.is_empty() {
        sections.push(open);
    }
    sections
}
