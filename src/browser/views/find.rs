//! Search for snapshot lines that contain a text or match a regular expression. Nothing is collapsed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{errors::BrowserError, refusal::Said, tab::Tab};

/// The maximum number of lines that are returned.
const MOST: usize = 50;

/// The text or pattern to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Find {
    /// A text, in any case.
    Text(String),
    /// A JavaScript regular expression: `order \d+`, or with flags `/order \d+/i`.
    Regex(String),
}

/// The lines of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The matching lines with their refs.
    pub lines: Vec<String>,
    /// Number of matching lines; more than `lines` contains if those were cut.
    pub total: usize,
}

impl Tab {
    /// Searches all frames for lines.
    pub async fn find(&self, find: &Find) -> Result<Found, BrowserError> {
        let mut all = Found::default();
        let question = &Question::from(find);
        let asked: Vec<(_, Said<Matches>)> = match find {
            Find::Text(_) => {
                self.in_frames(|frame| async move { self.ask(&frame, "find", (question,)).await })
                    .await?
            }
            Find::Regex(_) => {
                let ask = |frame: Arc<_>| async move { self.ask_with_pattern(&frame, "find", (question,)).await };
                self.one_by_one(self.frames(), ask).await?
            }
        };
        for (_, said) in asked {
            let matches = said.done(find.written())?;
            all.total += matches.total;
            all.lines.extend(matches.lines);
        }
        all.lines.truncate(MOST);
        Ok(all)
    }
}

impl Find {
    fn written(&self) -> &str {
        match self {
            Self::Text(written) | Self::Regex(written) => written,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Question<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regex: Option<&'a str>,
    flags: &'a str,
    max_results: usize,
}

impl<'a> From<&'a Find> for Question<'a> {
    fn from(find: &'a Find) -> Self {
        let (text, regex, flags) = match find {
            Find::Text(text) => (Some(text.as_str()), None, ""),
            Find::Regex(regex) => {
                let (regex, flags) = literal(regex).unwrap_or((regex, ""));
                (None, Some(regex), flags)
            }
        };
        Self {
            text,
            regex,
            flags,
            max_results: MOST,
        }
    }
}

/// Splits `/pattern/flags` into its two parts.
fn literal(written: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = written.strip_prefix('/')?.rsplit_once('/')?;
    let known = flags.chars().all(|flag| "dgimsuvy".contains(flag));
    (known && !pattern.is_empty()).then_some((pattern, flags))
}

#[derive(Deserialize)]
struct Matches {
    lines: Vec<String>,
    total: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_has_flags_and_a_path_is_none() {
        assert_eq!(literal("/a b/i"), Some(("a b", "i")));
        assert_eq!(literal("/home/index"), None);
        assert_eq!(literal("plain"), None);
    }
}
