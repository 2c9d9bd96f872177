//! The `get_check_history` tool: the checks made of an episode, newest first. Reads only.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::reviewing::ReviewError,
    reviewing::{ReviewId, ReviewStore, StepExecution},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CHECKS, DETERMINISTIC, EpisodeNumber, NOT_EVALUATED, NovelDeps, READS, REVIEW, hundredths, texts};
use crate::novel::shown_time;

/// The default number of entries shown.
const DEFAULT: usize = 20;

#[derive(Debug)]
pub struct GetCheckHistory;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The maximum number of entries.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    episode: u32,
    /// The review that was executed last; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    history: Vec<CheckHistoryEntry>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CheckHistoryEntry {
    session_id: String,
    tool: String,
    /// The step of the staged review; absent for a check that was called on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<u32>,
    executed_at: String,
    /// The duration in seconds.
    execution_time: f64,
    success: bool,
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
    issues_found: usize,
    /// The first twelve digits of the manuscript's SHA-256.
    manuscript: String,
}

impl Tool for GetCheckHistory {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_check_history",
        toolset: REVIEW,
        texts: texts!("get_check_history"),
        example: r#"{"episode": 1}"#,
        pool: CHECKS.pool,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let novel = deps.novel(cx);
        let work = cx.blocking(move |_, _| {
            novel.survey()?.require_novel(novel.names())?;
            let reviews = ReviewStore::new(std::sync::Arc::clone(novel.project()));
            let history = reviews.history(args.episode.0, args.limit.unwrap_or(DEFAULT))?;
            Ok::<_, ReviewError>(Output {
                success: true,
                episode: args.episode.0.number(),
                session_id: history.first().map(|(id, _)| id.to_string()),
                history: history.into_iter().map(CheckHistoryEntry::from_execution).collect(),
            })
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

impl CheckHistoryEntry {
    fn from_execution((session_id, done): (ReviewId, StepExecution)) -> Self {
        Self {
            session_id: session_id.to_string(),
            tool: done.tool,
            step_id: done.step_id,
            executed_at: done.executed_at.to_string(),
            execution_time: hundredths(done.execution_time),
            success: done.success,
            method: done.method,
            quality_score: done.quality_score,
            issues_found: done.issues_found,
            manuscript: done.sha256.chars().take(12).collect(),
        }
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let (shown, episode) = (self.history.len(), self.episode);
        let mut lines = vec![match locale {
            Locale::En => format!("Episode {episode}: {shown} checks shown, newest first (limit shows more)"),
            Locale::Ja => format!("第{episode}話: チェック {shown} 件、新しい順（limit でさらに表示）"),
        }];
        if !self.history.is_empty() {
            lines.push(match locale {
                Locale::En => "time (UTC) | check | score | issues | manuscript | session_id".to_owned(),
                Locale::Ja => "日時（UTC） | チェック | 点数 | 指摘 | 原稿 | session_id".to_owned(),
            });
        }
        lines.extend(self.history.iter().map(|check| check.line(locale)));
        lines.join("\n")
    }
}

impl CheckHistoryEntry {
    fn line(&self, locale: Locale) -> String {
        let step = self.step_id.map_or_else(String::new, |step| format!(" {step}"));
        let score = self.quality_score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        // Only judged scores say how they were made.
        let method = match self.method.as_str() {
            DETERMINISTIC | NOT_EVALUATED => String::new(),
            judged if locale == Locale::Ja => format!("（{judged}）"),
            judged => format!(" ({judged})"),
        };
        let time = shown_time(&self.executed_at, locale);
        format!(
            "{time} | {}{step} | {score}{method} | {} | {} | {}",
            self.tool, self.issues_found, self.manuscript, self.session_id
        )
    }
}
