//! Elements by text, role, tag and attributes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{errors::BrowserError, refusal::Said, tab::Tab};

/// What elements must have, all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementQuery {
    /// A text in it or its name, in any case.
    pub text: Option<String>,
    /// An ARIA role.
    pub role: Option<String>,
    /// A tag.
    pub tag_name: Option<String>,
    /// Attributes and their values; an empty value asks only for the attribute.
    pub attributes: Vec<(String, String)>,
    /// So many come back.
    pub max_results: usize,
}

/// The elements found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// Visible ones first, in each frame.
    pub found: Vec<Element>,
    /// How many there are.
    pub total: usize,
}

/// One element.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Element {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// `<div#main.wide>`.
    pub tag: String,
    /// Its text, cut, where it has no name.
    pub text: String,
    /// Whether it can be seen.
    pub visible: bool,
}

impl Tab {
    /// Looks through all frames.
    pub async fn elements(&self, query: &ElementQuery) -> Result<Elements, BrowserError> {
        let mut all = Elements::default();
        let attributes = query
            .attributes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let question = &Question {
            text: query.text.as_deref(),
            role: query.role.as_deref(),
            tag_name: query.tag_name.as_deref(),
            attributes: attributes.collect(),
            max_results: query.max_results,
        };
        let asked =
            self.in_frames(|frame| async move { self.ask::<Said<Matches>>(&frame, "elements", (question,)).await });
        for (_, said) in asked.await? {
            let matches = said.done("elements")?;
            all.total += matches.total;
            all.found.extend(matches.elements);
        }
        all.found.truncate(query.max_results);
        Ok(all)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Question<'a> {
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
struct Matches {
    elements: Vec<Element>,
    total: usize,
}
