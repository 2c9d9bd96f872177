//! The prompt of a turn: the stage's template filled with data of the plot and the settings.
//!
//! Invariant: every placeholder is filled in one pass, so that braces in a plot are kept. Long material is cited
//! instead of copied: only a stage that begins with the plot contains it. Nothing is judged here.

use fumi_base::{template, text::Locale};

use super::{
    material::{LengthRange, WritingMaterial},
    session::{WritingSession, is_approval},
    stages::{TurnContents, WritingStage},
};
use crate::{
    memory::{self, Remembering},
    project::YamlValue,
};

/// The largest number of characters inserted for one placeholder.
const FILLED: usize = 4_000;

/// The largest number of characters from the record of the earlier episodes.
const RECORD: usize = 3_000;

const FRAME_EN: &str = include_str!("prompts/frame.en.md");
const FRAME_JA: &str = include_str!("prompts/frame.ja.md");

/// Returns the section of a stage's prompt for a turn.
fn section(prompt: &str, turn: usize) -> Option<&str> {
    let begin = format!("## {turn}\n");
    let (_, section) = prompt.split_once(&begin)?;
    Some(section.split_once("\n## ").map_or(section, |(this, _)| this).trim())
}

/// Returns the task of a turn: the project's own prompt if it has one, otherwise the built-in one. A project prompt
/// without sections applies to every turn of its stage.
fn task(stage: WritingStage, turn: usize, material: &WritingMaterial, locale: Locale) -> &str {
    let own = material.prompts.get(&stage).map(|prompt| match section(prompt, turn) {
        None if !prompt.contains("## 1\n") => prompt.trim(),
        section => section.unwrap_or_default(),
    });
    own.filter(|task| !task.is_empty()).unwrap_or_else(|| section(stage.prompt(locale), turn).unwrap_or_default())
}

/// Returns the prompt of a turn, counted from 1.
pub(super) fn render(
    session: &WritingSession,
    stage: WritingStage,
    turn: usize,
    material: &WritingMaterial,
    locale: Locale,
) -> String {
    let frame = match locale {
        Locale::En => FRAME_EN,
        Locale::Ja => FRAME_JA,
    };
    let fill = |name: &str| value(name, session, stage, turn, material, locale).map(Into::into);
    let task = template::fill(task(stage, turn, material, locale), ("{", "}"), fill);
    template::fill(frame, ("{", "}"), |name| if name == "task" { Some(task.clone().into()) } else { fill(name) })
}

/// Fills a template for a stage; `plot` replaces `{plot}`.
pub(super) fn fill(
    template: &str,
    session: &WritingSession,
    stage: WritingStage,
    turn: usize,
    material: &WritingMaterial,
    locale: Locale,
    plot: Option<&str>,
) -> String {
    template::fill(template, ("{", "}"), |name| match (name, plot) {
        ("plot", Some(plot)) => Some(plot.to_owned().into()),
        _ => value(name, session, stage, turn, material, locale).map(Into::into),
    })
}

