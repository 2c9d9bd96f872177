//! Files of one JSON value a line: read as far as they are whole, and written anew with lines added.

use serde::{Serialize, de::DeserializeOwned};

use super::shelf::Shelf;
use crate::errors::reviewing::ReviewError;

/// The largest such file that is read.
const BYTES: u64 = 32 << 20;

/// The values of a file; none of one that is not there. A line that cannot be read is passed over: it says nothing.
pub(super) fn read<T: DeserializeOwned>(shelf: &Shelf, path: &str) -> Result<Vec<T>, ReviewError> {
    let text = shelf.text(path, BYTES)?.unwrap_or_default();
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

/// Adds values to a file, which is there afterwards even if there are none.
pub(super) fn add<T: Serialize>(shelf: &Shelf, path: &str, values: &[T]) -> Result<(), ReviewError> {
    let mut text = shelf.text(path, BYTES)?.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for value in values {
        text.push_str(&json(value));
        text.push('\n');
    }
    shelf.write(path, &text)
}

/// A value as one line.
///
/// # Panics
/// Never: what is kept is made of texts, numbers and lists.
pub(super) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("texts, numbers and lists are JSON")
}
