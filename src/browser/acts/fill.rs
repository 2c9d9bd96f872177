//! Setting the value of a field without keys.

use crate::{
    errors::BrowserError,
    refusal::Said,
    tab::{Located, Tab},
    target::Target,
};

impl Tab {
    /// Replaces what a field holds, by its setter, with `input` and `change`. Dates, times, numbers and colours are checked.
    pub async fn fill(&self, target: &Target, value: &str) -> Result<(), BrowserError> {
        let located = self.locate(target).await?;
        self.acting(self.fill_in(&located, value)).await
    }

    pub(super) async fn fill_in(&self, located: &Located, value: &str) -> Result<(), BrowserError> {
        let said: Said<Filled> = self.ask(&located.frame, "fill", (&located.reference, value)).await?;
        said.done(&located.called)?;
        Ok(())
    }
}

#[derive(serde::Deserialize)]
struct Filled {
    #[expect(dead_code, reason = "tells what was done from what was refused")]
    value: String,
}
