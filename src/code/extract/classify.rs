//! The facts that follow from a definition's name, parent and modifiers: its kind, its visibility and the like.

use super::draft::ElementDraft;
use crate::{
    elements::{CodeElement, ElementDetail, ElementKind, Visibility},
    languages::facts::LanguageFacts,
};

/// Sets the facts that follow from a definition's name, parent and modifiers.
pub(super) fn classify(drafts: &mut [ElementDraft<'_>], facts: &LanguageFacts) {
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let in_class = parent.is_some_and(ElementKind::is_class_like);
        let element = &mut drafts[at].element;
        element.kind = match element.kind {
            ElementKind::Function if in_class => ElementKind::Method,
            ElementKind::Variable if in_class => ElementKind::Field,
            kind => kind,
        };
        if element.kind == ElementKind::Method && facts.constructors.contains(&element.name) {
            element.kind = ElementKind::Constructor;
        }
        if element.kind == ElementKind::Variable && facts.capital_constants && is_capital(&element.name) {
            element.kind = ElementKind::Constant;
        }
        let is_local = parent.is_some_and(ElementKind::is_callable);
        let CodeElement { name, detail: ElementDetail::Code(code), .. } = element else {
            continue;
        };
        code.is_static |= code.has_modifier("static");
        code.is_async |= code.has_modifier("async");
        code.is_abstract |= code.has_modifier("abstract");
        code.is_exported |= code.has_modifier("export");
        code.is_default |= code.has_modifier("export") && code.has_modifier("default");
        code.visibility = code
            .modifiers
            .iter()
            .find_map(|modifier| Visibility::from_name(modifier))
            .unwrap_or_else(|| if is_local { Visibility::Private } else { by_name(name, facts) });
    }
}

fn by_name(name: &str, facts: &LanguageFacts) -> Visibility {
    let rules = &facts.visibility;
    let begins = |prefixes: &[String]| prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
    let is_special = rules.private_prefixes.iter().any(|prefix| {
        name.len() > 2 * prefix.len() && name.starts_with(prefix.as_str()) && name.ends_with(prefix.as_str())
    });
    if is_special {
        rules.default
    } else if begins(&rules.private_prefixes) {
        Visibility::Private
    } else if begins(&rules.protected_prefixes) {
        Visibility::Protected
    } else {
        rules.default
    }
}

fn is_capital(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
