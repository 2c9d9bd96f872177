//! Parsing a decoded file into its syntax tree and its line index.
//!
//! Broken source is not a failure: the tree contains the readable parts, and [`ParsedFile::errors`] lists the positions
//! of the errors. Parsing stops soon after cancellation, also within a grammar's scanner. Trees are walked with
//! cursors, never recursively: nesting cannot overflow the stack.

use std::ops::{ControlFlow, Range};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree, TreeCursor};

use crate::{
    elements::SourceSpan,
    errors::structure::StructureError,
    languages::{Language, blanked::BlankedPart, detect::detect},
    work_counters,
};

/// The maximum number of parse errors listed; a reader acts on the first few, and the total counts the rest.
pub const MAX_PARSE_ERRORS: usize = 20;

/// The maximum depth of embedded texts in other languages: the deepest real case is a style sheet in a page in a
/// document. Without a limit, the cost of nested fences would grow with the square of their length.
const MAX_EMBEDDED: usize = 2;

/// The size of the pieces in which a grammar gets a text, in bytes. The cancellation token is polled between pieces,
/// because a scanner may read the rest of the text for a single word.
const PIECE: usize = 16 * 1024;

/// The distance between marks of the character index, in bytes: the maximum number of bytes counted to find a column.
const MARK_EVERY: usize = 256;

/// A decoded file with its path, language and encoding.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as replies show it.
    pub path: String,
    /// The language in which the file is parsed.
    pub language: &'static Language,
    pub text: String,
    /// The encoding's name, such as `shift_jis`.
    pub encoding: String,
    /// The size of the file on disk, in bytes.
    pub size_bytes: u64,
}

impl SourceFile {
    /// Creates a source in the language that the caller named, or else in the detected one.
    pub fn new(
        path: impl Into<String>,
        decoded: fumi_base::encoding::Decoded,
        size_bytes: u64,
        asked: Option<&str>,
    ) -> Result<Self, StructureError> {
        let path = path.into();
        Ok(Self {
            language: detect(&path, &decoded.text, asked)?,
            path,
            text: decoded.text,
            encoding: decoded.encoding,
            size_bytes,
        })
    }
}

/// A position at which the text does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseError {
    /// The 1-based line number.
    pub line: usize,
    /// The 0-based column, in characters.
    pub column: usize,
    /// The message: `missing ")"`, or `unexpected` and the text found, cut at 40 characters; with the language's name,
    /// if that is not the file's.
    pub message: String,
    /// The byte offset in the decoded text.
    pub byte: usize,
}

/// A syntax tree with its text.
#[derive(Debug)]
pub struct ParsedFile {
    /// The parsed source, with its text.
    pub source: SourceFile,
    /// The syntax tree of the whole text.
    pub tree: Tree,
    /// The index that converts byte offsets to lines and columns.
    pub lines: LineIndex,
    /// The first parse errors, at most [`MAX_PARSE_ERRORS`].
    pub errors: Vec<ParseError>,
    /// The number of all parse errors, including those of embedded texts.
    pub error_count: usize,
    /// The embedded texts in other languages, in the order of the text.
    pub embedded: Vec<EmbeddedText>,
    /// The call's cancellation token, for the work that a language does beyond its query.
    pub(crate) cancel: CancellationToken,
}

/// Parses a source in its language, and each embedded text in its own.
pub fn parse(source: SourceFile, cancel: &CancellationToken) -> Result<ParsedFile, StructureError> {
    parse_at(source, 0, cancel)
}

fn parse_at(source: SourceFile, depth: usize, cancel: &CancellationToken) -> Result<ParsedFile, StructureError> {
    let (tree, unread) = read(source.language, &source.text, cancel)?;
    let lines = LineIndex::new(&source.text);
    let mut parsed = ParsedFile {
        source,
        tree,
        lines,
        errors: Vec::new(),
        error_count: 0,
        embedded: Vec::new(),
        cancel: cancel.clone(),
    };
    parsed.find_errors(cancel)?;
    parsed.add_unread(&unread);
    if depth > 0 {
        for error in &mut parsed.errors {
            error.message = format!("{} (in {})", error.message, parsed.source.language.facts.title);
        }
    }
    if depth < MAX_EMBEDDED {
        parsed.read_embedded(depth, cancel)?;
    }
    Ok(parsed)
}

