//! The context of search matches: the role in the syntax, and the innermost element around it.
//!
//! Only files with rows are parsed, and not more than [`FILES`] of them. A file that cannot be parsed, or that changed since
//! it was searched, has rows without contexts.

use std::ops::Range;

use fumi_base::{encoding, files, project::ProjectPath};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    elements::{ElementKind, ElementList},
    errors::{search::SearchError, structure::StructureError},
    parse::{LineIndex, ParsedFile, SourceFile},
    parser_pool::ParserPool,
    ranked::is_document,
    roles::{HitRole, role_at},
    search::{LineMatch, SearchMatches, SearchScope},
    skipped::{SkipReason, SkippedList},
    source_files,
    text_query::TextQuery,
};

/// The maximum number of files that are parsed for one search: parsing one costs milliseconds.
pub const FILES: usize = 200;

/// The maximum number of matches of one row whose roles are determined.
const MATCHES: usize = 32;

/// The maximum number of rows of one file that get contexts if roles are not asked for: more than a reply has room for.
const ROWS: usize = 1_000;

/// The maximum size of a file whose rows get contexts if roles are not asked for, in bytes.
const BYTES: u64 = 1 << 20;

/// The contexts of the matches of each row of a file; `None` if it could not be parsed.
type FileContexts = Option<Vec<Vec<HitContext>>>;

/// The context of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitContext {
    pub role: HitRole,
    /// The qualified name of the innermost element around the match, as `extract_code_section` takes it; for a defined
    /// name, of the element around the definition. Elements of one line do not count.
    pub element: Option<String>,
}

impl HitContext {
    /// Returns the context of a match at these bytes.
    pub(crate) fn new(file: &ParsedFile, elements: &ElementList, bytes: &Range<usize>) -> Self {
        let found = role_at(file, bytes);
        let name = file.source.text.get(found.name).unwrap_or_default();
        let list = &elements.list;
        let is_around = |at: &usize| {
            let element = &list[*at];
            let is_defined_here = found.role == HitRole::Definition && element.name == name;
            bytes.start < element.span.end_byte
                && (is_document(element.kind) || element.kind == ElementKind::Key)
                && element.span.lines() > 1
                && !is_defined_here
        };
        let after = list.partition_point(|element| element.span.start_byte <= bytes.start);
        let element = (0..after).rev().find(is_around);
        Self {
            role: found.role,
            element: element.map(|at| elements.qualified_name(at)),
        }
    }
}

/// Parses the files with rows, to find the contexts of their matches.
#[derive(Clone, Copy)]
pub struct ContextFinder<'a> {
    pub query: &'a TextQuery,
    pub scope: &'a SearchScope,
    pub parsers: &'a ParserPool,
    pub cancel: &'a CancellationToken,
}

