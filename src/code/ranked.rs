//! Ranking of the few elements that a query is most about, instead of the many lines that match it: BM25 over enclosing
//! elements.
//!
//! A document is a definition, a section or a rule, not a file; a match belongs to the innermost document around it, a
//! match in a comment to the element that the comment documents. Terms are the query's words and alternatives. Counts
//! are exact over all files; the number of files compared is bounded and reported. Nothing is learnt or stored: the
//! statistics are those of the matching files.
//!
//! The formula is Okapi BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with their
//! usual k1 and b; a name is weighted as in their weighted fields (section 3.6).

use std::collections::{BTreeMap, HashMap};

use fumi_base::{encoding, files, project::ProjectPath};
use grep_matcher::Matcher as _;
use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::{
    elements::{ElementKind, ElementList},
    errors::{search::SearchError, structure::StructureError},
    notation::line_range,
    outline::Outline,
    parse::{LineIndex, SourceFile, one_line},
    parser_pool::ParserPool,
    search::{RowDemand, SearchMatches, SearchScope, SearchTargets, search},
    search_text::totals_in_words,
    shape::ReplyBasis,
    skipped::{SkipReason, SkippedList},
    source_files,
    syntax_errors::{MalformedFiles, SyntaxErrorSummary},
    table::signature,
    text_query::{MatchEngine, QuerySyntax, TextQuery, TextQueryOptions},
};

/// The saturation of term frequency (k1): the smaller, the less further occurrences count.
const K1: f64 = 1.2;

/// The length normalisation (b): the larger, the more long elements are discounted.
const B: f64 = 0.75;

/// The weight of an occurrence in the element's name, as a number of occurrences in its text.
const NAME_WEIGHT: f64 = 4.0;

/// The maximum number of files compared: those with the most terms, then matches. Extracting one file's elements costs
/// milliseconds.
const FILES: usize = 300;

/// The maximum number of elements in a reply; longer lists are the purpose of the other formats.
pub const MAX_RESULTS: usize = 10;

/// The maximum length of the best element's text, in lines and bytes.
const READ_LINES: usize = 120;
const READ_BYTES: usize = 20_000;

/// The maximum number of terms of one query; more is a text rather than a query.
const TERMS: usize = 16;

/// The maximum length of a block of a text in no known language, in lines.
const BLOCK_LINES: usize = 40;

/// A compiled query with its separately compiled terms.
#[derive(Debug)]
pub struct RankedQuery {
    any: TextQuery,
    terms: Vec<(String, TextQuery)>,
}

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

impl RankedQuery {
    /// Splits a query into its terms and compiles them.
    pub fn new(options: &TextQueryOptions) -> Result<Self, SearchError> {
        // The whole query is compiled first, so that errors refer to the text that its author wrote.
        TextQuery::new(options)?;
        let words = match options.syntax {
            QuerySyntax::Regex => split_terms(&options.query),
            _ => vec![options.query.clone()],
        };
        let compile = |query: String| {
            TextQuery::new(&TextQueryOptions {
                query,
                ..options.clone()
            })
        };
        let mut terms: Vec<(String, TextQuery)> = Vec::new();
        for word in words.into_iter().take(TERMS) {
            if !terms.iter().any(|(known, _)| *known == word) {
                terms.push((word.clone(), compile(word)?));
            }
        }
        let any = match terms.as_slice() {
            [(_, only)] => only.clone(),
            several => {
                let alternatives: Vec<String> = several.iter().map(|(term, _)| format!("(?:{term})")).collect();
                compile(alternatives.join("|"))?
            }
        };
        Ok(Self { any, terms })
    }
}

