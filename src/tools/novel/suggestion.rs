//! What to do next, as calls that can be made as they are.
//!
//! Only tools of the catalogue are named. Why is a sentence in the caller's language.

use fumi_base::text::{Locale, Text};
use fumi_novel::project::Episode;
use schemars::JsonSchema;
use serde::Serialize;

/// A call that makes sense now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::tools::novel) struct Suggestion {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
}

impl Suggestion {
    /// A call for one episode.
    pub(in crate::tools::novel) fn of(tool: &'static str, episode: Episode, reason: &Text, locale: Locale) -> Self {
        Self {
            tool,
            arguments: Arguments {
                episode: Some(episode.number()),
                ..Arguments::default()
            },
            reason: reason.get(locale).to_owned(),
        }
    }

    /// The same, of a session.
    pub(in crate::tools::novel) fn in_session(mut self, id: String) -> Self {
        self.arguments.session_id = Some(id);
        self
    }

    /// The same, for a step of a review.
    pub(in crate::tools::novel) fn at_step(mut self, step: u32) -> Self {
        self.arguments.step_id = Some(step);
        self
    }

    /// The same, as far as fixes of a level go.
    pub(in crate::tools::novel) fn at_level(mut self, level: &'static str) -> Self {
        self.arguments.fix_level = Some(level);
        self
    }

    /// The same, and it writes.
    pub(in crate::tools::novel) fn for_real(mut self) -> Self {
        self.arguments.dry_run = Some(false);
        self
    }

    /// A call without arguments.
    pub(in crate::tools::novel) fn plain(tool: &'static str, reason: &Text, locale: Locale) -> Self {
        Self {
            tool,
            arguments: Arguments::default(),
            reason: reason.get(locale).to_owned(),
        }
    }

    /// One line of text.
    pub(in crate::tools::novel) fn line(&self) -> String {
        let arguments = serde_json::to_string(&self.arguments).unwrap_or_default();
        format!("→ {} {arguments}: {}", self.tool, self.reason)
    }
}
