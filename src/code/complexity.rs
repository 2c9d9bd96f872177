//! Cyclomatic complexity: one more than the decisions of a callable, by the node kinds that its language names.
//!
//! A decision counts for the innermost callable around it: nested functions do not count into the outer one, lambdas
//! without a name do. Decisions outside of every callable count for none. One walk over the tree, without recursion.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;

use crate::{
    elements::Kind,
    errors::structure::StructureError,
    extract::{Draft, Plan},
    parse::Parsed,
};

/// Fills in the complexity of every callable, and whether it is a generator.
pub(crate) fn measure(
    parsed: &Parsed,
    plan: &Plan,
    drafts: &mut [Draft<'_>],
    cancel: &CancellationToken,
) -> Result<(), StructureError> {
    let callables: HashMap<usize, usize> = drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| draft.keep && draft.element.kind.is_callable() && has_code(draft))
        .map(|(at, draft)| (draft.node.id(), at))
        .collect();
    if callables.is_empty() {
        return Ok(());
    }
    let mut decisions = vec![0_usize; drafts.len()];
    let mut yields = vec![false; drafts.len()];
    // The callables around the cursor, each with the depth at which its node stands.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut cursor = parsed.tree.walk();
    let (mut depth, mut visited) = (0_usize, 0_u32);
    'tree: loop {
        visited = visited.wrapping_add(1);
        if visited.is_multiple_of(4_096) && cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        let node = cursor.node();
        let kind = usize::from(node.kind_id());
        // A callable's own node, such as a property with an arrow function, is no decision of the callable around it.
        if node.child_count() > 0
            && let Some(at) = callables.get(&node.id())
        {
            around.push((depth, *at));
        } else if let Some((_, at)) = around.last() {
            decisions[*at] += usize::from(plan.decisions.get(kind).copied().unwrap_or(false));
            yields[*at] |= plan.generators.get(kind).copied().unwrap_or(false);
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if around.last().is_some_and(|(at_depth, _)| *at_depth == depth) {
                around.pop();
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                break 'tree;
            }
            depth -= 1;
        }
    }
    for at in callables.into_values() {
        if let Some(code) = drafts[at].code() {
            code.complexity = Some(decisions[at] + 1);
            code.is_generator |= yields[at];
        }
    }
    Ok(())
}

/// Declarations without a body decide nothing and are not measured.
fn has_code(draft: &Draft<'_>) -> bool {
    draft.body.is_some() || draft.element.kind == Kind::Initializer
}
