//! The state machine of writing: takes a session and possibly an answer, and returns the next question or the end, with
//! the files to write.
//!
//! Invariant: an answer is rejected before anything changes, and the session is the last file of every step, so that
//! after any prefix of the writes the session on disk lists only existing files. Nothing is read or written here.

use std::{cell::OnceCell, collections::BTreeMap, time::Duration};

use fumi_base::text::{BilingualText, Locale};

use super::{
    criteria::{self, AcceptedMisses, AnswerCriterion, MissedCriterion},
    material::{LengthRange, WritingMaterial},
    material_text::material_text,
    prompt::{self, PromptData, WrittenTexts},
    scenes::ScenePlan,
    session::{AcceptedAnswer, StageFeedback, StageOutput, WaivedCriterion, WritingSession, is_approval},
    stages::{Citations, KeyContents, TIMEOUT, TurnContents, WritingStage},
    store::path_of,
    utc_time::UtcTime,
};
use crate::{errors::writing::WritingError, manuscript::CharacterCounts, project::YamlValue, references::ContentHash};

/// The largest answer, in bytes; equal to the limit for writing a file.
pub const CONTENT_BYTES: usize = 4 << 20;

/// The largest feedback on a stage, in bytes.
const FEEDBACK_BYTES: usize = 8 << 10;

/// The longest reason of a waiver, in characters.
const REASON: usize = 500;

/// The texts of a session by the path of their file.
pub type SessionTexts = BTreeMap<String, String>;

/// A session in progress with its texts and material.
#[derive(Clone, Debug)]
pub struct Workflow<'a> {
    session: WritingSession,
    texts: SessionTexts,
    material: &'a WritingMaterial,
    /// The material as a file of the session, made by the first question that cites it.
    material_file: OnceCell<FileWrite>,
    locale: Locale,
}

/// An answer to a question.
#[derive(Clone, Debug, Default)]
pub struct TurnAnswer {
    /// The stage that the answer is for, if given; a stage other than the current one is rejected.
    pub stage: Option<WritingStage>,
    /// The turn that the answer is for, from 1, if given.
    pub turn: Option<usize>,
    pub content: String,
    /// The time taken to write the answer.
    pub elapsed: Duration,
    /// The origin of the answer, if known: `host`, `llm_sampling` or `llm_provider`.
    pub written_by: &'static str,
    /// The criteria that the answer need not meet.
    pub waive: Vec<WaivedCriterion>,
}

/// The continuation after a step.
#[derive(Clone, Debug)]
pub enum NextStep {
    /// A text is needed.
    Ask(Box<TurnQuestion>),
    /// All stages are completed.
    Done(FinishedText),
}

/// The result of a step.
#[derive(Clone, Debug)]
pub struct WorkflowStep {
    pub next: NextStep,
    /// The files to write, in this order.
    pub writes: Vec<FileWrite>,
    /// The criteria that the accepted answer misses slightly.
    pub warnings: Vec<MissedCriterion>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// The path relative to the project root.
    pub path: String,
    /// The complete text of the file.
    pub text: String,
}

/// A file to read for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CitedFile {
    /// The path relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// A description of the file.
    pub what: BilingualText,
}

/// A question that needs a text as answer.
#[derive(Clone, Debug)]
pub struct TurnQuestion {
    pub stage: WritingStage,
    /// The prompt for the answer.
    pub instruction: String,
    /// The files to read.
    pub context: Vec<CitedFile>,
    /// The material that `context` cites, as the file of the session to write unless it exists.
    pub(super) material: Option<FileWrite>,
    pub criteria: Vec<AnswerCriterion>,
    /// The form of the answer: keys or text.
    pub gives: &'static TurnContents,
    /// The values to send with the answer.
    pub submit: AnswerTarget,
    /// The timeout of the stage.
    pub timeout: Duration,
    /// Stages whose output is outdated.
    pub stale: Vec<WritingStage>,
}