/// Splits a regular expression into words and alternatives at its top level, not within brackets or groups.
fn split_terms(query: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let (mut depth, mut in_class, mut is_escaped) = (0_usize, false, false);
    for c in query.chars() {
        let is_plain = !is_escaped;
        is_escaped = is_plain && c == '\\';
        if is_plain {
            match c {
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => depth += 1,
                ')' if !in_class => depth = depth.saturating_sub(1),
                c if (c == '|' || c.is_whitespace()) && depth == 0 && !in_class => {
                    terms.push(String::new());
                    continue;
                }
                _ => {}
            }
        }
        if let Some(term) = terms.last_mut() {
            term.push(c);
        }
    }
    terms.retain(|term| !term.is_empty());
    if terms.is_empty() {
        terms.push(query.to_owned());
    }
    terms
}

/// One element of one file, with the number of occurrences of each term.
struct RankedDocument {
    row: RankedRow,
    bytes: usize,
    counts: Vec<f64>,
}

/// The documents and statistics of one file.
struct FileDocuments {
    /// The documents with matches.
    documents: Vec<RankedDocument>,
    /// The number of all documents, with matches or not.
    total: usize,
    /// The total length of the documents, in bytes.
    bytes: usize,
    /// The file and the line of its first parse error, if its syntax is broken.
    broken: Option<(String, usize)>,
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
    let chosen = select_files(query, &matches, targets, scope, cancel)?;
    let paths: Vec<_> = chosen.iter().map(|at| matches.files[*at].path.clone()).collect();
    let sources = source_files::process_each(&paths, SkippedList::default(), cancel, |path| {
        let bytes = files::read(path, scope.most_bytes()).map_err(|error| SkipReason::from_path_error(&error))?;
        let decoded = encoding::decode(&bytes, query.any.encoding);
        let shown = path.shown();
        let text = decoded.text.clone();
        let outline = SourceFile::new(shown.clone(), decoded, bytes.len() as u64, None)
            .and_then(|source| parsers.outline(source, cancel));
        Ok(Some(match outline {
            Ok(file) => FileDocuments {
                broken: SyntaxErrorSummary::from_errors(&file.errors, file.error_count)
                    .map(|broken| (shown, broken.first_line)),
                ..element_documents(query, &file)
            },
            Err(StructureError::ParserUnavailable { .. }) => return Err(SkipReason::System),
            // A text in no known language, or one that cannot be parsed, is compared by paragraphs.
            Err(_) => block_documents(query, &shown, &text),
        }))
    })?;
    let total: usize = sources.results.iter().map(|file| file.total).sum();
    let length: usize = sources.results.iter().map(|file| file.bytes).sum();
    let broken = MalformedFiles::from_places(sources.results.iter().filter_map(|file| file.broken.clone()).collect());
    let mut documents: Vec<RankedDocument> = sources.results.into_iter().flat_map(|file| file.documents).collect();
    score(&mut documents, total, length);
    let total_elements = documents.len();
    documents.sort_by(|a, b| {
        b.row
            .score
            .total_cmp(&a.row.score)
            .then_with(|| (&a.row.file, a.row.start_line).cmp(&(&b.row.file, b.row.start_line)))
    });
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
        total_elements,
        compared_files: (paths.len() < matches.total_files()).then_some(paths.len()),
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        searched_files: matches.searched_files,
        results: documents.into_iter().map(|document| document.row).collect(),
    };
    Ok(Ranking {
        output,
        matches,
        broken,
    })
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

/// Returns the indexes of the files to compare: all, or those with the most terms, then matches.
fn select_files(
    query: &RankedQuery,
    matches: &SearchMatches,
    targets: &SearchTargets,
    scope: &SearchScope,
    cancel: &CancellationToken,
) -> Result<Vec<usize>, SearchError> {
    let mut order: Vec<usize> = (0..matches.files.len()).collect();
    if order.len() <= FILES {
        return Ok(order);
    }
    let mut terms = vec![0_usize; order.len()];
    let places: HashMap<_, _> = matches
        .files
        .iter()
        .enumerate()
        .map(|(at, file)| (file.path.relative(), at))
        .collect();
    for (_, term) in &query.terms {
        for file in search(term, targets, scope, RowDemand::Counts, cancel)?.files {
            if let Some(at) = places.get(file.path.relative()) {
                terms[*at] += 1;
            }
        }
    }
    // Stable: equal files stay in the order of their paths.
    order.sort_by_key(|at| std::cmp::Reverse((terms[*at], matches.files[*at].match_count)));
    order.truncate(FILES);
    order.sort_unstable();
    Ok(order)
}

