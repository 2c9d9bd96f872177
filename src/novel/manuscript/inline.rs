//! The inside of a line: ruby, emphasis, notes, and the visible text among them.
//!
//! Every lookahead stops at the next sign of its own kind or uses a list made once for the line, so that a line of
//! signs takes no more time than one of words. Markup that cannot be parsed stays visible as typed. Speech is found
//! elsewhere, because it may continue on the next line (see [`super::voices`]).

use std::ops::Range;

use super::{
    AozoraNote, Emphasis, LineKind, ManuscriptSyntax, MarkupIssueKind, ParseResults, SceneBreak, SourceLine, SpanKind,
    characters::{CharacterClass, class},
    notes::{self, ParsedNote},
};

/// The largest number of spans within the target words of a note.
const SPANS_IN_TARGET: usize = 200;

const NOTE: &str = "［＃";
const MARK: char = '※';

/// Parses one line. The line becomes a heading, a break or a line of notes if its notes say so.
pub(super) fn read(source: &str, syntax: ManuscriptSyntax, line: &mut SourceLine, found: &mut ParseResults) {
    let start = match line.kind {
        LineKind::Heading { text, .. } => text,
        LineKind::Empty | LineKind::Paragraph => line.content.start,
        _ => return,
    };
    let first_visible = found.visible.text().len();
    let mut reader = LineReader {
        source,
        syntax,
        at: start,
        end: line.content.end,
        first_span: found.spans.len(),
        first_visible,
        notes: note_list(source, start..line.content.end),
        next_note: 0,
        open: Vec::new(),
        base: None,
        escaped_brackets: 0,
        no_more_stars: false,
        heading_begun: None,
        heading: None,
        has_page_break: false,
        found,
    };
    reader.run();
    let (heading, has_page_break, has_notes) = (reader.heading, reader.has_page_break, !reader.notes.is_empty());
    let visible = &found.visible.text()[first_visible..];
    let is_blank = visible.trim().is_empty();
    // Text after the words of a heading turns the line into a paragraph that begins with a heading.
    let heading = heading.filter(|(_, end)| *end >= first_visible + visible.trim_end().len());
    if line.kind == LineKind::Paragraph {
        if has_notes && is_blank {
            line.kind = if has_page_break { LineKind::SceneBreak(SceneBreak::Page) } else { LineKind::Notes };
        } else if let Some((level, _)) = heading {
            line.kind = LineKind::Heading { level, text: start };
        }
    }
    // Only the line feed is visible; a carriage return before it is markup.
    if line.next > line.content.end && !matches!(line.kind, LineKind::Notes | LineKind::SceneBreak(_)) {
        found.visible.push(source, line.next - 1..line.next);
    }
}

/// A note of a line with its position.
struct LocatedNote<'a> {
    /// The range of the note including its brackets.
    range: Range<usize>,
    reading: ParsedNote<'a>,
    /// The start of the note that ends the emphasis which this note begins.
    ends_at: Option<usize>,
}

/// Returns the closed notes of a line, with the partners of those that begin an emphasis.
fn note_list(source: &str, line: Range<usize>) -> Vec<LocatedNote<'_>> {
    let text = &source[line.clone()];
    if !text.contains(NOTE) {
        return Vec::new();
    }
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut notes = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '［' => open.push((at, text[at..].starts_with(NOTE))),
            '］' => {
                if let Some((from, true)) = open.pop() {
                    notes.push(line.start + from..line.start + at + '］'.len_utf8());
                }
            }
            _ => {}
        }
    }
    // Notes were collected in the order of their ends; of two nested notes, only the outer one is a note of the text.
    notes.sort_by_key(|range| range.start);
    let mut end = 0;
    notes.retain(|range| {
        let is_outer = range.start >= end;
        end = end.max(range.end);
        is_outer
    });
    let mut list: Vec<LocatedNote> = notes
        .into_iter()
        .map(|range| {
            let words = &source[range.start + NOTE.len()..range.end - '］'.len_utf8()];
            let follows_mark = source[line.start..range.start].ends_with(MARK);
            LocatedNote { reading: notes::read(words, follows_mark), range, ends_at: None }
        })
        .collect();
    pair_up(&mut list);
    list
}

