//! Errors of walking and searching: patterns, globs, sizes, times, and cancellation.
//!
//! An error in the caller's input names the argument, the position in it and a correction. An unreadable file is not an
//! error: it is skipped and listed (see [`crate::skipped`]).

use fumi_base::{
    errors::{ErrorCatalog, Fact, UserError},
    text::BilingualText,
};

/// An error that prevents a listing or a search, or ends it early.
#[derive(Clone, Debug, PartialEq, Eq, UserError)]
#[fact(plain(reason))]
pub enum SearchError {
    /// An invalid regular expression. `column` counts characters from 1; 0 if the position is unknown.
    #[fact(place = place(*column))]
    #[fact(change = advice.change(pattern))]
    InvalidRegex { argument: &'static str, pattern: String, column: usize, reason: String, advice: SearchAdvice },
    /// An invalid glob.
    InvalidGlob { argument: &'static str, glob: String, reason: String },
    /// A pattern with a `/`, which the name of a file never contains. `glob` is true if the pattern is a glob.
    #[fact(skip(glob))]
    #[fact(change = SearchAdvice::slash_change(pattern, *glob))]
    SlashInName { pattern: String, glob: bool },
    /// Only hidden names match, and hidden files are left out.
    HiddenName { pattern: String },
    /// Not the extension of a file name.
    InvalidExtension { value: String },
    /// Not a file type that the walk knows.
    UnknownFileType { value: String },
    /// Not a size with a unit.
    InvalidSize { argument: &'static str, value: String },
    /// Not a limit for the size of searched files.
    InvalidMaxFilesize { argument: &'static str, value: String },
    /// Roles are asked for, and too many files would have to be parsed.
    TooManyForRoles { files: usize, most: usize },
    /// Roles are asked for, and not all matches are kept.
    TooManyRowsForRoles { matches: u64 },
    /// Neither a time span nor a date.
    InvalidTime { argument: &'static str, value: String },
    /// Nothing to search for.
    EmptyQuery,
    #[catalog(fumi_base::project::BOOK)]
    #[entry("SYSTEM_FAILURE")]
    #[fact(action = "read")]
    #[fact(reason = BilingualText::new(
        "no open file, memory, disk or mount was available",
        "開けるファイル数、メモリー、ディスク、マウントのいずれかが使えませんでした",
    ))]
    System { path: String },
    #[catalog(fumi_base::project::BOOK)]
    Cancelled,
}

fn place(column: usize) -> BilingualText {
    match column {
        0 => BilingualText::same(""),
        column => BilingualText::new(format!(" at character {column}"), format!("{column} 文字目、")),
    }
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

impl Fact for SearchAdvice {
    fn fact(&self) -> Option<BilingualText> {
        let (en, ja) = match self {
            Self::FixedStrings => (
                "To search for the text literally, add \"fixed_strings\": true.",
                "文字どおりに検索するには \"fixed_strings\": true を付けてください。",
            ),
            Self::Multiline => (
                "To match across lines, add \"multiline\": true.",
                "行をまたいで一致させるには \"multiline\": true を付けてください。",
            ),
            Self::Pcre2 => (
                "Look-around and backreferences need \"pcre2\": true.",
                "先読み・後読みや後方参照には \"pcre2\": true が必要です。",
            ),
            Self::Glob => (
                "If it is a glob such as *.py, add \"glob\": true.",
                "*.py のような glob のつもりなら \"glob\": true を付けてください。",
            ),
            Self::Escape => (
                "Put a backslash before characters that are meant literally.",
                "文字どおりに一致させたい記号の前にはバックスラッシュを付けてください。",
            ),
            Self::Shorten => (
                "Use a shorter expression or smaller repetitions.",
                "正規表現を短くするか、繰り返しの回数を減らしてください。",
            ),
            Self::NoNul => (
                "Files with NUL characters are binary and not searched; leave it out.",
                "NUL 文字を含むファイルはバイナリーとみなされ検索されません。NUL を外してください。",
            ),
        };
        Some(BilingualText::new(en, ja))
    }
}

impl SearchAdvice {
    /// Returns the change to the call, as a JSON object in text; empty if the caller must rewrite the expression.
    fn change(self, pattern: &str) -> String {
        let change = match self {
            Self::FixedStrings => r#"{"fixed_strings": true}"#,
            Self::Multiline => r#"{"multiline": true}"#,
            Self::Pcre2 => r#"{"pcre2": true}"#,
            Self::Glob => r#"{"glob": true}"#,
            // With a slash it would be rejected again.
            Self::Escape if !pattern.contains('/') => {
                return format!(r#"{{"pattern": "{}"}}"#, in_json(&regex_syntax::escape(pattern)));
            }
            Self::Shorten | Self::NoNul | Self::Escape => "",
        };
        change.to_owned()
    }

    /// Returns the change to a call whose pattern contains a slash, in the same form.
    fn slash_change(pattern: &str, is_glob: bool) -> String {
        let looks_like_glob = pattern.contains("/*") || pattern.contains("**");
        if !is_glob && !looks_like_glob && regex::Regex::new(pattern).is_ok() {
            return r#"{"full_path_match": true}"#.to_owned();
        }
        let glob = pattern.trim_start_matches("./").trim_start_matches('/');
        let glob = if glob.starts_with("**/") { glob.to_owned() } else { format!("**/{glob}") };
        // An invalid glob would be rejected again.
        if globset::Glob::new(&glob).is_err() {
            return String::new();
        }
        let quoted = in_json(&glob);
        format!(r#"{{"pattern": "{quoted}", "glob": true, "full_path_match": true}}"#)
    }
}

/// Returns a text as it stands between the quotes of a JSON string.
fn in_json(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_ascii_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    escaped.collect()
}

/// The catalogue of search errors.
pub static BOOK: std::sync::LazyLock<ErrorCatalog> =
    std::sync::LazyLock::new(|| ErrorCatalog::embedded(include_str!("search.toml")));

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, SearchError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[SearchError::shapes()]), [""; 0]);
    }
}
