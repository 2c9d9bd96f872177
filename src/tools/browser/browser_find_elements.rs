//! `browser_find_elements`: finds elements by text, role, tag and attributes, including those that no snapshot shows.

use std::collections::BTreeMap;

use fumi_base::text::Locale;
use fumi_browser::{self as browser, ElementQuery};
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    texts,
};

/// The default for the maximum number of rows.
const ROWS: usize = 20;

/// The texts of a list of elements.
const MORE: limits::CountTexts = limits::CountTexts {
    none: ("none", "なし"),
    shown: ("first", "先頭"),
    more: ("narrow the call, or maxResults up to 100", "条件を絞るか、maxResults を 100 まで増やしてください"),
};

#[derive(Debug)]
pub struct FindElements;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// A part of the element's text.
    pub text: Option<String>,
    /// The ARIA role.
    pub role: Option<String>,
    /// The tag name.
    pub tag_name: Option<String>,
    /// Attributes with their values.
    pub attributes: Option<BTreeMap<String, String>>,
    /// The maximum number of rows.
    #[schemars(range(min = 1, max = 100))]
    pub max_results: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FindElementsOutput {
    /// The number of all matches.
    total: usize,
    /// The first matching elements.
    elements: Vec<FoundElementRow>,
}

/// A matching element.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundElementRow {
    #[serde(rename = "ref")]
    reference: String,
    tag: String,
    role: String,
    name: String,
    /// The states as in a snapshot, such as `disabled` or `checked`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// True if the element is visible.
    visible: bool,
}

impl From<&browser::FoundElement> for FoundElementRow {
    fn from(element: &browser::FoundElement) -> Self {
        // The name is often the text itself.
        let text = if element.text == element.name { "" } else { &element.text };
        Self {
            reference: element.reference.clone(),
            tag: element.tag.clone(),
            role: element.role.clone(),
            name: limits::truncate_row(&element.name),
            states: element.states.clone(),
            text: limits::truncate_row(text),
            visible: element.visible,
        }
    }
}

impl FoundElementRow {
    /// Formats the element as a line of a snapshot with its tag, which is also a CSS selector: `- button "Save"
    /// button#save [disabled] [ref=e1]`. A role and a name that say nothing are left out.
    fn line(&self) -> String {
        let mut line = "- ".to_owned();
        if !matches!(self.role.as_str(), "" | "none" | "generic" | "presentation") {
            line.push_str(&format!("{} ", self.role));
        }
        if !self.name.is_empty() {
            line.push_str(&format!("{:?} ", self.name));
        }
        line.push_str(self.tag.trim_matches(['<', '>']));
        line.extend(self.states.iter().map(|state| format!(" [{state}]")));
        line.push_str(&format!(" [ref={}]", self.reference));
        line.push_str(if self.visible { "" } else { " [hidden]" });
        line.extend((!self.text.is_empty()).then(|| format!(": {}", self.text)));
        line
    }
}

impl TabAnswer for FindElementsOutput {
    fn text(&self, locale: Locale) -> String {
        let lines: Vec<_> = self.elements.iter().map(FoundElementRow::line).collect();
        limits::with_count(lines, (self.elements.len(), self.total), locale, &MORE)
    }
}

impl TabTool for FindElements {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_find_elements",
        texts: texts!("browser_find_elements"),
        example: r#"{"role": "button"}"#,
        rules: &[ArgumentRule::AnyOf(&["text", "role", "tagName", "attributes"])],
        ..LOOKS
    };
    type Args = Args;
    type TabAnswer = FindElementsOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<FindElementsOutput, ToolError> {
        let query = ElementQuery {
            text: args.text,
            role: args.role,
            tag_name: args.tag_name,
            attributes: args.attributes.into_iter().flatten().collect(),
            max_results: args.max_results.unwrap_or(ROWS),
        };
        let elements = on.tab.elements(&query).await?;
        let rows: Vec<FoundElementRow> = elements.found.iter().map(Into::into).collect();
        Ok(FindElementsOutput {
            total: elements.total,
            elements: limits::keep_first(rows, limits::ANSWER, FoundElementRow::line),
        })
    }
}