/// Finds the end note for each note that begins an emphasis; an unmatched beginning in between stays without a partner.
fn pair_up(list: &mut [LocatedNote]) {
    let mut begun: Vec<(usize, Emphasis)> = Vec::new();
    for at in 0..list.len() {
        match list[at].reading {
            ParsedNote::Begin(AozoraNote::Emphasis(emphasis)) => begun.push((at, emphasis)),
            // An end note compares only with the innermost beginning; comparing with all would make several unmatched
            // ends quadratic.
            ParsedNote::End(AozoraNote::Emphasis(emphasis)) => {
                if let Some((from, _)) = begun.pop_if(|(_, open)| *open == emphasis) {
                    list[from].ends_at = Some(list[at].range.start);
                }
            }
            _ => {}
        }
    }
}

/// An emphasis that has begun in the line and ends at a known offset.
struct OpenEmphasis {
    emphasis: Emphasis,
    start: usize,
    /// The byte offset of the closing mark.
    close: usize,
    by: EmphasisMarks,
}

/// The notation of an emphasis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmphasisMarks {
    /// The brackets `《《》》` around the text.
    Brackets,
    /// The `**` signs around the text.
    Stars,
    /// A note at both ends.
    Notes,
}

impl EmphasisMarks {
    /// Returns the length of the closing mark in bytes; a closing note is consumed as a note.
    fn closing(self) -> usize {
        match self {
            Self::Brackets => "》》".len(),
            Self::Stars => "**".len(),
            Self::Notes => 0,
        }
    }
}

struct LineReader<'a, 'f> {
    source: &'a str,
    syntax: ManuscriptSyntax,
    at: usize,
    end: usize,
    first_span: usize,
    first_visible: usize,
    notes: Vec<LocatedNote<'a>>,
    next_note: usize,
    open: Vec<OpenEmphasis>,
    /// The start and the character class of the run that a ruby at this position would have as its base.
    base: Option<(usize, CharacterClass)>,
    /// The number of 《 escaped by a bar; as many 》 are literal too.
    escaped_brackets: usize,
    /// True if the rest of the line does not contain `**`.
    no_more_stars: bool,
    heading_begun: Option<u8>,
    /// The level of the heading found so far, and the length of the visible text at that time.
    heading: Option<(u8, usize)>,
    has_page_break: bool,
    found: &'f mut ParseResults,
}

