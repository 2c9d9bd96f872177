//! Refines Ruby elements beyond the syntax: owners and visibility of methods, calls that create classes and fields.
//!
//! `class << self` is not an element: its methods become static methods of the enclosing class. `private` and similar
//! words apply from their position to the end of their body. Definitions made by a library's own class macros are not
//! guessed.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::super::line_docs;
use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, Visibility},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// Prefixes of comments that are meant for a tool, not for a reader.
const MAGIC: [&str; 9] =
    ["!", "-*-", "frozen_string_literal:", "encoding:", "coding:", "warn_indent:", "typed:", "rubocop:", ":nodoc:"];

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let mut fields: Vec<ElementDraft<'t>> = Vec::new();
    let mut known: HashSet<(Option<usize>, String)> = HashSet::new();
    for (at, draft) in drafts.iter_mut().enumerate() {
        match draft.element.kind {
            ElementKind::Class | ElementKind::Module => {
                unrooted(draft);
                let superclass = draft.node.child_by_field_name("superclass");
                if let Some(made) = superclass.and_then(|node| node.named_child(0)) {
                    fields.extend(members(parsed, made, at));
                }
            }
            ElementKind::Constant => {
                unrooted(draft);
                let left = draft.node.child_by_field_name("left");
                if left.is_some_and(|left| left.kind() == "left_assignment_list") {
                    if let Some(code) = draft.code() {
                        code.value = None;
                    }
                } else if let Some(made) = draft.node.child_by_field_name("right") {
                    made_by_call(parsed, draft, made);
                    fields.extend(members(parsed, made, at));
                }
            }
            // Only the bodies of `class << self` are needed, for `private` inside them.
            ElementKind::Namespace => draft.keep = false,
            _ => {}
        }
    }
    for at in 0..drafts.len() {
        match drafts[at].element.kind {
            ElementKind::Function | ElementKind::Method => method(parsed, drafts, at),
            ElementKind::Field if drafts[at].element.name.starts_with('$') => {
                // A global variable is not a field of the class that first assigns it.
                drafts[at].set_kind(ElementKind::Variable);
                drafts[at].keep = known.insert((None, drafts[at].element.name.clone()));
            }
            ElementKind::Field => field(parsed, drafts, at, &mut known),
            ElementKind::Variable => {
                let is_global = drafts[at].element.name.starts_with('$');
                drafts[at].keep &= known.insert((None, drafts[at].element.name.clone()));
                if let Some(code) = drafts[at].code().filter(|_| !is_global) {
                    code.visibility = Visibility::Private;
                }
            }
            ElementKind::Import => import(parsed, drafts, at),
            _ => {}
        }
    }
    visibility(parsed, drafts);
    aliases(parsed, drafts);
    line_docs::document(parsed, drafts, doc_text);
    drafts.extend(fields);
}

/// Removes a leading `::`: `::Store` is `Store`, wherever it is written.
fn unrooted(draft: &mut ElementDraft<'_>) {
    draft.element.name = draft.element.name.trim_start_matches("::").to_owned();
}

/// Returns a comment without its comment signs, or `None` if it is meant for a tool.
fn doc_text(comment: &str) -> Option<String> {
    if let Some(block) = comment.strip_prefix("=begin") {
        let block = block.trim_end();
        let lines = block.strip_suffix("=end").unwrap_or(block).lines().skip(1);
        return Some(lines.map(str::trim_end).collect::<Vec<_>>().join("\n"));
    }
    let bare = comment.trim_start_matches('#').trim();
    let is_magic = MAGIC.iter().any(|sign| bare.starts_with(sign));
    (!is_magic).then(|| bare.to_owned())
}

