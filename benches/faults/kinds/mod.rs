//! Kinds of faults, each named after the rule that must find it: unnoticed changes of a clean text by its author.
//!
//! Written from the manual pages of the rules, before the rules. A kind lists every place of a text where the fault is
//! possible and would be a fault; a seed chooses one of them. Rubies, notes, headings and text outside the story are
//! not changed, and words of speech are not either: only their signs are damaged. A kind never calls a rule.

mod carriers;
mod grammar;
mod paragraphs;
mod signs;
mod slips;
mod spellings;
mod style;
mod verbs;
mod widths;

use std::ops::Range;

use fumi_novel::{
    checks::CheckMaterial,
    manuscript::{LineKind, ManuscriptPart, TextVoice},
    morphology::Morpheme,
};

use crate::dice::Dice;

/// The required figures of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bar {
    /// A rule whose fix is safe: precision 0.95, recall 0.98.
    Safe,
    /// A rule that judges words: precision 0.8.
    Words,
    /// No requirement; the rule is only measured.
    None,
}

/// A kind of fault.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The rule that must find it.
    pub(crate) name: &'static str,
    /// The required figures of that rule.
    pub(crate) bar: Bar,
    /// True if the fault is only put into narration.
    is_narration_only: bool,
    places: fn(&CheckMaterial<'_>) -> Vec<Fault>,
}

/// All kinds.
pub(crate) const KINDS: [Kind; 24] = [
    everywhere("ellipsis", Bar::Safe, signs::ellipsis),
    everywhere("dash", Bar::Safe, signs::dash),
    everywhere("half_width_mark", Bar::Safe, widths::half_width_mark),
    everywhere("space_after_mark", Bar::Safe, signs::space_after_mark),
    everywhere("period_before_bracket", Bar::Safe, signs::period_before_bracket),
    everywhere("repeated_punctuation", Bar::Safe, signs::repeated_punctuation),
    everywhere("half_width_kana", Bar::Safe, widths::half_width_kana),
    everywhere("half_width_bracket", Bar::Safe, widths::half_width_bracket),
    everywhere("trailing_space", Bar::Safe, paragraphs::trailing_space),
    everywhere("decomposed_character", Bar::Safe, widths::decomposed_character),
    narration("missing_indent", Bar::Safe, paragraphs::missing_indent),
    everywhere("unbalanced_bracket", Bar::None, signs::unbalanced_bracket),
    narration("doubled_particle", Bar::Words, slips::doubled_particle),
    narration("repeated_word", Bar::Words, slips::repeated_word),
    narration("ra_nuki", Bar::Words, grammar::ra_nuki),
    narration("sa_ire", Bar::Words, grammar::sa_ire),
    narration("doubled_joshi", Bar::Words, grammar::doubled_joshi),
    narration("mixed_style", Bar::Words, style::mixed_style),
    narration("spelling_variant", Bar::Words, spellings::spelling_variant),
    narration("double_honorific", Bar::Words, carriers::double_honorific),
    narration("misuse", Bar::Words, carriers::misuse),
    narration("tautology", Bar::None, carriers::tautology),
    narration("placeholder", Bar::None, carriers::placeholder),
    narration("assistant_remnant", Bar::None, carriers::assistant_remnant),
];

const fn everywhere(name: &'static str, bar: Bar, places: fn(&CheckMaterial<'_>) -> Vec<Fault>) -> Kind {
    Kind {
        name,
        bar,
        is_narration_only: false,
        places,
    }
}

const fn narration(name: &'static str, bar: Bar, places: fn(&CheckMaterial<'_>) -> Vec<Fault>) -> Kind {
    Kind {
        name,
        bar,
        is_narration_only: true,
        places,
    }
}

/// A change of the clean text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Bytes of the clean text.
    pub(crate) range: Range<usize>,
    /// The new text at the place.
    pub(crate) text: String,
}

/// A fault that is possible in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The changes, in the order of the text.
    pub(crate) changes: Vec<Change>,
    /// Ranges of bytes in the faulty text: one finding is expected to touch each of them.
    pub(crate) expected: Vec<Range<usize>>,
}

/// A text with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Faulty {
    /// The text.
    pub(crate) text: String,
    /// The change of the clean text.
    pub(crate) fault: Fault,
}

impl Fault {
    /// Replaces a text by another; the fault is the new text, however much of it is new.
    fn replaced(range: Range<usize>, text: impl Into<String>) -> Self {
        let text = text.into();
        let expected = range.start..range.start + text.len();
        Self {
            changes: vec![Change { range, text }],
            expected: vec![expected],
        }
    }

    /// Removes a text; the fault shows elsewhere.
    fn removed(range: Range<usize>, expected: Range<usize>) -> Self {
        Self {
            changes: vec![Change {
                range,
                text: String::new(),
            }],
            expected: vec![expected],
        }
    }

    /// Extends the fault by so many bytes before and after the change.
    fn reaching(mut self, before: usize, after: usize) -> Self {
        for range in &mut self.expected {
            *range = range.start - before..range.end + after;
        }
        self
    }

    /// Narrows the fault to a part of the change.
    fn within(mut self, part: Range<usize>) -> Self {
        for range in &mut self.expected {
            *range = range.start + part.start..range.start + part.end;
        }
        self
    }

