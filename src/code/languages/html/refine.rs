//! Refines HTML elements beyond their tags: attributes, classes, depth, direct text, and embedded scripts and styles.
//!
//! Scripts and styles are parsed in their own language and become children of their tag. A tag is unclosed if the
//! standard requires an end tag that is missing; void tags have none.

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, MarkupFacts},
    extract::ElementDraft,
    languages::{Language, by_name},
    parse::{EmbeddedRange, ParsedFile, WalkStep, one_line, walk},
};

/// The class of tags that the language data does not classify: custom and unknown elements, which contain others.
const UNKNOWN_CLASS: &str = "structure";

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    for draft in drafts.iter_mut().filter(|draft| draft.element.kind == ElementKind::Markup) {
        end_with_content(parsed, draft);
    }
    for at in 0..drafts.len() {
        // An element that the grammar placed in an element that already ended belongs to the next enclosing one.
        let span = drafts[at].element.span;
        let mut around = drafts[at].element.parent;
        while let Some(parent) = around.filter(|parent| !drafts[*parent].element.span.contains(&span)) {
            around = drafts[parent].element.parent;
        }
        drafts[at].element.parent = around;
    }
    let mut depths = vec![0_usize; drafts.len()];
    let mut children = vec![0_usize; drafts.len()];
    for at in 0..drafts.len() {
        if drafts[at].element.kind != ElementKind::Markup {
            continue;
        }
        if let Some(parent) = drafts[at].element.parent {
            // Parents precede their children, so the parent's depth is already known.
            depths[at] = depths[parent] + 1;
            children[parent] += 1;
        }
    }
    for at in 0..drafts.len() {
        if drafts[at].element.kind == ElementKind::Markup {
            let markup = MarkupFacts { depth: depths[at], children: children[at], ..tag(parsed, drafts[at].node) };
            drafts[at].element.name.clone_from(&markup.tag);
            drafts[at].element.detail = ElementDetail::Markup(Box::new(markup));
        }
    }
}

/// Ends an element where its content ends. Without an end tag, the grammar includes what follows up to the next tag:
/// white space, and after a void tag the text of the enclosing element.
fn end_with_content(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let end = match node.child(0) {
        Some(start) if is_void(parsed, node) => start.end_byte(),
        _ => node.start_byte() + parsed.text(node).trim_end().len(),
    };
    draft.element.span = parsed.lines.span(&parsed.source.text, node.start_byte(), end);
}

fn is_void(parsed: &ParsedFile, node: Node<'_>) -> bool {
    let name = node.child(0).and_then(|tag| tag.named_child(0));
    name.is_some_and(|name| {
        let tag = parsed.text(name).to_ascii_lowercase();
        parsed.source.language.facts.void_tags.contains(&tag)
    })
}

fn push_text(parsed: &ParsedFile, node: Node<'_>, text: &mut String) {
    // The limit is far above the displayed length, so the cut is never visible.
    if text.len() < 400 {
        text.push_str(parsed.text(node));
        text.push(' ');
    }
}

fn tag(parsed: &ParsedFile, node: Node<'_>) -> MarkupFacts {
    let facts = &parsed.source.language.facts;
    let mut markup = MarkupFacts::default();
    let (mut has_end, mut closes_itself) = (false, false);
    let mut text = String::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "start_tag" | "self_closing_tag" => {
                closes_itself = child.kind() == "self_closing_tag";
                let mut inner = child.walk();
                for part in child.named_children(&mut inner) {
                    match part.kind() {
                        "tag_name" => markup.tag = parsed.text(part).to_ascii_lowercase(),
                        "attribute" => markup.attributes.push(attribute(parsed, part)),
                        _ => {}
                    }
                }
            }
            // A missing end tag is one that the parser inserted.
            "end_tag" => has_end = !child.is_missing() && child.start_byte() < child.end_byte(),
            "text" | "entity" if !is_void(parsed, node) => push_text(parsed, child, &mut text),
            "element" if is_void(parsed, child) => {
                let mut inner = child.walk();
                for part in child.named_children(&mut inner).filter(|part| matches!(part.kind(), "text" | "entity")) {
                    push_text(parsed, part, &mut text);
                }
            }
            _ => {}
        }
    }
    if node.kind() == "doctype" {
        "!doctype".clone_into(&mut markup.tag);
        closes_itself = true;
    }
    let is = |names: &[String]| names.contains(&markup.tag);
    markup.is_unclosed = !has_end && !closes_itself && !is(&facts.void_tags) && !is(&facts.optional_ends);
    markup.text = one_line(&text, 80);
    markup.element_class = facts.class_of(&markup.tag).unwrap_or(UNKNOWN_CLASS).into();
    markup
}

fn attribute(parsed: &ParsedFile, node: Node<'_>) -> (String, String) {
    let mut cursor = node.walk();
    let (mut name, mut value) = (String::new(), String::new());
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "attribute_name" => name = parsed.text(part).to_ascii_lowercase(),
            _ => value = one_line(parsed.text(part).trim_matches(['"', '\'']), 200),
        }
    }
    (name, value)
}

/// Returns the embedded scripts and styles with the language that their tags declare.
pub(crate) fn embeds(parsed: &ParsedFile) -> Vec<EmbeddedRange> {
    let mut found = Vec::new();
    // A cancelled walk ends early; parsing its results then fails too.
    let _ = walk(parsed.tree.root_node(), &parsed.cancel, |node| {
        if !matches!(node.kind(), "script_element" | "style_element") {
            return WalkStep::Into;
        }
        let mut cursor = node.walk();
        let raw = node.children(&mut cursor).find(|child| child.kind() == "raw_text");
        if let (Some(raw), Some(language)) = (raw, language_of(parsed, node)) {
            found.push(EmbeddedRange { language, host: node.start_byte(), pieces: vec![raw.byte_range()] });
        }
        WalkStep::Over
    });
    found
}

/// Returns the language of a script or style, or `None` for templates, shaders and data of an unknown type.
fn language_of(parsed: &ParsedFile, node: Node<'_>) -> Option<&'static Language> {
    let start = node.child(0)?;
    let mut cursor = start.walk();
    let attributes: Vec<(String, String)> = start
        .named_children(&mut cursor)
        .filter(|part| part.kind() == "attribute")
        .map(|part| attribute(parsed, part))
        .collect();
    let of = |wanted: &str| {
        let found = attributes.iter().find(|(name, _)| name == wanted);
        found.map_or(String::new(), |(_, value)| value.to_ascii_lowercase())
    };
    let (kind, lang) = (of("type"), of("lang"));
    // `application/json; charset=utf-8`
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let name = match (node.kind(), kind, lang.as_str()) {
        ("script_element", "text/typescript", _) | ("script_element", _, "ts" | "typescript") => "typescript",
        ("script_element", _, "tsx") => "tsx",
        (
            "script_element",
            ""
            | "module"
            | "text/javascript"
            | "application/javascript"
            | "text/ecmascript"
            | "text/jsx"
            | "text/babel",
            _,
        ) => "javascript",
        ("script_element", "application/json" | "text/json" | "importmap" | "speculationrules", _) => "json",
        ("script_element", other, _) if other.ends_with("+json") => "json",
        ("script_element", "text/yaml" | "application/yaml" | "text/x-yaml", _) => "yaml",
        ("style_element", "" | "text/css", "" | "css") => "css",
        _ => return None,
    };
    by_name(name).ok()
}
