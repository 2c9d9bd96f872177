//! The properties of a pattern that decide how costly its comparison with a file is.

use std::collections::HashSet;

use ast_grep_core::{matcher::PatternNode, meta_var::MetaVariable};

/// The properties of a pattern that decide the cost of a comparison.
#[derive(Default)]
pub(super) struct PatternCost<'p> {
    variables: HashSet<&'p str>,
    pub(super) has_repeated: bool,
    pub(super) ellipses: usize,
    pub(super) has_named_ellipsis: bool,
    /// The maximum nesting of parts that follow a `$$$`.
    pub(super) doublings: usize,
}

pub(super) fn measure_cost(pattern: &PatternNode) -> PatternCost<'_> {
    let mut shape = PatternCost::default();
    let mut open = vec![(pattern, 0_usize)];
    while let Some((node, doublings)) = open.pop() {
        shape.doublings = shape.doublings.max(doublings);
        match node {
            PatternNode::MetaVar { meta_var } => {
                let name = match meta_var {
                    MetaVariable::Capture(name, _) => name,
                    MetaVariable::MultiCapture(name) => {
                        shape.has_named_ellipsis = true;
                        name
                    }
                    MetaVariable::Dropped(_) | MetaVariable::Multiple => continue,
                };
                shape.has_repeated |= !shape.variables.insert(name);
            }
            PatternNode::Internal { children, .. } => {
                let mut behind = 0;
                for child in children {
                    open.push((child, doublings + behind));
                    if is_ellipsis(child) {
                        shape.ellipses += 1;
                        behind = 1;
                    }
                }
            }
            PatternNode::Terminal { .. } => {}
        }
    }
    shape
}

const fn is_ellipsis(node: &PatternNode) -> bool {
    matches!(node, PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) })
}
