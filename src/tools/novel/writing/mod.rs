//! The parts that the writing tools share: running one step of a session, the question that follows, and the report of
//! a stage.
//!
//! Every call does one step: it accepts an answer, if there is one, and returns the next question or the result. The
//! host, the client's model or a provider answers with another call, so a call never waits for a model, and equal texts
//! result in equal files, regardless of who wrote them. The tools differ in where they begin, where they stop, and what
//! they report.

pub mod noveler_write;
pub mod rewrite_passage;
pub mod write_manuscript_draft;
pub mod write_resume;
pub mod write_stage;
pub mod write_step;
pub mod write_with_claude;

use std::{sync::Arc, time::Duration};

use fumi_base::{
    files,
    text::{BilingualText, Locale},
};
use fumi_kernel::{AnswerCall, AnswerMaterial, AskStatus, Audience, Cx, QuestionReply, ToolError};
use fumi_novel::{
    errors::writing::WritingError,
    project::EpisodeId,
    references::ContentHash,
    writing::{
        CallTime, CitedFile, EditedManuscript, KeyContents, MissedCriterion, NextStep, OpenedSession, SCENES,
        SessionAction, SessionSelector, StageRoute, StepOutcome, TracedTurn, TurnAnswer, TurnContents,
        TurnQuestion as Asked, WritingService, WritingSession, WritingSessionId, WritingStage,
    },
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{NovelDeps, alone, now, stamp};

/// The timeout of one step: every stage has five minutes (decision 17).
pub(in crate::novel) const STAGE_TIMEOUT: Duration = Duration::from_mins(5);

/// The maximum length of a preview in a reply, in characters.
pub(in crate::novel) const PREVIEW: usize = 200;

/// The session that a call's arguments select.
#[derive(Clone, Debug)]
pub(in crate::novel) enum RequestedSession {
    Named(String),
    /// The named session, unless it was abandoned for a newer one.
    Resumed(String),
    Open(StageRoute),
    /// The newest session that writes the episode, even if it is finished.
    Latest(Option<StageRoute>),
    New(Option<StageRoute>),
}

impl RequestedSession {
    /// Returns the selection for the arguments: a named session, a new one, or the open one.
    pub(in crate::novel) fn from_args(session_id: Option<String>, restart: bool, route: StageRoute) -> Self {
        match session_id {
            Some(id) => Self::Named(id),
            None if restart => Self::New(Some(route)),
            None => Self::Open(route),
        }
    }

    fn selector(&self) -> SessionSelector<'_> {
        match self {
            Self::Named(id) => SessionSelector::Named(id),
            Self::Resumed(id) => SessionSelector::Resumed(id),
            Self::Open(route) => SessionSelector::Open(*route),
            Self::Latest(route) => SessionSelector::Latest(*route),
            Self::New(route) => SessionSelector::New(*route),
        }
    }
}

/// The arguments of one step: the session to open, and the action to choose once it is open.
pub(in crate::novel) struct StepRequest<F> {
    pub(in crate::novel) tool: &'static str,
    pub(in crate::novel) episode: EpisodeId,
    pub(in crate::novel) wanted: RequestedSession,
    pub(in crate::novel) target: Option<u32>,
    /// True if a finished draft is placed among the manuscripts at once.
    pub(in crate::novel) places_draft: bool,
    pub(in crate::novel) act: F,
}

/// Returns the time and random number of a call.
pub(in crate::novel) fn call_time() -> Result<CallTime, ToolError> {
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|_| ToolError::internal())?;
    Ok(CallTime { moment: now(), stamp: stamp(), random: u32::from_le_bytes(random) })
}

/// Returns the id of work that a single answer completes: the id given by its question, else a new one. Nothing is
/// stored under it, so that only its form can be checked.
pub(in crate::novel) fn work_id(of_question: Option<&str>, now: &CallTime) -> Result<String, WritingError> {
    match of_question {
        None => Ok(WritingSessionId::new(&now.moment, now.random).to_string()),
        Some(id) if WritingSessionId::parse(id).is_some() => Ok(id.to_owned()),
        Some(id) => Err(WritingError::SessionOfNoQuestion { id: id.chars().take(80).collect() }),
    }
}

