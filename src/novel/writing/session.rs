//! A writing session as its file says it: which stages are done, where their outputs lie, what was said of them.
//!
//! Invariant: the stages that are done are the first ones of the table, each with its output; the current one is the next, and it
//! has fewer turns than it needs. A file that says otherwise is refused. What the outputs hold is not looked at.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{
    moment::{Moment, SessionId},
    stages::{Route, STAGES, Stage},
};
use crate::{
    errors::writing::WritingError,
    project::{Episode, Unknown, Yaml, read_yaml},
};

/// The form of the file that is written, and the highest that is read.
const VERSION: u32 = 1;

/// The feedback that wants nothing done again.
pub const APPROVED: &str = "approved";

/// Whether a remark wants nothing done again, as people say it.
#[must_use]
pub fn is_approval(said: &str) -> bool {
    let said = said.trim().trim_end_matches(['.', '。', '!', '！']).to_lowercase();
    matches!(
        said.as_str(),
        APPROVED | "ok" | "okay" | "lgtm" | "承認" | "了承" | "よい" | "良い" | "問題なし"
    )
}

/// How many remarks on its stages a session keeps, so that its file stays one that is read.
const FEEDBACKS: usize = 200;

/// A writing session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
pub struct Session {
    version: u32,
    session_id: SessionId,
    created_at: Moment,
    last_updated: Moment,
    episode: u32,
    #[serde(default, skip_serializing_if = "Route::is_whole")]
    route: Route,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    word_count_target: Option<u32>,
    /// Absent when all are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current_stage: Option<Stage>,
    total_stages: usize,
    #[serde(default)]
    completed_stages: Vec<Stage>,
    /// The accepted turns of the current stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    turns: Vec<Piece>,
    #[serde(default)]
    stage_outputs: Outputs,
    #[serde(default)]
    user_feedback: Vec<Feedback>,
    /// The manuscript as this session found it when it began, or placed it since; empty where there was none, absent where that is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    manuscript_sha256: Option<String>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// An accepted answer, in a file of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Relative to the project.
    pub file: String,
    /// Of its bytes.
    pub sha256: String,
    /// In seconds.
    pub execution_time: f64,
    /// Who wrote it: `host`, `llm_sampling` or `llm_provider`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written_by: String,
}

/// What a stage gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageOutput {
    /// Relative to the project.
    pub output_file: String,
    /// Of its bytes.
    pub sha256: String,
    /// How many visible characters it has.
    pub characters: usize,
    /// In seconds, all turns together.
    pub execution_time: f64,
    /// From 0 to 100, once somebody has judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_score: Option<f64>,
    /// By whom it was judged, or `not_evaluated`.
    #[serde(default = "not_evaluated")]
    pub method: String,
    /// Whether a stage before it has been asked for again since.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
    /// The answers that it is made of.
    #[serde(default)]
    pub turns: Vec<Piece>,
    /// All other keys.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl StageOutput {
    /// Its file, relative to the project.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.output_file
    }
}

/// The method of a score that nobody gave.
pub(super) fn not_evaluated() -> String {
    crate::completion::NOT_EVALUATED.to_owned()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// What was said of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feedback {
    /// Of which.
    pub stage: Stage,
    /// What.
    pub feedback: String,
    /// When.
    pub timestamp: Moment,
}

impl Session {
    /// A session in which nothing is written yet, to go through all stages.
    #[must_use]
    pub fn new(id: SessionId, episode: Episode, word_count_target: Option<u32>, now: &Moment) -> Self {
        Self::along(Route::Whole, id, episode, word_count_target, now)
    }

    /// The same along a route.
    #[must_use]
    pub fn along(route: Route, id: SessionId, episode: Episode, word_count_target: Option<u32>, now: &Moment) -> Self {
        Self {
            version: VERSION,
            session_id: id,
            created_at: now.clone(),
            last_updated: now.clone(),
            episode: episode.number(),
            route,
            word_count_target,
            current_stage: route.stages().next(),
            total_stages: route.length(),
            completed_stages: Vec::new(),
            turns: Vec::new(),
            stage_outputs: Outputs::default(),
            user_feedback: Vec::new(),
            manuscript_sha256: None,
            unknown: Unknown::default(),
        }
    }

