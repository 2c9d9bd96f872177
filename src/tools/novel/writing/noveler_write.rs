//! The `noveler_write` tool: writes an episode by the short route or through all ten stages, from its current state to
//! the finished manuscript.

use std::collections::BTreeMap;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{ArgumentRule, Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::writing::WritingError,
    project::WritingRoute,
    writing::{
        FinishedText, NextStep, OpenedSession, SessionAction, StageRoute, StepOutcome, TurnAnswer, WaivedCriterion,
        WritingStage,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{
    RequestedSession, STAGE_TIMEOUT, StageReport, StepRequest, Verbose, answer, artifact, backup_note, call_time,
    edit_notice, edited_and_left, localized, method, preview, question, redo_fields, run_step, stages, task_of,
    text_of, warnings, writing_service,
};
use crate::novel::{
    EpisodeNumber, NovelDeps, WRITES,
    suggestion::{Suggestion, call_line},
    texts,
};

#[derive(Debug)]
pub struct NovelerWrite;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "they are the tool's published flags")]
pub struct Args {
    episode: EpisodeNumber,
    /// The answer to the question of the last reply.
    content: Option<String>,
    /// The question that the answer belongs to.
    #[schemars(regex(pattern = "^[a-z_]+(:([1-9]|1[0-2]))?$"))]
    step: Option<String>,
    session_id: Option<String>,
    /// The criteria that the answer need not meet, each with the reason.
    waive: Option<BTreeMap<String, String>>,
    /// The stages of a new session; the project's if absent. A named session keeps its own.
    route: Option<WritingRoute>,
    /// The change to make. Repeats the stage of `step`, or else the one that revises a finished text, or the last
    /// completed one.
    user_feedback: Option<String>,
    /// True to begin a new session although one is open.
    #[serde(default)]
    restart: bool,
    /// True to show the questions without writing anything.
    #[serde(default)]
    dry_run: bool,
    #[schemars(range(min = 1000, max = 20000))]
    word_count_target: Option<u32>,
    /// True to report the stages in five pairs.
    #[serde(default)]
    five_stage: bool,
    /// True to add the trace.
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub struct Output {
    success: bool,
    command: String,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    total_stages_completed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_manuscript_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    word_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
    /// The origin of the score: `not_evaluated` without one.
    method: String,
    stage_results: Vec<StageReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stage_groups: Vec<StageGroup>,
    execution_time_total_seconds: f64,
    execution_time_seconds: f64,
    project_root: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    primary_output: Option<WrittenManuscript>,
    /// The other titles that were proposed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_titles: Vec<String>,
    /// The criteria that the last answer misses slightly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// A notice that the manuscript was edited outside of the session, and how this was handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    manuscript_edited: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next_suggested_actions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plan: Vec<PlannedQuestion>,
    /// Completed stages that must be repeated because a file is missing or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered_stages: Vec<String>,
    /// Stages that are older than their input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale_stages: Vec<String>,
    #[serde(flatten)]
    verbose: Option<Verbose>,
    #[serde(skip)]
    episode: u32,
    /// The stage that takes a wish about the finished text.
    #[serde(skip)]
    revision: Option<WritingStage>,
}

/// The finished manuscript.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct WrittenManuscript {
    file_reference: String,
    sha256: String,
    preview: String,
    word_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
}

/// Two stages that are reported as one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct StageGroup {
    stages: [usize; 2],
    title: String,
    status: String,
}

/// A question that would be asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PlannedQuestion {
    step: String,
    title: String,
    instruction: String,
}

/// The titles of the five pairs of stages, in English and Japanese.
const GROUPS: [(&str, &str); 5] = [
    ("Plot", "プロット"),
    ("Feeling and charm", "感情と魅力"),
    ("Dialogue and scenes", "対話と場面"),
    ("Consistency and draft", "整合と原稿"),
    ("Finish", "仕上げ"),
];