/// Opens the writing service for an episode by gathering its material. Nothing is written, so that an error here leaves
/// no trace.
pub(in crate::novel) async fn writing_service(
    deps: &NovelDeps,
    cx: &Cx,
    episode: EpisodeId,
) -> Result<WritingService, ToolError> {
    let (project, novel, locale) = (Arc::clone(&cx.project), deps.novel(cx), cx.locale());
    cx.blocking(move |_, _| WritingService::new(project, novel, episode, locale)).await
}

/// Runs one step while holding the project's lock.
pub(in crate::novel) async fn run_step<F>(
    deps: &NovelDeps,
    cx: &Cx,
    sitting: StepRequest<F>,
) -> Result<StepOutcome, ToolError>
where
    F: FnOnce(&OpenedSession) -> Result<SessionAction, WritingError> + Send + 'static,
{
    let desk = writing_service(deps, cx, sitting.episode).await?;
    let now = call_time()?;
    let holder = match &sitting.wanted {
        // An invalid session id is reported later; it may have any length, so the holder's name is cut.
        RequestedSession::Named(id) | RequestedSession::Resumed(id) => {
            format!("{} {}", sitting.tool, id.chars().take(80).collect::<String>())
        }
        _ => format!("{} {}", sitting.tool, sitting.episode),
    };
    let written_by = cx.answerer.method();
    let worked = alone(deps.novel(cx), cx, &holder, move |_, _| {
        let opened = desk.open(sitting.wanted.selector(), sitting.target, &now)?;
        let (tool, episode, id) = (sitting.tool, sitting.episode, opened.session().id().to_string());
        let run = || {
            let act = match (sitting.act)(&opened)? {
                SessionAction::Answer(answer) => SessionAction::Answer(TurnAnswer { written_by, ..answer }),
                act => act,
            };
            desk.run_step(opened, act, tool, sitting.places_draft, &now)
        };
        run().map_err(|error| with_earlier_stage(error, tool, episode, &id))
    })
    .await?;
    record_metrics(&worked, cx);
    Ok(worked)
}

/// Returns an error that suggests the missing stage by the tools of the failed call. The catalogue suggests
/// `write_stage`.
pub(in crate::novel) fn with_earlier_stage(
    error: WritingError,
    tool: &str,
    episode: EpisodeId,
    session_id: &str,
) -> ToolError {
    let first = match &error {
        WritingError::StageTooEarly { missing, .. } => missing.first().copied(),
        _ => None,
    };
    let (error, episode) = (ToolError::from(error), episode.number());
    match first {
        Some(stage) if tool.starts_with("write_step_") => {
            let arguments = json!({"episode": episode, "session_id": session_id});
            error.with_guidance(&format!("write_step_{}", stage.number()), &arguments)
        }
        Some(stage) if tool.starts_with("enhanced_") => {
            error.with_guidance(tool, &json!({"episode": episode, "step_id": stage.number()}))
        }
        Some(stage) => {
            let arguments = json!({"episode": episode, "session_id": session_id, "stage": stage.name()});
            error.with_guidance("write_stage", &arguments)
        }
        None => error,
    }
}

/// Records metrics for the stage that a call completed, and for a chain of stages that it ended.
fn record_metrics(worked: &StepOutcome, cx: &Cx) {
    let Some(stage) = worked.completed else { return };
    let took = worked.session.output(stage).map_or(0.0, |output| output.execution_time);
    cx.metrics.novel_stage(stage.name(), Duration::try_from_secs_f64(took).unwrap_or_default());
    if worked.session.current().is_none() && worked.session.route().writes_an_episode() {
        cx.metrics.novel_chain();
    }
}

