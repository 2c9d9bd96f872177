//! A manuscript as spans over its source: parts, headings, paragraphs, voices, ruby, emphasis, notes, scene breaks.
//!
//! Invariant: the source is kept whole. The visible text and the markup between its runs are the source, byte for byte;
//! spans begin and end between characters, and of two spans one contains the other or they do not touch. Broken markup is
//! no failure: it stays text, and an [`Issue`] says so. Sentences and words are not found here.

mod blocks;
mod characters;
mod flow;
mod inline;
mod issues;
mod lines;
pub mod notes;
mod spans;
mod visible;
mod voices;

use std::ops::Range;

pub use blocks::LineKind;
pub(crate) use characters::is_one_run;
pub use characters::{is_counted, is_kanji};
pub use flow::Inline;
pub use issues::{Issue, IssueKind};
pub use lines::Position;
pub use notes::Note;
pub use spans::Span;
pub use visible::{Counts, Visible};

/// How a manuscript is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// As on the web: Markdown headings, ruby and emphasis as on 小説家になろう and カクヨム, `{base|ruby}`.
    #[default]
    Web,
    /// As Aozora Bunko distributes it: a header, a legend, notes, a colophon.
    Aozora,
}

/// Which brackets hold what a character thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thoughts {
    /// （…） where a sentence could begin.
    #[default]
    Parentheses,
    /// 『…』 where a sentence could begin, and no parentheses.
    DoubleQuotes,
}

/// How to read a manuscript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Its notation.
    pub syntax: Syntax,
    /// Its brackets for thoughts.
    pub thoughts: Thoughts,
}

/// What a span is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A stretch of whole lines. The parts follow one another and are the whole source.
    Part(Part),
    /// One line that is a heading, of level 1 to 6.
    Heading {
        /// 1 is the highest.
        level: u8,
    },
    /// One line of prose.
    Paragraph,
    /// A break between scenes.
    SceneBreak(SceneBreak),
    /// What nobody says.
    Narration,
    /// What somebody says, with its brackets.
    Dialogue(Closing),
    /// What somebody thinks, with its brackets.
    Thought(Closing),
    /// A base with its ruby and the marks of both.
    Ruby {
        /// What the ruby stands on.
        base: Range<usize>,
        /// The ruby itself.
        text: Range<usize>,
    },
    /// Emphasised text with its marks.
    Emphasis(Emphasis),
    /// An editor's note ［＃…］.
    Note(Note),
}

/// What a stretch of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Metadata: front matter, or the title and author of an Aozora file.
    Front,
    /// The legend of an Aozora file.
    Legend,
    /// The heading that names the episode.
    Title,
    /// 前書き.
    Foreword,
    /// The story.
    Body,
    /// 後書き.
    Afterword,
    /// Where an Aozora file comes from.
    Colophon,
}

/// How scenes are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneBreak {
    /// Two or more empty lines.
    Empty,
    /// A line of signs.
    Signs,
    /// A new page.
    Page,
}

/// How speech ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// With its bracket.
    Closed,
    /// It goes on in the next paragraph, and began here or before.
    Continues,
    /// With the paragraph; nothing closes it.
    Open,
}

/// How text is emphasised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// 傍点 of any shape.
    Dots,
    /// 傍線 of any shape.
    Line,
    /// 太字.
    Bold,
    /// 斜体.
    Italic,
}

/// Who is heard at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Nobody in the story.
    Narration,
    /// Somebody who speaks.
    Dialogue,
    /// Somebody who thinks.
    Thought,
}

/// One line of the source and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Its content, without what ends it.
    pub content: Range<usize>,
    /// Where the next line begins.
    pub next: usize,
    /// Which part it belongs to.
    pub part: Part,
    /// What it is.
    pub kind: LineKind,
}

/// A manuscript, read.
#[derive(Clone, Debug)]
pub struct Manuscript {
    source: String,
    reading: Reading,
    lines: Vec<SourceLine>,
    spans: Vec<Span>,
    visible: Visible,
    issues: Vec<Issue>,
    places: lines::Places,
}

