//! The inside of a page: the model as XHTML, the same for the single file and for the book.
//!
//! What it makes is well-formed whatever the text: letters are escaped, control characters left out and listed. Elements are
//! opened and closed in a list, never by recursion.

use std::ops::Range;

use super::{Loss, LossKind, upright};
use crate::manuscript::{Emphasis, Inline, LineKind, Manuscript, Note, Part, SceneBreak, SourceLine};

/// A page's elements, with what its table of contents needs.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) body: String,
    /// Headings within the story: the id of the element, and its words.
    pub(super) headings: Vec<(String, String)>,
    pub(super) losses: Vec<Loss>,
}

/// Writes a manuscript. `title` heads it if it has no heading of its own.
pub(super) fn page(manuscript: &Manuscript, title: &str) -> Page {
    let mut page = Page::default();
    if !manuscript.lines().iter().any(|line| line.part == Part::Title) {
        page.body.push_str("<h1>");
        page.text(title, &(0..0));
        page.body.push_str("</h1>\n");
    }
    let mut writer = Writer {
        manuscript,
        page,
        highest: highest(manuscript),
        indent: 0,
        section: None,
        empty: 0,
    };
    for line in manuscript.lines() {
        writer.line(line);
    }
    writer.section(None);
    writer.page
}

fn highest(manuscript: &Manuscript) -> u8 {
    let levels = manuscript.lines().iter().filter_map(|line| match line.kind {
        LineKind::Heading { level, .. } if line.part != Part::Title => Some(level),
        _ => None,
    });
    levels.min().unwrap_or(1)
}

/// Letters as XML has them.
pub(super) fn escaped(text: &str) -> String {
    let mut page = Page::default();
    page.letters(text, &(0..0));
    page.body
}

impl Page {
    /// Letters, escaped; the range is where they come from.
    fn letters(&mut self, text: &str, from: &Range<usize>) {
        for c in text.chars() {
            match c {
                '&' => self.body.push_str("&amp;"),
                '<' => self.body.push_str("&lt;"),
                '>' => self.body.push_str("&gt;"),
                '"' => self.body.push_str("&quot;"),
                '\t' | '\n' => self.body.push(c),
                '\u{fffe}' | '\u{ffff}' | '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => self.losses.push(Loss {
                    kind: LossKind::Control(c),
                    range: from.clone(),
                }),
                _ => self.body.push(c),
            }
        }
    }

    /// Letters, with what stands upright.
    fn text(&mut self, text: &str, from: &Range<usize>) {
        for (piece, is_upright) in upright::pieces(text) {
            if is_upright {
                self.body.push_str("<span class=\"tcy\">");
                self.letters(piece, from);
                self.body.push_str("</span>");
            } else {
                self.letters(piece, from);
            }
        }
    }
}

struct Writer<'a> {
    manuscript: &'a Manuscript,
    page: Page,
    /// The highest level of heading within the story: they go on below the title without a gap.
    highest: u8,
    /// Characters by which the lines are indented from here on.
    indent: u8,
    section: Option<Part>,
    /// Empty lines that are written once something follows them.
    empty: usize,
}