/// The values that identify the question when an answer is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerTarget {
    pub session_id: String,
    pub episode: u32,
    pub stage: WritingStage,
    /// The turn within the stage, from 1.
    pub turn: usize,
    /// The number of turns of the stage.
    pub turns: usize,
}

/// A finished episode.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedText {
    pub manuscript: CitedFile,
    /// The title given in the last answer.
    pub title: String,
    /// The other titles that the last answer proposes.
    pub other_titles: Vec<String>,
    /// A summary of the events.
    pub summary: String,
    /// The number of visible characters.
    pub characters: usize,
}

/// An accepted answer with its results.
struct AcceptedOutput {
    /// The stage's output so far: YAML of all its turns, or the manuscript.
    whole: String,
    /// The number of visible characters in it; for YAML, without the keys.
    characters: usize,
    /// The number of planned scenes, if the answer plans them.
    scenes: Option<usize>,
    misses: AcceptedMisses,
}

impl AcceptedOutput {
    fn text(whole: String, misses: AcceptedMisses) -> Self {
        Self { characters: criteria::characters(&whole), whole, scenes: None, misses }
    }
}

impl<'a> Workflow<'a> {
    /// Continues a session with the texts that it lists.
    pub fn new(session: WritingSession, texts: SessionTexts, material: &'a WritingMaterial, locale: Locale) -> Self {
        Self { session, texts, material, material_file: OnceCell::new(), locale }
    }

    pub fn session(&self) -> &WritingSession {
        &self.session
    }

    /// Records the hash of the manuscript that the session placed.
    pub(super) fn placed(&mut self, sha256: &str) {
        self.session.record_manuscript(Some(sha256));
    }

    /// Returns the session's file, which lists what the current question cites.
    pub fn write(&mut self) -> FileWrite {
        let sources = self.session.current().map(|stage| self.sources(stage)).unwrap_or_default();
        self.session.cite(sources.into_iter().map(|file| file.sha256).collect());
        FileWrite { path: path_of(self.session.id()), text: self.session.to_yaml() }
    }

    /// Takes an answer, if there is one, and returns the next step. A rejected answer changes nothing.
    pub fn step(&mut self, answer: Option<TurnAnswer>, now: &UtcTime) -> Result<WorkflowStep, WritingError> {
        let (writes, warnings) = match answer {
            Some(answer) => self.accept(answer, now)?,
            None => (Vec::new(), Vec::new()),
        };
        Ok(WorkflowStep { next: self.next(), writes, warnings })
    }

    /// Records feedback on a stage. Unless it is an approval, the stage and those after it are repeated; a stage of
    /// scenes from the given turn, if it was reached.
    pub fn feedback(
        &mut self,
        stage: WritingStage,
        turn: Option<usize>,
        said: &str,
        now: &UtcTime,
    ) -> Result<WorkflowStep, WritingError> {
        self.require_reached(stage)?;
        let written = match self.session.current() {
            Some(current) if current == stage => self.session.turns().len(),
            _ => self.session.turns_of(stage),
        };
        let turn = turn.filter(|_| stage.is_by_scene());
        if let Some(asked) = turn.filter(|turn| !(1..=written.max(1)).contains(turn)) {
            return Err(WritingError::SceneNotWritten { stage, asked, written: written.max(1) });
        }
        let said = said.trim();
        if said.len() > FEEDBACK_BYTES {
            return Err(WritingError::ContentTooLarge {
                what: BilingualText::new("The feedback", "要望"),
                size: said.len(),
                limit: FEEDBACK_BYTES,
            });
        }
        let feedback = StageFeedback { stage, turn, feedback: said.to_owned(), timestamp: now.clone() };
        if !self.session.add_feedback(feedback) {
            return Err(WritingError::FeedbackFull { id: self.session.id().to_string() });
        }
        if !is_approval(said) {
            self.session.reopen(stage, turn.unwrap_or(1));
        }
        Ok(WorkflowStep { next: self.next(), writes: vec![self.write()], warnings: Vec::new() })
    }

