//! Queries on a parsed file: a predefined key, any tree-sitter query, or a pattern of example code.
//!
//! Every match has a name, a type and a position. A caller's query is bounded: in size ([`crate::query_syntax`]), in open
//! states by a limit, which is reported when reached, in time by the cancellation token.

use std::ops::Range;

use fumi_base::nearest::nearest;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorOptions, StreamingIterator as _};

use crate::{
    elements::{CodeElement, ElementDetail, ElementKind, ElementList, Enclosures, SourceSpan},
    errors::structure::StructureError,
    extract::extract,
    filter::{ElementFilter, FilterSubject},
    languages::{Language, facts::Selection},
    outline::Outline,
    parse::{ParsedFile, SourceFile, one_line, stop_if},
    pattern::CodePattern,
    query_syntax::compile,
    section::{READ_BYTES, READ_LINES},
    syntax_errors::SyntaxErrorSummary,
    table::{decorators, signature},
    user_queries::UserQueries,
};

/// The maximum length of a match's text, in characters (code-tools.md: matches carry at most 500).
pub const TEXT_CHARACTERS: usize = 500;

/// The maximum number of matches of one name whose whole texts a reply contains.
const READ_MATCHES: usize = 3;

/// The maximum length of an indentation, in characters.
const INDENT_CHARACTERS: usize = 200;

/// The maximum number of a query's simultaneous open states; real queries stay below a hundred, more is a pathological
/// pattern.
const MATCH_LIMIT: u32 = 4_096;

/// The query that a caller makes: exactly one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueryKind {
    /// A key of the language's `[queries]`.
    Key(String),
    /// The text of a tree-sitter query.
    Query(String),
    /// Example code with variables; see [`crate::pattern`].
    Pattern(String),
}

/// One match of a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryMatch {
    /// The name of the match; its text on one line if it has no name.
    pub name: String,
    /// The element's kind, or the capture's name.
    pub kind: String,
    /// The position of the match.
    pub span: SourceSpan,
    /// The text of the match, cut at [`TEXT_CHARACTERS`]. If the filter selects by name: the whole text if the matches are few
    /// and short, otherwise the signature or the first line.
    pub text: String,
    /// The blanks before the match if nothing else precedes it on its line.
    pub indent: String,
    /// The decorators of a definition, on one line in the language's own notation, long ones cut.
    pub decorators: String,
    /// The qualified name of the enclosing element.
    pub parent: Option<String>,
    /// The names and texts of a pattern's variables.
    pub captures: Vec<(String, String)>,
    /// The declaration of an element on one line.
    pub signature: String,
}

/// All matches in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryMatches {
    /// The matches in the order of the text, at most as many as requested.
    pub list: Vec<QueryMatch>,
    /// The number of all matches.
    pub total: usize,
    /// True if matches may be missing because the query exceeded its limit of open states, or because a pattern could
    /// not be compared with some nodes.
    pub is_incomplete: bool,
    /// The parse errors of the file, because of which matches may be missing too.
    pub broken: Option<SyntaxErrorSummary>,
}

