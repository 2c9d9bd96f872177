//! The length of a text on manuscript paper (原稿用紙): sheets of twenty lines of twenty squares, the unit in which
//! Japanese publishers and prizes measure.
//!
//! The text is laid out and its lines are counted, because a prize of 100 sheets means 100 sheets as written, with short
//! lines and blank lines, and not 40,000 characters. The rules are those that Japanese schools teach: one square for each
//! character, the space that opens a paragraph included; one for two half-width characters; a mark that may not begin a
//! line shares the last square of the line before; ruby has no square. Blank lines at both ends of the text are not
//! counted.

use super::{LineKind, Manuscript, ManuscriptPart, SceneBreak, characters::is_modifier};

/// The squares in a line, and the lines on a sheet.
const SQUARES: usize = 20;
const LINES: usize = 20;

/// The lines that a text takes on manuscript paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaperLines(pub usize);

impl PaperLines {
    /// Returns the number of sheets, the last of which may have room.
    pub const fn sheets(self) -> usize {
        self.0.div_ceil(LINES)
    }
}

impl Manuscript {
    /// Counts the lines of the story with its headings.
    pub fn paper_lines(&self) -> PaperLines {
        let (mut lines, mut blank) = (0, 0);
        for line in self.lines().iter().filter(|line| line.part == ManuscriptPart::Body) {
            let text = self.visible_in(&line.content).trim_end();
            match line.kind {
                LineKind::PartMark | LineKind::Notes => {}
                // The text continues on a new sheet.
                LineKind::SceneBreak(SceneBreak::Page) => {
                    lines = PaperLines(lines).sheets() * LINES;
                    blank = 0;
                }
                _ if text.is_empty() => blank += usize::from(lines > 0),
                _ => lines += std::mem::take(&mut blank) + lines_of(text),
            }
        }
        PaperLines(lines)
    }
}

/// Counts the lines of one paragraph.
fn lines_of(text: &str) -> usize {
    const FULL: usize = 2 * SQUARES;
    // The position in the line, in halves of a square.
    let (mut lines, mut at) = (1, 0);
    for c in text.chars().filter(|c| !is_modifier(*c)) {
        let (start, width) = if is_half_width(c) { (at, 1) } else { (at + at % 2, 2) };
        if start + width <= FULL {
            at = start + width;
        } else if !is_never_first(c) {
            lines += 1;
            at = width;
        }
    }
    lines
}

fn is_half_width(c: char) -> bool {
    c.is_ascii() || ('｡'..='ﾟ').contains(&c)
}

/// True for marks that may not begin a line: full stops, commas and closing brackets.
fn is_never_first(c: char) -> bool {
    "、。，．」』）〕］｝〉》】!?！？,.)]}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::lines_of;
    use crate::manuscript::{Manuscript, ManuscriptOptions};

    #[test]
    fn a_line_has_twenty_squares() {
        for (text, lines) in [
            ("「ああ」".to_owned(), 1),
            ("あ".repeat(20), 1),
            ("あ".repeat(21), 2),
            ("あ".repeat(40), 2),
            // Marks that may not begin a line share the last square of the line before.
            ("あ".repeat(20) + "。」", 1),
            ("あ".repeat(20) + "。」あ", 2),
            // An opening bracket begins a line.
            ("あ".repeat(20) + "「", 2),
            // Two half-width characters share a square; a full-width one begins a new square.
            ("a1".repeat(20), 1),
            ("a1".repeat(20) + "a", 2),
            ("あ".repeat(19) + "1", 1),
            ("あ".repeat(18) + "1あ", 1),
            ("あ".repeat(18) + "1ああ", 2),
            // A combining mark has no square of its own.
            ("か\u{3099}".repeat(20), 1),
        ] {
            assert_eq!(lines_of(&text), lines, "{text}");
        }
    }

    #[test]
    fn sheets_count_lines_and_not_characters() {
        let sheets = |source: &str| Manuscript::read(source, ManuscriptOptions::default()).paper_lines().sheets();
        // Twenty short lines are a sheet, as four hundred characters in one paragraph are.
        assert_eq!(sheets(&"「ああ」\n".repeat(20)), 1);
        assert_eq!(sheets(&"「ああ」\n".repeat(21)), 2);
        assert_eq!(sheets(&"あ".repeat(400)), 1);
        assert_eq!(sheets(&"あ".repeat(401)), 2);
        // Ruby, the title, forewords and blank lines at the ends are not counted; those within are.
        let story = |within: &str| format!("# 題\n\n【前書き】\nどうも。\n【本文】\n\n{within}\n\n");
        assert_eq!(sheets(&story(&"漢字《かんじ》\n".repeat(20))), 1);
        assert_eq!(sheets(&story(&("あ\n".repeat(10) + "\n" + &"あ\n".repeat(10)))), 2);
        // A page break begins a new sheet.
        assert_eq!(sheets("あ\n［＃改ページ］\nい\n"), 2);
        assert_eq!(sheets(""), 0);
    }
}
