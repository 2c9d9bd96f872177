//! `browser_find_elements`: finds elements by text, role, tag and attributes, including those that no snapshot shows.

use std::collections::BTreeMap;

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::{self as browser, ElementQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, expected, length,
    on_tab::{Done, On, TabTool},
    texts,
};
use crate::tool::{Cx, Rule, Spec, ToolError};

/// The default for the maximum number of rows.
const ROWS: usize = 20;

#[derive(Debug)]
pub struct FindElements;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// A part of what it says.
    pub text: Option<String>,
    /// Its ARIA role.
    pub role: Option<String>,
    /// Its tag.
    pub tag_name: Option<String>,
    /// Attributes that it has, with these values.
    pub attributes: Option<BTreeMap<String, String>>,
    /// Most rows.
    #[schemars(range(min = 1, max = 100))]
    pub max_results: Option<usize>,
}

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// All that match.
    total: usize,
    /// The first of them.
    elements: Vec<Row>,
}

/// One element.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Row {
    #[serde(rename = "ref")]
    reference: String,
    tag: String,
    role: String,
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// Whether somebody could see it.
    visible: bool,
}

impl From<&browser::Element> for Row {
    fn from(element: &browser::Element) -> Self {
        // The name is often the text itself.
        let text = if element.text == element.name {
            ""
        } else {
            &element.text
        };
        Self {
            reference: element.reference.clone(),
            tag: element.tag.clone(),
            role: element.role.clone(),
            name: length::row(&element.name),
            text: length::row(text),
            visible: element.visible,
        }
    }
}

impl Row {
    fn line(&self) -> String {
        let (reference, tag, role, name) = (&self.reference, &self.tag, &self.role, &self.name);
        let text = if self.text.is_empty() {
            String::new()
        } else {
            format!(": {}", self.text)
        };
        let hidden = if self.visible { "" } else { " [hidden]" };
        format!("- {role} {name:?} <{tag}> [ref={reference}]{hidden}{text}")
    }
}

impl Done for Found {
    fn text(&self, locale: Locale) -> String {
        length::listed(self.elements.iter().map(Row::line), self.total, locale)
    }
}

impl TabTool for FindElements {
    const SPEC: Spec = Spec {
        name: "browser_find_elements",
        texts: texts!("browser_find_elements"),
        example: r#"{"role": "button"}"#,
        rules: &[Rule::AnyOf(&["text", "role", "tagName", "attributes"])],
        ..LOOKS
    };
    type Args = Args;
    type Done = Found;

    fn expects(_args: &Args) -> Expectation {
        expected::answering()
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Found, ToolError> {
        let query = ElementQuery {
            text: args.text,
            role: args.role,
            tag_name: args.tag_name,
            attributes: args.attributes.into_iter().flatten().collect(),
            max_results: args.max_results.unwrap_or(ROWS),
        };
        let elements = on.tab.elements(&query).await?;
        let rows: Vec<Row> = elements.found.iter().map(Into::into).collect();
        Ok(Found {
            total: elements.total,
            elements: length::oldest(rows, length::ANSWER, Row::line),
        })
    }
}
