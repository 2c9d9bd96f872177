//! Corrections of a proofreader: a quoted passage, the text that should stand there, and the reason. Here each is located
//! and verified; the rules `correction` and `author_query` report them.
//!
//! Invariant: applying a verified correction changes the visible text of its quotation and nothing else.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Severity, finding::Edit, material::CheckMaterial};
use crate::manuscript::{Manuscript, SpanKind};

/// The brackets whose balance a correction must not worsen.
const BRACKETS: [(char, char); 7] =
    [('「', '」'), ('『', '』'), ('（', '）'), ('《', '》'), ('【', '】'), ('〈', '〉'), ('(', ')')];

/// The number of characters by which a correction may exceed twice the length of its quotation. A longer one rewrites the
/// passage.
const EXCESS: usize = 40;

/// The characters that begin or end markup.
const MARKUP: [char; 8] = ['《', '》', '｜', '|', '［', '］', '＃', '`'];

/// The least number of letters at the edge of a correction that count as a repetition of the text beside it. One letter
/// is often a coincidence; one punctuation mark is not.
const REPEATED: usize = 2;

/// A correction that a proofreader proposed, or a query without a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The passage, with or without its ruby.
    pub quote: String,
    /// The text that should stand there; `None` if the author has to decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    pub kind: CorrectionKind,
    /// The reason in one sentence.
    pub reason: String,
}

/// The kind of error that a correction mends, in the order in which the kinds are explained to a proofreader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, fumi_base::Named)]
#[serde(rename_all = "snake_case")]
pub enum CorrectionKind {
    /// A wrong, missing or superfluous character.
    Typo,
    /// A word of the same sound.
    Misconversion,
    /// Particles, agreement, a sentence whose end does not fit its beginning.
    Grammar,
    /// An honorific or humble form.
    Honorific,
    /// A wrong, missing or superfluous punctuation mark.
    Punctuation,
    /// A word or an idiom in a wrong sense, or said twice.
    Usage,
    /// A contradiction to another passage or to the settings.
    Inconsistency,
    /// A mistake about the real world.
    Fact,
}

/// The reason for rejecting a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorrectionError {
    NoQuote,
    NoReason,
    NotInText,
    /// The quotation occurs this many times.
    Ambiguous(usize),
    /// The correction equals the quotation, or the corrected text stands there already.
    Unchanged,
    /// The correction contains this text, which stands beside the quotation and would occur twice.
    RepeatsNeighbour(String),
    /// The correction may have this many characters.
    TooLong(usize),
    /// The quotation or the correction has a line break, or the correction has invisible characters.
    NotOneLine,
    /// The correction leaves more brackets of this kind in the line without their counterpart.
    Unbalanced(char),
    /// The changed characters have ruby or other markup that the quotation leaves out.
    InMarkup,
}

/// The place of a verified correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CorrectionPlace {
    /// The byte range of the quotation in the source.
    pub(super) source: Range<usize>,
    /// The change; `None` for a query.
    pub(super) edit: Option<Edit>,
}

impl CorrectionKind {
    /// Returns the Japanese term of proofreading.
    pub const fn japanese(self) -> &'static str {
        match self {
            Self::Typo => "誤字・脱字",
            Self::Misconversion => "誤変換",
            Self::Grammar => "文法",
            Self::Honorific => "敬語",
            Self::Punctuation => "約物",
            Self::Usage => "語の用法",
            Self::Inconsistency => "矛盾",
            Self::Fact => "事実",
        }
    }

    /// Returns the severity of the error.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Inconsistency => Severity::High,
            Self::Punctuation => Severity::Low,
            Self::Typo | Self::Misconversion | Self::Grammar | Self::Honorific | Self::Usage | Self::Fact => {
                Severity::Medium
            }
        }
    }
}

/// Returns the reason for which a correction cannot be accepted for a text, if any.
pub fn verify_correction(material: &CheckMaterial<'_>, correction: &Correction) -> Result<(), CorrectionError> {
    if correction.reason.trim().is_empty() {
        return Err(CorrectionError::NoReason);
    }
    let place = locate(material, correction)?;
    let Some(edit) = place.edit else { return Ok(()) };
    let before = material.manuscript();
    let mut source = before.source().to_owned();
    let source_length = place.source.len() - edit.range.len() + edit.text.len();
    source.replace_range(edit.range, &edit.text);
    let after = Manuscript::read(source, before.reading());
    if is_kept(before, &after, &place.source, source_length) { Ok(()) } else { Err(CorrectionError::InMarkup) }
}

