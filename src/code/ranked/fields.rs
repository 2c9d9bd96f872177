//! The documents of a file, which are what a ranking compares: its elements, else its paragraphs, each with the
//! occurrences of the terms by field.
//!
//! A match belongs to the innermost document around it, a match in a comment to the element that the comment documents.
//! A class does not have the text of its methods.

use std::collections::BTreeMap;

use super::{
    RankedRow,
    place::PlaceKind,
    terms::{Likeness, NameMatch, RankedQuery},
};
use crate::{
    elements::{ElementKind, ElementList},
    outline::Outline,
    parse::{LineIndex, one_line},
    table::signature,
};

/// The maximum length of a block of a text in no known language, in lines.
const BLOCK_LINES: usize = 40;

/// The weight of an occurrence that is only a part of a longer word.
const PART: f64 = 0.5;

/// The fields of a document, by which occurrences are weighted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    /// The element's own name.
    Name,
    /// Its parameters.
    Params,
    /// The first paragraph of its documentation.
    Summary,
    /// The rest of its documentation.
    Doc,
    /// The rest of its text.
    Code,
    /// The names of the elements and folders around it, and of its file.
    Path,
}

pub(super) const FIELDS: usize = 6;

pub(super) type Fields = [f64; FIELDS];

/// One element of one file, with the occurrences of each term.
pub(super) struct RankedDocument {
    pub(super) row: RankedRow,
    /// The occurrences of each term.
    pub(super) counts: Vec<Fields>,
    /// The length of each field, in words or characters; only proportions matter.
    pub(super) lengths: Fields,
    pub(super) weight: DocumentWeight,
}

/// The facts by which a document comes before or after others that say the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentWeight {
    /// The agreement of its name with the name that the query consists of.
    pub(super) name_match: NameMatch,
    pub(super) size: DocumentSize,
    pub(super) place: PlaceKind,
}

/// The kinds of documents by how much they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DocumentSize {
    /// A text: a heading with its section, a paragraph, what lies outside of all elements.
    Text,
    /// A constant, a variable, a type without members.
    Line,
    /// A function, a class, a rule.
    Whole,
}

impl DocumentSize {
    const fn new(kind: ElementKind) -> Self {
        match kind {
            ElementKind::Heading => Self::Text,
            ElementKind::Variable | ElementKind::Constant | ElementKind::Type | ElementKind::Macro => Self::Line,
            _ => Self::Whole,
        }
    }
}

/// The documents and statistics of one file.
pub(super) struct FileDocuments {
    /// The documents with matches.
    pub(super) documents: Vec<RankedDocument>,
    /// The number of all documents, with matches or not.
    pub(super) total: usize,
    /// The total lengths of the fields of all documents.
    pub(super) lengths: Fields,
    /// The file and the line of its first parse error, if its syntax is broken.
    pub(super) broken: Option<(String, usize)>,
}

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

/// Returns the documents of a parsed file.
pub(super) fn element_documents(query: &RankedQuery, file: &Outline) -> FileDocuments {
    let elements = &file.elements;
    let text = &file.source.text;
    let lengths = own_lengths(elements, text.len());
    let owners = owning_documents(elements);
    let mut drafts: BTreeMap<Option<usize>, TermTally> = BTreeMap::new();
    query.each_match(text, |term, start, likeness| {
        let after = owners.partition_point(|(from, _)| *from <= start);
        let owner = after.checked_sub(1).and_then(|at| owners[at].1);
        drafts.entry(owner).or_insert_with(|| TermTally::new(query.terms.len())).add(
            term,
            file.lines.line(start),
            likeness,
        );
    });
    let context = FileContext {
        query,
        file,
        place: PlaceKind::new(&file.source.path, text, &query.asked),
        path: tally_names(query, &file.source.path),
    };
    let documents = drafts
        .iter()
        .map(|(element, tally)| match element {
            Some(at) => context.element(*at, tally, lengths[element]),
            None => context.outside(tally, lengths[element]),
        })
        .collect();
    let mut totals = Fields::default();
    for own in lengths.values() {
        totals.iter_mut().zip(own).for_each(|(total, own)| *total += own);
    }
    FileDocuments { documents, total: lengths.len(), lengths: totals, broken: None }
}

/// The data that all documents of a file share.
struct FileContext<'a> {
    query: &'a RankedQuery,
    file: &'a Outline,
    place: PlaceKind,
    /// The occurrences of each term in the path.
    path: Vec<f64>,
}

