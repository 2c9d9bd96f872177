//! Choosing options: of a `<select>`, or of a list that a page draws itself.

use fumi_base::text::Text;

use super::{Click, Difference, Differing};
use crate::{
    errors::BrowserError,
    refusal::Said,
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
            let said: Said<Selected> = match said {
                Some(said) => said,
                None => self.ask(&located.frame, "select", (&located.reference, values)).await?,
            };
            match said {
                Said::Refused(refusal) if refusal.error == "not-select" => {
                    if self.list_of(&located).await?.kind == ListKind::Plain {
                        return Err(refusal.of(&located.called));
                    }
                    let mut selected = Vec::with_capacity(values.len());
                    for value in values {
                        match self.choose_listed(&located, value).await? {
                            Chosen::Option(name) => selected.push(name),
                            Chosen::Typed(Some(Differing {
                                how: Difference::OnlyTyped(options),
                                ..
                            })) => return Err(no_option(value, &options)),
                            Chosen::Typed(_) => selected.push(value.clone()),
                            Chosen::Not { name, holds } => return Err(not_chosen(&located, &name, &holds)),
                        }
                    }
                    Ok(selected)
                }
                said => Ok(said.done(&located.called)?.selected),
            }
        };
        self.acting(selecting).await
    }

    /// Chooses one option of a field. Returns the difference if the field now contains something else.
    pub(super) async fn choose_in(&self, located: &Located, value: &str) -> Result<Option<Differing>, BrowserError> {
        let said: Said<Selected> = self
            .ask(&located.frame, "select", (&located.reference, [value]))
            .await?;
        match said {
            Said::Refused(refusal) if refusal.error == "not-select" => {
                Ok(match self.choose_listed(located, value).await? {
                    Chosen::Option(_) => None,
                    Chosen::Typed(differing) => differing,
                    Chosen::Not { holds, .. } => Some(Differing::new(located, Difference::Holds(holds))),
                })
            }
            said => said.done(&located.called).map(|_| None),
        }
    }

    /// Opens a list that a page draws itself and clicks an option, a second time if the first click hit something else.
    /// If the field also takes text and its list does not show the option, the text is typed.
    async fn choose_listed(&self, located: &Located, value: &str) -> Result<Chosen, BrowserError> {
        let mut is_again = false;
        loop {
            let list = self.list_of(located).await?;
            if list.kind == ListKind::Plain {
                return Ok(Chosen::Typed(self.fill_in(located, value, false).await?));
            }
            let seen = self.option(located, &list, value, is_again).await?;
            let Some(reference) = seen.reference else {
                return match list.kind {
                    ListKind::Typed => {
                        let differing = Differing::new(located, Difference::OnlyTyped(seen.options));
                        Ok(Chosen::Typed(Some(differing)))
                    }
                    _ => Err(no_option(value, &seen.options)),
                };
            };
            if seen.chosen {
                return Ok(Chosen::Option(seen.name));
            }
            let pressed = match self.press_option(located, reference).await {
                // The list closed, or was redrawn.
                Err(BrowserError::Covered { .. } | BrowserError::Inert { .. } | BrowserError::Stale { .. })
                    if !is_again =>
                {
                    is_again = true;
                    continue;
                }
                pressed => pressed?,
            };
            if pressed.chosen {
                return Ok(Chosen::Option(seen.name));
            }
            if !pressed.missed || is_again {
                let Pressed { holds, .. } = pressed;
                return Ok(Chosen::Not { name: seen.name, holds });
            }
            is_again = true;
        }
    }

    /// Returns the option of an opened list, or the list's options if it has no such option.
    async fn option(
        &self,
        located: &Located,
        list: &List,
        value: &str,
        may_be_open: bool,
    ) -> Result<Listed, BrowserError> {
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
    async fn press_option(&self, located: &Located, option: String) -> Result<Pressed, BrowserError> {
        let target = Target::Written(option);
        let option = self.locate(&target).await?;
        self.click_on(&option, &target, &Click::default()).await?;
        let asked = (&located.reference, SHOWING);
        let said: Result<Said<Pressed>, _> = self.ask(&located.frame, "chosenIn", asked).await;
        Ok(match said {
            Ok(Said::Done(pressed)) => pressed,
            _ => Pressed::unknown(),
        })
    }

    async fn list_of(&self, located: &Located) -> Result<List, BrowserError> {
        let said: Said<List> = self.ask(&located.frame, "listKind", (&located.reference,)).await?;
        said.done(&located.called)
    }

    /// Opens a list by a click, or by a key if other content covers the field.
    async fn open_list(&self, located: &Located) -> Result<(), BrowserError> {
        let target = Target::Written(located.reference.clone());
        match self.click_on(located, &target, &Click::default()).await {
            Err(BrowserError::Covered { .. } | BrowserError::Inert { .. }) => {
                let said: Said<serde::de::IgnoredAny> =
                    self.ask(&located.frame, "focusOn", (&located.reference,)).await?;
                said.done(&located.called)?;
                self.strike("ArrowDown").await
            }
            clicked => clicked,
        }
    }

    async fn listed(&self, located: &Located, value: &str, patience: u32) -> Result<Listed, BrowserError> {
        let asked = (&located.reference, value, patience);
        let said: Said<Listed> = self.ask(&located.frame, "optionOf", asked).await?;
        said.done(&located.called)
    }
}

fn not_chosen(located: &Located, name: &str, holds: &str) -> BrowserError {
    BrowserError::Inert {
        target: located.called.clone(),
        reason: Text::new(
            format!("its option \"{name}\" was clicked, but the field shows \"{holds}\""),
            format!("選択肢「{name}」をクリックしましたが、欄の表示は「{holds}」です"),
        ),
    }
}

/// Returns the error for an option that a list does not have. The list is open by now, so its options can be clicked
/// next.
fn no_option(value: &str, options: &[String]) -> BrowserError {
    let options = options
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let reason = if options.is_empty() {
        Text::new(
            format!("no list with an option \"{value}\" opened; click the field, then look with browser_snapshot"),
            format!(
                "選択肢「{value}」のあるリストが開きませんでした。欄をクリックし、browser_snapshot で確かめてください"
            ),
        )
    } else {
        Text::new(
            format!("there is no option \"{value}\"; there are {options}"),
            format!("選択肢「{value}」はありません。あるのは {options} です"),
        )
    };
    BrowserError::Argument {
        argument: "value",
        reason,
    }
}

#[derive(serde::Deserialize)]
struct Selected {
    selected: Vec<String>,
}

/// The result of choosing an option in a list that a page draws itself.
enum Chosen {
    /// The option of this name was clicked, or was chosen before.
    Option(String),
    /// The text was typed; contains the difference if the field contains something else.
    Typed(Option<Differing>),
    /// The option of this name was clicked, and the field shows something else.
    Not { name: String, holds: String },
}

/// The result of a click on an option.
#[derive(serde::Deserialize)]
struct Pressed {
    /// True if the field or the page shows the option as chosen.
    chosen: bool,
    /// True if the click hit something else.
    #[serde(default)]
    missed: bool,
    /// The text that the field shows instead.
    #[serde(default)]
    holds: String,
}

impl Pressed {
    const fn unknown() -> Self {
        Self {
            chosen: true,
            missed: false,
            holds: String::new(),
        }
    }
}

/// The list of a field with options.
#[derive(serde::Deserialize)]
struct List {
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
struct Listed {
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    chosen: bool,
    #[serde(default)]
    options: Vec<String>,
}