    /// Takes a manuscript that was edited since the session finished it as the text from which a reopened stage starts.
    /// `sha256` is the hash of the file. Returns the next step; `None` if the stage does not start from that text.
    pub(super) fn take_manuscript(&mut self, manuscript: &str, sha256: &str) -> Option<WorkflowStep> {
        let (stage, last) = (self.session.current()?, self.session.route().last());
        let text = without_heading(manuscript);
        let is_text = stage.reads().any(WritingStage::gives_text) && !text.trim().is_empty();
        if !is_text || !self.session.output(last).is_some_and(|output| output.continued) {
            return None;
        }
        let mut writes = Vec::new();
        let text = format!("{}\n", text.trim_end());
        let characters = criteria::characters(&text);
        let hash = self.store_text(&format!("stage_{:02}", last.number()), "md", text, &mut writes);
        self.session.replace_output(last, writes[0].path.clone(), hash, characters);
        self.session.record_manuscript(Some(sha256));
        writes.push(self.write());
        Some(WorkflowStep { next: self.next(), writes, warnings: Vec::new() })
    }

    /// Returns to the beginning of a completed stage or of the current one.
    pub fn repeat(&mut self, stage: WritingStage) -> Result<WorkflowStep, WritingError> {
        self.require_reached(stage)?;
        self.session.repeat(stage);
        Ok(WorkflowStep { next: self.next(), writes: vec![self.write()], warnings: Vec::new() })
    }

    /// Returns an error unless the stage is completed or current.
    fn require_reached(&self, stage: WritingStage) -> Result<(), WritingError> {
        let mut own = self.session.route().stages();
        if !own.clone().any(|one| one == stage) {
            return Err(WritingError::StageOffRoute {
                stage,
                id: self.session.id().to_string(),
                route: self.session.route(),
            });
        }
        match self.session.current() {
            Some(current) if stage > current => Err(WritingError::StageTooEarly {
                stage,
                missing: own.by_ref().filter(|other| (current..stage).contains(other)).collect(),
            }),
            _ => Ok(()),
        }
    }

    /// Takes an answer. Returns the files to write and the criteria that it misses slightly.
    fn accept(
        &mut self,
        answer: TurnAnswer,
        now: &UtcTime,
    ) -> Result<(Vec<FileWrite>, Vec<MissedCriterion>), WritingError> {
        let answer = TurnAnswer { content: criteria::without_fence(&answer.content).to_owned(), ..answer };
        if let Some(stage) = answer.stage {
            self.require_reached(stage)?;
        }
        let Some(stage) = self.session.current() else {
            return Err(WritingError::WritingFinished { id: self.session.id().to_string() });
        };
        let turn = self.session.turns().len() + 1;
        if let Some(past) = answer.stage.filter(|asked| *asked < stage) {
            return Err(WritingError::StageDone { stage: past, current: stage });
        }
        if let Some(asked) = answer.turn.filter(|asked| *asked != turn) {
            return Err(WritingError::WrongTurn { stage, asked, turn });
        }
        if answer.content.len() > CONTENT_BYTES {
            return Err(WritingError::ContentTooLarge {
                what: BilingualText::new("The content", "内容"),
                size: answer.content.len(),
                limit: CONTENT_BYTES,
            });
        }
        self.reject_duplicate(&answer)?;
        let criteria = self.criteria(stage, turn);
        reject_waivers(&criteria, &answer.waive)?;
        let mut answer = answer;
        answer.waive.extend(self.standing_waivers(stage));
        let mut judged = self.judge(stage, turn, criteria, &answer).map_err(|misses| WritingError::CriteriaMissed {
            stage,
            turn,
            misses,
        })?;
        let AcceptedMisses { minor, waived } = std::mem::take(&mut judged.misses);
        let mut writes = Vec::new();
        let is_text = !matches!(stage.contents(turn), TurnContents::Keys(_));
        // White space around an answer is removed, because models and clients differ in it; the leading space of a text
        // may be an indent and is kept.
        let content = if is_text { answer.content.trim_end() } else { answer.content.trim() };
        let sha256 = self.store_text(
            &format!("stage_{:02}_turn_{turn}", stage.number()),
            if is_text { "md" } else { "yaml" },
            format!("{content}\n"),
            &mut writes,
        );
        let piece = AcceptedAnswer {
            file: writes[0].path.clone(),
            sha256,
            execution_time: seconds(answer.elapsed),
            written_by: answer.written_by.to_owned(),
            waived,
        };
        self.session.push(piece, now);
        if let Some(count) = judged.scenes {
            self.session.plan_scenes(count);
        }
        if turn == self.session.turns_of(stage) {
            self.complete(stage, judged, now, &mut writes);
        }
        writes.push(self.write());
        Ok((writes, minor))
    }

