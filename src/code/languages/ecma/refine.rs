//! Refines JavaScript and TypeScript elements beyond the syntax: names in imports and exports, members of objects,
//! overloads, parameter properties.
//!
//! A member of an object literal is a method only if the object belongs to the file's structure. An element that a
//! later statement exports is marked as exported. Types are never inferred.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, ParamKind, Visibility},
    extract::{ElementDraft, TEXT_CHARACTERS},
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let mut exported: HashSet<String> = HashSet::new();
    let mut default: Option<String> = None;
    drop_duplicates(parsed, drafts);
    for at in 0..drafts.len() {
        if !drafts[at].keep {
            continue;
        }
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Import => import(parsed, draft),
            ElementKind::Export => {
                let found = export(parsed, draft);
                if let ElementDetail::Import(import) = &draft.element.detail
                    && import.module.is_empty()
                {
                    if import.modifiers.iter().any(|modifier| modifier == "default") {
                        default.clone_from(&found.first().cloned());
                    }
                    exported.extend(found);
                }
            }
            kind if kind.is_callable() || kind.is_class_like() => callable(draft, parent),
            ElementKind::Field | ElementKind::Namespace | ElementKind::EnumMember => named(draft),
            _ => {}
        }
        if parent.is_some_and(ElementKind::is_class_like) {
            decorated(parsed, &mut drafts[at]);
        }
        parameter_properties(parsed, drafts, at);
    }
    for draft in drafts.iter_mut().filter(|draft| draft.element.parent.is_none()) {
        let is_exported = exported.contains(&draft.element.name);
        let is_default = default.as_ref() == Some(&draft.element.name);
        if let Some(code) = draft.code() {
            code.is_exported |= is_exported;
            code.is_default |= is_default;
        }
    }
    overloads(drafts);
    local_objects(drafts);
    bound_classes(drafts);
    patterns(parsed, drafts);
}

/// Replaces a destructuring pattern by one variable for each name: `const { a, b: [c], ...rest } = value`.
fn patterns<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    for at in 0..drafts.len() {
        let draft = &drafts[at];
        let is_pattern = draft.element.code().is_some_and(|code| code.has_modifier("pattern"));
        if !is_pattern || draft.element.kind != ElementKind::Variable || !draft.keep {
            continue;
        }
        let Some(pattern) = draft.node.child_by_field_name("name") else {
            continue;
        };
        for name in declared(pattern) {
            let mut variable = ElementDraft::new(parsed, drafts[at].node, ElementKind::Variable, Some(name));
            variable.element.parent = drafts[at].element.parent;
            variable.element.detail = drafts[at].element.detail.clone();
            if let Some(code) = variable.code() {
                code.modifiers.retain(|modifier| modifier != "pattern");
            }
            drafts.push(variable);
        }
        drafts[at].keep = false;
    }
}

/// Returns the names that a pattern declares.
fn declared(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(node),
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => open.extend(node.child_by_field_name("left")),
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                open.extend(children.into_iter().rev());
            }
            _ => {}
        }
    }
    names
}

const FUNCTIONS: [&str; 3] = ["arrow_function", "function_expression", "generator_function"];

/// Drops duplicates that several query patterns find: an import wins over a variable, a function over an export.
fn drop_duplicates(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>]) {
    let mut required: HashSet<usize> = HashSet::new();
    for draft in drafts.iter().filter(|draft| draft.element.kind == ElementKind::Import) {
        if draft.node.kind() == "variable_declarator" {
            required.insert(draft.node.id());
            required.extend(draft.node.child_by_field_name("value").map(|call| call.id()));
        }
    }
    for draft in drafts.iter_mut() {
        let is_said = match (draft.element.kind, draft.node.kind()) {
            (ElementKind::Variable, _) => {
                required.contains(&draft.node.id())
                    || draft.element.code().is_some_and(|code| code.has_modifier("loop"))
            }
            (ElementKind::Import, "call_expression") => {
                required.contains(&draft.node.id()) || is_type(parsed, draft.node)
            }
            (ElementKind::Export, _) => draft
                .node
                .child_by_field_name("value")
                .or_else(|| draft.node.child_by_field_name("right"))
                .is_some_and(|value| FUNCTIONS.contains(&value.kind()) || value.kind() == "class"),
            _ => false,
        };
        draft.keep &= !is_said;
    }
}

/// True if an import only names a type, as in `typeof import("x")`, so that nothing is loaded.
fn is_type(parsed: &ParsedFile, call: Node<'_>) -> bool {
    if parsed.source.language.name == "javascript" {
        return false;
    }
    let mut around = call.parent();
    while let Some(node) = around {
        let kind = node.kind();
        if kind.starts_with("type_") || kind.ends_with("_type") || kind.ends_with("_type_clause") {
            return true;
        }
        if kind.ends_with("_statement")
            || kind.ends_with("_declaration")
            || kind == "arguments"
            || kind == "statement_block"
        {
            return false;
        }
        around = node.parent();
    }
    false
}

