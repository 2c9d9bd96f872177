//! Refines Lua elements beyond the syntax: tables that are modules or classes, their members, names in `require`.
//!
//! A table is a class if it has methods (`Store:parse`) or a metatable, a module if functions or values are assigned to
//! its fields, else a variable. A member of a table of this file has that table as its parent, wherever the member is
//! defined.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::super::line_docs;
use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, Visibility},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// Functions and methods of common libraries that create a class.
const CLASS_MAKERS: [&str; 8] = ["class", "Class", "extend", "extends", "subclass", "derive", "inherit", "newclass"];

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let mut imported: HashSet<usize> = HashSet::new();
    for draft in drafts.iter_mut().filter(|draft| draft.element.kind == ElementKind::Import) {
        imported.extend(import(parsed, draft));
    }
    let tables = tables(parsed, drafts, &imported);
    for at in 0..drafts.len() {
        match drafts[at].element.kind {
            ElementKind::Variable | ElementKind::Constant | ElementKind::Class | ElementKind::Module
                if is_dotted(&drafts[at]) =>
            {
                assign_table_member(drafts, at, &tables);
            }
            ElementKind::Function => {
                function(&mut drafts[at]);
                assign_table_member(drafts, at, &tables);
            }
            _ => {}
        }
    }
    mark_returned_exports(parsed, drafts);
    keep_first_assignments(drafts);
    line_docs::document(parsed, drafts, doc_text);
}

/// Returns a comment without its comment signs, or `None` if it is meant for a tool.
fn doc_text(comment: &str) -> Option<String> {
    let bare = comment.trim_start_matches('-').trim();
    if bare.starts_with("luacheck:") || bare.starts_with("stylua:") || bare.starts_with("vim:") {
        return None;
    }
    let level = bare.strip_prefix('[').map(|rest| rest.trim_start_matches('='));
    if let Some(inside) = level.and_then(|rest| rest.strip_prefix('[')) {
        let inside = inside.trim_end_matches(['-', ' ']).trim_end_matches(']').trim_end_matches('=');
        let inside = inside.trim_end_matches(']').trim_matches('-');
        let lines: Vec<&str> = inside.lines().map(str::trim).collect();
        return Some(lines.join("\n").trim().to_owned());
    }
    Some(bare.to_owned())
}

/// Reads an import and returns the start byte of the node that names it locally.
fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) -> Option<usize> {
    let name = draft.element.name.trim_matches(['"', '\'', '[', ']']).to_owned();
    let call = draft.node.child_by_field_name("name").map_or("", |name| parsed.text(name));
    let mut found = ImportFacts { module: name.clone(), ..ImportFacts::default() };
    match call {
        "require" => {}
        "pcall" => found.modifiers.push("optional".to_owned()),
        call => found.modifiers.push(call.to_owned()),
    }
    // `require("a").b`
    let mut value = draft.node;
    let mut member = None;
    while let Some(around) = value.parent().filter(|around| around.kind() == "dot_index_expression") {
        member = around.child_by_field_name("field").map(|field| parsed.text(field).to_owned());
        value = around;
    }
    let assignment = value
        .parent()
        .filter(|list| list.kind() == "expression_list")
        .and_then(|list| list.parent())
        .filter(|statement| statement.kind() == "assignment_statement");
    let mut here = None;
    if let Some(statement) = assignment {
        let (names, values) = sides(statement);
        let place = values.iter().position(|other| *other == value);
        // The first value that `pcall` returns is its success.
        let place = place.map(|place| place + usize::from(call == "pcall"));
        if let Some(name) = place.and_then(|place| names.get(place)) {
            here = Some(*name);
        }
        if names.len() == 1 && values.len() == 1 {
            let whole = statement.parent().filter(|around| around.kind() == "variable_declaration");
            draft.widen(parsed, whole.unwrap_or(statement));
        }
    }
    let local = here.map(|node| parsed.text(node).to_owned());
    if let Some(member) = member {
        let alias = local.filter(|local| *local != member);
        found.names.push(ImportName { name: member, alias });
    } else if let Some(local) = local {
        found.names.push(ImportName { name: local, alias: None });
    }
    draft.element.name = name;
    draft.element.detail = ElementDetail::Import(Box::new(found));
    here.map(|node| node.start_byte())
}

