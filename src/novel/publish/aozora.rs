//! The notation of Aozora Bunko, in UTF-8, and in `Shift_JIS` as the library accepts it.
//!
//! An Aozora file is reproduced unchanged: header, legend and colophon are copied, and rubies have a bar only if one is
//! needed. `Shift_JIS` here is limited to JIS X 0208; other characters are written as notes with their Unicode code
//! points and listed as losses.

use std::ops::Range;

use encoding_rs::SHIFT_JIS;

use super::{PublishLoss, PublishLossKind, WorkTitle, WriterOutput};
use crate::manuscript::{
    AozoraNote, Emphasis, InlineElement, LineKind, Manuscript, ManuscriptPart, ManuscriptSyntax, SceneBreak, SpanKind,
    is_one_run,
};

/// Characters that a note cannot repeat, because they are written by name or belong to a mark.
const SIGNS: [char; 6] = ['《', '》', '｜', '［', '］', '※'];

/// Writes a text. `work` forms the header unless the source has its own.
pub fn write(manuscript: &Manuscript, work: &WorkTitle) -> WriterOutput<String> {
    let mut writer =
        AozoraWriter { manuscript, out: String::new(), before: None, has_foreword: false, losses: Vec::new() };
    let is_own = manuscript.lines().first().is_some_and(|line| line.part == ManuscriptPart::Front)
        && manuscript.reading().syntax == ManuscriptSyntax::Aozora;
    if !is_own {
        writer.out = format!("{}\n{}\n\n", work.title, work.author);
    }
    let mut part = None;
    for line in manuscript.lines() {
        if part != Some(line.part) && manuscript.reading().syntax == ManuscriptSyntax::Web {
            writer.part_begins(line.part);
        }
        part = Some(line.part);
        match line.kind {
            // The front matter of a web manuscript is metadata, not text.
            LineKind::Verbatim if manuscript.reading().syntax == ManuscriptSyntax::Web => continue,
            LineKind::PartMark => {
                if line.part != ManuscriptPart::Body {
                    let name = if line.part == ManuscriptPart::Foreword { "前書き" } else { "後書き" };
                    let (indent, kind) = heading(2);
                    writer.out.push_str(&format!("［＃{indent}字下げ］{name}［＃「{name}」は{kind}］\n"));
                }
                continue;
            }
            LineKind::Verbatim => writer.out.push_str(&manuscript.source()[line.content.clone()]),
            _ => writer.line(&line.content, line.kind),
        }
        writer.out.push_str(&manuscript.source()[line.content.end..line.next]);
    }
    WriterOutput { output: writer.out, losses: writer.losses }
}

/// The level of the lowest heading, 小見出し.
const LOWEST_HEADING: u8 = 3;

/// Returns the indent and the name of a heading.
fn heading(level: u8) -> (&'static str, &'static str) {
    match level {
        1 => ("３", "大見出し"),
        2 => ("５", "中見出し"),
        _ => ("７", "小見出し"),
    }
}

struct AozoraWriter<'a> {
    manuscript: &'a Manuscript,
    out: String,
    /// The last visible character of the line; `None` if a mark follows it.
    before: Option<char>,
    has_foreword: bool,
    losses: Vec<PublishLoss>,
}

