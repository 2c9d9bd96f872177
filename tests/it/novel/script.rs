//! Valid answers to every question of a writing session, made from the published manuscript of the first episode.
//!
//! The question's own words select the answer: its step names the stage and turn, its schema the keys. The same step
//! has the same answer for every author, a host or a model.

use std::sync::LazyLock;

use fumi_novel::writing::{KeyContents, StageRoute, TurnContents, WritingStage};

use super::{FIRST, shipped};

/// The title in the answer of the last stage.
pub(crate) const TITLE: &str = "こぶとえくぼ";

/// The cards of the three scenes.
const SCENES: &str = "[{place: 船, people: 梶みちる, aim: 島に着く, change: こぶを聞く, characters: 450}, \
                      {place: 検潮所, people: 穂刈徳次と鯨井ふさ, change: 記録を見る, characters: 900}, \
                      {place: 浜, people: 穂刈一平, change: こぶを見つける}]";

/// The manuscript in three acts, without its heading.
static ACTS: LazyLock<[String; 3]> = LazyLock::new(|| {
    let text = std::fs::read_to_string(shipped().join(FIRST)).unwrap();
    let lines: Vec<&str> = text.lines().skip(2).collect();
    let whole: usize = lines.iter().map(|line| line.chars().count()).sum();
    let mut acts = [const { String::new() }; 3];
    let mut written = 0;
    for line in lines {
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
});

/// Returns the manuscript at the end of the session: the published text with the one replacement of the last stage.
pub(crate) fn manuscript() -> String {
    ACTS.concat()
        .replacen("海を止めに来た人ですか", "海をとめに来た人ですか", 1)
}

/// Returns the manuscript at the end of a session with the short route: an empty line separates the scenes.
pub(crate) fn manuscript_by_scenes() -> String {
    let scenes: Vec<&str> = ACTS.iter().map(|act| act.trim_end()).collect();
    let text = scenes.join("\n\n") + "\n";
    text.replacen("海を止めに来た人ですか", "海をとめに来た人ですか", 1)
}

/// Returns the whole text for one answer.
pub(crate) fn whole() -> String {
    ACTS.concat()
}

/// Returns the answer to a step such as `design_humor_elements:2`.
pub(crate) fn answer(step: &str) -> String {
    let (stage, turn) = step.split_once(':').unwrap_or_else(|| panic!("no step: {step:?}"));
    let stage = WritingStage::parse(stage).unwrap();
    let turn: usize = turn.parse().unwrap();
    match stage.contents(turn) {
        TurnContents::Keys(keys) => {
            let value = |name: &str, holds| match holds {
                KeyContents::Characters(_) if name == "title" => TITLE,
                KeyContents::Characters(_) => "梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで。",
                KeyContents::Items(_) => "[梶みちる, 穂刈一平, 穂刈徳次, 鯨井ふさ]",
                KeyContents::Scenes => SCENES,
                KeyContents::Replacements => "[{find: 海を止めに来た人ですか, replace: 海をとめに来た人ですか}]",
            };
            let lines = keys
                .iter()
                .map(|key| format!("{}: {}\n", key.name, value(&key.name, key.holds)));
            lines.collect()
        }
        TurnContents::Part(..) | TurnContents::Rest | TurnContents::Scene => ACTS[turn - 1].clone(),
        TurnContents::Whole => whole(),
    }
}

/// Returns all steps of a session with a route, in order. The script plans three scenes.
pub(crate) fn steps_of(route: StageRoute) -> Vec<String> {
    let turns_of = |stage: WritingStage| if stage.is_by_scene() { 3 } else { stage.turns().len() };
    let turns = route
        .stages()
        .flat_map(|stage| (1..=turns_of(stage)).map(move |turn| format!("{stage}:{turn}")));
    turns.collect()
}

/// Returns all steps of the ten stages, in order.
pub(crate) fn steps() -> Vec<String> {
    steps_of(StageRoute::Whole)
}
