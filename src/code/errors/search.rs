//! Errors of walking and searching: patterns, globs, sizes, times, and cancellation.
//!
//! An error in the caller's input names the argument, the position in it and a correction. An unreadable file is not an
//! error: it is skipped and listed (see [`crate::skipped`]).

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    project::quoted,
};

/// An error that prevents a listing or a search, or ends it early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// An invalid regular expression. `column` counts characters from 1; 0 if the position is unknown.
    #[error("{argument}: invalid regular expression at column {column}: {reason}")]
    Regex {
        argument: &'static str,
        pattern: String,
        column: usize,
        reason: String,
        advice: SearchAdvice,
    },
    #[error("{argument}: invalid glob: {reason}")]
    Glob {
        argument: &'static str,
        glob: String,
        reason: String,
    },
    #[error("a file name never contains '/': {pattern}")]
    SlashInName { pattern: String, glob: bool },
    #[error("only hidden names match, and hidden files are left out: {pattern}")]
    HiddenName { pattern: String },
    #[error("not a file extension: {value}")]
    Extension { value: String },
    #[error("unknown file type {value}")]
    Kind { value: String },
    #[error("{argument}: not a size: {value}")]
    Size { argument: &'static str, value: String },
    #[error("{argument}: neither a time span nor a date: {value}")]
    Time { argument: &'static str, value: String },
    #[error("an empty query")]
    EmptyQuery,
    #[error("the system failed at {path}")]
    System { path: String },
    #[error("cancelled")]
    Cancelled,
}

/// The advice that is likely to help with a rejected query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchAdvice {
    /// The text was probably meant literally.
    FixedStrings,
    /// The expression contains a line break, which only a multi-line search can match.
    Multiline,
    /// The expression needs look-around or backreferences, which only PCRE2 has.
    Pcre2,
    /// The name pattern was probably meant as a glob.
    Glob,
    /// The name pattern is not a valid glob either.
    Escape,
    /// The expression exceeds the compiled size limit.
    Shorten,
    /// The expression contains a NUL character, which text does not.
    NoNul,
}

impl SearchAdvice {
    /// Returns the hint in English.
    const fn en(self) -> &'static str {
        match self {
            Self::FixedStrings => "To search for the text literally, add \"fixed_strings\": true.",
            Self::Multiline => "To match across lines, add \"multiline\": true.",
            Self::Pcre2 => "Look-around and backreferences need \"pcre2\": true.",
            Self::Glob => "If it is a glob such as *.py, add \"glob\": true.",
            Self::Escape => "Put a backslash before characters that are meant literally.",
            Self::Shorten => "Use a shorter expression or smaller repetitions.",
            Self::NoNul => "Files with NUL characters are binary and not searched; leave it out.",
        }
    }

    /// Returns the change to the call, as a JSON object in text; empty if the caller must rewrite the expression.
    const fn change(self) -> &'static str {
        match self {
            Self::FixedStrings => r#"{"fixed_strings": true}"#,
            Self::Multiline => r#"{"multiline": true}"#,
            Self::Pcre2 => r#"{"pcre2": true}"#,
            Self::Glob => r#"{"glob": true}"#,
            Self::Shorten | Self::NoNul | Self::Escape => "",
        }
    }

    /// Returns the change to a call whose pattern contains a slash, in the same form.
    fn slash_change(pattern: &str, is_glob: bool) -> String {
        let looks_like_glob = pattern.contains("/*") || pattern.contains("**");
        if !is_glob && !looks_like_glob && regex::Regex::new(pattern).is_ok() {
            return r#"{"full_path_match": true}"#.to_owned();
        }
        let glob = pattern.trim_start_matches("./").trim_start_matches('/');
        let glob = if glob.starts_with("**/") {
            glob.to_owned()
        } else {
            format!("**/{glob}")
        };
        // An invalid glob would be rejected again.
        if globset::Glob::new(&glob).is_err() {
            return String::new();
        }
        let quoted: String = glob
            .chars()
            .map(|c| match c {
                '"' | '\\' => format!("\\{c}"),
                c if c.is_ascii_control() => format!("\\u{:04x}", u32::from(c)),
                c => c.to_string(),
            })
            .collect();
        format!(r#"{{"pattern": "{quoted}", "glob": true, "full_path_match": true}}"#)
    }

    /// Returns the hint in Japanese.
    const fn ja(self) -> &'static str {
        match self {
            Self::FixedStrings => "文字どおりに検索するには \"fixed_strings\": true を付けてください。",
            Self::Multiline => "行をまたいで一致させるには \"multiline\": true を付けてください。",
            Self::Pcre2 => "先読み・後読みや後方参照には \"pcre2\": true が必要です。",
            Self::Glob => "*.py のような glob のつもりなら \"glob\": true を付けてください。",
            Self::Escape => "文字どおりに一致させたい記号の前にはバックスラッシュを付けてください。",
            Self::Shorten => "正規表現を短くするか、繰り返しの回数を減らしてください。",
            Self::NoNul => "NUL 文字を含むファイルはバイナリとみなされ検索されません。NUL を外してください。",
        }
    }
}

