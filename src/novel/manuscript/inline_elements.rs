//! A line as a sequence of text, ruby, starts and ends of emphasis, and notes: the input of every format writer.
//!
//! No visible text is left out, and emphases end in the reverse order of their beginnings. The writer decides the
//! notation.

use std::{borrow::Cow, ops::Range};

use super::{AozoraNote, Emphasis, Manuscript, SpanKind};

/// An element of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InlineElement<'a> {
    /// Visible text with its byte offset in the source.
    Text(&'a str, usize),
    /// A character that could not be typed, in place of its placeholder ※; `None` if the character is unknown.
    Character(Option<char>, Range<usize>),
    /// A base text with its ruby.
    Ruby {
        /// The base, including characters that could not be typed.
        base: Cow<'a, str>,
        /// The ruby text above the base.
        text: &'a str,
        /// The range of base, ruby and marks in the source.
        range: Range<usize>,
    },
    /// The beginning of an emphasis, with the range of the whole emphasis.
    Begin(Emphasis, Range<usize>),
    /// The end of the innermost emphasis.
    End(Emphasis, Range<usize>),
    /// A note of another kind, or the note that marks an emphasis.
    Note(&'a AozoraNote, Range<usize>),
}

impl Manuscript {
    /// Returns the elements within a range, such as the content of a line or the base of a ruby.
    pub fn inlines(&self, range: &Range<usize>) -> Vec<InlineElement<'_>> {
        let mut pieces = Vec::new();
        let mut open: Vec<(Emphasis, &Range<usize>)> = Vec::new();
        let mut at = range.start;
        let first = self.spans.partition_point(|span| span.range.start < range.start);
        let spans = self.spans[first..].iter().take_while(|span| span.range.start < range.end);
        for span in spans {
            // Notes within the base of a ruby are already included in it; a span that ends after the range encloses it.
            let is_piece = matches!(span.kind, SpanKind::Ruby { .. } | SpanKind::Emphasis(_) | SpanKind::Note(_));
            if span.range.start < at || span.range.end > range.end || !is_piece {
                continue;
            }
            while let Some((emphasis, whole)) = open.pop_if(|(_, whole)| whole.end <= span.range.start) {
                self.push_text(at..whole.end, &mut pieces);
                at = whole.end;
                pieces.push(InlineElement::End(emphasis, whole.clone()));
            }
            match &span.kind {
                SpanKind::Note(AozoraNote::Character(character)) => {
                    let placeholder = span.range.start - '※'.len_utf8();
                    self.push_text(at..placeholder.max(at), &mut pieces);
                    pieces.push(InlineElement::Character(*character, placeholder..span.range.end));
                    at = span.range.end;
                }
                SpanKind::Note(note) => {
                    self.push_text(at..span.range.start, &mut pieces);
                    pieces.push(InlineElement::Note(note, span.range.clone()));
                    at = span.range.end;
                }
                SpanKind::Ruby { base, text } => {
                    self.push_text(at..span.range.start, &mut pieces);
                    pieces.push(InlineElement::Ruby {
                        base: self.text_of(base),
                        text: &self.source[text.clone()],
                        range: span.range.clone(),
                    });
                    at = span.range.end;
                }
                SpanKind::Emphasis(emphasis) => {
                    self.push_text(at..span.range.start, &mut pieces);
                    pieces.push(InlineElement::Begin(*emphasis, span.range.clone()));
                    open.push((*emphasis, &span.range));
                    at = span.range.start;
                }
                _ => {}
            }
        }
        while let Some((emphasis, whole)) = open.pop() {
            self.push_text(at..whole.end, &mut pieces);
            at = whole.end;
            pieces.push(InlineElement::End(emphasis, whole.clone()));
        }
        self.push_text(at..range.end, &mut pieces);
        pieces
    }

    fn push_text<'a>(&'a self, range: Range<usize>, pieces: &mut Vec<InlineElement<'a>>) {
        let runs = self.visible.runs_within(&range);
        pieces.extend(runs.map(|run| InlineElement::Text(&self.source[run.clone()], run.start)));
    }

    /// Returns the text of a range as a reader sees it: visible text, with characters that could not be typed inserted
    /// if they are known.
    pub fn text_of(&self, range: &Range<usize>) -> Cow<'_, str> {
        let visible = self.visible_in(range);
        if !visible.contains('※') {
            return Cow::Borrowed(visible);
        }
        let first = self.spans.partition_point(|span| span.range.start < range.start);
        let mut text = String::new();
        let mut at = range.start;
        for span in self.spans[first..].iter().take_while(|span| span.range.start < range.end) {
            if let SpanKind::Note(AozoraNote::Character(Some(character))) = span.kind {
                text.push_str(self.visible_in(&(at..span.range.start - '※'.len_utf8())));
                text.push(character);
                at = span.range.end;
            }
        }
        Cow::Owned(text + self.visible_in(&(at..range.end)))
    }
}
