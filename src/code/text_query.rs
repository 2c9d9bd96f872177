//! Text queries as in ripgrep 15: one regular expression or literal text, its case, its words, its engine.
//!
//! Invariant: a [`TextQuery`] is compiled, so errors in a query are found before a file is opened. A query that looks
//! like a command-line option has no special meaning.

use fumi_base::files::EncodingChoice;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use crate::{
    backtracking::Backtracking,
    errors::search::{Advice, SearchError},
    fault,
};

/// The maximum size of a compiled query, in bytes. A fifth of ripgrep's, because compilation cannot be cancelled: it
/// takes a few hundred milliseconds at worst. Twice Rust's own default.
const COMPILED_BYTES: usize = 20 << 20;

/// The comparison of upper and lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Insensitive unless the query has an upper-case letter.
    #[default]
    Smart,
    /// Upper and lower case are equal.
    Insensitive,
    /// Upper and lower case differ.
    Sensitive,
}

/// The interpretation of the query's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// Rust's regular expressions: linear time, no look-around.
    #[default]
    Regex,
    /// Literal text, matched by Rust's engine.
    Literal,
    /// PCRE2: look-around and backreferences, but slower.
    Pcre2,
    /// Literal text, matched by PCRE2.
    Pcre2Literal,
}

/// A text query with its options.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryOptions {
    /// The expression or literal text.
    pub query: String,
    pub syntax: Syntax,
    /// The case sensitivity of the search.
    pub case: Case,
    /// True to match only whole words.
    pub word: bool,
    /// True if a match may span lines.
    pub multiline: bool,
    /// The encoding of the files, or detection.
    pub encoding: EncodingChoice,
    /// The number of lines shown before a match.
    pub context_before: usize,
    /// The number of lines shown after a match.
    pub context_after: usize,
    /// The number of matching lines after which the search of a file ends (ripgrep's `-m`); its counts end there too.
    pub max_count: Option<u64>,
}

impl QueryOptions {
    /// Creates a query with ripgrep's defaults, except that case is smart and encodings are detected.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            syntax: Syntax::default(),
            case: Case::default(),
            word: false,
            multiline: false,
            encoding: EncodingChoice::Auto,
            context_before: 0,
            context_after: 0,
            max_count: None,
        }
    }
}

/// A compiled query with the options of its search.
#[derive(Clone, Debug)]
pub struct TextQuery {
    pub(crate) engine: Engine,
    pub(crate) multiline: bool,
    pub(crate) encoding: EncodingChoice,
    pub(crate) context_before: usize,
    pub(crate) context_after: usize,
    pub(crate) max_count: Option<u64>,
}

/// The compiled expression of one engine.
#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Rust(RegexMatcher),
    Pcre2(Box<Backtracking>),
}

impl TextQuery {
    /// Compiles a query for its engine.
    pub fn new(options: &QueryOptions) -> Result<Self, SearchError> {
        if options.query.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let engine = match options.syntax {
            Syntax::Regex | Syntax::Literal => Engine::Rust(rust(options)?),
            Syntax::Pcre2 | Syntax::Pcre2Literal => Engine::Pcre2(Box::new(pcre2(options)?)),
        };
        Ok(Self {
            engine,
            multiline: options.multiline,
            encoding: options.encoding,
            context_before: options.context_before,
            context_after: options.context_after,
            max_count: options.max_count,
        })
    }
}

/// Compiles for Rust's engine with ripgrep's settings: Unicode on, `^` and `$` at lines, no NUL (binary detection is
/// always on).
fn rust(options: &QueryOptions) -> Result<RegexMatcher, SearchError> {
    let literal = options.syntax == Syntax::Literal;
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .fixed_strings(literal)
        .case_insensitive(options.case == Case::Insensitive)
        .case_smart(options.case == Case::Smart)
        .word(options.word)
        .dot_matches_new_line(false)
        .size_limit(COMPILED_BYTES)
        .ban_byte(Some(b'\0'));
    if !options.multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build_many(&[&options.query]).map_err(|error| {
        let (column, reason, advice) = match error.kind() {
            ErrorKind::NotAllowed(_) => (
                0,
                "a line break cannot be matched line by line".to_owned(),
                Advice::Multiline,
            ),
            ErrorKind::Banned(_) => (0, fault::short(&error.to_string()), Advice::NoNul),
            _ => diagnose(&options.query, &error.to_string()),
        };
        refused(options, column, reason, advice)
    })
}

