//! Setting the value of a field without keys.

use super::Typing;
use crate::{
    errors::BrowserError,
    refusal::Said,
    tab::{Located, Tab},
    target::Target,
};

/// A field that does not hold what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// As the caller named it.
    pub target: String,
    /// In which way.
    pub how: Difference,
}

/// In which way a field differs from what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// It took less, as it would from a person's hand: its `maxlength` in UTF-16 units allows no more.
    Shortened(usize),
    /// It holds this.
    Holds(String),
    /// It was typed into, but its list has no such option. Some of those that it has.
    OnlyTyped(Vec<String>),
}

impl Tab {
    /// Replaces what a field holds, by its setter, with `input` and `change`. Dates, times, numbers and colours are checked.
    /// What comes back says what the field holds instead.
    pub async fn fill(&self, target: &Target, value: &str) -> Result<Option<Differing>, BrowserError> {
        let located = self.locate(target).await?;
        let filling = async {
            match located.role.as_str() {
                "slider" => self.slide(&located, value).await,
                _ => self.fill_in(&located, value, self.tells_popups()).await,
            }
        };
        let differing = self.acting(filling).await?;
        self.note_opened(&Target::Written(located.reference.clone())).await;
        Ok(self.or_held(differing, &located, value, false).await)
    }

    /// `is_told`: what opens meanwhile is asked for afterwards.
    pub(super) async fn fill_in(
        &self,
        located: &Located,
        value: &str,
        is_told: bool,
    ) -> Result<Option<Differing>, BrowserError> {
        let filled = self.set(located, value, is_told).await?;
        if filled.by_keys {
            let typing = Typing {
                text: value.to_owned(),
                ..Typing::default()
            };
            let (_, differing) = self
                .type_in(&Target::Written(located.reference.clone()), &typing, is_told)
                .await?;
            return Ok(differing);
        }
        Ok(filled.cut(located))
    }

    /// By its setter only: a page that changes the kind of its field between two questions leads to no circle.
    pub(super) async fn set(&self, located: &Located, value: &str, is_told: bool) -> Result<Filled, BrowserError> {
        let asked = (&located.reference, value, is_told);
        let said: Said<Filled> = self.ask(&located.frame, "fill", asked).await?;
        said.done(&located.called)
    }

    /// What was said of a field already, else what it holds now if that is not what it was given. A field that is gone, or a
    /// page that does not answer, says nothing.
    pub(super) async fn or_held(
        &self,
        differing: Option<Differing>,
        located: &Located,
        given: &str,
        is_appended: bool,
    ) -> Option<Differing> {
        if differing.is_some() {
            return differing;
        }
        let asked = (&located.reference, given, is_appended);
        let said: Said<Held> = self.ask(&located.frame, "heldIn", asked).await.ok()?;
        let holds = said.done(&located.called).ok()?.holds?;
        Some(Differing::new(located, Difference::Holds(holds)))
    }
}

impl Differing {
    pub(super) fn new(located: &Located, how: Difference) -> Self {
        Self {
            target: located.called.clone(),
            how,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Filled {
    /// It cut the value.
    max_length: Option<usize>,
    /// Nothing was done: it listens to keys only.
    #[serde(default)]
    by_keys: bool,
}

impl Filled {
    pub(super) fn cut(&self, located: &Located) -> Option<Differing> {
        let most = self.max_length?;
        Some(Differing::new(located, Difference::Shortened(most)))
    }
}

#[derive(serde::Deserialize)]
struct Held {
    /// If it is not what was given.
    holds: Option<String>,
}