/// Returns the class or module that a definition belongs to.
fn owner(drafts: &[ElementDraft<'_>], at: usize) -> Option<usize> {
    let mut parent = drafts[at].element.parent;
    while let Some(index) = parent {
        if is_class(&drafts[index]) {
            return Some(index);
        }
        parent = drafts[index].element.parent;
    }
    None
}

fn is_class(draft: &ElementDraft<'_>) -> bool {
    draft.element.kind.is_class_like() || draft.element.kind == ElementKind::Module
}

fn encloses(draft: &ElementDraft<'_>, node: Node<'_>) -> bool {
    let span = draft.element.span;
    is_class(draft) && span.start_byte <= node.start_byte() && node.end_byte() <= span.end_byte
}

/// Returns the text of a symbol or string: `:name` and `"name"` become `name`.
fn bare(text: &str) -> &str {
    text.trim_start_matches(':').trim_matches(['"', '\''])
}

/// Returns the receiver and the method of a call, such as `Struct` and `new`.
fn called<'p>(parsed: &'p ParsedFile, call: Node<'_>) -> (&'p str, &'p str) {
    let text = |field| call.child_by_field_name(field).map_or("", |node| parsed.text(node).trim_start_matches("::"));
    if call.kind() == "call" { (text("receiver"), text("method")) } else { ("", "") }
}

/// Refines a constant assigned from a call: `Point = Struct.new(:x)` is a structure, `Error = Class.new(StandardError)`
/// a class.
fn made_by_call(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, call: Node<'_>) {
    let kind = match called(parsed, call) {
        ("Struct", "new") => ElementKind::Struct,
        ("Data", "define") => ElementKind::Record,
        ("Class", "new") => ElementKind::Class,
        ("Module", "new") => ElementKind::Module,
        _ => return,
    };
    draft.set_kind(kind);
    let superclass =
        (kind == ElementKind::Class).then(|| call.child_by_field_name("arguments")?.named_child(0)).flatten();
    if let Some(code) = draft.code() {
        code.value = None;
        code.extends = superclass.map(|node| one_line(parsed.text(node), 200)).into_iter().collect();
    }
}

/// Returns the fields that `Struct.new(:x, :y)` or `Data.define(:x)` names.
fn members<'t>(parsed: &'t ParsedFile, call: Node<'t>, of: usize) -> Vec<ElementDraft<'t>> {
    let accessor = match called(parsed, call) {
        ("Struct", "new") => "accessor",
        ("Data", "define") => "reader",
        _ => return Vec::new(),
    };
    let Some(arguments) = call.child_by_field_name("arguments") else {
        return Vec::new();
    };
    let mut cursor = arguments.walk();
    arguments
        .named_children(&mut cursor)
        .filter(|argument| argument.kind() == "simple_symbol")
        .map(|argument| {
            let mut draft = ElementDraft::new(parsed, argument, ElementKind::Field, Some(argument));
            draft.element.name = bare(&draft.element.name).to_owned();
            draft.element.parent = Some(of);
            draft.add_modifier("attribute");
            draft.add_modifier(accessor);
            draft
        })
        .collect()
}

fn method(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize) {
    let owner = owner(drafts, at);
    let owner_name = owner.map(|owner| drafts[owner].element.name.clone());
    let draft = &mut drafts[at];
    let node = draft.node;
    let mut is_static = node.kind() == "singleton_method" || is_in_singleton(node);
    match node.kind() {
        "alias" => {
            draft.element.name = bare(&draft.element.name).to_owned();
            draft.keep = !draft.element.name.starts_with('$');
        }
        "call" => {
            is_static |= called(parsed, node).1 == "define_singleton_method";
            draft.keep = !draft.element.name.contains("#{");
            draft.element.name = bare(&draft.element.name).to_owned();
        }
        "singleton_method" => {
            let object = node.child_by_field_name("object").map_or("", |node| parsed.text(node));
            let is_owner = owner_name.is_some_and(|name| name.rsplit("::").next() == Some(object));
            if object != "self" && !is_owner {
                draft.element.name = format!("{object}.{}", draft.element.name);
            }
        }
        _ => {}
    }
    let is_macro = node.kind() == "call";
    if node.kind() == "method" || node.kind() == "singleton_method" {
        // A method without statements has no body in the tree, but is complete.
        draft.body = draft.body.or(Some(node));
    }
    let has_owner = owner.is_some();
    draft.element.kind = match draft.element.name.as_str() {
        "initialize" if has_owner && !is_static => ElementKind::Constructor,
        _ if has_owner || is_static || is_macro => ElementKind::Method,
        _ => ElementKind::Function,
    };
    let name = draft.element.name.clone();
    let Some(code) = draft.code() else { return };
    code.is_static = is_static;
    code.visibility =
        if has_owner && !is_static && is_always_private(&name) { Visibility::Private } else { Visibility::Public };
    if is_static {
        code.add_modifier("static");
    }
    if is_macro {
        code.params_text = code.params_text.trim_matches('|').trim().to_owned();
    }
    for param in &mut code.params {
        if param.name.is_empty() {
            param.name.clone_from(&param.text);
        }
    }
}

