//! Refines Go elements beyond the syntax: owners of methods, visibility, names of embedded fields, repeated constants,
//! names in imports.
//!
//! A method has its receiver's type for a parent if that type is defined earlier in the file; otherwise the type is
//! part of its name. Types are never resolved beyond the file.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::{
    elements::{DefinitionFacts, ElementDetail, ElementKind, ImportFacts, ImportName, Param, ParamKind, Visibility},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// The maximum length of a type or text, in characters.
const TEXT_CHARACTERS: usize = 200;
const VALUE_CHARACTERS: usize = 80;

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let mut types: HashMap<String, usize> = HashMap::new();
    let mut constants = Constants::default();
    for at in 0..drafts.len() {
        directives(parsed, drafts, at);
        match drafts[at].element.kind {
            ElementKind::Import => import(parsed, &mut drafts[at]),
            ElementKind::Struct | ElementKind::Interface | ElementKind::Type => {
                if drafts[at].element.parent.is_none() {
                    types.insert(drafts[at].element.name.clone(), at);
                }
                defined(parsed, &mut drafts[at]);
            }
            ElementKind::Method | ElementKind::Function => callable(parsed, drafts, at, &types),
            ElementKind::Field => field(parsed, drafts, at),
            ElementKind::Constant => constants.repeat(parsed, &mut drafts[at]),
            ElementKind::Variable => {
                one_of_several(parsed, &mut drafts[at]);
                // The variable is local to a function literal that is part of another variable's value.
                let around = drafts[at].element.parent;
                let is_inside = around.is_some_and(|parent| drafts[parent].element.kind == ElementKind::Variable);
                drafts[at].keep &= !is_inside;
            }
            _ => {}
        }
        visibility(drafts, at);
        // A value assigned to `_` is checked or discarded; nothing is defined.
        if drafts[at].element.name == "_"
            && matches!(drafts[at].element.kind, ElementKind::Constant | ElementKind::Variable)
        {
            drafts[at].keep = false;
        }
    }
}

/// Moves `//go:noinline` and other directives for tools from the documentation to the decorators.
fn directives(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize) {
    let is_documented = drafts[at].element.code().is_some_and(|code| code.doc.is_some());
    if !is_documented {
        return;
    }
    let found: Vec<String> = drafts[..at]
        .iter()
        .rev()
        .take_while(|draft| draft.element.kind == ElementKind::Comment)
        .filter_map(|draft| directive(parsed.text(draft.node)))
        .map(|directive| one_line(directive, TEXT_CHARACTERS))
        .collect();
    let Some(code) = drafts[at].code() else { return };
    let Some(doc) = code.doc.take() else { return };
    let (told, kept): (Vec<&str>, Vec<&str>) =
        doc.lines().partition(|line| found.iter().any(|directive| directive == line));
    code.decorators.extend(told.into_iter().map(str::to_owned));
    let kept = kept.join("\n").trim().to_owned();
    if kept.lines().any(|line| line.starts_with("Deprecated: ")) {
        code.add_modifier("deprecated");
    }
    code.doc = Some(kept).filter(|doc| !doc.is_empty());
}

/// Returns the directive in a comment, by the rule of Go's own documentation tool.
fn directive(comment: &str) -> Option<&str> {
    let text = comment.strip_prefix("//")?;
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_known = ["line ", "extern ", "export "].iter().any(|word| text.starts_with(word));
    let is_named = text
        .split_once(':')
        .is_some_and(|(tool, rest)| !tool.is_empty() && tool.chars().all(is_word) && rest.starts_with(is_word));
    (is_known || is_named).then_some(text.trim_end())
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let text = |field| draft.node.child_by_field_name(field).map(|node| parsed.text(node));
    let path = text("path").unwrap_or_default().trim_matches(['"', '`']).to_owned();
    let mut found = ImportFacts::default();
    let named = |name: &str, alias: Option<&str>| ImportName { name: name.to_owned(), alias: alias.map(str::to_owned) };
    match text("name") {
        None => found.names.push(named(&path, None)),
        Some(".") => {
            found.module.clone_from(&path);
            found.names.push(named("*", None));
        }
        Some("_") => {
            found.module.clone_from(&path);
            found.modifiers.push("blank".to_owned());
        }
        Some(alias) => found.names.push(named(&path, Some(alias))),
    }
    if path.starts_with("./") || path.starts_with("../") {
        found.modifiers.push("relative".to_owned());
    }
    draft.element.name = path;
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

/// Refines a type definition. Its kind or value already shows the type, so it has no type itself.
fn defined(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let declared = draft.node.child_by_field_name("type");
    let Some(code) = draft.code() else { return };
    code.type_name = None;
    let Some(interface) = declared.filter(|declared| declared.kind() == "interface_type") else {
        return;
    };
    let mut cursor = interface.walk();
    code.extends = interface
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "type_elem")
        .map(|child| one_line(parsed.text(child), TEXT_CHARACTERS))
        .collect();
}