impl FileContext<'_> {
    fn element(&self, at: usize, tally: &TermTally, lengths: Fields) -> RankedDocument {
        let Self { query, file, .. } = self;
        let elements = &file.elements;
        let found = &elements.list[at];
        let name = elements.qualified_name(at);
        let code = found.code();
        let params = code.map_or("", |code| code.params_text.as_str());
        let (summary, doc) = summary_and_rest(code.and_then(|code| code.doc.as_deref()));
        let outer = name.strip_suffix(&found.name).unwrap_or_default();
        let counts = tally.fields(query, [&found.name, params, summary, doc, outer], &self.path);
        let (line, text) = tally.best_line(&file.lines, &file.source.text);
        let name_match = query.name.as_ref().map_or(NameMatch::Different, |asked| asked.compare(&found.name, &name));
        // An extension of a type has the type's name, but does not define it.
        let is_extension = matches!(found.kind, ElementKind::Impl | ElementKind::Extension);
        RankedDocument {
            counts,
            lengths,
            weight: DocumentWeight {
                name_match: name_match.min(if is_extension { NameMatch::OtherCase } else { NameMatch::Same }),
                size: DocumentSize::new(found.kind),
                place: self.place.of_element(&name, &query.asked),
            },
            row: RankedRow {
                file: file.source.path.clone(),
                element: name,
                kind: found.kind.name().to_owned(),
                start_line: found.span.start_line,
                end_line: found.span.end_line,
                score: 0.0,
                terms: tally.by_term(query),
                signature: signature(found, &file.source.language.facts),
                line,
                text,
                code: None,
            },
        }
    }

    /// Returns the document of what lies outside of all elements.
    fn outside(&self, tally: &TermTally, lengths: Fields) -> RankedDocument {
        let Self { query, file, .. } = self;
        let (line, text) = tally.best_line(&file.lines, &file.source.text);
        let (start_line, end_line) = tally.lines();
        let (summary, doc) = summary_and_rest(file.elements.doc.as_deref());
        RankedDocument {
            counts: tally.fields(query, ["", "", summary, doc, ""], &self.path),
            lengths,
            weight: DocumentWeight { name_match: NameMatch::Different, size: DocumentSize::Text, place: self.place },
            row: RankedRow {
                file: file.source.path.clone(),
                element: String::new(),
                kind: "file".to_owned(),
                start_line,
                end_line,
                score: 0.0,
                terms: tally.by_term(query),
                signature: String::new(),
                line,
                text,
                code: None,
            },
        }
    }
}

/// Returns the lengths of all documents of a file, without the documents within each.
fn own_lengths(elements: &ElementList, bytes: usize) -> BTreeMap<Option<usize>, Fields> {
    let mut own: BTreeMap<Option<usize>, f64> = BTreeMap::from([(None, bytes as f64)]);
    let mut open: Vec<usize> = Vec::new();
    for (at, element) in elements.list.iter().enumerate().filter(|(_, element)| is_document(element.kind)) {
        while open.last().is_some_and(|last| !elements.list[*last].span.contains(&element.span)) {
            open.pop();
        }
        let length = (element.span.end_byte - element.span.start_byte) as f64;
        own.insert(Some(at), length);
        *own.entry(open.last().copied()).or_default() -= length;
        open.push(at);
    }
    own.into_iter()
        .map(|(at, length)| {
            let element = at.map(|at| &elements.list[at]);
            let code = element.and_then(|element| element.code());
            let name = element.map_or(0, |element| element.name.len());
            let params = code.map_or(0, |code| code.params_text.len());
            let doc = summary_and_rest(if at.is_none() {
                elements.doc.as_deref()
            } else {
                code.and_then(|code| code.doc.as_deref())
            });
            let [summary, doc] = [doc.0, doc.1].map(|text| text.len() as f64);
            let code = (length - summary - doc).max(0.0);
            (at, [name as f64, params as f64, summary, doc, code, 1.0])
        })
        .collect()
}

/// Splits a documentation after its first paragraph.
fn summary_and_rest(doc: Option<&str>) -> (&str, &str) {
    let doc = doc.unwrap_or_default();
    doc.split_once("\n\n").unwrap_or((doc, ""))
}

/// Returns the bytes at which the owner of the text changes, with the document from there on: the innermost, or the one
/// that a comment documents.
fn owning_documents(elements: &ElementList) -> Vec<(usize, Option<usize>)> {
    let list = &elements.list;
    let mut owners: Vec<(usize, Option<usize>)> = Vec::new();
    // The ends of the open elements, with their documents.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let close = |open: &mut Vec<(usize, Option<usize>)>, owners: &mut Vec<_>, start: usize| {
        while let Some((end, _)) = open.last().copied().filter(|(end, _)| *end <= start) {
            open.pop();
            owners.push((end, open.last().and_then(|(_, owner)| *owner)));
        }
    };
    for (at, element) in list.iter().enumerate() {
        let is_comment = element.kind == ElementKind::Comment;
        if !is_comment && !is_document(element.kind) {
            continue;
        }
        close(&mut open, &mut owners, element.span.start_byte);
        let around = open.last().and_then(|(_, owner)| *owner);
        let owner = if is_comment { documented(elements, at).or(around) } else { Some(at) };
        owners.push((element.span.start_byte, owner));
        open.push((element.span.end_byte, owner));
    }
    close(&mut open, &mut owners, usize::MAX);
    owners
}

