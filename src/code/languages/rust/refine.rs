//! Refines Rust elements beyond the syntax: attributes and documentation before an item, visibility, names in `use`,
//! the type of an `impl`.
//!
//! An item begins with its first attribute; doc comments also remain elements of their own. Macros are not expanded,
//! names not resolved.

use tree_sitter::Node;

use crate::{
    elements::{DefinitionFacts, ElementDetail, ElementKind, ImportFacts, ImportName, Param, ParamKind, Visibility},
    extract::{ElementDraft, inner_doc, params_text, strip_comment_markers},
    parse::{ParsedFile, one_line},
};

/// The maximum length of an attribute or type, in characters.
const TEXT_CHARACTERS: usize = 200;

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let text = parsed.source.text.as_str();
    // The comments and attributes directly before the next draft.
    let mut before: Vec<usize> = Vec::new();
    for at in 0..drafts.len() {
        let start = drafts[at].element.span.start_byte;
        if let Some(last) = before.last() {
            match text.get(drafts[*last].element.span.end_byte..start) {
                // The grammar does not support `safe`, which foreign functions can have.
                Some(between) if matches!(between.trim(), "" | "safe") => {}
                Some(_) => before.clear(),
                // A comment within an attribute.
                None => continue,
            }
        }
        match drafts[at].element.kind {
            ElementKind::Annotation => {
                drafts[at].keep = false;
                before.push(at);
            }
            ElementKind::Comment => match inner_doc(parsed, &drafts[at], &parsed.source.language.facts) {
                Some(doc) => {
                    if let Some(parent) = drafts[at].element.parent
                        && let Some(code) = drafts[parent].code()
                    {
                        add_doc(code, &doc);
                    }
                }
                None => before.push(at),
            },
            _ => {
                let attributes = attach_leading(parsed, drafts, at, &std::mem::take(&mut before));
                refine_item(parsed, drafts, at, &attributes);
            }
        }
    }
}

/// Adds the comments and attributes before an item to it. Returns the attributes without their brackets.
fn attach_leading(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize, before: &[usize]) -> Vec<String> {
    let mut attributes = Vec::new();
    let mut docs = Vec::new();
    let mut start = None;
    for other in before {
        let written = parsed.text(drafts[*other].node);
        if drafts[*other].element.kind == ElementKind::Comment {
            if is_outer_doc(written) {
                docs.push(strip_comment_markers(written));
            }
            continue;
        }
        start = start.or(Some(drafts[*other].element.span.start_byte));
        if let Some(doc) = documentation(parsed, drafts[*other].node) {
            docs.push(doc);
        } else if let Some((_, inside)) = written.split_once('[') {
            attributes.push(one_line(inside.strip_suffix(']').unwrap_or(inside), TEXT_CHARACTERS));
        }
    }
    let draft = &mut drafts[at];
    if let Some(start) = start {
        let end = draft.element.span.end_byte;
        draft.element.span = parsed.lines.span(&parsed.source.text, start, end);
    }
    if let Some(code) = draft.code() {
        for doc in docs {
            add_doc(code, &doc);
        }
        code.decorators.clone_from(&attributes);
    }
    attributes
}

/// True for an outer doc comment. `////` and `/***` are plain comments, and so is the empty `/**/`.
fn is_outer_doc(comment: &str) -> bool {
    let is_line = comment.starts_with("///") && !comment.starts_with("////");
    let is_block = comment.starts_with("/**") && !comment.starts_with("/***") && comment.len() > "/**/".len();
    is_line || is_block
}

/// Returns the text of `#[doc = "..."]`.
fn documentation(parsed: &ParsedFile, attribute_item: Node<'_>) -> Option<String> {
    let attribute = attribute_item.named_child(0)?;
    let value = attribute.child_by_field_name("value")?;
    let path = attribute.named_child(0)?;
    let is_string = matches!(value.kind(), "string_literal" | "raw_string_literal");
    if parsed.text(path) != "doc" || !is_string {
        return None;
    }
    let quoted = parsed.text(value).trim_start_matches('r').trim_matches('#');
    let bare = quoted.trim_start_matches('"').trim_end_matches('"');
    Some(bare.replace("\\\"", "\"").replace("\\n", "\n").trim().to_owned())
}

fn add_doc(code: &mut DefinitionFacts, doc: &str) {
    match &mut code.doc {
        Some(known) => {
            known.push('\n');
            known.push_str(doc);
        }
        None if doc.is_empty() => {}
        None => code.doc = Some(doc.to_owned()),
    }
}

