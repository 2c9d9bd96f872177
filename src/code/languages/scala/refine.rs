//! Refines Scala elements beyond the syntax: parameter lists, class parameters that are fields, bases, names in
//! imports, names of givens and extensions, visibility.
//!
//! Only the compiler knows whether the first base is a class or a trait; it is kept apart from those after `with`. A
//! given without a name gets the name that the compiler generates.

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, Param, ParamKind, Visibility},
    extract::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS, assign_parents, params_text},
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    for draft in drafts.iter_mut() {
        let (start, end) = (draft.element.span.start_byte, written_end(parsed, draft.outer().unwrap_or(draft.node)));
        draft.element.span = parsed.lines.span(&parsed.source.text, start, end);
    }
    assign_parents(drafts);
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent;
        let around = parent.map(|parent| drafts[parent].element.kind);
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Import | ElementKind::Export => import(parsed, draft),
            ElementKind::Class
            | ElementKind::Trait
            | ElementKind::Enum
            | ElementKind::Object
            | ElementKind::EnumMember => class_like(parsed, draft),
            ElementKind::Extension => extension(parsed, draft),
            ElementKind::Method | ElementKind::Constructor | ElementKind::Function => callable(parsed, draft, around),
            ElementKind::Field | ElementKind::Variable if draft.node.kind() == "class_parameter" => {
                class_parameter(parsed, draft);
            }
            ElementKind::Field | ElementKind::Variable => {
                let is_declared = draft.node.kind().ends_with("_declaration");
                if let Some(code) = draft.code() {
                    code.is_abstract |= is_declared;
                }
            }
            ElementKind::Type => named_type(parsed, draft),
            _ => {}
        }
        if draft.node.kind() == "given_definition" {
            given(parsed, draft);
        }
        visibility(parsed, draft);
    }
}