    /// Reads a session's file; `path` is for the error.
    pub fn read(path: &str, text: &str) -> Result<Self, WritingError> {
        let broken = |reason, reason_ja| WritingError::BrokenSession {
            path: path.to_owned(),
            reason,
            reason_ja,
        };
        let read: Option<Self> = read_yaml(path, text)?;
        let session = read.ok_or_else(|| broken("it is empty", "空です"))?;
        match session.fault() {
            Some((reason, reason_ja)) => Err(broken(reason, reason_ja)),
            None => Ok(session),
        }
    }

    /// The session as YAML, unknown keys included.
    ///
    /// # Panics
    /// Never: everything in it is what YAML can hold.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("texts, numbers, lists and maps are YAML")
    }

    /// What of its own rules it breaks, in English and Japanese.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let in_order = self
            .completed_stages
            .iter()
            .copied()
            .eq(self.route.stages().take(self.completed_stages.len()));
        let next = self.route.stages().nth(self.completed_stages.len());
        let has_output = |stage: &Stage| {
            let output = self.stage_outputs.known[stage.at()].as_ref();
            output.is_some_and(|output| !output.stale && output.turns.len() == stage.turns().len())
        };
        let enough = self.current_stage.map_or(1, |stage| stage.turns().len());
        if self.version != VERSION {
            Some(("its version is not 1", "version が 1 ではありません"))
        } else if Episode::new(self.episode).is_none() {
            Some((
                "its episode is no number from 1 to 99999",
                "episode が 1〜99999 ではありません",
            ))
        } else if self.total_stages != self.route.length() {
            Some((
                "total_stages is not the number of its stages",
                "total_stages が段階の数と一致していません",
            ))
        } else if !in_order {
            Some((
                "completed_stages are not the first stages in their order",
                "completed_stages が先頭からの順になっていません",
            ))
        } else if self.current_stage != next {
            Some((
                "current_stage does not follow completed_stages",
                "current_stage が completed_stages の次の段階ではありません",
            ))
        } else if !self.completed_stages.iter().all(has_output) {
            Some((
                "a completed stage lacks its output in stage_outputs",
                "完了した段階の出力が stage_outputs にありません",
            ))
        } else if self.turns.len() >= enough {
            Some((
                "the current stage has more turns than it needs",
                "現在の段階の turns が多すぎます",
            ))
        } else {
            None
        }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.session_id
    }

    /// Which stages it goes through.
    #[must_use]
    pub fn route(&self) -> Route {
        self.route
    }

    /// Which episode is written.
    ///
    /// # Panics
    /// Never: a session is made of a number, and one that is read is checked.
    #[must_use]
    pub fn episode(&self) -> Episode {
        Episode::new(self.episode).expect("checked when it was made or read")
    }

    /// When it began.
    #[must_use]
    pub fn created_at(&self) -> &Moment {
        &self.created_at
    }

    /// When it was last changed.
    #[must_use]
    pub fn last_updated(&self) -> &Moment {
        &self.last_updated
    }

    /// How many characters were asked for, if not by the plot.
    #[must_use]
    pub fn word_count_target(&self) -> Option<u32> {
        self.word_count_target
    }

    /// The stage that is to be worked on; `None` when all are done.
    #[must_use]
    pub fn current(&self) -> Option<Stage> {
        self.current_stage
    }

    /// The stages that are done.
    #[must_use]
    pub fn completed(&self) -> &[Stage] {
        &self.completed_stages
    }

    /// The accepted turns of the current stage.
    #[must_use]
    pub fn turns(&self) -> &[Piece] {
        &self.turns
    }

    /// What a stage gave last, stale or not.
    #[must_use]
    pub fn output(&self, stage: Stage) -> Option<&StageOutput> {
        self.stage_outputs.known[stage.at()].as_ref()
    }

    /// What was said of its stages.
    #[must_use]
    pub fn feedback(&self) -> &[Feedback] {
        &self.user_feedback
    }

    /// Notes the manuscript as it is, by its hash.
    pub(super) fn saw_manuscript(&mut self, sha256: Option<&str>) {
        self.manuscript_sha256 = Some(sha256.unwrap_or_default().to_owned());
    }

    /// True if a manuscript is known to be another one than this session last saw.
    pub(super) fn is_other_manuscript(&self, sha256: &str) -> bool {
        self.manuscript_sha256.as_deref().is_some_and(|seen| seen != sha256)
    }

    /// The stages whose output is older than something that they read.
    pub fn stale(&self) -> impl Iterator<Item = Stage> {
        Stage::all().filter(|stage| self.output(*stage).is_some_and(|output| output.stale))
    }

    /// Takes a turn of the current stage.
    pub(super) fn push(&mut self, piece: Piece, now: &Moment) {
        self.turns.push(piece);
        self.last_updated = now.clone();
    }

    /// Completes the current stage. Its last turn is in `turns` already.
    pub(super) fn complete(&mut self, stage: Stage, mut output: StageOutput, now: &Moment) {
        // What somebody else wrote beside the last output is theirs.
        if let Some(before) = self.stage_outputs.known[stage.at()].take() {
            output.unknown = before.unknown;
        }
        output.turns = std::mem::take(&mut self.turns);
        self.stage_outputs.known[stage.at()] = Some(output);
        self.completed_stages.push(stage);
        self.current_stage = self.route.stages().find(|next| *next > stage);
        self.last_updated = now.clone();
    }

    /// Wants another length from now on. Returns whether that is new.
    pub(super) fn retarget(&mut self, target: Option<u32>) -> bool {
        let is_new = target.is_some() && target != self.word_count_target;
        if is_new {
            self.word_count_target = target;
        }
        is_new
    }

    /// Keeps a remark; `false` where there are too many.
    pub(super) fn remark(&mut self, feedback: Feedback) -> bool {
        let fits = self.user_feedback.len() < FEEDBACKS;
        if fits {
            self.last_updated = feedback.timestamp.clone();
            self.user_feedback.push(feedback);
        }
        fits
    }

    /// Goes back to the beginning of a stage. What it and the later ones gave is stale.
    pub(super) fn reopen(&mut self, stage: Stage) {
        self.turns.clear();
        self.completed_stages.truncate(self.route.before(stage));
        self.current_stage = Some(stage);
        for output in self.stage_outputs.known[stage.at()..].iter_mut().flatten() {
            output.stale = true;
        }
    }

    /// Goes back to the last stage, or turn, before which every file is as the session says. Returns the stages that are
    /// to be done again.
    pub(super) fn recover(&mut self, is_whole: impl Fn(&str, &str) -> bool) -> Vec<Stage> {
        let piece = |piece: &Piece| is_whole(&piece.file, &piece.sha256);
        let lost = self.completed_stages.iter().copied().find(|stage| {
            let output = self.output(*stage);
            !output
                .is_some_and(|output| is_whole(&output.output_file, &output.sha256) && output.turns.iter().all(piece))
        });
        if let Some(stage) = lost {
            let again = self.completed_stages[self.route.before(stage)..].to_vec();
            self.reopen(stage);
            return again;
        }
        if let Some(at) = self.turns.iter().position(|turn| !piece(turn)) {
            self.turns.truncate(at);
            return self.current_stage.into_iter().collect();
        }
        Vec::new()
    }

    /// The files that it names and that a step may need.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let outputs = self.completed_stages.iter().filter_map(|stage| self.output(*stage));
        let done = outputs.flat_map(|output| {
            let turns = output.turns.iter().map(|turn| turn.file.as_str());
            std::iter::once(output.output_file.as_str()).chain(turns)
        });
        done.chain(self.turns.iter().map(|turn| turn.file.as_str()))
    }
}

/// The outputs by stage; what no stage is called is kept.
#[derive(Clone, Debug, Default, PartialEq)]
struct Outputs {
    known: [Option<StageOutput>; STAGES],
    unknown: Vec<(String, Yaml)>,
}

impl Serialize for Outputs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (stage, output) in Stage::all().zip(&self.known) {
            if let Some(output) = output {
                map.serialize_entry(stage.name(), output)?;
            }
        }
        for (key, value) in &self.unknown {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Outputs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByStage;

        impl<'de> Visitor<'de> for ByStage {
            type Value = Outputs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("outputs by stage")
            }

            fn visit_unit<E>(self) -> Result<Outputs, E> {
                Ok(Outputs::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Outputs, A::Error> {
                let mut outputs = Outputs::default();
                while let Some(key) = pairs.next_key::<String>()? {
                    match Stage::parse(&key) {
                        Ok(stage) => outputs.known[stage.at()] = Some(pairs.next_value()?),
                        Err(_) => outputs.unknown.push((key, pairs.next_value()?)),
                    }
                }
                Ok(outputs)
            }
        }

        deserializer.deserialize_any(ByStage)
    }
}