/// True if everything outside of a range is read as before: the visible text, the kinds of lines, and markup.
fn is_kept(before: &Manuscript, after: &Manuscript, range: &Range<usize>, length: usize) -> bool {
    let visible = before.visible();
    let head = &visible.text()[..visible.from_source(range.start)];
    let tail = &visible.text()[visible.from_source(range.end)..];
    let lines = |manuscript: &Manuscript| -> Vec<_> {
        manuscript.lines().iter().map(|line| (line.part, std::mem::discriminant(&line.kind))).collect()
    };
    let spans = |manuscript: &Manuscript, end: usize| -> Vec<_> {
        let length = manuscript.source().len();
        let spans = manuscript.spans().iter().filter(|span| is_markup(&span.kind));
        let outside = spans.filter(|span| span.range.end <= range.start || span.range.start >= end);
        let place = |span: &Range<usize>| {
            if span.end <= range.start { (true, span.start) } else { (false, length - span.start) }
        };
        outside.map(|span| (place(&span.range), std::mem::discriminant(&span.kind), span.range.len())).collect()
    };
    // A note may name the text that is corrected.
    let marked = |manuscript: &Manuscript| manuscript.spans().iter().filter(|span| is_markup(&span.kind)).count();
    marked(before) == marked(after)
        && after.visible().text().starts_with(head)
        && after.visible().text().ends_with(tail)
        && lines(before) == lines(after)
        && spans(before, range.end) == spans(after, range.start + length)
}

/// Locates the quotation of a correction, which must occur exactly once, and returns the change.
pub(super) fn locate(
    material: &CheckMaterial<'_>,
    correction: &Correction,
) -> Result<CorrectionPlace, CorrectionError> {
    let line_breaks = ['\r', '\n'];
    let quote = correction.quote.trim_matches(line_breaks);
    if quote.trim().is_empty() {
        return Err(CorrectionError::NoQuote);
    }
    if quote.contains(line_breaks) {
        return Err(CorrectionError::NotOneLine);
    }
    let (text, range, is_visible) = find(material, quote)?;
    let to_source = |range: &Range<usize>| if is_visible { source_of(material, range) } else { range.clone() };
    let proposed = correction.correction.as_deref().map(|text| text.trim_matches(line_breaks));
    // A model that has no proposal may send an empty text.
    let Some(proposed) = proposed.filter(|text| !text.is_empty()) else {
        return Ok(CorrectionPlace { source: to_source(&range), edit: None });
    };
    check_form(quote, proposed)?;
    check_brackets(text, &range, proposed)?;
    let (prefix, suffix) = common_ends(quote, proposed);
    let mut core = range.start + prefix..range.end - suffix;
    let mut new = &proposed[prefix..proposed.len() - suffix];
    if stands_already(text, &range, quote, proposed) {
        return Err(CorrectionError::Unchanged);
    }
    // A beginning or an end that the quotation has too repeats nothing.
    let outside =
        (if prefix == 0 { &text[..core.start] } else { "" }, if suffix == 0 { &text[core.end..] } else { "" });
    if let Some(repeated) = repeated(new, &text[core.clone()], outside) {
        return Err(CorrectionError::RepeatsNeighbour(repeated));
    }
    if text[core.end..].starts_with(is_joined) {
        return Err(CorrectionError::InMarkup);
    }
    // An insertion alone says little: a character beside it is shown with it.
    if core.is_empty() || new.is_empty() {
        let before = quote[..prefix].chars().next_back().map_or(0, char::len_utf8);
        let after = quote[quote.len() - suffix..].chars().next().map_or(0, char::len_utf8);
        let wide = core.start - before..core.end + after;
        if !is_visible || !has_markup(material, &to_source(&wide)) {
            new = &proposed[prefix - before..proposed.len() - suffix + after];
            core = wide;
        }
    }
    let edit = Edit { range: to_source(&core), text: new.to_owned() };
    if is_visible && (has_markup(material, &edit.range) || material.extends_ruby(&edit)) {
        return Err(CorrectionError::InMarkup);
    }
    Ok(CorrectionPlace { source: to_source(&range), edit: Some(edit) })
}

/// Finds a quotation: in the visible text, else in the source with its markup. Returns the text in which it was found,
/// its range there, and true for the visible text.
fn find<'a>(material: &CheckMaterial<'a>, quote: &str) -> Result<(&'a str, Range<usize>, bool), CorrectionError> {
    for (text, is_visible) in [(material.text(), true), (material.manuscript().source(), false)] {
        let mut places = occurrences(text, quote);
        let (first, more) = (places.next(), places.count());
        match first {
            Some(_) if more > 0 => return Err(CorrectionError::Ambiguous(more + 1)),
            Some(at) => return Ok((text, at..at + quote.len(), is_visible)),
            None => {}
        }
    }
    Err(CorrectionError::NotInText)
}

/// Returns the range in the source of the first occurrence of a quotation, with or without its ruby.
pub(crate) fn find_first(material: &CheckMaterial<'_>, quote: &str) -> Option<Range<usize>> {
    let quote = quote.trim();
    let range = |at: usize| at..at + quote.len();
    let visible = material.text().find(quote).map(|at| material.source_of(&range(at)));
    visible.or_else(|| material.manuscript().source().find(quote).map(range)).filter(|range| !range.is_empty())
}

