//! The form of results: which of its two renderings a client gets.

use serde::{Deserialize, Serialize};

/// The form of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum ResultForm {
    /// The text and the structure.
    #[default]
    Both,
    /// Only the text; lists of tools have no output schemas.
    Text,
    /// Only the structure.
    Structured,
}

impl ResultForm {
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// True if results contain the structure.
    pub const fn has_structure(self) -> bool {
        !matches!(self, Self::Text)
    }
}
