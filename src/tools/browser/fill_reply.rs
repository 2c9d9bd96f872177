//! The answer of tools that set fields: the fields whose value differs from the given one.

use fumi_base::text::Locale;
use fumi_browser::{self as browser, MismatchKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::on_tab::TabAnswer;

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FillOutput {
    /// The fields that shortened their value, because the page allows no more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shortened: Vec<Shortened>,
    /// The fields that contain another value than the given one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differing: Vec<DifferingField>,
    /// The fields whose list has no such option: the text was typed, but no option is chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    only_typed: Vec<OnlyTyped>,
    /// The index of the field during which a dialog opened. Later fields are not filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<usize>,
}

/// A field that shortened its value.
#[derive(Debug, Serialize, JsonSchema)]
struct Shortened {
    /// The field as the call names it.
    target: String,
    /// The number of characters that the field takes (`maxlength`).
    max_length: usize,
}

/// A field that contains another value than the given one.
#[derive(Debug, Serialize, JsonSchema)]
struct DifferingField {
    /// The field as the call names it.
    target: String,
    /// The value that the field contains.
    holds: String,
}

/// A field in whose list no option is chosen.
#[derive(Debug, Serialize, JsonSchema)]
struct OnlyTyped {
    /// The field as the call names it.
    target: String,
    /// The first options of the list.
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

impl FillOutput {
    /// Adds the index of the field during which a dialog opened.
    pub(super) fn stopped_at(self, stopped_at: Option<usize>) -> Self {
        Self { stopped_at, ..self }
    }
}

impl TabAnswer for FillOutput {
    fn text(&self, locale: Locale) -> String {
        let shortened = self.shortened.iter().map(|Shortened { target, max_length }| match locale {
            Locale::En => format!("{target} took only the first {max_length} characters"),
            Locale::Ja => format!("{target} には先頭の {max_length} 文字しか入りませんでした"),
        });
        let differing = self.differing.iter().map(|DifferingField { target, holds }| match locale {
            Locale::En => format!("{target} now contains {holds:?} instead of the given value"),
            Locale::Ja => format!("{target} の値は {holds:?} になりました。指定した値とは異なります"),
        });
        let only_typed = self.only_typed.iter().map(|OnlyTyped { target, options }| {
            let options = options.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>();
            let options = if options.is_empty() { "-".to_owned() } else { options.join(", ") };
            match locale {
                Locale::En => format!("{target} was only typed into: its list has no such option (it shows {options})"),
                Locale::Ja => {
                    format!("{target} には入力だけしました。一覧に該当する項目がありません（表示中: {options}）")
                }
            }
        });
        let stopped = self.stopped_at.map(|at| match locale {
            Locale::En => format!("stopped at fields[{at}]; later fields are not filled"),
            Locale::Ja => format!("fields[{at}] で止まりました。それより後の欄は未入力です"),
        });
        shortened.chain(differing).chain(only_typed).chain(stopped).collect::<Vec<_>>().join("\n")
    }
}