impl AozoraWriter<'_> {
    /// Starts a new page for a part of a web manuscript if it follows another.
    fn part_begins(&mut self, part: ManuscriptPart) {
        self.has_foreword |= part == ManuscriptPart::Foreword;
        if part == ManuscriptPart::Afterword || (part == ManuscriptPart::Body && self.has_foreword) {
            self.out.push_str("［＃改ページ］\n");
        }
    }

    fn line(&mut self, content: &Range<usize>, kind: LineKind) {
        self.before = None;
        let source = self.manuscript.source();
        let LineKind::Heading { level, text } = kind else {
            if kind == LineKind::SceneBreak(SceneBreak::Signs) {
                self.out.push_str(&source[content.clone()]);
            } else {
                self.inlines(content);
            }
            return;
        };
        let has_note = |piece: &InlineElement| matches!(piece, InlineElement::Note(AozoraNote::Heading(_), _));
        if self.manuscript.inlines(content).iter().any(has_note) {
            return self.inlines(content);
        }
        if level > LOWEST_HEADING {
            self.losses.push(PublishLoss { kind: PublishLossKind::HeadingLevel, range: content.clone() });
        }
        let words = self.manuscript.visible_in(&(text..content.end)).trim().to_owned();
        let (indent, name) = heading(level);
        self.out.push_str(&format!("［＃{indent}字下げ］"));
        if words.contains(SIGNS) || words.is_empty() {
            self.out.push_str(&format!("［＃{name}］"));
            self.inlines(&(text..content.end));
            self.out.push_str(&format!("［＃{name}終わり］"));
        } else {
            self.inlines(&(text..content.end));
            self.out.push_str(&format!("［＃「{words}」は{name}］"));
        }
    }

    fn inlines(&mut self, range: &Range<usize>) {
        // For each open emphasis, its start in the output, or `None` if its own notes are copied.
        let mut begun: Vec<Option<usize>> = Vec::new();
        let source = self.manuscript.source();
        for piece in self.manuscript.inlines(range) {
            match piece {
                InlineElement::Text(text, _) => self.text(text),
                InlineElement::Character(_, range) => {
                    self.out.push_str(&source[range]);
                    self.before = Some('※');
                }
                InlineElement::Ruby { text, range, .. } => self.ruby(&range, text),
                InlineElement::Begin(_, range) => {
                    begun.push((!source[range].ends_with('］')).then_some(self.out.len()));
                }
                InlineElement::End(emphasis, _) => {
                    if let Some(start) = begun.pop().flatten() {
                        self.emphasis(start, emphasis);
                        self.before = None;
                    }
                }
                InlineElement::Note(_, range) => {
                    self.out.push_str(&source[range]);
                    self.before = None;
                }
            }
        }
    }

    /// Writes text; characters of a web manuscript that are signs in this notation are written by name.
    fn text(&mut self, text: &str) {
        self.before = text.chars().next_back();
        if self.manuscript.reading().syntax == ManuscriptSyntax::Aozora {
            return self.out.push_str(text);
        }
        for (at, c) in text.char_indices() {
            match c {
                '《' => self.out.push_str("※［＃始め二重山括弧、1-1-52］"),
                '》' => self.out.push_str("※［＃終わり二重山括弧、1-1-53］"),
                '｜' => self.out.push_str("※［＃縦線、1-1-35］"),
                '※' => self.out.push_str("※［＃米印、1-2-8］"),
                '［' if text[at..].starts_with("［＃") => self.out.push_str("※［＃始め角括弧、1-1-46］"),
                _ => self.out.push(c),
            }
        }
    }

    /// Writes a ruby. The bar is needed unless the base is one run of a character class that the preceding character
    /// does not share.
    fn ruby(&mut self, range: &Range<usize>, text: &str) {
        let source = self.manuscript.source();
        let spans = self.manuscript.spans();
        let at = spans.partition_point(|span| span.range.start < range.start);
        let base = spans[at..].iter().find_map(|span| match &span.kind {
            SpanKind::Ruby { base, .. } => Some(base),
            _ => None,
        });
        let Some(base) = base.cloned() else { return };
        let before = self.before;
        let at = self.out.len();
        // The base as a reader will see it: ※ for characters written by name or by code.
        let mut seen = String::new();
        let mut is_plain = true;
        for piece in self.manuscript.inlines(&base) {
            match piece {
                InlineElement::Text(text, _) => {
                    let from = self.out.len();
                    self.text(text);
                    is_plain &= self.out[from..] == *text && !text.contains('※');
                    seen.push_str(text);
                }
                InlineElement::Character(_, range) => {
                    self.out.push_str(&source[range]);
                    seen.push('※');
                }
                InlineElement::Note(_, range) => {
                    self.out.push_str(&source[range]);
                    is_plain = false;
                }
                InlineElement::Ruby { .. } | InlineElement::Begin(..) | InlineElement::End(..) => {}
            }
        }
        let first = seen.chars().next().unwrap_or_default();
        let is_longer = before.is_some_and(|before| is_one_run([before, first]));
        if is_longer || !is_plain || !is_one_run(seen.chars()) {
            self.out.insert(at, '｜');
        }
        self.out.push_str(&format!("《{text}》"));
        self.before = None;
    }

    /// Marks an emphasis: ［＃「words」に傍点］ after plain words, otherwise a note at both ends.
    fn emphasis(&mut self, start: usize, emphasis: Emphasis) {
        let words = self.out[start..].to_owned();
        let (joint, name) = match emphasis {
            Emphasis::Dots => ("に", "傍点"),
            Emphasis::Line => ("に", "傍線"),
            Emphasis::Bold => ("は", "太字"),
            Emphasis::Italic => ("は", "斜体"),
        };
        if words.contains(SIGNS) || words.is_empty() {
            self.out.insert_str(start, &format!("［＃{name}］"));
            self.out.push_str(&format!("［＃{name}終わり］"));
        } else {
            self.out.push_str(&format!("［＃「{words}」{joint}{name}］"));
        }
    }
}