/// Returns the names and the values of an assignment.
fn sides(statement: Node<'_>) -> (Vec<Node<'_>>, Vec<Node<'_>>) {
    let list = |kind: &str, field: &str| {
        let mut cursor = statement.walk();
        let list = statement.children(&mut cursor).find(|child| child.kind() == kind);
        let mut cursor = statement.walk();
        list.map(|list| list.children_by_field_name(field, &mut cursor).collect()).unwrap_or_default()
    };
    (list("variable_list", "name"), list("expression_list", "value"))
}

/// Refines every variable and returns the indices of those that are tables, keyed by name.
fn tables(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], imported: &HashSet<usize>) -> HashMap<String, usize> {
    let evidence = evidence(parsed, drafts);
    let mut tables: HashMap<String, usize> = HashMap::new();
    for at in 0..drafts.len() {
        if drafts[at].element.kind != ElementKind::Variable {
            continue;
        }
        let is_local = drafts[at].element.parent.is_some_and(|parent| drafts[parent].element.kind.is_callable());
        let draft = &mut drafts[at];
        let name = draft.element.name.clone();
        let (mut value, mut written) = (None, None);
        if draft.node.kind() == "assignment_statement" {
            let (names, values) = sides(draft.node);
            let place = names.iter().position(|node| parsed.text(*node) == name);
            if place.is_some_and(|place| imported.contains(&names[place].start_byte())) {
                draft.keep = false;
                continue;
            }
            value = place.and_then(|place| values.get(place)).copied();
            written = value.map(|value| one_line(parsed.text(value), 80));
        }
        let is_constant =
            ["const", "close"].iter().any(|word| draft.element.code().is_some_and(|code| code.has_modifier(word)));
        let is_global = !draft.element.code().is_some_and(|code| code.has_modifier("local"));
        draft.keep &= name.starts_with("self.") || is_of_file(draft.node, is_global);
        if is_constant {
            draft.set_kind(ElementKind::Constant);
        }
        let made = value.filter(|_| !is_local).and_then(|value| class_made(parsed, value));
        let seen = evidence.get(name.as_str()).filter(|_| !is_local);
        let is_first = !tables.contains_key(&name);
        if is_first && (made.is_some() || seen.is_some_and(|seen| seen.is_class)) {
            draft.set_kind(ElementKind::Class);
        } else if is_first && seen.is_some() {
            draft.set_kind(ElementKind::Module);
        }
        if let Some(code) = draft.code() {
            code.visibility = if is_global { by_name(&name) } else { Visibility::Private };
            code.value = written;
            if is_global && !name.contains('.') {
                code.add_modifier("global");
            }
            code.extends = made.into_iter().flatten().collect();
            if let Some(base) = seen.and_then(|seen| seen.base.clone()).filter(|_| code.extends.is_empty()) {
                code.extends.push(base);
            }
        }
        if matches!(draft.element.kind, ElementKind::Class | ElementKind::Module) {
            tables.insert(name, at);
        }
    }
    tables
}

/// True if a variable belongs to the file: a local one is in no block, a global one in no function.
fn is_of_file(node: Node<'_>, is_global: bool) -> bool {
    let mut around = node.parent();
    while let Some(node) = around {
        match node.kind() {
            "function_definition" | "function_declaration" => return false,
            "variable_declaration" | "chunk" => {}
            _ if !is_global => return false,
            _ => {}
        }
        around = node.parent();
    }
    true
}

/// The evidence that shows whether a table is a class, and its base.
#[derive(Default)]
struct TableEvidence {
    is_class: bool,
    base: Option<String>,
}

