//! Edits of a text by byte ranges, and what both formats need for them.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::{SERVER_NAME, error::TextError};

/// The replacement of a range of a text. An empty range inserts.
#[derive(Debug)]
pub(crate) struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

impl Edit {
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { range: at..at, text: text.into() }
    }

    pub(crate) fn delete(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }
}

/// Applies edits until none is needed. Positions are valid for one parse only, so each round parses again, which also
/// checks the result of the round before.
pub(crate) fn repeat(text: &str, next: impl Fn(&str) -> Result<Vec<Edit>, TextError>) -> Result<String, TextError> {
    let (bom, text) = split_bom(text);
    let mut text = text.to_owned();
    loop {
        let edits = next(&text)?;
        if edits.is_empty() {
            return Ok(format!("{bom}{text}"));
        }
        text = apply(&text, edits);
    }
}

/// Returns the entry inside of tables with these keys.
pub(crate) fn nest(keys: &[String], entry: &Map<String, Value>) -> Value {
    let server = Map::from_iter([(SERVER_NAME.to_owned(), Value::Object(entry.clone()))]);
    keys.iter().rev().fold(Value::Object(server), |value, key| Value::Object(Map::from_iter([(key.clone(), value)])))
}

/// Returns the text after the edits, whose ranges must not overlap. Edits at the same position keep their order.
fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let mut result = String::with_capacity(text.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut end = 0;
    for edit in edits {
        result.push_str(&text[end..edit.range.start]);
        result.push_str(&edit.text);
        end = edit.range.end;
    }
    result.push_str(&text[end..]);
    result
}

/// Splits off the byte order mark, which the parsers do not expect.
fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// Returns the line ending of the first line, or LF.
pub(crate) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the start of the line that contains a position.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns the end of the line that contains a position, after its line ending.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// Returns the length of the line ending at the end of a text.
pub(crate) fn trailing_newline(text: &str) -> usize {
    if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) }
}

/// Returns the length of the line ending at the start of a text.
pub(crate) fn leading_newline(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

/// Returns the line and column of a position, from 1.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let start = line_start(text, at);
    (text[..start].matches('\n').count() + 1, text[start..at].chars().count() + 1)
}