/// Chooses the action for one stage. Returns an error for an answer to another stage, and for a stage whose turn has
/// not come yet.
pub(in crate::novel) fn one_stage(
    stage: WritingStage,
    opened: &OpenedSession,
    content: Option<String>,
    step: Option<&str>,
) -> Result<SessionAction, WritingError> {
    let session = opened.session();
    let mut own = session.route().stages();
    if !own.clone().any(|one| one == stage) {
        return Err(WritingError::StageOffRoute { stage, id: session.id().to_string(), route: session.route() });
    }
    let Some(content) = content else {
        return match session.current() {
            Some(current) if stage > current => Err(WritingError::StageTooEarly {
                stage,
                missing: own.by_ref().filter(|other| (current..stage).contains(other)).collect(),
            }),
            _ => Ok(SessionAction::Peek),
        };
    };
    let SessionAction::Answer(answer) = answer(content, step)? else {
        return Ok(SessionAction::Peek);
    };
    if let Some(asked) = answer.stage.filter(|asked| *asked != stage) {
        return Err(WritingError::OtherStage { stage, asked });
    }
    Ok(SessionAction::Answer(TurnAnswer { stage: Some(stage), ..answer }))
}

/// Builds an answer from the arguments: the text, and the step that it is for.
pub(in crate::novel) fn answer(content: String, step: Option<&str>) -> Result<SessionAction, WritingError> {
    let (stage, turn) = match step {
        None => (None, None),
        Some(step) => WritingStage::parse_step(step).map(|(stage, turn)| (Some(stage), turn))?,
    };
    Ok(SessionAction::Answer(TurnAnswer { stage, turn, content, ..TurnAnswer::default() }))
}

/// Builds the question for clients. `submit` contains the further arguments of the answering call, beside the episode,
/// the session and the step.
pub(in crate::novel) async fn question(
    worked: &StepOutcome,
    asked: &Asked,
    cx: &Cx,
    tool: &'static str,
    submit: Map<String, Value>,
    more: Map<String, Value>,
) -> Result<QuestionReply, ToolError> {
    let locale = cx.locale();
    let step = format!("{}:{}", asked.stage, asked.submit.turn);
    let mut arguments = Map::new();
    arguments.insert("episode".to_owned(), json!(asked.submit.episode));
    arguments.insert("session_id".to_owned(), json!(asked.submit.session_id));
    arguments.insert("step".to_owned(), json!(step));
    arguments.extend(submit);
    let edited = edit_notice(worked, locale);
    let mut more = more;
    more.extend(edited.clone().map(|said| ("manuscript_edited".to_owned(), json!(said))));
    // The host has the known files in its conversation already. A call without an answer knows none, so it lists every file.
    let listed = asked.context.iter().filter(|cited| !worked.known.contains(&cited.sha256));
    let warned = warnings(&worked.warnings, locale);
    let mut report: Vec<String> = warned.iter().map(|said| format!("! {said}")).collect();
    if !warned.is_empty() {
        more.insert("warnings".to_owned(), json!(warned));
    }
    report.extend(edited.into_iter().map(|said| format!("! {said}")));
    // Faults are reported with the first question of each stage, and again when files are listed, which they may concern.
    if asked.submit.turn == 1 || listed.clone().next().is_some() {
        report.extend(worked.faults.iter().map(|fault| format!("! {}", fault.get(locale))));
        report.extend(redo_notices(&names(worked.lost.clone()), &names(worked.session.stale()), locale));
    }
    let is_verbose = arguments.get("verbose") == Some(&json!(true));
    report.extend(Verbose::for_call(worked, is_verbose).iter().flat_map(Verbose::lines));
    Ok(QuestionReply {
        status: AskStatus::NeedsText,
        session_id: asked.submit.session_id.clone(),
        step,
        instruction: asked.instruction.clone(),
        context: listed.map(|cited| reference(cited, locale)).collect(),
        acceptance_criteria: asked
            .criteria
            .iter()
            .map(|criterion| criterion.sentence().get(locale).to_owned())
            .collect(),
        response_schema: answer_schema(asked.gives),
        submit: AnswerCall { tool, arguments, answer: "content", sample: None },
        material: material(&asked.context, cx).await?,
        report: report.join("\n"),
        audience: Audience::AnyModel,
        title: Some(asked.stage.title().clone()),
        more,
    })
}

