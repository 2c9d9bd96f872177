//! Suggested next calls, which can be made as they are.
//!
//! Only tools that the caller can call are named. The reason is a sentence in the caller's language.

use fumi_base::text::{BilingualText, Locale};
use fumi_novel::project::EpisodeId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A call that is useful next.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::novel) struct Suggestion {
    tool: &'static str,
    arguments: SuggestedArguments,
    /// The reason for the suggestion.
    reason: String,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
struct SuggestedArguments {
    #[serde(skip_serializing_if = "Option::is_none")]
    episode: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issue_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    word_count_target: Option<u32>,
}

impl Suggestion {
    /// Suggests a call for one episode.
    pub(in crate::novel) fn for_episode(
        tool: &'static str,
        episode: EpisodeId,
        reason: &BilingualText,
        locale: Locale,
    ) -> Self {
        Self {
            tool,
            arguments: SuggestedArguments { episode: Some(episode.number()), ..SuggestedArguments::default() },
            reason: reason.get(locale).to_owned(),
        }
    }

    /// Adds a session to the call.
    pub(in crate::novel) fn in_session(mut self, id: String) -> Self {
        self.arguments.session_id = Some(id);
        self
    }

    /// Adds the route and the length of a new session to the call.
    pub(in crate::novel) fn by_route(mut self, route: Option<&'static str>, word_count_target: Option<u32>) -> Self {
        self.arguments.route = route;
        self.arguments.word_count_target = word_count_target;
        self
    }

    /// Adds a step of a review to the call.
    pub(in crate::novel) fn at_step(mut self, step: u32) -> Self {
        self.arguments.step_id = Some(step);
        self
    }

    /// Adds a fix level to the call.
    pub(in crate::novel) fn at_level(mut self, level: &'static str) -> Self {
        self.arguments.fix_level = Some(level);
        self
    }

    /// Limits the call to some issues.
    pub(in crate::novel) fn for_issues(mut self, ids: Vec<String>) -> Self {
        self.arguments.issue_ids = ids;
        self
    }

    /// Makes the call write instead of a dry run.
    pub(in crate::novel) fn without_dry_run(mut self) -> Self {
        self.arguments.dry_run = Some(false);
        self
    }

    /// Suggests a call without arguments.
    pub(in crate::novel) fn without_arguments(tool: &'static str, reason: &BilingualText, locale: Locale) -> Self {
        Self { tool, arguments: SuggestedArguments::default(), reason: reason.get(locale).to_owned() }
    }

    /// Removes the suggestions of tools that the caller cannot call.
    pub(in crate::novel) fn keep_callable(all: &mut Vec<Self>, can_call: &dyn Fn(&str) -> bool) {
        all.retain(|one| can_call(one.tool));
    }

    /// Returns the suggestion as one line of text.
    pub(in crate::novel) fn line(&self) -> String {
        let arguments = serde_json::to_string(&self.arguments).unwrap_or_default();
        format!("→ {} {arguments}: {}", self.tool, self.reason)
    }
}

/// Formats a call as one line of text, for calls with other arguments than a [`Suggestion`] has.
pub(in crate::novel) fn call_line(tool: &str, arguments: &Value) -> String {
    format!("→ {tool} {arguments}")
}
