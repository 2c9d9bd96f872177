//! JSON Lines files: complete lines are read, and additions rewrite the file.

use serde::{Serialize, de::DeserializeOwned};

use super::review_files::ReviewFiles;
use crate::errors::reviewing::ReviewError;

/// The largest file that is read, in bytes.
const BYTES: u64 = 32 << 20;

/// Reads the values of a file; empty if the file does not exist. Lines that cannot be parsed are skipped.
pub(super) fn read<T: DeserializeOwned>(shelf: &ReviewFiles, path: &str) -> Result<Vec<T>, ReviewError> {
    let text = shelf.text(path, BYTES)?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Appends values to a file, which is created even for an empty list.
pub(super) fn add<T: Serialize>(shelf: &ReviewFiles, path: &str, values: &[T]) -> Result<(), ReviewError> {
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

/// Serialises a value as one line.
///
/// # Panics
/// Never: the stored types consist of texts, numbers and lists.
pub(super) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("texts, numbers and lists can be represented in JSON")
}
