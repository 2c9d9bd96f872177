//! Refines Python elements beyond the syntax: names in imports, attributes of instances, enum classes.
//!
//! Attributes are those assigned to `self` in a method, each once, at its first assignment. Types are never inferred.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName},
    extract::{ElementDraft, last_name},
    parse::ParsedFile,
};

/// Base classes whose members are enum values.
const ENUM_BASES: [&str; 6] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"];

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let mut attributes: HashSet<(usize, String)> = HashSet::new();
    for at in 0..drafts.len() {
        if drafts[at].body.is_some() {
            end_with_code(parsed, &mut drafts[at]);
        }
        match drafts[at].element.kind {
            ElementKind::Import => import(parsed, &mut drafts[at]),
            ElementKind::Class => enumeration(&mut drafts[at]),
            ElementKind::Field => field(drafts, at, &mut attributes),
            ElementKind::Variable | ElementKind::Constant => {
                beside_first_target(drafts, at);
                alias(&mut drafts[at]);
            }
            ElementKind::Type => {
                let name = &mut drafts[at].element.name;
                if let Some(bracket) = name.find('[') {
                    name.truncate(bracket);
                }
            }
            ElementKind::Method | ElementKind::Constructor => receiver(&mut drafts[at]),
            _ => {}
        }
    }
    // A separate pass: the class of a member may be recognised as an enum only in the loop above.
    for at in 0..drafts.len() {
        let in_enum = drafts[at].element.parent.is_some_and(|parent| drafts[parent].element.kind == ElementKind::Enum);
        let draft = &mut drafts[at];
        let is_value = draft.code().is_some_and(|code| code.value.is_some() && !code.has_modifier("instance"));
        if in_enum && draft.element.kind == ElementKind::Field && is_value && !draft.element.name.starts_with('_') {
            draft.element.kind = ElementKind::EnumMember;
        }
    }
}

/// Ends a definition at its last code. The grammar includes trailing comments in a body; Python's own parser does not.
fn end_with_code(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let mut last = draft.node;
    while let Some(child) =
        (0..last.child_count()).rev().find_map(|at| last.child(at).filter(|child| child.kind() != "comment"))
    {
        last = child;
    }
    let start = draft.outer().unwrap_or(draft.node).start_byte();
    draft.element.span = parsed.lines.span(&parsed.source.text, start, last.end_byte());
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let mut found = ImportFacts::default();
    if node.start_position().column > 0 && is_for_types_only(parsed, node) {
        found.modifiers.push("type_checking".to_owned());
    }
    let mut cursor = node.walk();
    found.names = node.children_by_field_name("name", &mut cursor).map(|name| imported(parsed, name)).collect();
    if node.kind() == "future_import_statement" {
        "__future__".clone_into(&mut found.module);
    } else if let Some(module) = node.child_by_field_name("module_name") {
        parsed.text(module).clone_into(&mut found.module);
        if found.module.starts_with('.') {
            found.modifiers.push("relative".to_owned());
        }
    }
    let mut cursor = node.walk();
    if node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
        found.names.push(ImportName { name: "*".to_owned(), alias: None });
    }
    draft.element.name = if found.module.is_empty() {
        let names: Vec<&str> = found.names.iter().map(|name| name.name.as_str()).collect();
        names.join(", ")
    } else {
        found.module.clone()
    };
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

/// True if an import is directly in `if TYPE_CHECKING:`.
fn is_for_types_only(parsed: &ParsedFile, node: Node<'_>) -> bool {
    let condition = node
        .parent()
        .filter(|block| block.kind() == "block")
        .and_then(|block| block.parent())
        .filter(|around| around.kind() == "if_statement")
        .and_then(|around| around.child_by_field_name("condition"));
    condition.is_some_and(|condition| last_name(parsed.text(condition)) == "TYPE_CHECKING")
}

fn imported(parsed: &ParsedFile, node: Node<'_>) -> ImportName {
    let text = |field| node.child_by_field_name(field).map(|node| parsed.text(node).to_owned());
    ImportName { name: text("name").unwrap_or_else(|| parsed.text(node).to_owned()), alias: text("alias") }
}

fn enumeration(draft: &mut ElementDraft<'_>) {
    let enumerates =
        draft.code().is_some_and(|code| code.extends.iter().any(|base| ENUM_BASES.contains(&last_name(base))));
    if enumerates {
        draft.element.kind = ElementKind::Enum;
    }
}

/// Assigns an attribute of `self` to the enclosing class, once; elsewhere it is not an attribute.
fn field(drafts: &mut [ElementDraft<'_>], at: usize, known: &mut HashSet<(usize, String)>) {
    let class_of = |at: usize| {
        let mut parent = drafts[at].element.parent;
        while let Some(index) = parent {
            if drafts[index].element.kind.is_class_like() {
                return Some(index);
            }
            parent = drafts[index].element.parent;
        }
        None
    };
    let class = class_of(at);
    let draft = &mut drafts[at];
    let Some(class) = class else {
        draft.keep = false;
        return;
    };
    draft.keep = known.insert((class, draft.element.name.clone()));
    draft.element.parent = Some(class);
    let visibility = if draft.element.name.starts_with("__") {
        crate::elements::Visibility::Private
    } else if draft.element.name.starts_with('_') {
        crate::elements::Visibility::Protected
    } else {
        crate::elements::Visibility::Public
    };
    if let Some(code) = draft.code() {
        code.visibility = visibility;
    }
}

/// Gives the second target of `a = b = 1`, which the grammar nests, the place of the first.
fn beside_first_target(drafts: &mut [ElementDraft<'_>], at: usize) {
    let first = drafts[at].element.parent.filter(|first| {
        let value = drafts[*first].node.child_by_field_name("right");
        value.is_some_and(|value| value == drafts[at].node && value.kind() == "assignment")
    });
    if let Some(first) = first {
        let (kind, parent) = (drafts[first].element.kind, drafts[first].element.parent);
        drafts[at].element.parent = parent;
        if kind == ElementKind::Field {
            drafts[at].element.kind = kind;
        }
    }
}

/// Marks an alias as a type: `Vector: TypeAlias = list[float]`.
fn alias(draft: &mut ElementDraft<'_>) {
    let is_alias = draft
        .code()
        .and_then(|code| code.type_name.as_deref())
        .is_some_and(|declared| last_name(declared) == "TypeAlias");
    if is_alias {
        draft.element.kind = ElementKind::Type;
    }
}

/// Marks the first parameter of a non-static method as the receiver (the object or the class).
fn receiver(draft: &mut ElementDraft<'_>) {
    let is_static = draft.code().is_some_and(|code| code.is_static);
    if let Some(first) = draft.code().and_then(|code| code.params.first_mut())
        && !is_static
        && matches!(first.name.as_str(), "self" | "cls" | "mcs" | "mcls" | "metacls")
    {
        first.kind = crate::elements::ParamKind::Receiver;
    }
}