impl Tool for NovelerWrite {
    const SPEC: ToolSpec = ToolSpec {
        name: "noveler_write",
        texts: texts!("noveler_write"),
        example: r#"{"episode": 1}"#,
        rules: &[
            ArgumentRule::Without("restart", &["session_id"]),
            ArgumentRule::Without("user_feedback", &["content"]),
            ArgumentRule::Needs("waive", "content"),
        ],
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        if args.dry_run {
            return plan(&args, deps, cx).await;
        }
        let (content, step) = (args.content.clone(), args.step.clone());
        let named = args.session_id.is_some();
        let route = args.route.map(StageRoute::from);
        let wanted = match args.session_id.clone() {
            Some(id) => RequestedSession::Named(id),
            None if args.restart => RequestedSession::New(route),
            // A finished episode is not written anew without an explicit request.
            None => RequestedSession::Latest(route),
        };
        let waive = waived(args.waive.clone());
        let feedback = args.user_feedback.clone().filter(|said| !said.trim().is_empty());
        let worked = run_step(
            deps,
            cx,
            StepRequest {
                tool: Self::SPEC.name,
                episode: args.episode.0,
                wanted,
                target: args.word_count_target,
                places_draft: false,
                act: move |opened: &OpenedSession| match (content, feedback) {
                    // An answer needs its session's id, because another session may be open by now.
                    (Some(_), _) if !named => Err(WritingError::AnswerWithoutSession),
                    (Some(content), _) => match answer(content, step.as_deref())? {
                        SessionAction::Answer(answer) => Ok(SessionAction::Answer(TurnAnswer { waive, ..answer })),
                        act => Ok(act),
                    },
                    (None, Some(said)) => {
                        let (stage, turn) = remarked_turn(opened, step.as_deref())?;
                        Ok(SessionAction::Feedback(stage, turn, said))
                    }
                    (None, None) => Ok(SessionAction::Peek),
                },
            },
        )
        .await?;
        next_outcome(Self::SPEC.name, args.five_stage, args.verbose, worked, cx).await
    }
}

/// Returns the waived criteria with their reasons.
fn waived(waive: Option<BTreeMap<String, String>>) -> Vec<WaivedCriterion> {
    let waive = waive.unwrap_or_default().into_iter();
    waive.map(|(criterion, reason)| WaivedCriterion { criterion, reason }).collect()
}

/// Returns what a remark is about: the stage and turn of the step, else that of an earlier remark that was not carried out
/// yet, else the stage that revises a finished text, else the last scene of a stage that is being written, else the last
/// completed stage.
fn remarked_turn(opened: &OpenedSession, step: Option<&str>) -> Result<(WritingStage, Option<usize>), WritingError> {
    let session = opened.session();
    if let Some(step) = step {
        return WritingStage::parse_step(step);
    }
    if let Some(before) = session.feedback().last().filter(|_| session.awaits_wish()) {
        return Ok((before.stage, before.turn));
    }
    if session.current().is_none() {
        return Ok((session.route().revision(), None));
    }
    let written = session.turns().len();
    if let Some(current) = session.current().filter(|stage| stage.is_by_scene() && written > 0) {
        return Ok((current, Some(written)));
    }
    let last = session.completed().last().copied().or(session.current());
    Ok((last.unwrap_or_else(|| session.route().last()), None))
}

/// Returns what follows in a session: its next question, or its end.
pub(super) async fn next_outcome(
    command: &'static str,
    five_stage: bool,
    verbose: bool,
    worked: StepOutcome,
    cx: &Cx,
) -> Result<ToolOutcome<Output>, ToolError> {
    let extra = Verbose::for_call(&worked, verbose);
    cx.progress.set_total(worked.session.route().length() as u64);
    cx.progress.advance(worked.session.completed().len() as u64);
    match &worked.next {
        NextStep::Ask(asked) => {
            let mut submit = Map::new();
            for (name, wanted) in [("five_stage", five_stage), ("verbose", verbose)] {
                if wanted {
                    submit.insert(name.to_owned(), json!(true));
                }
            }
            let mut more = redo_fields(&worked);
            more.extend(Verbose::fields(extra));
            let ask = question(&worked, asked, cx, NovelerWrite::SPEC.name, submit, more).await?;
            Ok(ToolOutcome::Ask(Box::new(ask)))
        }
        NextStep::Done(done) => Ok(ToolOutcome::Done(finished(command, five_stage, extra, done, &worked, cx).await?)),
    }
}

