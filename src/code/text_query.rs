//! Text queries as in ripgrep 15: one regular expression or literal text, its case, its words, its engine.
//!
//! Invariant: a [`TextQuery`] is compiled, so errors in a query are found before a file is opened. A query that looks
//! like a command-line option has no special meaning.

use fumi_base::encoding::EncodingChoice;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Hir, HirKind};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    errors::search::{SearchAdvice, SearchError},
    index::Need,
    pattern_error,
    pcre2_matcher::Pcre2Matcher,
};

/// The maximum size of a compiled query, in bytes. A fifth of ripgrep's, because compilation cannot be cancelled: it
/// takes a few hundred milliseconds at worst. Twice Rust's own default.
const COMPILED_BYTES: usize = 20 << 20;

/// The maximum size of the states that the engine caches while it searches, in bytes, for each thread and direction. A
/// hundredth of ripgrep's: a query with large repetitions filled gigabytes, and needs a quarter of the time with a smaller
/// cache. Ordinary queries use less than 2 MiB.
const CACHED_BYTES: usize = 8 << 20;

/// The comparison of upper and lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseSensitivity {
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
pub enum QuerySyntax {
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

#[derive(Clone, Debug, PartialEq)]
pub struct TextQueryOptions {
    /// The expression or literal text.
    pub query: String,
    pub syntax: QuerySyntax,
    /// The case sensitivity of the search.
    pub case: CaseSensitivity,
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

impl TextQueryOptions {
    /// Creates a query with ripgrep's defaults, except that case is smart and encodings are detected.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            syntax: QuerySyntax::default(),
            case: CaseSensitivity::default(),
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
    pub(crate) engine: MatchEngine,
    /// The trigrams that every matching text contains. Planned at once: that takes 5 to 20 µs for most queries.
    pub(crate) need: Need,
    /// The counted repetitions (`.{0,500}`), those inside of others multiplied. Each may be under way at every byte, so
    /// that the time for a byte grows with it. 0 for literals and PCRE2, which counts its steps itself.
    pub(crate) repetitions: usize,
    pub(crate) multiline: bool,
    pub(crate) encoding: EncodingChoice,
    pub(crate) context_before: usize,
    pub(crate) context_after: usize,
    pub(crate) max_count: Option<u64>,
}

/// The compiled expression of one engine.
#[derive(Clone, Debug)]
pub(crate) enum MatchEngine {
    Rust(RegexMatcher),
    Pcre2(Box<Pcre2Matcher>),
}

impl TextQuery {
    /// Compiles a query for its engine.
    pub fn new(options: &TextQueryOptions) -> Result<Self, SearchError> {
        if options.query.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let engine = match options.syntax {
            QuerySyntax::Regex | QuerySyntax::Literal => MatchEngine::Rust(compile_rust(options)?),
            QuerySyntax::Pcre2 | QuerySyntax::Pcre2Literal => MatchEngine::Pcre2(Box::new(compile_pcre2(options)?)),
        };
        let repetitions = match options.syntax {
            QuerySyntax::Regex => regex_syntax::parse(&options.query).map_or(0, |hir| count_repetitions(&hir)),
            QuerySyntax::Literal | QuerySyntax::Pcre2 | QuerySyntax::Pcre2Literal => 0,
        };
        Ok(Self {
            engine,
            need: Need::new(options),
            repetitions,
            multiline: options.multiline,
            encoding: options.encoding,
            context_before: options.context_before,
            context_after: options.context_after,
            max_count: options.max_count,
        })
    }
}

fn count_repetitions(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min) as usize;
            let inside = count_repetitions(&repetition.sub);
            if times > 1 { times.saturating_mul(inside.max(1)) } else { inside }
        }
        HirKind::Capture(capture) => count_repetitions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(count_repetitions).fold(0, usize::saturating_add)
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => 0,
    }
}

/// Compiles for Rust's engine with ripgrep's settings: Unicode on, `^` and `$` at lines, no NUL (binary detection is
/// always on).
fn compile_rust(options: &TextQueryOptions) -> Result<RegexMatcher, SearchError> {
    let literal = options.syntax == QuerySyntax::Literal;
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .fixed_strings(literal)
        .case_insensitive(options.case == CaseSensitivity::Insensitive)
        .case_smart(options.case == CaseSensitivity::Smart)
        .word(options.word)
        .dot_matches_new_line(false)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(CACHED_BYTES)
        .ban_byte(Some(b'\0'));
    if !options.multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build_many(&[&options.query]).map_err(|error| {
        let (column, reason, advice) = match error.kind() {
            ErrorKind::NotAllowed(_) => {
                (0, "a line break cannot be matched line by line".to_owned(), SearchAdvice::Multiline)
            }
            ErrorKind::Banned(_) => (0, pattern_error::last_line(&error.to_string()), SearchAdvice::NoNul),
            _ => diagnose(&options.query, &error.to_string()),
        };
        regex_error(options, column, reason, advice)
    })
}

