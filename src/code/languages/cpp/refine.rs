//! Refines C++ elements beyond what C needs: visibility of members, owners of definitions outside of their class,
//! constructors, destructors, conversions and operators, and imports by `using`.
//!
//! `A::b` belongs to `A` if `A` is defined earlier in the file; otherwise the name shows the scope (`A.b`). Qualified
//! names use dots throughout. Overloads are not resolved, templates not instantiated, base classes not looked up.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::{
    elements::{CodeElement, ElementDetail, ElementKind, ImportFacts, ImportName, Visibility},
    extract::{ElementDraft, TEXT_CHARACTERS},
    languages::c,
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    c::read_declarators(parsed, drafts);
    for draft in drafts.iter_mut() {
        match draft.element.kind {
            ElementKind::Import => imported(parsed, draft),
            ElementKind::Namespace => namespace(parsed, draft),
            ElementKind::Class | ElementKind::Struct | ElementKind::Union | ElementKind::Enum => {
                aggregate(parsed, draft);
            }
            ElementKind::Method | ElementKind::Function | ElementKind::Constructor => function(parsed, draft),
            _ => {}
        }
        if let Some(code) = draft.code()
            && let Some(params) = &code.type_params
        {
            if params.is_empty() {
                code.type_params = None;
                code.add_modifier("specialization");
            } else {
                code.add_modifier("template");
            }
        }
    }
    access(parsed, drafts);
    for at in 0..drafts.len() {
        owner(drafts, at);
    }
    mark_special_members(drafts);
    mark_file_local(drafts);
}

fn imported(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut found = ImportFacts::default();
    match node.kind() {
        "namespace_alias_definition" => {
            let mut cursor = node.walk();
            let target = node.named_children(&mut cursor).last();
            found.module = target.map_or_else(String::new, |target| parsed.text(target).to_owned());
            found.names.push(ImportName { name: found.module.clone(), alias: Some(draft.element.name.clone()) });
            found.modifiers = vec!["namespace".to_owned(), "alias".to_owned()];
        }
        "using_declaration" => {
            let mut cursor = node.walk();
            let words: Vec<Node<'_>> = node.children(&mut cursor).collect();
            found.modifiers.push("using".to_owned());
            for word in &words {
                if matches!(word.kind(), "namespace" | "enum") {
                    found.modifiers.push(word.kind().to_owned());
                }
            }
            let target = words.iter().rev().find(|word| word.is_named() && !word.is_extra());
            let text = target.map_or("", |target| parsed.text(*target));
            let text = one_line(text, TEXT_CHARACTERS);
            let is_whole = found.modifiers.len() > 1;
            let (module, name) = match text.rsplit_once("::") {
                Some((module, name)) if !is_whole => (module.to_owned(), name.to_owned()),
                _ => (text.clone(), "*".to_owned()),
            };
            draft.element.name = text;
            found.module = module;
            found.names.push(ImportName { name, alias: None });
        }
        _ => return,
    }
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

fn namespace(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    match draft.node.child_by_field_name("name") {
        Some(name) => draft.element.name = dotted(parsed.text(name)),
        None => "<anonymous>".clone_into(&mut draft.element.name),
    }
}

fn aggregate(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    if let Some(name) = node.child_by_field_name("name") {
        draft.element.name = dotted(parsed.text(name));
    } else if draft.element.kind == ElementKind::Class && draft.element.name.contains('{') {
        "<anonymous class>".clone_into(&mut draft.element.name);
    }
    let mut cursor = node.walk();
    let mut bases = Vec::new();
    let mut is_scoped = false;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "base_class_clause" => bases.extend(bases_of(parsed, child)),
            "class" | "struct" if node.kind() == "enum_specifier" => is_scoped = true,
            _ => {}
        }
    }
    if let Some(base) = node.child_by_field_name("base") {
        bases.push(parsed.text(base).to_owned());
    }
    let Some(code) = draft.code() else { return };
    code.extends = bases;
    if is_scoped {
        code.add_modifier("class");
    }
}