async fn finished(
    command: &str,
    five_stage: bool,
    verbose: Option<Verbose>,
    done: &FinishedText,
    worked: &StepOutcome,
    cx: &Cx,
) -> Result<Output, ToolError> {
    let (locale, session) = (cx.locale(), &worked.session);
    // The file's own text, if it was edited outside of the session and left in place.
    let (text, characters) = match edited_and_left(worked) {
        Some(edited) => (edited.text.clone(), edited.characters),
        None => (text_of(cx, &done.manuscript.path).await?, done.characters),
    };
    let episode = session.episode();
    let place = worked.delivered.as_ref().map(|place| place.path.clone());
    let total = session.completed().iter().filter_map(|stage| session.output(*stage));
    let total: f64 = total.map(|output| output.execution_time).sum();
    let score = session.output(session.route().last()).and_then(|output| output.quality_score);
    let reports = stages(session, locale);
    Ok(Output {
        success: true,
        command: command.to_owned(),
        summary: summary(episode.number(), done, characters, locale),
        session_id: Some(session.id().to_string()),
        total_stages_completed: session.completed().len(),
        final_manuscript_path: place.clone(),
        word_count: Some(characters),
        quality_score: score,
        method: method(score),
        stage_groups: if five_stage { groups(&reports, session.route(), locale) } else { Vec::new() },
        stage_results: reports,
        execution_time_total_seconds: total,
        execution_time_seconds: 0.0,
        project_root: cx.project.shown_root(),
        primary_output: worked.delivered.as_ref().map(|place| WrittenManuscript {
            file_reference: place.path.clone(),
            sha256: place.sha256.clone(),
            preview: preview(&text),
            word_count: characters,
            backup_id: place.backup.clone(),
        }),
        manuscript_edited: edit_notice(worked, locale),
        next_suggested_actions: vec![
            Suggestion::for_episode("noveler_check", episode, &to_check(), locale),
            Suggestion::for_episode("noveler_complete", episode, &to_finish(), locale),
        ],
        other_titles: done.other_titles.clone(),
        warnings: warnings(&worked.warnings, locale),
        plan: Vec::new(),
        recovered_stages: Vec::new(),
        stale_stages: Vec::new(),
        verbose,
        episode: episode.number(),
        revision: Some(session.route().revision()),
    })
}

/// Returns the reason for a suggestion to check a finished text.
fn to_check() -> BilingualText {
    BilingualText::new("see what the checks find", "チェックの指摘を確かめる")
}

/// Returns the reason for a suggestion to complete an episode.
pub(in crate::novel) fn to_finish() -> BilingualText {
    BilingualText::new("make the formats that are published", "公開用の各形式を作る")
}

/// Returns the reason for a suggestion to write an episode.
pub(in crate::novel) fn to_write() -> BilingualText {
    BilingualText::new("write it from its plot", "プロットから書く")
}

fn summary(episode: u32, done: &FinishedText, characters: usize, locale: Locale) -> String {
    let title = if done.title.is_empty() { String::new() } else { format!("「{}」", done.title) };
    localized(
        locale,
        format!("Episode {episode}{title} is written: {characters} characters."),
        format!("第{episode}話{title}を書き終えました（{characters} 字）。"),
    )
}

/// Groups the ten stages in pairs; the short route has five stages already.
fn groups(reports: &[StageReport], route: StageRoute, locale: Locale) -> Vec<StageGroup> {
    if route != StageRoute::Whole {
        return Vec::new();
    }
    let pairs = reports.chunks_exact(2).zip(GROUPS);
    let group = |(pair, (en, ja)): (&[StageReport], (&str, &str))| StageGroup {
        stages: [pair[0].stage, pair[1].stage],
        title: localized(locale, en.to_owned(), ja.to_owned()),
        status: match (pair[0].status.as_str(), pair[1].status.as_str()) {
            (one, other) if one == other => one.to_owned(),
            _ => "in_progress".to_owned(),
        },
    };
    pairs.map(group).collect()
}

