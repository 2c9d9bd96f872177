//! The description of an element by a caller.

use serde::Serialize;

/// The description of an element by a caller. The page's script finds the element (`page/targets.js`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Target {
    /// A ref of a snapshot (`e12`, `f2e7`), a CSS selector, `text=...` or `role=button[name="..."]`.
    Written(String),
    /// An element with this role and accessible name.
    Role {
        /// The ARIA role.
        role: String,
        /// The accessible name, or a part of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// An element with this visible text.
    Text {
        /// The text, or a part of it.
        text: String,
    },
}

impl Target {
    /// Returns the number of the frame that a ref belongs to (`f2e7`: 2, `e7`: 0); `None` if the target is not a ref.
    pub fn frame(&self) -> Option<u32> {
        let Self::Written(written) = self else {
            return None;
        };
        let (frame, element) = match written.strip_prefix('f') {
            Some(rest) => {
                let end = rest.find('e')?;
                (rest[..end].parse().ok()?, &rest[end..])
            }
            None => (0, written.as_str()),
        };
        let digits = element.strip_prefix('e')?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(frame)
    }

    /// Splits a ref with a place in a long run of elements (`e12@25/3`: from the 26th row of run 3), as marks of
    /// snapshots write it. Returns `None` for other targets.
    pub(crate) fn at_row(&self) -> Option<(Self, RunPosition)> {
        let Self::Written(written) = self else {
            return None;
        };
        let (reference, place) = written.trim().rsplit_once('@')?;
        let (row, run) = match place.split_once('/') {
            Some((row, run)) => (row, Some(run.parse().ok()?)),
            None => (place, None),
        };
        let target = Self::Written(reference.to_owned());
        target.frame()?;
        let row = row.parse().ok()?;
        Some((target, RunPosition { row, run }))
    }

    /// True if the target contains a regular expression (`role=button[name=/save/i]`), whose evaluation may never end.
    pub(crate) fn has_pattern(&self) -> bool {
        matches!(self, Self::Written(written) if written.trim_start().starts_with("role=") && written.contains("name=/"))
    }
}

/// A place in a long run of similar elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RunPosition {
    /// The first element to show, counted from 0.
    row: usize,
    /// The number of the run; `None` for the first run that is long enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u64>,
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Written(written) => f.write_str(written),
            Self::Role { role, name: None } => f.write_str(role),
            Self::Role { role, name: Some(name) } => write!(f, "{role} \"{name}\""),
            Self::Text { text } => write!(f, "text={text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_say_their_frame_and_selectors_do_not() {
        let frame = |written: &str| Target::Written(written.to_owned()).frame();
        assert_eq!([frame("e7"), frame("f2e7")], [Some(0), Some(2)]);
        assert_eq!([frame("em"), frame("form"), frame("e"), frame("f2"), frame("e7 a")], [None; 5]);
    }
}
