//! The cleaned markup of a part of the page.

use serde::{Deserialize, Serialize};

use crate::{errors::BrowserError, script_reply::ScriptReply, snapshot::PageSnapshot, tab::Tab, target::Target};

/// The element and the limits of a markup request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtmlRequest {
    pub target: Target,
    /// The number of levels below the element.
    pub depth: Option<u32>,
    /// The maximum length in characters.
    pub max_size: usize,
    /// A selector of the elements that are left out.
    pub exclude: Option<String>,
}

impl Tab {
    /// Returns the markup of an element without scripts, styles, comments and long data.
    pub async fn html(&self, request: &HtmlRequest) -> Result<PageSnapshot, BrowserError> {
        let located = self.locate(&request.target).await?;
        let question = HtmlOptions {
            depth: request.depth,
            max_size: request.max_size,
            exclude_selector: request.exclude.as_deref(),
        };
        let said: ScriptReply<HtmlReply> = self.ask(&located.frame, "html", (&located.reference, question)).await?;
        // The element has been found already, so an invalid selector can only be the one of `exclude`.
        let markup = said.into_result(request.exclude.as_deref().unwrap_or(&located.reference))?;
        Ok(PageSnapshot { text: markup.html, cut: markup.truncated.is_some(), of: markup.truncated.map(|cut| cut.of) })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HtmlOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    max_size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclude_selector: Option<&'a str>,
}

#[derive(Deserialize)]
struct HtmlReply {
    html: String,
    truncated: Option<HtmlTruncation>,
}

#[derive(Deserialize)]
struct HtmlTruncation {
    of: usize,
}
