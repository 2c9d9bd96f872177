//! The reading of a title or a name, by which bookshops and readers' shelves sort.
//!
//! Invariant: a reading is not empty and has no kanji, because it would be sorted by its code points.

use serde::{Deserialize, Serialize};

use crate::{manuscript::is_kanji, morphology::katakana};

/// A reading as the author writes it, such as しおのほまち.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Yomi(String);

/// The accepted form of a reading, as an error text.
pub(super) const YOMI: &str = "write the reading in kana, such as しおのほまち";

impl Yomi {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the reading in katakana, as Japanese bookshops require it for sorting.
    pub fn to_sort_key(&self) -> String {
        katakana(&self.0)
    }
}

impl TryFrom<String> for Yomi {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let text = text.trim();
        if text.is_empty() || text.chars().any(is_kanji) { Err(YOMI) } else { Ok(Self(text.to_owned())) }
    }
}

impl From<Yomi> for String {
    fn from(yomi: Yomi) -> Self {
        yomi.0
    }
}
