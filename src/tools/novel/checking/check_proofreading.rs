//! The `check_proofreading` tool: a model reads the manuscript as a proofreader does; its corrections are verified and
//! reported with the findings of all rules.

use std::time::Duration;

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::{RuleGroup, rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CHECKS, CheckDetails, CheckJob, CheckReply, EpisodeNumber, NovelDeps, REVIEW,
    issue::IssueReport,
    judging::{Judging, author},
    proofreading::{Proofreading, RejectedCorrection, SubmittedCorrection},
    review::{ModelReading, ReviewContext, ReviewOptions, review_blocking},
    review_question, texts, yes,
};

#[derive(Debug)]
pub struct CheckProofreading;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The review that the corrections belong to.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The corrections that an earlier reply asked for; empty if the manuscript has no error.
    #[schemars(length(max = 200))]
    corrections: Option<Vec<SubmittedCorrection>>,
    /// True to request corrections.
    #[serde(default = "yes")]
    ask: bool,
    /// True for more issues, with their bytes and hashes.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProofreadingReport {
    /// The number of corrections and queries of this call that were accepted.
    accepted: usize,
    /// The number of corrections that the text still needs.
    corrections: usize,
    /// The number of queries that only the author can answer.
    queries: usize,
    /// Corrections of this call that were not accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_corrections: Vec<RejectedCorrection>,
    /// What the proofreader and the rules found, the most severe first.
    issues: Vec<IssueReport>,
}

impl Tool for CheckProofreading {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_proofreading",
        toolset: REVIEW,
        texts: texts!("check_proofreading"),
        example: r#"{"episode": 1}"#,
        timeout: Duration::from_mins(2),
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<ProofreadingReport>;

    async fn call(
        args: Args,
        deps: &NovelDeps,
        cx: &Cx,
    ) -> Result<ToolOutcome<CheckReply<ProofreadingReport>>, ToolError> {
        let job = CheckJob::new("check_proofreading", args.episode, args.verbose, deps, cx)?;
        let proofreading = Proofreading {
            // The texts that a question refers to are written into the project, so a caller with read access is not
            // asked.
            asks: args.ask && args.corrections.is_none() && job.may_store,
            corrections: args.corrections,
            by: author(cx),
        };
        let looks = ReviewOptions {
            groups: &RuleGroup::ALL,
            session_id: args.session_id,
            reading: Some(ModelReading::Proofreading(proofreading)),
            ..ReviewOptions::default()
        };
        let done = review_blocking(&job, looks, Judging::default(), cx, report).await?;
        review_question::outcome(done, &job, Map::new(), cx).await
    }
}

fn report(whole: &ReviewContext<'_>) -> ProofreadingReport {
    let seen = whole.seen;
    let count = |name: &str| seen.findings.iter().filter(|finding| finding.rule == name).count();
    let is_proofread = |name: &str| rule(name).is_some_and(|rule| rule.page.group == RuleGroup::Proofreading);
    // The list is cut; the proofreader's findings are shown in full length before the others.
    let mut issues = seen.issues_of(is_proofread);
    issues.extend(seen.issues_of(|name| !is_proofread(name)));
    ProofreadingReport {
        accepted: whole.corrections.accepted,
        corrections: count("correction"),
        queries: count("author_query"),
        rejected_corrections: whole.corrections.rejected.clone(),
        issues,
    }
}

impl CheckDetails for ProofreadingReport {
    fn lines(&self, locale: Locale) -> Vec<String> {
        let Self { accepted, corrections, queries, .. } = self;
        let mut lines = vec![match locale {
            Locale::En => format!("proofreading: {corrections} corrections, {queries} queries ({accepted} new)"),
            Locale::Ja => format!("校閲: 赤字 {corrections} 件、疑問 {queries} 件（新規 {accepted} 件）"),
        }];
        lines.extend(self.rejected_corrections.iter().map(|one| one.line(locale)));
        lines
    }

    fn resend(&self) -> Option<(&'static str, Value)> {
        Some(("corrections", self.rejected_corrections.first()?.sample()))
    }

    fn shown(&self) -> Vec<&IssueReport> {
        self.issues.iter().collect()
    }
}
