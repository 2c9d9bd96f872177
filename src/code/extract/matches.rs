//! The one walk over a tree: tries a language's patterns where they can begin, makes one draft for all matches of a
//! definition, and collects what counts for complexity.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;
use tree_sitter::Node;

use super::{
    draft::ElementDraft,
    patterns::{Captured, PatternMatcher},
    plan::{CaptureRole, ExtractionPlan, meaning},
    walk::LandmarkWalk,
};
use crate::{
    complexity::{Count, CountedNode, WalkPlace},
    elements::ElementKind,
    errors::structure::StructureError,
    parse::ParsedFile,
};

/// Returns the drafts of a tree, and the nodes that count for complexity, in the order of the text.
pub(super) fn collect_matches<'t>(
    parsed: &'t ParsedFile,
    plan: &'t ExtractionPlan,
    cancel: &CancellationToken,
) -> Result<(Vec<ElementDraft<'t>>, Vec<CountedNode>), StructureError> {
    let mut gathered =
        DraftCollector { parsed, plan, drafts: Vec::new(), patterns: Vec::new(), known: BTreeMap::new() };
    let mut matcher = PatternMatcher::new(parsed);
    let mut counted = Vec::new();
    let (mut body_end, mut opaque_end) = (0, 0);
    let mut walk = LandmarkWalk::new(&parsed.tree, &parsed.source.text, plan.landmarks.as_ref());
    for visited in 1_u32.. {
        if visited.is_multiple_of(4_096) && cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        let node = walk.cursor.node();
        let meanings = plan.meanings(node);
        let means = |meaning| meanings & meaning != 0;
        if meanings != 0 {
            if means(meaning::BODY) {
                body_end = body_end.max(node.end_byte());
            }
            if means(meaning::START) && !(means(meaning::LOCAL) && node.start_byte() < body_end) {
                matcher.try_at(node, &plan.patterns, plan.starts(node), |pattern, found| {
                    gathered.take(pattern, found);
                });
            }
            if node.start_byte() >= opaque_end {
                let mut count = |count| {
                    let place = WalkPlace::new(node);
                    counted.push(CountedNode { place, count });
                };
                if (means(meaning::DECISION) && plan.is_decision(parsed, node))
                    || (means(meaning::OPERATOR) && walk.cursor.field_name() == Some("operator"))
                {
                    count(Count::Decision);
                }
                if means(meaning::EXHAUSTIVE) && node.named_child_count() > 0 {
                    count(Count::Spared);
                }
                if means(meaning::GENERATOR) {
                    count(Count::Generator);
                }
            }
            if means(meaning::OPAQUE) {
                opaque_end = opaque_end.max(node.end_byte());
            }
        }
        if !walk.advance(node, means(meaning::WHOLE)) {
            break;
        }
    }
    Ok((gathered.drafts, counted))
}

/// The drafts gathered so far.
struct DraftCollector<'t, 'p> {
    parsed: &'t ParsedFile,
    plan: &'p ExtractionPlan,
    drafts: Vec<ElementDraft<'t>>,
    /// The number of the last pattern that matched each draft.
    patterns: Vec<usize>,
    /// Indexes of drafts by the node ids of definition and name.
    known: BTreeMap<(usize, usize), usize>,
}

impl<'t> DraftCollector<'t, '_> {
    /// Adds a function that is not an element: a draft that is dropped later, but is the parent of its declarations
    /// until then.
    fn scope(&mut self, node: Node<'t>, is_open: bool) {
        // A separate key: an element without a name may belong to the same node.
        let at = *self.known.entry((node.id(), usize::MAX)).or_insert_with(|| {
            self.drafts.push(ElementDraft::scope(self.parsed, node));
            self.patterns.push(usize::MAX);
            self.drafts.len() - 1
        });
        if is_open {
            self.drafts[at].set_kind(ElementKind::Namespace);
        }
    }

    fn take(&mut self, pattern: usize, found: &[Captured<'t>]) {
        let role = |captured: &Captured<'_>| &self.plan.roles[captured.capture];
        let mut definition = None;
        let (mut name, mut outer, mut inner) = (None, None, None);
        for captured in found {
            match role(captured) {
                CaptureRole::Definition(kind, modifier) => definition = Some((captured.node, *kind, modifier)),
                CaptureRole::Name => name = Some(captured.node),
                CaptureRole::Outer => outer = Some(captured.node),
                CaptureRole::Inner => inner = Some(captured.node),
                CaptureRole::Scope(is_open) => return self.scope(captured.node, *is_open),
                CaptureRole::Part(_) | CaptureRole::Helper => {}
            }
        }
        let Some((node, kind, modifier)) = definition else {
            return;
        };
        let key = (node.id(), name.map_or(0, |name: Node<'_>| name.id()));
        let at = *self.known.entry(key).or_insert_with(|| {
            self.drafts.push(ElementDraft::new(self.parsed, node, kind, name));
            self.patterns.push(pattern);
            self.drafts.len() - 1
        });
        let draft = &mut self.drafts[at];
        if pattern > self.patterns[at] {
            self.patterns[at] = pattern;
            draft.set_kind(kind);
        }
        if let Some(modifier) = modifier {
            draft.add_modifier(modifier);
        }
        if let Some(outer) = outer {
            draft.widen(self.parsed, outer);
        }
        if let Some(inner) = inner {
            draft.set_inner(inner);
        }
        for captured in found {
            if let CaptureRole::Part(part) = role(captured)
                && !draft.parts.contains(&(*part, captured.node))
            {
                draft.parts.push((*part, captured.node));
            }
        }
    }
}
