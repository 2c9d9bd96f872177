//! Refines PHP elements beyond the syntax: imports by `use`, the range of namespaces without braces, fields declared by
//! constructor parameters, separate attributes.
//!
//! Names have no `$`; a namespace keeps its backslashes. A variable of a script is one element, at its first
//! assignment. Included files are named, but never read.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, ParamKind, Visibility},
    extract::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS},
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    namespaces(parsed, drafts);
    let mut variables: HashSet<String> = HashSet::new();
    let mut added = Vec::new();
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let class = drafts[at].element.parent;
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Import => import(parsed, draft),
            ElementKind::Class | ElementKind::Interface | ElementKind::Enum | ElementKind::Trait => {
                class_like(parsed, draft);
            }
            ElementKind::Method | ElementKind::Constructor | ElementKind::Function => {
                callable(draft, parent);
                if draft.element.kind == ElementKind::Constructor {
                    promoted(parsed, draft, class, &mut added);
                }
            }
            ElementKind::Constant => constant(parsed, draft, parent),
            ElementKind::Field => hooks(parsed, draft),
            ElementKind::Variable => draft.keep = variables.insert(draft.element.name.clone()),
            _ => {}
        }
        attributes(parsed, draft);
    }
    drafts.extend(added);
}

/// Extends a namespace without braces (`namespace A;`) to the next one.
fn namespaces(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>]) {
    let text = &parsed.source.text;
    let open: Vec<usize> = (0..drafts.len())
        .filter(|at| {
            let node = drafts[*at].node;
            node.kind() == "namespace_definition" && node.child_by_field_name("body").is_none()
        })
        .collect();
    for draft in drafts.iter_mut().filter(|draft| draft.element.kind == ElementKind::Namespace) {
        if draft.node.child_by_field_name("name").is_none() {
            "<global>".clone_into(&mut draft.element.name);
        }
    }
    for (place, at) in open.iter().enumerate() {
        let start = drafts[*at].element.span.start_byte;
        let end = open.get(place + 1).map_or(text.len(), |next| drafts[*next].element.span.start_byte);
        let end = start + text.get(start..end).unwrap_or_default().trim_end().len();
        drafts[*at].element.span = parsed.lines.span(text, start, end);
        for inner in drafts.iter_mut().skip(at + 1) {
            if inner.element.parent.is_none() && inner.element.span.start_byte < end {
                inner.element.parent = Some(*at);
            }
        }
    }
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let found = match node.kind() {
        "namespace_use_declaration" => used(parsed, node),
        "use_declaration" => traits(parsed, node),
        _ => included(parsed, node),
    };
    draft.element.name = match (found.module.as_str(), found.names.as_slice()) {
        ("", names) => {
            let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
            names.join(", ")
        }
        (module, [only]) => format!("{module}\\{}", only.name),
        (module, _) => module.to_owned(),
    };
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

fn used(parsed: &ParsedFile, node: Node<'_>) -> ImportFacts {
    let mut found = ImportFacts::default();
    let mut clauses: Vec<(Option<String>, ImportName)> = Vec::new();
    let mut is_group = false;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "namespace_name" => parsed.text(child).trim_matches('\\').clone_into(&mut found.module),
            "function" | "const" => found.modifiers.push(child.kind().to_owned()),
            "namespace_use_clause" => clauses.push(clause(parsed, child)),
            "namespace_use_group" => {
                is_group = true;
                let mut cursor = child.walk();
                clauses.extend(child.named_children(&mut cursor).filter(|c| !c.is_extra()).map(|c| clause(parsed, c)));
            }
            _ => {}
        }
    }
    // The word after `use` applies to all names; within a group, to one name.
    let words: Vec<Option<&str>> = clauses.iter().map(|(word, _)| word.as_deref()).collect();
    if let Some(Some(word)) = words.first().filter(|first| !is_group || words.iter().all(|word| word == *first)) {
        found.modifiers.push((*word).to_owned());
        found.names = clauses.into_iter().map(|(_, name)| name).collect();
    } else {
        found.names = clauses
            .into_iter()
            .map(|(word, name)| ImportName {
                name: word.map_or_else(|| name.name.clone(), |word| format!("{word} {}", name.name)),
                alias: name.alias,
            })
            .collect();
    }
    if is_group {
        found.modifiers.push("group".to_owned());
    } else if let [only] = found.names.as_mut_slice()
        && let Some((module, name)) = only.name.rsplit_once('\\')
    {
        module.clone_into(&mut found.module);
        only.name = name.to_owned();
    }
    found
}