/// Parses a text in a language, without the parts that the language's grammar cannot handle. Returns these parts with
/// the tree.
pub(crate) fn read(
    language: &Language,
    text: &str,
    cancel: &CancellationToken,
) -> Result<(Tree, Vec<BlankedPart>), StructureError> {
    let readable = language.parser_text(text);
    let last_line = readable.text.rsplit('\n').next().unwrap_or_default();
    let has_tail = language.facts.feed_behind.is_some_and(|sign| last_line.contains(sign));
    let input = GrammarInput { text: &readable.text, tail: if has_tail { "\n" } else { "" } };
    let mut tree = input.parse(&language.grammar(), cancel)?;
    if has_tail {
        // No node may extend beyond the text.
        let (end, position) = (text.len(), end_of(text));
        tree.edit(&InputEdit {
            start_byte: end,
            old_end_byte: end + 1,
            new_end_byte: end,
            start_position: position,
            old_end_position: Point::new(position.row + 1, 0),
            new_end_position: position,
        });
    }
    Ok((tree, readable.unread))
}

/// Parses a text with a grammar that belongs to no language of the registry.
pub(crate) fn parse_text(
    grammar: &tree_sitter::Language,
    text: &str,
    cancel: &CancellationToken,
) -> Result<Tree, StructureError> {
    GrammarInput { text, tail: "" }.parse(grammar, cancel)
}

/// Returns the position of the end of a text.
fn end_of(text: &str) -> Point {
    let line = text.rfind('\n').map_or(0, |feed| feed + 1);
    Point::new(text.bytes().filter(|byte| *byte == b'\n').count(), text.len() - line)
}

/// The text given to a grammar, with its tail.
struct GrammarInput<'t> {
    text: &'t str,
    /// The text appended for the grammar's sake.
    tail: &'static str,
}

impl GrammarInput<'_> {
    /// Parses the text, polling the token.
    fn parse(&self, grammar: &tree_sitter::Language, cancel: &CancellationToken) -> Result<Tree, StructureError> {
        Self::parse_by(grammar, cancel, &mut |at| self.piece(at))
    }

    /// Parses the text that `piece` returns, polling the token.
    fn parse_by<'i>(
        grammar: &tree_sitter::Language,
        cancel: &CancellationToken,
        piece: &mut dyn FnMut(usize) -> &'i str,
    ) -> Result<Tree, StructureError> {
        work_counters::count_parsed();
        let mut parser = Parser::new();
        parser
            .set_language(grammar)
            .expect("the grammar's version fits this tree-sitter; a test parses every language");
        let mut ended = None;
        let mut read = |at: usize, _: Point| {
            if cancel.is_cancelled() {
                // The result is discarded. Return a line feed first, then the end of the text: a scanner in the middle of
                // a word may look for only one of the two.
                return if ended == Some(at) {
                    ""
                } else {
                    ended = Some(at + 1);
                    "\n"
                };
            }
            piece(at)
        };
        let mut poll = |_: &tree_sitter::ParseState| stop_if(cancel);
        let options = ParseOptions::new().progress_callback(&mut poll);
        parser
            .parse_with_options(&mut read, None, Some(options))
            .filter(|_| !cancel.is_cancelled())
            .ok_or(StructureError::Cancelled)
    }

    /// Returns a piece of the text from a byte on; empty at the end.
    fn piece(&self, at: usize) -> &str {
        match self.text.get(at..) {
            Some("") | None => self.tail.get(at.saturating_sub(self.text.len())..).unwrap_or_default(),
            Some(rest) => &rest[..rest.floor_char_boundary(PIECE)],
        }
    }
}

