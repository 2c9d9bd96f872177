//! Refines Kotlin elements beyond the fields of the grammar: parameters, types, receivers, super types, members of
//! companion objects.
//!
//! The name of an extension includes the extended type (`List.second`), because no enclosing element shows it. A
//! property accessor with a body is a method of the property. Types are never inferred.

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, Param, ParamKind, Visibility},
    extract::{ElementDraft, params_text, strip_comment_markers},
    parse::{ParsedFile, one_line},
};

/// The maximum length of a type or parameter, in characters.
const TEXT: usize = 200;

/// The maximum length of a value, in characters.
const VALUE: usize = 80;

#[expect(clippy::ptr_arg, reason = "the type of every refinement: others add drafts")]
pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent;
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Package => {
                let name = child(draft.node, "qualified_identifier").or_else(|| child(draft.node, "identifier"));
                draft.element.name = name.map_or("", |name| parsed.text(name)).to_owned();
            }
            ElementKind::Import => import(parsed, draft),
            ElementKind::Class if draft.node.kind() == "infix_expression" => refine_misparsed_class(parsed, draft),
            ElementKind::Class
            | ElementKind::Interface
            | ElementKind::Enum
            | ElementKind::Annotation
            | ElementKind::Object => class(parsed, draft),
            ElementKind::Function | ElementKind::Method => function(parsed, draft),
            ElementKind::Constructor => constructor(parsed, draft),
            ElementKind::Initializer => "init".clone_into(&mut draft.element.name),
            ElementKind::Field | ElementKind::Variable => {
                property(parsed, draft);
                draft.keep &= is_declared(draft.node);
                // A property that the primary constructor declares belongs to the class.
                if draft.node.kind() == "class_parameter" {
                    let class = parent.and_then(|constructor| drafts[constructor].element.parent);
                    drafts[at].element.parent = class;
                }
            }
            ElementKind::EnumMember => {
                let value = child(draft.node, "value_arguments").map(|node| one_line(parsed.text(node), VALUE));
                if let Some(code) = draft.code() {
                    code.value = value;
                }
            }
            ElementKind::Type => {
                let value = after(draft.node, "=").map(|node| one_line(parsed.text(node), VALUE));
                if let Some(code) = draft.code() {
                    code.value = value;
                }
            }
            _ => {}
        }
    }
    for at in 0..drafts.len() {
        if let Some(parent) = drafts[at].element.parent {
            let around = drafts[parent].element.kind;
            let modifiers = drafts[parent].element.code().map(|code| code.modifiers.clone());
            // The body of an enum entry is a class body.
            if around == ElementKind::EnumMember && drafts[at].element.kind == ElementKind::Function {
                drafts[at].element.kind = ElementKind::Method;
            }
            member(&mut drafts[at], around, &modifiers.unwrap_or_default());
        }
    }
}

/// Returns the first child of a kind.
fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// Returns the first child after a token, comments excluded.
fn after<'t>(node: Node<'t>, token: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .skip_while(|child| child.kind() != token || child.is_named())
        .skip(1)
        .find(|child| !child.is_extra())
}

fn is_type(node: Node<'_>) -> bool {
    matches!(node.kind(), "user_type" | "nullable_type" | "function_type" | "parenthesized_type" | "non_nullable_type")
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let text: String = parsed.text(draft.node).trim_end_matches(';').replace('`', "");
    let path = text.trim_start_matches("import").trim();
    let (path, alias) = match path.split_once(" as ") {
        Some((path, alias)) => (path.trim(), Some(alias.trim().to_owned())),
        None => (path, None),
    };
    let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
    path.clone_into(&mut draft.element.name);
    draft.element.detail = ElementDetail::Import(Box::new(ImportFacts {
        module: module.to_owned(),
        names: vec![ImportName { name: name.to_owned(), alias }],
        modifiers: Vec::new(),
    }));
}

fn class(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let is_interface = draft.element.kind == ElementKind::Interface;
    let is_functional = is_interface && child(node, "fun").is_some();
    let is_anonymous = node.kind() == "object_literal";
    let (mut extends, mut implements) = (Vec::new(), Vec::new());
    if let Some(list) = child(node, "delegation_specifiers") {
        let mut cursor = list.walk();
        for specifier in list.named_children(&mut cursor).filter(|child| !child.is_extra()) {
            // Annotations may precede the specifier.
            let mut parts = specifier.walk();
            let Some(written) = specifier.named_children(&mut parts).find(|part| part.kind() != "annotation") else {
                continue;
            };
            let is_super = written.kind() == "constructor_invocation";
            let named = match written.kind() {
                "constructor_invocation" | "explicit_delegation" => written.named_child(0).unwrap_or(written),
                _ => written,
            };
            let name = one_line(parsed.text(named), TEXT);
            // Without a primary constructor, the secondary constructors call that of the super class, which is named
            // first.
            if is_super || is_interface || (extends.is_empty() && implements.is_empty() && calls_super(node)) {
                extends.push(name);
            } else {
                implements.push(name);
            }
        }
    }
    if node.kind() == "companion_object" {
        let name = node.child_by_field_name("name").map_or("Companion", |name| parsed.text(name));
        name.clone_into(&mut draft.element.name);
    }
    if is_anonymous {
        let of = extends.iter().chain(&implements).next();
        draft.element.name = of.map_or_else(|| "<anonymous>".to_owned(), |of| format!("<anonymous {of}>"));
    }
    if let Some(code) = draft.code() {
        code.modifiers.retain(|word| word != "enum" && word != "annotation");
        code.extends = extends;
        code.implements = implements;
        if is_functional {
            code.add_modifier("fun");
        }
        if is_anonymous {
            code.visibility = Visibility::Private;
        }
        is_internal(code);
    }
}