/// Returns the criteria that an accepted answer misses slightly, each with its name.
pub(in crate::novel) fn warnings(missed: &[MissedCriterion], locale: Locale) -> Vec<String> {
    missed.iter().map(|miss| miss.accepted_line(locale)).collect()
}

/// Returns the texts behind references, for models that cannot fetch. A missing file is left out, though its reference
/// remains.
pub(in crate::novel) async fn material(context: &[CitedFile], cx: &Cx) -> Result<Vec<AnswerMaterial>, ToolError> {
    let mut all = Vec::new();
    for cited in context {
        let text = text_of(cx, &cited.path).await?;
        if !text.trim().is_empty() {
            let title = format!("{} ({})", cited.path, cited.what.get(cx.locale()));
            all.push(AnswerMaterial { title, text });
        }
    }
    Ok(all)
}

/// Returns a file reference with the id for `fetch_artifact`. A file of the session is known by its stage.
pub(in crate::novel) fn reference(cited: &CitedFile, locale: Locale) -> String {
    let (id, what) = (artifact(&cited.sha256), cited.what.get(locale));
    if cited.path.starts_with(".noveler/") { format!("{id} {what}") } else { format!("{id} {} ({what})", cited.path) }
}

/// Returns the id under which `fetch_artifact` finds a file.
pub(in crate::novel) fn artifact(sha256: &str) -> String {
    ContentHash::parse(sha256).map_or_else(String::new, |hash| hash.artifact_id())
}

/// Returns the schema of an answer that consists of keys; `None` for a plain text.
fn answer_schema(gives: &TurnContents) -> Option<Map<String, Value>> {
    let TurnContents::Keys(keys) = gives else { return None };
    let property = |holds| match holds {
        KeyContents::Characters(least) => json!({"type": "string", "minLength": least}),
        KeyContents::Items(least) => json!({"type": "array", "minItems": least}),
        KeyContents::Scenes => json!({"type": "array", "minItems": 1, "maxItems": SCENES}),
        KeyContents::Replacements => json!({"type": "array", "items": {
            "type": "object", "properties": {"find": {"type": "string"}, "replace": {"type": "string"}},
            "required": ["find", "replace"], "additionalProperties": false,
        }}),
    };
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            // The criteria describe the keys.
            (key.name.clone(), property(key.holds))
        })
        .collect();
    let names: Vec<&str> = keys.iter().map(|key| &*key.name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": names});
    schema.as_object().cloned()
}

/// The state of a stage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct StageReport {
    stage: usize,
    name: String,
    /// `completed`, `in_progress`, `pending`, or `stale`: older than its input.
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_time_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_summary: Option<String>,
}

/// Returns the reports of a session's stages, always in their order.
pub(in crate::novel) fn stages(session: &WritingSession, locale: Locale) -> Vec<StageReport> {
    let report = |stage: WritingStage| {
        let output = session.output(stage);
        let status = match output {
            Some(output) if output.stale => "stale",
            Some(_) if session.completed().contains(&stage) => "completed",
            _ if session.current() == Some(stage) && !session.turns().is_empty() => "in_progress",
            _ => "pending",
        };
        StageReport {
            stage: stage.number(),
            name: stage.name().to_owned(),
            status: status.to_owned(),
            execution_time_seconds: output.map(|output| output.execution_time),
            output_summary: output.map(|output| {
                let characters =
                    localized(locale, format!("{} characters", output.characters), format!("{} 字", output.characters));
                format!("{}, {characters}", artifact(&output.sha256))
            }),
        }
    };
    session.route().stages().map(report).collect()
}

/// The result of a stage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct StageResult {
    /// `completed`, or `stale`.
    status: String,
    /// The id for `fetch_artifact`.
    artifact_id: String,
    file: String,
    /// The number of visible characters.
    characters: usize,
    turns: usize,
    execution_time_seconds: f64,
    /// At most 200 characters.
    preview: String,
    /// The method by which the quality was judged, or `not_evaluated`.
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
}