fn refine_item(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize, attributes: &[String]) {
    let parent = drafts[at].element.parent;
    let inherited = parent.and_then(|parent| inherited_visibility(&drafts[parent]));
    let in_trait = parent.is_some_and(|parent| drafts[parent].element.kind == ElementKind::Trait);
    let draft = &mut drafts[at];
    let (node, body, kind) = (draft.node, draft.body, draft.element.kind);
    if kind == ElementKind::Import {
        refine_import(parsed, draft, attributes);
        return;
    }
    if kind == ElementKind::Impl {
        draft.element.name = self_type(parsed, node);
    }
    let meanings = &parsed.source.language.facts.decorators;
    let Some(code) = draft.code() else { return };
    for attribute in attributes {
        if let Some(meaning) = meanings.get(last_segment(attribute)) {
            code.add_modifier(meaning);
        }
        if is_for_tests(attribute) {
            code.add_modifier("test");
        }
    }
    set_visibility(code, inherited);
    match kind {
        ElementKind::Constant => code.modifiers.retain(|modifier| modifier != "const"),
        ElementKind::Macro if attributes.iter().any(|found| last_segment(found) == "macro_export") => {
            code.visibility = Visibility::Public;
            code.is_exported = true;
        }
        ElementKind::Type => {
            code.type_name = node
                .child_by_field_name("bounds")
                .map(|bounds| one_line(parsed.text(bounds).trim_start_matches(':'), TEXT_CHARACTERS));
        }
        ElementKind::Trait => code.extends = super_traits(parsed, node),
        ElementKind::Impl => {
            code.visibility = Visibility::Public;
            code.implements = implemented_trait(parsed, node).into_iter().collect();
        }
        ElementKind::Struct | ElementKind::EnumMember => {
            if let Some(body) = body.filter(|body| body.kind() == "ordered_field_declaration_list") {
                code.params = tuple_fields(parsed, body);
                code.params_text = params_text(parsed, body);
            }
        }
        ElementKind::Function | ElementKind::Method => {
            code.params.retain(|param| !param.text.starts_with('#'));
            for param in &mut code.params {
                if param.kind == ParamKind::Receiver {
                    "self".clone_into(&mut param.name);
                }
            }
            let has_receiver = code.params.iter().any(|param| param.kind == ParamKind::Receiver);
            code.is_static = kind == ElementKind::Method && !has_receiver;
            code.is_abstract = in_trait && body.is_none();
        }
        _ => {}
    }
}

/// Returns the visibility of members that cannot have their own: members of a trait are as visible as the trait, and so
/// are variants and their fields.
fn inherited_visibility(parent: &ElementDraft<'_>) -> Option<Visibility> {
    let code = parent.element.code()?;
    match parent.element.kind {
        ElementKind::Trait | ElementKind::Enum | ElementKind::EnumMember => Some(code.visibility),
        ElementKind::Impl if !code.implements.is_empty() => Some(Visibility::Public),
        _ => None,
    }
}

/// Sets the visibility from `pub` and its restriction, and removes a plain `pub` from the modifiers.
fn set_visibility(code: &mut DefinitionFacts, inherited: Option<Visibility>) {
    let written: Option<String> = code
        .modifiers
        .iter()
        .find(|modifier| modifier.starts_with("pub") || *modifier == "crate")
        .map(|modifier| modifier.split_whitespace().collect());
    code.is_exported = written.as_deref() == Some("pub");
    code.visibility = match written.as_deref() {
        Some("pub") => Visibility::Public,
        // `pub(in self)`, without its space.
        Some("pub(self)" | "pub(inself)") => Visibility::Private,
        Some(_) => Visibility::Package,
        None => inherited.unwrap_or(Visibility::Private),
    };
    code.modifiers.retain(|modifier| modifier != "pub");
}

/// Returns the last segment of an attribute's path, without arguments: `tokio::test(flavor = "x")` becomes `test`.
fn last_segment(attribute: &str) -> &str {
    let path = attribute.split(['(', '=', ' ', '[', '{']).next().unwrap_or(attribute);
    path.rsplit("::").next().unwrap_or(path)
}

fn is_for_tests(attribute: &str) -> bool {
    let bare: String = attribute.split_whitespace().collect();
    bare == "cfg(test)" || bare.starts_with("cfg(all(test,")
}

/// Returns the fields of a tuple, which have numbers for names.
fn tuple_fields(parsed: &ParsedFile, list: Node<'_>) -> Vec<Param> {
    let mut found: Vec<Param> = Vec::new();
    let mut visibility = "";
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        match child.kind() {
            "visibility_modifier" => visibility = parsed.text(child),
            "attribute_item" | "line_comment" | "block_comment" => {}
            _ => {
                let declared = one_line(parsed.text(child), TEXT_CHARACTERS);
                found.push(Param {
                    name: found.len().to_string(),
                    text: format!("{visibility} {declared}").trim_start().to_owned(),
                    type_name: Some(declared),
                    default: None,
                    kind: ParamKind::Field,
                });
                visibility = "";
            }
        }
    }
    found
}

/// Returns the super traits of a trait.
fn super_traits(parsed: &ParsedFile, node: Node<'_>) -> Vec<String> {
    let Some(bounds) = node.child_by_field_name("bounds") else {
        return Vec::new();
    };
    let mut cursor = bounds.walk();
    bounds
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .map(|child| one_line(parsed.text(child), TEXT_CHARACTERS))
        .collect()
}

