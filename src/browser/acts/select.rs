//! Choosing options: of a `<select>`, or of a list that a page draws itself.

use fumi_base::text::BilingualText;

use super::{ClickOptions, FieldMismatch, MismatchKind};
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{Located, Tab},
    target::Target,
};

/// The maximum wait for an opened list to show an option, in milliseconds.
const OPENING: u32 = 500;
/// The maximum wait for a list that typed text filters, in milliseconds; the list may come from a server.
const NARROWING: u32 = 1_500;
/// The maximum wait for a field to show the option that was clicked, in milliseconds.
const SHOWING: u32 = 500;

impl Tab {
    /// Chooses options by value, label, or position (`#2` for the second). Options chosen before are deselected.
    /// Returns the labels that are selected then.
    pub async fn select_option(&self, target: &Target, values: &[String]) -> Result<Vec<String>, BrowserError> {
        let selecting = async {
            let (located, said) = self.locate_and(target, ("select", (values,)), None).await?;
            let said: ScriptReply<SelectReply> = match said {
                Some(said) => said,
                None => self.ask(&located.frame, "select", (&located.reference, values)).await?,
            };
            match said {
                ScriptReply::Refused(refusal) if refusal.error == "not-select" => {
                    let list = self.list_of(&located).await?;
                    if list.kind == ListKind::Plain {
                        return Err(refusal.into_browser_error(&located.called));
                    }
                    // Large, and rarely needed.
                    let chosen = Box::pin(self.choose_all(&located, values)).await;
                    self.close_list(&located, &list, chosen.is_err(), values.len() > 1).await;
                    chosen
                }
                said => Ok(said.into_result(&located.called)?.selected),
            }
        };
        self.acting(selecting).await
    }

    /// Chooses one option of a field. Returns the difference if the field now contains something else.
    pub(super) async fn choose_one(
        &self,
        located: &Located,
        value: &str,
    ) -> Result<Option<FieldMismatch>, BrowserError> {
        let said: ScriptReply<SelectReply> = self.ask(&located.frame, "select", (&located.reference, [value])).await?;
        match said {
            ScriptReply::Refused(refusal) if refusal.error == "not-select" => {
                let list = self.list_of(located).await?;
                let choice = self.choose_in_list(located, value).await;
                let has_failed = !matches!(choice, Ok(ListChoice::Option(_) | ListChoice::Typed(_)));
                self.close_list(located, &list, has_failed, false).await;
                Ok(match choice? {
                    ListChoice::Option(_) => None,
                    ListChoice::Typed(differing) => differing,
                    ListChoice::Not { holds, .. } => Some(FieldMismatch::new(located, MismatchKind::Holds(holds))),
                })
            }
            said => said.into_result(&located.called).map(|_| None),
        }
    }

    /// Chooses options of a list that a page draws itself, one after the other. Returns their names.
    async fn choose_all(&self, located: &Located, values: &[String]) -> Result<Vec<String>, BrowserError> {
        let mut selected = Vec::with_capacity(values.len());
        for value in values {
            match self.choose_in_list(located, value).await? {
                ListChoice::Option(name) => selected.push(name),
                ListChoice::Typed(Some(FieldMismatch { how: MismatchKind::OnlyTyped(options), .. })) => {
                    return Err(no_option(value, &options, true));
                }
                ListChoice::Typed(_) => selected.push(value.clone()),
                ListChoice::Not { name, holds } => return Err(not_chosen(located, &name, &holds)),
            }
        }
        Ok(selected)
    }

    /// Closes a list with Escape if it is still open though it was closed before: a list for several choices after the
    /// last one, and any list that only opens after a failure. It would cover the page and take the next click. A field
    /// that takes text keeps its list, because Escape may clear the text.
    async fn close_list(&self, located: &Located, before: &OptionList, has_failed: bool, is_multiple: bool) {
        let is_ours = before.kind == ListKind::Pressed || (before.kind == ListKind::Typed && !has_failed);
        if before.expanded || !is_ours {
            return;
        }
        let said: Result<ScriptReply<OpenListReply>, _> =
            self.ask(&located.frame, "openList", (&located.reference,)).await;
        let Ok(ScriptReply::Done(list)) = said else {
            return;
        };
        if list.open
            && (has_failed || is_multiple || list.several)
            && let Err(error) = self.press_keys("Escape").await
        {
            tracing::debug!(%error, "an option list stays open");
        }
    }

    /// Opens a list that a page draws itself and clicks an option, a second time if the list was redrawn before.
    /// If the field also takes text and its list does not show the option, the text is typed.
    async fn choose_in_list(&self, located: &Located, value: &str) -> Result<ListChoice, BrowserError> {
        let mut is_again = false;
        loop {
            let list = self.list_of(located).await?;
            if list.kind == ListKind::Plain {
                return Ok(ListChoice::Typed(self.fill_in(located, value, false).await?));
            }
            let seen = self.option(located, &list, value, is_again).await?;
            let Some(reference) = seen.reference else {
                return match list.kind {
                    ListKind::Typed => {
                        let differing = FieldMismatch::new(located, MismatchKind::OnlyTyped(seen.options));
                        Ok(ListChoice::Typed(Some(differing)))
                    }
                    _ => Err(no_option(value, &seen.options, false)),
                };
            };
            if seen.chosen {
                return Ok(ListChoice::Option(seen.name));
            }
            let OptionClickReply { chosen, holds } = match self.press_option(located, reference).await {
                // The list closed, or was redrawn.
                Err(
                    BrowserError::ElementCovered { .. }
                    | BrowserError::ElementInert { .. }
                    | BrowserError::StaleRef { .. },
                ) if !is_again => {
                    is_again = true;
                    continue;
                }
                pressed => pressed?,
            };
            return Ok(if chosen { ListChoice::Option(seen.name) } else { ListChoice::Not { name: seen.name, holds } });
        }
    }

