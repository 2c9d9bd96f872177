//! Choosing options of a `<select>`.

use crate::{
    errors::BrowserError,
    refusal::Said,
    tab::{Located, Tab},
    target::Target,
};

impl Tab {
    /// Chooses options by value, label or `#2` for the second; what was chosen before is given up. The labels that are
    /// selected then.
    pub async fn select_option(&self, target: &Target, values: &[String]) -> Result<Vec<String>, BrowserError> {
        let located = self.locate(target).await?;
        self.acting(self.select_in(&located, values)).await
    }

    pub(super) async fn select_in(&self, located: &Located, values: &[String]) -> Result<Vec<String>, BrowserError> {
        let said: Said<Selected> = self.ask(&located.frame, "select", (&located.reference, values)).await?;
        Ok(said.done(&located.called)?.selected)
    }
}

#[derive(serde::Deserialize)]
struct Selected {
    selected: Vec<String>,
}
