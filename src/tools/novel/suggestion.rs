//! What to do next, as calls that can be made as they are.
//!
//! Only tools of the catalogue are named. Why is a sentence in the caller's language.

use fumi_base::text::{Locale, Text};
use fumi_novel::project::Episode;
use schemars::JsonSchema;
use serde::Serialize;

/// A call that makes sense now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Suggestion {
    tool: &'static str,
    arguments: Arguments,
    /// Why.
    reason: String,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
struct Arguments {
    #[serde(skip_serializing_if = "Option::is_none")]
    episode: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
}

impl Suggestion {
    /// A call for one episode.
    pub(super) fn of(tool: &'static str, episode: Episode, reason: &Text, locale: Locale) -> Self {
        Self {
            tool,
            arguments: Arguments {
                episode: Some(episode.number()),
                session_id: None,
            },
            reason: reason.get(locale).to_owned(),
        }
    }

    /// The same, of a writing session.
    pub(super) fn in_session(mut self, id: String) -> Self {
        self.arguments.session_id = Some(id);
        self
    }

    /// A call without arguments.
    pub(super) fn plain(tool: &'static str, reason: &Text, locale: Locale) -> Self {
        Self {
            tool,
            arguments: Arguments::default(),
            reason: reason.get(locale).to_owned(),
        }
    }

    /// One line of text.
    pub(super) fn line(&self) -> String {
        let arguments = serde_json::to_string(&self.arguments).unwrap_or_default();
        format!("→ {} {arguments}: {}", self.tool, self.reason)
    }
}
