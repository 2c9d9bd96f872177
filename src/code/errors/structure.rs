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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum StructureError {
    #[entry("UNSUPPORTED_LANGUAGE")]
    #[fact(known = languages::known_names())]
    UnsupportedLanguage {
        #[quoted]
        path: String,
    },
    #[entry("EMPTY_FILE")]
    EmptyFile {
        #[quoted]
        path: String,
    },
    #[entry("BINARY_FILE")]
    BinaryFile {
        #[quoted]
        path: String,
    },
    #[entry("UNKNOWN_LANGUAGE")]
    #[fact(known = languages::known_names())]
    #[fact(nearest = did_you_mean(&nearest(asked, languages::all().map(|language| language.name), 3)))]
    UnknownLanguage {
        #[fact("language")]
        #[quoted]
        asked: String,
    },
    #[entry("INVALID_QUERY")]
    #[fact(line = fault.line)]
    #[fact(column = fault.column)]
    #[fact(excerpt = fault.excerpt.clone())]
    #[fact(reason = fault.reason.clone())]
    #[fact(hint = fault.hint.clone())]
    BadQuery {
        #[fact(skip)]
        fault: Box<QuerySyntaxError>,
    },
    #[entry("INVALID_PATTERN")]
    #[fact(line = fault.line)]
    #[fact(column = fault.column)]
    #[fact(excerpt = fault.excerpt.clone())]
    #[fact(reason = fault.reason.clone())]
    #[fact(hint = fault.hint.clone())]
    BadPattern {
        #[fact(skip)]
        fault: Box<QuerySyntaxError>,
    },
    #[entry("UNKNOWN_QUERY_KEY")]
    #[fact(first = nearest.first().map_or_else(|| keys.split(", ").next().unwrap_or_default().to_owned(), Clone::clone))]
    UnknownQueryKey {
        #[quoted]
        key: String,
        language: String,
        /// The known keys, separated by commas.
        keys: String,
        #[fact(with = did_you_mean)]
        nearest: Vec<String>,
    },
    #[entry("INVALID_FILTER")]
    BadFilter {
        #[quoted]
        filter: String,
        /// The 0-based column, in characters.
        column: usize,
        reason: BilingualText,
    },
    #[entry("INVALID_RANGE")]
    #[fact(range = end.map_or_else(|| start.to_string(), |end| format!("{start}-{end}")))]
    BadRange {
        #[quoted]
        path: String,
        #[fact(skip)]
        start: usize,
        #[fact(skip)]
        end: Option<usize>,
        total: usize,
    },
    #[entry("INVALID_COLUMNS")]
    BadColumns {
        #[quoted]
        path: String,
        line: usize,
        start: usize,
        end: usize,
        width: usize,
    },
    #[entry("NO_SECTIONS")]
    NoSections,
    #[entry("UNKNOWN_ELEMENT")]
    #[fact(broken = broken_at(*broken))]
    UnknownElement {
        #[quoted]
        path: String,
        #[quoted]
        element: String,
        #[fact(with = did_you_mean)]
        nearest: Vec<String>,
        count: usize,
        /// The line of the first parse error.
        #[fact(skip)]
        broken: Option<usize>,
    },
    #[entry("AMBIGUOUS_ELEMENT")]
    #[fact(count = candidates.len())]
    #[fact(change = first_of(candidates))]
    AmbiguousElement {
        #[quoted]
        path: String,
        #[quoted]
        element: String,
        /// The qualified names with first and last line.
        #[fact(with = listed)]
        candidates: Vec<(String, usize, usize)>,
    },
    #[entry("PARSER_STOPPED")]
    ParserStopped {
        #[quoted]
        path: String,
        limit: ParserLimit,
    },
    #[entry("PARSER_UNAVAILABLE")]
    ParserUnavailable { reason: String },
    #[catalog(fumi_base::project::BOOK)]
    #[entry("CANCELLED")]
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
