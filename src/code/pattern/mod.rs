//! Patterns of example code: `$A.close()` finds every such call, with any expression in the place of `$A`.
//!
//! The pattern is parsed with the language's own grammar and compared with the file tree by tree (ast-grep-core), so
//! that layout and comments do not matter. Invariant: a pattern that does not parse as one node is rejected with the
//! position of the error, and never matched as something else. This module does not rewrite code.
//!
//! A comparison cannot be cancelled and follows the trees by recursion, so both sides are bounded before it begins: a
//! pattern that is too large is rejected; a node of a file that is too deep or too wide for this pattern is left out,
//! and the result reports that.

mod cost;
mod grammar;
mod reading;
mod rejection;
mod tokens;

use std::{collections::HashSet, fmt};

use ast_grep_core::{
    Matcher, Pattern,
    language::Language as _,
    matcher::{MatcherExt as _, PatternNode},
    meta_var::MetaVariable,
    tree_sitter::StrDoc,
};
use tokio_util::sync::CancellationToken;
use tree_sitter::Tree;

use crate::{
    errors::structure::StructureError,
    languages::Language,
    parse::{ParsedFile, one_line, read},
};

use cost::measure_cost;
use grammar::PatternGrammar;
use reading::{ErrorTolerance, PLACEHOLDER, parse_in_context};
use rejection::{PATTERN_BYTES, PatternRejection, invalid_pattern};
use tokens::{TokenCode, TokenKinds};

/// The maximum length of a returned capture, in characters.
const CAPTURE_CHARACTERS: usize = 80;

/// The number of nodes compared between two checks of the cancellation token.
const POLL_EVERY: u32 = 1_024;

/// The maximum number of nested levels in which a `$$$` precedes another part: each level doubles the comparisons.
const PATTERN_DOUBLINGS: usize = 8;

/// The maximum depth of the nodes that one repeated variable captures: they are compared by recursion.
const NODE_DEPTH: usize = 1_000;

/// The maximum number of children of a node where a named `$$$` is followed by another: the capture of the first is
/// copied for each child that the second tries.
const NODE_CHILDREN: u32 = 4_000;

/// A compiled pattern of one language.
pub struct CodePattern {
    pattern: Pattern,
    /// The same code with the node kinds that the grammar gives it elsewhere: a path in a type, if the pattern is one in an
    /// expression, or the reverse.
    twin: Option<Pattern>,
    /// True at the ids of node kinds that it can match; `None` if it can match any.
    kinds: Option<Vec<bool>>,
    /// A name that every match contains.
    literal: Option<String>,
    /// True if a variable occurs twice.
    has_repeated: bool,
    /// True if a named `$$$` is followed by another.
    has_several: bool,
}

/// All matches of a pattern in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternMatches {
    /// The matches in the order of the text.
    pub list: Vec<PatternMatch>,
    /// True if some nodes could not be compared, because they are too deep or too wide for this pattern.
    pub is_incomplete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternMatch {
    /// The start, as a byte offset in the decoded text.
    pub start_byte: usize,
    /// The end, as an exclusive byte offset in the decoded text.
    pub end_byte: usize,
    /// The grammar's name of the node.
    pub kind: String,
    /// The variables' names and captured texts, each on one line.
    pub captures: Vec<(String, String)>,
}

/// A text of the file with its tree.
struct CodeText<'t> {
    text: &'t str,
    tree: Tree,
    /// The first byte in the file.
    start: usize,
    /// The number of nodes with tokens around it.
    depth: usize,
}

impl fmt::Debug for CodePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a pattern with {:?}", self.pattern.fixed_string())
    }
}

