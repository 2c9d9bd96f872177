//! The passage of a manuscript that a quotation stands for.
//!
//! Invariant: the quotation occurs exactly once, and the passage begins and ends outside of ruby, notes and emphasis. It
//! may be quoted with or without its ruby, and with any line ends.

use std::ops::Range;

use crate::manuscript::{CharacterCounts, Manuscript, SpanKind};

/// The largest number of places named for a quotation that occurs several times.
const PLACES: usize = 5;

/// A passage of a manuscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManuscriptPassage {
    /// The byte range in the source.
    pub range: Range<usize>,
    /// The source of the passage, with line feeds at the ends of its lines.
    pub text: String,
    /// The number of visible characters.
    pub characters: usize,
    /// The line at which it begins, counted from 1.
    pub line: usize,
}

/// The reason for which a quotation stands for no passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassageError {
    /// The quotation has no visible character.
    Empty,
    NotInText,
    /// The quotation occurs this many times; the first places are given as lines.
    Ambiguous(usize, Vec<usize>),
    /// The quotation begins or ends within ruby, a note or emphasis, which is given here.
    CutsMarkup(String),
}

impl ManuscriptPassage {
    /// Finds the passage of a quotation: in the visible text, else in the source with its markup.
    pub fn find(manuscript: &Manuscript, quote: &str) -> Result<Self, PassageError> {
        let quote = line_feeds(quote);
        let quote = quote.trim_matches('\n');
        if quote.trim().is_empty() {
            return Err(PassageError::Empty);
        }
        let visible = manuscript.visible();
        let in_visible = Occurrences::find(visible.text(), quote);
        let found = match in_visible.single() {
            Some(at) => {
                let end = at + quote.len();
                // The end of one run of visible text may differ from the start of the next one.
                visible.to_source(at)..visible.to_source(end - 1) + 1
            }
            None if in_visible.count > 1 => {
                let places = in_visible.first.iter().map(|at| visible.to_source(*at));
                return Err(PassageError::Ambiguous(in_visible.count, lines(manuscript, places)));
            }
            None => in_source(manuscript, quote)?,
        };
        let range = with_markup(manuscript, found)?;
        Ok(Self {
            text: line_feeds(&manuscript.source()[range.clone()]),
            characters: CharacterCounts::count(manuscript.visible_in(&range)).characters,
            line: manuscript.position(range.start).line,
            range,
        })
    }
}

/// Replaces all line ends by line feeds.
pub(super) fn line_feeds(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// Finds a quotation in the source, whatever its line ends.
fn in_source(manuscript: &Manuscript, quote: &str) -> Result<Range<usize>, PassageError> {
    let source = manuscript.source();
    // The byte offsets, in the text without returns, of the line feeds that had one.
    let (mut text, mut returns) = (String::with_capacity(source.len()), Vec::new());
    for (number, part) in source.split("\r\n").enumerate() {
        if number > 0 {
            returns.push(text.len());
            text.push('\n');
        }
        text.push_str(part);
    }
    let to_source = |at: usize| at + returns.partition_point(|end| *end < at);
    let found = Occurrences::find(&text, quote);
    match found.single() {
        Some(at) => Ok(to_source(at)..to_source(at + quote.len())),
        None if found.count == 0 => Err(PassageError::NotInText),
        None => {
            let places = found.first.iter().map(|at| to_source(*at));
            Err(PassageError::Ambiguous(found.count, lines(manuscript, places)))
        }
    }
}

fn lines(manuscript: &Manuscript, places: impl Iterator<Item = usize>) -> Vec<usize> {
    places.map(|at| manuscript.position(at).line).collect()
}

/// The places where a quotation occurs, which may overlap.
struct Occurrences {
    count: usize,
    first: Vec<usize>,
}

impl Occurrences {
    fn find(text: &str, quote: &str) -> Self {
        let mut found = Self { count: 0, first: Vec::new() };
        let step = quote.chars().next().map_or(1, char::len_utf8);
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(quote)) {
            found.count += 1;
            if found.first.len() < PLACES {
                found.first.push(from + at);
            }
            from += at + step;
        }
        found
    }

    fn single(&self) -> Option<usize> {
        self.first.first().copied().filter(|_| self.count == 1)
    }
}

/// Extends a range to the whole of the markup whose text it contains. Markup of which it contains a part is an error.
fn with_markup(manuscript: &Manuscript, mut range: Range<usize>) -> Result<Range<usize>, PassageError> {
    let visible = manuscript.visible();
    let shown = visible.from_source(range.start)..visible.from_source(range.end);
    for span in manuscript.spans().iter().filter(|span| is_markup(&span.kind)).map(|span| &span.range) {
        let is_apart = span.end <= range.start || range.end <= span.start;
        if is_apart || (range.start <= span.start && span.end <= range.end) {
            continue;
        }
        let own = visible.from_source(span.start)..visible.from_source(span.end);
        if own.is_empty() || own.start < shown.start || own.end > shown.end {
            return Err(PassageError::CutsMarkup(manuscript.source()[span.clone()].to_owned()));
        }
        range = range.start.min(span.start)..range.end.max(span.end);
    }
    Ok(range)
}

/// True for a span whose text in the source is longer than what is visible.
pub(super) fn is_markup(kind: &SpanKind) -> bool {
    matches!(kind, SpanKind::Ruby { .. } | SpanKind::Note(_) | SpanKind::Emphasis(_))
}
