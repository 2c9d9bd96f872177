//! Errors of extracting elements from a file, querying it or cutting sections from it.
//!
//! Each error has the parameters of its messages in `structure.toml`. Broken source is not an error: parse errors are
//! part of the result.

use std::{fmt::Write as _, sync::LazyLock};

use serde::{Deserialize, Serialize};

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    project::quoted,
};

use crate::{
    languages,
    parser_process::{CPU_SECONDS, MEMORY_LIMIT},
};

/// The catalogue of structure errors.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("structure.toml")));

/// An error of extracting elements, querying, or cutting sections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum StructureError {
    #[error("unsupported language: {path}")]
    UnsupportedLanguage { path: String },
    #[error("empty file: {path}")]
    EmptyFile { path: String },
    #[error("unknown language: {asked}")]
    UnknownLanguage { asked: String },
    #[error("invalid tree-sitter query at {}:{}: {}", _0.line, _0.column, _0.reason.0)]
    BadQuery(Box<QuerySyntaxError>),
    #[error("invalid pattern at {}:{}: {}", _0.line, _0.column, _0.reason.0)]
    BadPattern(Box<QuerySyntaxError>),
    #[error("unknown query key {key} for {language}")]
    UnknownQueryKey {
        key: String,
        language: String,
        keys: String,
        nearest: Vec<String>,
    },
    #[error("malformed filter at {column}: {}", reason.0)]
    BadFilter {
        filter: String,
        /// The 0-based column, in characters.
        column: usize,
        reason: (String, String),
    },
    #[error("bad range: {start}")]
    BadRange {
        path: String,
        start: usize,
        end: Option<usize>,
        total: usize,
    },
    #[error("bad columns")]
    BadColumns {
        path: String,
        line: usize,
        start: usize,
        end: usize,
        width: usize,
    },
    #[error("no sections requested")]
    NoSections,
    #[error("unknown element {element}")]
    UnknownElement {
        path: String,
        element: String,
        nearest: Vec<String>,
        count: usize,
        /// The line of the first parse error.
        broken: Option<usize>,
    },
    #[error("ambiguous element {element}")]
    AmbiguousElement {
        path: String,
        element: String,
        /// The qualified names with first and last line.
        candidates: Vec<(String, usize, usize)>,
    },
    #[error("the parser of {path} reached its limit of {limit:?}")]
    ParserStopped { path: String, limit: ParserLimit },
    #[error("no parser process: {reason}")]
    ParserUnavailable { reason: String },
    #[error("cancelled")]
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
    /// The reason, in English and in Japanese.
    pub reason: (String, String),
    /// A correction, in English and in Japanese.
    pub hint: (String, String),
}

impl StructureError {
    /// Adds the line of the file's first parse error to [`StructureError::UnknownElement`]; other errors stay as they
    /// are.
    #[must_use]
    pub fn with_parse_error(mut self, line: Option<usize>) -> Self {
        if let Self::UnknownElement { broken, .. } = &mut self {
            *broken = line;
        }
        self
    }
}