impl CodePattern {
    /// Compiles example code. It must be one statement, expression or definition of the language.
    pub fn compile(text: &str, language: &'static Language) -> Result<Self, StructureError> {
        let text = text.trim();
        if text.len() > PATTERN_BYTES {
            return Err(invalid_pattern(text, language, PatternRejection::TooLarge));
        }
        let mut first_fault = None;
        let contexts = &language.facts.pattern.contexts;
        let bare = [PLACEHOLDER.to_owned()];
        let contexts = if contexts.is_empty() { &bare[..] } else { &contexts[..] };
        // Contexts in which the whole text is valid code come first. After them, the text is read as ast-grep reads it:
        // a body is written `{ $$$BODY }` also where the language wants statements or fields, and there the grammar
        // reports an error that is only the variable. The plainest context is the last in the data.
        let whole = contexts.iter().map(|context| (ErrorTolerance::Code, context));
        let lenient = contexts.iter().rev().map(|context| (ErrorTolerance::Variables, context));
        let unfinished = contexts.last().map(|context| (ErrorTolerance::Unfinished, context));
        let readings: Vec<_> = whole.chain(lenient).chain(unfinished).collect();
        let grammars = [
            Some(PatternGrammar::new(language)),
            language.facts.pattern.other.map(|sign| PatternGrammar(language, sign)),
        ];
        for grammar in grammars.into_iter().flatten() {
            let code = grammar.pre_process_pattern(text).into_owned();
            for (care, context) in &readings {
                match parse_in_context(context, &code, grammar, *care) {
                    Ok(pattern) => {
                        if !pattern.1 {
                            first_fault.get_or_insert(PatternRejection::Prose);
                            continue;
                        }
                        if measure_cost(&pattern.0.node).doublings > PATTERN_DOUBLINGS {
                            return Err(invalid_pattern(text, language, PatternRejection::TooLarge));
                        }
                        if pattern.is_variable() {
                            return Err(invalid_pattern(text, language, PatternRejection::OnlyVariable));
                        }
                        return Ok(Self::new(pattern.0, language));
                    }
                    Err(PatternRejection::TooLarge) => {
                        return Err(invalid_pattern(text, language, PatternRejection::TooLarge));
                    }
                    Err(trouble) => {
                        first_fault.get_or_insert(trouble);
                    }
                }
            }
        }
        Err(invalid_pattern(text, language, first_fault.unwrap_or(PatternRejection::Several)))
    }

    fn new(pattern: Pattern, language: &'static Language) -> Self {
        let twin = twin(&pattern.node, language).map(|node| {
            let mut other = pattern.clone();
            other.node = node;
            other
        });
        let kinds = pattern.potential_kinds().map(|mut known| {
            if let Some(others) = twin.as_ref().and_then(Matcher::potential_kinds) {
                known.union_with(&others);
            }
            let mut kinds = vec![false; language.grammar().node_kind_count()];
            for kind in &known {
                if let Some(is_possible) = kinds.get_mut(kind) {
                    *is_possible = true;
                }
            }
            kinds
        });
        // Punctuation can be left out (the comma before `$$$`), names cannot.
        let literal = pattern.fixed_string().into_owned();
        let is_name = literal.len() > 1 && literal.chars().all(|c| c.is_alphanumeric() || c == '_');
        let shape = measure_cost(&pattern.node);
        Self {
            has_repeated: shape.has_repeated,
            has_several: shape.ellipses > 1 && shape.has_named_ellipsis,
            pattern,
            twin,
            kinds,
            literal: Some(literal).filter(|_| is_name),
        }
    }

