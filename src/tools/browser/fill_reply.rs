//! The answer of tools that set fields: the fields whose value differs from the given one.

use fumi_base::text::Locale;
use fumi_browser::{self as browser, MismatchKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::on_tab::TabAnswer;

/// What it answers.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FillOutput {
    /// Fields that hold less than they were given, because their page allows no more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shortened: Vec<Shortened>,
    /// Fields that hold something else than they were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differing: Vec<DifferingField>,
    /// Fields with a list that has no such option: the text stands in the field, and nothing is chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    only_typed: Vec<OnlyTyped>,
}

/// A field that cut its value.
#[derive(Debug, Serialize, JsonSchema)]
struct Shortened {
    /// As the call names it.
    target: String,
    /// Characters that it takes (`maxlength`).
    max_length: usize,
}

/// A field that holds something else.
#[derive(Debug, Serialize, JsonSchema)]
struct DifferingField {
    /// As the call names it.
    target: String,
    /// What it holds.
    holds: String,
}

/// A field of whose list nothing is chosen.
#[derive(Debug, Serialize, JsonSchema)]
struct OnlyTyped {
    /// As the call names it.
    target: String,
    /// The first options of its list.
    options: Vec<String>,
}

impl<D: IntoIterator<Item = browser::FieldMismatch>> From<D> for FillOutput {
    fn from(differing: D) -> Self {
        let mut filled = Self::default();
        for browser::FieldMismatch { target, how } in differing {
            match how {
                MismatchKind::Shortened(max_length) => filled.shortened.push(Shortened { target, max_length }),
                MismatchKind::Holds(holds) => filled.differing.push(DifferingField { target, holds }),
                MismatchKind::OnlyTyped(options) => filled.only_typed.push(OnlyTyped { target, options }),
            }
        }
        filled
    }
}

impl TabAnswer for FillOutput {
    fn text(&self, locale: Locale) -> String {
        let shortened = self
            .shortened
            .iter()
            .map(|Shortened { target, max_length }| match locale {
                Locale::En => format!("{target} took only the first {max_length} characters"),
                Locale::Ja => format!("{target} には先頭の {max_length} 文字しか入りませんでした"),
            });
        let differing = self
            .differing
            .iter()
            .map(|DifferingField { target, holds }| match locale {
                Locale::En => format!("{target} holds {holds:?} now, not what it was given"),
                Locale::Ja => format!("{target} の値は {holds:?} になりました。指定した値とは異なります"),
            });
        let only_typed = self.only_typed.iter().map(|OnlyTyped { target, options }| {
            let options = options.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>();
            let options = if options.is_empty() {
                "-".to_owned()
            } else {
                options.join(", ")
            };
            match locale {
                Locale::En => format!("{target} was only typed into: its list has no such option (it shows {options})"),
                Locale::Ja => {
                    format!("{target} には入力だけしました。一覧に該当する項目がありません（表示中: {options}）")
                }
            }
        });
        shortened
            .chain(differing)
            .chain(only_typed)
            .collect::<Vec<_>>()
            .join("\n")
    }
}
