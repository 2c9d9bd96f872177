//! A variant of a passage: what is verified, and the manuscript that has it in place of the passage.
//!
//! Invariant: putting a text in place of a passage changes nothing outside of it: neither the visible text, nor the kind
//! of a line, nor its markup. A variant also keeps the ruby and the notes of the passage and has a length of its mode;
//! the text that an author chooses need not.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::passage::{ManuscriptPassage, line_feeds};
use crate::{
    checks::is_invisible,
    manuscript::{CharacterCounts, Manuscript, SpanKind},
    writing::remnants,
};

/// The way in which a passage is rewritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum RewriteMode {
    /// The same content in other words.
    #[default]
    Rewrite,
    /// More detail.
    Expand,
    /// Fewer words.
    Tighten,
}

impl RewriteMode {
    /// Returns the shortest and the longest length of a variant, in percent of the passage.
    pub const fn percent(self) -> (usize, usize) {
        match self {
            Self::Rewrite => (60, 160),
            Self::Expand => (130, 300),
            Self::Tighten => (30, 85),
        }
    }

    /// Returns the shortest and the longest length of a variant of a passage, in visible characters.
    pub fn lengths(self, passage: usize) -> (usize, usize) {
        let (least, most) = self.percent();
        ((passage * least / 100).max(1), (passage * most).div_ceil(100))
    }
}

/// The reason for which a text is not accepted in place of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantError {
    /// The text has no visible character.
    Empty,
    /// The text is the passage.
    Unchanged,
    /// The text is the same as the variant with this number.
    Repeats(usize),
    /// The text stands in the manuscript already, around the quotation.
    StandsAlready,
    /// The text has invisible or control characters.
    Invisible,
    /// The text would change how what surrounds it is read, or has broken markup.
    Markup,
    /// The passage has this ruby or note, which the text lacks or changes.
    Lost(String),
    /// The visible length, and the allowed range.
    Length { length: usize, least: usize, most: usize },
    /// The text has words of an assistant: lines and words.
    Remnants(Vec<String>),
}

/// A manuscript with a passage replaced.
#[derive(Clone, Debug)]
pub struct NewText {
    /// The whole source.
    pub source: String,
    /// The range of the new passage.
    pub range: Range<usize>,
    /// The number of visible characters of the new passage.
    pub characters: usize,
    /// The new passage, with line feeds.
    pub passage: String,
}

/// Puts a text in place of a passage.
pub fn put_in(manuscript: &Manuscript, passage: &ManuscriptPassage, text: &str) -> Result<NewText, VariantError> {
    replaced(manuscript, passage, text).map(|(new, _)| new)
}

/// Verifies a variant of a passage against its mode and the variants before it.
pub fn verify_variant(
    manuscript: &Manuscript,
    passage: &ManuscriptPassage,
    mode: RewriteMode,
    text: &str,
    earlier: &[String],
) -> Result<NewText, VariantError> {
    let left = remnants(&line_feeds(text));
    if !left.is_empty() && remnants(&passage.text).is_empty() {
        return Err(VariantError::Remnants(left));
    }
    let (new, after) = replaced(manuscript, passage, text)?;
    // White space alone makes no variant; an author may change it.
    if words(&new.passage) == words(&passage.text) {
        return Err(VariantError::Unchanged);
    }
    let same = |other: &String| words(other) == words(&new.passage);
    if let Some(number) = earlier.iter().position(same) {
        return Err(VariantError::Repeats(number + 1));
    }
    if let Some(lost) = lost_markup(manuscript, passage, mode, &after, &new.range) {
        return Err(VariantError::Lost(lost));
    }
    let (least, most) = mode.lengths(passage.characters);
    if !(least..=most).contains(&new.characters) {
        return Err(VariantError::Length { length: new.characters, least, most });
    }
    Ok(new)
}

fn replaced(
    manuscript: &Manuscript,
    passage: &ManuscriptPassage,
    text: &str,
) -> Result<(NewText, Manuscript), VariantError> {
    let text = line_feeds(text);
    let text = text.trim_matches('\n');
    if CharacterCounts::count(text).characters == 0 {
        return Err(VariantError::Empty);
    }
    if text.chars().any(|c| c != '\n' && (c.is_control() || is_invisible(c))) {
        return Err(VariantError::Invisible);
    }
    if text == passage.text {
        return Err(VariantError::Unchanged);
    }
    let source = manuscript.source();
    let own = text.replace('\n', line_end(source));
    if stands_already(source, passage, &own) {
        return Err(VariantError::StandsAlready);
    }
    let mut new = source.to_owned();
    new.replace_range(passage.range.clone(), &own);
    let range = passage.range.start..passage.range.start + own.len();
    let after = Manuscript::read(new, manuscript.reading());
    if !is_kept(manuscript, &passage.range, &after, &range) {
        return Err(VariantError::Markup);
    }
    let characters = CharacterCounts::count(after.visible_in(&range)).characters;
    let source = after.source().to_owned();
    Ok((NewText { source, range, characters, passage: text.to_owned() }, after))
}

