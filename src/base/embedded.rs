//! TOML files that are part of the program.
//!
//! A file is first read as a value without a type. The parser for TOML is large, and would otherwise be compiled again for
//! every type that a file is read as, which was 1 MB of the program.

use serde::de::DeserializeOwned;
use toml::{Table, de::Error};

/// Parses a TOML file. An error about a field that does not fit its type has no line.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    text.parse::<Table>()?.try_into()
}

/// Parses an embedded TOML file.
///
/// # Panics
/// If the file is malformed: a test reads every one.
pub fn toml<T: DeserializeOwned>(name: &str, text: &str) -> T {
    parse(text).unwrap_or_else(|error| panic!("{name} is malformed: {error}"))
}
