//! Where and why a pattern is not valid, in a few words: what the parsers know, without their drawings.
//!
//! Columns count characters from 1. Nothing here decides what to advise: the caller knows what the pattern is for.

/// The place and reason of a regular expression's fault.
pub(crate) fn of(error: &regex_syntax::Error) -> (usize, String) {
    match error {
        regex_syntax::Error::Parse(error) => (
            column(error.pattern(), error.span().start.offset),
            error.kind().to_string(),
        ),
        regex_syntax::Error::Translate(error) => (
            column(error.pattern(), error.span().start.offset),
            error.kind().to_string(),
        ),
        other => (0, short(&other.to_string())),
    }
}

/// The reason of a glob's fault.
pub(crate) fn of_glob(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => of_glob(err),
        other => short(&other.to_string()),
    }
}

/// The last line of a drawing, without its `error:`.
pub(crate) fn short(message: &str) -> String {
    let line = message
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    line.trim().trim_start_matches("error: ").to_owned()
}

fn column(pattern: &str, offset: usize) -> usize {
    pattern.get(..offset).map_or(0, |before| before.chars().count() + 1)
}
