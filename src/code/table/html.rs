//! Tags as an indented tree, rules with their properties: the table for web pages and style sheets.
//!
//! Values are shown as written, cut where they are long. A tag's text is what stands directly in it.

use std::fmt::Write as _;

use super::{broken, lines, signature, table};
use crate::{
    elements::{Detail, Elements, Kind},
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
    let (mut tags, mut rules, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for element in &elements.list {
        match &element.detail {
            Detail::Markup(markup) => tags.push(vec![
                format!(
                    "{}{}",
                    "· ".repeat(markup.depth.min(30)),
                    one_line(&signature(element, facts), 120)
                ),
                markup.element_class.to_string(),
                lines(element),
                one_line(&markup.text, 60),
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
                    one_line(&style.selector, 120),
                    style.property_class.to_string(),
                    one_line(&properties.join("; "), 300),
                    one_line(&style.media.join(" "), 80),
                    lines(element),
                ]);
            }
            _ if element.kind == Kind::Comment => {}
            _ => others.push(vec![
                element.kind.name().to_owned(),
                signature(element, facts),
                lines(element),
            ]),
        }
    }
    if !tags.is_empty() {
        let _ = writeln!(out, "\n## Elements ({})", tags.len());
        table(&mut out, &["Tag", "Class", "Lines", "Text"], &tags);
    }
    if !rules.is_empty() {
        let _ = writeln!(out, "\n## Rules ({})", rules.len());
        table(&mut out, &["Selector", "Class", "Properties", "Media", "Lines"], &rules);
    }
    if !others.is_empty() {
        let _ = writeln!(out, "\n## Other ({})", others.len());
        table(&mut out, &["Type", "Name", "Lines"], &others);
    }
    broken(&mut out, file);
    out
}
