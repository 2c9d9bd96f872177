//! Declarations only, in the order of the text, indented by their depth: the shape of a file without its bodies.
//!
//! Each line begins with the element's first line number. Comments and imports are left out. A member of a type
//! declared elsewhere (a method of Go) is not indented and has its qualified name.

use std::fmt::Write as _;

use super::{RowPosition, join_words, kind_word, prefix, row_positions, signature};
use crate::{
    elements::{ElementKind, ElementList},
    outline::Outline,
};

pub(super) fn render(file: &Outline, elements: &ElementList) -> String {
    let facts = &file.source.language.facts;
    let mut out = String::new();
    for (element, RowPosition { depth, owner }) in elements.list.iter().zip(row_positions(elements)) {
        if matches!(element.kind, ElementKind::Comment | ElementKind::Import) {
            continue;
        }
        let is_callable = element.kind.is_callable();
        let prefix = prefix(element, facts);
        let kind = if element.kind == ElementKind::Package || (element.code().is_some() && !is_callable) {
            kind_word(element, &prefix)
        } else {
            ""
        };
        let name = format!("{owner}{}", signature(element, facts));
        let indent = "  ".repeat(depth.min(20));
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}: {indent}{}", element.span.start_line, join_words(&[&prefix, kind, &name]));
    }
    out
}