impl ContextFinder<'_> {
    /// Sets the context of each kept row to that of its first match. Returns false, and changes nothing, if more than
    /// [`FILES`] files have rows.
    pub fn add_to(self, matches: &mut SearchMatches) -> Result<bool, SearchError> {
        let Some(found) = self.find(matches, ROWS, BYTES)? else {
            return Ok(false);
        };
        for (at, rows) in found {
            let rows = rows.into_iter().flatten();
            for (line, contexts) in matches.files[at].lines.iter_mut().zip(rows) {
                line.context = contexts.into_iter().next();
            }
        }
        Ok(true)
    }

    /// Keeps only matches with one of these roles: drops other rows, sets the contexts of the rest, and counts again.
    /// Returns the files that could not be parsed; their rows are dropped too.
    ///
    /// # Errors
    /// Returns [`SearchError::TooManyForRoles`] if more than [`FILES`] files have rows, or not all rows were kept.
    pub fn keep_roles(self, matches: &mut SearchMatches, roles: &[HitRole]) -> Result<Vec<String>, SearchError> {
        let found = if matches.complete {
            self.find(matches, usize::MAX, u64::MAX)?
        } else {
            None
        };
        let Some(found) = found else {
            return Err(SearchError::TooManyForRoles {
                files: matches.total_files(),
                most: FILES,
            });
        };
        let mut unparsed = Vec::new();
        for (at, rows) in found {
            let file = &mut matches.files[at];
            if rows.is_none() {
                unparsed.push(file.path.shown());
            }
            let mut rows = rows.into_iter().flatten();
            file.match_count = 0;
            file.lines.retain_mut(|line| {
                let contexts = rows.next().unwrap_or_default();
                let mut wanted = contexts.into_iter().filter(|context| roles.contains(&context.role));
                line.context = wanted.next();
                let is_kept = line.context.is_some();
                file.match_count += u64::from(is_kept) + wanted.count() as u64;
                is_kept
            });
            file.line_count = file.lines.len() as u64;
        }
        matches.files.retain(|file| !file.lines.is_empty());
        matches.total_matches = matches.files.iter().map(|file| file.match_count).sum();
        matches.total_lines = matches.files.iter().map(|file| file.line_count).sum();
        Ok(unparsed)
    }

    /// Returns the contexts of the first rows of each file that is not larger than `most_bytes`, by the index of the file.
    /// Returns `None` if more than [`FILES`] files have rows.
    fn find(
        self,
        matches: &SearchMatches,
        most_rows: usize,
        most_bytes: u64,
    ) -> Result<Option<Vec<(usize, FileContexts)>>, SearchError> {
        let with_rows: Vec<usize> = (0..matches.files.len())
            .filter(|at| !matches.files[*at].lines.is_empty())
            .collect();
        if with_rows.len() > FILES {
            return Ok(None);
        }
        let paths: Vec<ProjectPath> = with_rows.iter().map(|at| matches.files[*at].path.clone()).collect();
        let found = source_files::process_each(&paths, SkippedList::default(), self.cancel, |path| {
            let at = paths.iter().position(|known| std::ptr::eq(known, path));
            let rows = at.map_or(&[][..], |at| &matches.files[with_rows[at]].lines);
            let rows = &rows[..rows.len().min(most_rows)];
            self.find_in(path, rows, most_bytes.min(self.scope.most_bytes()))
                .map(Some)
        })?;
        Ok(Some(with_rows.into_iter().zip(found.results).collect()))
    }

    /// Returns the contexts in one file; none in a text of no known language.
    fn find_in(self, path: &ProjectPath, rows: &[LineMatch], most_bytes: u64) -> Result<FileContexts, SkipReason> {
        let bytes = match files::read(path, most_bytes) {
            Ok(bytes) => bytes,
            Err(error) => {
                return match SkipReason::from_path_error(&error) {
                    SkipReason::System => Err(SkipReason::System),
                    _ => Ok(None),
                };
            }
        };
        let decoded = encoding::decode(&bytes, self.query.encoding);
        let Ok(source) = SourceFile::new(path.shown(), decoded, bytes.len() as u64, None) else {
            return Ok(Some(Vec::new()));
        };
        let lines = LineIndex::new(&source.text);
        let hits: Vec<_> = rows.iter().map(|row| match_bytes(row, &lines, &source.text)).collect();
        match self.parsers.contexts(&source, hits.concat(), self.cancel) {
            Ok(contexts) => {
                let mut contexts = contexts.into_iter();
                let of_rows = hits.iter().map(|hits| contexts.by_ref().take(hits.len()).collect());
                Ok(Some(of_rows.collect()))
            }
            Err(StructureError::ParserUnavailable { .. }) => Err(SkipReason::System),
            Err(_) => Ok(None),
        }
    }
}

/// Returns the bytes of a row's matches, at most [`MATCHES`]; empty if the text there is another one, since the file has
/// changed.
fn match_bytes(row: &LineMatch, lines: &LineIndex, text: &str) -> Vec<Range<usize>> {
    let line = usize::try_from(row.line)
        .ok()
        .and_then(|line| lines.line_bytes(line, text));
    let Some(start) = line.and_then(|line| Some(line.start + length(&text[line.start..], row.start_column)?)) else {
        return Vec::new();
    };
    let shown = &text[start..];
    let is_same = row
        .text
        .lines()
        .zip(shown.lines())
        .all(|(row, now)| now.starts_with(row));
    let spans = row.spans.iter().take(MATCHES).filter(|_| is_same);
    let bytes = spans.filter_map(|[from, to]| Some(start + length(shown, *from)?..start + length(shown, *to)?));
    bytes.collect()
}

/// Returns the bytes of the first characters of a text.
fn length(text: &str, chars: usize) -> Option<usize> {
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.take(chars + 1).nth(chars)
}
