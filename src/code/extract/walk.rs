//! A walk over a tree from landmark to landmark: see [`super::landmarks`] for what it may skip.
//!
//! Nodes are visited in the order of the text, parents before children, without recursion. A language without landmarks
//! has its trees walked completely.

use tree_sitter::{Node, Tree, TreeCursor};

use super::landmarks::{LandmarkFinder, Landmarks};

/// A position in the walk.
pub(super) struct LandmarkWalk<'t> {
    pub(super) cursor: TreeCursor<'t>,
    landmarks: Option<LandmarkFinder<'t>>,
    /// The nodes around the cursor.
    around: Vec<Entered>,
}

/// A node whose children are being visited.
struct Entered {
    end: usize,
    /// True if all children are visited, not only those with landmarks.
    is_whole: bool,
}

impl<'t> LandmarkWalk<'t> {
    /// Begins at the root of a tree.
    pub(super) fn new(tree: &'t Tree, text: &'t str, landmarks: Option<&'t Landmarks>) -> Self {
        Self { cursor: tree.walk(), landmarks: landmarks.map(|landmarks| landmarks.finder(text)), around: Vec::new() }
    }

    /// Moves from the current node to the next one: to its first child that is to be visited, or else past it. With
    /// `visits_all`, all of its children are visited. Returns false at the end of the tree.
    pub(super) fn advance(&mut self, node: Node<'t>, visits_all: bool) -> bool {
        let entered =
            Entered { end: node.end_byte(), is_whole: visits_all || self.landmarks.is_none() || node.has_error() };
        if node.child_count() > 0 && self.goto_first_child(node.start_byte(), &entered) {
            self.around.push(entered);
            return true;
        }
        let mut passed = entered.end;
        while let Some(around) = self.around.pop() {
            if self.goto_next_sibling(passed, &around) {
                self.around.push(around);
                return true;
            }
            self.cursor.goto_parent();
            passed = around.end;
        }
        false
    }

    fn goto_first_child(&mut self, start: usize, node: &Entered) -> bool {
        let Some(mut landmark) = self.landmark(start, node) else {
            return false;
        };
        if node.is_whole {
            return self.cursor.goto_first_child();
        }
        // A landmark may lie in text without a node of its own, such as a part of a string.
        while self.cursor.goto_first_child_for_byte(landmark).is_none() {
            match self.landmark(landmark + 1, node) {
                Some(next) => landmark = next,
                None => return false,
            }
        }
        true
    }

    /// Moves to the next sibling to visit, within the node around the cursor.
    fn goto_next_sibling(&mut self, passed: usize, around: &Entered) -> bool {
        let Some(landmark) = self.landmark(passed, around) else {
            return false;
        };
        while self.cursor.goto_next_sibling() {
            if around.is_whole || self.cursor.node().end_byte() > landmark {
                return true;
            }
        }
        false
    }

    /// Returns the first landmark in a node from a byte on. If all children of the node are visited, returns the byte
    /// itself.
    fn landmark(&mut self, byte: usize, node: &Entered) -> Option<usize> {
        match &mut self.landmarks {
            Some(landmarks) if !node.is_whole => Some(landmarks.next_from(byte)).filter(|next| *next < node.end),
            _ => Some(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, fs, path::Path};

    use tokio_util::sync::CancellationToken;

    use super::LandmarkWalk;
    use crate::{
        extract::{patterns::PatternMatcher, plan::meaning},
        languages::fixture_texts,
        parse::{ParsedFile, WalkStep, tests::parsed, walk},
    };

    /// Returns the nodes that match a pattern or may count for complexity, by a walk over all nodes.
    fn wanted(parsed: &ParsedFile) -> Vec<tree_sitter::Node<'_>> {
        let plan = parsed.source.language.plan();
        let mut matcher = PatternMatcher::new(parsed);
        let mut found = Vec::new();
        let visit = |node| {
            let means = |meaning| plan.meanings(node) & meaning != 0;
            let mut is_wanted = means(meaning::GENERATOR)
                || (means(meaning::DECISION) && plan.is_decision(parsed, node))
                || (means(meaning::EXHAUSTIVE) && node.named_child_count() > 0);
            matcher.try_at(node, &plan.patterns, plan.starts(node), |_, _| is_wanted = true);
            if is_wanted {
                found.push(node);
            }
            WalkStep::Into
        };
        walk(parsed.tree.root_node(), &CancellationToken::new(), visit).expect("walked");
        found
    }

    fn visited(parsed: &ParsedFile) -> HashSet<usize> {
        let plan = parsed.source.language.plan();
        let mut walk = LandmarkWalk::new(&parsed.tree, &parsed.source.text, plan.landmarks.as_ref());
        let mut found = HashSet::new();
        loop {
            let node = walk.cursor.node();
            assert!(found.insert(node.id()), "visited twice");
            if !walk.advance(node, plan.meanings(node) & meaning::WHOLE != 0) {
                return found;
            }
        }
    }

    /// Whole, and with each line left out in turn, so that the parser has to recover from errors.
    fn variants(text: &str) -> impl Iterator<Item = String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let without = move |at: usize| [&lines[..at], &lines[lines.len().min(at + 1)..]].concat().concat();
        let count = text.lines().count();
        std::iter::once(text.to_owned()).chain((0..count).map(without).collect::<Vec<_>>())
    }

    #[test]
    fn landmarks_lead_to_every_element_and_decision() {
        let mut skipped = 0;
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("parse.rs");
        let own = (String::from("parse.rs"), fs::read_to_string(own).expect("this crate's source"));
        for (path, text) in fixture_texts().into_iter().chain([own]) {
            for text in variants(&text).take(200) {
                let parsed = parsed(&path, &text);
                let visited = visited(&parsed);
                for node in wanted(&parsed) {
                    assert!(visited.contains(&node.id()), "{path}: {:?} in:\n{text}", parsed.text(node));
                }
                skipped += parsed.tree.root_node().descendant_count() - visited.len();
            }
        }
        assert!(skipped > 0);
    }
}
