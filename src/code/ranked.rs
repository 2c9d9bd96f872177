//! Ranking of the few elements that a query is most about, instead of the many lines that match it: BM25F over enclosing
//! elements.
//!
//! A document is a definition, a section or a rule, not a file (see [`fields`]); the terms are the query's words, without
//! stop words, and its alternatives (see [`terms`]). If the query is a name, the elements with this name come first.
//! Counts are exact over all files; the number of files compared is bounded and reported. Nothing is learnt or stored: the
//! statistics are those of the matching files (see [`score`]).

mod fields;
mod place;
mod score;
mod terms;
mod words;

use std::collections::BTreeMap;

use fumi_base::{encoding, files, project::ProjectPath};
use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::{search::SearchError, structure::StructureError},
    notation::line_range,
    parse::SourceFile,
    parser_pool::ParserPool,
    search::{RowDemand, SearchMatches, SearchScope, SearchTargets, search},
    search_reply_text::totals_in_words,
    section::{READ_BYTES, READ_LINES},
    shape::ReplyBasis,
    skipped::{SkipReason, SkippedList},
    source_files,
    syntax_errors::{MalformedFiles, SyntaxErrorSummary},
};

pub(crate) use fields::is_document;
use fields::{FileDocuments, RankedDocument, block_documents, element_documents};
use score::score;
use terms::NameMatch;
pub use terms::RankedQuery;

/// The maximum number of files compared: those with the rarest terms, then the most matches. Extracting one file's
/// elements costs milliseconds, and 300 files find no more right answers (`./bench ranking`).
const FILES: usize = 100;

/// The maximum size of the compared files together, unless one defines the name that was asked for: the elements of 8 MB
/// take about a second on two cores. Of the sources of 600 crates, the 100 files with the most matches have 30 MB, most of
/// it in generated declarations.
const BYTES: usize = 8 << 20;

/// The maximum number of elements in a reply; longer lists are the purpose of the other formats.
pub const MAX_RESULTS: usize = 10;

/// The reply with the best elements.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankedOutput {
    /// Always true, since errors have a form of their own.
    pub success: bool,
    /// The number of elements in `results`.
    pub count: usize,
    /// The number of matches in all files.
    pub total_matches: u64,
    /// The number of files with matches.
    pub total_files: usize,
    /// The number of elements with matches, in the files that were compared.
    pub total_elements: usize,
    /// The number of files whose elements were compared, if not all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_files: Option<usize>,
    /// The duration of the search, in milliseconds.
    pub elapsed_ms: u64,
    /// The number of files searched, for the text.
    #[serde(skip)]
    pub searched_files: u64,
    /// The best elements, in descending order of their scores.
    pub results: Vec<RankedRow>,
}

/// An element with its score.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankedRow {
    /// The path relative to the project.
    pub file: String,
    /// The qualified name, as `extract_code_section` takes it; empty for text outside of every element.
    pub element: String,
    /// The kind of the element.
    #[serde(rename = "type")]
    pub kind: String,
    /// The 1-based first line.
    pub start_line: usize,
    /// The 1-based last line, inclusive.
    pub end_line: usize,
    /// The BM25 score, comparable within one reply only.
    pub score: f64,
    /// The number of occurrences of each term in the element.
    pub terms: BTreeMap<String, usize>,
    /// The declaration of the element, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// The number of the line in the element with the most terms.
    pub line: usize,
    /// The text of that line.
    pub text: String,
    /// The whole text of the best element, if it has at most [`READ_LINES`] lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// The result of a ranking.
#[derive(Debug)]
pub struct Ranking {
    /// The reply with the best elements.
    pub output: RankedOutput,
    /// The matches by which the files were selected.
    pub matches: SearchMatches,
    /// The compared files with broken syntax, in which a match may be assigned to a wrong element.
    pub broken: MalformedFiles,
}

/// Finds the elements that the query is most about.
pub fn rank(
    query: &RankedQuery,
    targets: &SearchTargets,
    scope: &SearchScope,
    parsers: &ParserPool,
    cancel: &CancellationToken,
) -> Result<Ranking, SearchError> {
    let started = std::time::Instant::now();
    let matches = search(&query.any, targets, scope, RowDemand::Counts, cancel)?;
    let paths = select_files(query, &matches, scope, cancel)?;
    let sources = source_files::process_each(&paths, SkippedList::default(), cancel, |path| {
        file_documents(query, path, scope, parsers, cancel).map(Some)
    })?;
    let total: usize = sources.results.iter().map(|file| file.total).sum();
    let mut lengths = fields::Fields::default();
    for file in &sources.results {
        lengths.iter_mut().zip(file.lengths).for_each(|(total, own)| *total += own);
    }
    let broken = MalformedFiles::from_places(sources.results.iter().filter_map(|file| file.broken.clone()).collect());
    let mut documents: Vec<RankedDocument> = sources.results.into_iter().flat_map(|file| file.documents).collect();
    score(&mut documents, total, lengths);
    let total_elements = documents.len();
    documents.sort_by(compare);
    documents.truncate(MAX_RESULTS);
    if let Some(best) = documents.first_mut() {
        let path = paths.iter().find(|path| path.shown() == best.row.file);
        best.row.code = path.and_then(|path| text_of(path, &best.row, query, scope));
    }
    let output = RankedOutput {
        success: true,
        count: documents.len(),
        total_matches: matches.total_matches,
        total_files: matches.total_files(),
        searched_files: matches.searched_files,
        total_elements,
        compared_files: (paths.len() < matches.total_files()).then_some(paths.len()),
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        results: documents.into_iter().map(|document| document.row).collect(),
    };
    Ok(Ranking { output, matches, broken })
}