/// Returns the byte offset at which a definition ends. The grammar's indented blocks reach over blank lines and
/// comments to what follows.
fn written_end(parsed: &ParsedFile, mut node: Node<'_>) -> usize {
    loop {
        let last = children(node).pop();
        let is_whole = !parsed.text(node).ends_with(char::is_whitespace) && !last.is_some_and(|last| last.is_extra());
        if is_whole {
            return node.end_byte();
        }
        let inner =
            children(node).into_iter().rev().find(|child| !child.is_extra() && child.start_byte() < child.end_byte());
        match inner {
            Some(inner) => node = inner,
            None => return node.start_byte() + parsed.text(node).trim_end().len(),
        }
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Splits a text at the commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    text.split(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
    .collect()
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let (from, to) = draft.element.nodes[0];
    let mut written = String::new();
    let mut at = from;
    for comment in children(draft.node).iter().filter(|child| child.is_extra()) {
        written.push_str(parsed.source.text.get(at..comment.start_byte()).unwrap_or_default());
        at = comment.end_byte();
    }
    written.push_str(parsed.source.text.get(at..to).unwrap_or_default());
    let written: Vec<&str> = written.split_whitespace().collect();
    let written = written.join(" ");
    let bare = written.trim_start_matches("import ").trim_start_matches("export ");
    let paths = parts(bare);
    let mut found = ImportFacts::default();
    if let [only] = paths.as_slice() {
        (found.module, found.names) = path(only);
    } else {
        for one in paths {
            let (module, names) = path(one);
            found.names.extend(
                names.into_iter().map(|name| ImportName { name: format!("{module}.{}", name.name), alias: name.alias }),
            );
        }
    }
    if draft.element.kind == ElementKind::Export {
        found.modifiers.push("re-export".to_owned());
    }
    draft.element.name = one_line(bare, TEXT_CHARACTERS);
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

/// Returns the module and the names of an import such as `a.b.{c => d, *}`.
fn path(path: &str) -> (String, Vec<ImportName>) {
    let (module, selectors) = if let Some((module, list)) = path.split_once('{') {
        let list = list.trim_end().trim_end_matches('}');
        (module.trim().trim_end_matches('.'), parts(list))
    } else {
        // A renamed name may be written without braces: `a.b as c`.
        let bare = path.split(" as ").next().unwrap_or(path);
        let (module, selector) = match bare.rfind('.') {
            Some(dot) => (&path[..dot], &path[dot + 1..]),
            None => ("", path),
        };
        (module, vec![selector])
    };
    let names = selectors
        .into_iter()
        .map(|selector| {
            let (name, alias) = match selector.split_once("=>").or_else(|| selector.split_once(" as ")) {
                Some((name, alias)) => (name.trim(), Some(alias.trim().to_owned())),
                None => (selector.trim(), None),
            };
            ImportName { name: if name == "_" { "*" } else { name }.to_owned(), alias }
        })
        .collect();
    (module.split_whitespace().collect(), names)
}

/// Returns every parameter of a definition, and the text between its first and last bracket.
fn params(parsed: &ParsedFile, node: Node<'_>) -> (Vec<Param>, String) {
    let mut found = Vec::new();
    let mut written = Vec::new();
    for list in children(node) {
        if !matches!(list.kind(), "parameters" | "class_parameters") {
            continue;
        }
        written.push(params_text(parsed, list));
        let text = |node: Node<'_>| one_line(parsed.text(node), TEXT_CHARACTERS);
        for child in children(list).into_iter().filter(|child| child.is_named() && !child.is_extra()) {
            let declared = child.child_by_field_name("type");
            let is_named = matches!(child.kind(), "parameter" | "class_parameter");
            let is_repeated = declared.unwrap_or(child).kind() == "repeated_parameter_type";
            found.push(Param {
                name: child.child_by_field_name("name").map_or_else(String::new, text),
                // A parameter such as `using Context` has a type alone.
                type_name: declared.map(text).or_else(|| (!is_named).then(|| text(child))),
                default: child
                    .child_by_field_name("default_value")
                    .map(|value| one_line(parsed.text(value), VALUE_CHARACTERS)),
                kind: if is_repeated { ParamKind::Variadic } else { ParamKind::Plain },
                text: text(child),
            });
        }
    }
    (found, one_line(&written.join(")("), TEXT_CHARACTERS))
}

/// Returns the bases: the first, then those after `with` or a comma.
fn bases(parsed: &ParsedFile, node: Node<'_>, field: &str) -> Vec<String> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor)
        .filter(Node::is_named)
        .filter(|base| base.kind() != "arguments")
        .map(|base| one_line(parsed.text(base), TEXT_CHARACTERS))
        .collect()
}

fn class_like(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let kind = draft.element.kind;
    let (mut params, text) = params(parsed, node);
    let mut names = node.child_by_field_name("extend").map_or_else(Vec::new, |clause| bases(parsed, clause, "type"));
    let mut lists = children(node).into_iter().filter(|child| child.kind() == "class_parameters");
    let first = lists.next().map_or(0, |list| list.named_child_count());
    let declares_all =
        kind == ElementKind::EnumMember || draft.element.code().is_some_and(|code| code.has_modifier("case"));
    let is_anonymous = node.kind() == "instance_expression";
    for (at, param) in params.iter_mut().enumerate() {
        let words: Vec<&str> = param.text.split([' ', '\n']).collect();
        let is_said = words.iter().take_while(|word| !word.contains(':')).any(|word| matches!(*word, "val" | "var"));
        if is_said || declares_all && at < first {
            param.kind = ParamKind::Field;
        }
    }
    if is_anonymous {
        let written = draft.element.name.clone();
        draft.element.name = format!("<anonymous {written}>");
        names = vec![written];
    }
    let Some(code) = draft.code() else { return };
    if is_anonymous {
        code.visibility = Visibility::Private;
    }
    if kind == ElementKind::EnumMember {
        // The word that begins an enum case.
        code.modifiers.retain(|modifier| modifier != "case");
    } else if kind != ElementKind::Trait {
        code.implements = names.split_off(names.len().min(1));
    }
    code.params = params;
    code.params_text = text;
    code.extends = names;
}

/// Refines a class parameter: it is a field if it is `val` or `var`, or in the first list of a case class.
fn class_parameter(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let list = node.parent();
    let owner = list.and_then(|list| list.parent());
    let is_case = owner.is_some_and(|owner| {
        let is_first = owner.child_by_field_name("class_parameters") == list;
        let has_word = children(owner).iter().any(|child| child.kind() == "case");
        is_first && (owner.kind() == "full_enum_case" || has_word)
    });
    let default = node.child_by_field_name("default_value").map(|value| one_line(parsed.text(value), VALUE_CHARACTERS));
    let Some(code) = draft.code() else { return };
    code.value = default;
    let is_field = is_case || code.has_modifier("val") || code.has_modifier("var");
    draft.set_kind(ElementKind::Field);
    draft.keep = is_field;
}

/// Names an extension by the type that it extends, without type arguments.
fn extension(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let (mut params, text) = params(parsed, node);
    let mut cursor = node.walk();
    let receiver = node
        .children_by_field_name("parameters", &mut cursor)
        .filter(|list| list.kind() == "parameters")
        .flat_map(children)
        .find(|child| {
            child.kind() == "parameter" && child.prev_sibling().is_some_and(|before| before.kind() != "using")
        });
    for param in &mut params {
        if receiver.is_some_and(|receiver| one_line(parsed.text(receiver), TEXT_CHARACTERS) == param.text) {
            param.kind = ParamKind::Receiver;
        }
    }
    if let Some(declared) = receiver.and_then(|receiver| receiver.child_by_field_name("type")) {
        let bare = if declared.kind() == "generic_type" {
            declared.child_by_field_name("type").unwrap_or(declared)
        } else {
            declared
        };
        draft.element.name = one_line(parsed.text(bare), TEXT_CHARACTERS);
    }
    let Some(code) = draft.code() else { return };
    code.params = params;
    code.params_text = text;
}

fn callable(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let (params, text) = params(parsed, draft.node);
    let has_body = draft.body.is_some();
    let Some(code) = draft.code() else { return };
    code.params = params;
    code.params_text = text;
    code.is_abstract = !has_body && parent.is_some_and(ElementKind::is_class_like);
}

/// Sets the value of a type alias, or the bounds of an abstract type.
fn named_type(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut cursor = node.walk();
    let bounds: Vec<String> = node
        .children_by_field_name("bound", &mut cursor)
        .filter(Node::is_named)
        .map(|bound| one_line(parsed.text(bound), TEXT_CHARACTERS))
        .collect();
    let value = node.child_by_field_name("type").map(|value| one_line(parsed.text(value), VALUE_CHARACTERS));
    let Some(code) = draft.code() else { return };
    code.is_abstract = value.is_none();
    code.value = value;
    code.type_name = Some(bounds.join(" ")).filter(|bounds| !bounds.is_empty());
}

fn given(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let types = bases(parsed, node, "return_type");
    let (params, text) = params(parsed, node);
    let body = node.child_by_field_name("body");
    let kind = draft.element.kind;
    draft.element.name = if let Some(name) = node.child_by_field_name("name") {
        parsed.text(name).to_owned()
    } else {
        let words: Vec<&str> = types
            .iter()
            .flat_map(|name| name.split(|c: char| !c.is_alphanumeric() && c != '_'))
            .filter(|word| !word.is_empty())
            .collect();
        format!("given_{}", words.join("_"))
    };
    let Some(code) = draft.code() else { return };
    code.params = params;
    code.params_text = text;
    if kind == ElementKind::Object {
        code.extends = Vec::new();
        code.implements = types;
        code.type_name = None;
    } else {
        code.type_name = Some(types.join(" with ")).filter(|name| !name.is_empty());
        code.value = body.map(|body| one_line(parsed.text(body), VALUE_CHARACTERS));
    }
}

/// Sets the visibility: `private[a]` is visible in `a`, `private[this]` in the object alone. A modifier after the name
/// belongs to the constructor.
fn visibility(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let own = draft.node;
    let nodes = [Some(own), draft.outer()];
    let written = nodes
        .into_iter()
        .flatten()
        .flat_map(children)
        .filter(|child| child.kind() == "modifiers")
        .flat_map(children)
        .find(|child| child.kind() == "access_modifier")
        .map(|modifier| parsed.text(modifier).split_whitespace().collect::<String>());
    let is_hidden = children(own).iter().any(|child| child.kind() == "access_modifier");
    let Some(code) = draft.code() else { return };
    code.modifiers.retain(|modifier| {
        let is_access = modifier.starts_with("private") || modifier.starts_with("protected");
        !is_access || written.as_deref().is_some_and(|written| written == modifier.replace(' ', ""))
    });
    let Some(written) = written else {
        if is_hidden {
            code.visibility = Visibility::Public;
        }
        return;
    };
    code.visibility = match written.as_str() {
        "private" | "private[this]" => Visibility::Private,
        _ if written.starts_with("protected") => Visibility::Protected,
        _ => Visibility::Package,
    };
}

#[cfg(test)]
mod tests {
    use super::{parts, path};

    #[test]
    fn imports_are_split_into_module_and_names() {
        assert_eq!(parts("a.{b, c}, d.e[F, G]"), ["a.{b, c}", "d.e[F, G]"]);
        let (module, names) = path("a.b.{c => d, _}");
        assert_eq!(module, "a.b");
        assert_eq!(names[0].alias.as_deref(), Some("d"));
        assert_eq!(names[1].name, "*");
        let (module, names) = path("a.b as c");
        assert_eq!((module.as_str(), names[0].name.as_str()), ("a", "b"));
        assert_eq!(names[0].alias.as_deref(), Some("c"));
    }
}
