//! The position and reason of an error in a pattern, in a few words: the parsers' messages without their drawings.
//!
//! Columns count characters from 1. The advice is the caller's, which knows the purpose of the pattern.

/// Returns the column and reason of an error in a regular expression.
pub(crate) fn regex_position_and_reason(error: &regex_syntax::Error) -> (usize, String) {
    match error {
        regex_syntax::Error::Parse(error) => {
            (column(error.pattern(), error.span().start.offset), error.kind().to_string())
        }
        regex_syntax::Error::Translate(error) => {
            (column(error.pattern(), error.span().start.offset), error.kind().to_string())
        }
        other => (0, last_line(&other.to_string())),
    }
}

pub(crate) fn glob_reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => glob_reason(err),
        other => last_line(&other.to_string()),
    }
}

/// Returns the last line of an error drawing, without its `error:`.
pub(crate) fn last_line(message: &str) -> String {
    let line = message.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().trim_start_matches("error: ").to_owned()
}

fn column(pattern: &str, offset: usize) -> usize {
    pattern.get(..offset).map_or(0, |before| before.chars().count() + 1)
}
