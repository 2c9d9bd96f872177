//! Setting the value of a field without keys, and checking the result.

use super::Typing;
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{Located, Tab},
    target::Target,
};

/// A field whose value differs from the one it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMismatch {
    /// The field as the caller named it.
    pub target: String,
    pub how: MismatchKind,
}

/// The way in which a field's value differs from the given value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// The value was shortened, as it would be for a person: the field's `maxlength` in UTF-16 units allows no more.
    Shortened(usize),
    /// The field contains this value.
    Holds(String),
    /// The text was typed, but the field's list has no such option. Contains some of its options.
    OnlyTyped(Vec<String>),
}

impl Tab {
    /// Replaces a field's value through its setter and fires `input` and `change`. Dates, times, numbers and colours
    /// are checked. Returns the difference if the field now contains something else.
    pub async fn fill(&self, target: &Target, value: &str) -> Result<Option<FieldMismatch>, BrowserError> {
        let located = self.locate(target).await?;
        let filling = async {
            match located.role.as_str() {
                "slider" => self.slide(&located, value).await,
                _ => self.fill_in(&located, value, self.reports_popups()).await,
            }
        };
        let differing = self.acting(filling).await?;
        self.detect_popup(&Target::Written(located.reference.clone())).await;
        Ok(self.or_current_value(differing, &located, value, false).await)
    }

    /// Fills a field, with keys if it listens to keys only. `is_told`: the page records popups that open, so that they
    /// can be reported.
    pub(super) async fn fill_in(
        &self,
        located: &Located,
        value: &str,
        is_told: bool,
    ) -> Result<Option<FieldMismatch>, BrowserError> {
        let filled = self.set_value(located, value, is_told).await?;
        if filled.by_keys {
            let typing = Typing { text: value.to_owned(), ..Typing::default() };
            let (_, differing) = self.type_in(&Target::Written(located.reference.clone()), &typing, is_told).await?;
            return Ok(differing);
        }
        Ok(filled.cut(located))
    }

    /// Fills a field through its setter only. This avoids an endless loop if a page changes the kind of its field
    /// between two calls.
    pub(super) async fn set_value(
        &self,
        located: &Located,
        value: &str,
        is_told: bool,
    ) -> Result<FillReply, BrowserError> {
        let asked = (&located.reference, value, is_told);
        let said: ScriptReply<FillReply> = self.ask(&located.frame, "fill", asked).await?;
        said.into_result(&located.called)
    }

    /// Returns the difference found so far, or else the field's current value if it is not the given one. Returns
    /// `None` if the field is gone or the page does not answer.
    pub(super) async fn or_current_value(
        &self,
        differing: Option<FieldMismatch>,
        located: &Located,
        given: &str,
        is_appended: bool,
    ) -> Option<FieldMismatch> {
        if differing.is_some() {
            return differing;
        }
        let asked = (&located.reference, given, is_appended);
        let said: ScriptReply<FieldValueReply> = self.ask(&located.frame, "heldIn", asked).await.ok()?;
        let holds = said.into_result(&located.called).ok()?.holds?;
        Some(FieldMismatch::new(located, MismatchKind::Holds(holds)))
    }
}

impl FieldMismatch {
    pub(super) fn new(located: &Located, how: MismatchKind) -> Self {
        Self { target: located.called.clone(), how }
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FillReply {
    /// The `maxlength` because of which the field cut the value.
    max_length: Option<usize>,
    /// True if nothing was done because the field listens to keys only.
    #[serde(default)]
    by_keys: bool,
}

impl FillReply {
    pub(super) fn cut(&self, located: &Located) -> Option<FieldMismatch> {
        let most = self.max_length?;
        Some(FieldMismatch::new(located, MismatchKind::Shortened(most)))
    }
}

#[derive(serde::Deserialize)]
struct FieldValueReply {
    /// The value, if it is not the given one.
    holds: Option<String>,
}