    /// Returns the waivers of earlier answers that still hold at a stage. A waiver of a missing character holds at every stage,
    /// a waiver of the length at stages that revise or rewrite the whole text.
    fn standing_waivers(&self, stage: WritingStage) -> Vec<WaivedCriterion> {
        let is_revised =
            stage.revises().is_some() || stage.turns().iter().any(|gives| matches!(gives, TurnContents::Whole));
        let holds = |waived: &&WaivedCriterion| match &*waived.criterion {
            "characters" => true,
            "length" => is_revised,
            _ => false,
        };
        self.session.waived().filter(holds).cloned().collect()
    }

    /// Rejects an answer without a turn number, or a scene, that was already taken for an earlier turn: it was sent again
    /// because the reply was lost, and would be in the text twice.
    fn reject_duplicate(&self, answer: &TurnAnswer) -> Result<(), WritingError> {
        let is_scene = self.session.current().is_some_and(WritingStage::is_by_scene);
        if answer.turn.is_some() && !is_scene {
            return Ok(());
        }
        let sent = answer.content.trim();
        let before = self.session.completed().last().and_then(|stage| Some((*stage, self.session.output(*stage)?)));
        let earlier = before.iter().flat_map(|(stage, output)| output.turns.iter().map(move |turn| (*stage, turn)));
        let own = self
            .session
            .current()
            .into_iter()
            .flat_map(|stage| self.session.turns().iter().map(move |turn| (stage, turn)));
        let is_same = |piece: &AcceptedAnswer| self.texts.get(&piece.file).is_some_and(|text| text.trim() == sent);
        match earlier.chain(own).find(|(_, piece)| is_same(piece)) {
            Some((stage, _)) => Err(WritingError::AnswerTakenAlready { stage }),
            None => Ok(()),
        }
    }

    /// Completes a stage with the combined output of its turns.
    fn complete(&mut self, stage: WritingStage, judged: AcceptedOutput, now: &UtcTime, writes: &mut Vec<FileWrite>) {
        let is_text = stage.gives_text();
        let execution_time = self.session.turns().iter().map(|turn| turn.execution_time).sum();
        let sha256 = self.store_text(
            &format!("stage_{:02}", stage.number()),
            if is_text { "md" } else { "yaml" },
            judged.whole,
            writes,
        );
        let output = StageOutput {
            output_file: writes.last().map(|write| write.path.clone()).unwrap_or_default(),
            sha256,
            characters: judged.characters,
            execution_time,
            quality_score: None,
            method: super::session::not_evaluated(),
            stale: false,
            continued: false,
            turns: Vec::new(),
            unknown: crate::project::UnknownKeys::default(),
        };
        self.session.complete(stage, output, now);
    }

    /// Stores a file of the session, named by its hash, so that it never replaces a file that an earlier state lists.
    fn store_text(&mut self, stem: &str, extension: &str, text: String, writes: &mut Vec<FileWrite>) -> String {
        let sha256 = ContentHash::from_bytes(text.as_bytes()).digits().to_owned();
        let path = self.own_path(stem, extension, &sha256);
        self.texts.insert(path.clone(), text.clone());
        writes.push(FileWrite { path, text });
        sha256
    }

