//! Declarations only, in the order of the text, indented by their depth: the shape of a file without its bodies.
//!
//! Each line begins with the element's first line number. Comments and imports are left out.

use std::fmt::Write as _;

use super::{broken, modifiers, signature};
use crate::{
    elements::{Elements, Kind},
    parse::Parsed,
};

pub(super) fn render(parsed: &Parsed, elements: &Elements) -> String {
    let facts = &parsed.source.language.facts;
    let mut depths = Vec::with_capacity(elements.list.len());
    let mut out = String::new();
    for element in &elements.list {
        let depth = element.parent.map_or(0, |parent: usize| {
            let of_parent: usize = depths[parent];
            of_parent + 1
        });
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
            "{}: {indent}{modifiers}{space}{kind}{}",
            element.span.start_line,
            signature(element, facts)
        );
    }
    broken(&mut out, parsed);
    out
}
