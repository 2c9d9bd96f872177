//! Refines Java elements beyond the syntax: implied modifiers, names of unnamed elements, components of records.
//!
//! Members of interfaces are public, constructors of enums private. A class is local if a callable encloses it.

use crate::{
    elements::{ElementDetail, ElementKind, ImportFacts, ImportName, ParamKind, Visibility},
    extract::ElementDraft,
    parse::ParsedFile,
};

#[expect(clippy::ptr_arg, reason = "the type of every refinement: others add drafts")]
pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Import => import(parsed, draft),
            ElementKind::Package => {
                let text = parsed.text(draft.node);
                let bare = text.rsplit_once("package").map_or(text, |(_, rest)| rest);
                bare.trim().trim_end_matches(';').trim().clone_into(&mut draft.element.name);
            }
            ElementKind::Initializer => {
                let is_static = draft.code().is_some_and(|code| code.has_modifier("static"));
                let name = if is_static { "<static>" } else { "<instance>" };
                name.clone_into(&mut draft.element.name);
                if let Some(code) = draft.code() {
                    code.visibility = Visibility::Private;
                }
            }
            ElementKind::Class => class(draft, parent),
            _ => {}
        }
        members(draft, parent);
    }
}

fn import(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let text = parsed.text(draft.node).trim_end_matches(';');
    let path = text.trim_start_matches("import").trim_start();
    let mut found = ImportFacts::default();
    let path = match path.strip_prefix("static ") {
        Some(path) => {
            found.modifiers.push("static".to_owned());
            path
        }
        None => path,
    };
    let path: String = path.split_whitespace().collect();
    let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
    module.clone_into(&mut found.module);
    found.names.push(ImportName { name: name.to_owned(), alias: None });
    draft.element.name.clone_from(&path);
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

fn class(draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let type_name = draft.element.name.clone();
    let Some(code) = draft.code() else { return };
    if code.has_modifier("anonymous") {
        code.visibility = Visibility::Private;
        // The grammar's field `type` is the class that an anonymous class extends, not its own type.
        code.type_name = None;
        code.extends = vec![type_name.clone()];
        draft.element.name = format!("<anonymous {type_name}>");
    } else if parent.is_some_and(ElementKind::is_callable) {
        code.add_modifier("local");
    }
}

fn members(draft: &mut ElementDraft<'_>, parent: Option<ElementKind>) {
    let kind = draft.element.kind;
    let has_body = draft.body.is_some();
    let Some(code) = draft.code() else { return };
    for param in &mut code.params {
        if kind == ElementKind::Record {
            param.kind = ParamKind::Field;
        } else if param.kind == ParamKind::Variadic && param.type_name.is_none() {
            let declared = param.text.trim_end_matches(param.name.as_str()).trim();
            param.type_name = Some(declared.to_owned());
        } else if param.kind == ParamKind::Receiver {
            "this".clone_into(&mut param.name);
        }
    }
    let is_unsaid = code.visibility == Visibility::Package;
    match (parent, kind) {
        (Some(ElementKind::Interface | ElementKind::Annotation), _) => {
            if is_unsaid {
                code.visibility = Visibility::Public;
            }
            if kind == ElementKind::Method && !has_body {
                code.is_abstract = true;
            }
            if kind == ElementKind::Field {
                code.is_static = true;
            }
        }
        (Some(ElementKind::Enum), ElementKind::Constructor) if is_unsaid => code.visibility = Visibility::Private,
        (Some(ElementKind::Enum), ElementKind::EnumMember) => code.visibility = Visibility::Public,
        _ => {}
    }
}
