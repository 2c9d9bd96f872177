//! Tags as an indented tree, rules with their properties: the table for web pages and style sheets.
//!
//! Values are shown as written, cut where they are long. A tag's text is what stands directly in it.

use std::fmt::Write as _;

use super::{Table, broken, lines, prefix, signature, table, tight, words};
use crate::{
    elements::{Detail, Elements, Kind},
    outline::Outline,
    parse::one_line,
};

/// How much of each thing is shown.
pub(super) struct Form {
    indent: &'static str,
    table: Table,
    /// Characters of a tag or a selector.
    name: usize,
    /// Characters of the text in a tag.
    text: usize,
    /// Characters of the properties of a rule.
    properties: usize,
}

const WHOLE: Form = Form {
    indent: "· ",
    table,
    name: 120,
    text: 60,
    properties: 300,
};

pub(super) const COMPACT: Form = Form {
    indent: ".",
    table: tight,
    name: 80,
    text: 40,
    properties: 120,
};

pub(super) fn render(file: &Outline, elements: &Elements) -> String {
    let facts = &file.source.language.facts;
    let mut out = format!(
        "# {} ({}, {} lines)\n",
        file.source.path,
        facts.title,
        file.lines.count()
    );
    sections(&mut out, file, elements, &WHOLE);
    broken(&mut out, file);
    out
}

/// Tags, rules, and what else there is, each as a table.
pub(super) fn sections(out: &mut String, file: &Outline, elements: &Elements, form: &Form) {
    let facts = &file.source.language.facts;
    let table = form.table;
    let (mut tags, mut rules, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for element in &elements.list {
        match &element.detail {
            Detail::Markup(markup) => tags.push(vec![
                format!(
                    "{}{}",
                    form.indent.repeat(markup.depth.min(30)),
                    one_line(&signature(element, facts), form.name)
                ),
                markup.element_class.to_string(),
                lines(element),
                one_line(&markup.text, form.text),
            ]),
            // Custom properties are already among their rule's.
            Detail::Style(_) if element.kind == Kind::Property => {}
            Detail::Style(style) => {
                let properties: Vec<String> = style
                    .properties
                    .iter()
                    .map(|(name, value, _)| format!("{name}: {value}"))
                    .collect();
                rules.push(vec![
                    one_line(&style.selector, form.name),
                    style.property_class.to_string(),
                    one_line(&properties.join("; "), form.properties),
                    one_line(&style.media.join(" "), 80),
                    lines(element),
                ]);
            }
            _ if element.kind == Kind::Comment => {}
            _ => others.push(vec![
                element.kind.name().to_owned(),
                words(&[&prefix(element, facts), &signature(element, facts)]),
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
