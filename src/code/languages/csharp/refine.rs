//! Refines C# elements beyond the syntax: default visibility, bases and interfaces, accessors, primary constructors,
//! names of operators and indexers, documentation without its XML tags.
//!
//! Only the compiler knows which entry of a base list is a class: a name such as `IShape` is taken for an interface,
//! following the language's naming rules. A file-scoped namespace reaches to the end of the file.

use std::sync::LazyLock;

use regex::Regex;
use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, Param, ParamKind, Visibility},
    extract::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS, params_text},
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    whole_file_namespace(parsed, drafts);
    let mut added = Vec::new();
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Import => import(parsed, draft),
            ElementKind::Class
            | ElementKind::Struct
            | ElementKind::Interface
            | ElementKind::Record
            | ElementKind::Enum => {
                bases(parsed, draft);
                primary_constructor(parsed, draft, at, &mut added);
            }
            ElementKind::Method | ElementKind::Constructor | ElementKind::Function => callable(parsed, draft, parent),
            ElementKind::Field => field(parsed, draft),
            ElementKind::Type => delegate(parsed, draft),
            _ => {}
        }
        constraints(parsed, draft);
        visibility(draft, parent);
        if let Some(code) = draft.code() {
            code.doc = code.doc.take().map(|doc| strip_xml_tags(&doc)).filter(|doc| !doc.is_empty());
        }
    }
    drafts.extend(added);
}

/// Makes a file-scoped namespace (`namespace A.B;`) the parent of what follows it.
fn whole_file_namespace(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>]) {
    let found = drafts.iter().position(|draft| draft.node.kind() == "file_scoped_namespace_declaration");
    let Some(namespace) = found else { return };
    let text = &parsed.source.text;
    let start = drafts[namespace].element.span.start_byte;
    drafts[namespace].element.span = parsed.lines.span(text, start, text.trim_end().len());
    for draft in drafts.iter_mut().skip(namespace + 1) {
        draft.element.parent = draft.element.parent.or(Some(namespace));
    }
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut found = ImportFacts::default();
    if node.kind() == "extern_alias_directive" {
        found.module.clone_from(&draft.element.name);
        found.modifiers = vec!["extern".to_owned(), "alias".to_owned()];
        draft.element.detail = ElementDetail::Import(Box::new(found));
        return;
    }
    let alias = node.child_by_field_name("name");
    let mut target = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "global" | "static" | "unsafe" => found.modifiers.push(child.kind().to_owned()),
            _ if child.is_named() && !child.is_extra() && Some(child) != alias => target = Some(child),
            _ => {}
        }
    }
    let Some(target) = target else { return };
    found.module = one_line(parsed.text(target), TEXT_CHARACTERS);
    found.names.push(ImportName {
        name: if alias.is_some() { found.module.clone() } else { "*".to_owned() },
        alias: alias.map(|alias| parsed.text(alias).to_owned()),
    });
    if alias.is_some() {
        found.modifiers.push("alias".to_owned());
    }
    draft.element.name.clone_from(&found.module);
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

/// Splits the base list: an interface extends all of it, a class has one base class and interfaces.
fn bases(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let kind = draft.element.kind;
    let is_value = kind == ElementKind::Struct || has_token(node, "struct");
    let mut cursor = node.walk();
    let list = node.children(&mut cursor).find(|child| child.kind() == "base_list");
    let mut names = Vec::new();
    if let Some(list) = list {
        let mut cursor = list.walk();
        for base in list.named_children(&mut cursor) {
            if base.kind() != "argument_list" && !base.is_extra() {
                let type_node = base.child_by_field_name("type").filter(|_| base.kind().ends_with("base_type"));
                names.push(one_line(parsed.text(type_node.unwrap_or(base)), TEXT_CHARACTERS));
            }
        }
    }
    let Some(code) = draft.code() else { return };
    if kind == ElementKind::Record && is_value {
        code.add_modifier("struct");
    }
    let extends = match kind {
        ElementKind::Interface | ElementKind::Enum => names.len(),
        _ => usize::from(!is_value && names.first().is_some_and(|name| !is_interface_name(name))),
    };
    code.implements = names.split_off(extends);
    code.extends = names;
}