    /// Judges an answer by the criteria of its turn. Returns the stage's output so far, or what must be corrected.
    fn judge(
        &self,
        stage: WritingStage,
        turn: usize,
        mut criteria: Vec<AnswerCriterion>,
        answer: &TurnAnswer,
    ) -> Result<AcceptedOutput, Vec<MissedCriterion>> {
        let content = &*answer.content;
        let keys = match stage.contents(turn) {
            TurnContents::Keys(keys) => keys,
            TurnContents::Part(..) | TurnContents::Rest | TurnContents::Scene => {
                let so_far = self.so_far();
                let whole = Self::with_turn(stage, &so_far, content);
                let before = criteria::characters(&so_far);
                let misses = criteria::judge_text(&criteria, content, &whole, before);
                return Ok(AcceptedOutput::text(whole, criteria::accept(misses, &answer.waive)?));
            }
            TurnContents::Whole => {
                let whole = joined("", "\n", content);
                let misses = criteria::judge_text(&criteria, content, &whole, 0);
                return Ok(AcceptedOutput::text(whole, criteria::accept(misses, &answer.waive)?));
            }
        };
        let given = criteria::read_keys(content)?;
        // A later turn may correct a key of an earlier one, which must meet that key's own criterion.
        let earlier = stage.turns()[..turn - 1].iter().flat_map(|gives| match gives {
            TurnContents::Keys(keys) => keys.as_slice(),
            _ => &[],
        });
        let corrected = earlier.filter(|key| given.iter().any(|(name, _)| name.as_str() == Some(&key.name)));
        criteria.extend(corrected.map(AnswerCriterion::Key));
        let mut pairs = self.pairs_so_far();
        merge(&mut pairs, given);
        let whole = YamlValue::Map(pairs);
        let Some(revised) = stage.revises() else {
            let plans_scenes = keys.iter().any(|key| key.holds == KeyContents::Scenes);
            let plan = plans_scenes.then(|| ScenePlan::from_answer(&whole));
            let mut misses = criteria::judge_keys(&criteria, &whole);
            misses.extend(plan.as_ref().and_then(|plan| plan.length_miss(self.length())));
            let misses = criteria::accept(misses, &answer.waive)?;
            let scenes = plan.map(|plan| plan.count());
            return Ok(AcceptedOutput {
                characters: CharacterCounts::count(&whole.words()).characters,
                whole: serde_saphyr::to_string(&whole).expect("parsed YAML can be written"),
                scenes,
                misses,
            });
        };
        // Names are searched in the manuscript after the replacements, not in the answer.
        let (of_text, of_keys): (Vec<AnswerCriterion>, Vec<AnswerCriterion>) =
            criteria.into_iter().partition(|criterion| {
                matches!(criterion, AnswerCriterion::Characters(_) | AnswerCriterion::WholeLength { .. })
            });
        let mut misses = criteria::judge_keys(&of_keys, &whole);
        let list = whole.get("replacements").unwrap_or(&YamlValue::Null);
        match criteria::replaced(self.latest_text(revised), list) {
            Ok(text) => {
                misses.extend(criteria::judge_text(&of_text, "", &text, 0));
                Ok(AcceptedOutput::text(text, criteria::accept(misses, &answer.waive)?))
            }
            Err(more) => {
                misses.extend(more);
                Err(misses)
            }
        }
    }

