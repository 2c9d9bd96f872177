//! The form of results: which of its two renderings a client gets.

use serde::{Deserialize, Serialize};

/// The form of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Both, Self::Text, Self::Structured];

    /// Returns the name of the form, in requests, in the configuration and in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Text => "text",
            Self::Structured => "structured",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// True if results contain the structure.
    pub const fn has_structure(self) -> bool {
        !matches!(self, Self::Text)
    }
}
