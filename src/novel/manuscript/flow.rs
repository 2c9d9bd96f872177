//! A line as a sequence: text, ruby, emphasis that begins and ends, notes. What every writer of a format goes through.
//!
//! Nothing visible is left out, and emphases end in the reverse order of their beginnings. How a thing is written is the
//! writer's.

use std::{borrow::Cow, ops::Range};

use super::{Emphasis, Kind, Manuscript, Note};

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline<'a> {
    /// Visible text; the byte is where it begins in the source.
    Text(&'a str, usize),
    /// A character that could not be typed, instead of its placeholder ※; `None` where it is not known.
    Character(Option<char>, Range<usize>),
    /// A base with its ruby.
    Ruby {
        /// What it stands on, with the characters that could not be typed.
        base: Cow<'a, str>,
        /// The ruby.
        text: &'a str,
        /// Of the whole.
        range: Range<usize>,
    },
    /// An emphasis begins. The range is the whole of it.
    Begin(Emphasis, Range<usize>),
    /// The innermost emphasis ends.
    End(Emphasis, Range<usize>),
    /// A note of another kind, or the note that makes an emphasis.
    Note(&'a Note, Range<usize>),
}

impl Manuscript {
    /// The pieces within a range, such as the content of a line or the base of a ruby.
    #[must_use]
    pub fn inlines(&self, range: &Range<usize>) -> Vec<Inline<'_>> {
        let mut pieces = Vec::new();
        let mut open: Vec<(Emphasis, &Range<usize>)> = Vec::new();
        let mut at = range.start;
        let first = self.spans.partition_point(|span| span.range.start < range.start);
        let spans = self.spans[first..]
            .iter()
            .take_while(|span| span.range.start < range.end);
        for span in spans {
            // Notes within the base of a ruby went with it; what ends after the range is around it.
            let is_piece = matches!(span.kind, Kind::Ruby { .. } | Kind::Emphasis(_) | Kind::Note(_));
            if span.range.start < at || span.range.end > range.end || !is_piece {
                continue;
            }
            while let Some((emphasis, whole)) = open.pop_if(|(_, whole)| whole.end <= span.range.start) {
                self.push_text(at..whole.end, &mut pieces);
                at = whole.end;
                pieces.push(Inline::End(emphasis, whole.clone()));
            }
            match &span.kind {
                Kind::Note(Note::Character(character)) => {
                    let placeholder = span.range.start - '※'.len_utf8();
                    self.push_text(at..placeholder.max(at), &mut pieces);
                    pieces.push(Inline::Character(*character, placeholder..span.range.end));
                    at = span.range.end;
                }
                Kind::Note(note) => {
                    self.push_text(at..span.range.start, &mut pieces);
                    pieces.push(Inline::Note(note, span.range.clone()));
                    at = span.range.end;
                }
                Kind::Ruby { base, text } => {
                    self.push_text(at..span.range.start, &mut pieces);
                    pieces.push(Inline::Ruby {
                        base: self.text_of(base),
                        text: &self.source[text.clone()],
                        range: span.range.clone(),
                    });
                    at = span.range.end;
                }
                Kind::Emphasis(emphasis) => {
                    self.push_text(at..span.range.start, &mut pieces);
                    pieces.push(Inline::Begin(*emphasis, span.range.clone()));
                    open.push((*emphasis, &span.range));
                    at = span.range.start;
                }
                _ => {}
            }
        }
        while let Some((emphasis, whole)) = open.pop() {
            self.push_text(at..whole.end, &mut pieces);
            at = whole.end;
            pieces.push(Inline::End(emphasis, whole.clone()));
        }
        self.push_text(at..range.end, &mut pieces);
        pieces
    }

    fn push_text<'a>(&'a self, range: Range<usize>, pieces: &mut Vec<Inline<'a>>) {
        let runs = self.visible.runs_within(&range);
        pieces.extend(runs.map(|run| Inline::Text(&self.source[run.clone()], run.start)));
    }

    /// The text of a range as a reader should see it: visible, and with the characters that could not be typed where they are
    /// known.
    #[must_use]
    pub fn text_of(&self, range: &Range<usize>) -> Cow<'_, str> {
        let visible = self.visible_in(range);
        if !visible.contains('※') {
            return Cow::Borrowed(visible);
        }
        let first = self.spans.partition_point(|span| span.range.start < range.start);
        let mut text = String::new();
        let mut at = range.start;
        for span in self.spans[first..]
            .iter()
            .take_while(|span| span.range.start < range.end)
        {
            if let Kind::Note(Note::Character(Some(character))) = span.kind {
                text.push_str(self.visible_in(&(at..span.range.start - '※'.len_utf8())));
                text.push(character);
                at = span.range.end;
            }
        }
        Cow::Owned(text + self.visible_in(&(at..range.end)))
    }
}
