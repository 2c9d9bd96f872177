//! Search for elements by text, role, tag and attributes, in all frames.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{errors::BrowserError, script_reply::ScriptReply, tab::Tab};

/// The criteria of an element search, all of which must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementQuery {
    /// A text in the element or its name, in any case.
    pub text: Option<String>,
    pub role: Option<String>,
    pub tag_name: Option<String>,
    /// Pairs of an attribute and its value; an empty value requires only that the attribute exists.
    pub attributes: Vec<(String, String)>,
    /// The maximum number of elements that are returned.
    pub max_results: usize,
}

/// The result of an element search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundElements {
    /// The elements, the visible ones of each frame first.
    pub found: Vec<FoundElement>,
    /// Number of matching elements, including those that are not returned.
    pub total: usize,
}

/// An element that matches the criteria.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FoundElement {
    #[serde(rename = "ref")]
    pub reference: String,
    pub role: String,
    pub name: String,
    /// The tag with id and classes, such as `<div#main.wide>`.
    pub tag: String,
    /// The states as in a snapshot, such as `disabled`.
    pub states: Vec<String>,
    /// The text of an element without a name, shortened.
    pub text: String,
    /// True if the element is visible.
    pub visible: bool,
}

impl Tab {
    /// Searches all frames for elements.
    pub async fn elements(&self, query: &ElementQuery) -> Result<FoundElements, BrowserError> {
        let mut all = FoundElements::default();
        let attributes = query.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let question = &ElementSearchOptions {
            text: query.text.as_deref(),
            role: query.role.as_deref(),
            tag_name: query.tag_name.as_deref(),
            attributes: attributes.collect(),
            max_results: query.max_results,
        };
        let asked = self.query_all_frames(|frame| async move {
            self.ask::<ScriptReply<ElementSearchReply>>(&frame, "elements", (question,)).await
        });
        for (_, said) in asked.await? {
            let matches = said.into_result("elements")?;
            all.total += matches.total;
            all.found.extend(matches.elements);
        }
        all.found.truncate(query.max_results);
        Ok(all)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ElementSearchOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag_name: Option<&'a str>,
    attributes: BTreeMap<&'a str, &'a str>,
    max_results: usize,
}

#[derive(Deserialize)]
struct ElementSearchReply {
    elements: Vec<FoundElement>,
    total: usize,
}