fn clause(parsed: &ParsedFile, clause: Node<'_>) -> (Option<String>, ImportName) {
    let alias = clause.child_by_field_name("alias");
    let word = clause.child_by_field_name("type");
    let mut cursor = clause.walk();
    let name = clause.named_children(&mut cursor).find(|child| !child.is_extra() && Some(*child) != word);
    let text = |node: Node<'_>| parsed.text(node).trim_start_matches('\\').to_owned();
    (word.map(text), ImportName { name: name.map_or_else(String::new, text), alias: alias.map(text) })
}

/// Returns the traits that a class is composed of.
fn traits(parsed: &ParsedFile, node: Node<'_>) -> ImportFacts {
    let mut cursor = node.walk();
    ImportFacts {
        module: String::new(),
        names: node
            .named_children(&mut cursor)
            .filter(|child| child.kind().ends_with("name"))
            .map(|child| ImportName { name: parsed.text(child).to_owned(), alias: None })
            .collect(),
        modifiers: vec!["trait".to_owned()],
    }
}

/// Returns an import by inclusion (`require 'a.php'`): the path, or the expression that yields it.
fn included(parsed: &ParsedFile, node: Node<'_>) -> ImportFacts {
    let mut path = node.named_child(0);
    while let Some(inner) = path.filter(|path| path.kind() == "parenthesized_expression") {
        path = inner.named_child(0);
    }
    let text = path.map_or("", |path| parsed.text(path));
    let is_literal = path.is_some_and(|path| matches!(path.kind(), "string" | "encapsed_string"));
    let text = if is_literal { text.trim_matches(['"', '\'']) } else { text };
    ImportFacts {
        module: String::new(),
        names: vec![ImportName { name: one_line(text, TEXT_CHARACTERS), alias: None }],
        modifiers: vec![node.kind().trim_end_matches("_expression").to_owned()],
    }
}

fn class_like(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let listed = |wanted: &str| -> Vec<String> {
        let mut cursor = node.walk();
        let Some(clause) = node.children(&mut cursor).find(|child| child.kind() == wanted) else {
            return Vec::new();
        };
        let mut cursor = clause.walk();
        clause
            .named_children(&mut cursor)
            .filter(|child| !child.is_extra())
            .map(|child| parsed.text(child).to_owned())
            .collect()
    };
    let mut extends = listed("base_clause");
    let implements = listed("class_interface_clause");
    let is_anonymous = node.kind() == "anonymous_class";
    if is_anonymous {
        let base = extends.first().or(implements.first());
        draft.element.name = base.map_or_else(|| "<anonymous>".to_owned(), |base| format!("<anonymous {base}>"));
    }
    if node.kind() == "enum_declaration" {
        let mut cursor = node.walk();
        let backing = node.named_children(&mut cursor).find(|child| child.kind() == "primitive_type");
        extends.extend(backing.map(|backing| parsed.text(backing).to_owned()));
    }
    let Some(code) = draft.code() else { return };
    code.extends = extends;
    code.implements = implements;
    if is_anonymous {
        code.visibility = Visibility::Private;
    }
}

fn callable(draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let is_method = draft.element.kind == ElementKind::Method;
    let has_body = draft.body.is_some();
    let is_destructor = draft.element.name.eq_ignore_ascii_case("__destruct");
    let is_constructor = is_method && draft.element.name.eq_ignore_ascii_case("__construct");
    if is_constructor {
        draft.element.kind = ElementKind::Constructor;
    }
    let Some(code) = draft.code() else { return };
    for param in &mut code.params {
        param.name = param.name.trim_start_matches(['&', '.', '$']).to_owned();
    }
    if is_method && is_destructor {
        code.add_modifier("destructor");
    }
    code.is_abstract |= is_method && parent == Some(ElementKind::Interface) && !has_body;
}

