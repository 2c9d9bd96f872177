//! The contents of a page: the manuscript as XHTML, for both the single HTML file and the book.
//!
//! The output is well-formed for any text: characters are escaped, control characters are left out and reported as
//! losses. Elements are opened and closed iteratively, without recursion. A long text may be split into several files,
//! each well-formed by itself.

use std::ops::Range;

use super::{PublishLoss, PublishLossKind, tate_chu_yoko};
use crate::manuscript::{
    AozoraNote, Emphasis, InlineElement, LineKind, Manuscript, ManuscriptPart, SceneBreak, SourceLine, SpanKind,
};

/// The elements of a page, with the data for its table of contents.
#[derive(Debug, Default)]
pub(super) struct XhtmlPage {
    /// The files before the last one.
    pub(super) full: Vec<String>,
    /// The last file, which is the only one unless the text was split.
    pub(super) body: String,
    pub(super) headings: Vec<PageHeading>,
    pub(super) losses: Vec<PublishLoss>,
}

/// A heading within the story.
#[derive(Debug)]
pub(super) struct PageHeading {
    /// The index of the file of the page that contains the heading.
    pub(super) file: usize,
    /// The id of its element.
    pub(super) id: String,
    pub(super) words: String,
}

/// The sizes, in bytes, from which a file ends at the next position of each kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSplitSizes {
    /// The size from which a file ends before a heading or at a page break, where a new page begins or may begin
    /// anyway.
    pub(super) at_heading: usize,
    /// The size from which a file ends before a scene break.
    pub(super) at_scene: usize,
    /// The size from which a file ends between any two paragraphs.
    pub(super) anywhere: usize,
}

impl FileSplitSizes {
    /// Never splits a text, however long.
    pub(super) const NEVER: Self = Self { at_heading: usize::MAX, at_scene: usize::MAX, anywhere: usize::MAX };

    /// Keeps files small enough for quick loading. Some reading systems reject more than 300 KiB; an episode of 4,000
    /// characters has 13 KiB and is never split.
    pub(super) const OF_BOOKS: Self = Self { at_heading: 48 << 10, at_scene: 96 << 10, anywhere: 192 << 10 };
}

/// The author's forewords and afterwords, which accompany an episode on a web site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthorNotes {
    #[default]
    Kept,
    /// They are not written, and each is reported as a loss.
    LeftOut,
}

/// Writes a manuscript. `title` becomes the heading if the manuscript has none.
pub(super) fn page(manuscript: &Manuscript, title: &str, cuts: FileSplitSizes, notes: AuthorNotes) -> XhtmlPage {
    let mut page = XhtmlPage::default();
    if !manuscript.lines().iter().any(|line| line.part == ManuscriptPart::Title) {
        page.body.push_str("<h1>");
        page.text(title, &(0..0));
        page.body.push_str("</h1>\n");
    }
    let mut writer =
        XhtmlWriter { manuscript, page, cuts, highest: highest(manuscript), indent: 0, section: None, empty: 0 };
    let left_out =
        |part| notes == AuthorNotes::LeftOut && matches!(part, ManuscriptPart::Foreword | ManuscriptPart::Afterword);
    for line in manuscript.lines().iter().filter(|line| !left_out(line.part)) {
        writer.line(line);
    }
    writer.section(None);
    let mut page = writer.page;
    if notes == AuthorNotes::LeftOut {
        page.losses.extend(manuscript.spans().iter().filter_map(|span| match span.kind {
            SpanKind::Part(part @ (ManuscriptPart::Foreword | ManuscriptPart::Afterword)) => {
                Some(PublishLoss { kind: PublishLossKind::LeftOut(part), range: span.range.clone() })
            }
            _ => None,
        }));
        page.losses.sort_by_key(|loss| loss.range.start);
    }
    page
}

fn highest(manuscript: &Manuscript) -> u8 {
    let levels = manuscript.lines().iter().filter_map(|line| match line.kind {
        LineKind::Heading { level, .. } if line.part != ManuscriptPart::Title => Some(level),
        _ => None,
    });
    levels.min().unwrap_or(1)
}

/// Escapes a text for XML and drops control characters.
pub(super) fn escaped(text: &str) -> String {
    let mut page = XhtmlPage::default();
    page.letters(text, &(0..0));
    page.body
}

