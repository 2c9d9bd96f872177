//! A query as ripgrep 15 understands it: one regular expression or literal text, its case, its words, its engine.
//!
//! Invariant: a [`TextQuery`] is compiled; what can be wrong with a query is wrong before a file is opened. A query is
//! only ever a query: one that looks like an option has no special meaning.

use fumi_base::files::EncodingChoice;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use crate::{
    backtracking::Backtracking,
    errors::search::{Advice, SearchError},
    fault,
};

/// The most that a compiled query may occupy, in bytes. A fifth of ripgrep's, because compiling cannot be cancelled:
/// this is a few hundred milliseconds at worst, and twice what Rust's own default allows.
const COMPILED_BYTES: usize = 20 << 20;

/// How upper and lower case compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Insensitive unless the query has an upper-case letter.
    #[default]
    Smart,
    /// The same letter in either case.
    Insensitive,
    /// As written.
    Sensitive,
}

/// How the query's text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// Rust's regular expressions: linear time, no look-around.
    #[default]
    Regex,
    /// The text itself.
    Literal,
    /// PCRE2: look-around and backreferences, at a price.
    Pcre2,
    /// The text itself, matched by PCRE2.
    Pcre2Literal,
}

/// What the caller wants to find in files.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryOptions {
    /// The expression or text.
    pub query: String,
    /// How it is read.
    pub syntax: Syntax,
    /// How case compares.
    pub case: Case,
    /// Only whole words.
    pub word: bool,
    /// A match may span lines.
    pub multiline: bool,
    /// How files are decoded.
    pub encoding: EncodingChoice,
    /// Lines shown before a match.
    pub context_before: usize,
    /// Lines shown after a match.
    pub context_after: usize,
    /// Matching lines per file, after which its search ends (ripgrep's `-m`); counts end there too.
    pub max_count: Option<u64>,
}

impl QueryOptions {
    /// A query with ripgrep's defaults, except that case is smart and encodings are detected.
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

/// A compiled query.
#[derive(Clone, Debug)]
pub struct TextQuery {
    pub(crate) engine: Engine,
    pub(crate) multiline: bool,
    pub(crate) encoding: EncodingChoice,
    pub(crate) context_before: usize,
    pub(crate) context_after: usize,
    pub(crate) max_count: Option<u64>,
}

/// The compiled expression.
#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Rust(RegexMatcher),
    Pcre2(Box<Backtracking>),
}

impl TextQuery {
    /// Compiles a query.
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

/// Settings as ripgrep's: Unicode on, `^` and `$` at lines, no NUL (binary detection is always on).
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
        // PCRE2 counts bytes, and after adding what makes whole words; then the place would mislead.
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

/// Parses again to learn the place; the matcher's own error is a drawing of several lines.
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