/// Returns the lines of an element, if they are few.
fn text_of(path: &ProjectPath, row: &RankedRow, query: &RankedQuery, scope: &SearchScope) -> Option<String> {
    let count = row.end_line + 1 - row.start_line;
    if row.element.is_empty() || count > READ_LINES {
        return None;
    }
    let bytes = files::read(path, scope.most_bytes()).ok()?;
    let decoded = encoding::decode(&bytes, query.any.encoding);
    let lines = decoded.text.lines().skip(row.start_line.checked_sub(1)?).take(count);
    let text = lines.collect::<Vec<_>>().join("\n");
    (text.len() <= READ_BYTES).then_some(text)
}

/// Orders documents: elements with the name that the query consists of first, whole elements before constants of that
/// name and own files before others; then by score.
fn compare(a: &RankedDocument, b: &RankedDocument) -> std::cmp::Ordering {
    let named = |document: &RankedDocument| {
        let weight = document.weight;
        let is_named = weight.name_match > NameMatch::Different;
        is_named.then_some((weight.name_match, weight.size, weight.place == place::PlaceKind::Own))
    };
    named(b)
        .cmp(&named(a))
        .then_with(|| b.row.score.total_cmp(&a.row.score))
        .then_with(|| (&a.row.file, a.row.start_line).cmp(&(&b.row.file, b.row.start_line)))
}

/// Reads and parses a file.
fn file_documents(
    query: &RankedQuery,
    path: &ProjectPath,
    scope: &SearchScope,
    parsers: &ParserPool,
    cancel: &CancellationToken,
) -> Result<FileDocuments, SkipReason> {
    let bytes = files::read(path, scope.most_bytes()).map_err(|error| SkipReason::from_path_error(&error))?;
    let decoded = encoding::decode(&bytes, query.any.encoding);
    let shown = path.shown();
    let text = decoded.text.clone();
    let outline = SourceFile::new(shown.clone(), decoded, bytes.len() as u64, None)
        .and_then(|source| parsers.outline(source, cancel));
    match outline {
        Ok(file) => Ok(FileDocuments {
            broken: SyntaxErrorSummary::from_errors(&file.errors, file.error_count)
                .map(|broken| (shown, broken.first_line)),
            ..element_documents(query, &file)
        }),
        Err(StructureError::ParserUnavailable { .. }) => Err(SkipReason::System),
        // A text in no known language, or one that cannot be parsed, is compared by paragraphs.
        Err(_) => Ok(block_documents(query, &shown, &text)),
    }
}

/// The terms of the query in a file that has not been parsed.
#[derive(Default)]
struct FileSketch {
    bytes: usize,
    /// A bit for each term.
    terms: u32,
    /// True if a line seems to define the name that was asked for.
    is_definition: bool,
}

/// Returns the files to compare: all, or those with the rarest terms, then matches.
fn select_files(
    query: &RankedQuery,
    matches: &SearchMatches,
    scope: &SearchScope,
    cancel: &CancellationToken,
) -> Result<Vec<ProjectPath>, SearchError> {
    let paths: Vec<ProjectPath> = matches.files.iter().map(|file| file.path.clone()).collect();
    if paths.len() <= FILES {
        return Ok(paths);
    }
    let sketches = source_files::process_each(&paths, SkippedList::default(), cancel, |path| {
        // A file that cannot be read is reported when its elements are compared.
        Ok(Some(files::read(path, scope.most_bytes()).map_or_else(
            |_| FileSketch::default(),
            |bytes| FileSketch::new(query, &encoding::decode(&bytes, query.any.encoding).text),
        )))
    })?
    .results;
    let rarity: Vec<f64> = (0..query.terms.len())
        .map(|term| {
            let with = sketches.iter().filter(|sketch| sketch.terms & (1 << term) != 0).count();
            (1.0 + paths.len() as f64 / with.max(1) as f64).ln()
        })
        .collect();
    let value = |at: usize| {
        let sketch = &sketches[at];
        let held = rarity.iter().enumerate().filter(|(term, _)| sketch.terms & (1 << term) != 0);
        (sketch.is_definition, held.map(|(_, rarity)| rarity).sum::<f64>(), matches.files[at].match_count)
    };
    let mut order: Vec<usize> = (0..paths.len()).collect();
    // Stable: equal files stay in the order of their paths.
    order.sort_by(|a, b| value(*b).partial_cmp(&value(*a)).unwrap_or(std::cmp::Ordering::Equal));
    let best = order[0];
    let mut room = BYTES;
    order.retain(|at| {
        let FileSketch { bytes, is_definition, .. } = sketches[*at];
        let fits = bytes <= room || (*at == best && is_definition);
        room = room.saturating_sub(if fits { bytes } else { 0 });
        fits
    });
    order.truncate(FILES);
    order.sort_unstable();
    Ok(order.into_iter().map(|at| paths[at].clone()).collect())
}