/// Returns the base classes without access specifiers; a parameter pack keeps its dots.
fn bases_of(parsed: &ParsedFile, clause: Node<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut cursor = clause.walk();
    for child in clause.children(&mut cursor) {
        match child.kind() {
            "..." => {
                if let Some(last) = found.last_mut() {
                    last.push_str("...");
                }
            }
            "access_specifier" | "attribute_declaration" | "comment" => {}
            _ if child.is_named() && child.kind() != "virtual" => {
                found.push(one_line(parsed.text(child), TEXT_CHARACTERS));
            }
            _ => {}
        }
    }
    found
}

/// Adds the modifiers around a function's parameters: `const`, `override`, `= 0`, `= default`.
fn function(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let is_friend = draft.element.code().is_some_and(|code| code.has_modifier("friend"));
    if is_friend {
        draft.element.kind = ElementKind::Function;
    }
    let node = draft.node;
    let mut words: Vec<String> = Vec::new();
    let mut holder = draft.outer().unwrap_or(node);
    // The statement itself is the innermost of the nodes that wrap it.
    while matches!(holder.kind(), "template_declaration" | "friend_declaration" | "linkage_specification") {
        let mut cursor = holder.walk();
        let inner = holder.named_children(&mut cursor).find(|child| {
            child.start_byte() <= node.start_byte()
                && node.end_byte() <= child.end_byte()
                && child.kind() != "template_parameter_list"
        });
        match inner {
            Some(inner) => holder = inner,
            None => break,
        }
    }
    let mut cursor = holder.walk();
    for child in holder.children(&mut cursor) {
        match child.kind() {
            "virtual" | "explicit_function_specifier" | "inline" => words.push(parsed.text(child).to_owned()),
            "default_method_clause" => words.push("default".to_owned()),
            "delete_method_clause" => words.push("delete".to_owned()),
            "pure_virtual_clause" => words.push("pure".to_owned()),
            _ => {}
        }
    }
    let zero = holder.child_by_field_name("default_value").filter(|_| node.kind() != "function_definition");
    if zero.is_some_and(|zero| parsed.text(zero).trim() == "0") {
        words.push("pure".to_owned());
    }
    let mut declarator =
        if node.kind() == "function_definition" { node.child_by_field_name("declarator") } else { Some(node) };
    while let Some(inner) = declarator {
        if matches!(inner.kind(), "function_declarator" | "abstract_function_declarator") {
            let mut cursor = inner.walk();
            for child in inner.children(&mut cursor) {
                match child.kind() {
                    "type_qualifier" | "virtual_specifier" | "ref_qualifier" => {
                        words.push(parsed.text(child).to_owned());
                    }
                    "noexcept" => words.push("noexcept".to_owned()),
                    _ => {}
                }
            }
        }
        declarator = match inner.kind() {
            "qualified_identifier" => inner.child_by_field_name("name"),
            "reference_declarator" | "parenthesized_declarator" | "attributed_declarator" => inner.named_child(0),
            _ => inner.child_by_field_name("declarator"),
        };
    }
    let Some(code) = draft.code() else { return };
    for word in words {
        code.add_modifier(&word);
    }
    code.is_abstract |= code.has_modifier("pure");
}

/// Gives members the visibility of the last access specifier before them.
fn access(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>]) {
    let mut places: HashMap<usize, Vec<(usize, Visibility)>> = HashMap::new();
    for at in 0..drafts.len() {
        let Some(parent) = drafts[at].element.parent else {
            continue;
        };
        let kind = drafts[parent].element.kind;
        if !matches!(kind, ElementKind::Class | ElementKind::Struct | ElementKind::Union) {
            continue;
        }
        let known = places.entry(parent).or_insert_with(|| {
            let mut found = Vec::new();
            if let Some(body) = drafts[parent].body {
                specifiers(parsed, body, &mut found);
            }
            found
        });
        let start = drafts[at].element.span.start_byte;
        let after = known.partition_point(|(byte, _)| *byte <= start);
        let visibility = match after.checked_sub(1) {
            Some(last) => known[last].1,
            None if kind == ElementKind::Class => Visibility::Private,
            None => Visibility::Public,
        };
        if let Some(code) = drafts[at].code() {
            code.visibility = visibility;
        }
    }
}

/// Collects the access specifiers of a class body, including those inside preprocessor conditions.
fn specifiers(parsed: &ParsedFile, body: Node<'_>, found: &mut Vec<(usize, Visibility)>) {
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "access_specifier" {
                found.extend(
                    Visibility::from_name(parsed.text(child)).map(|visibility| (child.start_byte(), visibility)),
                );
            } else if child.kind().starts_with("preproc_") {
                open.push(child);
            }
        }
    }
    found.sort_unstable_by_key(|(byte, _)| *byte);
}