    fn criteria(&self, stage: WritingStage, turn: usize) -> Vec<AnswerCriterion> {
        let length = self.length();
        let (min, max) = (length.min as usize, length.max as usize);
        let mut criteria = match stage.contents(turn) {
            TurnContents::Keys(keys) => {
                let keys_of = keys.iter().map(AnswerCriterion::Key);
                let mut criteria: Vec<AnswerCriterion> =
                    std::iter::once(AnswerCriterion::Form).chain(keys_of).collect();
                if keys.iter().any(|key| key.holds == KeyContents::Replacements) {
                    criteria.push(AnswerCriterion::WholeLength { from: min, to: max });
                }
                criteria
            }
            &TurnContents::Part(from, to) => {
                vec![AnswerCriterion::Length { from: (min * from as usize).div_ceil(100), to: max * to as usize / 100 }]
            }
            TurnContents::Rest => {
                let before = criteria::characters(&self.so_far());
                let from = min.saturating_sub(before).max(1);
                // If the plot's target shrank since the first turn, room for an ending remains.
                let to = max.saturating_sub(before).max(from + min / 10);
                vec![AnswerCriterion::Length { from, to }]
            }
            TurnContents::Scene => {
                let (from, to) = self.scene_length(turn);
                vec![AnswerCriterion::Length { from, to }]
            }
            TurnContents::Whole => vec![AnswerCriterion::Length { from: min, to: max }],
        };
        if self.session.names_everyone_at(stage, turn) && !self.material.cast.is_empty() {
            criteria.push(AnswerCriterion::Characters(self.material.cast.clone()));
        }
        criteria.push(AnswerCriterion::Remnants);
        criteria
    }

    /// Returns the next step of the session.
    fn next(&self) -> NextStep {
        let Some(stage) = self.session.current() else {
            return NextStep::Done(self.done());
        };
        let turn = self.session.turns().len() + 1;
        let material = (stage.cites() == Citations::Material).then(|| self.material_file().clone());
        NextStep::Ask(Box::new(TurnQuestion {
            stage,
            instruction: prompt::render(&PromptData {
                session: &self.session,
                stage,
                turn,
                material: self.material,
                locale: self.locale,
                texts: &self.written(stage, turn),
            }),
            context: self.context(stage),
            material,
            criteria: self.criteria(stage, turn),
            gives: stage.contents(turn),
            submit: AnswerTarget {
                session_id: self.session.id().to_string(),
                episode: self.session.episode().number(),
                stage,
                turn,
                turns: self.session.turns_of(stage),
            },
            timeout: TIMEOUT,
            stale: self.session.stale().collect(),
        }))
    }

    /// Returns the material as a file of the session.
    fn material_file(&self) -> &FileWrite {
        self.material_file.get_or_init(|| {
            let text = material_text(self.material, self.locale);
            let sha256 = ContentHash::from_bytes(text.as_bytes());
            let path = self.own_path("material", "md", sha256.digits());
            FileWrite { path, text }
        })
    }

    /// Returns the path of a file of the session, which contains the hash of its contents.
    fn own_path(&self, stem: &str, extension: &str, sha256: &str) -> String {
        format!(".noveler/writes/{}/{stem}-{}.{extension}", self.session.id(), &sha256[..12])
    }

    /// Returns the files to read for a stage: the material, the outputs of earlier stages, and the stage's own turns.
    fn context(&self, stage: WritingStage) -> Vec<CitedFile> {
        let of_stage = |read: WritingStage, own: BilingualText| {
            let (from, output) = self.latest(read)?;
            let revised = || {
                BilingualText::new(
                    "the manuscript with the replacements accepted so far",
                    "これまでの置き換えを反映した原稿",
                )
            };
            Some(CitedFile {
                path: output.output_file.clone(),
                sha256: output.sha256.clone(),
                what: if from == read { own } else { revised() },
            })
        };
        let outputs: Vec<CitedFile> = stage.reads().filter_map(|read| of_stage(read, read.title().clone())).collect();
        let turns = (1..).zip(self.session.turns()).map(|(turn, piece)| CitedFile {
            path: piece.file.clone(),
            sha256: piece.sha256.clone(),
            what: BilingualText::new(format!("turn {turn} of this stage"), format!("この段階の {turn} 回目")),
        });
        let is_repeated = self.session.output(stage).is_some_and(|output| output.stale);
        let previous = is_repeated
            .then(|| of_stage(stage, BilingualText::new("the previous result of this stage", "この段階の前回の結果")));
        let previous = previous.flatten().filter(|file| outputs.iter().all(|known| known.sha256 != file.sha256));
        self.sources(stage).into_iter().chain(outputs.iter().cloned()).chain(previous).chain(turns).collect()
    }