/// Converts cancellation to the answer of a progress callback.
pub(crate) fn stop_if(cancel: &CancellationToken) -> ControlFlow<()> {
    if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

impl ParsedFile {
    pub fn text(&self, node: Node<'_>) -> &str {
        self.source.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the range of a node.
    pub fn span(&self, node: Node<'_>) -> SourceSpan {
        self.lines.span(&self.source.text, node.start_byte(), node.end_byte())
    }

    fn find_errors(&mut self, cancel: &CancellationToken) -> Result<(), StructureError> {
        let root = self.tree.root_node();
        if !root.has_error() {
            return Ok(());
        }
        let mut found = Vec::new();
        let mut count = 0_usize;
        walk(root, cancel, |node| {
            if node.is_error() || node.is_missing() {
                count += 1;
                if found.len() < MAX_PARSE_ERRORS {
                    found.push(self.parse_error(node));
                }
                return WalkStep::Over;
            }
            if node.has_error() { WalkStep::Into } else { WalkStep::Over }
        })?;
        self.errors = found;
        self.error_count = count;
        Ok(())
    }

    /// Adds the parts that were withheld from the grammar to the errors.
    fn add_unread(&mut self, unread: &[BlankedPart]) {
        for part in unread {
            let Some(reason) = part.reason else { continue };
            self.error_count += 1;
            // The list is cut again below; a hostile file could cause one error for each line.
            if self.errors.len() < 2 * MAX_PARSE_ERRORS {
                self.errors.push(ParseError {
                    line: self.lines.line(part.bytes.start),
                    column: self.lines.column(&self.source.text, part.bytes.start),
                    message: reason.to_owned(),
                    byte: part.bytes.start,
                });
            }
        }
        self.errors.sort_by_key(|error| error.byte);
        self.errors.truncate(MAX_PARSE_ERRORS);
    }

    fn parse_error(&self, node: Node<'_>) -> ParseError {
        let span = self.span(node);
        let message = if node.is_missing() {
            format!("missing {:?}", node.kind())
        } else {
            format!("unexpected {:?}", one_line(self.text(node), 40))
        };
        ParseError { line: span.start_line, column: span.start_column, message, byte: node.start_byte() }
    }

    fn read_embedded(&mut self, depth: usize, cancel: &CancellationToken) -> Result<(), StructureError> {
        let Some(find) = self.source.language.embeds else {
            return Ok(());
        };
        for embed in find(self) {
            let mut text = String::new();
            for piece in &embed.pieces {
                text.push_str(self.source.text.get(piece.clone()).unwrap_or_default());
            }
            let source = SourceFile {
                path: self.source.path.clone(),
                language: embed.language,
                size_bytes: text.len() as u64,
                text,
                encoding: self.source.encoding.clone(),
            };
            let embedded =
                EmbeddedText { host: embed.host, pieces: embed.pieces, parsed: parse_at(source, depth + 1, cancel)? };
            self.error_count += embedded.parsed.error_count;
            for error in &embedded.parsed.errors {
                let byte = embedded.file_start(error.byte);
                self.errors.push(ParseError {
                    line: self.lines.line(byte),
                    column: self.lines.column(&self.source.text, byte),
                    message: error.message.clone(),
                    byte,
                });
            }
            self.embedded.push(embedded);
        }
        self.errors.sort_by_key(|error| error.byte);
        self.errors.truncate(MAX_PARSE_ERRORS);
        Ok(())
    }
}

/// The position of an embedded text that a language's finder reports, before the text is parsed.
#[derive(Debug)]
pub(crate) struct EmbeddedRange {
    pub(crate) language: &'static Language,
    /// The byte offset of the start of the element that contains it.
    pub(crate) host: usize,
    /// The byte ranges of the file that belong to it, in order; the markers of a quote or list lie between them.
    pub(crate) pieces: Vec<Range<usize>>,
}

/// An embedded text in another language: the script of a page, the code block of a document.
#[derive(Debug)]
pub struct EmbeddedText {
    /// The byte offset in the file of the start of the element that contains it.
    pub(crate) host: usize,
    pieces: Vec<Range<usize>>,
    /// The parsed text. Its lines and byte offsets count from its own start.
    pub parsed: ParsedFile,
}

impl EmbeddedText {
    /// Converts a range of the file to one of the text. Returns `None` if it does not lie in one piece of it.
    pub(crate) fn inner_range(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        let mut before = 0;
        for piece in &self.pieces {
            if piece.contains(&bytes.start) {
                let at = |byte: usize| byte.min(piece.end) - piece.start + before;
                return Some(at(bytes.start)..at(bytes.end));
            }
            before += piece.len();
        }
        None
    }

    /// Converts a start offset of the text to an offset of the file.
    pub(crate) fn file_start(&self, byte: usize) -> usize {
        let mut before = 0;
        for piece in &self.pieces {
            if byte - before < piece.len() {
                return piece.start + byte - before;
            }
            before += piece.len();
        }
        self.pieces.last().map_or(0, |piece| piece.end)
    }

    /// Converts an end offset of the text to an offset of the file: directly after the last byte, before any markers
    /// that follow.
    pub(crate) fn file_end(&self, byte: usize) -> usize {
        byte.checked_sub(1).map_or_else(|| self.file_start(0), |last| self.file_start(last) + 1)
    }
}

/// The decision of a visitor about the next step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalkStep {
    /// Visit the children of the node.
    Into,
    /// Skip the children of the node.
    Over,
}

/// Visits nodes in the order of the text, without recursion, polling the token.
pub(crate) fn walk<'t>(
    root: Node<'t>,
    cancel: &CancellationToken,
    mut visit: impl FnMut(Node<'t>) -> WalkStep,
) -> Result<(), StructureError> {
    let mut cursor = root.walk();
    let mut visited = 0_u32;
    loop {
        visited = visited.wrapping_add(1);
        if visited.is_multiple_of(4_096) && cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        if visit(cursor.node()) == WalkStep::Into && cursor.goto_first_child() {
            continue;
        }
        if !goto_next(&mut cursor) {
            return Ok(());
        }
    }
}

/// Moves to the next node after the current one and its descendants. Returns false at the end of the tree.
fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// Returns a text on one line: runs of white space become one space, and the part beyond `limit` characters becomes
/// `…`.
pub fn one_line(text: &str, limit: usize) -> String {
    let text = text.trim();
    if text.len() <= limit && is_one_line(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(limit + '…'.len_utf8()));
    let mut left = limit;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            left = left.saturating_sub(1);
        }
        if let Some((end, _)) = word.char_indices().nth(left) {
            out.push_str(&word[..end]);
            out.truncate(out.trim_end().len());
            out.push('…');
            break;
        }
        out.push_str(word);
        left -= word.chars().count();
    }
    out
}