/// Encodes a text for submission: `Shift_JIS` with CR LF line ends. A character missing in JIS X 0208 becomes a note
/// with its code point. The ranges of losses are bytes of `text`.
pub fn to_shift_jis(text: &str) -> WriterOutput<Vec<u8>> {
    let mut output = Vec::with_capacity(text.len());
    let mut losses = Vec::new();
    let mut unit = [0; 4];
    for (at, c) in text.char_indices() {
        match c {
            '\n' => output.extend_from_slice(b"\r\n"),
            // The following line feed writes the carriage return.
            '\r' if text[at + 1..].starts_with('\n') => {}
            _ => {
                // The WHATWG encoder writes ¥ and ‾ as the bytes of \ and ~, which decode to those.
                let (bytes, _, is_lost) = SHIFT_JIS.encode(preferred_duplicate(c).encode_utf8(&mut unit));
                if is_lost || !is_standard(&bytes) || matches!(c, '¥' | '‾') {
                    let note = format!("※［＃「U+{0:04X}」、U+{0:04X}］", u32::from(c));
                    let (bytes, ..) = SHIFT_JIS.encode(&note);
                    output.extend_from_slice(&bytes);
                    losses.push(PublishLoss { kind: PublishLossKind::Unencodable(c), range: at..at + c.len_utf8() });
                } else {
                    output.extend_from_slice(&bytes);
                }
            }
        }
    }
    WriterOutput { output, losses }
}

/// Maps characters of JIS X 0208 that Unicode encodes twice to the one that the WHATWG encoder knows.
fn preferred_duplicate(c: char) -> char {
    match c {
        '〜' => '～',
        '‖' => '∥',
        '−' => '－',
        '—' => '―',
        '¢' => '￠',
        '£' => '￡',
        '¬' => '￢',
        _ => c,
    }
}