/// A query checked against a language: its key exists, or its text compiles.
#[derive(Debug)]
pub enum PreparedQuery {
    /// A selection of elements.
    Select(&'static Selection),
    /// A compiled tree-sitter query.
    Run(Box<Query>),
    /// A compiled code pattern.
    Find(Box<CodePattern>),
}

impl QueryKind {
    /// Resolves a key: an operator's key becomes its query, a key of the language stays. Other queries stay as they
    /// are.
    ///
    /// # Errors
    /// Returns [`StructureError::UnknownQueryKey`] if the language has no such key.
    pub fn resolve(&self, language: &'static Language, user: &UserQueries) -> Result<Self, StructureError> {
        let Self::Key(key) = self else {
            return Ok(self.clone());
        };
        if let Some(text) = user.get(language, key) {
            return Ok(Self::Query(text.to_owned()));
        }
        selection(key, language, user).map(|_| self.clone())
    }
}

fn selection(key: &str, language: &'static Language, user: &UserQueries) -> Result<&'static Selection, StructureError> {
    let queries = &language.facts.queries;
    queries.get(key).ok_or_else(|| {
        let own = queries.keys().map(String::as_str);
        let keys: Vec<&str> = own.chain(user.keys(language)).collect();
        StructureError::UnknownQueryKey {
            key: key.to_owned(),
            language: language.name.to_owned(),
            nearest: nearest(key, keys.iter().copied(), 3).into_iter().map(str::to_owned).collect(),
            keys: keys.join(", "),
        }
    })
}

/// Resolves and compiles a query in this process.
pub fn prepare(
    kind: &QueryKind,
    language: &'static Language,
    user: &UserQueries,
) -> Result<PreparedQuery, StructureError> {
    match kind.resolve(language, user)? {
        QueryKind::Key(key) => selection(&key, language, user).map(PreparedQuery::Select),
        QueryKind::Query(text) => compile(&text, language).map(|query| PreparedQuery::Run(Box::new(query))),
        QueryKind::Pattern(text) => {
            CodePattern::compile(&text, language).map(|pattern| PreparedQuery::Find(Box::new(pattern)))
        }
    }
}

/// Runs a prepared query. Returns at most `limit` matches; the total counts all.
pub fn run(
    prepared: &PreparedQuery,
    filter: &ElementFilter,
    parsed: &ParsedFile,
    limit: usize,
    cancel: &CancellationToken,
) -> Result<QueryMatches, StructureError> {
    let found = match prepared {
        PreparedQuery::Select(selection) => {
            let elements = extract(parsed, cancel)?;
            select(selection, filter, &parsed.source, &elements, limit)
        }
        PreparedQuery::Run(query) => run_query(query, filter, parsed, limit, cancel)?,
        PreparedQuery::Find(pattern) => run_pattern(pattern, filter, parsed, limit, cancel)?,
    };
    Ok(QueryMatches { broken: SyntaxErrorSummary::from_errors(&parsed.errors, parsed.error_count), ..found }
        .with_texts(filter, &parsed.source))
}

impl QueryMatches {
    /// Returns the elements of a file that a predefined query selects, at most `limit`; the total counts all.
    pub(crate) fn select(selection: &Selection, filter: &ElementFilter, file: &Outline, limit: usize) -> Self {
        let broken = SyntaxErrorSummary::from_errors(&file.errors, file.error_count);
        let found = select(selection, filter, &file.source, &file.elements, limit);
        Self { broken, ..found }.with_texts(filter, &file.source)
    }

    /// Replaces the texts of matches that were asked for by name: by the whole texts if these are short, otherwise by
    /// signatures.
    fn with_texts(mut self, filter: &ElementFilter, source: &SourceFile) -> Self {
        if filter.is_by_name() {
            let is_readable = is_readable(self.list.iter());
            for found in &mut self.list {
                if is_readable {
                    let text = source.text.get(found.span.start_byte..found.span.end_byte);
                    text.unwrap_or_default().clone_into(&mut found.text);
                } else {
                    found.shorten();
                }
            }
        }
        self
    }
}

/// True if matches are so few and short that a reply contains their whole text.
pub(crate) fn is_readable<'m>(matches: impl Iterator<Item = &'m QueryMatch>) -> bool {
    let (mut count, mut lines, mut bytes) = (0, 0, 0);
    for found in matches {
        count += 1;
        lines += found.span.lines();
        bytes += found.span.end_byte - found.span.start_byte;
    }
    count <= READ_MATCHES && lines <= READ_LINES && bytes <= READ_BYTES
}

impl QueryMatch {
    /// Replaces the text by the signature, or by the first line of a match that is not an element.
    pub(crate) fn shorten(&mut self) {
        let first = || self.text.lines().next().unwrap_or_default();
        self.text = match &self.signature {
            signature if !signature.is_empty() => signature.clone(),
            _ if self.span.lines() > 1 => format!("{}…", cut(first()).trim_end_matches('…')),
            _ => cut(&self.text),
        };
    }
}

/// The elements of the file, extracted at the first match: most files of a search have none.
struct LazyElements<'p> {
    parsed: &'p ParsedFile,
    cancel: &'p CancellationToken,
    known: Option<(ElementList, Enclosures)>,
}

