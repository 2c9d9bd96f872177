//! Refines Swift elements beyond the syntax: parameters with their labels, types and values of properties, accessors,
//! bases, default visibility.
//!
//! Only the compiler knows whether the first base of a class is a class or a protocol: a protocol of the file and a
//! name such as `Hashable` are taken for protocols. Both branches of `#if` are read.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::{
    elements::{
        CodeElement, DefinitionFacts, ElementDetail, ElementKind, ImportFacts, ImportName, Param, ParamKind, Visibility,
    },
    extract::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS, params_text},
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let protocols: HashSet<String> = drafts
        .iter()
        .filter(|draft| draft.element.kind == ElementKind::Protocol)
        .map(|draft| draft.element.name.clone())
        .collect();
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| &drafts[parent].element);
        let around = parent.map(|element| element.kind);
        let inherited = parent.and_then(inherited);
        let is_test_case = parent.and_then(CodeElement::code).is_some_and(|code| {
            let is_of_tests = |name: &String| name.ends_with("TestCase");
            code.extends.iter().any(is_of_tests)
        });
        let draft = &mut drafts[at];
        decorators(parsed, draft);
        match draft.element.kind {
            ElementKind::Import => import(parsed, draft),
            ElementKind::Class
            | ElementKind::Struct
            | ElementKind::Enum
            | ElementKind::Protocol
            | ElementKind::Extension => {
                type_declaration(parsed, draft, &protocols);
            }
            ElementKind::Method | ElementKind::Constructor | ElementKind::Function | ElementKind::Macro => {
                callable(parsed, draft, around);
            }
            ElementKind::Field | ElementKind::Variable => property(parsed, draft),
            ElementKind::EnumMember => case(parsed, draft),
            ElementKind::Type => named_type(parsed, draft),
            _ => {}
        }
        let is_named_test = draft.element.name.starts_with("test");
        let has_params = draft.element.code().is_some_and(|code| !code.params.is_empty());
        if is_test_case && is_named_test && !has_params && draft.element.kind == ElementKind::Method {
            draft.add_modifier("test");
        }
        constraints(parsed, draft);
        visibility(draft, inherited);
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Sets the attributes before a declaration; those of parameters and bases are not its own.
fn decorators(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut found = Vec::new();
    for child in children(node) {
        match child.kind() {
            "modifiers" => found.extend(children(child)),
            "attribute" => found.push(child),
            "multiline_comment" | "comment" => {}
            _ => break,
        }
    }
    let Some(code) = draft.code() else { return };
    code.decorators = found
        .into_iter()
        .filter(|found| found.kind() == "attribute")
        .map(|found| one_line(parsed.text(found).trim_start_matches('@'), TEXT_CHARACTERS))
        .collect();
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut found = ImportFacts::default();
    let mut of_kind = false;
    let mut path = String::new();
    for child in children(draft.node) {
        match child.kind() {
            "modifiers" => {
                for modifier in children(child) {
                    let word = parsed.text(modifier).trim_start_matches('@');
                    let word = if word == "_exported" { "re-export" } else { word };
                    found.modifiers.push(one_line(word, TEXT_CHARACTERS));
                }
            }
            "identifier" => path = parsed.text(child).split_whitespace().collect(),
            "import" | "comment" | "multiline_comment" => {}
            _ if !child.is_named() => {
                of_kind = true;
                found.modifiers.push(child.kind().to_owned());
            }
            _ => {}
        }
    }
    let whole = (path.as_str(), "*");
    let (module, name) = path.rsplit_once('.').filter(|_| of_kind).unwrap_or(whole);
    module.clone_into(&mut found.module);
    found.names.push(ImportName { name: name.to_owned(), alias: None });
    draft.element.name = path;
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

fn type_declaration(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, protocols: &HashSet<String>) {
    let kind = draft.element.kind;
    let is_class = kind == ElementKind::Class && draft.element.code().is_some_and(|code| !code.has_modifier("actor"));
    let mut names: Vec<String> = children(draft.node)
        .into_iter()
        .filter(|child| child.kind() == "inheritance_specifier")
        .map(|child| one_line(parsed.text(child), TEXT_CHARACTERS))
        .collect();
    if kind == ElementKind::Extension {
        // `Array<Int>` is an extension of `Array`.
        let bare = draft.element.name.split('<').next().unwrap_or_default().trim().to_owned();
        if !bare.is_empty() {
            draft.element.name = bare;
        }
    }
    let Some(code) = draft.code() else { return };
    let extends = match (kind, names.first()) {
        (ElementKind::Protocol, _) => names.len(),
        (ElementKind::Enum, Some(first)) => usize::from(is_raw_type(first)),
        (ElementKind::Class, Some(first)) => {
            usize::from(is_class && !protocols.contains(first) && !is_protocol_name(first))
        }
        _ => 0,
    };
    code.implements = names.split_off(extends);
    code.extends = names;
}

/// True if a name is the type of an enumeration's raw values.
fn is_raw_type(name: &str) -> bool {
    let bare = name.trim_start_matches("Swift.");
    bare.trim_start_matches('U').strip_prefix("Int").is_some_and(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()))
        || matches!(bare, "String" | "Character" | "Float" | "Double" | "CGFloat")
}

