//! One row a member: what an overview needs at the least cost.
//!
//! Imports are one line, comments are left out. Names are qualified, so that each can be cut as it stands.

use std::fmt::Write as _;

use super::{broken, doc, keys, lines, modifiers, rows::rows, signature, table};
use crate::{
    elements::{Elements, Kind, Visibility},
    languages::facts::Family,
    outline::Outline,
    parse::one_line,
};

pub(super) fn render(file: &Outline, elements: &Elements) -> String {
    let facts = &file.source.language.facts;
    let mut out = format!(
        "# {} ({}, {} lines)\n",
        file.source.path,
        facts.title,
        file.lines.count()
    );
    if facts.family == Family::Code {
        code(&mut out, file, elements);
    } else if facts.family == Family::Data {
        keys(&mut out, elements, |at| elements.qualified_name(at));
    } else {
        let rows: Vec<Vec<String>> = rows(file)
            .into_iter()
            .map(|row| {
                let lines = if row.start_line == row.end_line {
                    row.start_line.to_string()
                } else {
                    format!("{}-{}", row.start_line, row.end_line)
                };
                let what = if facts.family == Family::Style {
                    row.name
                } else {
                    row.signature.clone()
                };
                let value = if facts.family == Family::Style && !row.value.is_empty() {
                    format!("{}: {}", row.signature, row.value)
                } else {
                    row.value
                };
                vec![row.kind.to_owned(), what, row.class, one_line(&value, 60), lines]
            })
            .collect();
        table(&mut out, &["Type", "Name", "Class", "Value", "Lines"], &rows);
    }
    broken(&mut out, file);
    out
}

fn code(out: &mut String, file: &Outline, elements: &Elements) {
    let facts = &file.source.language.facts;
    let imports: Vec<&str> = elements
        .list
        .iter()
        .filter(|element| element.kind == Kind::Import)
        .map(|element| element.name.as_str())
        .collect();
    if !imports.is_empty() {
        let _ = writeln!(
            out,
            "Imports ({}): {}",
            imports.len(),
            one_line(&imports.join(", "), 400)
        );
    }
    let mut rows = Vec::new();
    for element in &elements.list {
        let Some(code) = element.code() else { continue };
        let around = element.parent.map(|parent| elements.qualified_name(parent) + ".");
        let declared = signature(element, facts);
        let kind = match element.kind {
            Kind::Method | Kind::Function | Kind::Constructor => String::new(),
            kind => format!("{} ", kind.name()),
        };
        let modifiers = modifiers(element);
        let space = if modifiers.is_empty() { "" } else { " " };
        rows.push(vec![
            format!("{}{}", around.unwrap_or_default(), element.name),
            format!("{modifiers}{space}{kind}{declared}"),
            sign(code.visibility).to_owned(),
            lines(element),
            code.complexity.map_or_else(String::new, |value| value.to_string()),
            doc(element),
        ]);
    }
    table(out, &["Name", "Signature", "Vis", "Lines", "Cx", "Doc"], &rows);
}

/// As in UML.
const fn sign(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => "+",
        Visibility::Protected => "#",
        Visibility::Package => "~",
        Visibility::Private => "-",
    }
}