impl StageResult {
    /// Returns the text of the stage as one line, without its beginning, which the caller has written.
    pub(in crate::novel) fn line(&self, locale: Locale) -> String {
        let (id, characters) = (&self.artifact_id, self.characters);
        match locale {
            Locale::En => format!("{id} ({characters} characters)"),
            Locale::Ja => format!("{id}（{characters} 字）"),
        }
    }
}

/// Returns the result of a stage, or `None` if it is not done.
pub(in crate::novel) async fn stage_result(
    cx: &Cx,
    session: &WritingSession,
    stage: WritingStage,
) -> Result<Option<StageResult>, ToolError> {
    let Some(output) = session.output(stage).cloned() else {
        return Ok(None);
    };
    let text = text_of(cx, output.file()).await?;
    Ok(Some(StageResult {
        status: if output.stale { "stale" } else { "completed" }.to_owned(),
        artifact_id: artifact(&output.sha256),
        file: output.file().to_owned(),
        characters: output.characters,
        turns: output.turns.len(),
        execution_time_seconds: output.execution_time,
        preview: preview(&text),
        method: method(output.quality_score),
        quality_score: output.quality_score,
    }))
}

/// Returns the method by which a score was determined.
pub(in crate::novel) fn method(score: Option<f64>) -> String {
    if score.is_some() { "deterministic" } else { "not_evaluated" }.to_owned()
}

/// Reads the text of a file for a reply; empty if the file is missing.
pub(in crate::novel) async fn text_of(cx: &Cx, path: &str) -> Result<String, ToolError> {
    let (project, path) = (Arc::clone(&cx.project), path.to_owned());
    cx.blocking(move |_, _| {
        let bytes = match project.find(&path)? {
            Some(file) => files::read(&file, 16 << 20)?,
            None => Vec::new(),
        };
        Ok::<_, ToolError>(String::from_utf8_lossy(&bytes).into_owned())
    })
    .await
}

/// Returns the beginning of a text.
pub(in crate::novel) fn preview(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(PREVIEW) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Returns the task of a question, without the head that all questions of an episode share.
pub(in crate::novel) fn task_of(instruction: &str) -> &str {
    instruction.split_once("\n\n").map_or(instruction, |(_, task)| task)
}

/// Returns the backup of a replaced file in parentheses, to be written after the path; empty without one.
pub(in crate::novel) fn backup_note(id: Option<&str>, locale: Locale) -> String {
    match (id, locale) {
        (None, _) => String::new(),
        (Some(id), Locale::En) => format!(" (backup {id})"),
        (Some(id), Locale::Ja) => format!("（バックアップ {id}）"),
    }
}

/// Returns one of two sentences, by locale.
pub(in crate::novel) fn localized(locale: Locale, en: String, ja: String) -> String {
    BilingualText::new(en, ja).get(locale).to_owned()
}

/// The result for the manuscript.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(in crate::novel) struct PlacedManuscript {
    #[serde(skip_serializing_if = "Option::is_none")]
    final_manuscript_path: Option<String>,
    /// The id of the backup of the replaced file.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
    /// A notice that the manuscript was edited outside of the session, and how this was handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    manuscript_edited: Option<String>,
    /// The criteria that the last answer misses slightly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl PlacedManuscript {
    pub(in crate::novel) fn for_call(worked: &StepOutcome, locale: Locale) -> Self {
        let place = worked.delivered.as_ref();
        let manuscript_edited = match (edited_and_left(worked), &worked.next) {
            (Some(EditedManuscript { path, .. }), NextStep::Done(_)) => Some(localized(
                locale,
                format!(
                    "{path} was changed outside this session and left as it is. The reply shows the session's own text of this stage."
                ),
                format!(
                    "{path} は、執筆の途中でほかから書き換えられたため、そのまま残しました。この返答にあるのは、書き換えを含まない本文です。"
                ),
            )),
            _ => edit_notice(worked, locale),
        };
        Self {
            final_manuscript_path: place.map(|place| place.path.clone()),
            backup_id: place.and_then(|place| place.backup.clone()),
            manuscript_edited,
            warnings: warnings(&worked.warnings, locale),
        }
    }

    pub(in crate::novel) fn lines(&self, locale: Locale) -> impl Iterator<Item = String> {
        let place = self.final_manuscript_path.iter().map(move |path| {
            let backup = backup_note(self.backup_id.as_deref(), locale);
            format!("{path}{backup}")
        });
        place.chain(self.manuscript_edited.iter().chain(&self.warnings).map(|said| format!("! {said}")))
    }
}