    /// Returns the files of the project that a stage cites, or the material.
    fn sources(&self, stage: WritingStage) -> Vec<CitedFile> {
        match stage.cites() {
            Citations::Project => self.material.references.clone(),
            Citations::Material => {
                let FileWrite { path, text } = self.material_file();
                let material = CitedFile {
                    path: path.clone(),
                    sha256: ContentHash::from_bytes(text.as_bytes()).digits().to_owned(),
                    what: BilingualText::new(
                        "the material: plot, style, characters, settings, record",
                        "資料（プロット・文体・人物・設定・記録）",
                    ),
                };
                let unrecorded = self.material.unrecorded.iter().filter(|_| stage == WritingStage::SCENE_PLAN);
                std::iter::once(material).chain(unrecorded.cloned()).collect()
            }
            Citations::Nothing => Vec::new(),
        }
    }

    /// Returns the shortest and the longest length of a scene.
    fn scene_length(&self, scene: usize) -> (usize, usize) {
        self.scene_plan().length(scene, criteria::characters(&self.so_far()), self.length())
    }

    fn scene_plan(&self) -> ScenePlan {
        ScenePlan::read(self.output_text(WritingStage::SCENE_PLAN))
    }

    /// Returns the texts of the session that the prompt of a turn contains.
    fn written(&self, stage: WritingStage, turn: usize) -> WrittenTexts {
        let mut written = WrittenTexts::default();
        if stage.is_by_scene() {
            written.scene_card = self.scene_plan().card(turn);
            written.scene_length = self.scene_length(turn);
            written.so_far = self.so_far();
        }
        let drafts = stage.reads().chain(stage.revises()).filter(|read| read.gives_text());
        written.draft = drafts.last().map(|read| self.latest_text(read).to_owned()).unwrap_or_default();
        written.is_continued = stage.takes_replacements()
            && stage.revises().and_then(|read| Some(self.latest(read)?.0 != read)).unwrap_or_default();
        written
    }

    fn length(&self) -> LengthRange {
        LengthRange::resolve(self.session.word_count_target(), &self.material.plot, &self.material.settings)
    }

    /// Appends an answer to the text of earlier turns; an empty line separates scenes.
    fn with_turn(stage: WritingStage, before: &str, after: &str) -> String {
        joined(before, if stage.is_by_scene() { "\n\n" } else { "\n" }, after)
    }

    fn done(&self) -> FinishedText {
        let output = self.session.output(self.session.route().last());
        let said = output.and_then(|output| self.texts.get(&output.turns.first()?.file));
        let said = YamlValue::Map(said.and_then(|said| criteria::read_keys(said).ok()).unwrap_or_default());
        let of = |key| said.get(key).and_then(YamlValue::as_str).unwrap_or_default().trim().to_owned();
        FinishedText {
            manuscript: CitedFile {
                path: output.map(|output| output.output_file.clone()).unwrap_or_default(),
                sha256: output.map(|output| output.sha256.clone()).unwrap_or_default(),
                what: BilingualText::new("the finished manuscript", "完成した原稿"),
            },
            other_titles: other_titles(&said),
            title: of("title"),
            summary: of("summary"),
            characters: output.map_or(0, |output| output.characters),
        }
    }

    fn output_text(&self, stage: WritingStage) -> &str {
        let output = self.session.output(stage);
        let text = output.and_then(|output| self.texts.get(&output.output_file));
        text.map_or("", String::as_str)
    }

    /// Returns the output of a stage, or the text that later stages made of it by replacements, if an author's wish
    /// continues that text; and the stage whose output it is.
    fn latest(&self, stage: WritingStage) -> Option<(WritingStage, &StageOutput)> {
        let mut latest = (stage, self.session.output(stage)?);
        let mut revised = stage;
        for later in self.session.route().stages() {
            if later.revises() != Some(revised) {
                continue;
            }
            let Some(output) = self.session.output(later).filter(|output| output.continued) else { break };
            revised = later;
            let text = self.texts.get(&output.output_file);
            // The file of a stale output may be damaged.
            if text.is_some_and(|text| ContentHash::from_bytes(text.as_bytes()).digits() == output.sha256) {
                latest = (later, output);
            }
        }
        Some(latest)
    }

