//! Errors of extracting elements from a file, querying it or cutting sections from it.
//!
//! The facts of each error fill its sentences in `structure.toml`. Broken source is not an error: parse errors are
//! part of the result.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use fumi_base::{
    errors::{ErrorCatalog, Fact, UserError},
    nearest::nearest,
    text::BilingualText,
};

use crate::{
    languages,
    parser_process::{CPU_SECONDS, MEMORY_LIMIT},
};

/// The largest number of elements listed in an error.
const LISTED: usize = 20;

/// The catalogue of structure errors.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("structure.toml")));

/// An error of extracting elements, querying, or cutting sections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, UserError)]
#[fact(nearest = did_you_mean(nearest))]
pub enum StructureError {
    #[fact(known = languages::known_names())]
    UnsupportedLanguage { path: String },
    /// The file has no content.
    EmptyFile { path: String },
    /// The file is not text.
    BinaryFile { path: String },
    #[fact(known = languages::known_names())]
    #[fact(nearest = did_you_mean(&nearest(language, languages::all().map(|language| language.name), 3)))]
    UnknownLanguage { language: String },
    #[fact(skip(fault))]
    #[fact(line = fault.line, column = fault.column, excerpt = fault.excerpt.clone())]
    #[fact(reason = fault.reason.clone(), hint = fault.hint.clone())]
    InvalidQuery { fault: Box<QuerySyntaxError> },
    #[fact(skip(fault))]
    #[fact(line = fault.line, column = fault.column, excerpt = fault.excerpt.clone())]
    #[fact(reason = fault.reason.clone(), hint = fault.hint.clone())]
    InvalidPattern { fault: Box<QuerySyntaxError> },
    /// `keys` are the known keys, separated by commas.
    #[fact(plain(language, keys))]
    #[fact(first = nearest.first().map_or_else(|| keys.split(", ").next().unwrap_or_default().to_owned(), Clone::clone))]
    UnknownQueryKey { key: String, language: String, keys: String, nearest: Vec<String> },
    /// A filter of elements that cannot be parsed. `column` counts characters from 0.
    InvalidFilter { filter: String, column: usize, reason: BilingualText },
    #[fact(skip(start, end))]
    #[fact(range = end.map_or_else(|| start.to_string(), |end| format!("{start}-{end}")))]
    InvalidRange { path: String, start: usize, end: Option<usize>, total: usize },
    /// Columns outside the line.
    InvalidColumns { path: String, line: usize, start: usize, end: usize, width: usize },
    /// No section was asked for.
    NoSections,
    /// `broken` is the line of the first parse error.
    #[fact(broken = broken_at(*broken))]
    UnknownElement { path: String, element: String, nearest: Vec<String>, count: usize, broken: Option<usize> },
    /// `candidates` are the qualified names with first and last line.
    #[fact(candidates = listed(candidates))]
    #[fact(count = candidates.len())]
    #[fact(change = first_of(candidates))]
    AmbiguousElement { path: String, element: String, candidates: Vec<(String, usize, usize)> },
    /// The parser process exceeded a limit.
    ParserStopped { path: String, limit: ParserLimit },
    #[fact(plain(reason))]
    ParserUnavailable { reason: String },
    #[catalog(fumi_base::project::BOOK)]
    Cancelled,
}

/// The limit of a parser process that a file exceeded; see [`crate::parser_process`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParserLimit {
    /// The memory limit, which includes the stack.
    Memory,
    /// The limit of CPU time.
    Time,
}

/// The position and reason of an error in a tree-sitter query or pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuerySyntaxError {
    /// The 1-based line of the query.
    pub line: usize,
    /// The 0-based column, in characters.
    pub column: usize,
    /// The line of the query, with a caret below the position.
    pub excerpt: String,
    pub reason: BilingualText,
    /// A correction.
    pub hint: BilingualText,
}

impl StructureError {
    /// Adds the line of the file's first parse error to [`StructureError::UnknownElement`]; other errors stay as they
    /// are.
    pub fn with_parse_error(mut self, line: Option<usize>) -> Self {
        if let Self::UnknownElement { broken, .. } = &mut self {
            *broken = line;
        }
        self
    }
}

impl Fact for ParserLimit {
    fn fact(&self) -> Option<BilingualText> {
        Some(match self {
            Self::Memory => BilingualText::new(
                format!("{} MB of memory", MEMORY_LIMIT >> 20),
                format!("メモリー {} MB", MEMORY_LIMIT >> 20),
            ),
            Self::Time => {
                BilingualText::new(format!("{CPU_SECONDS} seconds of CPU time"), format!("CPU 時間 {CPU_SECONDS} 秒"))
            }
        })
    }
}

/// Returns the advice for a file with syntax errors; empty without any.
fn broken_at(line: Option<usize>) -> BilingualText {
    line.map_or_else(
        || BilingualText::same(""),
        |line| {
            BilingualText::new(
                format!(
                    " The file has syntax errors (the first at line {line}), so the element may exist nevertheless: search for its name with search_content."
                ),
                format!(
                    " 構文エラー（最初は {line} 行目）のためファイル全体を読めておらず、要素が漏れている可能性があります。search_content で名前を検索してください。"
                ),
            )
        },
    )
}

/// Returns the first candidates with their lines.
fn listed(candidates: &[(String, usize, usize)]) -> String {
    let shown = candidates.iter().take(LISTED);
    let shown = shown.map(|(name, start, end)| format!("{name} ({start}-{end})"));
    shown.collect::<Vec<_>>().join(", ")
}

/// Returns the change of a call to the lines of the first candidate.
fn first_of(candidates: &[(String, usize, usize)]) -> String {
    candidates.first().map_or_else(String::new, |(_, start, end)| {
        format!(r#"{{"element": null, "start_line": {start}, "end_line": {end}}}"#)
    })
}

/// Returns a sentence of suggestions, with a space before the English one; empty without suggestions.
fn did_you_mean(names: &[impl AsRef<str>]) -> BilingualText {
    if names.is_empty() {
        return BilingualText::same("");
    }
    let joined = |between| names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(between);
    BilingualText::new(format!(" Did you mean {}?", joined(", ")), format!("もしかして: {}。", joined("、")))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, StructureError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[StructureError::shapes()]), [""; 0]);
    }
}