fn evidence(parsed: &ParsedFile, drafts: &[ElementDraft<'_>]) -> HashMap<String, TableEvidence> {
    let mut found: HashMap<String, TableEvidence> = HashMap::new();
    for draft in drafts {
        let name = &draft.element.name;
        let is_value = matches!(draft.element.kind, ElementKind::Function | ElementKind::Variable);
        if let Some((table, member)) = name.rsplit_once([':', '.']).filter(|_| is_value) {
            let seen = found.entry(table.to_owned()).or_default();
            seen.is_class |= name.contains(':') || member == "__index";
        }
    }
    // `setmetatable(Store, { __index = Base })` among the statements of the file.
    let root = parsed.tree.root_node();
    let mut cursor = root.walk();
    for statement in root.named_children(&mut cursor).filter(|node| node.kind() == "function_call") {
        let is_meta = statement.child_by_field_name("name").is_some_and(|name| parsed.text(name) == "setmetatable");
        let Some(arguments) = statement.child_by_field_name("arguments").filter(|_| is_meta) else {
            continue;
        };
        let Some(table) = arguments.named_child(0).filter(|table| table.kind() == "identifier") else {
            continue;
        };
        let seen = found.entry(parsed.text(table).to_owned()).or_default();
        let Some(meta) = arguments.named_child(1).filter(|meta| meta.kind() == "table_constructor") else {
            seen.is_class = true;
            continue;
        };
        let mut cursor = meta.walk();
        for field in meta.named_children(&mut cursor) {
            let part = |name| field.child_by_field_name(name).map_or("", |node| parsed.text(node));
            if part("name") == "__index" && part("value").chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') {
                seen.is_class = true;
                seen.base = Some(part("value").to_owned());
            }
        }
    }
    found
}

/// Returns the bases of a class created by a call: `class("Shape", Base)`, `Base:extend("Shape")`. Returns `None` if
/// the call does not create a class.
fn class_made(parsed: &ParsedFile, value: Node<'_>) -> Option<Vec<String>> {
    if value.kind() != "function_call" {
        return None;
    }
    let called = value.child_by_field_name("name")?;
    let text = parsed.text(called);
    let maker = text.rsplit([':', '.']).next().unwrap_or(text);
    if !CLASS_MAKERS.contains(&maker) {
        return None;
    }
    if called.kind() != "identifier" && maker != "class" && maker != "Class" {
        let base = called.child_by_field_name("table")?;
        return Some(vec![one_line(parsed.text(base), 200)]);
    }
    let arguments = value.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    let bases = arguments
        .named_children(&mut cursor)
        .filter(|argument| matches!(argument.kind(), "identifier" | "dot_index_expression"));
    Some(bases.map(|base| parsed.text(base).to_owned()).collect())
}

fn is_dotted(draft: &ElementDraft<'_>) -> bool {
    draft.element.name.contains('.')
}

/// Returns the visibility by convention: a leading underscore hides a name; two mark a name that Lua itself calls.
fn by_name(name: &str) -> Visibility {
    let name = name.rsplit([':', '.']).next().unwrap_or(name);
    if name.starts_with('_') && !name.starts_with("__") { Visibility::Private } else { Visibility::Public }
}

fn function(draft: &mut ElementDraft<'_>) {
    let node = draft.inner().unwrap_or(draft.node);
    // A function without statements has no body in the tree, but is complete.
    draft.body = draft.body.or(Some(node));
    let name = draft.element.name.as_str();
    let quoted = name.split_once('[').and_then(|(table, key)| {
        let key = key.trim_end_matches(']').strip_prefix(['"', '\''])?;
        let key = key.trim_end_matches(['"', '\'']);
        let is_name = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| format!("{table}.{key}"))
    });
    draft.element.name = quoted.unwrap_or_else(|| name.trim_matches(['"', '\'']).to_owned());
    if let Some(code) = draft.code() {
        if code.has_modifier("local") {
            code.visibility = Visibility::Private;
        }
        for param in &mut code.params {
            if param.name.is_empty() {
                param.name.clone_from(&param.text);
            }
        }
    }
}