/// Escapes a text for XML, with upright pieces marked.
pub(super) fn upright(text: &str) -> String {
    let mut page = XhtmlPage::default();
    page.text(text, &(0..0));
    page.body
}

impl XhtmlPage {
    /// Appends escaped text; `from` is its range in the source.
    fn letters(&mut self, text: &str, from: &Range<usize>) {
        for c in text.chars() {
            match c {
                '&' => self.body.push_str("&amp;"),
                '<' => self.body.push_str("&lt;"),
                '>' => self.body.push_str("&gt;"),
                '"' => self.body.push_str("&quot;"),
                '\t' | '\n' => self.body.push(c),
                '\u{fffe}' | '\u{ffff}' | '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
                    self.losses.push(PublishLoss { kind: PublishLossKind::Control(c), range: from.clone() });
                }
                _ => self.body.push(c),
            }
        }
    }

    /// Appends escaped text with upright pieces marked.
    fn text(&mut self, text: &str, from: &Range<usize>) {
        for (piece, is_upright) in tate_chu_yoko::pieces(text) {
            if is_upright {
                self.body.push_str("<span class=\"tcy\">");
                self.letters(&piece.chars().map(tate_chu_yoko::half_width).collect::<String>(), from);
                self.body.push_str("</span>");
            } else {
                self.letters(piece, from);
            }
        }
    }
}

struct XhtmlWriter<'a> {
    manuscript: &'a Manuscript,
    page: XhtmlPage,
    cuts: FileSplitSizes,
    /// The highest heading level within the story, which is mapped to the level directly below the title.
    highest: u8,
    /// The indent of the following lines, in characters.
    indent: u8,
    section: Option<ManuscriptPart>,
    /// The number of empty lines, written only when other content follows.
    empty: usize,
}