impl<'p> LazyElements<'p> {
    const fn new(parsed: &'p ParsedFile, cancel: &'p CancellationToken) -> Self {
        Self { parsed, cancel, known: None }
    }

    fn get_or_extract(&mut self) -> Result<&(ElementList, Enclosures), StructureError> {
        let known = if let Some(known) = self.known.take() {
            known
        } else {
            let elements = extract(self.parsed, self.cancel)?;
            let enclosures = elements.enclosures();
            (elements, enclosures)
        };
        Ok(self.known.insert(known))
    }
}

fn select(
    selection: &Selection,
    filter: &ElementFilter,
    source: &SourceFile,
    elements: &ElementList,
    limit: usize,
) -> QueryMatches {
    let facts = &source.language.facts;
    let mut found = QueryMatches::default();
    // Languages differ in what they call a method, and one who asks for a name need not know.
    let takes_methods = filter.is_by_name() && selection.kinds.contains(&ElementKind::Function);
    let is_method = |element: &CodeElement| matches!(element.kind, ElementKind::Method | ElementKind::Constructor);
    for element in &elements.list {
        let is_taken = selection.selects(element) || (takes_methods && is_method(element));
        if !is_taken {
            continue;
        }
        let parent = element.parent.filter(|_| filter.is_by_qualified_name());
        let parent = parent.map(|parent| elements.qualified_name(parent));
        if !filter.matches(FilterSubject { parent: parent.as_deref(), ..FilterSubject::from(element) }) {
            continue;
        }
        found.total += 1;
        if found.list.len() < limit {
            found.list.push(QueryMatch {
                name: element.name.clone(),
                kind: element.kind.name().to_owned(),
                span: element.span,
                text: text_of(source, element.span),
                indent: indent_of(source, element.span),
                decorators: decorators(element, facts),
                parent: element.parent.map(|parent| elements.qualified_name(parent)),
                captures: Vec::new(),
                signature: signature(element, facts),
            });
        }
    }
    found
}

impl Selection {
    /// True if all selected elements are types, functions and methods.
    pub(crate) fn is_of_definitions(&self) -> bool {
        let is_function =
            |kind: &ElementKind| matches!(kind, ElementKind::Function | ElementKind::Method | ElementKind::Constructor);
        let is_definition = |kind: &ElementKind| kind.is_class_like() || is_function(kind);
        !self.kinds.is_empty() && self.kinds.iter().all(is_definition)
    }

    /// True if the predefined query selects this element.
    pub fn selects(&self, element: &CodeElement) -> bool {
        let is_of_kind = self.kinds.is_empty() || self.kinds.contains(&element.kind);
        let is_of_class = self.class.as_deref().is_none_or(|class| match &element.detail {
            ElementDetail::Markup(markup) => markup.element_class == class,
            // A rule is selected by the class of any of its properties, an at-rule by its own.
            ElementDetail::Style(style) => {
                style.property_class == class || style.properties.iter().any(|(_, _, known)| known == class)
            }
            ElementDetail::Key { type_name, .. } => *type_name == class,
            _ => false,
        });
        let has_modifier = self.modifier.as_deref().is_none_or(|modifier| match &element.detail {
            ElementDetail::Code(code) => code.has_modifier(modifier),
            ElementDetail::Import(import) => import.modifiers.iter().any(|known| known == modifier),
            _ => false,
        });
        is_of_kind && is_of_class && has_modifier
    }
}