impl<'a> LineReader<'a, '_> {
    fn run(&mut self) {
        while self.at < self.end {
            if self.close_here() {
                continue;
            }
            if self.open.last().is_some_and(|open| open.close == self.at) {
                // A note that ends an emphasis lies exactly at the limit of that emphasis.
                self.note();
                continue;
            }
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            match c {
                '［' if rest.starts_with(NOTE) => self.note(),
                MARK if rest[MARK.len_utf8()..].starts_with(NOTE) => self.character_note(),
                '｜' => self.bar(c),
                // In Aozora files, the half-width bar is an ordinary character.
                '|' if self.syntax == ManuscriptSyntax::Web => self.bar(c),
                '《' => self.double_bracket(),
                '》' => {
                    if self.escaped_brackets == 0 {
                        self.issue_at(MarkupIssueKind::UnpairedRubyMark, c.len_utf8());
                    }
                    self.escaped_brackets = self.escaped_brackets.saturating_sub(1);
                    self.literal(c.len_utf8());
                }
                '{' if self.syntax == ManuscriptSyntax::Web => self.braces(),
                '*' if self.syntax == ManuscriptSyntax::Web && rest.starts_with("**") => self.stars(),
                _ => self.character(c),
            }
        }
    }

    /// Returns the offset at which a structure that begins here must end: the closing mark of the open emphasis, or the
    /// end of the line.
    fn limit(&self) -> usize {
        self.open.last().map_or(self.end, |open| open.close)
    }

    /// Returns the rest of the open emphasis, or of the line.
    fn rest(&self) -> &'a str {
        &self.source[self.at..self.limit().max(self.at)]
    }

    fn issue_at(&mut self, kind: MarkupIssueKind, len: usize) {
        self.found.issue(kind, self.at..self.at + len);
    }

    /// Consumes `len` bytes as literal text, which cannot be the base of a ruby.
    fn literal(&mut self, len: usize) {
        self.found.visible.push(self.source, self.at..self.at + len);
        self.base = None;
        self.at += len;
    }

    /// Consumes `len` bytes as markup.
    fn markup(&mut self, len: usize) {
        self.base = None;
        self.at += len;
    }

    /// Consumes one character of text.
    fn character(&mut self, c: char) {
        self.extend_base(class(c));
        self.found.visible.push(self.source, self.at..self.at + c.len_utf8());
        self.at += c.len_utf8();
    }

    fn extend_base(&mut self, class: CharacterClass) {
        let start = match self.base {
            Some((start, before)) if before == class => start,
            _ => self.at,
        };
        let carries = class != CharacterClass::Other
            && (self.syntax == ManuscriptSyntax::Aozora || class == CharacterClass::Kanji);
        self.base = carries.then_some((start, class));
    }

    /// Ends the open emphasis if its closing mark is at this position; returns true if so.
    fn close_here(&mut self) -> bool {
        let at = self.at;
        let Some(open) = self.open.pop_if(|open| open.close <= at && open.by != EmphasisMarks::Notes) else {
            return false;
        };
        self.found.span(SpanKind::Emphasis(open.emphasis), open.start..at + open.by.closing());
        self.markup(open.by.closing());
        true
    }

    /// Returns the index of the note that begins at `at`, if the note is closed before the open emphasis ends.
    fn note_here(&mut self, at: usize) -> Option<usize> {
        while self.notes.get(self.next_note).is_some_and(|note| note.range.start < at) {
            self.next_note += 1;
        }
        let limit = self.open.last().map_or(self.end, |open| match open.by {
            EmphasisMarks::Notes => self.end,
            EmphasisMarks::Brackets | EmphasisMarks::Stars => open.close,
        });
        let note = self.notes.get(self.next_note)?;
        (note.range.start == at && note.range.end <= limit).then_some(self.next_note)
    }

    /// Consumes ※［＃…］, a character that could not be typed; ※ is its placeholder.
    fn character_note(&mut self) {
        let Some(note) = self.note_here(self.at + MARK.len_utf8()) else {
            return self.character(MARK);
        };
        let (start, range) = (self.at, self.notes[note].range.clone());
        self.extend_base(CharacterClass::Kanji);
        self.found.visible.push(self.source, start..range.start);
        self.push_note(note);
        self.at = range.end;
    }

    fn push_note(&mut self, note: usize) {
        let said = match &self.notes[note].reading {
            ParsedNote::Here(said) | ParsedNote::On(_, said) | ParsedNote::Begin(said) | ParsedNote::End(said) => {
                said.clone()
            }
        };
        self.found.span(SpanKind::Note(said), self.notes[note].range.clone());
    }

    fn note(&mut self) {
        let Some(at) = self.note_here(self.at) else {
            self.issue_at(MarkupIssueKind::UnclosedNote, NOTE.len());
            return self.literal(NOTE.len());
        };
        let range = self.notes[at].range.clone();
        self.push_note(at);
        self.markup(range.len());
        match self.notes[at].reading.clone() {
            ParsedNote::Begin(AozoraNote::Emphasis(emphasis)) => self.begin(at, &range, emphasis),
            ParsedNote::End(AozoraNote::Emphasis(_)) => {
                if self.open.last().is_some_and(|open| open.close == range.start && open.by == EmphasisMarks::Notes) {
                    if let Some(open) = self.open.pop() {
                        self.found.span(SpanKind::Emphasis(open.emphasis), open.start..range.end);
                    }
                } else {
                    self.found.issue(MarkupIssueKind::UnpairedEmphasis, range);
                }
            }
            ParsedNote::Begin(AozoraNote::Heading(level)) => self.heading_begun = Some(level),
            ParsedNote::End(AozoraNote::Heading(_)) => {
                self.heading = self.heading_begun.map(|level| (level, self.found.visible.text().len()));
            }
            ParsedNote::On(words, AozoraNote::Heading(level)) => {
                let said = without_notes(words);
                let visible = self.found.visible.text()[self.first_visible..].trim();
                if visible == said.trim() {
                    self.heading = Some((level, self.found.visible.text().len()));
                } else if !visible.ends_with(said.as_str()) {
                    self.found.issue(MarkupIssueKind::NoteWithoutTarget, range);
                }
            }
            ParsedNote::On(words, AozoraNote::Emphasis(emphasis)) => self.emphasise_before(words, emphasis, range),
            ParsedNote::Here(AozoraNote::PageBreak) => self.has_page_break = true,
            _ => {}
        }
    }

    fn begin(&mut self, note: usize, range: &Range<usize>, emphasis: Emphasis) {
        let limit = self.limit();
        match self.notes[note].ends_at {
            // The emphasis must end before the enclosing one does.
            Some(close) if close < limit => {
                self.open.push(OpenEmphasis { emphasis, start: range.start, close, by: EmphasisMarks::Notes });
            }
            _ => self.found.issue(MarkupIssueKind::UnpairedEmphasis, range.clone()),
        }
    }

    /// Applies ［＃「words」に傍点］ to the words, which must be the last visible text before the note.
    fn emphasise_before(&mut self, words: &str, emphasis: Emphasis, note: Range<usize>) {
        let said = without_notes(words);
        let seen = &self.found.visible.text()[self.first_visible..];
        let start = Some(said.as_str()).filter(|said| !said.is_empty() && seen.ends_with(said)).and_then(|said| {
            self.emphasis_start(self.found.visible.to_source(self.found.visible.text().len() - said.len()))
        });
        match start {
            Some(start) => self.found.span(SpanKind::Emphasis(emphasis), start..note.end),
            None => self.found.issue(MarkupIssueKind::NoteWithoutTarget, note),
        }
    }

    /// Returns the start of an emphasis whose first visible byte is `start`: before the marks of spans that begin with
    /// the same visible byte. Returns `None` if the emphasis would cut a ruby or another emphasis in two.
    fn emphasis_start(&self, mut start: usize) -> Option<usize> {
        let visible = &self.found.visible;
        // Inline spans are added in the order of their ends.
        let within = self.found.spans[self.first_span..].iter().rev();
        for (seen, span) in within.enumerate() {
            if span.range.end <= start {
                break;
            }
            let from = span.range.start;
            if from < start {
                if visible.from_source(from) != visible.from_source(start) {
                    return None;
                }
                start = from;
            }
            if seen == SPANS_IN_TARGET {
                return None;
            }
        }
        self.open.last().is_none_or(|open| open.start < start).then_some(start)
    }

    /// Handles a bar, which begins the base of a ruby or escapes the next sign.
    fn bar(&mut self, bar: char) {
        let rest = self.rest();
        let after = &rest[bar.len_utf8()..];
        if self.syntax == ManuscriptSyntax::Web
            && let Some(kept) = after.chars().next().filter(|c| matches!(c, '《' | '（' | '('))
        {
            self.escaped_brackets += usize::from(kept == '《');
            self.markup(bar.len_utf8());
            return self.literal(kept.len_utf8());
        }
        let Some(base) = self.base_after(after) else {
            return self.literal(bar.len_utf8());
        };
        let Some(ruby) = ruby_text(&after[base.len() + '《'.len_utf8()..]) else {
            return self.literal(bar.len_utf8());
        };
        if base.is_empty() || ruby.is_empty() {
            let whole = bar.len_utf8() + base.len() + ruby.len() + "《》".len();
            self.issue_at(MarkupIssueKind::EmptyRuby, whole);
            return self.literal(whole);
        }
        let end = self.at + bar.len_utf8() + base.len() + ruby.len() + "《》".len();
        if self.is_cut(self.at..end) || without_notes(base).is_empty() {
            return self.literal(bar.len_utf8());
        }
        let start = self.at;
        let base = start + bar.len_utf8()..start + bar.len_utf8() + base.len();
        self.at = base.start;
        self.pass_base(base.end);
        self.end_ruby(start, base, ruby.len());
    }

    /// True if a note within the range begins or ends an emphasis; the range cannot be a ruby then.
    fn is_cut(&self, range: Range<usize>) -> bool {
        let first = self.notes.partition_point(|note| note.range.end <= range.start);
        let mut within = self.notes[first..].iter().take_while(|note| note.range.start < range.end);
        within.any(|note| matches!(note.reading, ParsedNote::Begin(_) | ParsedNote::End(_)))
    }

    /// Returns the text between a bar and its 《. Signs within notes are ordinary text.
    fn base_after(&self, after: &'a str) -> Option<&'a str> {
        let signs: &[char] = match self.syntax {
            ManuscriptSyntax::Web => &['｜', '|', '《', '》'],
            ManuscriptSyntax::Aozora => &['｜', '《', '》'],
        };
        let start = self.limit() - after.len();
        let mut from = 0;
        loop {
            let at = from + after[from..].find(signs)?;
            let note = self.notes.partition_point(|note| note.range.end <= start + at);
            match self.notes.get(note).filter(|note| note.range.start < start + at) {
                Some(note) => from = (note.range.end - start).min(after.len()),
                None => return after[at..].starts_with('《').then_some(&after[..at]),
            }
        }
    }

    /// Consumes the base of a ruby, which may contain characters that could not be typed.
    fn pass_base(&mut self, end: usize) {
        while self.at < end {
            let rest = &self.source[self.at..end];
            match self.note_here(self.at).filter(|note| self.notes[*note].range.end <= end) {
                Some(note) => {
                    self.push_note(note);
                    self.at = self.notes[note].range.end;
                }
                None => self.literal(rest.chars().next().map_or(rest.len(), char::len_utf8)),
            }
        }
    }

    /// Consumes 《ruby》 and adds the span, which began at `start`.
    fn end_ruby(&mut self, start: usize, base: Range<usize>, ruby: usize) {
        let text = self.at + '《'.len_utf8()..self.at + '《'.len_utf8() + ruby;
        self.markup(ruby + "《》".len());
        self.found.span(SpanKind::Ruby { base, text }, start..self.at);
    }

    /// Handles 《《emphasis》》, or 《ruby》 after its base.
    fn double_bracket(&mut self) {
        let rest = self.rest();
        if self.syntax == ManuscriptSyntax::Web && rest.starts_with("《《") {
            let inner = &rest["《《".len()..];
            let closes = inner.find(['《', '》']).filter(|at| *at > 0 && inner[*at..].starts_with("》》"));
            if let Some(len) = closes {
                let start = self.at;
                self.markup("《《".len());
                self.open.push(OpenEmphasis {
                    emphasis: Emphasis::Dots,
                    start,
                    close: self.at + len,
                    by: EmphasisMarks::Brackets,
                });
            } else {
                self.issue_at(MarkupIssueKind::UnpairedRubyMark, '《'.len_utf8());
                self.literal('《'.len_utf8());
            }
            return;
        }
        let Some(ruby) = ruby_text(&rest['《'.len_utf8()..]) else {
            self.issue_at(MarkupIssueKind::UnpairedRubyMark, '《'.len_utf8());
            return self.literal('《'.len_utf8());
        };
        let len = ruby.len();
        let whole = len + "《》".len();
        match self.base {
            _ if len == 0 => {
                self.issue_at(MarkupIssueKind::EmptyRuby, whole);
                self.literal(whole);
            }
            Some((start, _)) if !self.is_cut(self.at..self.at + whole) => self.end_ruby(start, start..self.at, len),
            _ => {
                self.issue_at(MarkupIssueKind::RubyWithoutBase, whole);
                self.literal(whole);
            }
        }
    }

    /// Handles `{base|ruby}`, the VFM notation.
    fn braces(&mut self) {
        let inner = &self.rest()[1..];
        let pair = inner
            .find(['{', '}'])
            .filter(|len| inner[*len..].starts_with('}'))
            .and_then(|len| inner[..len].split_once(['|', '｜']))
            .filter(|(base, ruby)| !base.is_empty() && !ruby.is_empty())
            // Signs of the other notation would make two structures of one.
            .filter(|(base, ruby)| ![base, ruby].iter().any(|part| part.contains(['《', '》', '［', '］'])));
        let Some((base, ruby)) = pair else {
            return self.literal(1);
        };
        let start = self.at;
        self.at += 1;
        let base = self.at..self.at + base.len();
        self.literal(base.len());
        let bar = self.rest().chars().next().map_or(1, char::len_utf8);
        let text = self.at + bar..self.at + bar + ruby.len();
        self.markup(bar + ruby.len() + 1);
        self.found.span(SpanKind::Ruby { base, text }, start..self.at);
    }

    /// Handles `**bold**` emphasis.
    fn stars(&mut self) {
        let start = self.at;
        let inner = &self.rest()[2..];
        let closes = if self.no_more_stars { None } else { inner.find("**") };
        // Inside an open emphasis, `rest` does not reach the end of the line, so the result does not hold for the line.
        self.no_more_stars |= closes.is_none() && self.open.is_empty();
        match closes.filter(|len| *len > 0 && !inner.starts_with(char::is_whitespace)) {
            Some(len) => {
                self.markup(2);
                self.open.push(OpenEmphasis {
                    emphasis: Emphasis::Bold,
                    start,
                    close: self.at + len,
                    by: EmphasisMarks::Stars,
                });
            }
            None => self.literal(2),
        }
    }
}

/// Returns the text before the 》 that closes a ruby; `None` if a note begins or ends within it alone.
fn ruby_text(after: &str) -> Option<&str> {
    let end = after.find(['《', '》']).filter(|at| after[*at..].starts_with('》'))?;
    let text = &after[..end];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '［' => depth += 1,
            '］' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0).then_some(text)
}

/// Returns the visible words of a note, without the notes nested in them.
fn without_notes(words: &str) -> String {
    let mut seen = String::with_capacity(words.len());
    let mut depth = 0_usize;
    for (at, c) in words.char_indices() {
        match c {
            '［' if depth > 0 || words[at..].starts_with(NOTE) => depth += 1,
            '］' if depth > 0 => depth -= 1,
            _ if depth == 0 => seen.push(c),
            _ => {}
        }
    }
    seen
}