impl Writer<'_> {
    fn section(&mut self, part: Option<Part>) {
        if self.section == part {
            return;
        }
        if self.section.is_some() {
            self.page.body.push_str("</section>\n");
        }
        self.empty = 0;
        self.section = part;
        let (class, heading) = match part {
            Some(Part::Foreword) => ("foreword", "<h2>前書き</h2>\n"),
            Some(Part::Afterword) => ("afterword", "<h2>後書き</h2>\n"),
            Some(Part::Colophon) => ("colophon", ""),
            Some(_) => ("story", ""),
            None => return,
        };
        self.page
            .body
            .push_str(&format!("<section class=\"{class}\">\n{heading}"));
    }

    fn line(&mut self, line: &SourceLine) {
        let content = &line.content;
        let source = self.manuscript.source();
        match (line.part, line.kind) {
            // Titles and legends of files are the book's own, or about the file.
            (Part::Front | Part::Legend, _) | (_, LineKind::PartMark) | (Part::Title, LineKind::Empty) => return,
            (Part::Title, _) => {}
            (part, LineKind::Empty) => {
                self.empty += usize::from(self.section == Some(part));
                return;
            }
            (part, _) => self.section(Some(part)),
        }
        self.page
            .body
            .push_str(&"<p><br /></p>\n".repeat(std::mem::take(&mut self.empty)));
        match line.kind {
            LineKind::Heading { level, text } => self.heading(line.part, level, text..content.end),
            LineKind::Paragraph => self.paragraph(content),
            LineKind::SceneBreak(SceneBreak::Page) => self.page.body.push_str("<hr class=\"page\" />\n"),
            LineKind::SceneBreak(_) => {
                self.page.body.push_str("<p class=\"break\">");
                self.page.text(source[content.clone()].trim(), content);
                self.page.body.push_str("</p>\n");
            }
            LineKind::Notes => self.notes(content),
            LineKind::Verbatim => {
                self.page.body.push_str("<p>");
                self.page.text(&source[content.clone()], content);
                self.page.body.push_str("</p>\n");
            }
            LineKind::Empty | LineKind::PartMark => {}
        }
    }

    fn heading(&mut self, part: Part, level: u8, words: Range<usize>) {
        let element = if part == Part::Title {
            1
        } else {
            (2 + level.saturating_sub(self.highest)).min(6)
        };
        let id = format!("h{}", self.page.headings.len() + 1);
        if part == Part::Body {
            let shown = self.manuscript.text_of(&words).trim().to_owned();
            self.page.headings.push((id.clone(), shown));
            self.page.body.push_str(&format!("<h{element} id=\"{id}\">"));
        } else {
            self.page.body.push_str(&format!("<h{element}>"));
        }
        self.inlines(&words);
        self.page.body.push_str(&format!("</h{element}>\n"));
    }

    /// A paragraph; notes at its head may move it.
    fn paragraph(&mut self, content: &Range<usize>) {
        let (mut indent, mut foot) = (self.indent, None);
        for piece in self.manuscript.inlines(content) {
            match piece {
                Inline::Note(Note::Indent(amount), _) => indent = *amount,
                Inline::Note(Note::FromFoot(amount), _) => foot = Some(*amount),
                _ => {}
            }
        }
        let style = match (foot, indent) {
            (Some(0), _) => " class=\"foot\"".to_owned(),
            (Some(amount), _) => format!(" class=\"foot\" style=\"margin-bottom: {amount}em\""),
            (None, 0) => String::new(),
            (None, amount) => format!(" style=\"margin-top: {amount}em\""),
        };
        self.page.body.push_str(&format!("<p{style}>"));
        self.inlines(content);
        self.page.body.push_str("</p>\n");
    }

    /// A line of notes: what changes the lines after it, and what is left out.
    fn notes(&mut self, content: &Range<usize>) {
        for piece in self.manuscript.inlines(content) {
            match piece {
                Inline::Note(Note::IndentFrom(amount), _) => self.indent = *amount,
                Inline::Note(Note::IndentEnd, _) => self.indent = 0,
                Inline::Note(_, range) => self.page.losses.push(Loss {
                    kind: LossKind::Note,
                    range,
                }),
                _ => {}
            }
        }
    }

    fn inlines(&mut self, content: &Range<usize>) {
        // The same emphasis within itself changes nothing.
        let mut depth = [0_usize; 4];
        for piece in self.manuscript.inlines(content) {
            match piece {
                Inline::Text(text, at) => self.page.text(text, &(at..at + text.len())),
                Inline::Character(Some(c), range) => self.page.letters(c.encode_utf8(&mut [0; 4]), &range),
                Inline::Character(None, range) => {
                    self.page.body.push('※');
                    self.page.losses.push(Loss {
                        kind: LossKind::UnknownCharacter,
                        range,
                    });
                }
                Inline::Ruby { base, text, range } => {
                    self.page.body.push_str("<ruby>");
                    self.page.text(&base, &range);
                    self.page.body.push_str("<rt>");
                    self.page.letters(text, &range);
                    self.page.body.push_str("</rt></ruby>");
                }
                Inline::Begin(emphasis, _) => {
                    let (place, open, _) = tags(emphasis);
                    if depth[place] == 0 {
                        self.page.body.push_str(open);
                    }
                    depth[place] += 1;
                }
                Inline::End(emphasis, _) => {
                    let (place, _, close) = tags(emphasis);
                    depth[place] -= 1;
                    if depth[place] == 0 {
                        self.page.body.push_str(close);
                    }
                }
                Inline::Note(
                    Note::Emphasis(_) | Note::Heading(_) | Note::Indent(_) | Note::FromFoot(_) | Note::Character(_),
                    _,
                ) => {}
                Inline::Note(_, range) => self.page.losses.push(Loss {
                    kind: LossKind::Note,
                    range,
                }),
            }
        }
    }
}

/// Where an emphasis is counted, and its tags.
const fn tags(emphasis: Emphasis) -> (usize, &'static str, &'static str) {
    match emphasis {
        Emphasis::Dots => (0, "<em class=\"dots\">", "</em>"),
        Emphasis::Line => (1, "<em class=\"line\">", "</em>"),
        Emphasis::Bold => (2, "<b>", "</b>"),
        Emphasis::Italic => (3, "<i>", "</i>"),
    }
}