fn value(
    name: &str,
    session: &WritingSession,
    stage: WritingStage,
    turn: usize,
    material: &WritingMaterial,
    locale: Locale,
) -> Option<String> {
    let plot = &material.plot;
    let info = &plot.episode_info;
    let length = LengthRange::resolve(session.word_count_target(), plot, &material.settings);
    let list = |items: &[YamlValue]| {
        let lines = items.iter().map(|item| format!("- {}", item.words().replace('\n', " / ")));
        lines.collect::<Vec<_>>().join("\n")
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let value = match name {
        "novel" => text(&material.settings.title),
        "genre" => text(&material.settings.genre),
        "episode" => session.episode().number().to_string(),
        "number" => stage.number().to_string(),
        "stage" => stage.title().get(locale).to_owned(),
        "turn" => turn.to_string(),
        "turns" => stage.turns().len().to_string(),
        "viewpoint" => match info.viewpoint_info.words() {
            none if none.is_empty() => text(&material.settings.pov),
            words => words.replace('\n', " / "),
        },
        "characters" => {
            let names: Vec<&str> = material.cast.iter().map(|member| member.name.as_str()).collect();
            names.join(if locale == Locale::Ja { "、" } else { ", " })
        }
        "min" => length.min.to_string(),
        "max" => length.max.to_string(),
        "theme" => text(&info.theme),
        "purpose" => text(&info.purpose),
        "core" => text(&info.emotional_core),
        "synopsis" => text(&plot.synopsis),
        "events" => list(&plot.key_events),
        "foreshadowing" => list(&plot.foreshadowing),
        "checkpoints" => list(&plot.quality_checkpoints),
        "acts" => {
            let acts = &plot.story_structure;
            list(&[acts.setup.clone(), acts.confrontation.clone(), acts.resolution.clone()])
        }
        "previous_end" => material.previous_end.clone(),
        "record" => return Some(record(material, locale)),
        "form" => return Some(form(stage, turn, locale)),
        "feedback" => return Some(feedback(session, stage, locale)),
        _ => return None,
    };
    let none = match locale {
        Locale::En => "(not decided)",
        Locale::Ja => "（未定）",
    };
    // An unwritten act is a list item without words.
    if value.chars().all(|c| c.is_whitespace() || c == '-') {
        return Some(none.to_owned());
    }
    let cut: String = value.trim().chars().take(FILLED).collect();
    Some(if cut.len() < value.trim().len() { cut + "…" } else { cut })
}

/// Returns what is recorded of the earlier episodes about the people and things of the plot, followed by an empty line.
fn record(material: &WritingMaterial, locale: Locale) -> String {
    let plot = &material.plot;
    let events = plot.key_events.iter().chain(&plot.foreshadowing).map(YamlValue::words);
    let named = plot.character_names().into_iter().chain(plot.synopsis.clone()).chain(events);
    let named = named.collect::<Vec<_>>().join("\n");
    let asked = Remembering { characters: RECORD, with_quotes: false, named_in: Some(&named), locale };
    let Some(record) = memory::remembered(&material.states, asked) else { return String::new() };
    match locale {
        Locale::En => format!("Recorded of the earlier episodes; contradict none of it:\n{record}\n"),
        Locale::Ja => format!("これまでの話の記録（食い違わないこと）:\n{record}\n"),
    }
}

/// Describes the form of the answer.
fn form(stage: WritingStage, turn: usize, locale: Locale) -> String {
    match (turn.checked_sub(1).and_then(|at| stage.turns().get(at)), locale) {
        (Some(TurnContents::Keys(keys)), _) => {
            let names: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
            match locale {
                Locale::En => format!("YAML with the keys {}", names.join(", ")),
                Locale::Ja => format!("キー {} を持つ YAML ", names.join("・")),
            }
        }
        (_, Locale::En) => "the text of the manuscript".to_owned(),
        (_, Locale::Ja) => "原稿の本文".to_owned(),
    }
}

/// Returns the change requests for a stage, followed by an empty line.
fn feedback(session: &WritingSession, stage: WritingStage, locale: Locale) -> String {
    let of_stage = session.feedback().iter().filter(|said| said.stage == stage && !is_approval(&said.feedback));
    let said: Vec<String> = of_stage.map(|said| format!("- {}\n", said.feedback.trim())).collect();
    if said.is_empty() {
        return String::new();
    }
    let head = match locale {
        Locale::En => "The author requested these changes after the last run; make all of them:",
        Locale::Ja => "前回の結果に対して、作者から次の要望がありました。必ず反映してください。",
    };
    format!("{head}\n{}\n", said.concat())
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{render, task};
    use crate::{
        project::{EpisodeId, EpisodePlot},
        writing::{UtcTime, WritingMaterial, WritingSession, WritingSessionId, WritingStage},
    };

    #[test]
    fn every_turn_has_a_prompt_in_both_languages_and_every_placeholder_a_value() {
        let now = UtcTime::parse("2025-09-04T10:30:00Z").expect("a time");
        let session =
            WritingSession::new(WritingSessionId::new(&now, 1), EpisodeId::new(1).expect("a number"), None, &now);
        let material = WritingMaterial {
            plot: EpisodePlot::read("p", "synopsis: 波が{turn}と{novel}を洗う").expect("a plot"),
            ..WritingMaterial::default()
        };
        for stage in WritingStage::all() {
            for turn in 1..=stage.turns().len() {
                let [en, ja] = [Locale::En, Locale::Ja].map(|locale| {
                    assert!(task(stage, turn, &material, locale).chars().count() > 50, "{stage} {turn}");
                    render(&session, stage, turn, &material, locale)
                });
                // The braces from the plot are the only ones that remain.
                for text in [&en, &ja] {
                    assert!(!text.replace("{turn}と{novel}", "").contains('{'), "{text}");
                }
                assert!(ja.matches('。').count() > 3 && !en.contains('。'), "{en}\n{ja}");
            }
            assert_eq!(task(stage, stage.turns().len() + 1, &material, Locale::Ja), "");
        }
    }

    #[test]
    fn a_project_has_prompts_of_its_own() {
        let mut material = WritingMaterial::default();
        let ours = task(WritingStage::DRAFT, 2, &material, Locale::Ja).to_owned();
        material.prompts.insert(WritingStage::DRAFT, "潮の匂いから書く。\n".to_owned());
        assert_eq!(task(WritingStage::DRAFT, 2, &material, Locale::Ja), "潮の匂いから書く。");
        material.prompts.insert(WritingStage::DRAFT, "## 1\n匂い。\n\n## 3\n音。\n".to_owned());
        assert_eq!(task(WritingStage::DRAFT, 1, &material, Locale::Ja), "匂い。");
        assert_eq!(
            task(WritingStage::DRAFT, 2, &material, Locale::Ja),
            ours,
            "a turn without a section uses the built-in prompt"
        );
    }
}