impl UserError for StructureError {
    fn entry(&self) -> &'static str {
        match self {
            Self::UnsupportedLanguage { .. } => "UNSUPPORTED_LANGUAGE",
            Self::EmptyFile { .. } => "EMPTY_FILE",
            Self::UnknownLanguage { .. } => "UNKNOWN_LANGUAGE",
            Self::BadQuery(_) => "INVALID_QUERY",
            Self::BadPattern(_) => "INVALID_PATTERN",
            Self::UnknownQueryKey { .. } => "UNKNOWN_QUERY_KEY",
            Self::BadFilter { .. } => "INVALID_FILTER",
            Self::BadRange { .. } => "INVALID_RANGE",
            Self::BadColumns { .. } => "INVALID_COLUMNS",
            Self::NoSections => "NO_SECTIONS",
            Self::UnknownElement { .. } => "UNKNOWN_ELEMENT",
            Self::AmbiguousElement { .. } => "AMBIGUOUS_ELEMENT",
            Self::ParserStopped { .. } => "PARSER_STOPPED",
            Self::ParserUnavailable { .. } => "PARSER_UNAVAILABLE",
            Self::Cancelled => "CANCELLED",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Cancelled => &fumi_base::project::BOOK,
            _ => &BOOK,
        }
    }

    #[expect(clippy::too_many_lines, reason = "a list: one entry a failure")]
    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::UnsupportedLanguage { path } => vec![("path", quoted(path)), ("known", languages::known_names())],
            Self::EmptyFile { path } => vec![("path", quoted(path))],
            Self::UnknownLanguage { asked } => {
                let names: Vec<&str> = languages::all().map(|language| language.name).collect();
                let (nearest, nearest_ja) = did_you_mean(&most_similar(asked, names));
                vec![
                    ("language", quoted(asked)),
                    ("known", languages::known_names()),
                    ("nearest", nearest),
                    ("nearest_ja", nearest_ja),
                ]
            }
            Self::BadQuery(fault) | Self::BadPattern(fault) => vec![
                ("line", fault.line.to_string()),
                ("column", fault.column.to_string()),
                ("excerpt", fault.excerpt.clone()),
                ("reason", fault.reason.0.clone()),
                ("reason_ja", fault.reason.1.clone()),
                ("hint", fault.hint.0.clone()),
                ("hint_ja", fault.hint.1.clone()),
            ],
            Self::UnknownQueryKey {
                key,
                language,
                keys,
                nearest,
            } => {
                let first = nearest.first().map(String::as_str);
                let first = first.or_else(|| keys.split(", ").next()).unwrap_or_default().to_owned();
                let (nearest, nearest_ja) = did_you_mean(nearest);
                vec![
                    ("first", first),
                    ("key", quoted(key)),
                    ("language", language.clone()),
                    ("keys", keys.clone()),
                    ("nearest", nearest),
                    ("nearest_ja", nearest_ja),
                ]
            }
            Self::BadFilter { filter, column, reason } => vec![
                ("filter", quoted(filter)),
                ("column", column.to_string()),
                ("reason", reason.0.clone()),
                ("reason_ja", reason.1.clone()),
            ],
            Self::BadRange {
                path,
                start,
                end,
                total,
            } => vec![
                ("path", quoted(path)),
                (
                    "range",
                    end.map_or_else(|| start.to_string(), |end| format!("{start}-{end}")),
                ),
                ("total", total.to_string()),
            ],
            Self::BadColumns {
                path,
                line,
                start,
                end,
                width,
            } => vec![
                ("path", quoted(path)),
                ("line", line.to_string()),
                ("start", start.to_string()),
                ("end", end.to_string()),
                ("width", width.to_string()),
            ],
            Self::ParserStopped { path, limit } => {
                let (limit, limit_ja) = match limit {
                    ParserLimit::Memory => (
                        format!("{} MB of memory", MEMORY_LIMIT >> 20),
                        format!("メモリー {} MB", MEMORY_LIMIT >> 20),
                    ),
                    ParserLimit::Time => (
                        format!("{CPU_SECONDS} seconds of CPU time"),
                        format!("CPU 時間 {CPU_SECONDS} 秒"),
                    ),
                };
                vec![("path", quoted(path)), ("limit", limit), ("limit_ja", limit_ja)]
            }
            Self::ParserUnavailable { reason } => vec![("reason", reason.clone())],
            Self::NoSections | Self::Cancelled => vec![],
            Self::UnknownElement {
                path,
                element,
                nearest,
                count,
                broken,
            } => {
                let (nearest, nearest_ja) = did_you_mean(nearest);
                let (broken, broken_ja) = broken.map_or_else(Default::default, |line| {
                    (
                        format!(
                            " The file has syntax errors (the first at line {line}), so the element may exist nevertheless: search for its name with search_content."
                        ),
                        format!(
                            " 構文エラー（最初は {line} 行目）のためファイル全体を読めておらず、要素が漏れている可能性があります。search_content で名前を検索してください。"
                        ),
                    )
                });
                vec![
                    ("broken", broken),
                    ("broken_ja", broken_ja),
                    ("path", quoted(path)),
                    ("element", quoted(element)),
                    ("count", count.to_string()),
                    ("nearest", nearest),
                    ("nearest_ja", nearest_ja),
                ]
            }
            Self::AmbiguousElement {
                path,
                element,
                candidates,
            } => {
                let change = candidates.first().map_or_else(String::new, |(_, start, end)| {
                    format!(r#"{{"element": null, "start_line": {start}, "end_line": {end}}}"#)
                });
                let mut shown = String::new();
                for (name, start, end) in candidates.iter().take(20) {
                    let comma = if shown.is_empty() { "" } else { ", " };
                    // Writing to a String cannot fail.
                    let _ = write!(shown, "{comma}{name} ({start}-{end})");
                }
                vec![
                    ("path", quoted(path)),
                    ("element", quoted(element)),
                    ("count", candidates.len().to_string()),
                    ("candidates", shown),
                    ("change", change),
                ]
            }
        }
    }
}