/// True if a code belongs to JIS X 0201 or 0208 and is not a vendor extension.
fn is_standard(bytes: &[u8]) -> bool {
    match bytes {
        [_] => true,
        // Row 13 (NEC), and the rows after 84 (NEC and IBM).
        [0x87, trail] => *trail >= 0x9f,
        [lead, _] => (0x81..=0x9f).contains(lead) || (0xe0..=0xea).contains(lead),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::SHIFT_JIS;

    use super::{to_shift_jis, write};
    use crate::{
        manuscript::{Manuscript, ManuscriptOptions, ManuscriptSyntax},
        publish::{PublishLossKind, WorkTitle},
    };

    fn work() -> WorkTitle {
        WorkTitle { title: "題".to_owned(), author: "著者".to_owned() }
    }

    fn from_web(source: &str) -> String {
        write(&Manuscript::read(source, ManuscriptOptions::default()), &work()).output
    }

    #[test]
    fn a_web_episode_becomes_a_file_of_the_library() {
        let written = from_web(
            "# 第1話　雨《あめ》\n\n　今日《きょう》は本気《マジ》で《《走った》》、**太く**。\n## 《印》\n［＃改ページ］\n＊＊＊\n",
        );
        assert_eq!(
            written,
            "題\n著者\n\n［＃３字下げ］第1話　雨《あめ》［＃「第1話　雨」は大見出し］\n\n　今日《きょう》は本気《マジ》で走った［＃「走った」に傍点］、太く［＃「太く」は太字］。\n［＃５字下げ］［＃中見出し］※［＃始め二重山括弧、1-1-52］印※［＃終わり二重山括弧、1-1-53］［＃中見出し終わり］\n［＃改ページ］\n＊＊＊\n"
        );
    }

    #[test]
    fn forewords_and_afterwords_stand_on_pages_of_their_own() {
        let written = from_web("【前書き】\nどうも。\n【本文】\n　本文。\n【後書き】\nまた。\n");
        assert_eq!(
            written,
            "題\n著者\n\n［＃５字下げ］前書き［＃「前書き」は中見出し］\nどうも。\n［＃改ページ］\n　本文。\n［＃改ページ］\n［＃５字下げ］後書き［＃「後書き」は中見出し］\nまた。\n"
        );
    }

    #[test]
    fn notation_signs_are_escaped_by_name() {
        let written = from_web("本文。\n**※**と｜《《》」［＃閉じない\n");
        assert_eq!(
            written,
            "題\n著者\n\n本文。\n［＃太字］※［＃米印、1-2-8］［＃太字終わり］と※［＃始め二重山括弧、1-1-52］※［＃始め二重山括弧、1-1-52］※［＃終わり二重山括弧、1-1-53］」※［＃始め角括弧、1-1-46］＃閉じない\n"
        );
    }

    #[test]
    fn ruby_bar_is_written_only_when_needed() {
        for (source, line) in [
            ("のX《エックス》線《せん》", "のX《エックス》線《せん》"),
            ("夕方｜折戸《おりど》", "夕方｜折戸《おりど》"),
            ("｜お伽話《とぎばなし》", "｜お伽話《とぎばなし》"),
            ("｜今日《きょう》", "今日《きょう》"),
            ("※［＃「土へん＋竒」、U+57FC］玉《さいたま》", "※［＃「土へん＋竒」、U+57FC］玉《さいたま》"),
        ] {
            let syntax = ManuscriptSyntax::Aozora;
            let manuscript = Manuscript::read(
                format!("　{line}\n").replace(line, source),
                ManuscriptOptions { syntax, ..ManuscriptOptions::default() },
            );
            let written = write(&manuscript, &work()).output;
            assert_eq!(written, format!("題\n著者\n\n　{line}\n"), "{source}");
        }
    }

    #[test]
    fn characters_outside_jis_x_0208_are_written_by_code_point() {
        let written = to_shift_jis("〜①髙🙂—ｱ\\¥\n");
        let (text, _, damaged) = SHIFT_JIS.decode(&written.output);
        assert!(!damaged);
        assert_eq!(
            text,
            "～※［＃「U+2460」、U+2460］※［＃「U+9AD9」、U+9AD9］※［＃「U+1F642」、U+1F642］―ｱ\\※［＃「U+00A5」、U+00A5］\r\n"
        );
        let lost: Vec<PublishLossKind> = written.losses.iter().map(|loss| loss.kind).collect();
        assert_eq!(lost, ['①', '髙', '🙂', '¥'].map(PublishLossKind::Unencodable));
        assert_eq!(written.losses[1].range, 6..9);
    }
}
