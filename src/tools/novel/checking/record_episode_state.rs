//! The `record_episode_state` tool: a model notes what is true after an episode, and what contradicts earlier ones is
//! reported.

use std::time::Duration;

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{checks::RuleGroup, memory::state_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CHECKS, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NOT_EVALUATED, NovelDeps, REVIEW,
    episode_state::{RejectedFact, StateReading, SubmittedState},
    issue::IssueReport,
    judging::{Judging, author},
    review::{ModelReading, ReviewContext, ReviewOptions, review_blocking},
    review_question, texts, yes,
};

#[derive(Debug)]
pub struct RecordEpisodeState;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The review that the state belongs to.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The state that an earlier reply asked for.
    state: Option<SubmittedState>,
    /// True to request a state.
    #[serde(default = "yes")]
    ask: bool,
    /// True for more issues, with their bytes and hashes.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this tool has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StateReport {
    /// The number of facts of this call that were recorded.
    recorded: usize,
    /// The file with the state; absent if nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    state_file: Option<String>,
    /// Facts and contradictions of this call that were not accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_facts: Vec<RejectedFact>,
    /// The contradictions, each with both passages.
    contradictions: Vec<IssueReport>,
}

impl Tool for RecordEpisodeState {
    const SPEC: ToolSpec = ToolSpec {
        name: "record_episode_state",
        toolset: REVIEW,
        texts: texts!("record_episode_state"),
        example: r#"{"episode": 1}"#,
        timeout: Duration::from_mins(2),
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<StateReport>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<StateReport>>, ToolError> {
        let job = CheckJob::new("record_episode_state", args.episode, args.verbose, deps, cx)?;
        let reading = StateReading {
            // The texts that a question refers to are written into the project, so a caller with read access is not
            // asked.
            asks: args.ask && args.state.is_none() && job.may_store,
            state: args.state,
            by: author(cx),
        };
        let looks = ReviewOptions {
            groups: &[RuleGroup::Proofreading],
            session_id: args.session_id,
            reading: Some(ModelReading::State(reading)),
            ..ReviewOptions::default()
        };
        let done = review_blocking(&job, looks, Judging::default(), cx, report).await?;
        review_question::outcome(done, &job, Map::new(), cx).await
    }
}

fn report(whole: &ReviewContext<'_>) -> StateReport {
    let job = whole.seen.job;
    StateReport {
        recorded: whole.state.facts,
        state_file: (whole.state.facts > 0 && job.may_store).then(|| state_path(job.episode)),
        rejected_facts: whole.state.rejected.clone(),
        contradictions: whole.seen.issues_of(|name| name == "contradiction"),
    }
}

impl CheckDetails for StateReport {
    /// Nothing is scored.
    fn verdict(&self) -> Option<CheckVerdict> {
        Some(CheckVerdict { score: None, method: NOT_EVALUATED })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let (recorded, found) = (self.recorded, self.contradictions.len());
        let file = self.state_file.as_deref().unwrap_or_default();
        let mut lines = vec![match (locale, file.is_empty()) {
            (Locale::En, true) => format!("contradictions: {found}"),
            (Locale::En, false) => format!("{recorded} facts recorded in {file}; contradictions: {found}"),
            (Locale::Ja, true) => format!("食い違い {found} 件"),
            (Locale::Ja, false) => format!("{recorded} 件の事実を {file} に記録、食い違い {found} 件"),
        }];
        lines.extend(self.rejected_facts.iter().map(|one| one.line(locale)));
        lines
    }

    fn resend(&self) -> Option<(&'static str, Value)> {
        Some(("state", self.rejected_facts.first()?.sample()))
    }

    fn shown(&self) -> Vec<&IssueReport> {
        self.contradictions.iter().collect()
    }
}
