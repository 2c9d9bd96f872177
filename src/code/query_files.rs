//! One query on many files: those that folders and globs name, each in its own language.
//!
//! A query is prepared once for each language. A language that cannot use it (an unknown key, a pattern that does not
//! parse) is named in the answer, and its files are left out; if no language is left, its error is returned. The kept
//! matches are bounded, the counts are not.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use fumi_base::{files, project::ProjectPath};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::{search::SearchError, structure::StructureError},
    filter::ElementFilter,
    languages::{
        Language, by_name,
        detect::{FileLanguage, by_file_name, guess_of_bytes, language_of_name},
    },
    parse::SourceFile,
    parser_pool::{CompiledQuery, ParserPool},
    query::{QueryKind, QueryMatch, QueryMatches, is_readable},
    search::{SearchScope, SearchTargets},
    skipped::{SkipReason, SkippedList},
    source_files::{self, SoughtWord},
    syntax_errors::MalformedFiles,
    user_queries::UserQueries,
};

#[derive(Debug)]
pub struct FileQueryMatches {
    pub path: ProjectPath,
    /// The language in which it was parsed.
    pub language: &'static Language,
    /// The matches, at least one.
    pub matches: QueryMatches,
}

/// The matches of all files.
#[derive(Debug, Default)]
pub struct FileQueryResult {
    /// The files with matches, by path. Matches beyond the limit are counted and not kept.
    pub files: Vec<FileQueryMatches>,
    /// The number of all matches.
    pub total: usize,
    /// The number of files with matches.
    pub total_files: usize,
    /// The number of files that were searched.
    pub searched: usize,
    /// The languages of found files that cannot use the query.
    pub unsuitable_languages: Vec<&'static str>,
    /// The files and folders that were skipped.
    pub skipped: SkippedList,
    /// The files with syntax errors, in which matches may be missing.
    pub broken: MalformedFiles,
}

/// An error of the walk or of the query.
#[derive(Debug)]
pub enum QueryFilesError {
    /// An error of the walk.
    Search(SearchError),
    /// An error of the query, which no found language can use.
    Structure(StructureError),
}

impl From<SearchError> for QueryFilesError {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

impl From<StructureError> for QueryFilesError {
    fn from(error: StructureError) -> Self {
        Self::Structure(error)
    }
}

/// The query compiled in one language, or the error.
type SharedQuery = Arc<Result<CompiledQuery, StructureError>>;

/// Queries every source file of the targets, only those in the `asked` language if one is named. Keeps at most `limit`
/// matches.
pub fn query_files(
    (kind, user): (&QueryKind, &UserQueries),
    filter: &ElementFilter,
    asked: Option<&str>,
    (targets, scope): (&SearchTargets, &SearchScope),
    limit: usize,
    parsers: &ParserPool,
    cancel: &CancellationToken,
) -> Result<FileQueryResult, QueryFilesError> {
    let asked = asked.filter(|name| !name.trim().is_empty()).map(by_name).transpose()?;
    let questions: Mutex<BTreeMap<&'static str, (SharedQuery, usize)>> = Mutex::default();
    if let Some(language) = asked {
        // If the caller named a language, errors of the query are returned before any file is read.
        let prepared = parsers.prepare(kind, language, user, cancel)?;
        questions.lock().insert(language.name, (Arc::new(Ok(prepared)), 0));
    }
    let is_pattern = matches!(kind, QueryKind::Pattern(_));
    let (kept, searched) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let unavailable: Mutex<Option<String>> = Mutex::default();
    let broken: Mutex<Vec<(String, usize)>> = Mutex::default();
    let prepared = |language: &'static Language, files: usize| {
        let mut questions = questions.lock();
        let (question, count) = questions
            .entry(language.name)
            .or_insert_with(|| (Arc::new(parsers.prepare(kind, language, user, cancel)), 0));
        *count += files;
        Arc::clone(question)
    };
    let is_read = |language: &'static Language, may_contain: bool| {
        is_requested_language(language, asked)
            && matches!(&*prepared(language, 0), Ok(question) if may_contain || !question.has_names_of_the_text())
    };
    // Not for patterns: whether a file in an unclear language is compared depends on its `#!`, so it must be read.
    let sought = filter.exact_name().filter(|_| !is_pattern).map(|word| SoughtWord { word, is_read: &is_read });
    let found = source_files::find_sources(targets, scope, sought, cancel)?;
    for (language, files) in found.left_out.iter() {
        if is_requested_language(language, asked) && prepared(language, files).is_ok() {
            searched.fetch_add(files, Relaxed);
        }
    }
    let sources = source_files::process_each(&found.files, found.skipped, cancel, |path| {
        // Files are handed out in order: the matches kept so far precede those of this file.
        let room = limit.saturating_sub(kept.load(Relaxed));
        let Some(source) = read_source(path, asked, is_pattern, scope.most_bytes())? else {
            return Ok(None);
        };
        let language = source.language;
        let question = prepared(language, 1);
        let Ok(prepared) = question.as_ref() else {
            return Ok(None);
        };
        searched.fetch_add(1, Relaxed);
        if !may_match(prepared, filter, &source) {
            return Ok(None);
        }
        let matches = match parsers.query(prepared, filter, source, room, cancel) {
            Ok(matches) => matches,
            Err(StructureError::ParserStopped { .. }) => return Err(SkipReason::Unparsable),
            Err(StructureError::ParserUnavailable { reason }) => {
                unavailable.lock().get_or_insert(reason);
                return Ok(None);
            }
            // Only cancellation is left: the whole query then fails.
            Err(_) => return Ok(None),
        };
        if let Some(place) = matches.broken {
            broken.lock().push((path.shown(), place.first_line));
        }
        kept.fetch_add(matches.list.len(), Relaxed);
        Ok((matches.total > 0).then(|| FileQueryMatches { path: path.clone(), language, matches }))
    })?;
    if let Some(reason) = unavailable.lock().take() {
        return Err(StructureError::ParserUnavailable { reason }.into());
    }
    let questions = questions.into_inner();
    let fits = questions.values().any(|(question, _)| question.is_ok());
    if !fits && let Some((question, _)) = questions.values().max_by_key(|(_, files)| *files) {
        return match question.as_ref() {
            Err(error) => Err(error.clone().into()),
            Ok(_) => Ok(FileQueryResult::default()),
        };
    }
    let mut answers = FileQueryResult {
        broken: MalformedFiles::from_places(broken.into_inner()),
        total: sources.results.iter().map(|file| file.matches.total).sum(),
        total_files: sources.results.len(),
        searched: searched.into_inner(),
        unsuitable_languages: questions
            .iter()
            .filter(|(_, (question, _))| question.is_err())
            .map(|(name, _)| *name)
            .collect(),
        skipped: sources.skipped,
        files: sources.results,
    };
    answers.truncate(limit);
    let all = || answers.files.iter().flat_map(|file| &file.matches.list);
    if filter.is_by_name() && !is_readable(all()) {
        let lists = answers.files.iter_mut().flat_map(|file| &mut file.matches.list);
        lists.for_each(QueryMatch::shorten);
    }
    Ok(answers)
}

