//! Running a language's query over a tree, and one draft for all matches of a definition.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator as _};

use super::{
    draft::ElementDraft,
    plan::{CaptureRole, ExtractionPlan},
};
use crate::{
    elements::ElementKind,
    errors::structure::StructureError,
    parse::{ParsedFile, WalkStep, stop_if, walk},
};

/// Runs the query and groups its matches by node and name.
pub(super) fn collect_matches<'t>(
    parsed: &'t ParsedFile,
    plan: &ExtractionPlan,
    cancel: &CancellationToken,
) -> Result<Vec<ElementDraft<'t>>, StructureError> {
    let mut gathered = DraftCollector {
        parsed,
        plan,
        drafts: Vec::new(),
        patterns: Vec::new(),
        known: HashMap::new(),
    };
    let (root, text) = (parsed.tree.root_node(), parsed.source.text.as_bytes());
    let mut cursor = QueryCursor::new();
    if let Some(starts) = &plan.starts {
        // Depth 0: only matches that begin at this very node.
        cursor.set_max_start_depth(Some(0));
        let mut body_end = 0;
        walk(root, cancel, |node| {
            let kind = usize::from(node.kind_id());
            if plan.bodies.get(kind).copied().unwrap_or(false) {
                body_end = body_end.max(node.end_byte());
            }
            let is_local = plan.locals.get(kind).copied().unwrap_or(false) && node.start_byte() < body_end;
            if !is_local && starts.get(kind).copied().unwrap_or(true) {
                let mut matches = cursor.matches(&plan.query, node, text);
                while let Some(found) = matches.next() {
                    gathered.take(found);
                }
            }
            WalkStep::Into
        })?;
        return Ok(gathered.drafts);
    }
    let mut poll = |_: &tree_sitter::QueryCursorState| stop_if(cancel);
    let options = QueryCursorOptions::new().progress_callback(&mut poll);
    let mut matches = cursor.matches_with_options(&plan.query, root, text, options);
    while let Some(found) = matches.next() {
        gathered.take(found);
    }
    drop(matches);
    if cancel.is_cancelled() {
        return Err(StructureError::Cancelled);
    }
    Ok(gathered.drafts)
}

/// The drafts gathered so far.
struct DraftCollector<'t, 'p> {
    parsed: &'t ParsedFile,
    plan: &'p ExtractionPlan,
    drafts: Vec<ElementDraft<'t>>,
    /// The number of the last pattern that matched each draft.
    patterns: Vec<usize>,
    /// Indexes of drafts by the node ids of definition and name.
    known: HashMap<(usize, usize), usize>,
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

    fn take(&mut self, found: &QueryMatch<'_, 't>) {
        let role = |index: u32| &self.plan.roles[index as usize];
        let mut definition = None;
        let (mut name, mut outer, mut inner) = (None, None, None);
        for capture in found.captures() {
            match role(capture.index) {
                CaptureRole::Definition(kind, modifier) => definition = Some((capture.node, *kind, modifier)),
                CaptureRole::Name => name = Some(capture.node),
                CaptureRole::Outer => outer = Some(capture.node),
                CaptureRole::Inner => inner = Some(capture.node),
                CaptureRole::Scope(is_open) => return self.scope(capture.node, *is_open),
                CaptureRole::Part(_) | CaptureRole::Helper => {}
            }
        }
        let Some((node, kind, modifier)) = definition else {
            return;
        };
        let key = (node.id(), name.map_or(0, |name: Node<'_>| name.id()));
        let at = *self.known.entry(key).or_insert_with(|| {
            self.drafts.push(ElementDraft::new(self.parsed, node, kind, name));
            self.patterns.push(found.pattern_index);
            self.drafts.len() - 1
        });
        let draft = &mut self.drafts[at];
        if found.pattern_index > self.patterns[at] {
            self.patterns[at] = found.pattern_index;
            draft.set_kind(kind);
        }
        if let Some(modifier) = modifier {
            draft.add_modifier(modifier);
        }
        if let Some(outer) = outer {
            draft.widen(self.parsed, outer);
        }
        if let Some(inner) = inner {
            draft.inner = Some(inner);
            draft.element.nodes[1] = (inner.start_byte(), inner.end_byte());
            draft.add_holder(inner);
        }
        for capture in found.captures() {
            if let CaptureRole::Part(part) = role(capture.index)
                && !draft.parts.contains(&(*part, capture.node))
            {
                draft.parts.push((*part, capture.node));
            }
        }
    }
}