fn callable(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize, types: &HashMap<String, usize>) {
    let node = drafts[at].node;
    let around = drafts[at].element.parent;
    let is_inside = around.is_some_and(|parent| drafts[parent].element.kind.is_callable());
    match node.kind() {
        // A method of an interface without a name.
        "method_elem" if !is_of_type(drafts, at) => drafts[at].keep = false,
        // As with `:=`, a function in a local variable is part of the enclosing function.
        "var_spec" if is_inside => drafts[at].keep = false,
        "method_declaration" => {
            let receiver = node.child_by_field_name("receiver").and_then(|list| receiver(parsed, list));
            let draft = &mut drafts[at];
            if let Some((type_name, is_pointer)) = receiver {
                match types.get(&type_name) {
                    Some(parent) => draft.element.parent = Some(*parent),
                    None => draft.element.name = format!("{type_name}.{}", draft.element.name),
                }
                if is_pointer {
                    draft.add_modifier("pointer");
                }
            }
        }
        _ => {}
    }
    let draft = &mut drafts[at];
    let list = draft.inner().unwrap_or(node).child_by_field_name("parameters");
    let in_tests = parsed.source.path.ends_with("_test.go");
    let name = draft.element.name.clone();
    let Some(code) = draft.code() else { return };
    if let Some(list) = list {
        code.params = params(parsed, list);
    }
    code.is_abstract = node.kind() == "method_elem";
    let takes_testing = code.params.iter().any(|param| {
        let declared = param.type_name.as_deref().unwrap_or_default();
        matches!(declared, "*testing.T" | "*testing.B" | "*testing.F" | "*testing.M")
    });
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let is_example = in_tests && code.params.is_empty() && begins(&["Example"]);
    if node.kind() == "function_declaration" && (is_example || takes_testing && begins(&["Test", "Benchmark", "Fuzz"]))
    {
        code.add_modifier("test");
    }
}

/// Returns the name of the receiver's type, and true if the receiver is a pointer.
fn receiver(parsed: &ParsedFile, list: Node<'_>) -> Option<(String, bool)> {
    let mut cursor = list.walk();
    let param = list.named_children(&mut cursor).find(|child| !child.is_extra())?;
    let declared = param.child_by_field_name("type")?;
    let name = bare_type(declared);
    Some((parsed.text(name).to_owned(), parsed.text(declared).trim_start_matches('(').starts_with('*')))
}