/// Returns the manuscript as edited outside of the session, if the edit was left in place.
pub(in crate::novel) fn edited_and_left(worked: &StepOutcome) -> Option<&EditedManuscript> {
    let is_left = worked.delivered.as_ref().is_some_and(|place| place.backup.is_none());
    worked.edited.as_ref().filter(|_| is_left)
}

/// Describes how a manuscript was handled that was edited outside of the session.
pub(in crate::novel) fn edit_notice(worked: &StepOutcome, locale: Locale) -> Option<String> {
    let EditedManuscript { path, is_taken, .. } = worked.edited.as_ref()?;
    if *is_taken {
        return Some(localized(
            locale,
            format!("{path} was changed outside this session, which continues from the changed text."),
            format!("{path} は、書き上げた後に書き換えられていました。書き換えられた本文から続けます。"),
        ));
    }
    let backup = worked.delivered.as_ref().and_then(|place| place.backup.as_ref());
    let text = match (backup, &worked.next) {
        (Some(id), _) => BilingualText::new(
            format!(
                "{path} was changed outside this session. That text is backed up as {id}; the file now contains the session's text."
            ),
            format!(
                "{path} は、執筆の途中でほかから書き換えられていました。その本文はバックアップ {id} にあり、いまは書き上がった本文が入っています。"
            ),
        ),
        (None, NextStep::Done(_)) => BilingualText::new(
            format!("{path} was changed outside this session and left as it is: length and preview are the file's."),
            format!(
                "{path} は、執筆の途中でほかから書き換えられたため、そのまま残しました。文字数と抜粋は、このファイルのものです。"
            ),
        ),
        (None, NextStep::Ask(_)) => BilingualText::new(
            format!(
                "{path} was changed outside this session, which continues with its own texts. When it ends, its text replaces the file, and the changed one is backed up. To keep the changed one, do not continue this session."
            ),
            format!(
                "{path} は、執筆の途中でほかから書き換えられました。このまま続けると、書き換えを含まない本文で書き進み、完成したときにこのファイルを置き換えます（書き換えられた本文は先にバックアップします）。書き換えた本文を使うなら、ここで執筆を止めてください。"
            ),
        ),
    };
    Some(text.get(locale).to_owned())
}

/// The fields that `verbose` adds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Verbose {
    /// Every accepted turn, ordered by time.
    execution_trace: Vec<TraceEntry>,
    resource_usage: ResourceUsage,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::novel) struct TraceEntry {
    stage: String,
    turn: usize,
    tool_name: String,
    start: String,
    end: String,
    status: String,
    prompt_file: String,
    answer_file: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::novel) struct ResourceUsage {
    /// The number of files that this call wrote, without backups.
    file_operations: usize,
    /// The number of bytes in these files.
    bytes_written: usize,
    /// The paths of these files, relative to the project.
    files: Vec<String>,
}

impl ResourceUsage {
    /// Returns the usage for files with their sizes in bytes.
    pub(in crate::novel) fn from_files(written: &[(String, usize)]) -> Self {
        Self {
            file_operations: written.len(),
            bytes_written: written.iter().map(|(_, bytes)| bytes).sum(),
            files: written.iter().map(|(path, _)| path.clone()).collect(),
        }
    }
}

impl Verbose {
    /// Returns the accepted turns and the written files as lines of text.
    pub(in crate::novel) fn lines(&self) -> Vec<String> {
        let written = &self.resource_usage;
        let files =
            (!written.files.is_empty()).then(|| format!("{} ({} B)", written.files.join(", "), written.bytes_written));
        self.execution_trace.iter().map(TraceEntry::line).chain(files).collect()
    }

