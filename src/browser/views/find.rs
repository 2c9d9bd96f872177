//! Search for snapshot lines that contain a text or match a regular expression. Nothing is collapsed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{errors::BrowserError, script_reply::ScriptReply, tab::Tab};

/// The maximum number of lines that are returned.
const MOST: usize = 50;

/// The text or pattern to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineQuery {
    /// A text, in any case.
    Text(String),
    /// A JavaScript regular expression: `order \d+`, or with flags `/order \d+/i`.
    Regex(String),
}

/// The lines of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundLines {
    /// The matching lines with their refs.
    pub lines: Vec<String>,
    /// Number of matching lines; more than `lines` contains if those were cut.
    pub total: usize,
}

impl Tab {
    /// Searches all frames for lines.
    pub async fn find(&self, find: &LineQuery) -> Result<FoundLines, BrowserError> {
        let mut all = FoundLines::default();
        let question = &LineSearchOptions::from(find);
        let asked: Vec<(_, ScriptReply<LineSearchReply>)> = match find {
            LineQuery::Text(_) => {
                self.query_all_frames(|frame| async move { self.ask(&frame, "find", (question,)).await }).await?
            }
            LineQuery::Regex(_) => {
                let ask = |frame: Arc<_>| async move { self.ask_with_pattern(&frame, "find", (question,)).await };
                self.query_in_order(self.frames(), ask).await?
            }
        };
        for (_, said) in asked {
            let matches = said.into_result(find.written())?;
            all.total += matches.total;
            all.lines.extend(matches.lines);
        }
        all.lines.truncate(MOST);
        Ok(all)
    }
}

impl LineQuery {
    fn written(&self) -> &str {
        match self {
            Self::Text(written) | Self::Regex(written) => written,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LineSearchOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regex: Option<&'a str>,
    flags: &'a str,
    max_results: usize,
}

impl<'a> From<&'a LineQuery> for LineSearchOptions<'a> {
    fn from(find: &'a LineQuery) -> Self {
        let (text, regex, flags) = match find {
            LineQuery::Text(text) => (Some(text.as_str()), None, ""),
            LineQuery::Regex(regex) => {
                let (regex, flags) = literal(regex).unwrap_or((regex, ""));
                (None, Some(regex), flags)
            }
        };
        Self { text, regex, flags, max_results: MOST }
    }
}

/// Splits `/pattern/flags` into its two parts.
fn literal(written: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = written.strip_prefix('/')?.rsplit_once('/')?;
    let known = flags.chars().all(|flag| "dgimsuvy".contains(flag));
    (known && !pattern.is_empty()).then_some((pattern, flags))
}

#[derive(Deserialize)]
struct LineSearchReply {
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