/// True if a name looks like a protocol: `Codable`, `CustomStringConvertible`, `UITableViewDelegate`.
fn is_protocol_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let ends = |words: &[&str]| words.iter().any(|word| last.ends_with(word));
    ends(&["able", "ible", "Delegate", "DataSource", "Protocol", "Providing", "Literal"])
        || matches!(last, "AnyObject" | "Error" | "View" | "Sequence" | "Collection" | "ObservableObject")
}

fn callable(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let node = draft.node;
    let kind = draft.element.kind;
    if parent == Some(ElementKind::Protocol) {
        // `{ get }` of a subscript is a requirement, not a body.
        draft.body = None;
    }
    let is_bodiless = draft.body.is_none() && kind != ElementKind::Macro;
    let is_operator = draft.element.name.starts_with(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '`'));
    let parts = children(node);
    let is_subscript = node.kind() == "subscript_declaration";
    let (params, text) = params(parsed, &parts, is_subscript || is_operator);
    let result = result(parsed, &parts);
    let accessors = parts.iter().find(|part| part.kind() == "computed_property").copied();
    let is_optional = parts
        .iter()
        .skip_while(|part| part.kind() != "init")
        .nth(1)
        .is_some_and(|part| matches!(part.kind(), "?" | "!" | "bang"));
    let Some(code) = draft.code() else { return };
    code.params = params;
    code.params_text = text;
    code.type_name = result;
    code.is_static |= code.has_modifier("class");
    code.is_abstract |= parent == Some(ElementKind::Protocol) && is_bodiless;
    if is_operator {
        code.add_modifier("operator");
    }
    if kind == ElementKind::Constructor && is_optional {
        code.add_modifier("failable");
    }
    if let Some(accessors) = accessors {
        accessor_modifiers(accessors, code);
    }
    if let Some(index) = code.modifiers.iter().position(|modifier| modifier.starts_with("throws(")) {
        code.modifiers.insert(index, "throws".to_owned());
    }
}