/// Computes BM25 scores: rare terms count more, further occurrences less, long elements less.
fn score(documents: &mut [RankedDocument], total: usize, length: usize) {
    let average = (length as f64 / total.max(1) as f64).max(1.0);
    let terms = documents.first().map_or(0, |document| document.counts.len());
    let rarity: Vec<f64> = (0..terms)
        .map(|term| {
            let with = documents.iter().filter(|document| document.counts[term] > 0.0).count() as f64;
            (1.0 + (total as f64 - with + 0.5) / (with + 0.5)).ln()
        })
        .collect();
    for document in documents {
        let discount = K1 * (1.0 - B + B * document.bytes as f64 / average);
        let score: f64 = document
            .counts
            .iter()
            .zip(&rarity)
            .map(|(count, rarity)| rarity * count * (K1 + 1.0) / (count + discount))
            .sum();
        document.row.score = (score * 100.0).round() / 100.0;
    }
}

/// True for the kinds of elements that are documents of their own.
pub(crate) const fn is_document(kind: ElementKind) -> bool {
    kind.is_callable()
        || kind.is_class_like()
        || matches!(
            kind,
            ElementKind::Variable
                | ElementKind::Constant
                | ElementKind::Type
                | ElementKind::Macro
                | ElementKind::Module
                | ElementKind::Namespace
                | ElementKind::Heading
                | ElementKind::Rule
                | ElementKind::AtRule
                | ElementKind::Index
        )
}

fn element_documents(query: &RankedQuery, file: &Outline) -> FileDocuments {
    let elements = &file.elements;
    let list = &elements.list;
    let facts = &file.source.language.facts;
    let mut total = 1;
    let mut bytes = 0;
    for element in list.iter().filter(|element| is_document(element.kind)) {
        total += 1;
        bytes += element.span.end_byte - element.span.start_byte;
    }
    let owner = |at: usize| owning_document(elements, at);
    let mut drafts: BTreeMap<Option<usize>, TermTally> = BTreeMap::new();
    let text = &file.source.text;
    for (term, (_, matcher)) in query.terms.iter().enumerate() {
        each_match(matcher, text, |start| {
            drafts
                .entry(owner(start))
                .or_insert_with(|| TermTally::new(query.terms.len()))
                .add(term, file.lines.line(start));
        });
    }
    let documents = drafts
        .into_iter()
        .map(|(element, tally)| {
            let (line, shown) = tally.best_line(&file.lines, text);
            let (start_line, end_line) = tally.lines();
            let mut counts = tally.counts.clone();
            let mut row = RankedRow {
                file: file.source.path.clone(),
                element: String::new(),
                kind: "file".to_owned(),
                start_line,
                end_line,
                score: 0.0,
                terms: tally.by_term(query),
                signature: String::new(),
                line,
                text: shown,
                code: None,
            };
            let mut length = text.len() / 8;
            if let Some(at) = element {
                let found = &list[at];
                length = found.span.end_byte - found.span.start_byte;
                row.element = elements.qualified_name(at);
                found.kind.name().clone_into(&mut row.kind);
                row.start_line = found.span.start_line;
                row.end_line = found.span.end_line;
                row.signature = signature(found, facts);
                for (term, (_, matcher)) in query.terms.iter().enumerate() {
                    each_match(matcher, &found.name, |_| counts[term] += NAME_WEIGHT);
                }
            }
            RankedDocument {
                row,
                bytes: length,
                counts,
            }
        })
        .collect();
    FileDocuments {
        documents,
        total,
        bytes,
        broken: None,
    }
}