/// Returns the element that a comment documents: the next one, if only comments lie between.
fn documented(elements: &ElementList, comment: usize) -> Option<usize> {
    let mut end_line = elements.list[comment].span.end_line;
    for (next, element) in elements.list[comment + 1..].iter().enumerate() {
        if element.span.start_line > end_line + 1 {
            return None;
        }
        if is_document(element.kind) {
            return Some(comment + 1 + next);
        }
        end_line = end_line.max(element.span.end_line);
    }
    None
}

/// Returns the documents of a text in no known language: its paragraphs.
pub(super) fn block_documents(query: &RankedQuery, path: &str, text: &str) -> FileDocuments {
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
    query.each_match(text, |term, start, likeness| {
        let line = lines.line(start);
        let block = starts.partition_point(|start| *start <= line).saturating_sub(1);
        drafts.entry(block).or_insert_with(|| TermTally::new(query.terms.len())).add(term, line, likeness);
    });
    let place = PlaceKind::new(path, text, &query.asked);
    let around = tally_names(query, path);
    let documents = drafts
        .into_iter()
        .map(|(block, tally)| {
            let (line, shown) = tally.best_line(&lines, text);
            let end_line = starts.get(block + 1).map_or(lines.count(), |next| next - 1);
            let bytes_of = |line| lines.line_bytes(line, text).unwrap_or_default();
            let length = bytes_of(end_line).end.saturating_sub(bytes_of(starts[block]).start);
            RankedDocument {
                counts: tally.fields(query, [""; 5], &around),
                lengths: [0.0, 0.0, 0.0, 0.0, length as f64, 1.0],
                weight: DocumentWeight { name_match: NameMatch::Different, size: DocumentSize::Text, place },
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
            }
        })
        .collect();
    FileDocuments {
        documents,
        total: starts.len(),
        lengths: [0.0, 0.0, 0.0, 0.0, text.len() as f64, starts.len() as f64],
        broken: None,
    }
}

/// Returns the weighted occurrences of each term in names, where words are abbreviated too.
fn tally_names(query: &RankedQuery, text: &str) -> Vec<f64> {
    let mut counts = tally(query, text);
    let mut abbreviated = vec![0.0; counts.len()];
    query.each_abbreviated(text, |term| abbreviated[term] = PART);
    for (count, abbreviated) in counts.iter_mut().zip(abbreviated) {
        *count = count.max(abbreviated);
    }
    counts
}

/// Returns the weighted occurrences of each term in a short text.
fn tally(query: &RankedQuery, text: &str) -> Vec<f64> {
    let mut counts = vec![0.0; query.terms.len()];
    query.each_match(text, |term, _, likeness| counts[term] += weight(likeness));
    counts
}

const fn weight(likeness: Likeness) -> f64 {
    match likeness {
        Likeness::Whole => 1.0,
        Likeness::Part => PART,
    }
}

/// The occurrences of each term in the text of one document, and their lines.
struct TermTally {
    counts: Vec<usize>,
    weighted: Vec<f64>,
    /// For each line, its terms as bits and the number of all occurrences on it.
    lines: BTreeMap<usize, (u32, usize)>,
}

impl TermTally {
    fn new(terms: usize) -> Self {
        Self { counts: vec![0; terms], weighted: vec![0.0; terms], lines: BTreeMap::new() }
    }

    fn add(&mut self, term: usize, line: usize, likeness: Likeness) {
        self.counts[term] += 1;
        self.weighted[term] += weight(likeness);
        let (terms, count) = self.lines.entry(line).or_default();
        *terms |= 1 << term;
        *count += 1;
    }

    /// Divides the occurrences of each term by field. `texts` are name, parameters, summary, further documentation and the
    /// names around; `path` are the occurrences in the path. The field `Code` gets those that name, parameters and
    /// documentation do not have.
    fn fields(&self, query: &RankedQuery, texts: [&str; 5], path: &[f64]) -> Vec<Fields> {
        let [name, params, summary, doc, outer] = texts;
        let [name, params, outer] = [name, params, outer].map(|text| tally_names(query, text));
        let [summary, doc] = [summary, doc].map(|text| tally(query, text));
        (0..self.counts.len())
            .map(|term| {
                let known = name[term] + params[term] + summary[term] + doc[term];
                let code = (self.weighted[term] - known).max(0.0);
                let around = (outer[term] + path[term]).min(1.0);
                [name[term], params[term], summary[term], doc[term], code, around]
            })
            .collect()
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
        let counted = query.terms.iter().zip(&self.counts);
        counted.filter(|(_, count)| **count > 0).map(|(term, count)| (term.clone(), *count)).collect()
    }
}