fn pcre2(options: &QueryOptions) -> Result<Backtracking, SearchError> {
    Backtracking::new(options).map_err(|(error, before)| {
        // PCRE2 counts bytes, in an expression with additions for whole words; the position would be wrong for those.
        let column = error
            .offset()
            .filter(|_| !options.word && options.syntax == Syntax::Pcre2)
            .and_then(|offset| {
                options
                    .query
                    .get(..offset.saturating_sub(before).min(options.query.len()))
            })
            .map_or(0, |before| before.chars().count() + 1);
        refused(options, column, fault::short(&error.to_string()), Advice::FixedStrings)
    })
}

/// Parses the query again to find the position; the matcher's own error is a drawing of several lines.
fn diagnose(query: &str, message: &str) -> (usize, String, Advice) {
    use regex_syntax::ast::ErrorKind as Ast;
    let Err(error) = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .build()
        .parse(query)
    else {
        let advice = if message.contains("size limit") {
            Advice::Shorten
        } else {
            Advice::FixedStrings
        };
        return (0, fault::short(message), advice);
    };
    let (column, reason) = fault::of(&error);
    let advice = match &error {
        regex_syntax::Error::Parse(error)
            if matches!(error.kind(), Ast::UnsupportedLookAround | Ast::UnsupportedBackreference) =>
        {
            Advice::Pcre2
        }
        _ => Advice::FixedStrings,
    };
    (column, reason, advice)
}

fn refused(options: &QueryOptions, column: usize, reason: String, advice: Advice) -> SearchError {
    SearchError::Regex {
        argument: "query",
        pattern: options.query.clone(),
        column,
        reason,
        advice,
    }
}

#[cfg(test)]
mod tests {
    use super::{Advice, QueryOptions, SearchError, Syntax, TextQuery};

    #[test]
    fn a_refused_query_says_where_and_what_helps() {
        for (query, syntax, at, expected) in [
            ("foo(", Syntax::Regex, 4, Advice::FixedStrings),
            ("文字[", Syntax::Regex, 3, Advice::FixedStrings),
            ("(?<=a)b", Syntax::Regex, 1, Advice::Pcre2),
            (r"(a)\1", Syntax::Regex, 4, Advice::Pcre2),
            ("a\\nb", Syntax::Regex, 0, Advice::Multiline),
            ("\\w{5000}{5000}", Syntax::Regex, 0, Advice::Shorten),
            ("a\\x00", Syntax::Regex, 0, Advice::NoNul),
        ] {
            let mut options = QueryOptions::new(query);
            options.syntax = syntax;
            match TextQuery::new(&options) {
                Err(SearchError::Regex { column, advice, .. }) => {
                    assert_eq!((column, advice), (at, expected), "{query}");
                }
                other => panic!("{query}: {other:?}"),
            }
        }
        let mut options = QueryOptions::new("foo(");
        options.syntax = Syntax::Pcre2;
        assert!(matches!(TextQuery::new(&options), Err(SearchError::Regex { .. })));
        for (query, syntax) in [
            ("--version", Syntax::Regex),
            ("foo(", Syntax::Literal),
            (r"(?<=a)b", Syntax::Pcre2),
            ("(", Syntax::Pcre2Literal),
        ] {
            let mut options = QueryOptions::new(query);
            options.syntax = syntax;
            assert!(TextQuery::new(&options).is_ok(), "{query}");
        }
    }
}