/// The catalogue of search errors.
pub static BOOK: std::sync::LazyLock<ErrorCatalog> =
    std::sync::LazyLock::new(|| ErrorCatalog::embedded(include_str!("search.toml")));

impl UserError for SearchError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Regex { .. } => "INVALID_REGEX",
            Self::Glob { .. } => "INVALID_GLOB",
            Self::SlashInName { .. } => "SLASH_IN_NAME",
            Self::HiddenName { .. } => "HIDDEN_NAME",
            Self::Extension { .. } => "INVALID_EXTENSION",
            Self::Kind { .. } => "UNKNOWN_FILE_TYPE",
            Self::Size { argument, .. } if *argument == "max_filesize" => "INVALID_MAX_FILESIZE",
            Self::Size { .. } => "INVALID_SIZE",
            Self::Time { .. } => "INVALID_TIME",
            Self::EmptyQuery => "EMPTY_QUERY",
            Self::System { .. } => "SYSTEM_FAILURE",
            Self::Cancelled => "CANCELLED",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::System { .. } | Self::Cancelled => &fumi_base::project::BOOK,
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Regex {
                argument,
                pattern,
                column,
                reason,
                advice,
            } => {
                let (place, place_ja) = if *column == 0 {
                    (String::new(), String::new())
                } else {
                    (format!(" at character {column}"), format!("{column} 文字目、"))
                };
                vec![
                    ("argument", (*argument).to_owned()),
                    ("pattern", quoted(pattern)),
                    ("column", column.to_string()),
                    ("place", place),
                    ("place_ja", place_ja),
                    ("reason", reason.clone()),
                    ("advice", advice.en().to_owned()),
                    ("advice_ja", advice.ja().to_owned()),
                    ("change", advice.change().to_owned()),
                ]
            }
            Self::Glob { argument, glob, reason } => vec![
                ("argument", (*argument).to_owned()),
                ("glob", quoted(glob)),
                ("reason", reason.clone()),
            ],
            Self::SlashInName { pattern, glob } => vec![
                ("pattern", quoted(pattern)),
                ("change", SearchAdvice::slash_change(pattern, *glob)),
            ],
            Self::HiddenName { pattern } => vec![("pattern", quoted(pattern))],
            Self::Extension { value } | Self::Kind { value } => vec![("value", quoted(value))],
            Self::Size { argument, value } | Self::Time { argument, value } => {
                vec![("argument", (*argument).to_owned()), ("value", quoted(value))]
            }
            Self::System { path } => vec![
                ("path", quoted(path)),
                ("action", "read".to_owned()),
                ("reason", "no open file, memory, disk or mount was available".to_owned()),
                (
                    "reason_ja",
                    "開けるファイル数、メモリ、ディスク、マウントのいずれかが使えませんでした".to_owned(),
                ),
            ],
            Self::EmptyQuery | Self::Cancelled => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, SearchAdvice, SearchError};

    #[test]
    fn every_error_has_messages_and_every_entry_is_used() {
        let all = [
            SearchError::System { path: "src".to_owned() },
            SearchError::Regex {
                argument: "query",
                pattern: "a(".to_owned(),
                column: 2,
                reason: "unclosed group".to_owned(),
                advice: SearchAdvice::FixedStrings,
            },
            SearchError::Glob {
                argument: "exclude",
                glob: "[".to_owned(),
                reason: "unclosed character class".to_owned(),
            },
            SearchError::SlashInName {
                pattern: "a/b".to_owned(),
                glob: false,
            },
            SearchError::Extension {
                value: "py,md".to_owned(),
            },
            SearchError::HiddenName {
                pattern: "^\\.env".to_owned(),
            },
            SearchError::Kind { value: "q".to_owned() },
            SearchError::Size {
                argument: "size",
                value: "10".to_owned(),
            },
            SearchError::Size {
                argument: "max_filesize",
                value: "x".to_owned(),
            },
            SearchError::Time {
                argument: "changed_within",
                value: "soon".to_owned(),
            },
            SearchError::EmptyQuery,
        ];
        // `{a,b}` in the advice on globs is not a parameter; a parameter name is one word.
        let unfilled = regex::Regex::new(r"\{[a-z_]+\}").expect("valid");
        let mut entries: Vec<&str> = BOOK.entries().map(|(name, _)| name).collect();
        for error in &all {
            let lesson = error.error_message();
            for text in [&lesson.message, &lesson.next] {
                assert!(!unfilled.is_match(&text.en), "{}", text.en);
                assert!(!unfilled.is_match(&text.ja) && text.ja != text.en, "{}", text.ja);
            }
            entries.retain(|entry| *entry != error.entry());
        }
        assert!(entries.is_empty(), "{entries:?}");
        assert_eq!(SearchError::Cancelled.error_message().code, "CANCELLED");
    }
}