/// True for hooks that Ruby makes private wherever they are defined.
fn is_always_private(name: &str) -> bool {
    matches!(name, "initialize_copy" | "initialize_clone" | "initialize_dup" | "respond_to_missing?")
}

/// True if a definition is in `class << self`.
fn is_in_singleton(node: Node<'_>) -> bool {
    let mut around = node.parent();
    while let Some(node) = around {
        match node.kind() {
            "singleton_class" => return true,
            "class" | "module" | "method" | "singleton_method" => return false,
            _ => around = node.parent(),
        }
    }
    false
}

fn field(
    parsed: &ParsedFile,
    drafts: &mut [ElementDraft<'_>],
    at: usize,
    known: &mut HashSet<(Option<usize>, String)>,
) {
    let owner = owner(drafts, at);
    let is_local = drafts[at].element.parent.is_some_and(|parent| drafts[parent].element.kind.is_callable());
    let draft = &mut drafts[at];
    let node = draft.node;
    if node.kind() == "call" {
        draft.element.name = bare(&draft.element.name).to_owned();
        // Accessors that a method adds belong to another class.
        draft.keep = !is_local && !draft.element.name.contains("#{");
        let is_static = is_in_singleton(node);
        let kind = called(parsed, node).1.trim_start_matches("attr_");
        draft.add_modifier(if kind == "attr" { "reader" } else { kind });
        if let Some(code) = draft.code() {
            code.visibility = Visibility::Public;
            code.is_static = is_static;
            if is_static {
                code.add_modifier("static");
            }
        }
        return;
    }
    // A class variable belongs to the class, wherever it is first assigned.
    draft.keep = owner.is_some() && known.insert((owner, draft.element.name.clone()));
    draft.element.parent = owner;
    if let Some(code) = draft.code() {
        code.visibility = Visibility::Private;
    }
}

fn import(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize) {
    let node = drafts[at].node;
    let (receiver, call) = called(parsed, node);
    if !matches!(receiver, "" | "Kernel" | "self") {
        drafts[at].keep = false;
        return;
    }
    let mut found = ImportFacts::default();
    let name = bare(&drafts[at].element.name).to_owned();
    found.modifiers.push(call.to_owned());
    match call {
        "require" | "require_relative" | "load" => {
            let argument = node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
            let is_plain = argument.is_some_and(|argument| argument.kind() == "string") && !name.contains("#{");
            if call == "require" {
                found.modifiers.clear();
            } else if call == "require_relative" {
                found.modifiers = vec!["relative".to_owned()];
            }
            if !is_plain {
                found.modifiers.push("dynamic".to_owned());
            }
            found.module.clone_from(&name);
        }
        "autoload" => {
            let path = node.child_by_field_name("arguments").and_then(|list| list.named_child(1));
            path.map_or("", |path| bare(parsed.text(path))).clone_into(&mut found.module);
            found.names.push(ImportName { name: name.clone(), alias: None });
        }
        _ => {
            found.module.clone_from(&name);
            if call != "using" {
                found.modifiers.push("mixin".to_owned());
            }
            let class = drafts[at].element.parent.filter(|_| call == "include" || call == "prepend");
            if let Some(class) = class.filter(|_| is_of_class(node))
                && let Some(code) = drafts[class].code()
            {
                code.implements.push(name.clone());
            }
        }
    }
    drafts[at].element.name = name;
    drafts[at].element.detail = ElementDetail::Import(Box::new(found));
}

/// True if a statement is directly in the body of a class or module, not in `class << self` or in a block.
fn is_of_class(node: Node<'_>) -> bool {
    let around = scope(node).and_then(|scope| scope.parent());
    around.is_some_and(|around| matches!(around.kind(), "class" | "module"))
}

/// Returns the body in which a statement's `private` applies.
fn scope(node: Node<'_>) -> Option<Node<'_>> {
    let mut around = node.parent();
    while let Some(node) = around {
        if matches!(node.kind(), "body_statement" | "block_body" | "program") {
            return Some(node);
        }
        around = node.parent();
    }
    None
}

/// The effect of `private` and similar words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VisibilityRule {
    Methods(Visibility),
    Singletons(Visibility),
    Constants,
    ModuleFunction,
}

impl VisibilityRule {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "private" => Self::Methods(Visibility::Private),
            "protected" => Self::Methods(Visibility::Protected),
            "public" => Self::Methods(Visibility::Public),
            "private_class_method" => Self::Singletons(Visibility::Private),
            "public_class_method" => Self::Singletons(Visibility::Public),
            "private_constant" => Self::Constants,
            "module_function" => Self::ModuleFunction,
            _ => return None,
        })
    }

    fn apply(self, draft: &mut ElementDraft<'_>) {
        // `new` stays as public as before: `initialize` is private in any case.
        let is_constructor = draft.element.kind == ElementKind::Constructor;
        if let Some(code) = draft.code() {
            match self {
                Self::Methods(visibility) | Self::Singletons(visibility) if !is_constructor => {
                    code.visibility = visibility;
                }
                Self::Constants => code.visibility = Visibility::Private,
                Self::ModuleFunction => {
                    code.is_static = true;
                    code.add_modifier("static");
                }
                _ => {}
            }
        }
    }
}