/// Assigns a definition outside of its class to that class.
fn owner(drafts: &mut [ElementDraft<'_>], at: usize) {
    if matches!(drafts[at].element.detail, ElementDetail::Import(_)) || !drafts[at].element.name.contains("::") {
        return;
    }
    let path = segments(&drafts[at].element.name);
    let Some((name, scopes)) = path.split_last() else {
        return;
    };
    if scopes.is_empty() {
        // `::f` and `hash<a::B>` name no scope.
        drafts[at].element.name.clone_from(name);
        return;
    }
    let candidates = (0..at).rev().filter(|candidate| {
        let draft = &drafts[*candidate];
        let can_own = draft.element.kind.is_class_like() || draft.element.kind == ElementKind::Namespace;
        can_own && draft.keep && is_named(drafts, *candidate, scopes)
    });
    // `Arr<T>::f` belongs to the template, `Arr<int>::f` to its specialization.
    let found = candidates.min_by_key(|candidate| {
        let own = drafts[*candidate].element.name.rsplit('.').next().unwrap_or_default();
        (scopes.last().is_none_or(|scope| scope != own), own.contains('<'))
    });
    let is_class = found.is_none_or(|owner| drafts[owner].element.kind.is_class_like());
    let declared = found.and_then(|owner| {
        drafts
            .iter()
            .find(|draft| draft.element.parent == Some(owner) && draft.element.name == *name)
            .and_then(|draft| draft.element.code())
            .map(|code| (code.visibility, code.is_static))
    });
    let draft = &mut drafts[at];
    match found {
        Some(owner) => {
            draft.element.parent = Some(owner);
            draft.element.name.clone_from(name);
        }
        None => draft.element.name = path.join("."),
    }
    if is_class {
        draft.element.kind = match draft.element.kind {
            ElementKind::Function => ElementKind::Method,
            ElementKind::Variable | ElementKind::Constant => ElementKind::Field,
            kind => kind,
        };
        let is_special = scopes.last().is_some_and(|class| without_arguments(class) == without_arguments(name));
        if is_special && draft.element.kind == ElementKind::Method {
            draft.element.kind = ElementKind::Constructor;
        }
    }
    if let (Some((visibility, is_static)), Some(code)) = (declared, draft.code()) {
        code.visibility = visibility;
        code.is_static |= is_static;
    }
}

/// True if the draft at `at` is what the scope names lead to, counted from the innermost outwards.
fn is_named(drafts: &[ElementDraft<'_>], at: usize, scopes: &[String]) -> bool {
    let mut around = Some(at);
    let mut left = scopes.to_vec();
    while let Some(wanted) = left.pop() {
        let Some(element) = around.map(|at| &drafts[at].element) else {
            return false;
        };
        let own: Vec<&str> = element.name.split('.').collect();
        let (last, rest) = own.split_last().expect("splitting gives at least one part");
        if without_arguments(last) != without_arguments(&wanted) {
            return false;
        }
        for part in rest.iter().rev() {
            match left.pop() {
                Some(wanted) if without_arguments(&wanted) == *part => {}
                Some(_) => return false,
                None => return true,
            }
        }
        around = element.parent;
    }
    true
}

/// Marks constructors, destructors, conversions, operators, deduction guides and abstract classes.
fn mark_special_members(drafts: &mut [ElementDraft<'_>]) {
    let mut is_pure: Vec<usize> = Vec::new();
    for at in 0..drafts.len() {
        let class = drafts[at]
            .element
            .parent
            .map(|parent| &drafts[parent].element)
            .filter(|parent| parent.kind.is_class_like())
            .map(|parent| without_arguments(parent.name.rsplit('.').next().unwrap_or_default()).to_owned());
        let owner = drafts[at].element.parent;
        let draft = &mut drafts[at];
        if !draft.element.kind.is_callable() {
            continue;
        }
        let last = draft.element.name.rsplit('.').next().unwrap_or_default().to_owned();
        let is_method = draft.element.kind == ElementKind::Method;
        if is_method && class.as_deref() == Some(without_arguments(&last)) {
            draft.element.kind = ElementKind::Constructor;
        }
        let is_guide = !is_method && draft.element.kind == ElementKind::Function && is_deduction_guide(draft);
        let Some(code) = draft.code() else { continue };
        if code.has_modifier("pure") {
            is_pure.extend(owner);
        }
        if last.starts_with('~') {
            code.add_modifier("destructor");
        } else if let Some(rest) = last.strip_prefix("operator") {
            if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let is_word = rest.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_');
            let is_memory = ["new", "delete", "co_await"].iter().any(|word| rest.trim_start().starts_with(word));
            code.add_modifier("operator");
            if is_word && !is_memory {
                code.add_modifier("conversion");
            }
        } else if is_guide {
            code.add_modifier("deduction_guide");
        }
    }
    for class in is_pure {
        if let Some(code) = drafts[class].code() {
            code.is_abstract = true;
        }
    }
}

/// True for a deduction guide: `Box(T) -> Box<T>;` has a result but no type before its name.
fn is_deduction_guide(draft: &ElementDraft<'_>) -> bool {
    let holder = draft.outer().map_or(draft.node, |outer| {
        let mut cursor = outer.walk();
        let inner = outer.named_children(&mut cursor).find(|child| child.kind() == "declaration");
        inner.unwrap_or(outer)
    });
    holder.kind() == "declaration"
        && holder.child_by_field_name("type").is_none()
        && draft.element.code().is_some_and(|code| code.type_name.is_some())
}

/// Marks names as private that other files cannot use: `static` outside of classes, and everything in an unnamed
/// namespace.
fn mark_file_local(drafts: &mut [ElementDraft<'_>]) {
    for at in 0..drafts.len() {
        let mut is_unnamed = false;
        let mut is_member = false;
        let mut around = drafts[at].element.parent;
        while let Some(parent) = around {
            let element: &CodeElement = &drafts[parent].element;
            is_member |= element.kind.is_class_like();
            is_unnamed |= element.kind == ElementKind::Namespace && element.name == "<anonymous>";
            around = element.parent;
        }
        let kind = drafts[at].element.kind;
        if is_member || kind == ElementKind::Namespace {
            continue;
        }
        let is_linked = matches!(kind, ElementKind::Function | ElementKind::Variable | ElementKind::Constant);
        if let Some(code) = drafts[at].code()
            && (is_unnamed || (is_linked && code.is_static))
        {
            code.visibility = Visibility::Private;
        }
    }
}

/// Returns a qualified name with dots; text in angle brackets is unchanged.
fn dotted(name: &str) -> String {
    segments(name).join(".")
}

/// Splits a qualified name at `::`, but not within angle brackets or the symbols of an operator.
fn segments(name: &str) -> Vec<String> {
    let name = one_line(name, TEXT_CHARACTERS);
    let mut found = vec![String::new()];
    let mut depth = 0_usize;
    let mut rest = name.as_str();
    while let Some(c) = rest.chars().next() {
        let is_operator = depth == 0
            && found.last().is_some_and(String::is_empty)
            && rest
                .strip_prefix("operator")
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if is_operator {
            found.last_mut().expect("never empty").push_str(rest);
            break;
        }
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && rest.starts_with("::") {
            found.push(String::new());
            rest = &rest[2..];
            continue;
        }
        found.last_mut().expect("never empty").push(c);
        rest = &rest[c.len_utf8()..];
    }
    let mut found: Vec<String> = found.into_iter().map(|part| part.trim().to_owned()).collect();
    found.retain(|part| !part.is_empty());
    found
}

/// Returns a name without its template arguments.
fn without_arguments(name: &str) -> &str {
    if name.starts_with("operator") {
        return name;
    }
    name.split('<').next().unwrap_or(name).trim()
}

#[cfg(test)]
mod tests {
    use super::segments;

    #[test]
    fn qualified_names_split_outside_brackets_and_operators() {
        assert_eq!(segments("a::B<std::vector<int>>::c"), ["a", "B<std::vector<int>>", "c"]);
        assert_eq!(segments("A::operator<"), ["A", "operator<"]);
        assert_eq!(segments("A::operator std::string() const"), ["A", "operator std::string() const"]);
        assert_eq!(segments("::global"), ["global"]);
        assert_eq!(segments("operators::x"), ["operators", "x"]);
    }
}