fn run_query(
    query: &Query,
    filter: &ElementFilter,
    parsed: &ParsedFile,
    limit: usize,
    cancel: &CancellationToken,
) -> Result<QueryMatches, StructureError> {
    let names = query.capture_names();
    let facts = &parsed.source.language.facts;
    let mut surroundings = LazyElements::new(parsed, cancel);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let mut found = QueryMatches::default();
    {
        let mut poll = |_: &tree_sitter::QueryCursorState| stop_if(cancel);
        let options = QueryCursorOptions::new().progress_callback(&mut poll);
        let text = parsed.source.text.as_bytes();
        let mut matches = cursor.matches_with_options(query, parsed.tree.root_node(), text, options);
        while let Some(next) = matches.next() {
            if cancel.is_cancelled() {
                return Err(StructureError::Cancelled);
            }
            for capture in next.captures() {
                let capture_name = names[capture.index as usize];
                if capture_name.starts_with('_') {
                    continue;
                }
                let label = next
                    .captures()
                    .iter()
                    .filter(|other| is_name(names[other.index as usize]))
                    .map(|other| other.node)
                    .find(|name| *name != capture.node && lies_in(*name, capture.node));
                let name = match label.or_else(|| capture.node.child_by_field_name("name")) {
                    Some(name) => one_line(parsed.text(name), 200),
                    None => one_line(parsed.text(capture.node), 80),
                };
                let (elements, enclosures) = surroundings.get_or_extract()?;
                let element = element_of(elements, capture.node.byte_range());
                let span = parsed.span(capture.node);
                let needs_parent = found.list.len() < limit || filter.is_by_qualified_name();
                let parent = needs_parent
                    .then(|| parent_of(element.map_or(span, |element| element.span), elements, enclosures))
                    .flatten();
                let subject = FilterSubject {
                    name: &name,
                    parent: parent.as_deref(),
                    kind: capture_name,
                    lines: capture.node.end_position().row + 1 - capture.node.start_position().row,
                    is_callable: element.is_some_and(|element| element.kind.is_callable()),
                    type_name: element.and_then(|element| element.code()?.type_name.as_deref()),
                    code: element.and_then(CodeElement::code),
                };
                if !filter.matches(subject) {
                    continue;
                }
                found.total += 1;
                if found.list.len() < limit {
                    found.list.push(QueryMatch {
                        kind: capture_name.to_owned(),
                        text: text_of(&parsed.source, span),
                        indent: indent_of(&parsed.source, span),
                        decorators: element.map_or_else(String::new, |element| decorators(element, facts)),
                        signature: element.map_or_else(String::new, |element| signature(element, facts)),
                        captures: Vec::new(),
                        parent,
                        name,
                        span,
                    });
                }
            }
        }
    }
    if cancel.is_cancelled() {
        return Err(StructureError::Cancelled);
    }
    found.is_incomplete = cursor.did_exceed_match_limit();
    Ok(found)
}

fn run_pattern(
    pattern: &CodePattern,
    filter: &ElementFilter,
    parsed: &ParsedFile,
    limit: usize,
    cancel: &CancellationToken,
) -> Result<QueryMatches, StructureError> {
    let mut surroundings = LazyElements::new(parsed, cancel);
    let hits = pattern.find(parsed, cancel)?;
    let facts = &parsed.source.language.facts;
    let mut found = QueryMatches { is_incomplete: hits.is_incomplete, ..QueryMatches::default() };
    for (at, hit) in hits.list.into_iter().enumerate() {
        if at % 1_024 == 0 && cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        let text = parsed.source.text.get(hit.start_byte..hit.end_byte).unwrap_or_default();
        let span = parsed.lines.span(&parsed.source.text, hit.start_byte, hit.end_byte);
        let (elements, enclosures) = surroundings.get_or_extract()?;
        let element = element_of(elements, hit.start_byte..hit.end_byte);
        let name = element.map_or_else(|| one_line(text, 80), |element| element.name.clone());
        let needs_parent = found.list.len() < limit || filter.is_by_qualified_name();
        let parent = needs_parent
            .then(|| parent_of(element.map_or(span, |element| element.span), elements, enclosures))
            .flatten();
        let subject = FilterSubject {
            name: &name,
            parent: parent.as_deref(),
            kind: &hit.kind,
            lines: span.lines(),
            type_name: element.and_then(|element| element.code()?.type_name.as_deref()),
            is_callable: element.is_some_and(|element| element.kind.is_callable()),
            code: element.and_then(CodeElement::code),
        };
        if !filter.matches(subject) {
            continue;
        }
        found.total += 1;
        if found.list.len() < limit {
            found.list.push(QueryMatch {
                text: text_of(&parsed.source, span),
                indent: indent_of(&parsed.source, span),
                decorators: element.map_or_else(String::new, |element| decorators(element, facts)),
                signature: element.map_or_else(String::new, |element| signature(element, facts)),
                parent,
                kind: hit.kind,
                captures: hit.captures,
                name,
                span,
            });
        }
    }
    Ok(found)
}

