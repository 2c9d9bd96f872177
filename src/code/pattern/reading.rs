//! Reading example code as a pattern: it is parsed inside a context of its language, and must be one node there.

use ast_grep_core::{Node, Pattern, matcher::PatternNode, tree_sitter::StrDoc};

use super::{grammar::PatternGrammar, rejection::PatternRejection};
use crate::languages::{Language, facts::LanguageFamily};

/// The placeholder of the pattern in a context of `language.toml`.
pub(super) const PLACEHOLDER: &str = "PATTERN";

/// The maximum nesting depth of a pattern. It is read and compared by recursion, in a stack of 2 MiB.
const PATTERN_DEPTH: usize = 100;

/// A pattern read in a context; the bool is true if the language reads it as code and not as prose.
pub(super) struct ContextPattern(pub(super) Pattern, pub(super) bool);

impl ContextPattern {
    pub(super) fn is_variable(&self) -> bool {
        matches!(self.0.node, ast_grep_core::matcher::PatternNode::MetaVar { .. })
    }
}

/// The errors that are accepted in the tree of a pattern and not in that of a program.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ErrorTolerance {
    /// No error is accepted.
    Code,
    /// Errors that consist of one variable, and missing tokens.
    Variables,
    /// The same, and the whole text may be one error after a keyword: `import $NAMES from $MODULE`, where the language
    /// wants a string. This error matches nodes of every kind that have the same parts.
    Unfinished,
}

pub(super) fn parse_in_context(
    context: &str,
    code: &str,
    grammar: PatternGrammar,
    care: ErrorTolerance,
) -> Result<ContextPattern, PatternRejection> {
    let before = context.find(PLACEHOLDER).unwrap_or(0);
    let source = context.replacen(PLACEHOLDER, code, 1);
    let range = before..before + code.len();
    let document = grammar.document(&source).map_err(|_| PatternRejection::Syntax(0))?;
    if is_too_deep(&document.tree) {
        return Err(PatternRejection::TooLarge);
    }
    let root = ast_grep_core::AstGrep::doc(document);
    // The smallest node with exactly the range of the pattern: a statement of one expression counts as that expression.
    // The file itself is skipped: it has exactly the range of a pattern of several statements.
    let exact = root.root().dfs().skip(1).filter(|node| node.is_named() && node.range() == range).last();
    let broken = root
        .root()
        .dfs()
        .find(|node| (node.is_error() || node.is_missing()) && touches(node, &range))
        // An error around the whole text means only that its end is missing.
        .map(|node| match node.range().start.saturating_sub(before) {
            0 => code.len(),
            at => at.min(code.len()),
        });
    let is_code = exact.as_ref().is_some_and(|node| is_code(node, grammar.0));
    match (exact, broken) {
        (Some(node), _) if !node.is_error() && care == ErrorTolerance::Code && !has_error(&node) => {
            Ok(ContextPattern(Pattern::from(node), is_code))
        }
        (Some(node), broken) if care != ErrorTolerance::Code && is_acceptable(&node, care, code, grammar.1) => {
            let pattern = Pattern::from(node);
            let is_error = match &pattern.node {
                PatternNode::Internal { children, .. } if care == ErrorTolerance::Unfinished => {
                    children.iter().any(has_error_kind)
                }
                node => has_error_kind(node),
            };
            if is_error {
                Err(broken.map_or(PatternRejection::Several, PatternRejection::Syntax))
            } else {
                Ok(ContextPattern(pattern, is_code))
            }
        }
        (_, Some(at)) => Err(PatternRejection::Syntax(at)),
        _ => Err(PatternRejection::Several),
    }
}

/// True if a tree is nested too deep for a pattern.
fn is_too_deep(tree: &tree_sitter::Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0_usize;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            // The file, and the nodes that the context puts around the pattern.
            if depth > PATTERN_DEPTH + 10 {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// True if a node is code and not prose: never in documents; in data and markup only with a token of the language in
/// it.
fn is_code(node: &Node<'_, StrDoc<PatternGrammar>>, language: &Language) -> bool {
    match language.facts.family {
        LanguageFamily::Code | LanguageFamily::Style => true,
        LanguageFamily::Document => false,
        LanguageFamily::Markup | LanguageFamily::Data => node.dfs().any(|part| !part.is_named()),
    }
}

/// True if a node is accepted as a pattern although it contains an error.
fn is_acceptable(node: &Node<'_, StrDoc<PatternGrammar>>, care: ErrorTolerance, code: &str, sign: char) -> bool {
    // A missing token is accepted, but not a missing bracket: the intended content of the bracket is unknown.
    if !is_balanced(code) {
        return false;
    }
    if care != ErrorTolerance::Unfinished || !node.is_error() {
        return !node.is_error();
    }
    let begins_with_keyword =
        node.children().next().is_some_and(|first| !first.is_named() && first.text().chars().all(char::is_alphabetic));
    begins_with_keyword && code.contains(sign)
}

/// True if every bracket is closed.
fn is_balanced(code: &str) -> bool {
    let mut open = Vec::new();
    code.chars().all(|c| match c {
        '(' | '[' | '{' => {
            open.push(c);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    }) && open.is_empty()
}

fn has_error_kind(node: &PatternNode) -> bool {
    match node {
        PatternNode::Internal { kind_id, children } => {
            // The id that every grammar gives to an error node.
            *kind_id == u16::MAX || children.iter().any(has_error_kind)
        }
        _ => false,
    }
}

fn has_error(node: &Node<'_, StrDoc<PatternGrammar>>) -> bool {
    node.dfs().any(|inner| inner.is_error() || inner.is_missing())
}

fn touches(node: &Node<'_, StrDoc<PatternGrammar>>, range: &std::ops::Range<usize>) -> bool {
    let found = node.range();
    found.start <= range.end && range.start <= found.end
}