/// Iterates over the starts of all occurrences, which may overlap.
fn occurrences<'t>(text: &'t str, quote: &'t str) -> impl Iterator<Item = usize> + 't {
    let step = quote.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(quote)?;
        from = at + step;
        Some(at)
    })
}

/// Checks what does not depend on the text around the quotation.
fn check_form(quote: &str, proposed: &str) -> Result<(), CorrectionError> {
    if proposed == quote {
        return Err(CorrectionError::Unchanged);
    }
    if proposed.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err(CorrectionError::NotOneLine);
    }
    // Ruby, emphasis and notes may be corrected, but none may begin or end by a correction.
    if MARKUP.iter().any(|mark| quote.matches(*mark).count() != proposed.matches(*mark).count()) {
        return Err(CorrectionError::InMarkup);
    }
    let longest = 2 * quote.chars().count() + EXCESS;
    if proposed.chars().count() > longest {
        return Err(CorrectionError::TooLong(longest));
    }
    Ok(())
}

/// Checks that the line of a quotation has no more brackets without their counterpart than before.
fn check_brackets(text: &str, range: &Range<usize>, proposed: &str) -> Result<(), CorrectionError> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    let after = format!("{}{proposed}{}", &text[start..range.start], &text[range.end..end]);
    let worse = BRACKETS.into_iter().find(|pair| unmatched(&after, *pair) > unmatched(&text[start..end], *pair));
    worse.map_or(Ok(()), |(open, _)| Err(CorrectionError::Unbalanced(open)))
}

/// Returns the number of brackets of a kind without their counterpart.
fn unmatched(line: &str, (open, close): (char, char)) -> usize {
    let (mut depth, mut lonely) = (0_usize, 0);
    for c in line.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => lonely += 1,
            }
        }
    }
    depth + lonely
}

/// True for a character without a width that is part of no other: directions, zero-width spaces, separators of lines.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// True for a character that belongs to the one before it: a variation selector, a joiner, a combining mark.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{300}'..='\u{36f}')
}

/// Converts a range of the visible text to the source. An insertion is placed directly after the character before it,
/// unless that would be within its markup; then after the markup.
fn source_of(material: &CheckMaterial<'_>, range: &Range<usize>) -> Range<usize> {
    let before = material.text()[..range.start].chars().next_back().filter(|c| range.is_empty() && *c != '\n');
    let Some(before) = before else { return material.source_of(range) };
    let end = material.source_of(&(range.start - before.len_utf8()..range.start)).end;
    let spans = material.manuscript().spans().iter().filter(|span| is_markup(&span.kind));
    let around = spans.filter(|span| span.range.start < end && end < span.range.end).map(|span| span.range.end).max();
    let at = around.unwrap_or(end);
    at..at
}

/// True for a span whose text in the source is longer than what is visible.
fn is_markup(kind: &SpanKind) -> bool {
    matches!(kind, SpanKind::Ruby { .. } | SpanKind::Note(_) | SpanKind::Emphasis(_))
}

/// Returns the lengths in bytes of the longest common beginning and end, which do not overlap.
fn common_ends(one: &str, other: &str) -> (usize, usize) {
    let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let prefix = common(&mut one.chars().zip(other.chars()));
    let (one, other) = (&one[prefix..], &other[prefix..]);
    (prefix, common(&mut one.chars().rev().zip(other.chars().rev())))
}

/// True if the corrected text stands in the text already, around the quotation.
fn stands_already(text: &str, range: &Range<usize>, quote: &str, proposed: &str) -> bool {
    proposed.match_indices(quote).any(|(at, _)| {
        let start = range.start.checked_sub(at);
        start.and_then(|start| text.get(start..start + proposed.len())) == Some(proposed)
    })
}

/// Returns the text at an edge of a new passage that stands directly beside it already and was not at that edge of the
/// old passage.
fn repeated(new: &str, old: &str, (before, after): (&str, &str)) -> Option<String> {
    let counts = |part: &str| part.chars().count() >= REPEATED || part.chars().any(|c| !c.is_alphanumeric());
    let ends = new.char_indices().map(|(at, c)| at + c.len_utf8());
    let head = ends.rev().map(|end| &new[..end]).find(|part| before.ends_with(part) && !old.starts_with(part));
    let tail =
        new.char_indices().map(|(at, _)| &new[at..]).find(|part| after.starts_with(part) && !old.ends_with(part));
    [head, tail].into_iter().flatten().find(|part| counts(part)).map(str::to_owned)
}

/// True if a range of the source has markup, or lies within ruby or a note.
fn has_markup(material: &CheckMaterial<'_>, range: &Range<usize>) -> bool {
    let spans = material.manuscript().spans().iter();
    let mut marked = spans.filter(|span| matches!(span.kind, SpanKind::Ruby { .. } | SpanKind::Note(_)));
    material.has_marks(range)
        || marked.any(|span| {
            let is_inside = span.range.start < range.end && range.start < span.range.end;
            is_inside || (range.is_empty() && span.range.start < range.start && range.start < span.range.end)
        })
}
