//! Files with syntax errors, whose results may be incomplete.
//!
//! Broken source is not a failure: its readable parts are returned. A reply also names the files with syntax errors.

use serde::{Deserialize, Serialize};

use crate::parse::ParseError;

/// The maximum number of files named; the count covers the rest.
const EXAMPLES: usize = 5;

/// The extent of a file's syntax errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxErrorSummary {
    /// The number of parse errors.
    pub count: usize,
    /// The line of the first parse error.
    pub first_line: usize,
}

impl SyntaxErrorSummary {
    /// Returns `None` if there are no errors.
    pub fn from_errors(errors: &[ParseError], count: usize) -> Option<Self> {
        let first_line = errors.first()?.line;
        Some(Self { count, first_line })
    }
}

/// The files with syntax errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MalformedFiles {
    /// The number of files with syntax errors.
    pub count: usize,
    /// The first files by path, each with the line of its first error: `src/a.py:3`.
    pub examples: Vec<String>,
}

impl MalformedFiles {
    /// Builds the list from paths with the lines of their first errors, in any order.
    pub fn from_places(mut places: Vec<(String, usize)>) -> Self {
        places.sort();
        let examples = places.iter().take(EXAMPLES);
        Self { count: places.len(), examples: examples.map(|(path, line)| format!("{path}:{line}")).collect() }
    }
}
