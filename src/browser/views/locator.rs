//! The Playwright locator of an element, with which it can be found again in another run.

use serde::Deserialize;

use crate::{errors::BrowserError, refusal::Said, tab::Tab, target::Target};

#[derive(Deserialize)]
struct Written {
    locator: String,
}

impl Tab {
    /// Returns the Playwright locator of an element without its `page.`: `getByRole('button', { name: 'Save' })`.
    pub async fn locator(&self, target: &Target) -> Result<String, BrowserError> {
        let located = self.locate(target).await?;
        let said: Said<Written> = self.ask(&located.frame, "playwright", (&located.reference,)).await?;
        let Written { locator } = said.done(&located.called)?;
        Ok(locator.strip_prefix("page.").map_or(locator.clone(), str::to_owned))
    }
}
