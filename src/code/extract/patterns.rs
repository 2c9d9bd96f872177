//! The patterns of a language's `elements.scm`, tried at one node at a time.
//!
//! Invariant: a node has the matches that tree-sitter's own query engine finds there; a test compares both. The engine
//! is made for searching whole trees and takes about ten times as long for a single node. Repetitions and wildcards at
//! the root of a pattern are not supported; [`super::pattern_reader`] rejects them.

use std::{num::NonZeroU16, ops::Range};

use regex::bytes::Regex;
use tree_sitter::Node;

use crate::parse::ParsedFile;

/// The maximum number of listed children that are kept for further patterns at the same node; the node's own children are
/// always kept. A statement has fewer, so that only the children of long bodies are listed repeatedly.
const KEPT_CHILDREN: usize = 100;

/// All patterns of a language.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// The names of captures, without the `@`.
    pub(super) captures: Vec<String>,
    pub(super) list: Vec<Pattern>,
}

#[derive(Debug)]
pub(super) struct Pattern {
    /// The nodes with which it can begin.
    pub(super) roots: Vec<NodePattern>,
    pub(super) conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub(super) struct NodePattern {
    pub(super) kind: KindPattern,
    /// Indexes of captures.
    pub(super) captures: Vec<usize>,
    /// Ids of fields that the node must not have.
    pub(super) absent_fields: Vec<u16>,
    pub(super) children: Vec<ChildPattern>,
}

/// The kinds of node that a pattern allows.
#[derive(Clone, Debug)]
pub(super) enum KindPattern {
    /// `_`
    Any,
    /// `(_)`
    Named,
    /// The ids of one node kind or token.
    OneOf(Vec<u16>),
}

/// A child that a pattern demands, after the one before it.
#[derive(Clone, Debug)]
pub(super) struct ChildPattern {
    pub(super) field: Option<u16>,
    pub(super) alternatives: Vec<NodePattern>,
    pub(super) is_optional: bool,
    /// True if no named node may lie between this child and the one before it, or the start.
    pub(super) is_next: bool,
    /// True if no named node may follow.
    pub(super) is_last: bool,
}

/// A condition on the text of a capture.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) capture: usize,
    pub(super) text: TextCondition,
}

/// The texts that a condition allows.
#[derive(Debug)]
pub(super) enum TextCondition {
    OneOf(Vec<String>),
    Matches(Regex),
    Differs(Regex),
}

/// A node that a match captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Captured<'t> {
    /// The index of the capture's name.
    pub(super) capture: usize,
    pub(super) node: Node<'t>,
}

/// Tries patterns at one node after another.
#[derive(Debug)]
pub(super) struct PatternMatcher<'t> {
    parsed: &'t ParsedFile,
    /// The captures of the match found so far.
    captured: Vec<Captured<'t>>,
    /// The children of the nodes that are being matched, and of those in `lists`; each with the id of its field.
    children: Vec<(Node<'t>, Option<u16>)>,
    /// The ids of nodes whose children stay listed, with their range: several patterns ask for the same ones.
    lists: Vec<(usize, Range<usize>)>,
}

/// Completes a match that is found so far. Returns true if that succeeds.
type Rest<'c, 't> = &'c mut dyn FnMut(&mut PatternMatcher<'t>) -> bool;

impl Patterns {
    /// Returns, by the ids of node kinds, the indexes of the patterns that can begin at a node of the kind.
    pub(super) fn by_root(&self, kinds: usize) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); kinds];
        for (index, pattern) in self.list.iter().enumerate() {
            for root in &pattern.roots {
                if let KindPattern::OneOf(kinds) = &root.kind {
                    for kind in kinds {
                        // Errors have a kind beyond the grammar's.
                        found.resize(found.len().max(usize::from(*kind) + 1), Vec::new());
                        found[usize::from(*kind)].push(index);
                    }
                }
            }
        }
        found
    }
}

impl<'t> PatternMatcher<'t> {
    pub(super) fn new(parsed: &'t ParsedFile) -> Self {
        Self { parsed, captured: Vec::new(), children: Vec::new(), lists: Vec::new() }
    }

