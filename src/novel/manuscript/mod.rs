//! A manuscript as spans over its source: parts, headings, paragraphs, voices, ruby, emphasis, notes, scene breaks.
//!
//! Invariant: the source is kept whole. The visible runs and the markup between them are the source, byte for byte;
//! spans begin and end between characters, and two spans either nest or do not overlap. Broken markup is not an error:
//! it stays text and is reported as an [`MarkupIssue`]. Sentences and words are not found here.

mod blocks;
mod characters;
mod inline;
mod inline_elements;
mod issues;
mod lines;
pub mod notes;
mod paper;
mod spans;
mod visible;
mod voices;

use std::ops::Range;

pub use blocks::LineKind;
pub(crate) use characters::is_modifier;
pub(crate) use characters::is_one_run;
pub use characters::{is_counted, is_kanji};
pub use inline_elements::InlineElement;
pub use issues::{MarkupIssue, MarkupIssueKind};
pub use lines::Position;
pub use notes::AozoraNote;
pub use paper::PaperLines;
pub use spans::ManuscriptSpan;
pub use visible::{CharacterCounts, VisibleText};

/// The notation of a manuscript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ManuscriptSyntax {
    /// The web notation: Markdown headings, ruby and emphasis as on 小説家になろう and カクヨム, `{base|ruby}`.
    #[default]
    Web,
    /// The notation of Aozora Bunko: a header, a legend, notes, a colophon.
    Aozora,
}

/// The brackets that enclose a character's thoughts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThoughtBrackets {
    /// （…） at a position where a sentence could begin.
    #[default]
    Parentheses,
    /// 『…』 at a position where a sentence could begin; parentheses are not thoughts.
    DoubleQuotes,
}

/// The options for parsing a manuscript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManuscriptOptions {
    pub syntax: ManuscriptSyntax,
    pub thoughts: ThoughtBrackets,
}

/// The kind of a span, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// A sequence of whole lines. The parts follow one another and cover the whole source.
    Part(ManuscriptPart),
    /// One line that is a heading, of level 1 to 6.
    Heading {
        /// The level; 1 is the highest.
        level: u8,
    },
    /// One line of prose.
    Paragraph,
    /// A break between scenes.
    SceneBreak(SceneBreak),
    /// Text outside dialogue and thoughts.
    Narration,
    /// A character's speech, including its brackets.
    Dialogue(SpeechEnd),
    /// A character's thought, including its brackets.
    Thought(SpeechEnd),
    /// A base with its ruby and the marks of both.
    Ruby {
        /// The range of the base text.
        base: Range<usize>,
        /// The range of the ruby text.
        text: Range<usize>,
    },
    /// Emphasised text including its marks.
    Emphasis(Emphasis),
    /// An editor's note ［＃…］.
    Note(AozoraNote),
}

/// The part of a file that a sequence of lines forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManuscriptPart {
    /// Metadata: front matter, or the title and author of an Aozora file.
    Front,
    /// The legend of an Aozora file.
    Legend,
    /// The heading that names the episode.
    Title,
    /// The author's foreword (前書き).
    Foreword,
    /// The text of the story.
    Body,
    /// The author's afterword (後書き).
    Afterword,
    /// The source notes at the end of an Aozora file.
    Colophon,
}

/// The notation of a scene break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneBreak {
    /// Two or more empty lines.
    Empty,
    /// A line of signs.
    Signs,
    /// A page break note.
    Page,
}

/// The way in which speech ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechEnd {
    /// With the closing bracket.
    Closed,
    /// The speech continues in the next paragraph; it began in this one or before.
    Continues,
    /// With the paragraph, because the bracket is never closed.
    Open,
}

/// The style of an emphasis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Emphasis dots (傍点) of any shape.
    Dots,
    /// A line beside the text (傍線) of any shape.
    Line,
    /// Bold type (太字).
    Bold,
    /// Italic type (斜体).
    Italic,
}

/// The voice of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextVoice {
    /// The narrator's voice.
    Narration,
    /// A character who speaks.
    Dialogue,
    /// A character who thinks.
    Thought,
}

/// One line of the source with its classification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The range of the content without the line end.
    pub content: Range<usize>,
    /// The byte offset of the next line.
    pub next: usize,
    pub part: ManuscriptPart,
    pub kind: LineKind,
}

/// A parsed manuscript.
#[derive(Clone, Debug)]
pub struct Manuscript {
    source: String,
    reading: ManuscriptOptions,
    lines: Vec<SourceLine>,
    spans: Vec<ManuscriptSpan>,
    visible: VisibleText,
    issues: Vec<MarkupIssue>,
    places: lines::PositionIndex,
}