    /// Returns the option of an opened list, or the list's options if it has no such option.
    async fn option(
        &self,
        located: &Located,
        list: &OptionList,
        value: &str,
        may_be_open: bool,
    ) -> Result<ListedOption, BrowserError> {
        if may_be_open {
            let seen = self.listed(located, value, 0).await?;
            if seen.reference.is_some() {
                return Ok(seen);
            }
        }
        if list.kind != ListKind::Open && !list.expanded {
            self.open_list(located).await?;
        }
        let seen = self.listed(located, value, OPENING).await?;
        if seen.reference.is_some() || list.kind != ListKind::Typed {
            return Ok(seen);
        }
        self.fill_in(located, value, false).await?;
        self.listed(located, value, NARROWING).await
    }

    /// Clicks an option and reads the field's state afterwards. Assumes success if the field is gone then or the page
    /// does not answer.
    async fn press_option(&self, located: &Located, option: String) -> Result<OptionClickReply, BrowserError> {
        let target = Target::Written(option);
        let option = self.locate(&target).await?;
        self.click_on(&option, &target, &ClickOptions::default()).await?;
        let asked = (&located.reference, SHOWING);
        let said: Result<ScriptReply<OptionClickReply>, _> = self.ask(&located.frame, "chosenIn", asked).await;
        Ok(match said {
            Ok(ScriptReply::Done(pressed)) => pressed,
            _ => OptionClickReply::unknown(),
        })
    }

    async fn list_of(&self, located: &Located) -> Result<OptionList, BrowserError> {
        let said: ScriptReply<OptionList> = self.ask(&located.frame, "listKind", (&located.reference,)).await?;
        said.into_result(&located.called)
    }

    /// Opens a list by a click, or by a key if other content covers the field.
    async fn open_list(&self, located: &Located) -> Result<(), BrowserError> {
        let target = Target::Written(located.reference.clone());
        match self.click_on(located, &target, &ClickOptions::default()).await {
            Err(BrowserError::ElementCovered { .. } | BrowserError::ElementInert { .. }) => {
                let said: ScriptReply<serde::de::IgnoredAny> =
                    self.ask(&located.frame, "focusOn", (&located.reference,)).await?;
                said.into_result(&located.called)?;
                self.press_keys("ArrowDown").await
            }
            clicked => clicked,
        }
    }

    async fn listed(&self, located: &Located, value: &str, patience: u32) -> Result<ListedOption, BrowserError> {
        let asked = (&located.reference, value, patience);
        let said: ScriptReply<ListedOption> = self.ask(&located.frame, "optionOf", asked).await?;
        said.into_result(&located.called)
    }
}

fn not_chosen(located: &Located, name: &str, holds: &str) -> BrowserError {
    BrowserError::ElementInert {
        target: located.called.clone(),
        reason: BilingualText::new(
            format!("its option \"{name}\" was clicked, but the field shows \"{holds}\""),
            format!("選択肢「{name}」をクリックしましたが、欄の表示は「{holds}」です"),
        ),
    }
}

/// Returns the error for an option that a list does not have. `is_typed`: the option was typed into the field in search
/// of it.
fn no_option(value: &str, options: &[String], is_typed: bool) -> BrowserError {
    let (left_en, left_ja) = if is_typed {
        ("; this text is in the field now", "。この文字は欄に入力されたままです")
    } else {
        ("", "")
    };
    let options = options.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let reason = if options.is_empty() {
        BilingualText::new(
            format!("no list with an option \"{value}\" opened; click the field, then call browser_snapshot{left_en}"),
            format!(
                "選択肢「{value}」のあるリストが開きませんでした。欄をクリックし、browser_snapshot で確かめてください{left_ja}"
            ),
        )
    } else {
        BilingualText::new(
            format!("unknown option \"{value}\"; options: {options}{left_en}"),
            format!("選択肢「{value}」はありません。あるのは {options} です{left_ja}"),
        )
    };
    BrowserError::BadBrowserArgument { argument: "value", reason }
}

#[derive(serde::Deserialize)]
struct SelectReply {
    selected: Vec<String>,
}

/// The result of choosing an option in a list that a page draws itself.
enum ListChoice {
    /// The option of this name was clicked, or was chosen before.
    Option(String),
    /// The text was typed; contains the difference if the field contains something else.
    Typed(Option<FieldMismatch>),
    /// The option of this name was clicked, and the field shows something else.
    Not { name: String, holds: String },
}

/// The result of a click on an option.
#[derive(serde::Deserialize)]
struct OptionClickReply {
    /// True if the field or the page shows the option as chosen.
    chosen: bool,
    /// The text that the field shows instead.
    #[serde(default)]
    holds: String,
}

impl OptionClickReply {
    const fn unknown() -> Self {
        Self { chosen: true, holds: String::new() }
    }
}

/// The state of a list after options were chosen.
#[derive(serde::Deserialize)]
struct OpenListReply {
    open: bool,
    /// True if the list takes several choices.
    several: bool,
}

/// The list of a field with options.
#[derive(serde::Deserialize)]
struct OptionList {
    kind: ListKind,
    expanded: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum ListKind {
    /// The field also takes text.
    Typed,
    /// The field only opens the list.
    Pressed,
    /// The element is the list itself.
    Open,
    /// The field takes text and has no options to click.
    Plain,
}

/// An option of a list, or the list's options if it was not found.
#[derive(serde::Deserialize)]
struct ListedOption {
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    chosen: bool,
    #[serde(default)]
    options: Vec<String>,
}