/// True if a name looks like an interface: `IShape`, `System.IDisposable`, `IList<int>`.
fn is_interface_name(name: &str) -> bool {
    let bare = name.split('<').next().unwrap_or(name);
    let last = bare.rsplit(['.', ':']).next().unwrap_or(bare);
    let mut letters = last.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}

/// Adds a primary constructor: `class Store(int size)` has one, `record Point(int X)` has properties as well.
fn primary_constructor<'t>(
    parsed: &'t ParsedFile,
    draft: &mut ElementDraft<'t>,
    at: usize,
    added: &mut Vec<ElementDraft<'t>>,
) {
    let node = draft.node;
    let mut cursor = node.walk();
    let list = node.children(&mut cursor).find(|child| child.kind() == "parameter_list");
    let Some(list) = list else { return };
    let is_record = draft.element.kind == ElementKind::Record;
    let mut params = params_of(parsed, list);
    if is_record {
        for param in &mut params {
            param.kind = ParamKind::Field;
        }
    }
    let mut constructor = ElementDraft::new(parsed, list, ElementKind::Constructor, node.child_by_field_name("name"));
    constructor.element.parent = Some(at);
    if let Some(code) = constructor.code() {
        code.params.clone_from(&params);
        code.params_text = params_text(parsed, list);
        code.add_modifier("primary");
        code.visibility = Visibility::Public;
    }
    added.push(constructor);
    if let Some(code) = draft.code() {
        code.params = params;
        code.params_text = params_text(parsed, list);
    }
    if !is_record {
        return;
    }
    let is_mutable =
        has_token(node, "struct") && draft.element.code().is_some_and(|code| !code.has_modifier("readonly"));
    let mut cursor = list.walk();
    for param in list.named_children(&mut cursor).filter(|param| param.kind() == "parameter") {
        let mut property = ElementDraft::new(parsed, param, ElementKind::Field, param.child_by_field_name("name"));
        property.element.parent = Some(at);
        if let Some(code) = property.code() {
            code.type_name = param.child_by_field_name("type").map(|node| parsed.text(node).to_owned());
            for modifier in ["property", "get", if is_mutable { "set" } else { "init" }, "parameter"] {
                code.add_modifier(modifier);
            }
            code.visibility = Visibility::Public;
        }
        added.push(property);
    }
}

fn callable(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let node = draft.node;
    let kind = draft.element.kind;
    let text = |field| node.child_by_field_name(field).map_or("", |node| parsed.text(node));
    match node.kind() {
        "destructor_declaration" => draft.element.name.insert(0, '~'),
        "operator_declaration" => {
            let is_checked = if has_token(node, "checked") { "checked " } else { "" };
            draft.element.name = format!("operator {is_checked}{}", text("operator"));
        }
        "conversion_operator_declaration" => {
            let word = if has_token(node, "implicit") { "implicit" } else { "explicit" };
            draft.element.name = format!("{word} operator {}", one_line(text("type"), TEXT_CHARACTERS));
            draft.add_modifier("conversion");
        }
        _ => {}
    }
    let list = node.child_by_field_name("parameters");
    let explicit = explicit_interface(parsed, node);
    if let Some(interface) = &explicit {
        draft.element.name = format!("{interface}.{}", draft.element.name);
    }
    let has_body = draft.body.is_some();
    let Some(code) = draft.code() else { return };
    if let Some(list) = list {
        code.params = params_of(parsed, list);
        code.params_text = params_text(parsed, list);
    }
    if explicit.is_some() {
        code.add_modifier("explicit");
    }
    if code.params.first().is_some_and(|param| param.kind == ParamKind::Receiver) {
        code.add_modifier("extension");
    }
    code.is_abstract |= kind == ElementKind::Method && parent == Some(ElementKind::Interface) && !has_body;
}

