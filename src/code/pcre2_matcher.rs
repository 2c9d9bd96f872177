//! PCRE2 as a [`Matcher`], with a limit on backtracking.
//!
//! A backtracking match cannot be interrupted, so it is bounded beforehand. PCRE2 counts its steps anew at each
//! position where a match may begin: the maximum cost of a call is the limit times the length of the text. Hence the
//! limit is lower for longer texts.

use grep_matcher::{Match, Matcher, NoCaptures, NoError};
use pcre2::bytes::{Regex, RegexBuilder};

use crate::text_query::{CaseSensitivity, QuerySyntax, TextQueryOptions};

/// The stack that PCRE2's compiled code may use, in bytes (ripgrep's own figure).
const STACK_BYTES: usize = 10 << 20;

/// The limits by text size: bytes of text, and the steps allowed from one start position in a text up to that size;
/// PCRE2's own default is ten million. At two nanoseconds a step (measured), a text of 64 KiB or 1 MiB takes 10 to 20
/// seconds at worst, one of 100 MB minutes.
const LIMITS: [(usize, u32); 3] = [(64 << 10, 100_000), (1 << 20, 10_000), (usize::MAX, 1_000)];

/// PCRE2's error codes for a match that reached its limit of steps, of depth, of the compiled code's stack, or of
/// memory.
const AT_A_LIMIT: [i32; 4] = [-47, -53, -46, -63];

/// The reason for an unfinished match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MatchInterruption {
    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The match exceeded its backtracking limit.
    #[error("the match limit was exceeded")]
    MatchLimit,
    /// The text is too long for the counted repetitions of the query.
    #[error("the text is too long for this query")]
    LongText,
    /// PCRE2 failed in another way.
    #[error("{0}")]
    Failed(String),
}

impl From<NoError> for MatchInterruption {
    fn from(never: NoError) -> Self {
        Self::Failed(never.to_string())
    }
}

/// An expression, compiled once for each of `LIMITS`.
#[derive(Clone, Debug)]
pub(crate) struct Pcre2Matcher([Regex; LIMITS.len()]);

impl Pcre2Matcher {
    /// Compiles a query as ripgrep does. An error includes the number of characters before the query in the expression.
    pub(crate) fn new(options: &TextQueryOptions) -> Result<Self, (pcre2::Error, usize)> {
        let text = match options.syntax {
            QuerySyntax::Pcre2Literal => pcre2::escape(&options.query),
            _ => options.query.clone(),
        };
        let is_caseless = match options.case {
            CaseSensitivity::Insensitive => true,
            CaseSensitivity::Sensitive => false,
            CaseSensitivity::Smart => !has_uppercase_literal(&text),
        };
        let mut builder = RegexBuilder::new();
        builder.multi_line(true).caseless(is_caseless).utf(true).ucp(true);
        if cfg!(target_pointer_width = "64") {
            builder.jit_if_available(true).max_jit_stack_size(Some(STACK_BYTES));
        }
        let compile = |(_, limit): (usize, u32)| {
            let opening = format!("(*LIMIT_MATCH={limit})");
            let regex = if options.word {
                builder.build(&format!("{opening}(?<!\\w)(?:(?:{text}))(?!\\w)"))
            } else {
                builder.build(&format!("{opening}(?:{text})"))
            };
            regex.map_err(|error| (error, opening.len() + "(?:".len()))
        };
        let [short, long, longest] = LIMITS;
        Ok(Self([compile(short)?, compile(long)?, compile(longest)?]))
    }
}

/// True if the pattern contains an upper-case letter, by ripgrep's rule: an escaped letter does not count.
fn has_uppercase_literal(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character.is_uppercase() {
            return true;
        }
    }
    false
}

impl Matcher for Pcre2Matcher {
    type Captures = NoCaptures;
    type Error = MatchInterruption;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, MatchInterruption> {
        let length = haystack.len() - at;
        let mut fitting = self.0.iter().zip(LIMITS).filter(|(_, (most, _))| length <= *most);
        let Some((regex, _)) = fitting.next() else {
            return Ok(None);
        };
        let found = regex.find_at(haystack, at).map_err(|error| {
            if AT_A_LIMIT.contains(&error.code()) {
                MatchInterruption::MatchLimit
            } else {
                MatchInterruption::Failed(error.to_string())
            }
        })?;
        Ok(found.map(|found| Match::new(found.start(), found.end())))
    }

    fn new_captures(&self) -> Result<NoCaptures, MatchInterruption> {
        Ok(NoCaptures::new())
    }
}
