//! The Playwright locator of an element, with which it can be found again in another run.

use serde::Deserialize;

use crate::{errors::BrowserError, script_reply::ScriptReply, tab::Tab, target::Target};

#[derive(Deserialize)]
struct LocatorReply {
    locator: String,
}

impl Tab {
    /// Returns the Playwright locator of an element without its `page.`: `getByRole('button', { name: 'Save' })`.
    pub async fn locator(&self, target: &Target) -> Result<String, BrowserError> {
        let located = self.locate(target).await?;
        let said: ScriptReply<LocatorReply> = self.ask(&located.frame, "playwright", (&located.reference,)).await?;
        let LocatorReply { locator } = said.into_result(&located.called)?;
        Ok(locator.strip_prefix("page.").map_or(locator.clone(), str::to_owned))
    }
}
