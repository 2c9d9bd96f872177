//! Which draft lies in which: parents, declarations that are dropped, and the order of the elements.

use std::cmp::Reverse;

use super::draft::ElementDraft;
use crate::elements::{CodeElement, ElementKind, SourceSpan};

/// Sorts drafts by position and sets the parent of each to the innermost container around it.
pub(crate) fn assign_parents(drafts: &mut [ElementDraft<'_>]) {
    drafts.sort_by(|one, other| {
        let (before, after) = (&one.element, &other.element);
        let by_span = before.span.start_byte.cmp(&after.span.start_byte);
        by_span
            .then_with(|| after.span.end_byte.cmp(&before.span.end_byte))
            .then_with(|| after.kind.is_container().cmp(&before.kind.is_container()))
            .then_with(|| one.node.start_byte().cmp(&other.node.start_byte()))
    });
    let mut open: Vec<(usize, SourceSpan)> = Vec::new();
    for (at, draft) in drafts.iter_mut().enumerate() {
        let span = draft.element.span;
        // Of two at the same position (`a, b = 1, 2`), neither contains the other; a following draft belongs to the
        // last of them that can contain it (`typedef struct a { int b; } c`).
        let is_container = draft.element.kind.is_container();
        while open.last().is_some_and(|(_, outer)| !outer.contains(&span) || (is_container && *outer == span)) {
            open.pop();
        }
        draft.element.parent = open.iter().rev().find(|(_, outer)| *outer != span).map(|(parent, _)| *parent);
        if is_container {
            open.push((at, span));
        }
    }
}

/// Drops variables inside functions, and those in their values: they are not part of a file's structure.
pub(super) fn drop_locals(drafts: &mut [ElementDraft<'_>]) {
    for at in 0..drafts.len() {
        if !matches!(drafts[at].element.kind, ElementKind::Variable | ElementKind::Constant) {
            continue;
        }
        let mut around = drafts[at].element.parent;
        // A dropped draft does not count, unless it is a function: its own parent counts instead.
        let says_nothing = |draft: &ElementDraft<'_>| !draft.keep && !draft.element.kind.is_callable();
        while let Some(parent) = around.filter(|parent| says_nothing(&drafts[*parent])) {
            around = drafts[parent].element.parent;
        }
        if around.is_some_and(|parent| drafts[parent].element.kind.is_callable()) {
            drafts[at].keep = false;
        }
    }
}

/// Returns the kept elements in the order of the text, with renumbered parents.
pub(super) fn finish_elements(drafts: Vec<ElementDraft<'_>>) -> Vec<CodeElement> {
    // Children of a dropped draft belong to its nearest kept ancestor.
    let heir = |mut at: Option<usize>| {
        while let Some(index) = at.filter(|index| !drafts[*index].keep) {
            at = drafts[index].element.parent;
        }
        at
    };
    let parents: Vec<Option<usize>> = drafts.iter().map(|draft| heir(draft.element.parent)).collect();
    let mut order: Vec<usize> = (0..drafts.len()).filter(|at| drafts[*at].keep).collect();
    // Stable: the order of `assign_parents` stays, and drafts that refinements appended are sorted in.
    order.sort_by_key(|at| {
        let span = drafts[*at].element.span;
        (span.start_byte, Reverse(span.end_byte))
    });
    let mut places = vec![0; drafts.len()];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = place;
    }
    let kept = drafts.into_iter().zip(parents).filter(|(draft, _)| draft.keep);
    let mut elements: Vec<CodeElement> = kept
        .map(|(draft, parent)| CodeElement { parent: parent.map(|parent| places[parent]), ..draft.element })
        .collect();
    elements.sort_by_key(|element| (element.span.start_byte, Reverse(element.span.end_byte)));
    elements
}

/// Sorts elements by position and renumbers their parents. The sort is stable for elements at the same position.
pub(super) fn in_order(list: &mut Vec<CodeElement>) {
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|at| (list[*at].span.start_byte, Reverse(list[*at].span.end_byte)));
    let mut places = vec![0; list.len()];
    for (place, at) in order.iter().enumerate() {
        places[*at] = place;
    }
    let mut elements: Vec<Option<CodeElement>> = list.drain(..).map(Some).collect();
    list.extend(order.into_iter().filter_map(|at| {
        let mut element = elements[at].take()?;
        element.parent = element.parent.map(|parent| places[parent]);
        Some(element)
    }));
}
