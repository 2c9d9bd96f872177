//! Elements as typed rows, the same for CSV and JSON.
//!
//! Missing properties are left out. Rows are flat: qualified names express the nesting.

use serde::Serialize;

use super::{decorators, modifiers, signature};
use crate::{
    elements::{ElementDetail, ElementKind},
    outline::Outline,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ElementRow {
    /// The name of the element's kind.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The name; for a style, the selector.
    pub name: String,
    /// The qualified name of the enclosing element; for a style, the at-rules around it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// The declaration on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// The decorators in the language's notation, joined by spaces, long ones cut.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub decorators: String,
    /// The visibility of a definition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub visibility: String,
    /// The modifiers, joined by spaces.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub modifiers: String,
    /// The element class of a tag, the property class of a style, the type of a key's value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// The value of a property or key, the text of a tag, the language of a code block, the address of a link.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The 1-based first line.
    pub start_line: usize,
    /// The 1-based last line, inclusive.
    pub end_line: usize,
    /// The cyclomatic complexity of a callable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complexity: Option<usize>,
    /// The first line of the documentation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

/// Returns the rows of a file: every element except comments; a style rule becomes one row for each of its properties.
pub fn rows(file: &Outline) -> Vec<ElementRow> {
    let elements = &file.elements;
    let facts = &file.source.language.facts;
    let mut rows = Vec::new();
    for element in &elements.list {
        // Custom properties are already among those of their rule.
        if matches!(element.kind, ElementKind::Comment | ElementKind::Property) {
            continue;
        }
        let mut row = ElementRow {
            kind: element.kind.name(),
            name: element.name.clone(),
            parent: element.parent.map_or_else(String::new, |parent| elements.qualified_name(parent)),
            signature: signature(element, facts),
            decorators: decorators(element, facts),
            modifiers: modifiers(element),
            start_line: element.span.start_line,
            end_line: element.span.end_line,
            doc: super::doc(element, super::DOC),
            ..ElementRow::default()
        };
        match &element.detail {
            ElementDetail::Code(code) => {
                code.visibility.name().clone_into(&mut row.visibility);
                row.complexity = code.complexity;
            }
            ElementDetail::Markup(markup) => {
                markup.element_class.as_ref().clone_into(&mut row.class);
                row.value.clone_from(&markup.text);
            }
            ElementDetail::Style(style) => {
                row.parent = style.media.join(" ");
                for (name, value, class) in &style.properties {
                    rows.push(ElementRow {
                        signature: name.clone(),
                        value: value.clone(),
                        class: class.to_string(),
                        ..row.clone()
                    });
                }
                if !style.properties.is_empty() {
                    continue;
                }
                style.property_class.as_ref().clone_into(&mut row.class);
            }
            ElementDetail::Key { type_name, value } => {
                // Key and value have their own cells: repeating them would double a large file.
                row.signature.clear();
                type_name.as_ref().clone_into(&mut row.class);
                row.value.clone_from(value);
            }
            ElementDetail::Block { info } => row.value.clone_from(info),
            ElementDetail::Heading { .. } | ElementDetail::Import(_) => {}
        }
        rows.push(row);
    }
    rows
}