    /// Calls `found` with the index of a pattern and what it captures, for each match of these patterns at a node.
    pub(super) fn try_at(
        &mut self,
        node: Node<'t>,
        patterns: &Patterns,
        indexes: &[usize],
        mut found: impl FnMut(usize, &[Captured<'t>]),
    ) {
        self.children.clear();
        self.lists.clear();
        for index in indexes {
            let pattern = &patterns.list[*index];
            for root in &pattern.roots {
                self.match_node(root, node, &mut |matcher| {
                    let holds = |condition: &Condition| condition.holds(matcher.parsed, &matcher.captured);
                    if pattern.conditions.iter().all(holds) {
                        found(*index, &matcher.captured);
                    }
                    true
                });
            }
        }
    }

    fn match_node(&mut self, pattern: &NodePattern, node: Node<'t>, rest: Rest<'_, 't>) -> bool {
        let is_absent = |field: &u16| node.child_by_field_id(*field).is_none();
        if !pattern.kind.allows(node) || !pattern.absent_fields.iter().all(is_absent) {
            return false;
        }
        let before = self.captured.len();
        let captured = pattern.captures.iter().map(|capture| Captured { capture: *capture, node });
        self.captured.extend(captured);
        let is_found = if pattern.children.is_empty() {
            rest(self)
        } else {
            let listed = self.children.len();
            let children = self.list(node);
            let is_found = self.match_children(&pattern.children, children, rest);
            let kept = self.lists.last().map_or(0, |(_, children)| children.end);
            self.children.truncate(listed.max(kept));
            is_found
        };
        self.captured.truncate(before);
        is_found
    }

    /// Matches patterns with some of the children, in order.
    fn match_children(&mut self, patterns: &[ChildPattern], children: Range<usize>, rest: Rest<'_, 't>) -> bool {
        let Some((pattern, later)) = patterns.split_first() else {
            return rest(self);
        };
        let mut is_found = false;
        for at in children.clone() {
            let (child, field) = self.children[at];
            let after = at + 1..children.end;
            let is_placed = (pattern.field.is_none() || pattern.field == field)
                && !(pattern.is_last && self.children[after.clone()].iter().any(|(node, _)| node.is_named()))
                && later.first().is_none_or(|next| self.may_follow(next, &after));
            for alternative in pattern.alternatives.iter().filter(|_| is_placed) {
                is_found |= self
                    .match_node(alternative, child, &mut |matcher| matcher.match_children(later, after.clone(), rest));
            }
            if pattern.is_next && child.is_named() {
                break;
            }
        }
        is_found || (pattern.is_optional && self.match_children(later, children, rest))
    }

    /// False if a pattern that must match the next of these children cannot, by its kind.
    fn may_follow(&self, pattern: &ChildPattern, children: &Range<usize>) -> bool {
        let mut is_past = false;
        let mut candidates = self.children[children.clone()]
            .iter()
            .take_while(|(node, _)| !std::mem::replace(&mut is_past, node.is_named()));
        let may_match = |node: Node<'_>| pattern.alternatives.iter().any(|alternative| alternative.kind.allows(node));
        pattern.is_optional || !pattern.is_next || candidates.any(|(node, _)| may_match(*node))
    }

    /// Returns the range of a node's children in `children`.
    fn list(&mut self, node: Node<'t>) -> Range<usize> {
        if let Some((_, known)) = self.lists.iter().find(|(id, _)| *id == node.id()) {
            return known.clone();
        }
        let start = self.children.len();
        let mut cursor = node.walk();
        let mut is_at_child = cursor.goto_first_child();
        while is_at_child {
            self.children.push((cursor.node(), cursor.field_id().map(NonZeroU16::get)));
            is_at_child = cursor.goto_next_sibling();
        }
        let found = start..self.children.len();
        if !found.is_empty() && (start == 0 || found.end <= KEPT_CHILDREN) {
            self.lists.push((node.id(), found.clone()));
        }
        found
    }
}

impl KindPattern {
    fn allows(&self, node: Node<'_>) -> bool {
        match self {
            Self::Any => !node.is_error(),
            Self::Named => node.is_named() && !node.is_error(),
            Self::OneOf(kinds) => kinds.contains(&node.kind_id()),
        }
    }
}

impl Condition {
    /// True if every node with the capture has an allowed text.
    fn holds(&self, parsed: &ParsedFile, captured: &[Captured<'_>]) -> bool {
        let mut nodes = captured.iter().filter(|captured| captured.capture == self.capture);
        nodes.all(|captured| {
            let text = parsed.text(captured.node);
            match &self.text {
                TextCondition::OneOf(texts) => texts.iter().any(|known| known == text),
                TextCondition::Matches(regex) => regex.is_match(text.as_bytes()),
                TextCondition::Differs(regex) => !regex.is_match(text.as_bytes()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio_util::sync::CancellationToken;
    use tree_sitter::{Query, QueryCursor, StreamingIterator as _};

    use super::{Captured, PatternMatcher};
    use crate::{
        languages::{all, fixture_texts},
        parse::{WalkStep, tests::parsed, walk},
    };

    /// A match: its pattern, and the names and node ids that it captures.
    type Match = (usize, BTreeSet<(String, usize)>);

    #[test]
    fn matches_are_those_of_tree_sitter_queries() {
        let mut count = 0;
        for (path, text) in fixture_texts() {
            let parsed = parsed(&path, &text);
            let language = parsed.source.language;
            let plan = language.plan();
            let query = Query::new(&language.grammar(), &language.elements_scm).expect("a valid query");
            let mut matcher = PatternMatcher::new(&parsed);
            let mut cursor = QueryCursor::new();
            cursor.set_max_start_depth(Some(0));
            let visit = |node| {
                let mut found: BTreeSet<Match> = BTreeSet::new();
                matcher.try_at(node, &plan.patterns, plan.starts(node), |pattern, captured| {
                    let name = |captured: &Captured<'_>| plan.patterns.captures[captured.capture].clone();
                    let captured = captured.iter().map(|captured| (name(captured), captured.node.id()));
                    found.insert((pattern, captured.collect()));
                });
                let mut expected: BTreeSet<Match> = BTreeSet::new();
                let mut expected_matches = cursor.matches(&query, node, text.as_bytes());
                while let Some(found) = expected_matches.next() {
                    let name = |index: u32| query.capture_names()[index as usize].to_owned();
                    let captured = found.captures().iter().map(|capture| (name(capture.index), capture.node.id()));
                    expected.insert((found.pattern_index, captured.collect()));
                }
                assert_eq!(found, expected, "{path}: {:?}", parsed.text(node));
                count += found.len();
                WalkStep::Into
            };
            walk(parsed.tree.root_node(), &CancellationToken::new(), visit).expect("walked");
        }
        assert!(count > 24 * 10 && all().count() == 24, "{count} matches");
    }
}