impl XhtmlWriter<'_> {
    fn section(&mut self, part: Option<ManuscriptPart>) {
        if self.section == part {
            return;
        }
        if self.section.is_some() {
            self.page.body.push_str("</section>\n");
        }
        self.empty = 0;
        self.section = part;
        let heading = match part {
            Some(ManuscriptPart::Foreword) => "<h2>前書き</h2>\n",
            Some(ManuscriptPart::Afterword) => "<h2>後書き</h2>\n",
            Some(_) => "",
            None => return,
        };
        self.open_section();
        self.page.body.push_str(heading);
    }

    fn open_section(&mut self) {
        let class = match self.section {
            Some(ManuscriptPart::Foreword) => "foreword",
            Some(ManuscriptPart::Afterword) => "afterword",
            Some(ManuscriptPart::Colophon) => "colophon",
            Some(_) => "story",
            None => return,
        };
        self.page.body.push_str(&format!("<section class=\"{class}\">\n"));
    }

    /// True if the file ends before a line of this kind.
    fn is_cut_before(&self, kind: LineKind) -> bool {
        let from = match kind {
            LineKind::Heading { .. } | LineKind::SceneBreak(SceneBreak::Page) => self.cuts.at_heading,
            LineKind::SceneBreak(_) => self.cuts.at_scene,
            LineKind::Paragraph | LineKind::Verbatim => self.cuts.anywhere,
            LineKind::Empty | LineKind::PartMark | LineKind::Notes => return false,
        };
        self.section.is_some() && self.page.body.len() >= from
    }

    /// Ends the file; the section continues in the next one.
    fn cut(&mut self) {
        self.page.body.push_str("</section>\n");
        self.page.full.push(std::mem::take(&mut self.page.body));
        self.empty = 0;
        self.open_section();
    }

    fn line(&mut self, line: &SourceLine) {
        let content = &line.content;
        let source = self.manuscript.source();
        match (line.part, line.kind) {
            // The front part and the legend describe the file; the book has its own title.
            (ManuscriptPart::Front | ManuscriptPart::Legend, _)
            | (_, LineKind::PartMark)
            | (ManuscriptPart::Title, LineKind::Empty) => return,
            (ManuscriptPart::Title, _) => {}
            (part, LineKind::Empty) => {
                self.empty += usize::from(self.section == Some(part));
                return;
            }
            (part, _) => self.section(Some(part)),
        }
        let is_cut = self.is_cut_before(line.kind);
        if is_cut {
            self.cut();
        }
        self.page.body.push_str(&"<p><br /></p>\n".repeat(std::mem::take(&mut self.empty)));
        match line.kind {
            LineKind::Heading { level, text } => self.heading(line.part, level, text..content.end),
            LineKind::Paragraph => self.paragraph(content),
            // A new file begins on a new page anyway.
            LineKind::SceneBreak(SceneBreak::Page) if is_cut => {}
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

    fn heading(&mut self, part: ManuscriptPart, level: u8, words: Range<usize>) {
        let element = if part == ManuscriptPart::Title { 1 } else { (2 + level.saturating_sub(self.highest)).min(6) };
        let id = format!("h{}", self.page.headings.len() + 1);
        if part == ManuscriptPart::Body {
            let heading = PageHeading {
                file: self.page.full.len(),
                id: id.clone(),
                words: self.manuscript.text_of(&words).trim().to_owned(),
            };
            self.page.headings.push(heading);
            self.page.body.push_str(&format!("<h{element} id=\"{id}\">"));
        } else {
            self.page.body.push_str(&format!("<h{element}>"));
        }
        self.inlines(&words);
        self.page.body.push_str(&format!("</h{element}>\n"));
    }

    /// Writes a paragraph; layout notes in it set its indent or alignment.
    fn paragraph(&mut self, content: &Range<usize>) {
        let (mut indent, mut foot) = (self.indent, None);
        for piece in self.manuscript.inlines(content) {
            match piece {
                InlineElement::Note(AozoraNote::Indent(amount), _) => indent = *amount,
                InlineElement::Note(AozoraNote::FromFoot(amount), _) => foot = Some(*amount),
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

    /// Handles a line of notes: applies indents of the following lines and reports the other notes as losses.
    fn notes(&mut self, content: &Range<usize>) {
        for piece in self.manuscript.inlines(content) {
            match piece {
                InlineElement::Note(AozoraNote::IndentFrom(amount), _) => self.indent = *amount,
                InlineElement::Note(AozoraNote::IndentEnd, _) => self.indent = 0,
                InlineElement::Note(_, range) => {
                    self.page.losses.push(PublishLoss { kind: PublishLossKind::Note, range });
                }
                _ => {}
            }
        }
    }

    fn inlines(&mut self, content: &Range<usize>) {
        // The same emphasis nested in itself changes nothing.
        let mut depth = [0_usize; 4];
        for piece in self.manuscript.inlines(content) {
            match piece {
                InlineElement::Text(text, at) => self.page.text(text, &(at..at + text.len())),
                InlineElement::Character(Some(c), range) => self.page.letters(c.encode_utf8(&mut [0; 4]), &range),
                InlineElement::Character(None, range) => {
                    self.page.body.push('※');
                    self.page.losses.push(PublishLoss { kind: PublishLossKind::UnknownCharacter, range });
                }
                InlineElement::Ruby { base, text, range } => {
                    self.page.body.push_str("<ruby>");
                    self.page.text(&base, &range);
                    self.page.body.push_str("<rt>");
                    self.page.letters(text, &range);
                    self.page.body.push_str("</rt></ruby>");
                }
                InlineElement::Begin(emphasis, _) => {
                    let (place, open, _) = tags(emphasis);
                    if depth[place] == 0 {
                        self.page.body.push_str(open);
                    }
                    depth[place] += 1;
                }
                InlineElement::End(emphasis, _) => {
                    let (place, _, close) = tags(emphasis);
                    depth[place] -= 1;
                    if depth[place] == 0 {
                        self.page.body.push_str(close);
                    }
                }
                InlineElement::Note(
                    AozoraNote::Emphasis(_)
                    | AozoraNote::Heading(_)
                    | AozoraNote::Indent(_)
                    | AozoraNote::FromFoot(_)
                    | AozoraNote::Character(_),
                    _,
                ) => {}
                InlineElement::Note(_, range) => {
                    self.page.losses.push(PublishLoss { kind: PublishLossKind::Note, range });
                }
            }
        }
    }
}

/// Returns the index of an emphasis in the depth counters, and its tags.
const fn tags(emphasis: Emphasis) -> (usize, &'static str, &'static str) {
    match emphasis {
        Emphasis::Dots => (0, "<em class=\"dots\">", "</em>"),
        Emphasis::Line => (1, "<em class=\"line\">", "</em>"),
        Emphasis::Bold => (2, "<b>", "</b>"),
        Emphasis::Italic => (3, "<i>", "</i>"),
    }
}