    /// Returns the place in the faulty text of a range of the clean one. A range within a change covers all of the
    /// change.
    #[must_use]
    pub(crate) fn moved(&self, range: &Range<usize>) -> Range<usize> {
        let (mut start, mut end) = (range.start, range.end);
        let (mut added, mut removed) = (0, 0);
        for change in &self.changes {
            if change.range.start >= range.end.max(range.start + 1) {
                break;
            }
            if change.range.end <= range.start {
                added += change.text.len();
                removed += change.range.len();
                (start, end) = (range.start + added - removed, range.end + added - removed);
            } else {
                start = start.min(change.range.start + added - removed);
                added += change.text.len();
                removed += change.range.len();
                end = range.end.max(change.range.end) + added - removed;
            }
        }
        start..end
    }

    /// Returns all places of the fault in the faulty text: new and expected ones.
    #[must_use]
    pub(crate) fn place(&self) -> Vec<Range<usize>> {
        let mut place = self.expected.clone();
        let (mut added, mut removed) = (0, 0);
        for change in &self.changes {
            let start = change.range.start + added - removed;
            place.push(start..start + change.text.len());
            added += change.text.len();
            removed += change.range.len();
        }
        place
    }

    fn applied_to(&self, clean: &str) -> String {
        let mut text = String::with_capacity(clean.len() + 64);
        let mut at = 0;
        for change in &self.changes {
            text.push_str(&clean[at..change.range.start]);
            text.push_str(&change.text);
            at = change.range.end;
        }
        text + &clean[at..]
    }
}

impl Kind {
    /// Returns every place where a text could have the fault.
    #[must_use]
    pub(crate) fn places(&self, clean: &CheckMaterial<'_>) -> Vec<Fault> {
        let places = (self.places)(clean).into_iter();
        places.filter(|fault| self.may_stand(clean, fault)).collect()
    }

    /// Returns the text with the fault at a place that the seed chooses, or `None` if the text has no place for it.
    #[must_use]
    pub(crate) fn inject(&self, clean: &CheckMaterial<'_>, seed: u64) -> Option<Faulty> {
        let mut places = self.places(clean);
        if places.is_empty() {
            return None;
        }
        let chosen = Dice::new(seed, self.name).below(places.len());
        let fault = places.swap_remove(chosen);
        Some(Faulty {
            text: fault.applied_to(clean.manuscript().source()),
            fault,
        })
    }

    /// True if the place is in the story, in prose, and without markup.
    fn may_stand(&self, clean: &CheckMaterial<'_>, fault: &Fault) -> bool {
        fault.changes.iter().all(|change| {
            let lines = clean.manuscript().lines();
            let line = lines.partition_point(|line| line.next <= change.range.start);
            let is_prose = lines
                .get(line)
                .is_some_and(|line| line.part == ManuscriptPart::Body && line.kind == LineKind::Paragraph);
            let is_heard = !self.is_narration_only
                || is_narration(clean, change.range.start)
                // A change at the end of a sentence belongs to the voice of the sentence.
                || (change.range.is_empty() && change.range.start > 0 && is_narration(clean, before(clean, change.range.start)));
            is_prose && is_heard && !clean.is_protected(&change.range)
        })
    }
}

/// True if a byte is in narration.
fn is_narration(clean: &CheckMaterial<'_>, byte: usize) -> bool {
    clean.voice_at(byte) == TextVoice::Narration
}

/// Returns the start of the character before a byte.
fn before(clean: &CheckMaterial<'_>, byte: usize) -> usize {
    let source = clean.manuscript().source();
    byte - source[..byte].chars().next_back().map_or(0, char::len_utf8)
}

/// True if a word is in the source as it is read, without markup in it.
fn is_bare(clean: &CheckMaterial<'_>, word: &Morpheme<'_>) -> bool {
    clean.manuscript().source()[word.source.clone()] == *word.surface
}

/// Returns the characters of the story's prose, each with its place in the source and its neighbours.
fn characters<'m>(clean: &'m CheckMaterial<'_>) -> impl Iterator<Item = Sign> + 'm {
    let source = clean.manuscript().source();
    clean.paragraphs().flat_map(move |prose| {
        let line = &source[prose.source.clone()];
        let mut last = None;
        let mut signs: Vec<Sign> = Vec::new();
        for (at, own) in line.char_indices() {
            if let Some(sign) = signs.last_mut() {
                sign.after = Some(own);
            }
            signs.push(Sign {
                at: prose.source.start + at,
                own,
                before: last,
                after: None,
            });
            last = Some(own);
        }
        signs
    })
}

/// A character of a line.
#[derive(Clone, Copy, Debug)]
struct Sign {
    /// Its byte in the source.
    at: usize,
    own: char,
    before: Option<char>,
    after: Option<char>,
}

impl Sign {
    fn range(&self) -> Range<usize> {
        self.at..self.at + self.own.len_utf8()
    }
}

fn is_hiragana(c: char) -> bool {
    ('ぁ'..='ゖ').contains(&c)
}

fn is_katakana(c: char) -> bool {
    ('ァ'..='ヺ').contains(&c) || c == 'ー'
}

fn is_kanji(c: char) -> bool {
    fumi_novel::manuscript::is_kanji(c)
}

/// True if words are written with a character.
fn is_letter(c: char) -> bool {
    is_hiragana(c) || is_katakana(c) || is_kanji(c)
}