/// Returns the document of a byte: the innermost around it, or the element that its comment documents.
fn owning_document(elements: &ElementList, byte: usize) -> Option<usize> {
    let list = &elements.list;
    let after = list.partition_point(|element| element.span.start_byte <= byte);
    let innermost = list[..after].iter().rposition(|element| {
        byte < element.span.end_byte && (is_document(element.kind) || element.kind == ElementKind::Comment)
    })?;
    if list[innermost].kind != ElementKind::Comment {
        return Some(innermost);
    }
    let documented = list[innermost..]
        .iter()
        .position(|element| is_document(element.kind))
        .map(|next| innermost + next)
        .filter(|next| list[*next].span.start_line <= list[innermost].span.end_line + 1);
    documented.or_else(|| {
        list[..innermost]
            .iter()
            .rposition(|element| byte < element.span.end_byte && is_document(element.kind))
    })
}

fn block_documents(query: &RankedQuery, path: &str, text: &str) -> FileDocuments {
    let lines = LineIndex::new(text);
    // The first line of each block.
    let mut starts: Vec<usize> = vec![1];
    let mut is_blank = false;
    for (at, line) in text.lines().enumerate() {
        let first = starts.last().copied().unwrap_or(1);
        if (is_blank && !line.trim().is_empty()) || at + 1 - first >= BLOCK_LINES {
            starts.push(at + 1);
        }
        is_blank = line.trim().is_empty();
    }
    starts.dedup();
    let mut drafts: BTreeMap<usize, TermTally> = BTreeMap::new();
    for (term, (_, matcher)) in query.terms.iter().enumerate() {
        each_match(matcher, text, |start| {
            let line = lines.line(start);
            let block = starts.partition_point(|start| *start <= line).saturating_sub(1);
            drafts
                .entry(block)
                .or_insert_with(|| TermTally::new(query.terms.len()))
                .add(term, line);
        });
    }
    let documents = drafts
        .into_iter()
        .map(|(block, tally)| {
            let (line, shown) = tally.best_line(&lines, text);
            let end_line = starts.get(block + 1).map_or(lines.count(), |next| next - 1);
            let bytes_of = |line| lines.line_bytes(line, text).unwrap_or_default();
            RankedDocument {
                bytes: bytes_of(end_line).end.saturating_sub(bytes_of(starts[block]).start),
                row: RankedRow {
                    file: path.to_owned(),
                    element: String::new(),
                    kind: "text".to_owned(),
                    start_line: starts[block],
                    end_line,
                    score: 0.0,
                    terms: tally.by_term(query),
                    signature: String::new(),
                    line,
                    text: shown,
                    code: None,
                },
                counts: tally.counts,
            }
        })
        .collect();
    FileDocuments {
        documents,
        total: starts.len(),
        bytes: text.len(),
        broken: None,
    }
}

/// Calls `found` with the first byte of each match.
fn each_match(query: &TextQuery, text: &str, mut found: impl FnMut(usize)) {
    let mut take = |matched: grep_matcher::Match| {
        found(matched.start());
        true
    };
    // An engine that stops at its limits (PCRE2) has reported its matches so far; the counts of the search are exact.
    let _ = match &query.engine {
        MatchEngine::Rust(matcher) => matcher.find_iter(text.as_bytes(), &mut take).map_err(drop),
        MatchEngine::Pcre2(matcher) => matcher.find_iter(text.as_bytes(), &mut take).map_err(drop),
    };
}

/// The number of occurrences of each term in one document, and their lines.
struct TermTally {
    counts: Vec<f64>,
    /// For each line, its terms as bits and the number of all occurrences on it.
    lines: BTreeMap<usize, (u32, usize)>,
}

impl TermTally {
    fn new(terms: usize) -> Self {
        Self {
            counts: vec![0.0; terms],
            lines: BTreeMap::new(),
        }
    }

    fn add(&mut self, term: usize, line: usize) {
        self.counts[term] += 1.0;
        let (terms, count) = self.lines.entry(line).or_default();
        *terms |= 1 << term;
        *count += 1;
    }