/// Drops a class that is bound to a variable or member, because that element already represents it.
fn bound_classes(drafts: &mut [ElementDraft<'_>]) {
    let bound: HashSet<usize> =
        drafts.iter().filter(|draft| draft.keep).filter_map(ElementDraft::inner).map(|inner| inner.id()).collect();
    for draft in drafts.iter_mut() {
        draft.keep &= draft.node.kind() != "class" || !bound.contains(&draft.node.id());
    }
}

fn callable(draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let kind = draft.element.kind;
    let has_body = draft.body.is_some();
    let is_unnamed =
        matches!(draft.node.kind(), "function_expression" | "arrow_function" | "generator_function" | "class");
    if is_unnamed {
        match draft.node.child_by_field_name("name") {
            Some(_) => {
                let name = draft.element.name.clone();
                let rest = name.split_once("function").or_else(|| name.split_once("class"));
                let rest = rest.map_or("", |(_, rest)| rest).trim_start_matches(['*', ' ']);
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
                rest[..end.unwrap_or(rest.len())].clone_into(&mut draft.element.name);
            }
            None if draft.outer().is_some() => "default".clone_into(&mut draft.element.name),
            None => "<anonymous>".clone_into(&mut draft.element.name),
        }
    }
    if kind == ElementKind::Initializer {
        "<static>".clone_into(&mut draft.element.name);
    }
    named(draft);
    let name = draft.element.name.clone();
    let in_type = parent == Some(ElementKind::Interface);
    let is_assigned = draft.node.kind() == "assignment_expression";
    let Some(code) = draft.code() else { return };
    if let Some(star) = code.modifiers.iter().position(|modifier| modifier == "*") {
        code.modifiers.remove(star);
        code.is_generator = true;
    }
    if kind.is_callable() && !has_body && kind != ElementKind::Initializer {
        code.is_abstract |= in_type;
    }
    if kind == ElementKind::Initializer {
        code.visibility = Visibility::Private;
    }
    if is_assigned && let Some(bare) = commonjs(&name) {
        code.is_exported = true;
        code.is_default = bare == "default";
        bare.clone_into(&mut draft.element.name);
    }
}

/// Returns the name that an assignment to `left` exports, if it is a `CommonJS` export.
fn commonjs(left: &str) -> Option<&str> {
    let exports = left.strip_prefix("module.").unwrap_or(left).strip_prefix("exports")?;
    if exports.is_empty() { Some("default") } else { exports.strip_prefix('.') }
}

/// Drops methods of objects within functions, and functions assigned to members there: they are not part of the file's
/// structure.
fn local_objects(drafts: &mut [ElementDraft<'_>]) {
    for at in 0..drafts.len() {
        let draft = &drafts[at];
        let is_member = (draft.element.kind != ElementKind::Export
            && matches!(draft.node.kind(), "pair" | "assignment_expression"))
            || (draft.element.kind == ElementKind::Method && draft.node.kind() == "method_definition");
        if !is_member {
            continue;
        }
        let mut around = draft.element.parent;
        while let Some(parent) = around {
            let kind = drafts[parent].element.kind;
            if kind.is_class_like() {
                break;
            }
            if kind.is_callable() && drafts[parent].keep {
                drafts[at].keep = false;
                break;
            }
            around = drafts[parent].element.parent;
        }
    }
}

/// Sets the name for display: without quotes, and a label such as `<call>` for signatures without a name.
fn named(draft: &mut ElementDraft<'_>) {
    let has = |draft: &ElementDraft<'_>, modifier| draft.element.code().is_some_and(|code| code.has_modifier(modifier));
    if has(draft, "call") {
        "<call>".clone_into(&mut draft.element.name);
    } else if has(draft, "construct") {
        "<new>".clone_into(&mut draft.element.name);
    } else if has(draft, "index") {
        let name = &draft.element.name;
        let end = name.find(']').map_or(name.len(), |end| end + 1);
        let start = name[..end].find('[').unwrap_or(0);
        draft.element.name = name[start..end].to_owned();
    }
    let name = &draft.element.name;
    let quoted = |quote| name.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(bare) = quoted('"').or_else(|| quoted('\'')) {
        draft.element.name = bare.to_owned();
    }
}

/// Marks a signature as an overload if another callable in the same scope has its name.
fn overloads(drafts: &mut [ElementDraft<'_>]) {
    let mut known: HashMap<(Option<usize>, String), usize> = HashMap::new();
    let is_counted = |draft: &ElementDraft<'_>| draft.element.kind.is_callable() && draft.keep;
    for draft in drafts.iter().filter(|draft| is_counted(draft)) {
        *known.entry((draft.element.parent, draft.element.name.clone())).or_default() += 1;
    }
    for draft in drafts.iter_mut().filter(|draft| is_counted(draft) && draft.body.is_none()) {
        let several = known.get(&(draft.element.parent, draft.element.name.clone())).is_some_and(|count| *count > 1);
        if let Some(code) = draft.code().filter(|_| several) {
            code.add_modifier("overload");
        }
    }
}

fn string(parsed: &ParsedFile, node: Node<'_>) -> String {
    parsed.text(node).trim_matches(['"', '\'', '`']).to_owned()
}

fn set(draft: &mut ElementDraft<'_>, mut found: ImportFacts) {
    if let ElementDetail::Import(import) = &draft.element.detail {
        for modifier in import.modifiers.iter().rev() {
            if !found.modifiers.contains(modifier) {
                found.modifiers.insert(0, modifier.clone());
            }
        }
    }
    draft.element.name = if found.module.is_empty() {
        let names: Vec<&str> = found.names.iter().map(|name| name.alias.as_deref().unwrap_or(&name.name)).collect();
        names.join(", ")
    } else {
        found.module.clone()
    };
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut found = ImportFacts::default();
    match node.kind() {
        "variable_declarator" => {
            if let Some(name) = node.child_by_field_name("name") {
                found.names = pattern_names(parsed, name);
            }
            let path = node
                .child_by_field_name("value")
                .and_then(|call| call.child_by_field_name("arguments"))
                .and_then(|arguments| arguments.named_child(0));
            found.module = path.map_or_else(String::new, |path| string(parsed, path));
        }
        "call_expression" => {
            let path = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
            found.module = path.map_or_else(String::new, |path| string(parsed, path));
        }
        _ => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                match child.kind() {
                    "type" | "typeof" => found.modifiers.push("type".to_owned()),
                    "import_clause" => clause(parsed, child, &mut found.names),
                    "import_require_clause" => {
                        found.modifiers.push("require".to_owned());
                        if let Some(name) = child.named_child(0) {
                            found.names.push(plain(parsed, name));
                        }
                        if let Some(source) = child.child_by_field_name("source") {
                            found.module = string(parsed, source);
                        }
                    }
                    _ => {}
                }
            }
            if let Some(source) = node.child_by_field_name("source") {
                found.module = string(parsed, source);
            }
        }
    }
    set(draft, found);
}

fn clause(parsed: &ParsedFile, clause: Node<'_>, names: &mut Vec<ImportName>) {
    let mut cursor = clause.walk();
    for child in clause.named_children(&mut cursor) {
        match child.kind() {
            "identifier" => {
                names.push(ImportName { name: "default".to_owned(), alias: Some(parsed.text(child).to_owned()) });
            }
            "namespace_import" => names.push(ImportName {
                name: "*".to_owned(),
                alias: child.named_child(0).map(|name| parsed.text(name).to_owned()),
            }),
            _ => {
                let mut cursor = child.walk();
                let specifiers = child.named_children(&mut cursor).filter(|name| !name.is_extra());
                names.extend(specifiers.map(|name| specifier(parsed, name)));
            }
        }
    }
}

fn specifier(parsed: &ParsedFile, node: Node<'_>) -> ImportName {
    let text = |field| node.child_by_field_name(field).map(|node| string(parsed, node));
    ImportName { name: text("name").unwrap_or_else(|| parsed.text(node).to_owned()), alias: text("alias") }
}

fn plain(parsed: &ParsedFile, node: Node<'_>) -> ImportName {
    ImportName { name: parsed.text(node).to_owned(), alias: None }
}

fn pattern_names(parsed: &ParsedFile, pattern: Node<'_>) -> Vec<ImportName> {
    if pattern.kind() != "object_pattern" {
        return vec![ImportName { name: "default".to_owned(), alias: Some(parsed.text(pattern).to_owned()) }];
    }
    let mut cursor = pattern.walk();
    pattern
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .map(|child| match (child.child_by_field_name("key"), child.child_by_field_name("value")) {
            (Some(key), Some(value)) => {
                ImportName { name: parsed.text(key).to_owned(), alias: Some(parsed.text(value).to_owned()) }
            }
            _ => plain(parsed, child),
        })
        .collect()
}

/// Fills in an export and returns the local names that it exports.
fn export(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) -> Vec<String> {
    let node = draft.node;
    let mut found = ImportFacts::default();
    let mut local = Vec::new();
    if node.kind() == "assignment_expression" {
        let left = node.child_by_field_name("left").map_or("", |left| parsed.text(left));
        let bare = commonjs(left).unwrap_or("default");
        if let Some(right) = node.child_by_field_name("right") {
            if bare == "default" && right.kind() == "object" {
                let mut cursor = right.walk();
                for child in right.named_children(&mut cursor).filter(|child| !child.is_extra()) {
                    let name =
                        child.child_by_field_name("key").or_else(|| child.child_by_field_name("name")).unwrap_or(child);
                    let value = child.child_by_field_name("value").unwrap_or(child);
                    found.names.push(plain(parsed, name));
                    local.push(parsed.text(value).to_owned());
                }
            } else {
                found.names.push(ImportName { name: bare.to_owned(), alias: None });
                local.push(parsed.text(right).to_owned());
            }
        }
    } else {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "*" => found.names.push(ImportName { name: "*".to_owned(), alias: None }),
                "namespace_export" => found.names.push(ImportName {
                    name: "*".to_owned(),
                    alias: child.named_child(0).map(|name| string(parsed, name)),
                }),
                "export_clause" => {
                    let mut cursor = child.walk();
                    for name in child.named_children(&mut cursor).filter(|name| !name.is_extra()) {
                        let name = specifier(parsed, name);
                        local.push(name.name.clone());
                        found.names.push(name);
                    }
                }
                "type" => found.modifiers.push("type".to_owned()),
                // The grammar does not support `export type * from`.
                "ERROR" if parsed.text(child) == "type" => found.modifiers.push("type".to_owned()),
                // `export = value;` and `export as namespace Name;`
                "=" | "namespace" => {
                    found.modifiers.push(if child.kind() == "=" { "assigned" } else { "namespace" }.to_owned());
                    let value = child.next_named_sibling().filter(|value| value.kind() == "identifier");
                    local.extend(value.map(|value| parsed.text(value).to_owned()));
                    found.names.extend(value.map(|value| plain(parsed, value)));
                }
                _ => {}
            }
        }
        if let Some(value) = node.child_by_field_name("value") {
            let (name, alias) = if value.kind() == "identifier" {
                local.push(parsed.text(value).to_owned());
                (parsed.text(value), Some("default".to_owned()))
            } else {
                ("default", None)
            };
            found.names.push(ImportName { name: name.to_owned(), alias });
        }
        if let Some(source) = node.child_by_field_name("source") {
            found.module = string(parsed, source);
        }
    }
    set(draft, found);
    local
}

