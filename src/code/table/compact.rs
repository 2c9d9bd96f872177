//! The compact table with one row for each member: an overview at the least cost, smaller than the full table.
//!
//! A name begins with a dot for each enclosing element: it belongs to the nearest row above with fewer dots. Imports
//! are one line, comments are left out, and cells have no padding, which would cost a token before each number. Files
//! other than programs have the rows of the full table, with shorter cells.

use std::fmt::Write as _;

use super::{
    doc, full, html, join_words, lines, prefix, row_positions, signature, write_compact_table, write_keys,
    write_parse_errors,
};
use crate::{
    elements::{ElementKind, ElementList, Visibility},
    languages::facts::LanguageFamily,
    outline::Outline,
    parse::one_line,
};

/// The maximum length of a documentation's first line, in characters.
const DOC: usize = 60;

pub(super) fn render(file: &Outline, elements: &ElementList) -> String {
    let facts = &file.source.language.facts;
    let mut out = format!(
        "# {} ({}, {} lines)\n",
        file.source.path,
        facts.title,
        file.lines.count()
    );
    match facts.family {
        LanguageFamily::Code => code(&mut out, file, elements),
        LanguageFamily::Data => write_keys(&mut out, elements, ".", write_compact_table),
        LanguageFamily::Document => full::write_document(&mut out, elements, write_compact_table),
        LanguageFamily::Markup | LanguageFamily::Style => html::sections(&mut out, file, elements, &html::COMPACT),
    }
    write_parse_errors(&mut out, file);
    out
}

fn code(out: &mut String, file: &Outline, elements: &ElementList) {
    let facts = &file.source.language.facts;
    let named = |kind| {
        let of_kind = elements.list.iter().filter(move |element| element.kind == kind);
        of_kind.map(|element| element.name.as_str()).collect::<Vec<_>>()
    };
    // Writing to a String cannot fail.
    for package in named(ElementKind::Package) {
        let _ = writeln!(out, "Package: {package}");
    }
    let imports = named(ElementKind::Import);
    if !imports.is_empty() {
        let shown = one_line(&imports.join(", "), 400);
        let _ = writeln!(out, "Imports ({}): {shown}", imports.len());
    }
    let mut rows = Vec::new();
    for (element, place) in elements.list.iter().zip(row_positions(elements)) {
        let Some(code) = element.code() else { continue };
        let kind = match element.kind {
            ElementKind::Method | ElementKind::Function | ElementKind::Constructor => "",
            kind => kind.name(),
        };
        let name = format!(
            "{}{}{}",
            ".".repeat(place.depth.min(30)),
            place.owner,
            signature(element, facts)
        );
        rows.push(vec![
            join_words(&[&prefix(element, facts), kind, &name]),
            sign(code.visibility).to_owned(),
            lines(element),
            code.complexity.map_or_else(String::new, |value| value.to_string()),
            doc(element, DOC),
        ]);
    }
    write_compact_table(out, &["Signature", "Vis", "Lines", "Cx", "Doc"], &rows);
}

/// Returns the sign of a visibility in UML.
const fn sign(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => "+",
        Visibility::Protected => "#",
        Visibility::Package => "~",
        Visibility::Private => "-",
    }
}
