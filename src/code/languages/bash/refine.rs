//! Refines Bash elements beyond the syntax: the first assignment of a variable, the attributes of `declare`, and
//! sourced files.
//!
//! A variable is one element, at its first assignment outside of functions. Variables of a single command (`LANG=C
//! sort`) and variables of functions are not elements.

use std::collections::HashMap;

use tree_sitter::Node;

use super::super::line_docs;
use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, Visibility},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// Prefixes of comments that are meant for a tool, not for a reader.
const MAGIC: [&str; 5] = ["!", "shellcheck ", "-*-", "vim:", "vi:"];

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let mut known: HashMap<String, usize> = HashMap::new();
    for at in 0..drafts.len() {
        match drafts[at].element.kind {
            ElementKind::Import => import(&mut drafts[at]),
            ElementKind::Macro => alias(parsed, &mut drafts[at]),
            ElementKind::Function => {
                // A function is visible everywhere once it is defined, wherever that is.
                if let Some(code) = drafts[at].code() {
                    code.visibility = Visibility::Public;
                }
            }
            ElementKind::Variable => variable(parsed, drafts, at, &mut known),
            _ => {}
        }
    }
    line_docs::document(parsed, drafts, |comment| {
        let bare = comment.trim_start_matches('#').trim();
        let is_magic = MAGIC.iter().any(|sign| bare.starts_with(sign));
        (!is_magic).then(|| bare.to_owned())
    });
}

fn import(draft: &mut ElementDraft<'_>) {
    let module = draft.element.name.trim_matches(['"', '\'']).to_owned();
    let mut modifiers = Vec::new();
    if module.starts_with("./") || module.starts_with("../") {
        modifiers.push("relative".to_owned());
    }
    if module.contains(['$', '`']) {
        modifiers.push("dynamic".to_owned());
    }
    draft.element.name.clone_from(&module);
    draft.element.detail = ElementDetail::Import(Box::new(ImportFacts { module, names: Vec::new(), modifiers }));
}

/// Reads `alias ll='ls -l'`; without a value the command only prints an alias, so the draft is dropped.
fn alias(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let text = parsed.text(draft.node);
    match text.split_once('=') {
        Some((name, value)) if !name.starts_with('-') => {
            name.clone_into(&mut draft.element.name);
            if let Some(code) = draft.code() {
                code.value = Some(one_line(value, 80));
            }
        }
        _ => draft.keep = false,
    }
}

fn variable(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], at: usize, known: &mut HashMap<String, usize>) {
    let is_in_function = drafts[at].element.parent.is_some_and(|parent| drafts[parent].element.kind.is_callable());
    let node = drafts[at].node;
    let around = node.parent();
    let is_of_command = around.is_some_and(|around| matches!(around.kind(), "command" | "c_style_for_statement"));
    if is_in_function || is_of_command {
        drafts[at].keep = false;
        return;
    }
    let declared = around
        .filter(|around| around.kind() == "declaration_command")
        .map(|command| declared(parsed, command))
        .unwrap_or_default();
    let name = drafts[at].element.name.clone();
    let first = *known.entry(name).or_insert(at);
    drafts[at].keep = first == at;
    // `export NAME` applies to the variable that was assigned earlier.
    for modifier in &declared {
        drafts[first].add_modifier(modifier);
    }
    if declared.contains(&"readonly") {
        drafts[first].set_kind(ElementKind::Constant);
    }
    if declared.contains(&"export")
        && let Some(code) = drafts[first].code()
    {
        code.is_exported = true;
    }
}

/// Returns the modifiers given by `export`, `readonly` or the option letters of `declare`.
fn declared<'p>(parsed: &'p ParsedFile, command: Node<'_>) -> Vec<&'p str> {
    let mut found = Vec::new();
    let mut cursor = command.walk();
    for part in command.children(&mut cursor) {
        match part.kind() {
            "export" | "readonly" => found.push(parsed.text(part)),
            "word" => {
                for letter in parsed.text(part).strip_prefix('-').unwrap_or_default().chars() {
                    found.extend(match letter {
                        'r' => Some("readonly"),
                        'x' => Some("export"),
                        'a' => Some("array"),
                        'A' => Some("associative"),
                        'i' => Some("integer"),
                        'n' => Some("reference"),
                        _ => None,
                    });
                }
            }
            _ => {}
        }
    }
    found
}
