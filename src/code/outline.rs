//! A file as its elements tell of it, without its syntax tree: what tables, scales, rankings and cuts are made from.
//!
//! Unlike [`Parsed`] it can leave the process that parsed the file; see [`crate::parser_pool`].

use tokio_util::sync::CancellationToken;

use crate::{
    elements::Elements,
    errors::structure::StructureError,
    extract::extract,
    parse::{LineIndex, ParseError, Parsed, Source, parse},
};

/// The elements of a file, with its text.
#[derive(Debug)]
pub struct Outline {
    /// The file that was parsed.
    pub source: Source,
    /// Bytes to lines and columns.
    pub lines: LineIndex,
    /// All elements, those of embedded texts included.
    pub elements: Elements,
    /// The first places of broken syntax, at most [`crate::parse::MAX_PARSE_ERRORS`].
    pub errors: Vec<ParseError>,
    /// The number of places of broken syntax, in embedded texts too.
    pub error_count: usize,
}

impl Outline {
    /// Parses a file in this process.
    ///
    /// # Errors
    /// Returns [`StructureError::Cancelled`] once the token is cancelled.
    pub fn read(source: Source, cancel: &CancellationToken) -> Result<Self, StructureError> {
        let parsed = parse(source, cancel)?;
        let elements = extract(&parsed, cancel)?;
        Ok(Self::new(parsed, elements))
    }

    /// Combines a parsed file with the elements that were extracted from it.
    #[must_use]
    pub fn new(parsed: Parsed, elements: Elements) -> Self {
        Self {
            source: parsed.source,
            lines: parsed.lines,
            elements,
            errors: parsed.errors,
            error_count: parsed.error_count,
        }
    }
}