/// Returns the interface of an explicit interface implementation.
fn explicit_interface(parsed: &ParsedFile, node: Node<'_>) -> Option<String> {
    let mut cursor = node.walk();
    let specifier = node.children(&mut cursor).find(|child| child.kind() == "explicit_interface_specifier")?;
    Some(one_line(parsed.text(specifier).trim_end_matches('.'), TEXT_CHARACTERS))
}

fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| !child.is_named() && child.kind() == token)
}

/// Refines fields, properties, events and indexers.
fn field(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut accessors: Vec<String> = Vec::new();
    if let Some(list) = node.child_by_field_name("accessors") {
        let mut cursor = list.walk();
        for accessor in list.named_children(&mut cursor) {
            accessors.extend(accessor.child_by_field_name("name").map(|name| parsed.text(name).to_owned()));
        }
    }
    let arrow = node.child_by_field_name("value").filter(|value| value.kind() == "arrow_expression_clause");
    if arrow.is_some() {
        accessors.push("get".to_owned());
    }
    let mut value = arrow.map(|arrow| parsed.text(arrow).trim_start_matches("=>").trim());
    if node.kind() == "variable_declarator" {
        // The declarator has no field for what follows its `=`.
        let mut cursor = node.walk();
        let initial = node
            .children(&mut cursor)
            .skip_while(|child| child.kind() != "=")
            .find(|child| child.is_named() && !child.is_extra());
        value = initial.map(|initial| parsed.text(initial));
        if initial.is_some_and(|initial| matches!(initial.kind(), "lambda_expression" | "anonymous_method_expression"))
        {
            draft.add_modifier("lambda");
        }
    }
    if node.kind() == "indexer_declaration" {
        let list = node.child_by_field_name("parameters");
        let params = list.map_or_else(String::new, |list| params_text(parsed, list));
        draft.element.name = format!("this[{params}]");
        if let (Some(list), Some(code)) = (list, draft.code()) {
            code.params = params_of(parsed, list);
        }
    }
    if let Some(interface) = explicit_interface(parsed, node) {
        draft.element.name = format!("{interface}.{}", draft.element.name);
        draft.add_modifier("explicit");
    }
    let Some(code) = draft.code() else { return };
    if let Some(value) = value {
        code.value = Some(one_line(value, VALUE_CHARACTERS));
    }
    for accessor in accessors {
        code.add_modifier(&accessor);
    }
    code.is_static |= code.has_modifier("const");
}

/// Refines a delegate: `delegate int Compare(int a, int b)` is a function type.
fn delegate(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let list = draft.node.child_by_field_name("parameters");
    let Some(code) = draft.code() else { return };
    if let Some(list) = list {
        code.params = params_of(parsed, list);
        code.params_text = params_text(parsed, list);
    }
}

/// Appends the `where` constraints to the type parameters.
fn constraints(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut cursor = node.walk();
    let clauses: Vec<String> = node
        .children(&mut cursor)
        .filter(|child| child.kind() == "type_parameter_constraints_clause")
        .map(|clause| one_line(parsed.text(clause), TEXT_CHARACTERS))
        .collect();
    if let Some(code) = draft.code()
        && let Some(params) = &mut code.type_params
    {
        for clause in clauses {
            *params = format!("{params} {clause}").into();
        }
    }
}

/// Sets the default visibility: types are visible in their assembly, members of a type only within it, members of
/// interfaces everywhere.
fn visibility(draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let kind = draft.element.kind;
    let is_type = kind.is_class_like() || kind == ElementKind::Type;
    let Some(code) = draft.code() else { return };
    let has = |modifier| code.has_modifier(modifier);
    code.visibility = if kind == ElementKind::Namespace || has("public") || kind == ElementKind::EnumMember {
        Visibility::Public
    } else if has("protected") {
        Visibility::Protected
    } else if has("internal") {
        Visibility::Package
    } else if has("private") || has("file") {
        Visibility::Private
    } else if parent == Some(ElementKind::Interface) {
        Visibility::Public
    } else if is_type && !parent.is_some_and(ElementKind::is_class_like) {
        Visibility::Package
    } else {
        Visibility::Private
    };
}

