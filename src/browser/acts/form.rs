//! Filling in several fields of a form with one call.

use fumi_base::text::BilingualText;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ClickOptions, FieldMismatch, slide};
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{Located, Tab},
    target::Target,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormField {
    /// The caller's name of the field, used in messages only.
    pub name: Option<String>,
    pub target: Target,
    /// The kind of the field; by default derived from its role.
    pub kind: Option<FieldKind>,
    /// The value: a text, `true` or `false` for a checkbox, the label of an option.
    pub value: String,
}

/// The kind of a form field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// A field that takes text.
    Textbox,
    /// A checkbox or switch.
    Checkbox,
    /// A button of a radio group.
    Radio,
    /// A field with a list of options.
    Combobox,
    /// A number between a minimum and a maximum.
    Slider,
}

/// The maximum wait for a box to show the state that a click gave it, in milliseconds.
const SWITCHING: u32 = 300;

/// The result of filling in a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilledForm {
    /// The fields that contain something else than they were given.
    pub differing: Vec<FieldMismatch>,
    /// The index of the field during which a dialog opened, or the tab closed itself. Later fields are not filled.
    pub stopped_at: Option<usize>,
}

/// The error of one field of a form.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct FormError {
    /// The index of the field.
    pub index: usize,
    /// The number of fields that were filled before, from the first.
    pub filled: usize,
    /// The error itself.
    pub error: BrowserError,
}

/// The operation that sets a field of this kind.
#[derive(Clone, Copy)]
enum FieldOperation {
    Fill,
    Slide,
    Check { wanted: bool },
    Choose,
}

impl Tab {
    /// Fills in fields in the given order. All are located before the first is filled, so that a wrong target changes
    /// nothing.
    pub async fn fill_form(&self, fields: &[FormField]) -> Result<FilledForm, FormError> {
        let mut located = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let filled = 0;
            let found = self.locate_field(field).await;
            located.push(found.map_err(|error| FormError { index, filled, error })?);
        }
        let mut said = Vec::with_capacity(located.len());
        let filling = async {
            for (field, located, deed) in &located {
                said.push(match deed {
                    FieldOperation::Fill => self.fill_in(located, &field.value, false).await?,
                    FieldOperation::Slide => self.slide(located, &field.value).await?,
                    FieldOperation::Check { wanted } => {
                        self.check(located, &field.target, *wanted).await.map(|()| None)?
                    }
                    FieldOperation::Choose => self.choose_one(located, &field.value).await?,
                });
            }
            Ok(true)
        };
        let done = self.acting(filling).await;
        let filled = said.len();
        let is_whole = done.map_err(|error| FormError { index: filled, filled, error })?;
        if !is_whole {
            return Ok(FilledForm { stopped_at: Some(filled), ..FilledForm::default() });
        }
        let mut differing = Vec::new();
        for ((field, located, deed), said) in located.iter().zip(said) {
            differing.extend(match deed {
                FieldOperation::Fill => self.or_current_value(said, located, &field.value, false).await,
                _ => said,
            });
        }
        Ok(FilledForm { differing, stopped_at: None })
    }

    /// Finds a field and checks what can be checked before it is filled.
    async fn locate_field<'f>(
        &self,
        field: &'f FormField,
    ) -> Result<(&'f FormField, Located, FieldOperation), BrowserError> {
        let found = self.locate(&field.target).await?;
        let deed = operation_for(field, &found.role)?;
        if matches!(deed, FieldOperation::Slide) {
            slide::finite(&field.value)?;
        }
        Ok((field, found, deed))
    }

    /// Clicks a checkbox or radio button unless it already has the wanted state. Returns an error if the click does not
    /// change it.
    async fn check(&self, located: &Located, target: &Target, wanted: bool) -> Result<(), BrowserError> {
        let mut state = self.checkbox_state(located, wanted, 0).await?;
        // The first click on a box that is neither on nor off may switch it on.
        let mut clicks_left = if state.mixed { 2 } else { 1 };
        while state.click && clicks_left > 0 {
            self.click_on(located, target, &ClickOptions::default()).await?;
            state = self.checkbox_state(located, wanted, SWITCHING).await?;
            clicks_left -= 1;
        }
        if state.click {
            let (en, ja) = match (state.mixed, wanted) {
                (true, _) => ("neither on nor off", "どちらでもない状態"),
                (false, true) => ("off", "オフ"),
                (false, false) => ("on", "オン"),
            };
            let reason = BilingualText::new(
                format!("it was clicked, and it is {en} now"),
                format!("クリックしましたが、今の状態は「{ja}」です"),
            );
            let target = target.to_string();
            return Err(BrowserError::ElementInert { target, reason });
        }
        Ok(())
    }

    async fn checkbox_state(
        &self,
        located: &Located,
        wanted: bool,
        patience: u32,
    ) -> Result<CheckboxReply, BrowserError> {
        let asked = (&located.reference, wanted, patience);
        let said: ScriptReply<CheckboxReply> = self.ask(&located.frame, "check", asked).await?;
        said.into_result(&located.called)
    }
}

fn operation_for(field: &FormField, role: &str) -> Result<FieldOperation, BrowserError> {
    let kind = field.kind.unwrap_or(match role {
        "checkbox" | "switch" | "menuitemcheckbox" => FieldKind::Checkbox,
        "radio" | "menuitemradio" => FieldKind::Radio,
        "combobox" | "listbox" => FieldKind::Combobox,
        "slider" => FieldKind::Slider,
        _ => FieldKind::Textbox,
    });
    Ok(match kind {
        FieldKind::Textbox => FieldOperation::Fill,
        FieldKind::Slider => FieldOperation::Slide,
        FieldKind::Combobox => FieldOperation::Choose,
        FieldKind::Checkbox | FieldKind::Radio => FieldOperation::Check { wanted: parse_checked(field)? },
    })
}

fn parse_checked(field: &FormField) -> Result<bool, BrowserError> {
    match field.value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "checked" | "yes" | "1" => Ok(true),
        "false" | "off" | "unchecked" | "no" | "0" => Ok(false),
        other => {
            let name = field.name.clone().unwrap_or_else(|| field.target.to_string());
            Err(BrowserError::BadBrowserArgument {
                argument: "value",
                reason: BilingualText::new(
                    format!("\"{name}\" takes true or false, not \"{other}\""),
                    format!("「{name}」はチェックの有無です。「{other}」ではなく true か false を指定してください"),
                ),
            })
        }
    }
}

#[derive(serde::Deserialize)]
struct CheckboxReply {
    /// True if the box must be clicked to get the wanted state.
    click: bool,
    /// True if the box is neither on nor off.
    mixed: bool,
}
