//! Where files do not follow their grammar, so that what was read from them may lack something.
//!
//! Broken source is no failure: it gives what could be read. A reply also names the files that could not be read whole.

use serde::{Deserialize, Serialize};

use crate::parse::ParseError;

/// Files that are named; the count tells of the rest.
const EXAMPLES: usize = 5;

/// How much of a file could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brokenness {
    /// Places of broken syntax.
    pub count: usize,
    /// The line of the first.
    pub first_line: usize,
}

impl Brokenness {
    /// `None` if there is no place of broken syntax.
    #[must_use]
    pub fn of(errors: &[ParseError], count: usize) -> Option<Self> {
        let first_line = errors.first()?.line;
        Some(Self { count, first_line })
    }
}

/// Files that could not be read whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrokenFiles {
    /// How many.
    pub count: usize,
    /// The first by path, each with the line of its first error: `src/a.py:3`.
    pub examples: Vec<String>,
}

impl BrokenFiles {
    /// Of paths, each with the line of its first error, in any order.
    #[must_use]
    pub fn of(mut places: Vec<(String, usize)>) -> Self {
        places.sort();
        let examples = places.iter().take(EXAMPLES);
        Self {
            count: places.len(),
            examples: examples.map(|(path, line)| format!("{path}:{line}")).collect(),
        }
    }
}
