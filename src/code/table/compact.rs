//! The compact table with one row for each member: an overview at the least cost, smaller than the full table.
//!
//! A name begins with a dot for each enclosing element: it belongs to the nearest row above with fewer dots. Imports
//! are one line, comments are left out, and cells have no padding, which would cost a token before each number. Files
//! other than programs have the rows of the full table, with shorter cells.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::{
    doc, full, heading, html, join_words, kind_word, lines, prefix, row_positions, signature, write_compact_table,
    write_keys,
};
use crate::{
    elements::{CodeElement, ElementKind, ElementList, Visibility},
    languages::facts::{LanguageFacts, LanguageFamily},
    outline::Outline,
    parse::one_line,
};

/// The maximum length of a documentation's first line, in characters.
const DOC: usize = 60;

pub(super) fn render(file: &Outline, elements: &ElementList) -> String {
    let facts = &file.source.language.facts;
    let mut out = heading(file) + "\n";
    match facts.family {
        LanguageFamily::Code => code(&mut out, file, elements),
        LanguageFamily::Data => write_keys(&mut out, elements, ".", write_compact_table),
        LanguageFamily::Document => full::write_document(&mut out, elements, write_compact_table),
        LanguageFamily::Markup | LanguageFamily::Style => html::sections(&mut out, file, elements, &html::COMPACT),
    }
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
    let signs = VisibilitySigns::new(elements);
    let bare = bare_members(elements, facts);
    for (at, (element, place)) in elements.list.iter().zip(row_positions(elements)).enumerate() {
        let Some(code) = element.code() else { continue };
        let is_member = element.kind == ElementKind::EnumMember;
        if is_member && element.parent.is_some_and(|parent| bare.contains_key(&parent)) {
            continue;
        }
        let prefix = prefix(element, facts);
        let kind = match element.kind {
            ElementKind::Method | ElementKind::Function | ElementKind::Constructor => "",
            _ => kind_word(element, &prefix),
        };
        let members = bare.get(&at).map_or_else(String::new, |members| format!(": {members}"));
        let name = format!("{}{}{}{members}", ".".repeat(place.depth.min(30)), place.owner, signature(element, facts));
        rows.push(vec![
            join_words(&[&prefix, kind, &name]),
            signs.sign(code.visibility).to_owned(),
            lines(element),
            code.complexity.map_or_else(String::new, |value| value.to_string()),
            doc(element, DOC),
        ]);
    }
    let header = ["Signature", &signs.legend(), "Lines", "Complexity", "Doc"];
    write_compact_table(out, &header, &rows);
}

/// Returns the names of the members of each enum whose members are names and nothing else, by the index of the enum: a
/// row of its own would add only a line number.
fn bare_members(elements: &ElementList, facts: &LanguageFacts) -> BTreeMap<usize, String> {
    let parents: BTreeSet<usize> = elements.list.iter().filter_map(|element| element.parent).collect();
    let mut members: BTreeMap<usize, Option<Vec<&str>>> = BTreeMap::new();
    for (at, element) in elements.list.iter().enumerate() {
        let Some(parent) = element.parent.filter(|_| element.kind == ElementKind::EnumMember) else {
            continue;
        };
        let is_bare = signature(element, facts) == element.name
            && prefix(element, facts).is_empty()
            && doc(element, DOC).is_empty()
            && !parents.contains(&at);
        let names = members.entry(parent).or_insert_with(|| Some(Vec::new()));
        match names {
            Some(names) if is_bare => names.push(&element.name),
            _ => *names = None,
        }
    }
    let joined = members.into_iter().filter_map(|(at, names)| Some((at, names?.join(", "))));
    joined.collect()
}

/// The kinds of visibility in a file, for a column with one sign each.
struct VisibilitySigns {
    used: Vec<Visibility>,
}

impl VisibilitySigns {
    fn new(elements: &ElementList) -> Self {
        let is_used = |visibility: &Visibility| {
            let mut codes = elements.list.iter().filter_map(CodeElement::code);
            codes.any(|code| code.visibility == *visibility)
        };
        Self { used: Visibility::ALL.into_iter().filter(is_used).collect() }
    }

    /// Returns the sign of a visibility; empty if everything is public.
    fn sign(&self, visibility: Visibility) -> &'static str {
        if self.used == [Visibility::Public] { "" } else { sign(visibility) }
    }

    /// Returns the title of the column, which explains the signs.
    fn legend(&self) -> String {
        let signs = self.used.iter().map(|used| format!("{} {}", sign(*used), used.name()));
        signs.collect::<Vec<_>>().join(", ")
    }
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
