//! Tests of writing an episode of the sample novel with scripted answers: all stages, interruptions, rejections,
//! repetitions.

mod desks;
mod kept;
mod plots;
mod refused;
#[path = "../shared/sample.rs"]
mod sample;
mod whole;

use std::{
    path::Path,
    sync::{Arc, LazyLock},
    time::Duration,
};

use fumi_base::{project::Project, text::Locale};
use fumi_novel::{
    manuscript::{Manuscript, Part, Reading},
    project::{Episode, Names, NovelProject},
    writing::{Answer, Ask, Gives, Holds, Material, Moment, Session, SessionId, Stage, Step, Texts, Workflow},
};

fn episode() -> Episode {
    Episode::new(1).expect("a number")
}

/// Returns the start time plus some seconds.
fn at(seconds: usize) -> Moment {
    let (minutes, seconds) = (30 + seconds / 60, seconds % 60);
    Moment::parse(&format!("2025-09-04T10:{minutes:02}:{seconds:02}Z")).expect("a time")
}

fn sample() -> NovelProject {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel");
    NovelProject::new(Project::open(&root).expect("a project"), Names::default())
}

fn material() -> Material {
    Material::gather(&sample(), episode()).expect("a plot")
}

fn new_session() -> Session {
    Session::new(SessionId::new(&at(0), 0x00c0_ffee), episode(), None, &at(0))
}

fn begun(material: &Material) -> Workflow<'_> {
    Workflow::new(new_session(), Texts::new(), material, Locale::Ja)
}

/// Returns the sample's manuscript, split after about a quarter and three quarters of its characters.
fn acts() -> [String; 3] {
    static ACTS: LazyLock<[String; 3]> = LazyLock::new(cut_acts);
    ACTS.clone()
}

fn cut_acts() -> [String; 3] {
    let text = sample().manuscript_text(episode()).expect("a manuscript").text;
    let whole = Manuscript::read(text.as_str(), Reading::default())
        .count(Part::Body)
        .characters;
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

/// Returns an acceptable answer.
fn good(ask: &Ask) -> String {
    match ask.gives {
        Gives::Keys(keys) => {
            let value = |holds| match holds {
                Holds::Characters(_) => "梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで".to_owned(),
                Holds::Items(_) => "[梶みちる, 穂刈一平, 穂刈徳次, 鯨井ふさ]".to_owned(),
                Holds::Replacements => "[{find: 海を止めに来た人ですか, replace: 海をとめに来た人ですか}]".to_owned(),
            };
            let lines = keys
                .iter()
                .map(|key| [key.name, ": ", &value(key.holds), "\n"].concat());
            lines.collect()
        }
        Gives::Part(..) | Gives::Rest => acts()[ask.submit.turn - 1].clone(),
        Gives::Whole => acts().concat(),
    }
}

fn answer(content: impl Into<String>) -> Answer {
    Answer {
        content: content.into(),
        elapsed: Duration::from_millis(1_500),
        ..Answer::default()
    }
}

fn asked(step: &Step) -> &Ask {
    match step {
        Step::Ask(ask) => ask,
        Step::Done(done) => panic!("it is done: {done:?}"),
    }
}

/// Returns the present question.
fn question(workflow: &mut Workflow) -> Ask {
    asked(&workflow.step(None, &at(0)).expect("a question").next).clone()
}

/// Gives acceptable answers until a turn of a stage is due.
fn until(workflow: &mut Workflow, stage: Stage, turn: usize) {
    for seconds in 1.. {
        let ask = question(workflow);
        if (ask.stage, ask.submit.turn) == (stage, turn) {
            return;
        }
        workflow.step(Some(answer(good(&ask))), &at(seconds)).expect("accepted");
    }
}

fn stage(number: usize) -> Stage {
    Stage::numbered(number).expect("a stage")
}

/// Creates an empty project.
fn disk() -> (tempfile::TempDir, Arc<Project>) {
    let root = tempfile::tempdir().expect("a folder");
    let project = Project::open(root.path()).expect("a project");
    (root, project)
}
