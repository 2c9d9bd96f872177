//! A writing session as stored in its file: completed stages, their outputs, and feedback.
//!
//! Invariant: the completed stages are the first ones of the route, each with an output; the current stage is the next
//! one and has fewer turns than it needs. A file that violates this is rejected. The contents of outputs are not
//! examined.

use fumi_base::text::BilingualText;
use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{
    stages::{ALL_STAGES, SCENES, StageRoute, WritingStage},
    utc_time::{UtcTime, WritingSessionId},
};
use crate::{
    errors::writing::WritingError,
    project::{EpisodeId, UnknownKeys, YamlValue, read_yaml},
};

/// The version of the file format, for writing and reading.
const VERSION: u32 = 1;

/// The feedback text that requests no change.
pub const APPROVED: &str = "approved";

/// True if feedback requests no change, in any of the usual wordings.
pub fn is_approval(said: &str) -> bool {
    let said = said.trim().trim_end_matches(['.', '。', '!', '！']).to_lowercase();
    matches!(said.as_str(), APPROVED | "ok" | "okay" | "lgtm" | "承認" | "了承" | "よい" | "良い" | "問題なし")
}

/// The largest number of feedback entries in a session, so that its file stays small enough to be read.
const FEEDBACKS: usize = 200;

/// A writing session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WritingSession {
    version: u32,
    session_id: WritingSessionId,
    created_at: UtcTime,
    last_updated: UtcTime,
    episode: u32,
    #[serde(default, skip_serializing_if = "StageRoute::is_whole")]
    route: StageRoute,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    word_count_target: Option<u32>,
    /// The current stage; absent when all stages are completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current_stage: Option<WritingStage>,
    total_stages: usize,
    #[serde(default)]
    completed_stages: Vec<WritingStage>,
    /// The number of scenes, once they are planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scene_count: Option<usize>,
    /// The accepted turns of the current stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    turns: Vec<AcceptedAnswer>,
    #[serde(default)]
    stage_outputs: StageOutputs,
    /// The hashes of the files of the project, or of the material, that the current question cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cited: Vec<String>,
    #[serde(default)]
    user_feedback: Vec<StageFeedback>,
    /// The hash of the manuscript that this session found when it began or placed since; empty if there was none,
    /// absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    manuscript_sha256: Option<String>,
    #[serde(flatten)]
    unknown: UnknownKeys,
}

/// An accepted answer, stored in a file of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptedAnswer {
    /// The path relative to the project root.
    pub file: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// The duration in seconds.
    pub execution_time: f64,
    /// The origin of the answer: `host`, `llm_sampling` or `llm_provider`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written_by: String,
    /// The criteria that the answer misses with the author's consent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<WaivedCriterion>,
}

/// A criterion that an answer need not meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaivedCriterion {
    /// The name of the criterion, such as `characters`.
    pub criterion: String,
    /// The author's reason.
    pub reason: String,
}

/// The output of a completed stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageOutput {
    /// The path relative to the project root.
    pub output_file: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// The number of visible characters.
    pub characters: usize,
    /// The duration of all turns, in seconds.
    pub execution_time: f64,
    /// The score from 0 to 100, once the output was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_score: Option<f64>,
    /// The origin of the judgement, or `not_evaluated`.
    #[serde(default = "not_evaluated")]
    pub method: String,
    /// True if this stage, or one before it, was reopened since.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
    /// True if a wish of the author reopened this stage, or one before it, and no text on which the output depends has been
    /// written anew since. Then the next answer continues the text of this output.
    #[serde(default, skip_serializing_if = "is_false")]
    pub continued: bool,
    /// The answers from which the output was made.
    #[serde(default)]
    pub turns: Vec<AcceptedAnswer>,
    /// All other keys of the entry.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

impl StageOutput {
    /// Returns the path of the output, relative to the project root.
    pub fn file(&self) -> &str {
        &self.output_file
    }
}

/// Returns the method of an output that was not judged.
pub(super) fn not_evaluated() -> String {
    crate::finishing::NOT_EVALUATED.to_owned()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// An author's feedback on a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageFeedback {
    pub stage: WritingStage,
    /// The turn that is repeated, from 1; absent if it is the whole stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The text of the feedback.
    pub feedback: String,
    pub timestamp: UtcTime,
}

