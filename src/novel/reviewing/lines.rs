//! Files of one JSON value a line: read as far as they are whole, and written anew with lines added.

use std::sync::Arc;

use fumi_base::{
    files,
    project::{PathError, Project},
    writing::replace,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::errors::reviewing::ReviewError;

/// The largest such file that is read.
const BYTES: u64 = 32 << 20;

/// The values of a file; none of one that is not there. A line that cannot be read is passed over: it says nothing.
pub(super) fn read<T: DeserializeOwned>(project: &Arc<Project>, path: &str) -> Result<Vec<T>, ReviewError> {
    let text = text(project, path)?;
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

/// Adds values to a file, which is there afterwards even if there are none.
pub(super) fn add<T: Serialize>(project: &Arc<Project>, path: &str, values: &[T]) -> Result<(), ReviewError> {
    let mut text = text(project, path)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for value in values {
        text.push_str(&json(value));
        text.push('\n');
    }
    replace(project, path, text.as_bytes())?;
    Ok(())
}

/// A value as one line.
///
/// # Panics
/// Never: what is kept is made of texts, numbers and lists.
pub(super) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("texts, numbers and lists are JSON")
}

fn text(project: &Arc<Project>, path: &str) -> Result<String, ReviewError> {
    match project.resolve(path) {
        Ok(file) => Ok(String::from_utf8_lossy(&files::read(&file, BYTES)?).into_owned()),
        Err(PathError::NotFound { .. }) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}