    fn lines(&self) -> (usize, usize) {
        let first = self.lines.first_key_value().map_or(1, |(line, _)| *line);
        (first, self.lines.last_key_value().map_or(first, |(line, _)| *line))
    }

    fn best_line(&self, lines: &LineIndex, text: &str) -> (usize, String) {
        let mut best = (1, (0, 0));
        for (line, (terms, count)) in &self.lines {
            if (terms.count_ones(), *count) > best.1 {
                best = (*line, (terms.count_ones(), *count));
            }
        }
        let range = lines.line_bytes(best.0, text).unwrap_or_default();
        (best.0, one_line(text.get(range).unwrap_or_default(), 160))
    }

    fn by_term(&self, query: &RankedQuery) -> BTreeMap<String, usize> {
        query
            .terms
            .iter()
            .zip(&self.counts)
            .filter(|(_, count)| **count > 0.0)
            .map(|((term, _), count)| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a whole number of matches"
                )]
                let count = *count as usize;
                (term.clone(), count)
            })
            .collect()
    }
}

impl RankedOutput {
    /// Returns the text for a model.
    #[must_use]
    pub fn text(&self) -> String {
        let basis = ReplyBasis {
            searched_files: self.searched_files,
            total_files: self.total_files,
            ..ReplyBasis::default()
        };
        let all = totals_in_words(self.total_matches, basis, None);
        if self.total_matches == 0 {
            return all;
        }
        let compared = self
            .compared_files
            .map(|files| format!("; elements of {files} files compared"))
            .unwrap_or_default();
        let Self {
            count, total_elements, ..
        } = self;
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
    use super::{RankedQuery, block_documents, element_documents, split_terms};
    use crate::{parse::tests::outline, text_query::TextQueryOptions};
    const TEXT: &str = "\"\"\"Sends.\"\"\"\nRETRIES = 3\n\n# Waits longer after every retry.\ndef backoff(attempt):\n    return 2 ** attempt\n\nclass Client:\n    def send(self):\n        for retry in range(RETRIES):\n            backoff(retry)\n\n    def close(self):\n        pass\n";

    fn query(text: &str) -> RankedQuery {
        RankedQuery::new(&TextQueryOptions::new(text)).expect("a query")
    }

    #[test]
    fn words_and_alternatives_are_terms() {
        assert_eq!(split_terms("retry backoff|timeout"), ["retry", "backoff", "timeout"]);
        assert_eq!(split_terms(r"(a b|c) [x |] \|y\ z"), ["(a b|c)", "[x |]", r"\|y\ z"]);
        assert_eq!(split_terms("one"), ["one"]);
        assert_eq!(split_terms(" "), [" "]);
    }

    #[test]
    fn matches_belong_to_innermost_or_documented_element() {
        let found = element_documents(&query("retry backoff"), &outline("a.py", TEXT));
        let rows: Vec<_> = found
            .documents
            .iter()
            .map(|document| {
                (
                    document.row.element.as_str(),
                    document.row.terms.clone(),
                    document.row.line,
                )
            })
            .collect();
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert_eq!(rows[0].0, "backoff");
        assert_eq!(
            rows[0].1.clone().into_iter().collect::<Vec<_>>(),
            [("backoff".to_owned(), 1), ("retry".to_owned(), 1)]
        );
        assert_eq!((rows[1].0, rows[1].2), ("Client.send", 11));
        // A name counts more than a mention.
        assert!(found.documents[0].counts[1] > found.documents[1].counts[1]);
    }

    #[test]
    fn texts_without_a_language_are_compared_by_paragraph() {
        let found = block_documents(&query("beta"), "notes.txt", "alpha\n\nbeta\nbeta again\n\ngamma\n");
        let lines: Vec<_> = found
            .documents
            .iter()
            .map(|document| (document.row.start_line, document.row.end_line, document.counts[0]))
            .collect();
        assert_eq!(lines, [(3, 5, 2.0)]);
        assert_eq!(found.total, 3);
    }
}