impl Manuscript {
    /// Reads a text. Takes time in proportion to its length, whatever it is.
    #[must_use]
    pub fn read(source: impl Into<String>, reading: Reading) -> Self {
        let source = source.into();
        let mut found = Found::default();
        let mut lines = blocks::classify(&source, reading.syntax, &mut found.issues);
        for line in &mut lines {
            let before = found.spans.len();
            inline::read(&source, reading.syntax, line, &mut found);
            found.of_lines.push(before..found.spans.len());
        }
        blocks::join(&source, &lines, &mut found);
        voices::find(&source, reading.thoughts, &lines, &mut found);
        found.issues.sort_by_key(|issue| issue.range.start);
        Self {
            places: lines::Places::of(&source),
            spans: spans::nest(found.spans),
            visible: found.visible,
            issues: found.issues,
            source,
            reading,
            lines,
        }
    }

    /// The text as it was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How it was read.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Every line of the source, in order.
    #[must_use]
    pub fn lines(&self) -> &[SourceLine] {
        &self.lines
    }

    /// All spans; one comes before what it contains and before what follows it.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// What a reader sees, and where it stands in the source.
    #[must_use]
    pub fn visible(&self) -> &Visible {
        &self.visible
    }

    /// What is wrong with the markup, in the order of the text.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Line and column of a byte, which must begin a character.
    #[must_use]
    pub fn position(&self, byte: usize) -> Position {
        self.places.position(&self.source, byte)
    }

    /// The visible text of a range of the source.
    #[must_use]
    pub fn visible_in(&self, range: &Range<usize>) -> &str {
        self.visible.within(range)
    }

    /// The characters of one part.
    #[must_use]
    pub fn count(&self, part: Part) -> Counts {
        let parts = self.spans.iter().filter(|span| span.kind == Kind::Part(part));
        parts.map(|span| Counts::of(self.visible_in(&span.range))).sum()
    }

    /// The body's characters by voice, headings aside.
    #[must_use]
    pub fn count_voice(&self, voice: Voice) -> Counts {
        let mut counts = Counts::default();
        for (range, heard) in self.voices() {
            if heard == voice {
                counts += Counts::of(self.visible_in(&range));
            }
        }
        counts
    }

    /// The body cut by voice: ranges of the source that follow one another, each with the innermost voice around it.
    #[must_use]
    pub fn voices(&self) -> Vec<(Range<usize>, Voice)> {
        let bodies: Vec<&Range<usize>> = self
            .spans
            .iter()
            .filter(|span| span.kind == Kind::Part(Part::Body))
            .map(|span| &span.range)
            .collect();
        let mut cut = Vec::new();
        let mut open: Vec<(usize, Voice)> = Vec::new();
        let mut at = 0;
        let mut push = |from: &mut usize, to: usize, voice: Voice| {
            let body = bodies.partition_point(|body| body.end <= *from);
            if *from < to && bodies.get(body).is_some_and(|body| body.start <= *from) {
                cut.push((*from..to, voice));
            }
            *from = to;
        };
        for span in &self.spans {
            let voice = match span.kind {
                Kind::Narration => Voice::Narration,
                Kind::Dialogue(_) => Voice::Dialogue,
                Kind::Thought(_) => Voice::Thought,
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

/// What the readers of a manuscript's layers add to.
#[derive(Debug, Default)]
struct Found {
    spans: Vec<Span>,
    visible: Visible,
    issues: Vec<Issue>,
    /// Which spans each line has, as places in `spans`.
    of_lines: Vec<Range<usize>>,
}

impl Found {
    fn span(&mut self, kind: Kind, range: Range<usize>) {
        self.spans.push(Span::new(kind, range));
    }

    fn issue(&mut self, kind: IssueKind, range: Range<usize>) {
        self.issues.push(Issue { kind, range });
    }
}

#[cfg(test)]
mod tests;
