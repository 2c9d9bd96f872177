//! Tests of writing an episode of the sample novel with scripted answers: all stages, interruptions, rejections,
//! repetitions.

mod desks;
mod kept;
mod plots;
mod refused;
mod short;
mod whole;

use std::{
    path::Path,
    sync::{Arc, LazyLock},
    time::Duration,
};

use crate::sample;
use fumi_base::{project::Project, text::Locale};
use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    project::{EpisodeId, NovelProject, ProjectNames},
    writing::{
        KeyContents, NextStep, SessionTexts, StageRoute, TurnAnswer, TurnContents, TurnQuestion, UtcTime, Workflow,
        WritingMaterial, WritingSession, WritingSessionId, WritingStage,
    },
};

fn episode() -> EpisodeId {
    EpisodeId::new(1).expect("a number")
}

/// Returns the start time plus some seconds.
fn at(seconds: usize) -> UtcTime {
    let (minutes, seconds) = (30 + seconds / 60, seconds % 60);
    UtcTime::parse(&format!("2025-09-04T10:{minutes:02}:{seconds:02}Z")).expect("a time")
}

fn sample() -> NovelProject {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel");
    NovelProject::new(Project::open(&root).expect("a project"), ProjectNames::default())
}

fn material() -> WritingMaterial {
    WritingMaterial::gather(&sample(), episode()).expect("a plot")
}

fn new_session() -> WritingSession {
    WritingSession::new(StageRoute::Whole, WritingSessionId::new(&at(0), 0x00c0_ffee), episode(), None, &at(0))
}

fn begun(material: &WritingMaterial) -> Workflow<'_> {
    Workflow::new(new_session(), SessionTexts::new(), material, Locale::Ja)
}

/// Returns the sample's manuscript, split after about a quarter and three quarters of its characters.
fn acts() -> [String; 3] {
    static ACTS: LazyLock<[String; 3]> = LazyLock::new(cut_acts);
    ACTS.clone()
}

fn cut_acts() -> [String; 3] {
    let text = sample().manuscript_text(episode()).expect("a manuscript").text;
    let whole = Manuscript::read(text.as_str(), ManuscriptOptions::default()).count(ManuscriptPart::Body).characters;
    let mut acts = [String::new(), String::new(), String::new()];
    let mut written = 0;
    for line in text.lines().skip(2) {
        let act = match written * 100 / whole {
            0..25 => 0,
            25..75 => 1,
            _ => 2,
        };
        written += line.chars().count();
        acts[act].push_str(line);
        acts[act].push('\n');
    }
    acts
}

/// The cards of three scenes, one for each act.
const SCENES: &str = "[{place: 船, people: 梶みちる, characters: 450}, {place: 検潮所, people: 穂刈徳次と鯨井ふさ, \
                      characters: 900}, {place: 浜, people: 穂刈一平}]";

/// Returns an acceptable answer.
pub(crate) fn good(ask: &TurnQuestion) -> String {
    match ask.gives {
        TurnContents::Keys(keys) => {
            let value = |holds| match holds {
                KeyContents::Characters(_) => "梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで".to_owned(),
                KeyContents::Items(_) => "[梶みちる, 穂刈一平, 穂刈徳次, 鯨井ふさ]".to_owned(),
                KeyContents::Scenes => SCENES.to_owned(),
                KeyContents::Replacements => {
                    "[{find: 海を止めに来た人ですか, replace: 海をとめに来た人ですか}]".to_owned()
                }
            };
            let lines = keys.iter().map(|key| [&key.name, ": ", &value(key.holds), "\n"].concat());
            lines.collect()
        }
        TurnContents::Part(..) | TurnContents::Rest | TurnContents::Scene => acts()[ask.submit.turn - 1].clone(),
        TurnContents::Whole => acts().concat(),
    }
}

pub(crate) fn answer(content: impl Into<String>) -> TurnAnswer {
    TurnAnswer { content: content.into(), elapsed: Duration::from_millis(1_500), ..TurnAnswer::default() }
}

fn asked(step: &NextStep) -> &TurnQuestion {
    match step {
        NextStep::Ask(ask) => ask,
        NextStep::Done(done) => panic!("it is done: {done:?}"),
    }
}

/// Returns the present question.
fn question(workflow: &mut Workflow) -> TurnQuestion {
    asked(&workflow.step(None, &at(0)).expect("a question").next).clone()
}

/// Gives acceptable answers until a turn of a stage is due.
fn until(workflow: &mut Workflow, stage: WritingStage, turn: usize) {
    for seconds in 1.. {
        let ask = question(workflow);
        if (ask.stage, ask.submit.turn) == (stage, turn) {
            return;
        }
        workflow.step(Some(answer(good(&ask))), &at(seconds)).expect("accepted");
    }
}

fn stage(number: usize) -> WritingStage {
    WritingStage::from_number(number).expect("a stage")
}

/// Creates an empty project.
fn disk() -> (tempfile::TempDir, Arc<Project>) {
    let root = tempfile::tempdir().expect("a folder");
    let project = Project::open(root.path()).expect("a project");
    (root, project)
}