fn compile_pcre2(options: &TextQueryOptions) -> Result<Pcre2Matcher, SearchError> {
    Pcre2Matcher::new(options).map_err(|(error, before)| {
        // PCRE2 counts bytes, in an expression with additions for whole words; the position would be wrong for those.
        let column = error
            .offset()
            .filter(|_| !options.word && options.syntax == QuerySyntax::Pcre2)
            .and_then(|offset| options.query.get(..offset.saturating_sub(before).min(options.query.len())))
            .map_or(0, |before| before.chars().count() + 1);
        regex_error(options, column, pattern_error::last_line(&error.to_string()), SearchAdvice::FixedStrings)
    })
}

/// Parses the query again to find the position; the matcher's own error is a drawing of several lines.
fn diagnose(query: &str, message: &str) -> (usize, String, SearchAdvice) {
    use regex_syntax::ast::ErrorKind as Ast;
    let Err(error) = regex_syntax::ParserBuilder::new().utf8(false).multi_line(true).build().parse(query) else {
        let advice = if message.contains("size limit") { SearchAdvice::Shorten } else { SearchAdvice::FixedStrings };
        return (0, pattern_error::last_line(message), advice);
    };
    let (column, reason) = pattern_error::regex_position_and_reason(&error);
    let advice = match &error {
        regex_syntax::Error::Parse(error)
            if matches!(error.kind(), Ast::UnsupportedLookAround | Ast::UnsupportedBackreference) =>
        {
            SearchAdvice::Pcre2
        }
        _ => SearchAdvice::FixedStrings,
    };
    (column, reason, advice)
}

fn regex_error(options: &TextQueryOptions, column: usize, reason: String, advice: SearchAdvice) -> SearchError {
    SearchError::InvalidRegex { argument: "query", pattern: options.query.clone(), column, reason, advice }
}

#[cfg(test)]
mod tests {
    use super::{QuerySyntax, SearchAdvice, SearchError, TextQuery, TextQueryOptions};

    #[test]
    fn counted_repetitions_add_up_and_multiply_inside_one_another() {
        for (query, repetitions) in [
            ("fn \\w+\\(", 0),
            ("a?b*c", 0),
            ("A.{0,500}B.{0,50}!!", 550),
            ("(?:.{0,20}x){0,4}|y{3}", 83),
            (".{7,}", 7),
        ] {
            let query = TextQuery::new(&TextQueryOptions::new(query)).expect("a query");
            assert_eq!(query.repetitions, repetitions);
        }
    }

    #[test]
    fn invalid_query_reports_column_and_advice() {
        for (query, syntax, at, expected) in [
            ("foo(", QuerySyntax::Regex, 4, SearchAdvice::FixedStrings),
            ("文字[", QuerySyntax::Regex, 3, SearchAdvice::FixedStrings),
            ("(?<=a)b", QuerySyntax::Regex, 1, SearchAdvice::Pcre2),
            (r"(a)\1", QuerySyntax::Regex, 4, SearchAdvice::Pcre2),
            ("a\\nb", QuerySyntax::Regex, 0, SearchAdvice::Multiline),
            ("\\w{5000}{5000}", QuerySyntax::Regex, 0, SearchAdvice::Shorten),
            ("a\\x00", QuerySyntax::Regex, 0, SearchAdvice::NoNul),
        ] {
            let mut options = TextQueryOptions::new(query);
            options.syntax = syntax;
            match TextQuery::new(&options) {
                Err(SearchError::InvalidRegex { column, advice, .. }) => {
                    assert_eq!((column, advice), (at, expected), "{query}");
                }
                other => panic!("{query}: {other:?}"),
            }
        }
        let mut options = TextQueryOptions::new("foo(");
        options.syntax = QuerySyntax::Pcre2;
        assert!(matches!(TextQuery::new(&options), Err(SearchError::InvalidRegex { .. })));
        for (query, syntax) in [
            ("--version", QuerySyntax::Regex),
            ("foo(", QuerySyntax::Literal),
            (r"(?<=a)b", QuerySyntax::Pcre2),
            ("(", QuerySyntax::Pcre2Literal),
        ] {
            let mut options = TextQueryOptions::new(query);
            options.syntax = syntax;
            assert!(TextQuery::new(&options).is_ok(), "{query}");
        }
    }
}
