//! Setting the value of a field without keys.

use super::Typing;
use crate::{
    errors::BrowserError,
    refusal::Said,
    tab::{Located, Tab},
    target::Target,
};

/// A field that took less than it was given, as it would from a person's hand: its page allows no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// As the caller named it.
    pub target: String,
    /// The `maxlength` of the field, in UTF-16 units.
    pub max_length: usize,
}

impl Tab {
    /// Replaces what a field holds, by its setter, with `input` and `change`. Dates, times, numbers and colours are checked.
    /// What comes back says that the value was cut.
    pub async fn fill(&self, target: &Target, value: &str) -> Result<Option<Shortened>, BrowserError> {
        let located = self.locate(target).await?;
        self.acting(self.fill_in(&located, value)).await
    }

    pub(super) async fn fill_in(&self, located: &Located, value: &str) -> Result<Option<Shortened>, BrowserError> {
        let said: Said<Filled> = self.ask(&located.frame, "fill", (&located.reference, value)).await?;
        let filled = said.done(&located.called)?;
        if filled.untaken {
            let typing = Typing {
                text: value.to_owned(),
                ..Typing::default()
            };
            // Boxed: typing fills in what has a form of its own.
            return Box::pin(self.type_in(&Target::Written(located.reference.clone()), &typing)).await;
        }
        let cut = filled.max_length;
        Ok(cut.map(|max_length| Shortened::new(located, max_length)))
    }
}

impl Shortened {
    pub(super) fn new(located: &Located, max_length: usize) -> Self {
        Self {
            target: located.called.clone(),
            max_length,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filled {
    #[expect(dead_code, reason = "tells what was done from what was refused")]
    value: String,
    /// It cut the value.
    max_length: Option<usize>,
    /// The field holds something else: it listens to keys only.
    #[serde(default)]
    untaken: bool,
}