impl FileSketch {
    fn new(query: &RankedQuery, text: &str) -> Self {
        let mut sketch = Self { bytes: text.len(), ..Self::default() };
        query.each_place(text, |term, start, _| {
            sketch.terms |= 1 << term;
            sketch.is_definition |= query.name.as_ref().is_some_and(|name| name.seems_defined(text, start));
            let has_all = sketch.terms.count_ones() as usize == query.terms.len();
            !has_all || (query.name.is_some() && !sketch.is_definition)
        });
        sketch
    }
}

impl RankedOutput {
    /// Returns the text for a model.
    pub fn text(&self) -> String {
        let basis =
            ReplyBasis { searched_files: self.searched_files, total_files: self.total_files, ..ReplyBasis::default() };
        let all = totals_in_words(self.total_matches, basis, None);
        if self.total_matches == 0 {
            return all;
        }
        let compared =
            self.compared_files.map(|files| format!("; elements of {files} files compared")).unwrap_or_default();
        let Self { count, total_elements, .. } = self;
        let mut lines = vec![format!("{count} of {total_elements} elements; {all}{compared}")];
        lines.extend(self.results.iter().map(RankedRow::text));
        lines.join("\n")
    }
}

impl RankedRow {
    /// Returns the place and the declaration, then the text of the best element, or the line with the most terms of a text
    /// outside of every element.
    fn text(&self) -> String {
        let lines = line_range(self.start_line, self.end_line);
        let mut out = format!("{}:{lines}", self.file);
        if !self.element.is_empty() {
            let (element, signature) = (&self.element, &self.signature);
            let dots = element.match_indices('.').map(|(at, _)| &element[at + 1..]);
            // A signature begins with the simple name; that of a heading or a tag does not.
            let mut names = std::iter::once(element.as_str()).chain(dots);
            let rest = names.find_map(|name| signature.strip_prefix(name));
            let declared = rest.map_or_else(|| element.clone(), |rest| format!("{element}{rest}"));
            out.push_str(&format!(" {} {declared}", self.kind));
        }
        if let Some(code) = &self.code {
            for (number, line) in (self.start_line..).zip(code.split('\n')) {
                out.push_str(&format!("\n{number}:{line}"));
            }
        } else if self.element.is_empty() {
            out.push_str(&format!("\n{}:{}", self.line, self.text));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{RankedQuery, block_documents, element_documents, fields::Field};
    use crate::{parse::tests::outline, text_query::TextQueryOptions};
    const TEXT: &str = "\"\"\"Sends.\"\"\"\nRETRIES = 3\n\n# Waits longer after every retry.\ndef backoff(attempt):\n    return 2 ** attempt\n\nclass Client:\n    def send(self):\n        for retry in range(RETRIES):\n            backoff(retry)\n\n    def close(self):\n        pass\n";

    fn query(text: &str) -> RankedQuery {
        RankedQuery::new(&TextQueryOptions::new(text)).expect("a query")
    }

    #[test]
    fn matches_belong_to_innermost_or_documented_element() {
        let found = element_documents(&query("retry backoff"), &outline("a.py", TEXT));
        let rows: Vec<_> = found
            .documents
            .iter()
            .map(|document| (document.row.element.as_str(), document.row.terms.clone(), document.row.line))
            .collect();
        assert_eq!(rows.len(), 3, "{rows:?}");
        assert_eq!(rows[0].0, "RETRIES");
        assert_eq!(rows[1].0, "backoff");
        assert_eq!(
            rows[1].1.clone().into_iter().collect::<Vec<_>>(),
            [("backoff".to_owned(), 1), ("retry".to_owned(), 1)]
        );
        assert_eq!((rows[2].0, rows[2].2), ("Client.send", 11));
        // A name is a field of its own.
        let names = |at: usize| found.documents[at].counts[1][Field::Name as usize];
        assert!(names(1) > names(2));
    }

    #[test]
    fn texts_without_a_language_are_compared_by_paragraph() {
        let found = block_documents(&query("beta"), "notes.txt", "alpha\n\nbeta\nbeta again\n\ngamma\n");
        let lines: Vec<_> = found
            .documents
            .iter()
            .map(|document| {
                let row = &document.row;
                (row.start_line, row.end_line, document.counts[0][Field::Code as usize])
            })
            .collect();
        assert_eq!(lines, [(3, 5, 2.0)]);
        assert_eq!(found.total, 3);
    }
}
