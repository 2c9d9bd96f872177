//! Refines CSS elements beyond the syntax: the properties of a rule, their classes, and the at-rules around it.
//!
//! A rule has the class of most of its own properties, without those of nested rules. Values are as written.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, StyleFacts},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// The maximum length of a value, in characters; longer ones are data URLs and gradients.
const VALUE_CHARACTERS: usize = 120;

/// The class of properties that the language data does not classify.
const OTHER: &str = "other";

/// Names of at-rules, which are also their classes.
const AT_RULES: [&str; 14] = [
    "media",
    "supports",
    "keyframes",
    "font-face",
    "layer",
    "container",
    "scope",
    "page",
    "charset",
    "namespace",
    "property",
    "starting-style",
    "counter-style",
    "view-transition",
];

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    for at in 0..drafts.len() {
        let node = drafts[at].node;
        match drafts[at].element.kind {
            ElementKind::Rule => {
                let properties = properties(parsed, node);
                let style = StyleFacts {
                    selector: drafts[at].element.name.clone(),
                    property_class: dominant(&properties),
                    properties,
                    media: around(drafts, at),
                };
                drafts[at].element.detail = ElementDetail::Style(Box::new(style));
            }
            ElementKind::AtRule => {
                let header = header(parsed, node);
                let keyword = header.trim_start_matches('@').split([' ', '(']).next().unwrap_or_default();
                let bare =
                    keyword.rsplit_once('-').filter(|_| keyword.starts_with('-')).map_or(keyword, |(_, bare)| bare);
                let class = AT_RULES.into_iter().find(|known| *known == bare).unwrap_or("at_rule");
                let style = StyleFacts {
                    selector: header.clone(),
                    property_class: class.into(),
                    properties: properties(parsed, node),
                    media: around(drafts, at),
                };
                drafts[at].element.name = header;
                drafts[at].element.detail = ElementDetail::Style(Box::new(style));
            }
            ElementKind::Property => {
                let style = StyleFacts {
                    selector: drafts[at].element.name.clone(),
                    property_class: "variables".into(),
                    properties: property(parsed, node).into_iter().collect(),
                    media: around(drafts, at),
                };
                drafts[at].element.detail = ElementDetail::Style(Box::new(style));
            }
            ElementKind::Import => import(parsed, &mut drafts[at]),
            _ => {}
        }
    }
}

/// Returns the at-rules around a draft, outermost first.
fn around(drafts: &[ElementDraft<'_>], at: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut parent = drafts[at].element.parent;
    while let Some(index) = parent {
        let element = &drafts[index].element;
        if element.kind == ElementKind::AtRule {
            found.push(element.name.clone());
        }
        parent = element.parent;
    }
    found.reverse();
    found
}

/// Returns the text before the block or the semicolon.
fn header(parsed: &ParsedFile, node: Node<'_>) -> String {
    let mut cursor = node.walk();
    let end = node
        .named_children(&mut cursor)
        .find(|child| matches!(child.kind(), "block" | "keyframe_block_list"))
        .map_or(node.end_byte(), |block| block.start_byte());
    let text = parsed.source.text.get(node.start_byte()..end).unwrap_or_default();
    one_line(text.trim_end_matches([';', ' ']), 200)
}

fn properties(parsed: &ParsedFile, node: Node<'_>) -> Vec<(String, String, Cow<'static, str>)> {
    let mut cursor = node.walk();
    let Some(block) = node.named_children(&mut cursor).find(|child| child.kind() == "block") else {
        return Vec::new();
    };
    let mut cursor = block.walk();
    block
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "declaration")
        .filter_map(|child| property(parsed, child))
        .collect()
}

fn property(parsed: &ParsedFile, declaration: Node<'_>) -> Option<(String, String, Cow<'static, str>)> {
    let (name, value) = parsed.text(declaration).split_once(':')?;
    let name = name.trim();
    // Names of custom properties are case-sensitive; all other names are not.
    let name = if name.starts_with("--") { name.to_owned() } else { name.to_ascii_lowercase() };
    let unprefixed =
        ["-webkit-", "-moz-", "-ms-", "-o-"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    let class = parsed.source.language.facts.class_of(unprefixed).unwrap_or(OTHER);
    let value = one_line(value.trim().trim_end_matches(';'), VALUE_CHARACTERS);
    Some((name, value, class.into()))
}

fn dominant(properties: &[(String, String, Cow<'static, str>)]) -> Cow<'static, str> {
    let count = |class: &str| properties.iter().filter(|(_, _, known)| known == class).count();
    let mut best = (&Cow::Borrowed("other"), 0);
    for (_, _, class) in properties {
        let found = count(class);
        if found > best.1 {
            best = (class, found);
        }
    }
    best.0.clone()
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let text = header(parsed, draft.node);
    let rest = text.trim_start_matches("@import").trim();
    let rest = rest.strip_prefix("url(").unwrap_or(rest);
    let (module, condition) = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
        _ => rest.split_once([')', ' ']).unwrap_or((rest, "")),
    };
    let condition = condition.trim_start_matches(')').trim();
    module.clone_into(&mut draft.element.name);
    draft.element.detail = ElementDetail::Import(Box::new(ImportFacts {
        module: module.to_owned(),
        names: Vec::<ImportName>::new(),
        modifiers: if condition.is_empty() { Vec::new() } else { vec![condition.to_owned()] },
    }));
}
