//! Code that a grammar leaves as tokens, such as the arguments of a Rust macro. It is parsed by itself, so that patterns
//! match in it too; what is not code of the language (`html!(<p>)`) is left out.

use std::ops::Range;

use ast_grep_core::{Node, tree_sitter::StrDoc};

use super::grammar::PatternGrammar;
use crate::languages::Language;

/// The maximum number of macros around a code: each level parses its text once more.
const DEPTH: usize = 8;

/// Code to parse by itself.
pub(super) struct TokenCode {
    /// The bytes in the file.
    pub(super) range: Range<usize>,
    /// True if the brackets around the tokens belong to the range. They are not code: the arguments of a macro are not a
    /// tuple.
    has_brackets: bool,
    /// The arguments, to parse one by one if the whole cannot be parsed.
    arguments: Vec<Range<usize>>,
    /// The number of nodes with tokens around it.
    pub(super) depth: usize,
}

/// The kinds of the nodes that hold tokens, and of their parents.
#[derive(Clone, Copy)]
pub(super) struct TokenKinds {
    parent: u16,
    node: u16,
}

impl TokenKinds {
    /// Returns `None` for a language whose grammar leaves no tokens.
    pub(super) fn new(language: &Language) -> Option<Self> {
        let (parent, node) = language.facts.pattern.tokens.as_ref()?.split_once('>')?;
        let id = |kind| language.grammar().id_for_node_kind(kind, true);
        Some(Self { parent: id(parent), node: id(node) })
    }

    /// Returns the code in a node of a text that begins at `start` in the file, if the node holds tokens. `depth` is the
    /// number of such nodes around the text.
    pub(super) fn code_in(
        self,
        node: &Node<'_, StrDoc<PatternGrammar>>,
        start: usize,
        depth: usize,
    ) -> Option<TokenCode> {
        let is_held =
            node.kind_id() == self.node && node.parent().is_some_and(|parent| parent.kind_id() == self.parent);
        if !is_held || depth >= DEPTH {
            return None;
        }
        let range = start + node.range().start..start + node.range().end;
        let mut arguments = Vec::new();
        let mut from = range.start + 1;
        for sign in node.children().filter(|child| child.kind() == ",") {
            arguments.push(from..start + sign.range().start);
            from = start + sign.range().end;
        }
        arguments.push(from..(range.end - 1).max(from));
        Some(TokenCode { range, has_brackets: true, arguments, depth: depth + 1 })
    }
}

impl TokenCode {
    /// True if some bytes of the file are code of it.
    pub(super) fn contains(&self, bytes: Range<usize>) -> bool {
        // The end of the statement is not in the file.
        bytes.end <= self.range.end && !(self.has_brackets && bytes == self.range)
    }

    /// Returns the arguments by themselves.
    pub(super) fn into_arguments(self) -> impl Iterator<Item = Self> {
        let depth = self.depth;
        self.arguments.into_iter().map(move |range| Self { range, has_brackets: false, arguments: Vec::new(), depth })
    }
}
