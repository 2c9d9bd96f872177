//! The context of search matches: the role in the syntax, and the innermost element around it.
//!
//! Only files with rows are parsed, not more than [`FILES`] of them, and for a bounded time. A file that is not parsed, or that
//! changed since it was searched, has rows without contexts.

use std::{
    collections::BTreeMap,
    ops::Range,
    time::{Duration, Instant},
};

use fumi_base::{encoding, files, project::ProjectPath};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    elements::{CodeElement, ElementKind, ElementList},
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

/// The time after which no further file is parsed if roles are not asked for: a search for text must not wait for parsers.
const PATIENCE: Duration = Duration::from_secs(2);

/// The maximum number of elements before a match that may be assigned together with it: `a, b = 1, 2`.
const ASSIGNED_TOGETHER: usize = 16;

/// The contexts of the matches of each row of a file; `None` if the file or the match could not be parsed.
type FileContexts = Option<Vec<Vec<Option<HitContext>>>>;

/// The context of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitContext {
    pub role: HitRole,
    /// The qualified name of the innermost element around the match, as `extract_code_section` takes it; for a defined
    /// name, of the element around the definition. Elements of one line do not count.
    pub element: Option<String>,
    /// True if a match with the role `write` assigns a variable or constant that is an element: it defines it too.
    is_defining: bool,
}

impl HitContext {
    /// True if the match has one of these roles.
    fn has_role(&self, roles: &[HitRole]) -> bool {
        roles.contains(&self.role) || (self.is_defining && roles.contains(&HitRole::Definition))
    }