/// Sets the kind and the parent of a table member (`Store.limit`, `Store:parse`, `self.name`).
fn assign_table_member(drafts: &mut [ElementDraft<'_>], at: usize, tables: &HashMap<String, usize>) {
    let name = drafts[at].element.name.clone();
    let is_function = drafts[at].element.kind == ElementKind::Function;
    let around = drafts[at].element.parent;
    let in_callable = around.is_some_and(|parent| drafts[parent].element.kind.is_callable());
    let Some((table, member)) = name.rsplit_once([':', '.']) else {
        // A function in a table constructor that is a class.
        let is_member = around.is_some_and(|parent| drafts[parent].element.kind == ElementKind::Class);
        if is_member && is_function {
            drafts[at].set_kind(ElementKind::Method);
        }
        return;
    };
    let is_self = table == "self";
    let owner = if is_self {
        // The class of the enclosing method.
        let mut outer = around;
        while let Some(index) = outer.filter(|index| drafts[*index].element.kind != ElementKind::Class) {
            outer = drafts[index].element.parent;
        }
        outer
    } else {
        tables
            .get(table)
            .copied()
            .filter(|owner| drafts[*owner].element.span.start_byte < drafts[at].element.span.start_byte)
    };
    let is_class = owner.is_some_and(|owner| drafts[owner].element.kind == ElementKind::Class);
    let is_method = name.contains(':') || is_class;
    if !is_function && (member == "__index" || is_self && owner.is_none() || in_callable && !is_self) {
        drafts[at].keep = false;
        return;
    }
    let draft = &mut drafts[at];
    if is_function {
        draft.set_kind(if is_method { ElementKind::Method } else { ElementKind::Function });
    } else if draft.element.kind == ElementKind::Variable {
        draft.set_kind(ElementKind::Field);
    }
    if owner.is_some() {
        draft.element.parent = owner;
        member.clone_into(&mut draft.element.name);
    } else {
        draft.element.name = name.replace(':', ".");
    }
    if is_self {
        draft.add_modifier("instance");
    }
    let is_colon = name.contains(':');
    if let Some(code) = draft.code() {
        code.visibility = by_name(member);
        let takes_self = is_colon || code.params.first().is_some_and(|param| param.name == "self");
        if is_function && is_class && !takes_self {
            code.is_static = true;
            code.add_modifier("static");
        }
    }
}

/// Exports the value that a file returns, or the values of the table it returns, because every file that requires it
/// can use them.
fn mark_returned_exports(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>]) {
    let root = parsed.tree.root_node();
    let mut cursor = root.walk();
    let last = root.named_children(&mut cursor).filter(|node| !node.is_extra()).last();
    let value = last
        .filter(|last| last.kind() == "return_statement")
        .and_then(|last| last.named_child(0))
        .and_then(|list| list.named_child(0));
    let Some(value) = value else { return };
    let mut names: HashSet<&str> = HashSet::new();
    if value.kind() == "identifier" {
        names.insert(parsed.text(value));
    }
    let mut cursor = value.walk();
    for field in value.named_children(&mut cursor).filter(|field| field.kind() == "field") {
        names.extend(field.child_by_field_name("value").map(|node| parsed.text(node)));
    }
    for draft in drafts.iter_mut().filter(|draft| draft.element.parent.is_none()) {
        if names.contains(draft.element.name.as_str())
            && let Some(code) = draft.code()
        {
            code.visibility = Visibility::Public;
            code.is_exported = true;
        }
    }
}

/// Keeps a variable or field only once, at its first assignment.
fn keep_first_assignments(drafts: &mut [ElementDraft<'_>]) {
    let mut known: HashSet<(Option<usize>, String)> = HashSet::new();
    for draft in drafts.iter_mut().filter(|draft| draft.keep) {
        let kind = draft.element.kind;
        let is_value = matches!(
            kind,
            ElementKind::Variable
                | ElementKind::Constant
                | ElementKind::Field
                | ElementKind::Class
                | ElementKind::Module
        );
        if is_value {
            draft.keep = known.insert((draft.element.parent, draft.element.name.clone()));
        }
    }
}