/// Returns the names most similar to a misspelt one, best first, at most three; empty if none is similar.
#[must_use]
pub fn most_similar<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    // Below this similarity a suggestion misleads more often than it helps (Jaro-Winkler, 0 to 1).
    const LIKE: f64 = 0.7;
    let lower = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= LIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Returns a sentence of suggestions in both languages, with a space before the English one; empty without suggestions.
fn did_you_mean(names: &[String]) -> (String, String) {
    if names.is_empty() {
        return (String::new(), String::new());
    }
    (
        format!(" Did you mean {}?", names.join(", ")),
        format!("もしかして: {}", names.join("、")),
    )
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, ParserLimit, QuerySyntaxError, StructureError, most_similar};

    #[test]
    fn every_error_message_is_complete() {
        let text = || "x".to_owned();
        let pair = || (text(), text());
        let all = [
            StructureError::UnsupportedLanguage { path: text() },
            StructureError::EmptyFile { path: text() },
            StructureError::UnknownLanguage { asked: text() },
            StructureError::BadQuery(Box::new(QuerySyntaxError {
                line: 1,
                column: 2,
                excerpt: text(),
                reason: pair(),
                hint: pair(),
            })),
            StructureError::BadPattern(Box::new(QuerySyntaxError {
                line: 1,
                column: 2,
                excerpt: text(),
                reason: pair(),
                hint: pair(),
            })),
            StructureError::UnknownQueryKey {
                key: text(),
                language: text(),
                keys: text(),
                nearest: vec![text()],
            },
            StructureError::BadFilter {
                filter: text(),
                column: 1,
                reason: pair(),
            },
            StructureError::BadRange {
                path: text(),
                start: 9,
                end: Some(1),
                total: 5,
            },
            StructureError::BadColumns {
                path: text(),
                line: 1,
                start: 2,
                end: 1,
                width: 5,
            },
            StructureError::NoSections,
            StructureError::UnknownElement {
                path: text(),
                element: text(),
                nearest: vec![],
                count: 3,
                broken: Some(3),
            },
            StructureError::AmbiguousElement {
                path: text(),
                element: text(),
                candidates: vec![(text(), 1, 2)],
            },
            StructureError::ParserStopped {
                path: text(),
                limit: ParserLimit::Time,
            },
            StructureError::ParserUnavailable { reason: text() },
            StructureError::Cancelled,
        ];
        for error in &all {
            let lesson = error.error_message();
            for sentence in [&lesson.message.en, &lesson.message.ja, &lesson.next.en, &lesson.next.ja] {
                assert!(
                    !sentence.is_empty() && !sentence.contains('{'),
                    "{}: {sentence}",
                    error.entry()
                );
            }
        }
        for (name, _) in BOOK.entries() {
            assert!(all.iter().any(|error| error.entry() == name), "{name} is never raised");
        }
    }

    #[test]
    fn only_similar_names_are_suggested() {
        assert_eq!(most_similar("method", ["methods", "classes", "imports"]), ["methods"]);
        assert!(most_similar("zzz", ["methods", "classes"]).is_empty());
    }
}