/// True for `@name` and `@function.name`, which capture the name of their match.
fn is_name(capture: &str) -> bool {
    capture.rsplit('.').next() == Some("name")
}

fn lies_in(inner: Node<'_>, outer: Node<'_>) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

/// Returns the qualified name of the innermost element around a span. For an element, pass the span of the element and not
/// that of its node: a decorated element begins before its node, and would count as its own parent.
fn parent_of(span: SourceSpan, elements: &ElementList, enclosures: &Enclosures) -> Option<String> {
    let parent = enclosures.innermost(span.start_byte, span.end_byte)?;
    Some(elements.qualified_name(parent))
}

/// Returns the definition whose node was captured, if any: the filter uses its facts.
fn element_of(elements: &ElementList, node: Range<usize>) -> Option<&CodeElement> {
    let bytes = (node.start, node.end);
    // A decorated definition begins before its node, so only the order is certain.
    let after = elements.list.partition_point(|element| element.span.start_byte <= node.start);
    elements.list[..after].iter().rev().take(16).find(|element| {
        let whole = (element.span.start_byte, element.span.end_byte);
        element.code().is_some() && (element.nodes.contains(&bytes) || whole == bytes)
    })
}

fn text_of(source: &SourceFile, span: SourceSpan) -> String {
    let text = source.text.get(span.start_byte..span.end_byte).unwrap_or_default();
    cut(text)
}