impl Manuscript {
    /// Parses a text in time proportional to its length, whatever it contains.
    pub fn read(source: impl Into<String>, reading: ManuscriptOptions) -> Self {
        let source = source.into();
        let mut found = ParseResults::default();
        let mut lines = blocks::classify(&source, reading.syntax, &mut found.issues);
        for line in &mut lines {
            let before = found.spans.len();
            inline::read(&source, reading.syntax, line, &mut found);
            found.of_lines.push(before..found.spans.len());
        }
        blocks::add_block_spans(&source, &lines, &mut found);
        voices::find(&source, reading.thoughts, &lines, &mut found);
        found.issues.sort_by_key(|issue| issue.range.start);
        Self {
            places: lines::PositionIndex::new(&source),
            spans: spans::nest(found.spans),
            visible: found.visible,
            issues: found.issues,
            source,
            reading,
            lines,
        }
    }

    /// Returns the text as it was given.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the options with which the text was parsed.
    pub fn reading(&self) -> ManuscriptOptions {
        self.reading
    }

    /// Returns every line of the source, in order.
    pub fn lines(&self) -> &[SourceLine] {
        &self.lines
    }

    /// Returns all spans; a span precedes the spans that it contains and those that follow it.
    pub fn spans(&self) -> &[ManuscriptSpan] {
        &self.spans
    }

    /// Returns the visible text with its mapping to the source.
    pub fn visible(&self) -> &VisibleText {
        &self.visible
    }

    /// Returns the issues of the markup, in text order.
    pub fn issues(&self) -> &[MarkupIssue] {
        &self.issues
    }

    /// Returns line and column of a byte offset, which must be a character boundary.
    pub fn position(&self, byte: usize) -> Position {
        self.places.position(&self.source, byte)
    }

    /// Returns the visible text of a range of the source.
    pub fn visible_in(&self, range: &Range<usize>) -> &str {
        self.visible.within(range)
    }

    pub fn count(&self, part: ManuscriptPart) -> CharacterCounts {
        let parts = self.spans.iter().filter(|span| span.kind == SpanKind::Part(part));
        parts.map(|span| CharacterCounts::count(self.visible_in(&span.range))).sum()
    }

    /// Counts the body's characters of one voice, without headings.
    pub fn count_voice(&self, voice: TextVoice) -> CharacterCounts {
        let mut counts = CharacterCounts::default();
        for (range, heard) in self.voices() {
            if heard == voice {
                counts += CharacterCounts::count(self.visible_in(&range));
            }
        }
        counts
    }

    /// Splits the body by voice: consecutive ranges of the source, each with the innermost voice around it.
    pub fn voices(&self) -> Vec<(Range<usize>, TextVoice)> {
        let bodies: Vec<&Range<usize>> = self
            .spans
            .iter()
            .filter(|span| span.kind == SpanKind::Part(ManuscriptPart::Body))
            .map(|span| &span.range)
            .collect();
        let mut cut = Vec::new();
        let mut open: Vec<(usize, TextVoice)> = Vec::new();
        let mut at = 0;
        let mut push = |from: &mut usize, to: usize, voice: TextVoice| {
            let body = bodies.partition_point(|body| body.end <= *from);
            if *from < to && bodies.get(body).is_some_and(|body| body.start <= *from) {
                cut.push((*from..to, voice));
            }
            *from = to;
        };
        for span in &self.spans {
            let voice = match span.kind {
                SpanKind::Narration => TextVoice::Narration,
                SpanKind::Dialogue(_) => TextVoice::Dialogue,
                SpanKind::Thought(_) => TextVoice::Thought,
                _ => continue,
            };
            while let Some((end, around)) = open.pop_if(|(end, _)| *end <= span.range.start) {
                push(&mut at, end, around);
            }
            match open.last() {
                Some((_, around)) => push(&mut at, span.range.start, *around),
                None => at = span.range.start,
            }
            open.push((span.range.end, voice));
        }
        while let Some((end, around)) = open.pop() {
            push(&mut at, end, around);
        }
        cut
    }
}

/// The results that the parsing steps collect.
#[derive(Debug, Default)]
struct ParseResults {
    spans: Vec<ManuscriptSpan>,
    visible: VisibleText,
    issues: Vec<MarkupIssue>,
    /// For each line, the range of its spans in `spans`.
    of_lines: Vec<Range<usize>>,
}

impl ParseResults {
    fn span(&mut self, kind: SpanKind, range: Range<usize>) {
        self.spans.push(ManuscriptSpan::new(kind, range));
    }

    fn issue(&mut self, kind: MarkupIssueKind, range: Range<usize>) {
        self.issues.push(MarkupIssue { kind, range });
    }
}

#[cfg(test)]
mod tests;