/// True for a trimmed text of ASCII words with single spaces between them, as most are.
fn is_one_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The largest, not `all`: the compiler compares many bytes at once.
    let is_visible = bytes.iter().map(|byte| byte.wrapping_sub(b' ')).max() <= Some(b'~' - b' ');
    is_visible && !bytes.windows(2).any(|pair| pair == b"  ")
}

/// An index of line starts and of character counts at byte offsets.
///
/// A line ends with a line feed. A carriage return before it belongs to the line end; a lone carriage return does not
/// end a line.
#[derive(Debug)]
pub struct LineIndex {
    /// The byte at which each line begins; the last one may be empty.
    starts: Vec<u32>,
    /// The number of characters before every [`MARK_EVERY`]th byte; empty for ASCII, where both counts are equal.
    marks: Vec<u32>,
    /// True if the text is empty or ends with a line feed.
    ends_with_feed: bool,
}

#[expect(clippy::cast_possible_truncation, reason = "files are capped far below 4 GiB before they are parsed")]
impl LineIndex {
    /// Builds the index in one pass over the text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let mut characters = 0;
            for piece in bytes.chunks(MARK_EVERY) {
                marks.push(characters);
                characters += count_characters(piece) as u32;
            }
            marks.push(characters);
        }
        Self { starts, marks, ends_with_feed: bytes.last().is_none_or(|byte| *byte == b'\n') }
    }

    /// Returns the number of lines: the line feeds, plus one if the last line is not empty.
    pub fn count(&self) -> usize {
        self.starts.len() - usize::from(self.ends_with_feed)
    }

    /// Returns the 1-based line of a byte offset.
    pub fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= byte)
    }

    /// Returns the byte range of a 1-based line with its line end; `None` past the end.
    pub fn line_bytes(&self, line: usize, text: &str) -> Option<std::ops::Range<usize>> {
        if line == 0 || line > self.count() {
            return None;
        }
        let start = self.starts[line - 1] as usize;
        let end = self.starts.get(line).map_or(text.len(), |next| *next as usize);
        Some(start..end)
    }

    /// Returns the 0-based column of a byte offset, in characters.
    pub fn column(&self, text: &str, byte: usize) -> usize {
        self.column_in(text, self.line(byte), byte)
    }

    /// Converts a range of bytes to a [`SourceSpan`].
    pub fn span(&self, text: &str, start_byte: usize, end_byte: usize) -> SourceSpan {
        let start_line = self.line(start_byte);
        let ends_before = |line: usize| self.starts.get(line).is_none_or(|next| end_byte < *next as usize);
        let mut end_line = if ends_before(start_line) {
            start_line
        } else if ends_before(start_line + 1) {
            start_line + 1
        } else {
            self.line(end_byte)
        };
        let mut end_column = self.column_in(text, end_line, end_byte);
        // A node that ends with the line feed ends on the line before, as readers expect.
        if end_column == 0 && end_line > start_line {
            end_line -= 1;
            end_column = self.column_in(text, end_line, end_byte - 1);
        }
        SourceSpan {
            start_line,
            end_line,
            start_column: self.column_in(text, start_line, start_byte),
            end_column,
            start_byte,
            end_byte,
        }
    }

    /// Returns the column of a byte offset on a known line.
    fn column_in(&self, text: &str, line: usize, byte: usize) -> usize {
        let start = self.starts[line - 1] as usize;
        if self.marks.is_empty() {
            byte - start
        } else if byte - start <= MARK_EVERY {
            count_characters(&text.as_bytes()[start..byte])
        } else {
            self.characters(text, byte) - self.characters(text, start)
        }
    }

    fn characters(&self, text: &str, byte: usize) -> usize {
        let mark = byte / MARK_EVERY;
        self.marks[mark] as usize + count_characters(&text.as_bytes()[mark * MARK_EVERY..byte])
    }
}

