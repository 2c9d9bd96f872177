//! Refines Markdown elements beyond the blocks: the range of a heading's section, the content of blocks, links and
//! images in text.
//!
//! A heading's section reaches to the next heading of its level or above. Headings in quotes and lists cover only
//! themselves. Text in blocks is parsed with the inline grammar, one paragraph at a time.

use std::ops::Range;

use tree_sitter::Node;

use crate::{
    elements::{CodeElement, ElementDetail, ElementKind},
    extract::{ElementDraft, assign_parents},
    languages::{by_name, by_tag},
    parse::{EmbeddedRange, ParsedFile, WalkStep, one_line, parse_text, walk},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let (quotes, lists) = quote_and_list_ranges(parsed);
    for draft in drafts.iter_mut() {
        match draft.element.kind {
            ElementKind::Heading => heading(parsed, draft),
            ElementKind::CodeBlock => code_block(parsed, draft),
            ElementKind::List => {
                draft.keep = !is_within(&lists, draft.node);
                list(parsed, draft);
            }
            ElementKind::Table => table(parsed, draft),
            ElementKind::Link => reference(parsed, draft),
            ElementKind::FrontMatter => {
                "front matter".clone_into(&mut draft.element.name);
                draft.element.detail = info(front_matter_keys(parsed.text(draft.node)));
            }
            _ => {}
        }
    }
    drafts.retain(|draft| draft.keep);
    widen_headings(parsed, drafts, |node| is_within(&quotes, node) || is_within(&lists, node));
    links(parsed, drafts);
    assign_parents(drafts);
}

/// Returns the outermost quotes and lists, in the order of the text. Asking each node for its parents would search from
/// the root every time.
fn quote_and_list_ranges(parsed: &ParsedFile) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut quotes, mut lists): (Vec<Range<usize>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    // A cancelled walk ends early; the extraction reports that as an error.
    let _ = walk(parsed.tree.root_node(), &parsed.cancel, |node| {
        let ranges = match node.kind() {
            "block_quote" => &mut quotes,
            "list" => &mut lists,
            _ => return WalkStep::Into,
        };
        if ranges.last().is_none_or(|last| last.end <= node.start_byte()) {
            ranges.push(node.byte_range());
        }
        WalkStep::Into
    });
    (quotes, lists)
}

/// True if a node is inside one of the ranges and is not that range itself.
fn is_within(ranges: &[Range<usize>], node: Node<'_>) -> bool {
    let after = ranges.partition_point(|range| range.start <= node.start_byte());
    after
        .checked_sub(1)
        .and_then(|at| ranges.get(at))
        .is_some_and(|range| node.end_byte() <= range.end && *range != node.byte_range())
}

const fn info(info: String) -> ElementDetail {
    ElementDetail::Block { info }
}

fn heading(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut level = 1;
    let mut cursor = draft.node.walk();
    for child in draft.node.children(&mut cursor) {
        let digit = child
            .kind()
            .strip_prefix("atx_h")
            .or_else(|| child.kind().strip_prefix("setext_h"))
            .and_then(|rest| rest.chars().next()?.to_digit(10));
        if let Some(digit) = digit {
            level = u8::try_from(digit).unwrap_or(1);
        }
    }
    draft.element.detail = ElementDetail::Heading { level };
    if draft.node.child_by_field_name("heading_content").is_none() {
        draft.element.name.clear();
    }
    let bare = draft.element.name.trim_end_matches('#').trim_end();
    draft.element.name = bare.trim_matches(['*', '_', '`']).to_owned();
    draft.element.span = parsed.span(draft.node);
}