/// Returns the trait of an `impl`, with a `!` if it is a negative one (`!Send`).
fn implemented_trait(parsed: &ParsedFile, node: Node<'_>) -> Option<String> {
    let name = node.child_by_field_name("trait")?;
    let is_denied = name.prev_sibling().is_some_and(|sibling| sibling.kind() == "!");
    let sign = if is_denied { "!" } else { "" };
    Some(format!("{sign}{}", one_line(parsed.text(name), TEXT_CHARACTERS)))
}

/// Returns the type of an `impl`, under the name that its methods are searched by: without references, generics and
/// path.
fn self_type(parsed: &ParsedFile, node: Node<'_>) -> String {
    let Some(mut declared) = node.child_by_field_name("type") else {
        return String::new();
    };
    loop {
        let inner = match declared.kind() {
            "reference_type" | "pointer_type" | "generic_type" => declared.child_by_field_name("type"),
            "scoped_type_identifier" => declared.child_by_field_name("name"),
            _ => None,
        };
        match inner {
            Some(inner) => declared = inner,
            None => return one_line(parsed.text(declared), TEXT_CHARACTERS),
        }
    }
}

fn refine_import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, attributes: &[String]) {
    let node = draft.node;
    let mut found = ImportFacts::default();
    if let Some(visibility) = node.named_child(0).filter(|child| child.kind() == "visibility_modifier") {
        found.modifiers.push("re-export".to_owned());
        let written = parsed.text(visibility);
        if written != "pub" {
            found.modifiers.push(written.to_owned());
        }
    }
    if node.kind() == "extern_crate_declaration" {
        found.modifiers.push("extern".to_owned());
        let text = |field| node.child_by_field_name(field).map(|name| parsed.text(name).to_owned());
        found.names.push(ImportName { name: text("name").unwrap_or_default(), alias: text("alias") });
    } else if let Some(argument) = node.child_by_field_name("argument") {
        read_use_paths(parsed, argument, &mut found);
    }
    let first = if found.module.is_empty() {
        found.names.first().map_or("", |name| name.name.as_str())
    } else {
        found.module.as_str()
    };
    if matches!(first.split("::").next(), Some("self" | "super")) {
        found.modifiers.push("relative".to_owned());
    }
    for attribute in attributes.iter().filter(|attribute| attribute.starts_with("cfg(")) {
        found.modifiers.push(attribute.clone());
    }
    draft.element.name = match found.names.as_slice() {
        [only] if !found.module.is_empty() => format!("{}::{}", found.module, only.name),
        names if found.module.is_empty() => {
            let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
            one_line(&names.join(", "), TEXT_CHARACTERS)
        }
        _ => found.module.clone(),
    };
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

/// Reads the names in a `use`: its groups are flattened, relative to the path before the outermost group.
fn read_use_paths(parsed: &ParsedFile, argument: Node<'_>, found: &mut ImportFacts) {
    let bare = |node: Node<'_>| -> String { parsed.text(node).split_whitespace().collect() };
    // Nested groups are kept on an explicit stack, because their depth is chosen by the source text.
    let mut open: Vec<(Node<'_>, String)> = vec![(argument, String::new())];
    if argument.kind() == "scoped_use_list" {
        found.module = argument.child_by_field_name("path").map(bare).unwrap_or_default();
        open = argument.child_by_field_name("list").map(|list| (list, String::new())).into_iter().collect();
    }
    while let Some((node, path)) = open.pop() {
        let joined = |name: &str| {
            if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") }
        };
        match node.kind() {
            "use_list" => {
                let mut cursor = node.walk();
                let mut inside: Vec<(Node<'_>, String)> = node
                    .named_children(&mut cursor)
                    .filter(|child| !child.is_extra())
                    .map(|child| (child, path.clone()))
                    .collect();
                inside.reverse();
                open.append(&mut inside);
            }
            "scoped_use_list" => {
                let around = node.child_by_field_name("path").map(bare).unwrap_or_default();
                if let Some(list) = node.child_by_field_name("list") {
                    open.push((list, joined(&around)));
                }
            }
            "use_as_clause" => found.names.push(ImportName {
                name: joined(&node.child_by_field_name("path").map(bare).unwrap_or_default()),
                alias: node.child_by_field_name("alias").map(bare),
            }),
            _ => found.names.push(ImportName { name: joined(&bare(node)), alias: None }),
        }
    }
    // `use a::b::C` names `C` of `a::b`.
    if !matches!(argument.kind(), "use_list" | "scoped_use_list")
        && let [only] = found.names.as_mut_slice()
        && let Some((module, name)) = only.name.rsplit_once("::")
        && !module.is_empty()
    {
        module.clone_into(&mut found.module);
        only.name = name.to_owned();
    }
}
