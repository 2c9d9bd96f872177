//! The outline of a file: its elements without the syntax tree, the basis of tables, scales, rankings and sections.
//!
//! Unlike [`ParsedFile`] it can be sent out of the process that parsed the file; see [`crate::parser_pool`].

use tokio_util::sync::CancellationToken;

use crate::{
    elements::ElementList,
    errors::structure::StructureError,
    extract::extract,
    parse::{LineIndex, ParseError, ParsedFile, SourceFile, parse},
};

/// The elements of a file, with its text.
#[derive(Debug)]
pub struct Outline {
    /// The source file that was parsed.
    pub source: SourceFile,
    /// The index that converts byte offsets to lines and columns.
    pub lines: LineIndex,
    /// All elements, including those of embedded texts.
    pub elements: ElementList,
    /// The first parse errors, at most [`crate::parse::MAX_PARSE_ERRORS`].
    pub errors: Vec<ParseError>,
    /// The number of all parse errors, including those of embedded texts.
    pub error_count: usize,
}

impl Outline {
    /// Parses a file in this process.
    ///
    /// # Errors
    /// Returns [`StructureError::Cancelled`] once the token is cancelled.
    pub fn read(source: SourceFile, cancel: &CancellationToken) -> Result<Self, StructureError> {
        let parsed = parse(source, cancel)?;
        let elements = extract(&parsed, cancel)?;
        Ok(Self::new(parsed, elements))
    }

    /// Combines a parsed file with the elements extracted from it.
    pub fn new(parsed: ParsedFile, elements: ElementList) -> Self {
        Self {
            source: parsed.source,
            lines: parsed.lines,
            elements,
            errors: parsed.errors,
            error_count: parsed.error_count,
        }
    }
}