/// Widens each heading directly in the document to its whole section.
fn widen_headings(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], is_nested: impl Fn(Node<'_>) -> bool) {
    let end_of_text = parsed.source.text.len();
    // Ends of sections by level. A heading closes those of its level and below, so one pass from the end is enough.
    let mut next_at = [end_of_text; 7];
    for draft in drafts.iter_mut().rev() {
        let ElementDetail::Heading { level } = draft.element.detail else {
            continue;
        };
        if is_nested(draft.node) {
            continue;
        }
        let start = draft.node.start_byte();
        let end = next_at[..=usize::from(level.min(6))].iter().copied().min().unwrap_or(end_of_text);
        next_at[usize::from(level.min(6))] = start;
        draft.element.span = parsed.lines.span(&parsed.source.text, start, end.max(draft.node.end_byte()));
    }
}

fn code_block(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut cursor = node.walk();
    let (mut language, mut first) = (String::new(), None);
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "info_string" => language = one_line(parsed.text(child), 60),
            "code_fence_content" => first = parsed.text(child).lines().find(|line| !line.trim().is_empty()),
            _ => {}
        }
    }
    if node.kind() == "indented_code_block" {
        first = parsed.text(node).lines().find(|line| !line.trim().is_empty());
    }
    draft.element.name = one_line(first.unwrap_or_default(), 80);
    draft.element.detail = info(language);
}

fn list(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let first = draft.node.named_child(0);
    let marker = first.and_then(|item| item.named_child(0));
    let is_ordered =
        marker.is_some_and(|marker| marker.kind().contains("dot") || marker.kind().contains("parenthesis"));
    let kind = if is_ordered { "ordered" } else { "unordered" };
    draft.element.name = first.map_or_else(String::new, |item| {
        let text = parsed.text(item).lines().next().unwrap_or_default();
        let is_marker = |c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '+' | '.' | ')' | ' ');
        one_line(text.trim_start_matches(is_marker), 80)
    });
    // The grammar includes the blank lines after a list in it.
    let end = draft.node.start_byte() + parsed.text(draft.node).trim_end().len();
    draft.element.span = parsed.lines.span(&parsed.source.text, draft.node.start_byte(), end);
    draft.element.detail = info(format!("{kind}, {} items", draft.node.named_child_count()));
}

fn table(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut cursor = draft.node.walk();
    let rows = draft.node.named_children(&mut cursor).filter(|child| child.kind() == "pipe_table_row").count();
    let header = draft.node.named_child(0).map_or("", |header| parsed.text(header));
    draft.element.name = one_line(header.trim().trim_matches('|'), 80);
    draft.element.detail = info(format!("{rows} rows"));
}

fn reference(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut cursor = draft.node.walk();
    let target = draft
        .node
        .named_children(&mut cursor)
        .find(|child| child.kind() == "link_destination")
        .map_or("", |child| parsed.text(child));
    draft.element.detail = info(target.to_owned());
    draft.element.name = draft.element.name.trim_matches(['[', ']']).to_owned();
}

/// Returns the keys at the beginning of lines: enough to show what a front matter contains.
fn front_matter_keys(text: &str) -> String {
    let keys: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with([' ', '-', '+', '#']))
        .filter_map(|line| line.split_once([':', '=']).map(|(key, _)| key.trim()))
        .collect();
    one_line(&keys.join(", "), 200)
}

