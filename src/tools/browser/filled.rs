//! The answer of tools that put texts into fields: what a field did not take.

use fumi_base::text::Locale;
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::Serialize;

use super::on_tab::Done;

/// What it answers.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Filled {
    /// Fields that hold less than they were given, because their page allows no more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shortened: Vec<Shortened>,
}

/// A field that cut its value.
#[derive(Debug, Serialize, JsonSchema)]
struct Shortened {
    /// As the call names it.
    target: String,
    /// Characters that it takes (`maxlength`).
    max_length: usize,
}

impl<S: IntoIterator<Item = browser::Shortened>> From<S> for Filled {
    fn from(shortened: S) -> Self {
        let named = |browser::Shortened { target, max_length }| Shortened { target, max_length };
        Self {
            shortened: shortened.into_iter().map(named).collect(),
        }
    }
}

impl Done for Filled {
    fn text(&self, locale: Locale) -> String {
        let line = |Shortened { target, max_length }: &Shortened| match locale {
            Locale::En => format!("{target} took only the first {max_length} characters"),
            Locale::Ja => format!("{target} には先頭の {max_length} 文字しか入りませんでした"),
        };
        self.shortened.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
