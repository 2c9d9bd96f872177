//! The table for web pages and style sheets: tags as an indented tree, rules with their properties.
//!
//! Values are shown as written, long ones cut. A tag's text is only its direct text content.

use std::fmt::Write as _;

use super::{TableWriter, heading, join_words, lines, prefix, signature, write_compact_table, write_table};
use crate::{
    elements::{ElementDetail, ElementKind, ElementList},
    outline::Outline,
    parse::one_line,
};

/// The layout of the table: indentation, writer, and maximum lengths.
pub(super) struct HtmlTableLimits {
    indent: &'static str,
    table: TableWriter,
    /// The maximum length of a tag or a selector, in characters.
    name: usize,
    /// The maximum length of a tag's text, in characters.
    text: usize,
    /// The maximum length of a rule's properties, in characters.
    properties: usize,
}

const WHOLE: HtmlTableLimits =
    HtmlTableLimits { indent: "· ", table: write_table, name: 120, text: 60, properties: 300 };

pub(super) const COMPACT: HtmlTableLimits =
    HtmlTableLimits { indent: ".", table: write_compact_table, name: 80, text: 40, properties: 120 };

pub(super) fn render(file: &Outline, elements: &ElementList) -> String {
    let mut out = heading(file) + "\n";
    sections(&mut out, file, elements, &WHOLE);
    out
}

/// Writes tags, rules and other elements, each as a table.
pub(super) fn sections(out: &mut String, file: &Outline, elements: &ElementList, form: &HtmlTableLimits) {
    let facts = &file.source.language.facts;
    let table = form.table;
    let (mut tags, mut rules, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for element in &elements.list {
        match &element.detail {
            ElementDetail::Markup(markup) => tags.push(vec![
                format!(
                    "{}{}",
                    form.indent.repeat(markup.depth.min(30)),
                    one_line(&signature(element, facts), form.name)
                ),
                markup.element_class.to_string(),
                lines(element),
                one_line(&markup.text, form.text),
            ]),
            // Custom properties are already among those of their rule.
            ElementDetail::Style(_) if element.kind == ElementKind::Property => {}
            ElementDetail::Style(style) => {
                let properties: Vec<String> =
                    style.properties.iter().map(|(name, value, _)| format!("{name}: {value}")).collect();
                rules.push(vec![
                    one_line(&style.selector, form.name),
                    style.property_class.to_string(),
                    one_line(&properties.join("; "), form.properties),
                    one_line(&style.media.join(" "), 80),
                    lines(element),
                ]);
            }
            _ if element.kind == ElementKind::Comment => {}
            _ => others.push(vec![
                element.kind.name().to_owned(),
                join_words(&[&prefix(element, facts), &signature(element, facts)]),
                lines(element),
            ]),
        }
    }
    if !tags.is_empty() {
        let _ = writeln!(out, "\n## Elements ({})", tags.len());
        table(out, &["Tag", "Class", "Lines", "Text"], &tags);
    }
    if !rules.is_empty() {
        let _ = writeln!(out, "\n## Rules ({})", rules.len());
        table(out, &["Selector", "Class", "Properties", "Media", "Lines"], &rules);
    }
    if !others.is_empty() {
        let _ = writeln!(out, "\n## Other ({})", others.len());
        table(out, &["Type", "Name", "Lines"], &others);
    }
}