fn visibility<'t>(parsed: &ParsedFile, drafts: &mut [ElementDraft<'t>]) {
    let mut scopes: HashMap<usize, (Node<'t>, Vec<usize>)> = HashMap::new();
    for (at, draft) in drafts.iter().enumerate() {
        if draft.element.kind == ElementKind::Namespace
            && let Some(body) = draft.body
        {
            scopes.entry(body.id()).or_insert_with(|| (body, Vec::new()));
        } else if draft.element.code().is_some()
            && let Some(scope) = scope(draft.node)
        {
            scopes.entry(scope.id()).or_insert_with(|| (scope, Vec::new())).1.push(at);
        }
    }
    let mut scopes: Vec<(Node<'t>, Vec<usize>)> = scopes.into_values().collect();
    scopes.sort_by_key(|(scope, _)| scope.start_byte());
    for (scope, inside) in scopes {
        if scope.kind() != "program" {
            body(parsed, drafts, scope, &inside);
        }
    }
}

/// Gives an alias the visibility of the method that it names.
fn aliases(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>]) {
    for at in 0..drafts.len() {
        let draft = &drafts[at];
        if !draft.element.code().is_some_and(|code| code.has_modifier("alias")) {
            continue;
        }
        let original = match draft.node.kind() {
            "alias" => draft.node.child_by_field_name("alias"),
            _ => draft.node.child_by_field_name("arguments").and_then(|list| list.named_child(1)),
        };
        let Some(original) = original.map(|node| bare(parsed.text(node))) else {
            continue;
        };
        let class = owner(drafts, at);
        let found = drafts[..at].iter().enumerate().rev().find(|(other, draft)| {
            draft.element.kind == ElementKind::Method
                && draft.element.name == original
                && owner(drafts, *other) == class
        });
        let seen = found.and_then(|(_, draft)| draft.element.code()).map(|code| code.visibility);
        if let (Some(seen), Some(code)) = (seen, drafts[at].code()) {
            code.visibility = seen;
        }
    }
}

/// Applies the rules of one body to the definitions in it.
fn body(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], scope: Node<'_>, inside: &[usize]) {
    let mut in_force: Vec<(usize, VisibilityRule)> = Vec::new();
    let mut named: Vec<(VisibilityRule, Node<'_>)> = Vec::new();
    let mut cursor = scope.walk();
    for child in scope.named_children(&mut cursor) {
        let (receiver, call) = called(parsed, child);
        let word = if child.kind() == "identifier" { parsed.text(child) } else { call };
        let Some(rule) = VisibilityRule::parse(word).filter(|_| matches!(receiver, "" | "self")) else {
            continue;
        };
        match child.child_by_field_name("arguments").filter(|list| list.named_child_count() > 0) {
            Some(list) => named.push((rule, list)),
            None => in_force.push((child.start_byte(), rule)),
        }
    }
    if in_force.is_empty() && named.is_empty() {
        return;
    }
    for at in inside {
        let draft = &mut drafts[*at];
        let is_bound =
            matches!(draft.element.kind, ElementKind::Method | ElementKind::Field | ElementKind::Constructor)
                && !matches!(draft.node.kind(), "singleton_method" | "alias")
                && !draft.element.name.starts_with("@@");
        let start = draft.node.start_byte();
        if let Some((_, rule)) = in_force.iter().rev().find(|(from, _)| is_bound && *from < start) {
            let is_fixed = is_always_private(&draft.element.name);
            if !is_fixed || rule == &VisibilityRule::ModuleFunction {
                rule.apply(draft);
            }
        }
    }
    for (rule, list) in named {
        named_rule(parsed, drafts, inside, rule, list);
    }
}

/// Applies a rule to the definitions that its arguments name: `private :a, "b"`, `private def a`, `private attr_reader
/// :a`, `private(*%i[a b])`, `private_class_method :a`.
fn named_rule(
    parsed: &ParsedFile,
    drafts: &mut [ElementDraft<'_>],
    inside: &[usize],
    rule: VisibilityRule,
    list: Node<'_>,
) {
    // The innermost enclosing class is the last of those that begin before the list.
    let class = drafts.iter().rposition(|draft| encloses(draft, list));
    let in_singleton = is_in_singleton(list);
    let mut open: Vec<Node<'_>> = vec![list];
    let (mut names, mut nodes) = (Vec::new(), Vec::new());
    while let Some(node) = open.pop() {
        match node.kind() {
            "argument_list" | "splat_argument" | "array" | "symbol_array" | "string_array" => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor));
            }
            "simple_symbol" | "string" | "bare_symbol" | "bare_string" => names.push(bare(parsed.text(node))),
            _ => nodes.push(node.id()),
        }
    }
    for at in 0..drafts.len() {
        let is_written = nodes.contains(&drafts[at].node.id());
        let element = &drafts[at].element;
        let Some(code) = element.code() else { continue };
        let is_named = names.contains(&element.name.as_str());
        let is_meant = is_written
            || is_named
                && match rule {
                    VisibilityRule::Methods(_) | VisibilityRule::ModuleFunction => {
                        (inside.contains(&at) || in_singleton && code.is_static && owner(drafts, at) == class)
                            && matches!(
                                element.kind,
                                ElementKind::Method | ElementKind::Field | ElementKind::Constructor
                            )
                            && (in_singleton || drafts[at].node.kind() != "singleton_method")
                    }
                    VisibilityRule::Singletons(_) => {
                        code.is_static && element.kind == ElementKind::Method && owner(drafts, at) == class
                    }
                    VisibilityRule::Constants => element.kind != ElementKind::Method && owner(drafts, at) == class,
                };
        if is_meant {
            rule.apply(&mut drafts[at]);
        }
    }
    // Without a public `new`, other code cannot construct an object.
    if rule == VisibilityRule::Singletons(Visibility::Private) && names.contains(&"new") {
        for at in 0..drafts.len() {
            if drafts[at].element.kind == ElementKind::Constructor
                && owner(drafts, at) == class
                && let Some(code) = drafts[at].code()
            {
                code.visibility = Visibility::Private;
            }
        }
    }
}