/// Returns the text without white space, which decides whether two passages are the same.
fn words(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the line end of a source: that of its first line.
fn line_end(source: &str) -> &'static str {
    let at = source.find('\n');
    if at.is_some_and(|at| source[..at].ends_with('\r')) { "\r\n" } else { "\n" }
}

/// True if the text stands around the passage already, because it was put there before: it contains the passage.
fn stands_already(source: &str, passage: &ManuscriptPassage, text: &str) -> bool {
    let old = &source[passage.range.clone()];
    text.match_indices(old).any(|(at, _)| {
        let start = passage.range.start.checked_sub(at);
        start.and_then(|start| source.get(start..start + text.len())) == Some(text)
    })
}

/// True if everything outside of a passage is read as before, and no markup is broken that was not.
fn is_kept(before: &Manuscript, old: &Range<usize>, after: &Manuscript, new: &Range<usize>) -> bool {
    let outside = |manuscript: &'_ Manuscript, range: &Range<usize>| {
        let visible = manuscript.visible();
        let (start, end) = (visible.from_source(range.start), visible.from_source(range.end));
        (visible.text()[..start].to_owned(), visible.text()[end..].to_owned())
    };
    let lines = |manuscript: &Manuscript, range: &Range<usize>| {
        let kind = |line: &crate::manuscript::SourceLine| (line.part, std::mem::discriminant(&line.kind));
        let lines = manuscript.lines();
        let head: Vec<_> = lines.iter().filter(|line| line.next <= range.start).map(kind).collect();
        let tail: Vec<_> = lines.iter().filter(|line| line.content.start >= range.end).map(kind).collect();
        (head, tail)
    };
    let spans = |manuscript: &Manuscript, range: &Range<usize>| -> Vec<_> {
        let length = manuscript.source().len();
        let spans = manuscript.spans().iter().filter(|span| super::passage::is_markup(&span.kind));
        let outside = spans.filter(|span| span.range.end <= range.start || span.range.start >= range.end);
        let place = |span: &Range<usize>| {
            if span.end <= range.start { (true, span.start) } else { (false, length - span.start) }
        };
        outside.map(|span| (place(&span.range), std::mem::discriminant(&span.kind), span.range.len())).collect()
    };
    after.issues().len() <= before.issues().len()
        && outside(before, old) == outside(after, new)
        && lines(before, old) == lines(after, new)
        && spans(before, old) == spans(after, new)
}

/// Returns a ruby or a note of the passage that a variant lacks. A shorter text may leave out a word with its ruby.
fn lost_markup(
    before: &Manuscript,
    passage: &ManuscriptPassage,
    mode: RewriteMode,
    after: &Manuscript,
    range: &Range<usize>,
) -> Option<String> {
    let (old, new) = (Marks::find(before, &passage.range), Marks::find(after, range));
    let lost_note = first_lacking(&old.notes, &new.notes);
    if lost_note.is_some() {
        return lost_note;
    }
    let is_changed = |(base, reading): &&(String, String)| {
        let mut same = new.rubies.iter().filter(|(other, _)| other == base);
        same.next().is_some_and(|(_, other)| other != reading)
    };
    let shown = |(base, reading): &(String, String)| format!("{base}《{reading}》");
    if let Some(changed) = old.rubies.iter().find(is_changed) {
        return Some(shown(changed));
    }
    let lost = first_lacking(&old.rubies, &new.rubies).filter(|_| mode != RewriteMode::Tighten);
    lost.as_ref().map(shown)
}

/// The ruby and the notes in a range.
struct Marks {
    /// Bases with their readings.
    rubies: Vec<(String, String)>,
    notes: Vec<String>,
}

impl Marks {
    fn find(manuscript: &Manuscript, range: &Range<usize>) -> Self {
        let source = manuscript.source();
        let mut marks = Self { rubies: Vec::new(), notes: Vec::new() };
        let is_inside = |span: &Range<usize>| range.start <= span.start && span.end <= range.end;
        for span in manuscript.spans().iter().filter(|span| is_inside(&span.range)) {
            match &span.kind {
                SpanKind::Ruby { base, text } => {
                    marks.rubies.push((source[base.clone()].to_owned(), source[text.clone()].to_owned()));
                }
                SpanKind::Note(_) => marks.notes.push(source[span.range.clone()].to_owned()),
                _ => {}
            }
        }
        marks
    }
}

/// Returns the first item that occurs more often in one list than in the other.
fn first_lacking<T: PartialEq + Clone>(wanted: &[T], given: &[T]) -> Option<T> {
    let count = |list: &[T], item: &T| list.iter().filter(|other| *other == item).count();
    wanted.iter().find(|item| count(wanted, item) > count(given, item)).cloned()
}