/// Adds links and images within text.
fn links<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let grammar = tree_sitter_md::INLINE_LANGUAGE.into();
    let mut inlines = Vec::new();
    // An incomplete result of a cancelled walk does not matter: the extraction reports an error.
    let _ = walk(parsed.tree.root_node(), &parsed.cancel, |node| {
        if matches!(node.kind(), "inline" | "pipe_table_cell") {
            inlines.push(node);
            return WalkStep::Over;
        }
        WalkStep::Into
    });
    for inline in inlines {
        let text = parsed.text(inline);
        if !text.contains(['[', '<']) {
            continue;
        }
        let Ok(tree) = parse_text(&grammar, text, &parsed.cancel) else {
            return;
        };
        let _ = walk(tree.root_node(), &parsed.cancel, |node| {
            let kind = match node.kind() {
                "inline_link"
                | "full_reference_link"
                | "collapsed_reference_link"
                | "uri_autolink"
                | "email_autolink" => ElementKind::Link,
                "image" => ElementKind::Image,
                _ => return WalkStep::Into,
            };
            let part = |wanted: &str| {
                let mut cursor = node.walk();
                node.named_children(&mut cursor)
                    .find(|child| child.kind() == wanted)
                    .map_or("", |child| text.get(child.byte_range()).unwrap_or_default())
            };
            let whole = text.get(node.byte_range()).unwrap_or_default();
            let (name, target) = match (part("link_text"), part("link_destination")) {
                ("", "") => (whole.trim_matches(['<', '>']), whole.trim_matches(['<', '>'])),
                (name, "") => (name, part("link_label")),
                (name, target) => (name, target),
            };
            let name = if kind == ElementKind::Image { part("image_description") } else { name };
            let start = inline.start_byte() + node.start_byte();
            let end = inline.start_byte() + node.end_byte();
            drafts.push(ElementDraft::from_element(
                inline,
                CodeElement {
                    kind,
                    name: one_line(name, 80),
                    span: parsed.lines.span(&parsed.source.text, start, end),
                    parent: None,
                    nodes: [(start, end); 2],
                    detail: info(target.to_owned()),
                },
            ));
            // The text of a link may contain an image.
            WalkStep::Into
        });
    }
}

/// Returns the code blocks whose tag names a language, and the front matter.
pub(crate) fn embeds(parsed: &ParsedFile) -> Vec<EmbeddedRange> {
    let mut found = Vec::new();
    // A cancelled walk ends early; parsing its results then fails too.
    let _ = walk(parsed.tree.root_node(), &parsed.cancel, |node| {
        match node.kind() {
            "minus_metadata" => found.extend(front_matter(parsed, node, "yaml")),
            "plus_metadata" => found.extend(front_matter(parsed, node, "toml")),
            "fenced_code_block" => found.extend(fenced(parsed, node)),
            _ => return WalkStep::Into,
        }
        WalkStep::Over
    });
    found
}

/// Returns the text between the two delimiter lines of a front matter.
fn front_matter(parsed: &ParsedFile, node: Node<'_>, language: &str) -> Option<EmbeddedRange> {
    let text = parsed.text(node).trim_end();
    let (start, end) = (text.find('\n')? + 1, text.rfind('\n')? + 1);
    (start < end).then_some(())?;
    let inside = node.start_byte() + start..node.start_byte() + end;
    Some(EmbeddedRange { language: by_name(language).ok()?, host: node.start_byte(), pieces: vec![inside] })
}

fn fenced(parsed: &ParsedFile, node: Node<'_>) -> Option<EmbeddedRange> {
    let mut cursor = node.walk();
    let (mut tag, mut content) = ("", None);
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "info_string" => tag = parsed.text(child),
            "code_fence_content" => content = Some(child),
            _ => {}
        }
    }
    // `rust,ignore`, `{.python .numberLines}`, `js title="a.js"`
    let tag = tag.trim_start_matches(['{', '.', ' ']);
    let tag = tag.split([' ', ',', '{', '}', ':', ';', '\t']).next().unwrap_or_default();
    // An example of a document has headings, but not those of this document.
    let language = by_tag(tag).filter(|language| !tag.is_empty() && language.name != "markdown")?;
    let content = content?;
    // Quote markers and list indentation are within the block, but are not part of its lines.
    let mut pieces = Vec::new();
    let mut at = content.start_byte();
    let mut cursor = content.walk();
    for sign in content.named_children(&mut cursor).filter(|child| child.kind() == "block_continuation") {
        if at < sign.start_byte() {
            pieces.push(at..sign.start_byte());
        }
        at = sign.end_byte();
    }
    if at < content.end_byte() {
        pieces.push(at..content.end_byte());
    }
    Some(EmbeddedRange { language, host: node.start_byte(), pieces })
}