/// Returns the questions that would be asked, without opening a session.
async fn plan(args: &Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
    let locale = cx.locale();
    let desk = writing_service(deps, cx, args.episode.0).await?;
    let now = call_time()?;
    let asked = args.route.map(StageRoute::from);
    let restart = args.restart;
    let (desk, open) = cx
        .blocking(move |_, _| {
            let open = if restart { None } else { desk.open_route()? };
            Ok::<_, WritingError>((desk, open))
        })
        .await?;
    let route = asked.or(open).unwrap_or_else(|| desk.route());
    let planned = desk.plan(route, args.word_count_target, &now);
    let plan = planned.into_iter().map(|planned| PlannedQuestion {
        step: format!("{}:{}", planned.stage, planned.turn),
        title: planned.stage.title().get(locale).to_owned(),
        instruction: preview(task_of(&planned.instruction)),
    });
    let plan: Vec<PlannedQuestion> = plan.collect();
    let by_scene = route.stages().any(WritingStage::is_by_scene);
    let pending = route.stages().map(|stage| StageReport {
        stage: stage.number(),
        name: stage.name().to_owned(),
        status: "pending".to_owned(),
        execution_time_seconds: None,
        output_summary: None,
    });
    let reports: Vec<StageReport> = pending.collect();
    Ok(ToolOutcome::Done(Output {
        success: true,
        command: NovelerWrite::SPEC.name.to_owned(),
        summary: localized(
            locale,
            if by_scene {
                format!("{} questions would be asked, more with several scenes; nothing was written.", plan.len())
            } else {
                format!("{} questions would be asked; nothing was written.", plan.len())
            },
            if by_scene {
                format!("問いは {} 回です（場面が増えれば増えます）。何も書き込んでいません。", plan.len())
            } else {
                format!("問いは {} 回です。何も書き込んでいません。", plan.len())
            },
        ),
        session_id: None,
        total_stages_completed: 0,
        final_manuscript_path: None,
        word_count: None,
        quality_score: None,
        method: method(None),
        stage_groups: if args.five_stage { groups(&reports, route, locale) } else { Vec::new() },
        stage_results: reports,
        execution_time_total_seconds: 0.0,
        execution_time_seconds: 0.0,
        project_root: cx.project.shown_root(),
        primary_output: None,
        manuscript_edited: None,
        next_suggested_actions: vec![
            Suggestion::for_episode("noveler_write", args.episode.0, &to_write(), locale)
                .by_route(asked.map(StageRoute::name), args.word_count_target),
        ],
        other_titles: Vec::new(),
        warnings: Vec::new(),
        plan,
        recovered_stages: Vec::new(),
        stale_stages: Vec::new(),
        verbose: None,
        episode: args.episode.0.number(),
        revision: None,
    }))
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        if let Some(primary) = &self.primary_output {
            let backup = backup_note(primary.backup_id.as_deref(), locale);
            lines.push(format!("{}{backup} {}", primary.file_reference, artifact(&primary.sha256)));
            if let Some(said) = &self.manuscript_edited {
                lines.push(format!("! {said}"));
                // The caller wrote any other text itself.
                lines.push(primary.preview.clone());
            }
        }
        lines.extend(self.warnings.iter().map(|said| format!("! {said}")));
        lines.extend(self.title_line(locale));
        lines.extend(self.planned(locale));
        for group in &self.stage_groups {
            lines.push(format!("{}-{} {}: {}", group.stages[0], group.stages[1], group.title, group.status));
        }
        if self.stage_groups.is_empty() && self.plan.is_empty() {
            let open = self.stage_results.iter().filter(|report| report.status != "completed");
            lines.extend(open.map(|report| format!("{} {}: {}", report.stage, report.name, report.status)));
        }
        lines.extend(self.verbose.iter().flat_map(Verbose::lines));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.extend(self.change_call(locale));
        lines.join("\n")
    }
}

impl Output {
    /// Returns the other titles that were proposed.
    fn title_line(&self, locale: Locale) -> Option<String> {
        let others = &self.other_titles;
        (!others.is_empty()).then(|| match locale {
            Locale::En => format!("Other titles: {}", others.join(" / ")),
            Locale::Ja => format!("ほかの題の候補: {}", others.join("／")),
        })
    }

    /// Returns the stages of the plan as lines of text. Their questions begin alike, and are asked one by one later.
    fn planned(&self, locale: Locale) -> Vec<String> {
        let line = |report: &StageReport| {
            let (stage, name) = (report.stage, &report.name);
            let of_stage = |planned: &&PlannedQuestion| planned.step.split(':').next() == Some(name);
            let turns: Vec<&PlannedQuestion> = self.plan.iter().filter(of_stage).collect();
            let (title, count) = (&turns.first()?.title, turns.len());
            let by_scene = WritingStage::parse(name).is_ok_and(WritingStage::is_by_scene);
            Some(match (count, locale) {
                (_, Locale::En) if by_scene => format!("{stage} {name} (a turn for each scene): {title}"),
                (_, Locale::Ja) if by_scene => format!("{stage} {name}（場面ごとに一回）: {title}"),
                (1, Locale::En) => format!("{stage} {name} (1 turn): {title}"),
                (_, Locale::En) => format!("{stage} {name} ({count} turns): {title}"),
                (_, Locale::Ja) => format!("{stage} {name}（{count} 回）: {title}"),
            })
        };
        let reports = self.stage_results.iter();
        reports.filter_map(line).collect()
    }

    /// Returns the call that has a finished text changed.
    fn change_call(&self, locale: Locale) -> Option<String> {
        let (session, stage) = (self.session_id.as_ref()?, self.revision?);
        let arguments =
            json!({"episode": self.episode, "session_id": session, "step": stage.name(), "user_feedback": "…"});
        let reason = match locale {
            Locale::En => "to have the text changed",
            Locale::Ja => "本文に直したい点があるとき",
        };
        Some(format!("{}: {reason}", call_line("noveler_write", &arguments)))
    }
}