    /// Returns a text that every match contains, if the pattern has one.
    pub fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }

    /// Returns every match in the file, in the order of the text.
    pub fn find(&self, parsed: &ParsedFile, cancel: &CancellationToken) -> Result<PatternMatches, StructureError> {
        let source = &parsed.source;
        let whole = CodeText { text: &source.text, tree: parsed.tree.clone(), start: 0, depth: 0 };
        let (mut found, mut waiting) = self.find_in(whole, source.language, cancel)?;
        if waiting.is_empty() {
            return Ok(found);
        }
        while let Some(code) = waiting.pop() {
            let inner = source.text.get(code.range.clone()).unwrap_or_default();
            if self.literal.as_ref().is_some_and(|literal| !inner.contains(literal.as_str())) {
                continue;
            }
            // As a statement, which an expression alone is not.
            let text = format!("{inner};");
            let (tree, _) = read(source.language, &text, cancel)?;
            if tree.root_node().has_error() {
                waiting.extend(code.into_arguments());
                continue;
            }
            let statement = CodeText { text: &text, tree, start: code.range.start, depth: code.depth };
            let (hits, inner) = self.find_in(statement, source.language, cancel)?;
            waiting.extend(inner);
            found.is_incomplete |= hits.is_incomplete;
            found.list.extend(hits.list.into_iter().filter(|hit| code.contains(hit.start_byte..hit.end_byte)));
        }
        // A name among tokens is also found as a token.
        found.list.sort_by_key(|hit| (hit.start_byte, std::cmp::Reverse(hit.end_byte)));
        found.list.dedup_by_key(|hit| (hit.start_byte, hit.end_byte));
        Ok(found)
    }

    /// Returns every match in a text, and the code in it that the grammar leaves as tokens.
    fn find_in(
        &self,
        code: CodeText<'_>,
        language: &'static Language,
        cancel: &CancellationToken,
    ) -> Result<(PatternMatches, Vec<TokenCode>), StructureError> {
        let beyond = self.incomparable_nodes(&code.tree, cancel)?;
        let (start, depth, tokens) = (code.start, code.depth, TokenKinds::new(language));
        let document = StrDoc { src: code.text.to_owned(), lang: PatternGrammar::new(language), tree: code.tree };
        let root = ast_grep_core::AstGrep::doc(document);
        let (mut found, mut left) = (PatternMatches::default(), Vec::new());
        let mut visited = 0_u32;
        for node in root.root().dfs() {
            visited = visited.wrapping_add(1);
            if visited.is_multiple_of(POLL_EVERY) && cancel.is_cancelled() {
                return Err(StructureError::Cancelled);
            }
            left.extend(tokens.and_then(|tokens| tokens.code_in(&node, start, depth)));
            let is_possible = self
                .kinds
                .as_ref()
                .is_none_or(|kinds| kinds.get(usize::from(node.kind_id())).copied().unwrap_or(false));
            if !is_possible {
                continue;
            }
            if beyond.contains(&node.node_id()) {
                found.is_incomplete = true;
                continue;
            }
            let other = || self.twin.as_ref()?.match_node(node.clone());
            let Some(hit) = self.pattern.match_node(node.clone()).or_else(other) else {
                continue;
            };
            let mut captures: Vec<(String, String)> = hit
                .get_env()
                .get_matched_variables()
                .filter_map(|variable| capture(&hit, code.text, &variable))
                .collect();
            captures.sort();
            let range = hit.range();
            found.list.push(PatternMatch {
                start_byte: start + range.start,
                end_byte: start + range.end,
                kind: hit.kind().into_owned(),
                captures,
            });
        }
        Ok((found, left))
    }

    /// Returns the ids of the nodes that cannot be compared with this pattern: empty for nearly every file.
    fn incomparable_nodes(&self, tree: &Tree, cancel: &CancellationToken) -> Result<HashSet<usize>, StructureError> {
        let mut beyond = HashSet::new();
        if !self.has_repeated && !self.has_several {
            return Ok(beyond);
        }
        // For each ancestor of the cursor: the depth below it, and true if it contains a node that is too wide.
        let mut around: Vec<(usize, bool)> = Vec::new();
        let mut cursor = tree.walk();
        let mut visited = 0_u32;
        loop {
            visited = visited.wrapping_add(1);
            if visited.is_multiple_of(POLL_EVERY) && cancel.is_cancelled() {
                return Err(StructureError::Cancelled);
            }
            around.push((0, self.has_several && cursor.node().child_count() > NODE_CHILDREN));
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                let (depth, is_wide) = around.pop().unwrap_or_default();
                if is_wide || self.has_repeated && depth > NODE_DEPTH {
                    beyond.insert(cursor.node().id());
                }
                if let Some((outer, holds_wide)) = around.last_mut() {
                    *outer = (depth + 1).max(*outer);
                    *holds_wide |= is_wide;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return Ok(beyond);
                }
            }
        }
    }
}

/// Returns a node with the other kind of itself, of its last child, or of both; `None` if neither has another kind.
fn twin(node: &PatternNode, language: &Language) -> Option<PatternNode> {
    let other = |kind: u16| {
        language.facts.pattern.twins.iter().find_map(|pair| {
            let [one, two] = pair.each_ref().map(|kind| language.grammar().id_for_node_kind(kind, true));
            [(one, two), (two, one)].into_iter().find_map(|(from, to)| (from == kind).then_some(to))
        })
    };
    match node {
        PatternNode::Terminal { text, is_named, kind_id } => {
            Some(PatternNode::Terminal { text: text.clone(), is_named: *is_named, kind_id: other(*kind_id)? })
        }
        PatternNode::Internal { kind_id, children } => {
            let (own, last) = (other(*kind_id), children.last().and_then(|last| twin(last, language)));
            if own.is_none() && last.is_none() {
                return None;
            }
            let mut children = children.clone();
            if let (Some(place), Some(last)) = (children.last_mut(), last) {
                *place = last;
            }
            Some(PatternNode::Internal { kind_id: own.unwrap_or(*kind_id), children })
        }
        PatternNode::MetaVar { .. } => None,
    }
}

fn capture(
    hit: &ast_grep_core::NodeMatch<'_, StrDoc<PatternGrammar>>,
    text: &str,
    variable: &MetaVariable,
) -> Option<(String, String)> {
    let (name, range) = match variable {
        MetaVariable::Capture(name, _) => (name, hit.get_env().get_match(name)?.range()),
        MetaVariable::MultiCapture(name) => {
            let nodes = hit.get_env().get_multiple_matches(name);
            let start = nodes.first().map_or(0, |node| node.range().start);
            (name, start..nodes.last().map_or(start, |node| node.range().end))
        }
        MetaVariable::Dropped(_) | MetaVariable::Multiple => return None,
    };
    let text = text.get(range).unwrap_or_default();
    Some((name.clone(), one_line(text, CAPTURE_CHARACTERS)))
}

#[cfg(test)]
mod tests;