/// Returns the parameters between the first round brackets, and their text.
fn params(parsed: &ParsedFile, parts: &[Node<'_>], is_without_labels: bool) -> (Vec<Param>, String) {
    let text = |node: Node<'_>| one_line(parsed.text(node), TEXT_CHARACTERS);
    let mut found: Vec<Param> = Vec::new();
    let Some(open) = parts.iter().position(|part| part.kind() == "(") else {
        return (found, String::new());
    };
    let mut start = None;
    let mut end = parts[open].end_byte();
    let source = parsed.source.text.as_str();
    let mut written: Vec<String> = Vec::new();
    let mut is_default = false;
    for part in &parts[open + 1..] {
        match part.kind() {
            "," | ")" => {
                if let Some(start) = start.take() {
                    let whole = one_line(source.get(start..end).unwrap_or_default(), TEXT_CHARACTERS);
                    if let Some(last) = found.last_mut() {
                        last.text.clone_from(&whole);
                    }
                    written.push(whole);
                }
                is_default = false;
                if part.kind() == ")" {
                    break;
                }
                continue;
            }
            "comment" | "multiline_comment" => continue,
            "parameter" => {
                let label = part.child_by_field_name("external_name").map(|label| parsed.text(label));
                let kind = match label {
                    Some("_") => ParamKind::PositionalOnly,
                    None if is_without_labels => ParamKind::PositionalOnly,
                    _ => ParamKind::KeywordOnly,
                };
                let colon = children(*part).into_iter().find(|child| child.kind() == ":");
                let declared = colon.and_then(|colon| source.get(colon.end_byte()..part.end_byte()));
                found.push(Param {
                    name: part.child_by_field_name("name").map_or_else(String::new, text),
                    type_name: declared.map(|declared| one_line(declared, TEXT_CHARACTERS)),
                    default: None,
                    kind,
                    text: String::new(),
                });
            }
            "..." => {
                if let Some(last) = found.last_mut() {
                    last.kind = ParamKind::Variadic;
                }
            }
            "=" => is_default = true,
            _ if is_default && part.is_named() => {
                if let Some(last) = found.last_mut() {
                    last.default = Some(one_line(parsed.text(*part), VALUE_CHARACTERS));
                }
            }
            _ => {}
        }
        start = start.or(Some(part.start_byte()));
        end = part.end_byte();
    }
    (found, one_line(&written.join(", "), TEXT_CHARACTERS))
}

/// Returns the result type, which is between the arrow and the body.
fn result(parsed: &ParsedFile, parts: &[Node<'_>]) -> Option<String> {
    let arrow = parts.iter().position(|part| part.kind() == "->")?;
    let last = parts[arrow + 1..]
        .iter()
        .take_while(|part| {
            !matches!(
                part.kind(),
                "type_constraints"
                    | "function_body"
                    | "computed_property"
                    | "macro_definition"
                    | "comment"
                    | "statements"
                    | "{"
            )
        })
        .last()?;
    let written = parsed.source.text.get(parts[arrow].end_byte()..last.end_byte())?;
    Some(one_line(written, TEXT_CHARACTERS))
}

/// Adds `get` and `set`, or `get` alone if the body is the getter.
fn accessor_modifiers(block: Node<'_>, code: &mut DefinitionFacts) {
    let mut is_said = false;
    for part in children(block) {
        let word = match part.kind() {
            "computed_getter" | "getter_specifier" => "get",
            "computed_setter" | "setter_specifier" => "set",
            "computed_modify" => "_modify",
            "willset_clause" => "willSet",
            "didset_clause" => "didSet",
            _ => continue,
        };
        is_said = true;
        code.add_modifier(word);
    }
    if !is_said {
        code.add_modifier("get");
    }
}

fn property(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let parts = children(node);
    let name = draft.element.name.clone();
    let is_let = parts.iter().any(|part| part.kind() == "value_binding_pattern" && parsed.text(*part) == "let");
    // The pattern of this name: a declaration can contain several.
    let own = parts
        .iter()
        .position(|part| part.kind() == "pattern" && names(parsed, *part).contains(&name.as_str()))
        .unwrap_or_default();
    let following = &parts[own..];
    let mine = 1 + following[1..].iter().position(|part| part.kind() == "pattern").unwrap_or(following.len() - 1);
    // `var x, y: Int` declares the type of both.
    let declared = following.iter().take_while(|part| part.kind() != "=").find(|part| part.kind() == "type_annotation");
    let value =
        following[..mine].iter().skip_while(|part| part.kind() != "=").find(|part| part.is_named() && !part.is_extra());
    let block = parts.iter().find(|part| {
        matches!(part.kind(), "computed_property" | "willset_didset_block" | "protocol_property_requirements")
    });
    if draft.element.kind == ElementKind::Variable && is_let {
        draft.set_kind(ElementKind::Constant);
    }
    let is_constant = draft.element.kind == ElementKind::Constant;
    let Some(code) = draft.code() else { return };
    code.type_name = declared.map(|declared| one_line(parsed.text(*declared).trim_start_matches(':'), TEXT_CHARACTERS));
    code.value = value.map(|value| one_line(parsed.text(*value), VALUE_CHARACTERS));
    if value.is_some_and(|value| value.kind() == "lambda_literal") {
        code.add_modifier("lambda");
    }
    code.is_static |= code.has_modifier("class");
    if is_constant {
        code.modifiers.retain(|modifier| modifier != "let");
    }
    if let Some(block) = block {
        match block.kind() {
            "computed_property" => code.add_modifier("computed"),
            "protocol_property_requirements" => code.is_abstract = true,
            _ => {}
        }
        accessor_modifiers(*block, code);
    }
}

/// Returns the names that a pattern binds.
fn names<'t>(parsed: &'t ParsedFile, pattern: Node<'_>) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "simple_identifier" => found.push(parsed.text(node)),
            "pattern" => open.extend(children(node)),
            _ => {}
        }
    }
    found
}