    fn latest_text(&self, stage: WritingStage) -> &str {
        let text = self.latest(stage).and_then(|(_, output)| self.texts.get(&output.output_file));
        text.map_or("", String::as_str)
    }

    /// Returns a text that the session lists.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    fn turn_texts(&self) -> impl Iterator<Item = &str> {
        let turns = self.session.turns().iter();
        turns.filter_map(|turn| self.texts.get(&turn.file).map(String::as_str))
    }

    /// Returns the manuscript text of the current stage's turns.
    fn so_far(&self) -> String {
        let Some(stage) = self.session.current() else { return String::new() };
        self.turn_texts().fold(String::new(), |all, part| Self::with_turn(stage, &all, part))
    }

    /// Returns the combined keys of the current stage's turns.
    fn pairs_so_far(&self) -> Vec<(YamlValue, YamlValue)> {
        let mut all = Vec::new();
        for given in self.turn_texts().filter_map(|text| criteria::read_keys(text).ok()) {
            merge(&mut all, given);
        }
        all
    }
}

/// Adds keys; an existing key is replaced in its position.
fn merge(pairs: &mut Vec<(YamlValue, YamlValue)>, given: Vec<(YamlValue, YamlValue)>) {
    for (key, value) in given {
        match pairs.iter_mut().find(|(name, _)| *name == key) {
            Some((_, before)) => *before = value,
            None => pairs.push((key, value)),
        }
    }
}

/// Returns an error for a waiver of a criterion that the turn does not have or that cannot be waived, and for one without
/// a reason.
fn reject_waivers(criteria: &[AnswerCriterion], waive: &[WaivedCriterion]) -> Result<(), WritingError> {
    let has_reason =
        |waived: &&WaivedCriterion| !waived.reason.trim().is_empty() && waived.reason.chars().count() <= REASON;
    if let Some(waived) = waive.iter().find(|waived| !has_reason(waived)) {
        let criterion = waived.criterion.chars().take(80).collect();
        return Err(WritingError::WaiverReason { criterion, limit: REASON });
    }
    let known = || criteria.iter().filter(|criterion| criterion.can_be_waived()).map(AnswerCriterion::name);
    match waive.iter().find(|waived| !known().any(|name| name == waived.criterion)) {
        Some(waived) => Err(WritingError::UnknownWaiver { asked: waived.criterion.clone(), known: known().collect() }),
        None => Ok(()),
    }
}

/// Returns the proposed titles beside the chosen one.
fn other_titles(said: &YamlValue) -> Vec<String> {
    let chosen = said.get("title").and_then(YamlValue::as_str).unwrap_or_default().trim();
    let titles = match said.get("titles") {
        Some(YamlValue::List(items)) => items.as_slice(),
        _ => &[],
    };
    let titles = titles.iter().map(|title| title.words().replace('\n', " ").trim().to_owned());
    titles.filter(|title| !title.is_empty() && title != chosen).collect()
}

/// Returns a manuscript without the heading at its beginning.
fn without_heading(manuscript: &str) -> &str {
    let manuscript = manuscript.trim_start_matches('\u{feff}');
    let body = match manuscript.split_once('\n') {
        Some((heading, body)) if heading.starts_with("# ") => body,
        _ => manuscript,
    };
    body.trim_start_matches(['\r', '\n'])
}

/// Appends a continuation after a separator; the result ends with a line feed.
fn joined(before: &str, separator: &str, after: &str) -> String {
    let after = after.trim_end();
    if before.is_empty() {
        return format!("{after}\n");
    }
    format!("{}{separator}{after}\n", before.trim_end_matches(['\n', '\r']))
}

/// Converts a duration to seconds, to the millisecond.
fn seconds(elapsed: Duration) -> f64 {
    f64::from(u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX)) / 1_000.0
}