/// Refines a class that the grammar parsed as an annotated expression.
fn refine_misparsed_class<'t>(parsed: &'t ParsedFile, draft: &mut ElementDraft<'t>) {
    let word = draft.node.named_child(1).map_or("", |word| parsed.text(word));
    let mut decorators = Vec::new();
    let mut around = draft.node.parent();
    while let Some(node) = around.filter(|node| node.kind() == "annotated_expression") {
        let written = child(node, "annotation").map_or("", |annotation| parsed.text(annotation));
        decorators.insert(0, one_line(written.trim_start_matches('@'), TEXT));
        draft.widen(parsed, node);
        around = node.parent();
    }
    let before = draft.outer().and_then(|outer| outer.prev_sibling());
    let doc = before.map(|comment| parsed.text(comment)).filter(|text| text.starts_with("/**"));
    let is = |word| draft.element.code().is_some_and(|code| code.has_modifier(word));
    draft.element.kind = match word {
        "object" => ElementKind::Object,
        "interface" => ElementKind::Interface,
        _ if is("annotation") => ElementKind::Annotation,
        _ if is("enum") => ElementKind::Enum,
        _ => ElementKind::Class,
    };
    if let Some(code) = draft.code() {
        code.decorators = decorators;
        code.doc = doc.map(strip_comment_markers);
        code.modifiers.retain(|word| word != "enum" && word != "annotation");
        is_internal(code);
    }
}

fn is_internal(code: &mut crate::elements::DefinitionFacts) {
    if code.has_modifier("internal") {
        code.visibility = Visibility::Package;
    }
}

/// True if a secondary constructor of this class calls a constructor of the super class.
fn calls_super(class: Node<'_>) -> bool {
    let Some(body) = child(class, "class_body") else {
        return false;
    };
    let mut cursor = body.walk();
    body.named_children(&mut cursor)
        .filter(|member| member.kind() == "secondary_constructor")
        .filter_map(|constructor| child(constructor, "constructor_delegation_call"))
        .any(|call| child(call, "super").is_some())
}

fn function(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    match node.kind() {
        "getter" => "get".clone_into(&mut draft.element.name),
        "setter" => {
            "set".clone_into(&mut draft.element.name);
            let value = child(node, "identifier").map(|name| parsed.text(name).to_owned());
            if let (Some(name), Some(code)) = (value, draft.code()) {
                code.params_text.clone_from(&name);
                code.params = vec![Param { text: name.clone(), name, ..Param::default() }];
            }
        }
        _ => {
            unquote(draft);
            extended(parsed, draft);
        }
    }
    parameters(parsed, draft, child(node, "function_value_parameters"));
    let mut cursor = node.walk();
    let declared = node
        .children(&mut cursor)
        .skip_while(|part| part.kind() != "function_value_parameters" && part.kind() != ")")
        .skip_while(|part| part.kind() != ":")
        .find(|part| is_type(*part))
        .map(|part| one_line(parsed.text(part), TEXT));
    if let Some(code) = draft.code() {
        code.type_name = declared;
        code.is_async = code.has_modifier("suspend");
        is_internal(code);
    }
}

/// Removes the back quotes of a name, between which any text is allowed.
fn unquote(draft: &mut ElementDraft<'_>) {
    draft.element.name = draft.element.name.trim_matches('`').to_owned();
}

/// Puts the extended type before the name of an extension.
fn extended(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut cursor = draft.node.walk();
    let receiver = draft
        .node
        .children(&mut cursor)
        .take_while(|part| !matches!(part.kind(), "function_value_parameters" | "variable_declaration" | ":" | "="))
        .find(|part| is_type(*part));
    let Some(receiver) = receiver else { return };
    draft.add_modifier("extension");
    let text = parsed.text(receiver);
    let bare = text.split(['<', '?']).next().unwrap_or(text).trim_start_matches('(').trim();
    let is_name = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if is_name && receiver.kind() != "function_type" {
        draft.element.name = format!("{bare}.{}", draft.element.name);
    }
}

fn constructor(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    "constructor".clone_into(&mut draft.element.name);
    let list = child(draft.node, "class_parameters").or_else(|| child(draft.node, "function_value_parameters"));
    parameters(parsed, draft, list);
    if draft.node.kind() == "secondary_constructor" {
        // A constructor that only delegates has no block.
        draft.body = draft.body.or(Some(draft.node));
    }
    if let Some(code) = draft.code() {
        is_internal(code);
    }
}