impl WritingSession {
    /// Creates a session without answers for a route.
    pub fn new(
        route: StageRoute,
        id: WritingSessionId,
        episode: EpisodeId,
        word_count_target: Option<u32>,
        now: &UtcTime,
    ) -> Self {
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
            scene_count: None,
            turns: Vec::new(),
            stage_outputs: StageOutputs::default(),
            cited: Vec::new(),
            user_feedback: Vec::new(),
            manuscript_sha256: None,
            unknown: UnknownKeys::default(),
        }
    }

    /// Parses a session's file; `path` is used in errors.
    pub fn read(path: &str, text: &str) -> Result<Self, WritingError> {
        let broken = |en: &'static str, ja: &'static str| WritingError::BrokenSession {
            path: path.to_owned(),
            reason: BilingualText::new(en, ja),
        };
        let read: Option<Self> = read_yaml(path, text)?;
        let session = read.ok_or_else(|| broken("it is empty", "空です"))?;
        match session.violated_invariant() {
            Some((en, ja)) => Err(broken(en, ja)),
            None => Ok(session),
        }
    }

    /// Returns the session as YAML, including unknown keys.
    ///
    /// # Panics
    /// Never: all values can be represented in YAML.
    pub fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("texts, numbers, lists and maps can be represented in YAML")
    }

    /// Returns the violated invariant in English and Japanese, if there is one.
    pub(super) fn violated_invariant(&self) -> Option<(&'static str, &'static str)> {
        let in_order = self.completed_stages.iter().copied().eq(self.route.stages().take(self.completed_stages.len()));
        let next = self.route.stages().nth(self.completed_stages.len());
        let has_output = |stage: &WritingStage| {
            let output = self.stage_outputs.known[stage.at()].as_ref();
            output.is_some_and(|output| !output.stale && output.turns.len() == self.turns_of(*stage))
        };
        let enough = self.current_stage.map_or(1, |stage| self.turns_of(stage));
        let is_planned = self.completed_stages.contains(&WritingStage::SCENE_PLAN);
        if self.version != VERSION {
            Some(("its version is not 1", "version が 1 ではありません"))
        } else if EpisodeId::new(self.episode).is_none() {
            Some(("its episode is not a number from 1 to 99999", "episode が 1〜99999 の数ではありません"))
        } else if self.total_stages != self.route.length() {
            Some(("total_stages is not the number of its stages", "total_stages が段階の数と一致していません"))
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
        } else if self.scene_count.map_or(is_planned, |count| !(1..=SCENES).contains(&count)) {
            Some(("scene_count is not a number from 1 to 12", "scene_count が 1〜12 の数ではありません"))
        } else if self.turns.len() >= enough {
            Some(("the current stage has more turns than it needs", "現在の段階の turns が多すぎます"))
        } else {
            None
        }
    }

    pub fn id(&self) -> &WritingSessionId {
        &self.session_id
    }

    /// Returns the route, which defines the stages of the session.
    pub fn route(&self) -> StageRoute {
        self.route
    }

    /// Returns the episode that is written.
    ///
    /// # Panics
    /// Never: the number is checked when a session is created or parsed.
    pub fn episode(&self) -> EpisodeId {
        EpisodeId::new(self.episode).expect("checked when the session is created or parsed")
    }

    /// True if this session was begun in the place of another one of its episode: later, and by a route that makes the
    /// same text. A draft alone leaves the session that writes the episode as it is.
    pub(super) fn replaces(&self, other: &Self) -> bool {
        self.episode == other.episode
            && self.created_at > other.created_at
            && (self.route.writes_an_episode() || !other.route.writes_an_episode())
    }

    /// Returns the start time.
    pub fn created_at(&self) -> &UtcTime {
        &self.created_at
    }

    /// Returns the time of the last change.
    pub fn last_updated(&self) -> &UtcTime {
        &self.last_updated
    }

    /// Returns the requested length in characters, if it differs from the plot's.
    pub fn word_count_target(&self) -> Option<u32> {
        self.word_count_target
    }

    /// Returns the current stage; `None` when all stages are completed.
    pub fn current(&self) -> Option<WritingStage> {
        self.current_stage
    }

    /// Returns the completed stages, in order.
    pub fn completed(&self) -> &[WritingStage] {
        &self.completed_stages
    }

    /// Returns the accepted turns of the current stage.
    pub fn turns(&self) -> &[AcceptedAnswer] {
        &self.turns
    }

    /// Returns the number of turns of a stage; for a stage of scenes, that of the planned scenes.
    pub fn turns_of(&self, stage: WritingStage) -> usize {
        if stage.is_by_scene() { self.scene_count.unwrap_or(1) } else { stage.turns().len() }
    }

    /// True if the output of a stage must name every character of the plot after this turn, counted from 1.
    pub(super) fn names_everyone_at(&self, stage: WritingStage, turn: usize) -> bool {
        if stage.is_by_scene() {
            turn == self.turns_of(stage)
        } else {
            (1..=turn).any(|turn| stage.names_everyone_at(turn))
        }
    }

    /// Returns the criteria that the accepted answers do not meet with the author's consent, in the order of the answers.
    pub(super) fn waived(&self) -> impl Iterator<Item = &WaivedCriterion> {
        let outputs = self.completed_stages.iter().filter_map(|stage| self.output(*stage));
        outputs.flat_map(|output| &output.turns).chain(&self.turns).flat_map(|turn| &turn.waived)
    }

    /// Records the number of planned scenes.
    pub(super) fn plan_scenes(&mut self, count: usize) {
        self.scene_count = Some(count);
    }

    /// Returns the last output of a stage, even a stale one.
    pub fn output(&self, stage: WritingStage) -> Option<&StageOutput> {
        self.stage_outputs.known[stage.at()].as_ref()
    }

    pub fn feedback(&self) -> &[StageFeedback] {
        &self.user_feedback
    }

    /// Records the hash of the existing manuscript; `None` if none exists.
    pub(super) fn record_manuscript(&mut self, sha256: Option<&str>) {
        self.manuscript_sha256 = Some(sha256.unwrap_or_default().to_owned());
    }

    /// True if a manuscript is known to differ from the one that this session last saw.
    pub(super) fn is_other_manuscript(&self, sha256: &str) -> bool {
        self.manuscript_sha256.as_deref().is_some_and(|seen| seen != sha256)
    }

    /// Returns the stages whose output is outdated.
    pub fn stale(&self) -> impl Iterator<Item = WritingStage> {
        WritingStage::all().filter(|stage| self.output(*stage).is_some_and(|output| output.stale))
    }

    /// Adds a turn to the current stage.
    pub(super) fn push(&mut self, piece: AcceptedAnswer, now: &UtcTime) {
        self.turns.push(piece);
        self.last_updated = now.clone();
    }

    /// Completes the current stage, whose last turn is already in `turns`.
    pub(super) fn complete(&mut self, stage: WritingStage, mut output: StageOutput, now: &UtcTime) {
        // Unknown keys that another program added to the previous output are kept.
        if let Some(before) = self.stage_outputs.known[stage.at()].take() {
            output.unknown = before.unknown;
        }
        output.turns = std::mem::take(&mut self.turns);
        self.stage_outputs.known[stage.at()] = Some(output);
        if stage.gives_text() {
            // The later outputs were made from the text before.
            for later in self.stage_outputs.known[stage.at() + 1..].iter_mut().flatten() {
                later.continued = false;
            }
        }
        self.completed_stages.push(stage);
        self.current_stage = self.route.stages().find(|next| *next > stage);
        self.last_updated = now.clone();
    }

    /// Sets a new target length. Returns true if it differs from the old one.
    pub(super) fn retarget(&mut self, target: Option<u32>) -> bool {
        let is_new = target.is_some() && target != self.word_count_target;
        if is_new {
            self.word_count_target = target;
        }
        is_new
    }

    /// Adds feedback; returns `false` if there is too much.
    pub(super) fn add_feedback(&mut self, feedback: StageFeedback) -> bool {
        let fits = self.user_feedback.len() < FEEDBACKS;
        if fits {
            self.last_updated = feedback.timestamp.clone();
            self.user_feedback.push(feedback);
        }
        fits
    }

    /// Returns to a turn of a stage, from 1, for a wish of the author. The texts of the stage and of later stages are
    /// continued.
    pub(super) fn reopen(&mut self, stage: WritingStage, turn: usize) {
        for output in self.stage_outputs.known[stage.at()..].iter_mut().flatten() {
            output.continued |= !output.stale;
        }
        self.go_back(stage, turn);
    }

    /// Returns to the beginning of a stage, which is done again without its last result.
    pub(super) fn repeat(&mut self, stage: WritingStage) {
        for output in self.stage_outputs.known[stage.at()..].iter_mut().flatten() {
            output.continued = false;
        }
        self.go_back(stage, 1);
    }

    /// Replaces the text of a stale output, which is continued.
    pub(super) fn replace_output(&mut self, stage: WritingStage, file: String, sha256: String, characters: usize) {
        if let Some(output) = self.stage_outputs.known[stage.at()].as_mut() {
            (output.output_file, output.sha256, output.characters) = (file, sha256, characters);
        }
    }

    /// True if the session was finished and reopened by a wish, and no answer was accepted since.
    pub fn awaits_wish(&self) -> bool {
        let finished = self.output(self.route.last()).is_some_and(|output| output.stale && output.continued);
        finished && self.user_feedback.last().is_some_and(|said| said.timestamp == self.last_updated)
    }

    /// Returns to a turn of a stage, from 1. The earlier turns are kept; the output of the stage and those of later
    /// stages become stale.
    fn go_back(&mut self, stage: WritingStage, turn: usize) {
        if self.current_stage != Some(stage) {
            self.turns = self.output(stage).map(|output| output.turns.clone()).unwrap_or_default();
        }
        self.turns.truncate(turn - 1);
        self.completed_stages.truncate(self.route.before(stage));
        self.current_stage = Some(stage);
        for output in self.stage_outputs.known[stage.at()..].iter_mut().flatten() {
            output.stale = true;
        }
    }

    /// Returns to the last stage or turn up to which every file matches its hash. Returns the stages to repeat.
    pub(super) fn recover(&mut self, is_whole: impl Fn(&str, &str) -> bool) -> Vec<WritingStage> {
        let piece = |piece: &AcceptedAnswer| is_whole(&piece.file, &piece.sha256);
        let lost = self.completed_stages.iter().copied().find(|stage| {
            let output = self.output(*stage);
            !output
                .is_some_and(|output| is_whole(&output.output_file, &output.sha256) && output.turns.iter().all(piece))
        });
        if let Some(stage) = lost {
            let again = self.completed_stages[self.route.before(stage)..].to_vec();
            self.repeat(stage);
            return again;
        }
        if let Some(at) = self.turns.iter().position(|turn| !piece(turn)) {
            self.turns.truncate(at);
            return self.current_stage.into_iter().collect();
        }
        Vec::new()
    }

    /// Records the hashes of the files that the current question cites.
    pub(super) fn cite(&mut self, hashes: Vec<String>) {
        self.cited = hashes;
    }

    /// Returns the hashes of the files of the project, or of the material, that the current question cites.
    pub(super) fn cited(&self) -> &[String] {
        &self.cited
    }

    /// Returns the hashes of the answers of an author, and of the outputs that are made only of such answers.
    pub(super) fn written_by(&self, author: &str) -> impl Iterator<Item = &str> {
        let is_own = move |turn: &&AcceptedAnswer| turn.written_by == author;
        let outputs = self.stage_outputs.known.iter().flatten();
        let whole = outputs.clone().filter(move |output| output.turns.iter().all(|turn| is_own(&turn)));
        let turns = outputs.flat_map(|output| &output.turns).chain(&self.turns).filter(is_own);
        whole.map(|output| output.sha256.as_str()).chain(turns.map(|turn| turn.sha256.as_str()))
    }

    /// Returns the files that the session lists and that a step may need.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let outputs = self.completed_stages.iter().filter_map(|stage| self.output(*stage));
        let done = outputs.flat_map(|output| {
            let turns = output.turns.iter().map(|turn| turn.file.as_str());
            std::iter::once(output.output_file.as_str()).chain(turns)
        });
        let continued = self.stage_outputs.known.iter().flatten().filter(|output| output.continued);
        let continued = continued.map(|output| output.output_file.as_str());
        done.chain(self.turns.iter().map(|turn| turn.file.as_str())).chain(continued)
    }
}

/// The outputs by stage; entries with unknown names are kept.
#[derive(Clone, Debug, Default, PartialEq)]
struct StageOutputs {
    known: [Option<StageOutput>; ALL_STAGES],
    unknown: Vec<(String, YamlValue)>,
}

impl Serialize for StageOutputs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (stage, output) in WritingStage::all().zip(&self.known) {
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

impl<'de> Deserialize<'de> for StageOutputs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByStage;

        impl<'de> Visitor<'de> for ByStage {
            type Value = StageOutputs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("outputs by stage")
            }

            fn visit_unit<E>(self) -> Result<StageOutputs, E> {
                Ok(StageOutputs::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<StageOutputs, A::Error> {
                let mut outputs = StageOutputs::default();
                while let Some(key) = pairs.next_key::<String>()? {
                    match WritingStage::parse(&key) {
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
