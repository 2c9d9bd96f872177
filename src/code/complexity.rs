//! Cyclomatic complexity: one more than the number of decisions in a callable, by the node kinds that its language
//! defines.
//!
//! A decision belongs to the innermost callable around it: nested functions do not count for the outer one, anonymous
//! lambdas do. Decisions outside of every callable do not count. The walk of the extraction finds the decisions; this
//! module assigns them to callables, which are known only after it.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use tree_sitter::Node;

use crate::{elements::ElementKind, extract::ElementDraft};

/// A node that counts for the callable around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedNode {
    pub(crate) place: WalkPlace,
    pub(crate) count: Count,
}

/// The place of a node in a walk over its tree: the order is that of a walk, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WalkPlace {
    start: u32,
    end: Reverse<u32>,
    /// A node with the range of its only child has more descendants.
    descendants: Reverse<u32>,
}

impl WalkPlace {
    #[expect(clippy::cast_possible_truncation, reason = "the trees of tree-sitter count in 32 bits")]
    pub(crate) fn new(node: Node<'_>) -> Self {
        Self {
            start: node.start_byte() as u32,
            end: Reverse(node.end_byte() as u32),
            descendants: Reverse(node.descendant_count() as u32),
        }
    }
}

/// The contribution of a node to the complexity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// One decision more.
    Decision,
    /// One decision fewer: the last arm of an exhaustive match.
    Spared,
    /// No decision, but the callable is a generator.
    Generator,
}

/// The counts of one callable.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    decisions: usize,
    spared: usize,
    is_generator: bool,
}

/// Sets the complexity of every callable, and marks generators. The nodes are in the order of a walk.
pub(crate) fn measure(counted: &[CountedNode], drafts: &mut [ElementDraft<'_>]) {
    // Of several drafts at one node, the last is measured.
    let callables: BTreeMap<WalkPlace, usize> = drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| draft.keep && draft.element.kind.is_callable() && has_code(draft))
        .map(|(at, draft)| (WalkPlace::new(draft.node), at))
        .collect();
    let mut counts: HashMap<usize, Counts> = HashMap::new();
    let mut rest = callables.iter().peekable();
    // The callables around the current node.
    let mut around: Vec<(&WalkPlace, &usize)> = Vec::new();
    for CountedNode { place, count } in counted {
        while let Some(callable) = rest.next_if(|(callable, _)| *callable <= place) {
            leave(&mut around, callable.0);
            around.push(callable);
        }
        leave(&mut around, place);
        // The node of a callable, such as a property with an arrow function, does not count for the one around it.
        let Some((_, at)) = around.last().filter(|(callable, _)| *callable != place) else {
            continue;
        };
        let counts = counts.entry(**at).or_default();
        match count {
            Count::Decision => counts.decisions += 1,
            Count::Spared => counts.spared += 1,
            Count::Generator => counts.is_generator = true,
        }
    }
    for at in callables.into_values() {
        let counts = counts.get(&at).copied().unwrap_or_default();
        if let Some(code) = drafts[at].code() {
            code.complexity = Some((counts.decisions + 1).saturating_sub(counts.spared).max(1));
            code.is_generator |= counts.is_generator;
        }
    }
}

/// Removes the callables that end before a node.
fn leave(around: &mut Vec<(&WalkPlace, &usize)>, place: &WalkPlace) {
    while around.last().is_some_and(|(callable, _)| callable.end.0 < place.end.0) {
        around.pop();
    }
}

/// True if the callable has code. Declarations without a body are not measured.
fn has_code(draft: &ElementDraft<'_>) -> bool {
    draft.body.is_some() || draft.element.kind == ElementKind::Initializer
}