/// Returns the parameters. The grammar spreads the last one of `params T[] rest` over the list itself.
fn params_of(parsed: &ParsedFile, list: Node<'_>) -> Vec<Param> {
    let text = |node: Node<'_>| one_line(parsed.text(node), TEXT_CHARACTERS);
    let mut found: Vec<Param> = Vec::new();
    let mut rest: Option<(usize, Option<String>)> = None;
    let mut cursor = list.walk();
    if !cursor.goto_first_child() {
        return found;
    }
    loop {
        let child = cursor.node();
        match (child.kind(), cursor.field_name()) {
            ("parameter", _) => found.push(param(parsed, child)),
            ("params", _) => rest = Some((child.start_byte(), None)),
            (_, Some("type")) => {
                if let Some((_, declared)) = &mut rest {
                    *declared = Some(text(child));
                }
            }
            (_, Some("name")) => {
                if let Some((start, declared)) = rest.take() {
                    let whole = parsed.source.text.get(start..child.end_byte()).unwrap_or_default();
                    found.push(Param {
                        name: text(child),
                        type_name: declared,
                        default: None,
                        kind: ParamKind::Variadic,
                        text: one_line(whole, TEXT_CHARACTERS),
                    });
                }
            }
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            return found;
        }
    }
}

fn param(parsed: &ParsedFile, node: Node<'_>) -> Param {
    let text = |node: Node<'_>| one_line(parsed.text(node), TEXT_CHARACTERS);
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let words: Vec<&str> =
        children.iter().filter(|child| child.kind() == "modifier").map(|child| parsed.text(*child)).collect();
    let default =
        children.iter().skip_while(|child| child.kind() != "=").find(|child| child.is_named() && !child.is_extra());
    let kind = if words.contains(&"this") {
        ParamKind::Receiver
    } else if words.contains(&"params") {
        ParamKind::Variadic
    } else {
        ParamKind::Plain
    };
    Param {
        name: node.child_by_field_name("name").map_or_else(String::new, text),
        type_name: node.child_by_field_name("type").map(text),
        default: default.map(|node| one_line(parsed.text(*node), VALUE_CHARACTERS)),
        kind,
        text: text(node),
    }
}

/// Returns documentation without its XML tags; parameters and other named elements keep their names.
fn strip_xml_tags(doc: &str) -> String {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"<(param|typeparam|exception)\s+(?:name|cref)="([^"]*)"\s*>"#).expect("a constant pattern")
    });
    static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"<(?:see|seealso|paramref|typeparamref|inheritdoc)\s+(?:cref|name|langword|href)="(?:[A-Z]:)?([^"]*)"\s*/>"#)
            .expect("a constant pattern")
    });
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"<(returns|value|remarks|example)>").expect("a constant pattern"));
    static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"</?[A-Za-z][^<>\n]*>").expect("a constant pattern"));
    if !doc.contains('<') {
        return doc.to_owned();
    }
    let doc = NAMED.replace_all(doc, "$2: ");
    let doc = REFERENCE.replace_all(&doc, "$1");
    let doc = WORD.replace_all(&doc, "$1: ");
    let doc = TAG.replace_all(&doc, "");
    let doc = doc.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let lines: Vec<&str> = doc.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{is_interface_name, strip_xml_tags};

    #[test]
    fn xml_tags_are_stripped_from_documentation() {
        assert_eq!(
            strip_xml_tags(
                "<summary>\nFinds <see cref=\"T:Shop.Item\"/>.\n</summary>\n<param name=\"key\">what</param>\n<returns>it</returns>"
            ),
            "Finds Shop.Item.\nkey: what\nreturns: it"
        );
        assert_eq!(strip_xml_tags("Plain, a < b."), "Plain, a < b.");
    }

    #[test]
    fn interfaces_are_recognised_by_name() {
        assert!(is_interface_name("System.IDisposable"));
        assert!(is_interface_name("IList<int>"));
        assert!(!is_interface_name("Item"));
        assert!(!is_interface_name("Index<IKey>"));
    }
}
