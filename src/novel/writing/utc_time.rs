//! Times and session ids as stored in files: supplied from outside and checked for their form.
//!
//! Invariant: a [`WritingSessionId`] is a plain file name and cannot leave its folder. Dates are not checked against the
//! calendar.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// A time in UTC: `2025-09-04T10:30:00Z`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UtcTime(String);

/// The id of a session: `session_20250904_103000_1a2b3c4d`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WritingSessionId(String);

/// True if a text has a shape, in which `0` is a digit and `x` a hexadecimal digit.
pub(crate) fn matches_shape(text: &str, shape: &str) -> bool {
    let fits = |(c, wanted): (u8, u8)| match wanted {
        b'0' => c.is_ascii_digit(),
        b'x' => c.is_ascii_digit() || (b'a'..=b'f').contains(&c),
        _ => c == wanted,
    };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

impl UtcTime {
    /// Parses a time of this form, with or without milliseconds; returns `None` for any other form.
    pub fn parse(time: &str) -> Option<Self> {
        let shapes = ["0000-00-00T00:00:00Z", "0000-00-00T00:00:00.000Z"];
        let fits = shapes.iter().any(|shape| matches_shape(time, shape));
        fits.then(|| Self(time.to_owned()))
    }
}

impl UtcTime {
    /// Returns the duration since another time; zero if that time is later, or if one of them is not a calendar date.
    pub fn since(&self, other: &Self) -> Duration {
        let time = |moment: &Self| moment.0.parse::<jiff::Timestamp>().ok();
        let (Some(now), Some(then)) = (time(self), time(other)) else {
            return Duration::ZERO;
        };
        now.duration_since(then).try_into().unwrap_or_default()
    }
}

impl WritingSessionId {
    /// Creates an id from a time and a random number.
    pub fn new(now: &UtcTime, random: u32) -> Self {
        let digits: String = now.0.chars().filter(char::is_ascii_digit).take(14).collect();
        let (day, time) = digits.split_at(8);
        Self(format!("session_{day}_{time}_{random:08x}"))
    }

    /// Parses an id; the last part may be missing. Returns `None` for any other form.
    pub fn parse(id: &str) -> Option<Self> {
        let shapes = ["session_00000000_000000_xxxxxxxx", "session_00000000_000000"];
        let fits = shapes.iter().any(|shape| matches_shape(id, shape));
        fits.then(|| Self(id.to_owned()))
    }
}

impl TryFrom<String> for UtcTime {
    type Error = &'static str;

    fn try_from(time: String) -> Result<Self, Self::Error> {
        Self::parse(&time).ok_or("a time has the form 2025-09-04T10:30:00Z")
    }
}

impl TryFrom<String> for WritingSessionId {
    type Error = &'static str;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::parse(&id).ok_or("a session id has the form session_20250904_103000_1a2b3c4d")
    }
}

impl From<UtcTime> for String {
    fn from(time: UtcTime) -> Self {
        time.0
    }
}

impl From<WritingSessionId> for String {
    fn from(id: WritingSessionId) -> Self {
        id.0
    }
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for WritingSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{UtcTime, WritingSessionId};

    #[test]
    fn only_the_forms_of_times_and_names_are_taken() {
        let now = UtcTime::parse("2025-09-04T10:30:00.123Z").expect("a time");
        let id = WritingSessionId::new(&now, 0xab);
        assert_eq!(id.to_string(), "session_20250904_103000_000000ab");
        assert_eq!(WritingSessionId::parse(&id.to_string()), Some(id));
        assert!(WritingSessionId::parse("session_20250904_103000").is_some());
        for bad in ["", "session_", "session_20250904_103000_../../xx", "session_２0250904_103000"] {
            assert_eq!(WritingSessionId::parse(bad), None, "{bad}");
        }
        assert_eq!(UtcTime::parse("2025-09-04 10:30:00Z"), None);
    }
}