/// Returns the name in a type: without pointer, brackets, package and type arguments.
fn bare_type(mut declared: Node<'_>) -> Node<'_> {
    loop {
        let inner = match declared.kind() {
            "pointer_type" | "parenthesized_type" => declared.named_child(0),
            "generic_type" => declared.child_by_field_name("type"),
            "qualified_type" => declared.child_by_field_name("name"),
            _ => None,
        };
        match inner {
            Some(inner) => declared = inner,
            None => return declared,
        }
    }
}

/// Returns one parameter for each name: `a, b int` are two.
fn params(parsed: &ParsedFile, list: Node<'_>) -> Vec<Param> {
    let mut found = Vec::new();
    let mut cursor = list.walk();
    for declaration in list.named_children(&mut cursor).filter(|child| !child.is_extra()) {
        let declared = declaration
            .child_by_field_name("type")
            .map(|node| one_line(parsed.text(node), TEXT_CHARACTERS))
            .unwrap_or_default();
        let (kind, dots) = if declaration.kind() == "variadic_parameter_declaration" {
            (ParamKind::Variadic, "...")
        } else {
            (ParamKind::Plain, "")
        };
        let mut inside = declaration.walk();
        let mut names: Vec<&str> = declaration
            .children_by_field_name("name", &mut inside)
            .filter(Node::is_named)
            .map(|name| parsed.text(name))
            .collect();
        if names.is_empty() {
            names.push("_");
        }
        for name in names {
            found.push(Param {
                name: name.to_owned(),
                type_name: Some(declared.clone()),
                default: None,
                kind,
                text: format!("{name} {dots}{declared}"),
            });
        }
    }
    found
}

/// True if a member belongs to a type that has a name.
fn is_of_type(drafts: &[ElementDraft<'_>], at: usize) -> bool {
    let mut parent = drafts[at].element.parent;
    while let Some(index) = parent {
        match drafts[index].element.kind {
            ElementKind::Struct | ElementKind::Interface => return true,
            ElementKind::Field => parent = drafts[index].element.parent,
            _ => return false,
        }
    }
    false
}

fn field(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize) {
    if !is_of_type(drafts, at) {
        drafts[at].keep = false;
        return;
    }
    let draft = &mut drafts[at];
    let node = draft.node;
    let is_embedded = draft.code().is_some_and(|code| code.has_modifier("embedded"));
    if is_embedded && let Some(declared) = node.child_by_field_name("type") {
        parsed.text(bare_type(declared)).clone_into(&mut draft.element.name);
    }
    let is_pointer = is_embedded && parsed.text(node).starts_with('*');
    let Some(code) = draft.code() else { return };
    if is_pointer {
        code.type_name = code.type_name.take().map(|declared| format!("*{declared}"));
    }
    if let Some(tag) = node.child_by_field_name("tag") {
        let tag = parsed.text(tag);
        let tag = tag.get(1..tag.len().saturating_sub(1)).unwrap_or(tag);
        code.decorators.push(one_line(tag, TEXT_CHARACTERS));
    }
}

/// The type of the last constant with a value, and true if it uses `iota`. Later constants of the same group repeat it;
/// the first always has a value.
#[derive(Default)]
struct Constants {
    counts: bool,
    type_name: Option<String>,
}

impl Constants {
    fn repeat(&mut self, parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
        one_of_several(parsed, draft);
        let value = draft.node.child_by_field_name("value");
        let Some(code) = draft.code() else { return };
        match value {
            Some(value) => {
                self.counts = parsed.text(value).contains("iota");
                self.type_name.clone_from(&code.type_name);
            }
            None => code.type_name.clone_from(&self.type_name),
        }
        if self.counts {
            code.add_modifier("iota");
        }
    }
}

/// Selects the variable's own value: in `a, b = 1, 2` each has one; a single call for several names belongs to all of
/// them.
fn one_of_several(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let Some(values) = draft.node.child_by_field_name("value") else {
        return;
    };
    let mut cursor = draft.node.walk();
    let names: Vec<&str> = draft
        .node
        .children_by_field_name("name", &mut cursor)
        .filter(Node::is_named)
        .map(|name| parsed.text(name))
        .collect();
    let mut cursor = values.walk();
    let values: Vec<Node<'_>> = values.named_children(&mut cursor).filter(|value| !value.is_extra()).collect();
    if names.len() < 2 || names.len() != values.len() {
        return;
    }
    let at = names.iter().position(|name| *name == draft.element.name);
    if let (Some(at), Some(code)) = (at, draft.code()) {
        code.value = Some(one_line(parsed.text(values[at]), VALUE_CHARACTERS));
    }
}

/// Sets the visibility by the first letter's case; definitions within a function are private to it.
fn visibility(drafts: &mut [ElementDraft<'_>], at: usize) {
    let is_local = drafts[at].element.parent.is_some_and(|parent| drafts[parent].element.kind.is_callable());
    let draft = &mut drafts[at];
    let name = draft.element.name.rsplit('.').next().unwrap_or_default();
    let is_capital = name.starts_with(char::is_uppercase);
    let Some(code) = draft.code() else { return };
    set(code, is_capital && !is_local, is_local);
}

fn set(code: &mut DefinitionFacts, is_exported: bool, is_local: bool) {
    code.is_exported = is_exported;
    code.visibility = match (is_exported, is_local) {
        (true, _) => Visibility::Public,
        (false, true) => Visibility::Private,
        (false, false) => Visibility::Package,
    };
}
