//! Ids of reviews: `check_20250904_103000_1a2b3c4d`.
//!
//! Invariant: an id is a plain file name and cannot leave its folder.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::writing::{UtcTime, matches_shape};

/// The id of a review, made of a time and a random number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReviewId(String);

impl ReviewId {
    /// Creates an id from a time and a random number.
    pub fn new(now: &UtcTime, random: u32) -> Self {
        let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
        let (day, time) = digits.split_at(8);
        Self(format!("check_{day}_{time}_{random:08x}"))
    }

    /// Parses an id; returns `None` for any other form.
    pub fn parse(id: &str) -> Option<Self> {
        matches_shape(id, "check_00000000_000000_xxxxxxxx").then(|| Self(id.to_owned()))
    }
}

impl TryFrom<String> for ReviewId {
    type Error = &'static str;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::parse(&id).ok_or("a review id has the form check_20250904_103000_1a2b3c4d")
    }
}

impl From<ReviewId> for String {
    fn from(id: ReviewId) -> Self {
        id.0
    }
}

impl fmt::Display for ReviewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::ReviewId;
    use crate::writing::UtcTime;

    #[test]
    fn review_ids_are_plain_file_names() {
        let now = UtcTime::parse("2025-09-04T10:30:00.123Z").expect("a time");
        let id = ReviewId::new(&now, 0x1a2b_3c4d);
        assert_eq!(id.to_string(), "check_20250904_103000_1a2b3c4d");
        assert_eq!(ReviewId::parse(&id.to_string()), Some(id));
        for no in ["check_20250904_103000", "check_../../../x", "session_20250904_103000_1a2b3c4d", ""] {
            assert_eq!(ReviewId::parse(no), None, "{no}");
        }
    }
}