/// Returns the beginning of a text, with an ellipsis if it is longer than [`TEXT_CHARACTERS`].
fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the blanks before a span if nothing else precedes it on its line. More than [`INDENT_CHARACTERS`] are not an
/// indentation.
fn indent_of(source: &SourceFile, span: SourceSpan) -> String {
    // The column counts characters, and is used as a number of bytes: right for blanks. Among other characters, the range
    // contains a non-blank byte or does not begin at a character, so that the indentation is empty.
    let columns = Some(span.start_column).filter(|columns| *columns <= INDENT_CHARACTERS);
    let start = columns.and_then(|columns| span.start_byte.checked_sub(columns));
    let before = start.and_then(|start| source.text.get(start..span.start_byte));
    let is_blank = |before: &&str| before.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    before.filter(is_blank).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::{QueryKind, prepare, run};
    use crate::{
        errors::structure::StructureError, filter::ElementFilter, parse::tests::parsed, user_queries::UserQueries,
    };

    const TEXT: &str =
        "import os\nclass Store:\n    def get(self, key): return 1\n    def put(self): pass\ndef main(): pass\n";

    fn ask(kind: &QueryKind, filter: &str) -> Result<Vec<String>, StructureError> {
        let cancel = CancellationToken::new();
        let parsed = parsed("a.py", TEXT);
        let prepared = prepare(kind, parsed.source.language, &UserQueries::default())?;
        let matches = run(&prepared, &ElementFilter::parse(filter)?, &parsed, 100, &cancel)?;
        assert_eq!(matches.total, matches.list.len());
        Ok(matches
            .list
            .into_iter()
            .map(|found| {
                let parent = found.parent.unwrap_or_default();
                format!("{} {} {} in {parent:?}", found.kind, found.name, found.span.start_line)
            })
            .collect())
    }

    fn key(name: &str, filter: &str) -> Vec<String> {
        ask(&QueryKind::Key(name.to_owned()), filter).expect("a known key")
    }

    fn refused(query: &str) -> (usize, usize, String) {
        match ask(&QueryKind::Query(query.to_owned()), "") {
            Err(StructureError::InvalidQuery { fault }) => (fault.line, fault.column, fault.hint.en.into_owned()),
            other => panic!("{query}: {other:?}"),
        }
    }

    #[test]
    fn keys_select_elements_and_filters_narrow_them() {
        assert_eq!(key("methods", ""), ["method get 3 in \"Store\"", "method put 4 in \"Store\""]);
        assert_eq!(key("methods", "params=2"), ["method get 3 in \"Store\""]);
        assert_eq!(key("functions", ""), ["function main 5 in \"\""]);
        assert_eq!(key("imports", "name=os"), ["import os 1 in \"\""]);
        let error = ask(&QueryKind::Key("method".to_owned()), "").expect_err("no such key");
        assert!(matches!(error, StructureError::UnknownQueryKey { nearest, .. } if nearest == ["methods"]));
    }

    #[test]
    fn queries_return_a_row_per_capture() {
        let query = |text: &str, filter| ask(&QueryKind::Query(text.to_owned()), filter).expect("a query");
        assert_eq!(
            query("((function_definition name: (identifier) @_n) @found (#match? @_n \"^p\"))", ""),
            ["found put 4 in \"Store\""]
        );
        assert_eq!(query("(function_definition name: (identifier) @name) @f", "params=0"), ["f main 5 in \"\""]);
        assert_eq!(query("(return_statement) @r", ""), ["r return 1 3 in \"Store.get\""]);
        // A statement that ends where its function ends is not the function.
        assert_eq!(query("(return_statement) @r", "params=2"), [""; 0]);
    }

    #[test]
    fn invalid_queries_report_position_and_hint() {
        let (line, column, hint) = refused("(module\n  (function_defintion) @f)");
        assert_eq!((line, column), (2, 3));
        assert!(hint.contains("function_definition"), "{hint}");
        assert_eq!(refused("(identifier) @x)").0, 1);
        assert!(refused("(function_definition nam: (_) @x)").2.contains("name"));
        assert!(refused("((identifier) @x (#like? @x \"a\"))").2.contains("#match?"));
        assert!(refused("(identifier)").2.contains("@found"));
        assert!(refused("((identifier) @x (#match? @x \"(\"))").2.contains("#match?"));
        assert!(refused("(import_statement (function_definition) @f)").2.contains("(_)"));
    }

    #[test]
    fn too_costly_queries_are_rejected() {
        let nested = format!("{}_{} @a", "(".repeat(20_000), ")".repeat(20_000));
        let alternatives = format!("{}(_){} @a", "[".repeat(20_000), "]".repeat(20_000));
        let optional = format!("(module {})", "(_)? @a ".repeat(300));
        let patterns = "(module (_)? @a (_)* @b (_)+ @c)\n".repeat(500);
        let long = "(identifier) @a\n".repeat(5_000);
        for query in [nested, alternatives, optional, patterns, long] {
            let (_, _, hint) = refused(&query);
            assert!(hint.contains("several queries"), "{hint}");
        }
        // Quantifiers and brackets in strings, comments and predicates do not count as the query's own.
        let signs = "; ".to_owned() + &"?".repeat(100) + "\n((string) @a (#not-any-of? @a \"((([[[???\\\"\"))";
        assert_eq!(ask(&QueryKind::Query(signs.repeat(50)), "").map(|found| found.len()), Ok(0));
    }

    #[test]
    fn a_cancelled_query_returns_nothing() {
        let text = format!("x = [{}]\n", "1, ".repeat(200_000));
        let parsed = parsed("a.py", &text);
        let wide = QueryKind::Query("(list (_) @a (_) @b (_) @c)".to_owned());
        let prepared = prepare(&wide, parsed.source.language, &UserQueries::default()).expect("a query");
        let cancel = CancellationToken::new();
        let stopper = cancel.clone();
        let thread = std::thread::spawn(move || stopper.cancel());
        let result = run(&prepared, &ElementFilter::default(), &parsed, 100, &cancel);
        thread.join().expect("a thread");
        assert!(matches!(result, Err(StructureError::Cancelled)));
    }
}