/// False if the text of a file shows that it cannot contain a match; this check costs a thousandth of parsing.
fn may_match(question: &CompiledQuery, filter: &ElementFilter, source: &SourceFile) -> bool {
    let has_name = match filter.exact_name() {
        Some(name) if question.has_names_of_the_text() => {
            memchr::memmem::find(source.text.as_bytes(), name.as_bytes()).is_some()
        }
        _ => true,
    };
    question.may_match(&source.text) && has_name
}

impl FileQueryResult {
    /// Drops the matches beyond the first `limit`, and files without matches left.
    fn truncate(&mut self, limit: usize) {
        let mut room = limit;
        for file in &mut self.files {
            file.matches.list.truncate(room);
            room -= file.matches.list.len();
        }
        self.files.retain(|file| !file.matches.list.is_empty());
    }
}

/// Reads a source file. Returns `None` if its language is unknown or not the requested one. For a pattern, a file whose
/// language is only guessed by its content is left out too, since it may be prose.
fn read_source(
    path: &ProjectPath,
    asked: Option<&'static Language>,
    is_pattern: bool,
    most_bytes: u64,
) -> Result<Option<SourceFile>, SkipReason> {
    let shown = path.shown();
    let named = by_file_name(&shown);
    // A file with an unknown extension is not opened; the first line of one without extension may show its language.
    if language_of_name(&shown) == FileLanguage::None || named.is_some_and(|named| !is_requested_language(named, asked))
    {
        return Ok(None);
    }
    let bytes = files::read(path, most_bytes).map_err(|error| SkipReason::from_path_error(&error))?;
    if is_pattern && asked.is_none() && named.is_none() && !bytes.starts_with(b"#!") {
        return Ok(None);
    }
    let size_bytes = bytes.len() as u64;
    let guessed = guess_of_bytes(&shown, &bytes).filter(|(_, language)| is_requested_language(language, asked));
    Ok(guessed.map(|(decoded, language)| SourceFile {
        path: shown,
        language,
        text: decoded.text,
        encoding: decoded.encoding,
        size_bytes,
    }))
}

fn is_requested_language(language: &Language, asked: Option<&'static Language>) -> bool {
    asked.is_none_or(|asked| language == asked || language.facts.dialect_of.as_deref() == Some(asked.name))
}