/// Refines one of the names of `case a = 1, b(Int)`.
fn case(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let name = draft.element.name.clone();
    let (mut payload, mut value) = (None, None);
    let mut is_own = false;
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        match cursor.field_name() {
            Some("name") => is_own = parsed.text(child) == name,
            Some("data_contents") if is_own => payload = Some(child),
            Some("raw_value") if is_own => value = Some(child),
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    let Some(code) = draft.code() else { return };
    code.value = value.map(|value| one_line(parsed.text(value), VALUE_CHARACTERS));
    if let Some(payload) = payload {
        code.params = associated(parsed, payload);
        code.params_text = params_text(parsed, payload);
    }
}

/// Returns the associated values of a case; those without a label have numbers for names.
fn associated(parsed: &ParsedFile, payload: Node<'_>) -> Vec<Param> {
    let source = parsed.source.text.as_str();
    let mut found: Vec<Param> = Vec::new();
    let parts = children(payload);
    for group in parts.split(|part| matches!(part.kind(), "," | "(" | ")")) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let colon = group.iter().position(|part| part.kind() == ":");
        let equals = group.iter().position(|part| part.kind() == "=");
        let label = colon.and_then(|colon| colon.checked_sub(1)).map(|before| parsed.text(group[before]));
        let from = colon.map_or(first.start_byte(), |colon| group[colon].end_byte());
        let to = equals.map_or(last.end_byte(), |equals| group[equals].start_byte());
        let written = |from, to| one_line(source.get(from..to).unwrap_or_default(), TEXT_CHARACTERS);
        found.push(Param {
            name: label.map_or_else(|| found.len().to_string(), str::to_owned),
            type_name: Some(written(from, to)),
            default: equals
                .and_then(|equals| group.get(equals + 1))
                .map(|value| one_line(parsed.text(*value), VALUE_CHARACTERS)),
            kind: ParamKind::Field,
            text: written(first.start_byte(), last.end_byte()),
        });
    }
    found
}

/// Sets the value of a type alias, the bound of an associated type, or the precedence of an operator.
fn named_type(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    let (mut declared, mut value, mut sign) = (None, None, "");
    loop {
        let child = cursor.node();
        match child.kind() {
            "=" => sign = "=",
            ":" => sign = ":",
            "type_constraints" => break,
            _ if child.is_extra() => {}
            "deprecated_operator_declaration_body" => {}
            _ if child.is_named() && sign == "=" && value.is_none() => value = Some(child),
            _ if child.is_named() && sign == ":" && declared.is_none() => declared = Some(child),
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    let Some(code) = draft.code() else { return };
    code.type_name = declared.map(|node| one_line(parsed.text(node), TEXT_CHARACTERS));
    code.value = value.map(|node| one_line(parsed.text(node), VALUE_CHARACTERS));
}

/// Appends the `where` constraints to the type parameters.
fn constraints(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let clause = children(draft.node).into_iter().find(|child| child.kind() == "type_constraints");
    if let Some(clause) = clause
        && let Some(code) = draft.code()
        && let Some(params) = &mut code.type_params
    {
        let clause = one_line(parsed.text(clause), TEXT_CHARACTERS);
        *params = format!("{params} {clause}").into();
    }
}

/// Returns what members without a modifier inherit: members of a protocol and enum cases are as visible as their type,
/// members of an extension as it says, and members of a private type are private.
fn inherited(parent: &CodeElement) -> Option<(ElementKind, Visibility)> {
    let code = parent.code()?;
    parent.kind.is_class_like().then_some((parent.kind, code.visibility))
}

fn visibility(draft: &mut ElementDraft<'_>, inherited: Option<(ElementKind, Visibility)>) {
    let kind = draft.element.kind;
    let Some(code) = draft.code() else { return };
    let has = |modifier| code.has_modifier(modifier);
    let is_said = has("open") || has("public");
    code.visibility = if is_said {
        Visibility::Public
    } else if has("internal") || has("package") {
        Visibility::Package
    } else if has("fileprivate") || has("private") {
        Visibility::Private
    } else {
        match inherited {
            Some((ElementKind::Protocol | ElementKind::Extension, around)) => around,
            Some((_, around)) if kind == ElementKind::EnumMember => around,
            Some((_, Visibility::Private)) => Visibility::Private,
            _ => code.visibility,
        }
    };
    code.is_exported |= is_said;
}

#[cfg(test)]
mod tests {
    use super::{is_protocol_name, is_raw_type};

    #[test]
    fn protocols_and_raw_types_are_recognised_by_name() {
        assert!(is_protocol_name("Swift.Codable"));
        assert!(is_protocol_name("UITableViewDelegate"));
        assert!(!is_protocol_name("UIViewController"));
        assert!(is_raw_type("UInt8"));
        assert!(is_raw_type("String"));
        assert!(!is_raw_type("Interval"));
        assert!(!is_raw_type("Error"));
    }
}
