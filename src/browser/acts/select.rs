//! Choosing options of a `<select>`.

use crate::{errors::BrowserError, refusal::Said, tab::Tab, target::Target};

impl Tab {
    /// Chooses options by value, label or `#2` for the second; what was chosen before is given up. The labels that are
    /// selected then.
    pub async fn select_option(&self, target: &Target, values: &[String]) -> Result<Vec<String>, BrowserError> {
        let selecting = async {
            let (located, said) = self.locate_and(target, ("select", (values,)), None).await?;
            let said: Said<Selected> = match said {
                Some(said) => said,
                None => self.ask(&located.frame, "select", (&located.reference, values)).await?,
            };
            Ok(said.done(&located.called)?.selected)
        };
        self.acting(selecting).await
    }
}

#[derive(serde::Deserialize)]
struct Selected {
    selected: Vec<String>,
}
