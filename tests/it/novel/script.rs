//! Valid answers to every question of a writing session, made from the published manuscript of the first episode.
//!
//! The question's own words select the answer: its step names the stage and turn, its schema the keys. The same step
//! has the same answer for every author, a host or a model.

use std::sync::LazyLock;

use fumi_novel::writing::{KeyContents, TurnContents, WritingStage};

use super::{FIRST, shipped};

/// The title in the answer of the last stage.
pub(crate) const TITLE: &str = "こぶとえくぼ";

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

/// Returns the whole text for one answer.
pub(crate) fn whole() -> String {
    ACTS.concat()
}

/// Returns the answer to a step such as `design_humor_elements:2`.
pub(crate) fn answer(step: &str) -> String {
    let (stage, turn) = step.split_once(':').unwrap_or_else(|| panic!("no step: {step:?}"));
    let stage = WritingStage::parse(stage).unwrap();
    let turn: usize = turn.parse().unwrap();
    match &stage.turns()[turn - 1] {
        TurnContents::Keys(keys) => {
            let value = |name: &str, holds| match holds {
                KeyContents::Characters(_) if name == "title" => TITLE,
                KeyContents::Characters(_) => "梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで。",
                KeyContents::Items(_) => "[梶みちる, 穂刈一平, 穂刈徳次, 鯨井ふさ]",
                KeyContents::Replacements => "[{find: 海を止めに来た人ですか, replace: 海をとめに来た人ですか}]",
            };
            let lines = keys
                .iter()
                .map(|key| format!("{}: {}\n", key.name, value(&key.name, key.holds)));
            lines.collect()
        }
        TurnContents::Part(..) | TurnContents::Rest => ACTS[turn - 1].clone(),
        TurnContents::Whole => whole(),
    }
}

/// Returns all steps of a whole session, in order.
pub(crate) fn steps() -> Vec<String> {
    let turns =
        WritingStage::all().flat_map(|stage| (1..=stage.turns().len()).map(move |turn| format!("{stage}:{turn}")));
    turns.collect()
}