/// Returns the number of UTF-8 characters that begin in these bytes: of all but continuation bytes.
fn count_characters(bytes: &[u8]) -> usize {
    let is_start = |byte: &u8| u8::from(*byte & 0b1100_0000 != 0b1000_0000);
    // Pieces whose counts fit into a byte: the compiler then counts many bytes at once.
    let pieces = bytes.chunks(usize::from(u8::MAX));
    pieces.map(|piece| usize::from(piece.iter().map(is_start).sum::<u8>())).sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use tokio_util::sync::CancellationToken;

    use super::{LineIndex, ParsedFile, SourceFile, one_line, parse};
    use crate::{errors::structure::StructureError, extract::extract, languages::detect::detect, outline::Outline};

    pub(crate) fn source(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            language: detect(path, text, None).expect("a known language"),
            text: text.to_owned(),
            encoding: "utf-8".to_owned(),
            size_bytes: text.len() as u64,
        }
    }

    pub(crate) fn outline(path: &str, text: &str) -> Outline {
        Outline::read(source(path, text), &CancellationToken::new()).expect("parsed")
    }

    pub(crate) fn parsed(path: &str, text: &str) -> ParsedFile {
        parse(source(path, text), &CancellationToken::new()).expect("parsed")
    }

    #[test]
    fn columns_count_characters_and_lines_count_feeds() {
        let long = "文".repeat(1_000);
        let text = format!("ab\r\n{long}x\n\nend");
        let index = LineIndex::new(&text);
        assert_eq!(index.count(), 4);
        let x = text.find('x').expect("there");
        assert_eq!((index.line(x), index.column(&text, x)), (2, 1_000));
        assert_eq!(index.line_bytes(1, &text), Some(0..4));
        assert_eq!(index.line_bytes(4, &text), Some(text.len() - 3..text.len()));
        assert_eq!(index.line_bytes(5, &text), None);
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1)] {
            assert_eq!(LineIndex::new(text).count(), lines, "{text:?}");
        }
    }

    #[test]
    fn broken_source_yields_readable_elements() {
        let parsed = parsed("a.py", "def good():\n    return 1\n\nclass Broken(:\n    pass\n\ndef also(): pass\n");
        assert!(parsed.error_count > 0);
        assert_eq!(parsed.errors[0].line, 4);
        let names: Vec<String> = extract(&parsed, &CancellationToken::new())
            .expect("elements")
            .list
            .into_iter()
            .map(|element| element.name)
            .collect();
        assert!(names.contains(&"good".to_owned()) && names.contains(&"also".to_owned()), "{names:?}");
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let text = format!("x = {}1{}\ndef f(): pass\n", "[".repeat(100_000), "]".repeat(100_000));
        let parsed = parsed("deep.py", &text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        assert!(elements.list.iter().any(|element| element.name == "f"));
    }

    #[test]
    fn kotlin_ending_in_annotation_is_parsed_completely() {
        for text in
            ["class A\n@Inject", "class A\r\n@Inject\r", "val a = 1\n@Get", "val a = 1\n@Get(", "class A\n@B class C"]
        {
            let parsed = parsed("a.kt", text);
            let root = parsed.tree.root_node();
            assert_eq!((root.start_byte(), root.end_byte()), (0, text.len()), "{text:?}");
            assert_eq!(root.end_position(), super::end_of(text), "{text:?}");
            let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
            assert!(elements.list[0].name.eq_ignore_ascii_case("a"), "{text:?}");
            let document = format!("```kotlin\n{text}");
            assert_eq!(self::parsed("a.md", &document).embedded.len(), 1);
        }
    }

    #[test]
    fn slow_scanner_stops_on_cancellation() {
        // Each colon may be that of a selector, which only a much later brace would decide.
        let text = format!("a {{ {}", "b:c ".repeat(100_000));
        let cancel = CancellationToken::new();
        let (mut pieces, limit) = (0, 2_000);
        let input = super::GrammarInput { text: &text, tail: "" };
        let stopped = super::GrammarInput::parse_by(&tree_sitter_css::LANGUAGE.into(), &cancel, &mut |at| {
            pieces += 1;
            if pieces == limit {
                cancel.cancel();
            }
            input.piece(at)
        });
        assert!(matches!(stopped, Err(StructureError::Cancelled)));
        assert_eq!(pieces, limit, "no piece is read once the token is cancelled");
    }

    #[test]
    fn a_cancelled_parse_returns_nothing() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let text = "def f():\n    return [x for x in range(3)]\n".repeat(20_000);
        let result = parse(source("a.py", &text), &cancel);
        assert!(matches!(result, Err(StructureError::Cancelled)));
    }

    #[test]
    fn errors_of_embedded_texts_have_the_lines_of_their_file() {
        let page = parsed(
            "a.html",
            "<p>\n<script>\nlet ok;\n  let = = 1;\n</script>\n<script type=\"application/json\">{\"a\": }</script>\n",
        );
        let lines: Vec<(usize, &str)> = page
            .errors
            .iter()
            .map(|error| {
                let language = error.message.rsplit_once(" (in ").map_or("", |(_, language)| language);
                (error.line, language)
            })
            .filter(|(_, language)| !language.is_empty())
            .collect();
        assert!(lines.contains(&(4, "JavaScript)")) && lines.contains(&(6, "JSON)")), "{lines:?}");
        // In a quote in a document in its second language: the markers of the quote do not count as columns.
        let document = parsed("a.md", "# T\n\n> ```html\n> <style>\n> a { color: red }\n> b {{ x\n> </style>\n> ```\n");
        let errors: Vec<(usize, &str)> =
            document.errors.iter().map(|error| (error.line, error.message.as_str())).collect();
        assert!(errors.iter().any(|(line, message)| *line == 6 && message.ends_with("(in CSS)")), "{errors:?}");
        let elements = extract(&document, &CancellationToken::new()).expect("elements");
        let rule = elements.list.iter().find(|element| element.name == "a").expect("a rule");
        assert_eq!((rule.span.start_line, rule.span.start_column, rule.span.end_column), (5, 2, 18));
    }

    #[test]
    fn embedded_parsing_stops_on_cancellation() {
        let cancel = CancellationToken::new();
        let blocks = "```json\n{\"a\": [1, 2, 3]}\n```\n\n".repeat(20_000);
        let document = parse(source("a.md", &blocks), &cancel).expect("parsed");
        assert_eq!(document.embedded.len(), 20_000);
        cancel.cancel();
        assert!(matches!(extract(&document, &cancel), Err(StructureError::Cancelled)));
        // An example in Markdown is not read, so that fences within fences end there.
        let mut nested = String::new();
        for depth in (3..40).rev() {
            nested.push_str(&format!("{}md\n", "`".repeat(depth)));
        }
        let nested = parsed("a.md", &nested);
        assert!(nested.embedded.is_empty());
    }

    #[test]
    fn one_line_collapses_spaces_and_truncates() {
        assert_eq!(one_line("a  b\n\tc", 10), "a b c");
        assert_eq!(one_line("文字列の長い値", 3), "文字列…");
    }
}