/// Adds a member's decorators. In TypeScript they precede the member's node instead of being inside it.
fn decorated(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut first = draft.node;
    // Finding the previous sibling costs a search from the root. After these signs the sibling cannot be a decorator.
    let before = parsed.source.text[..first.start_byte()].trim_end();
    if before.ends_with(['{', '}', ';', ',', '/']) {
        return;
    }
    let mut found = Vec::new();
    while let Some(before) = first.prev_sibling().filter(|before| before.kind() == "decorator") {
        found.push(one_line(parsed.text(before).trim_start_matches('@'), TEXT_CHARACTERS));
        first = before;
    }
    if found.is_empty() {
        return;
    }
    found.reverse();
    let span = draft.element.span;
    draft.element.span = parsed.lines.span(&parsed.source.text, first.start_byte(), span.end_byte);
    if let Some(code) = draft.code() {
        code.decorators.splice(0..0, found);
    }
}

/// Adds a field for each parameter property: `constructor(private readonly path: string)` declares one.
fn parameter_properties<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>, at: usize) {
    if drafts[at].element.kind != ElementKind::Constructor {
        return;
    }
    let (node, class) = (drafts[at].node, drafts[at].element.parent);
    let Some(list) = node.child_by_field_name("parameters") else {
        return;
    };
    let mut cursor = list.walk();
    for param in list.named_children(&mut cursor) {
        let mut inner = param.walk();
        let modifiers: Vec<&str> = param
            .children(&mut inner)
            .filter(|child| matches!(child.kind(), "accessibility_modifier" | "readonly" | "override_modifier"))
            .map(|child| parsed.text(child))
            .collect();
        let Some(name) = param.child_by_field_name("pattern").filter(|_| !modifiers.is_empty()) else {
            continue;
        };
        let mut field = ElementDraft::new(parsed, param, ElementKind::Field, Some(name));
        field.element.parent = class;
        let declared = param.child_by_field_name("type");
        if let Some(code) = field.code() {
            code.visibility = modifiers.iter().find_map(|modifier| Visibility::from_name(modifier)).unwrap_or_default();
            code.type_name = declared.map(|node| parsed.text(node).trim_start_matches([':', ' ']).to_owned());
            code.modifiers = modifiers.into_iter().map(str::to_owned).collect();
            code.add_modifier("parameter");
        }
        let field_name = field.element.name.clone();
        if let Some(code) = drafts[at].code() {
            for param in code.params.iter_mut().filter(|param| param.name == field_name) {
                param.kind = ParamKind::Field;
            }
        }
        drafts.push(field);
    }
}
