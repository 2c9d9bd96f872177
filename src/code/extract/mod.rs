//! Extraction of elements from a syntax tree: one walk tries the patterns of the language's `elements.scm`, then the
//! parts that its facts name are read.
//!
//! The capture names are the contract: `@class`, `@function`, `@variable`, `@import`, `@comment` and so on (every
//! [`ElementKind`]) mark a definition; a suffix (`@function.lambda`) adds a modifier; `@name`, `@params`, `@type_name`,
//! `@value`, `@decorator` and `@modifier` mark its parts; `@outer` marks an enclosing node whose range the element
//! takes, `@inner` a nested one (an arrow function) that has parts of its own; `@scope` marks a function that is not an
//! element although its declarations are local, `@scope.open` one that runs in place, so that its declarations are not
//! local; `@_x` only serves predicates. Matches of one node with one name are one element, whose kind is that of the
//! last pattern. The module contains no rules for particular languages.

mod classify;
mod documentation;
mod draft;
mod landmarks;
mod matches;
mod nesting;
mod parts;
mod pattern_reader;
mod patterns;
mod plan;
mod walk;

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;

use crate::{
    complexity,
    elements::{CodeElement, ElementKind, ElementList},
    errors::structure::StructureError,
    parse::ParsedFile,
};

use classify::classify;
use documentation::{docstring, document, file_doc};
pub(crate) use documentation::{inner_doc, strip_comment_markers};
pub(crate) use draft::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS};
use matches::collect_matches;
pub(crate) use nesting::assign_parents;
use nesting::{drop_locals, finish_elements, in_order};
pub(crate) use parts::{last_name, params_text};
pub(crate) use plan::ExtractionPlan;

pub fn extract(parsed: &ParsedFile, cancel: &CancellationToken) -> Result<ElementList, StructureError> {
    let language = parsed.source.language;
    let plan = language.plan();
    let (mut drafts, counted) = collect_matches(parsed, plan, cancel)?;
    for draft in &mut drafts {
        draft.read_parts(parsed, plan);
    }
    assign_parents(&mut drafts);
    classify(&mut drafts, &language.facts);
    document(parsed, &mut drafts, &language.facts);
    (language.refine)(parsed, &mut drafts);
    if cancel.is_cancelled() {
        return Err(StructureError::Cancelled);
    }
    complexity::measure(&counted, &mut drafts);
    drop_locals(&mut drafts);
    let doc = if language.facts.docstrings {
        docstring(parsed, parsed.tree.root_node())
    } else {
        file_doc(parsed, &drafts, &language.facts)
    };
    let mut list = finish_elements(drafts);
    attach_embedded(parsed, &mut list, cancel)?;
    Ok(ElementList { list, doc })
}

/// Adds the elements of embedded texts in other languages. They become children of their tag or front matter; those of
/// a code block become children of the section around it, because a block's name is its first line.
fn attach_embedded(
    parsed: &ParsedFile,
    list: &mut Vec<CodeElement>,
    cancel: &CancellationToken,
) -> Result<(), StructureError> {
    if parsed.embedded.is_empty() {
        return Ok(());
    }
    let hosts: HashMap<usize, usize> = list
        .iter()
        .enumerate()
        .filter(|(_, element)| {
            matches!(element.kind, ElementKind::Markup | ElementKind::CodeBlock | ElementKind::FrontMatter)
        })
        .map(|(at, element)| (element.span.start_byte, at))
        .collect();
    for embedded in &parsed.embedded {
        let host = hosts.get(&embedded.host).copied();
        let around = host.and_then(|at| match list[at].kind {
            ElementKind::CodeBlock => list[at].parent,
            _ => Some(at),
        });
        let base = list.len();
        for mut element in extract(&embedded.parsed, cancel)?.list {
            element.parent = element.parent.map_or(around, |parent| Some(base + parent));
            let span = element.span;
            let (start, end) = (embedded.file_start(span.start_byte), embedded.file_end(span.end_byte));
            element.span = parsed.lines.span(&parsed.source.text, start, end.max(start));
            list.push(element);
        }
    }
    in_order(list);
    Ok(())
}
