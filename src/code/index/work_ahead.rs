//! The files of a project whose elements are extracted before a call asks for them.
//!
//! The elements go to the answers of the parser pool, which belong to texts: a file that changes meanwhile makes none of
//! them wrong.

use std::{path::Path, sync::Arc};

use fumi_base::{
    encoding::{self, EncodingChoice},
    files,
    project::Project,
};

use crate::{errors::structure::StructureError, parse::SourceFile, parser_pool::ParserPool};

/// The number of files that exceed a limit of their parser process after which no more files of the project are parsed
/// ahead: each takes up to ten seconds.
const MOST_STOPS: usize = 8;

/// The files of a project to parse ahead.
#[derive(Debug, Default)]
pub(super) struct WorkAhead {
    /// Relative to the root, the next one last.
    files: Vec<Arc<Path>>,
    /// True while one is parsed.
    is_parsing: bool,
    stops: usize,
}

/// The outcome of parsing a file ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParsedAhead {
    /// It was parsed, or cannot be.
    Done,
    /// It exceeded a limit of its process.
    Stopped,
    /// There is no room for more elements, or no process.
    Full,
}

impl WorkAhead {
    /// Adds files. The last one is parsed first.
    pub(super) fn add(&mut self, files: impl Iterator<Item = Arc<Path>>) {
        if self.stops < MOST_STOPS {
            self.files.extend(files);
        }
    }

    /// Returns the next file. The caller must record its outcome by [`WorkAhead::finish`].
    pub(super) fn next(&mut self) -> Option<Arc<Path>> {
        let next = self.files.pop();
        self.is_parsing = next.is_some();
        next
    }

    pub(super) fn count(&self) -> usize {
        self.files.len() + usize::from(self.is_parsing)
    }

    /// Records the outcome of a file.
    pub(super) fn finish(&mut self, parsed: ParsedAhead) {
        self.is_parsing = false;
        self.stops += usize::from(parsed == ParsedAhead::Stopped);
        if parsed == ParsedAhead::Full || self.stops >= MOST_STOPS {
            self.files = Vec::new();
        }
    }
}

/// Extracts the elements of a file.
pub(super) fn parse_ahead(project: &Arc<Project>, path: &Path, most_bytes: u64, parsers: &ParserPool) -> ParsedAhead {
    let Some(path) = project.walked_path(&project.root().join(path)) else { return ParsedAhead::Done };
    let Ok(bytes) = files::read(&path, most_bytes) else { return ParsedAhead::Done };
    let decoded = encoding::decode(&bytes, EncodingChoice::Auto);
    let Ok(source) = SourceFile::new(path.shown(), decoded, bytes.len() as u64, None) else { return ParsedAhead::Done };
    match parsers.outline_ahead(&source) {
        Ok(false) | Err(StructureError::ParserUnavailable { .. }) => ParsedAhead::Full,
        Err(StructureError::ParserStopped { .. }) => ParsedAhead::Stopped,
        Ok(true) | Err(_) => ParsedAhead::Done,
    }
}