    /// Returns the verbose part of a reply, if it was requested.
    pub(in crate::novel) fn for_call(worked: &StepOutcome, wanted: bool) -> Option<Self> {
        wanted.then(|| Self {
            execution_trace: TraceEntry::all(&worked.trace),
            resource_usage: ResourceUsage::from_files(&worked.written),
        })
    }

    /// Returns the verbose part as fields beside a question.
    pub(in crate::novel) fn fields(this: Option<Self>) -> Map<String, Value> {
        match serde_json::to_value(this) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

impl TraceEntry {
    /// Returns the turn as one line of text.
    pub(in crate::novel) fn line(&self) -> String {
        format!(
            "{}:{} {} {}: {} → {}",
            self.stage, self.turn, self.tool_name, self.status, self.prompt_file, self.answer_file
        )
    }

    pub(in crate::novel) fn all(trace: &[TracedTurn]) -> Vec<Self> {
        trace.iter().map(Self::from_traced).collect()
    }

    fn from_traced(traced: &TracedTurn) -> Self {
        Self {
            stage: traced.stage.name().to_owned(),
            turn: traced.turn,
            tool_name: traced.tool_name.clone(),
            start: traced.start.to_string(),
            end: traced.end.to_string(),
            status: traced.status.clone(),
            prompt_file: traced.prompt_file.clone(),
            answer_file: traced.answer_file.clone(),
        }
    }
}

/// Returns the argument that makes the next call as verbose as this one.
pub(in crate::novel) fn verbose_argument(wanted: bool) -> Map<String, Value> {
    wanted.then(|| ("verbose".to_owned(), json!(true))).into_iter().collect()
}

pub(in crate::novel) fn names(stages: impl IntoIterator<Item = WritingStage>) -> Vec<String> {
    stages.into_iter().map(|stage| stage.name().to_owned()).collect()
}

/// Says which stages are asked again: those whose files are missing or changed, and those older than their input.
pub(in crate::novel) fn redo_notices(lost: &[String], stale: &[String], locale: Locale) -> Vec<String> {
    let (of_lost, of_stale) = (lost.join(", "), stage_numbers(stale));
    let lost = (!lost.is_empty()).then(|| {
        localized(
            locale,
            format!("! Files were missing or changed; asked again: {of_lost}"),
            format!("! ファイルがないか変わったため、もう一度行う段階: {of_lost}"),
        )
    });
    let stale = (!stale.is_empty()).then(|| {
        localized(
            locale,
            format!("! Older than their input, asked again: stages {of_stale}"),
            format!("! やり直しに伴い、もう一度行う段階: {of_stale}"),
        )
    });
    lost.into_iter().chain(stale).collect()
}

/// Returns the numbers of stages, such as `2, 5-7`.
pub(in crate::novel) fn stage_numbers(names: &[String]) -> String {
    let stages = names.iter().filter_map(|name| WritingStage::parse(name).ok());
    ranges(stages.map(WritingStage::number))
}

/// Formats increasing numbers, such as `2, 5-7`.
pub(in crate::novel) fn ranges<N: Copy + TryInto<usize>>(numbers: impl Iterator<Item = N>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers.filter_map(|number| number.try_into().ok()) {
        match runs.last_mut() {
            Some((_, last)) if number == *last + 1 => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let shown = runs.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Returns the stages that must be repeated, as fields beside a question.
pub(in crate::novel) fn redo_fields(worked: &StepOutcome) -> Map<String, Value> {
    let mut fields = Map::new();
    if !worked.lost.is_empty() {
        fields.insert("recovered_stages".to_owned(), json!(names(worked.lost.clone())));
    }
    let stale: Vec<WritingStage> = worked.session.stale().collect();
    if !stale.is_empty() {
        fields.insert("stale_stages".to_owned(), json!(names(stale)));
    }
    fields
}