/// Adds a field for each promoted parameter: `__construct(private int $x)` declares one.
fn promoted<'t>(
    parsed: &'t ParsedFile,
    draft: &mut ElementDraft<'t>,
    class: Option<usize>,
    added: &mut Vec<ElementDraft<'t>>,
) {
    let Some(list) = draft.node.child_by_field_name("parameters") else {
        return;
    };
    let mut cursor = list.walk();
    for param in list.named_children(&mut cursor) {
        if param.kind() != "property_promotion_parameter" {
            continue;
        }
        let Some(name) = param.child_by_field_name("name") else {
            continue;
        };
        let mut field = ElementDraft::new(parsed, param, ElementKind::Field, Some(name));
        let bare = parsed.text(name).trim_start_matches(['&', '$']);
        bare.clone_into(&mut field.element.name);
        field.element.parent = class;
        let mut inner = param.walk();
        let modifiers: Vec<&str> = param
            .children(&mut inner)
            .filter(|child| child.kind().ends_with("_modifier") && child.kind() != "reference_modifier")
            .map(|child| parsed.text(child))
            .collect();
        if let Some(code) = field.code() {
            code.visibility = modifiers.iter().find_map(|modifier| Visibility::from_name(modifier)).unwrap_or_default();
            code.type_name = param.child_by_field_name("type").map(|node| parsed.text(node).to_owned());
            code.value =
                param.child_by_field_name("default_value").map(|node| one_line(parsed.text(node), VALUE_CHARACTERS));
            for modifier in modifiers {
                code.add_modifier(modifier);
            }
            code.add_modifier("parameter");
        }
        attributes(parsed, &mut field);
        let promoted_name = field.element.name.clone();
        if let Some(code) = draft.code() {
            for param in code.params.iter_mut().filter(|param| param.name == promoted_name) {
                param.kind = ParamKind::Field;
            }
        }
        added.push(field);
    }
}

/// Refines a constant. Constants of a class are fields; the value after the `=` has no field name in the grammar.
fn constant(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let node = draft.node;
    if node.kind() == "function_call_expression" {
        // A constant made by `define` is global, wherever it is called.
        draft.element.parent = None;
    } else if parent.is_some_and(ElementKind::is_class_like) {
        draft.set_kind(ElementKind::Field);
    }
    let value = Some(node).filter(|node| node.kind() == "const_element").and_then(|node| node.named_child(1));
    let Some(code) = draft.code() else { return };
    code.add_modifier("const");
    if let Some(value) = value {
        code.value = Some(one_line(parsed.text(value), VALUE_CHARACTERS));
    }
    code.is_static |= parent.is_some_and(ElementKind::is_class_like);
}

/// Adds the hooks of a property as its accessors.
fn hooks(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let holder = draft.outer().unwrap_or(draft.node);
    let mut names: Vec<String> = Vec::new();
    let mut cursor = holder.walk();
    for list in holder.named_children(&mut cursor).filter(|child| child.kind() == "property_hook_list") {
        let mut inner = list.walk();
        for hook in list.named_children(&mut inner) {
            let mut parts = hook.walk();
            let name = hook.named_children(&mut parts).find(|part| part.kind() == "name");
            names.extend(name.map(|name| parsed.text(name).to_owned()));
        }
    }
    for name in names {
        draft.add_modifier(&name);
    }
}

/// Separates attributes: `#[A, B(1)]` contains two.
fn attributes(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut found = Vec::new();
    for holder in [Some(draft.node), draft.outer(), draft.inner()].into_iter().flatten() {
        let Some(list) = holder.child_by_field_name("attributes") else {
            continue;
        };
        let mut groups = list.walk();
        for group in list.named_children(&mut groups) {
            let mut cursor = group.walk();
            for attribute in group.named_children(&mut cursor).filter(|child| child.kind() == "attribute") {
                let text = one_line(parsed.text(attribute), TEXT_CHARACTERS);
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
    }
    if let Some(code) = draft.code().filter(|_| !found.is_empty()) {
        code.decorators = found;
    }
}
