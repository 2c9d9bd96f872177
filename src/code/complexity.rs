//! Cyclomatic complexity: one more than the number of decisions in a callable, by the node kinds that its language
//! defines.
//!
//! A decision belongs to the innermost callable around it: nested functions do not count for the outer one, anonymous
//! lambdas do. Decisions outside of every callable do not count. One walk over the tree, without recursion.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;
use tree_sitter::Node;

use crate::{
    elements::ElementKind,
    errors::structure::StructureError,
    extract::{ElementDraft, ExtractionPlan},
    parse::ParsedFile,
};

const DECISION: u8 = 1;
const GENERATOR: u8 = 2;
const CALLABLE: u8 = 4;
const EXHAUSTIVE: u8 = 8;
const OPAQUE: u8 = 16;
const OPERATOR: u8 = 32;

/// Sets the complexity of every callable, and marks generators.
pub(crate) fn measure(
    parsed: &ParsedFile,
    plan: &ExtractionPlan,
    drafts: &mut [ElementDraft<'_>],
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
    let mut spared = vec![0_usize; drafts.len()];
    let mut yields = vec![false; drafts.len()];
    // The possible meanings of a node's kind, so that most nodes cost one look-up in a small table.
    let kinds: Vec<u8> = {
        let mut kinds: Vec<u8> = (0..plan.decisions.len())
            .map(|kind| {
                u8::from(plan.decisions[kind]) * DECISION
                    + u8::from(plan.generators[kind]) * GENERATOR
                    + u8::from(plan.operators[kind]) * OPERATOR
                    + u8::from(plan.exhaustive[kind]) * EXHAUSTIVE
                    + u8::from(plan.opaque[kind]) * OPAQUE
            })
            .collect();
        for at in callables.values() {
            if let Some(kind) = kinds.get_mut(usize::from(drafts[*at].node.kind_id())) {
                *kind |= CALLABLE;
            }
        }
        kinds
    };
    // The callables around the cursor, each with the depth of its node.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut cursor = parsed.tree.walk();
    let (mut depth, mut visited) = (0_usize, 0_u32);
    'tree: loop {
        visited = visited.wrapping_add(1);
        if visited.is_multiple_of(4_096) && cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        let node = cursor.node();
        let kind = kinds.get(usize::from(node.kind_id())).copied().unwrap_or(0);
        if kind != 0 {
            // A callable's own node, such as a property with an arrow function, is not a decision of the enclosing
            // callable.
            let callable = callables.get(&node.id()).filter(|_| kind & CALLABLE != 0);
            if let Some(at) = callable {
                around.push((depth, *at));
            } else if let Some((_, at)) = around.last() {
                let decides = kind & DECISION != 0
                    && plan.decision_fields[usize::from(node.kind_id())]
                        .is_none_or(|field| node.child_by_field_id(field).is_some())
                    && plan
                        .decision_texts
                        .get(&usize::from(node.kind_id()))
                        .is_none_or(|texts| texts.iter().any(|text| text == parsed.text(node)))
                    && !is_default(parsed, plan, node);
                let operates = kind & OPERATOR != 0 && cursor.field_name() == Some("operator");
                decisions[*at] += usize::from(decides || operates);
                if kind & EXHAUSTIVE != 0 && node.named_child_count() > 0 {
                    spared[*at] += 1;
                }
                yields[*at] |= kind & GENERATOR != 0;
            }
        }
        if kind & OPAQUE == 0 && cursor.goto_first_child() {
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
            code.complexity = Some((decisions[at] + 1).saturating_sub(spared[at]).max(1));
            code.is_generator |= yields[at];
        }
    }
    Ok(())
}

/// True for the default branch, which is taken if no other is: it is not a decision.
fn is_default(parsed: &ParsedFile, plan: &ExtractionPlan, node: Node<'_>) -> bool {
    let default = plan
        .defaults
        .get(usize::from(node.kind_id()))
        .and_then(Option::as_deref);
    default.is_some_and(|text| node.named_child(0).is_some_and(|first| parsed.text(first) == text))
}

/// True if the callable has code. Declarations without a body are not measured.
fn has_code(draft: &ElementDraft<'_>) -> bool {
    draft.body.is_some() || draft.element.kind == ElementKind::Initializer
}
