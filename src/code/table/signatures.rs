//! Declarations only, in the order of the text, indented by their depth: the shape of a file without its bodies.
//!
//! Each line begins with the element's first line number. Comments and imports are left out. What belongs to a type that
//! stands elsewhere (a method of Go) is not indented but named in full.

use std::fmt::Write as _;

use super::{broken, modifiers, signature};
use crate::{
    elements::{Elements, Kind},
    outline::Outline,
};

pub(super) fn render(file: &Outline, elements: &Elements) -> String {
    let facts = &file.source.language.facts;
    let mut depths = Vec::with_capacity(elements.list.len());
    let mut out = String::new();
    for element in &elements.list {
        let around = element
            .parent
            .filter(|parent| elements.list[*parent].span.contains(&element.span));
        let depth = around.map_or(0, |parent: usize| {
            let of_parent: usize = depths[parent];
            of_parent + 1
        });
        let owner = match (element.parent, around) {
            (Some(parent), None) => elements.qualified_name(parent) + ".",
            _ => String::new(),
        };
        depths.push(depth);
        if matches!(element.kind, Kind::Comment | Kind::Import) {
            continue;
        }
        let kind = if element.code().is_some() && !element.kind.is_callable() {
            format!("{} ", element.kind.name())
        } else {
            String::new()
        };
        let modifiers = modifiers(element);
        let space = if modifiers.is_empty() { "" } else { " " };
        let indent = "  ".repeat(depth.min(20));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{}: {indent}{modifiers}{space}{kind}{owner}{}",
            element.span.start_line,
            signature(element, facts)
        );
    }
    broken(&mut out, file);
    out
}