    /// Returns the context of a match at these bytes.
    pub(crate) fn new(file: &ParsedFile, elements: &ElementList, bytes: &Range<usize>) -> Self {
        let found = role_at(file, bytes);
        let name = file.source.text.get(found.name.clone()).unwrap_or_default();
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
        let is_assigned = |element: &CodeElement| {
            matches!(element.kind, ElementKind::Variable | ElementKind::Constant)
                && element.name == name
                && found.name.end <= element.span.end_byte
        };
        let is_defining =
            found.role == HitRole::Write && list[..after].iter().rev().take(ASSIGNED_TOGETHER).any(is_assigned);
        Self { role: found.role, element: element.map(|at| elements.qualified_name(at)), is_defining }
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

/// The bounds of the work for one search.
#[derive(Clone, Copy)]
struct ContextLimits {
    /// The maximum number of rows of each file.
    rows: usize,
    /// The maximum number of matches of each row.
    matches: usize,
    /// The maximum size of a file, in bytes.
    bytes: u64,
    /// The time after which no further file is parsed.
    until: Option<Instant>,
}

impl ContextFinder<'_> {
    /// Sets the context of each kept row to that of its first match, as far as files are parsed in time. Returns false, and
    /// changes nothing, if more than [`FILES`] files have rows.
    pub fn add_to(self, matches: &mut SearchMatches) -> Result<bool, SearchError> {
        let limits = ContextLimits { rows: ROWS, matches: 1, bytes: BYTES, until: Some(Instant::now() + PATIENCE) };
        let Some(found) = self.find(matches, limits)? else {
            return Ok(false);
        };
        for (at, rows) in found {
            let rows = rows.into_iter().flatten();
            for (line, contexts) in matches.files[at].lines.iter_mut().zip(rows) {
                line.context = contexts.into_iter().flatten().next();
            }
        }
        Ok(true)
    }

    /// Keeps only matches with one of these roles: drops other rows and spans, sets the contexts of the rest, and counts
    /// again. Returns the files of which some rows could not be parsed, whose rows are dropped too, and the number of
    /// dropped matches by role if none is kept.
    ///
    /// # Errors
    /// Returns [`SearchError::TooManyForRoles`] if more than [`FILES`] files have rows, and
    /// [`SearchError::TooManyRowsForRoles`] if not all rows were kept.
    pub fn keep_roles(
        self,
        matches: &mut SearchMatches,
        roles: &[HitRole],
    ) -> Result<(Vec<String>, BTreeMap<HitRole, usize>), SearchError> {
        if !matches.complete {
            return Err(SearchError::TooManyRowsForRoles { matches: matches.total_matches });
        }
        let limits = ContextLimits { rows: usize::MAX, matches: MATCHES, bytes: u64::MAX, until: None };
        let Some(found) = self.find(matches, limits)? else {
            return Err(SearchError::TooManyForRoles { files: matches.total_files(), most: FILES });
        };
        let (mut unparsed, mut others) = (Vec::new(), BTreeMap::new());
        for (at, rows) in found {
            let file = &mut matches.files[at];
            let mut rows = rows.into_iter().flatten();
            let mut is_unparsed = false;
            file.match_count = 0;
            file.lines.retain_mut(|line| {
                let contexts = rows.next().unwrap_or_default();
                // Some matches have no context (too many, not parsed, changed), or lie outside the kept part of a line.
                is_unparsed |= contexts.len() < line.spans.len() || contexts.contains(&None) || line.line_truncated;
                let is_wanted =
                    |context: &Option<HitContext>| context.as_ref().filter(|it| it.has_role(roles)).cloned();
                let unwanted = contexts.iter().flatten().filter(|context| !context.has_role(roles));
                unwanted.for_each(|context| *others.entry(context.role).or_default() += 1);
                let wanted: Vec<Option<HitContext>> = contexts.iter().map(is_wanted).collect();
                let mut kept = wanted.iter();
                line.spans.retain(|_| kept.next().is_some_and(Option::is_some));
                line.context = wanted.into_iter().flatten().next();
                file.match_count += line.spans.len() as u64;
                line.context.is_some()
            });
            if is_unparsed {
                unparsed.push(file.path.shown());
            }
            file.line_count = file.lines.len() as u64;
        }
        matches.files.retain(|file| !file.lines.is_empty());
        matches.total_matches = matches.files.iter().map(|file| file.match_count).sum();
        matches.total_lines = matches.files.iter().map(|file| file.line_count).sum();
        if matches.total_matches > 0 {
            others.clear();
        }
        Ok((unparsed, others))
    }

    /// Returns the contexts within the limits, by the index of the file. Returns `None` if more than [`FILES`] files have
    /// rows.
    fn find(
        self,
        matches: &SearchMatches,
        limits: ContextLimits,
    ) -> Result<Option<Vec<(usize, FileContexts)>>, SearchError> {
        let with_rows: Vec<usize> =
            (0..matches.files.len()).filter(|at| !matches.files[*at].lines.is_empty()).collect();
        if with_rows.len() > FILES {
            return Ok(None);
        }
        let paths: Vec<ProjectPath> = with_rows.iter().map(|at| matches.files[*at].path.clone()).collect();
        let found = source_files::process_each(&paths, SkippedList::default(), self.cancel, |path| {
            let at = paths.iter().position(|known| std::ptr::eq(known, path));
            let rows = at.map_or(&[][..], |at| &matches.files[with_rows[at]].lines);
            self.find_in(path, &rows[..rows.len().min(limits.rows)], limits).map(Some)
        })?;
        Ok(Some(with_rows.into_iter().zip(found.results).collect()))
    }

    /// Returns the contexts in one file.
    fn find_in(
        self,
        path: &ProjectPath,
        rows: &[LineMatch],
        limits: ContextLimits,
    ) -> Result<FileContexts, SkipReason> {
        if limits.until.is_some_and(|until| Instant::now() > until) {
            // The next call may have more time, so that this answer is not kept.
            self.scope.project().note_unstamped();
            return Ok(None);
        }
        let bytes = match files::read(path, limits.bytes.min(self.scope.most_bytes())) {
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
            return Ok(None);
        };
        let lines = LineIndex::new(&source.text);
        let hits: Vec<_> = rows.iter().map(|row| match_bytes(row, &lines, &source.text, limits.matches)).collect();
        let known = hits.iter().flatten().flatten().cloned().collect();
        match self.parsers.contexts(&source, known, self.cancel) {
            Ok(contexts) => {
                let mut contexts = contexts.into_iter();
                let of_row = |hits: &Vec<Option<Range<usize>>>| {
                    hits.iter().map(|hit| hit.as_ref().and_then(|_| contexts.next())).collect()
                };
                Ok(Some(hits.iter().map(of_row).collect()))
            }
            Err(StructureError::ParserUnavailable { .. }) => Err(SkipReason::System),
            Err(_) => Ok(None),
        }
    }
}

/// Returns the bytes of a row's first matches; `None` for a match whose text is not there any more, because the file has
/// changed or is decoded differently.
fn match_bytes(row: &LineMatch, lines: &LineIndex, text: &str, most: usize) -> Vec<Option<Range<usize>>> {
    let shown = || {
        let line = lines.line_bytes(usize::try_from(row.line).ok()?, text)?;
        Some(line.start + length(&text[line.start..], row.start_column)?)
    };
    let shown = shown();
    let bytes = |[from, to]: &[usize; 2]| {
        let matched: String = row.text.chars().skip(*from).take(to - from).collect();
        let from = shown? + length(&text[shown?..], *from)?;
        text[from..].starts_with(&matched).then(|| from..from + matched.len())
    };
    row.spans.iter().take(most).map(bytes).collect()
}

/// Returns the bytes of the first characters of a text.
fn length(text: &str, chars: usize) -> Option<usize> {
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.take(chars + 1).nth(chars)
}