fn parameters(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, list: Option<Node<'_>>) {
    let Some(list) = list else { return };
    let mut found: Vec<(usize, usize, Param)> = Vec::new();
    let (mut begin, mut is_variadic, mut is_default) = (None, false, false);
    let mut cursor = list.walk();
    for part in list.children(&mut cursor).filter(|part| !part.is_extra()) {
        match part.kind() {
            "(" | ")" | "," => (begin, is_variadic, is_default) = (None, false, false),
            "parameter_modifiers" => {
                begin = Some(part.start_byte());
                is_variadic = parsed.text(part).contains("vararg");
            }
            "parameter" | "class_parameter" => {
                let mut param = parameter(parsed, part);
                if is_variadic {
                    param.kind = ParamKind::Variadic;
                }
                found.push((begin.unwrap_or(part.start_byte()), part.end_byte(), param));
            }
            "=" => is_default = true,
            _ => {
                if let Some((_, end, param)) = found.last_mut().filter(|_| is_default) {
                    *end = part.end_byte();
                    param.default = Some(one_line(parsed.text(part), VALUE));
                }
            }
        }
    }
    let text = params_text(parsed, list);
    if let Some(code) = draft.code() {
        code.params_text = text;
        code.params = found
            .into_iter()
            .map(|(start, end, param)| Param {
                text: one_line(parsed.source.text.get(start..end).unwrap_or_default(), TEXT),
                ..param
            })
            .collect();
    }
}

fn parameter(parsed: &ParsedFile, node: Node<'_>) -> Param {
    let text = |node: Node<'_>| one_line(parsed.text(node), TEXT);
    let is_field = child(node, "val").is_some() || child(node, "var").is_some();
    let is_variadic = child(node, "modifiers").is_some_and(|modifiers| parsed.text(modifiers).contains("vararg"));
    Param {
        name: child(node, "identifier").map(text).unwrap_or_default(),
        type_name: after(node, ":").map(text),
        default: after(node, "=").map(|value| one_line(parsed.text(value), VALUE)),
        kind: match (is_field, is_variadic) {
            (true, _) => ParamKind::Field,
            (_, true) => ParamKind::Variadic,
            _ => ParamKind::Plain,
        },
        text: text(node),
    }
}

fn property(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    unquote(draft);
    let several = child(node, "multi_variable_declaration").is_some();
    let declaration = child(node, "variable_declaration").unwrap_or(node);
    let declared = after(declaration, ":").filter(|_| !several);
    let declared = declared.map(|node| one_line(parsed.text(node), TEXT));
    let value = after(node, "=").filter(|_| !several);
    let delegate = child(node, "property_delegate").and_then(|by| by.named_child(0));
    let is_lambda = value.is_some_and(|value| matches!(value.kind(), "lambda_literal" | "anonymous_function"));
    let written = value.or(delegate).map(|value| one_line(parsed.text(value), VALUE));
    if node.kind() == "property_declaration" {
        extended(parsed, draft);
    }
    if is_lambda {
        draft.add_modifier("lambda");
    }
    if delegate.is_some() {
        draft.add_modifier("delegated");
    }
    if draft.element.code().is_some_and(|code| code.has_modifier("const")) {
        draft.set_kind(ElementKind::Constant);
    }
    if let Some(code) = draft.code() {
        code.type_name = declared;
        code.value = written;
        is_internal(code);
    }
}

/// True if a property is declared in a class or in the file, and not in a block of code.
fn is_declared(property: Node<'_>) -> bool {
    property.parent().is_some_and(|around| match around.kind() {
        "source_file" | "class_body" | "enum_class_body" | "class_parameters" => true,
        // The body of a class that the grammar parsed as an expression.
        "lambda_literal" => around
            .parent()
            .and_then(|lambda| lambda.parent())
            .and_then(|call| call.parent())
            .is_some_and(|outer| outer.kind() == "infix_expression"),
        _ => false,
    })
}

/// Sets what a member inherits from the element around it: visibility, `abstract`, `static`.
fn member(draft: &mut ElementDraft<'_>, around: ElementKind, modifiers: &[String]) {
    let kind = draft.element.kind;
    let has_body = draft.body.is_some();
    let in_companion = modifiers.iter().any(|modifier| modifier == "companion");
    let is_sealed = modifiers.iter().any(|modifier| modifier == "sealed");
    let Some(code) = draft.code() else { return };
    let is_unsaid = !["public", "private", "protected", "internal"].iter().any(|word| code.has_modifier(word));
    if is_unsaid && code.has_modifier("parameter") {
        code.visibility = Visibility::Public;
    }
    if around == ElementKind::Interface && kind == ElementKind::Method && !has_body {
        code.is_abstract = true;
    }
    if in_companion && matches!(kind, ElementKind::Method | ElementKind::Field | ElementKind::Constant) {
        code.is_static = true;
    }
    if kind == ElementKind::Constructor && is_unsaid {
        if around == ElementKind::Enum {
            code.visibility = Visibility::Private;
        } else if is_sealed {
            code.visibility = Visibility::Protected;
        }
    }
    if kind == ElementKind::Initializer {
        code.visibility = Visibility::Private;
    }
}
