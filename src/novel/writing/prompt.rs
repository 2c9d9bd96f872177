//! The prompt of a turn: the stage's template filled with data of the plot and the settings.
//!
//! Invariant: every placeholder is filled in one pass, so that braces in a plot are kept. Long material is cited
//! instead of copied: only a stage that begins with the plot contains it. Nothing is judged here.

use fumi_base::{template, text::Locale};

use super::{
    criteria,
    draft_findings::draft_findings,
    material::{LengthRange, WritingMaterial},
    material_text::{named_in, plot_lines, record},
    session::{StageFeedback, WritingSession, is_approval},
    stages::{SCENES, StageRoute, TurnContents, WritingStage},
    style_anchor,
};
use crate::project::YamlValue;

/// The largest number of characters inserted for one placeholder.
const FILLED: usize = 4_000;

/// The largest number of characters from the record of the earlier episodes.
const RECORD: usize = 3_000;

const FRAME_EN: &str = include_str!("prompts/frame.en.md");
const FRAME_JA: &str = include_str!("prompts/frame.ja.md");
/// The frames of stages that cite the material, which contains what the other frames spell out.
const SHORT_FRAME_EN: &str = include_str!("prompts/short_frame.en.md");
const SHORT_FRAME_JA: &str = include_str!("prompts/short_frame.ja.md");

/// The number of characters shown from the end of the text so far.
const END: usize = 400;

/// The data of the prompt of a turn.
pub(super) struct PromptData<'a> {
    pub(super) session: &'a WritingSession,
    pub(super) stage: WritingStage,
    /// The turn within the stage, from 1.
    pub(super) turn: usize,
    pub(super) material: &'a WritingMaterial,
    pub(super) locale: Locale,
    pub(super) texts: &'a WrittenTexts,
}

/// The texts of a session that its prompts contain; empty as far as they are not written yet.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenTexts {
    /// The card of the scene to write.
    pub(super) scene_card: String,
    /// The shortest and the longest length of the scene to write.
    pub(super) scene_length: (usize, usize),
    /// The text of the scenes before it.
    pub(super) so_far: String,
    /// The manuscript that the stage reads.
    pub(super) draft: String,
    /// True if the replacements of the answer apply to a text that earlier replacements made.
    pub(super) is_continued: bool,
}

/// Returns the section of a stage's prompt for a turn.
fn section(prompt: &str, turn: usize) -> Option<&str> {
    let begin = format!("## {turn}\n");
    let (_, section) = prompt.split_once(&begin)?;
    Some(section.split_once("\n## ").map_or(section, |(this, _)| this).trim())
}

/// Returns the task of a turn: the project's own prompt if it has one, otherwise the built-in one. A project prompt
/// without sections applies to every turn of its stage. All turns of a stage of scenes have the same task.
fn task(stage: WritingStage, turn: usize, material: &WritingMaterial, locale: Locale) -> &str {
    // All scenes have the first task, unless the project has one for a scene.
    let shared = if stage.is_by_scene() { 1 } else { turn };
    let own =
        material.prompts.get(&stage).map(|prompt| match section(prompt, turn).or_else(|| section(prompt, shared)) {
            None if !prompt.contains("## 1\n") => prompt.trim(),
            section => section.unwrap_or_default(),
        });
    own.filter(|task| !task.is_empty()).unwrap_or_else(|| section(stage.prompt(locale), shared).unwrap_or_default())
}

/// Returns the prompt of a turn.
pub(super) fn render(data: &PromptData<'_>) -> String {
    let frame = match (data.stage.route(), data.locale) {
        (StageRoute::Short, Locale::En) => SHORT_FRAME_EN,
        (StageRoute::Short, Locale::Ja) => SHORT_FRAME_JA,
        (_, Locale::En) => FRAME_EN,
        (_, Locale::Ja) => FRAME_JA,
    };
    let task = fill(task(data.stage, data.turn, data.material, data.locale), data, None);
    template::fill(frame, ("{", "}"), |name| match name {
        "task" => Some(task.clone().into()),
        name => value(name, data).map(Into::into),
    })
}

/// Fills a template; `plot` replaces `{plot}`.
pub(super) fn fill(template: &str, data: &PromptData<'_>, plot: Option<&str>) -> String {
    template::fill(template, ("{", "}"), |name| match (name, plot) {
        ("plot", Some(plot)) => Some(plot.to_owned().into()),
        _ => value(name, data).map(Into::into),
    })
}

fn value(name: &str, data: &PromptData<'_>) -> Option<String> {
    let PromptData { session, stage, turn, material, locale, texts } = *data;
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
        "turns" => session.turns_of(stage).to_string(),
        "stages" => stage.route().length().to_string(),
        "scene_limit" => SCENES.to_string(),
        "viewpoint" => match info.viewpoint_info.words() {
            none if none.is_empty() => text(&material.settings.pov),
            words => words.replace('\n', " / "),
        },
        "characters" => {
            let names: Vec<&str> = material.cast.iter().map(|member| member.name.as_str()).collect();
            names.join(if locale == Locale::Ja { "、" } else { ", " })
        }
        "from" if texts.scene_length.1 > 0 => texts.scene_length.0.to_string(),
        "to" if texts.scene_length.1 > 0 => texts.scene_length.1.to_string(),
        // Before the scenes are planned, a scene has the length of the episode.
        "min" | "from" => length.min.to_string(),
        "max" | "to" => length.max.to_string(),
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
        "plot" => plot_lines(material, locale),
        "previous_end" => material.previous_end.clone(),
        "title" => text(&info.title),
        "written" => criteria::characters(&texts.so_far).to_string(),
        "scene" => texts.scene_card.clone(),
        "before" => before(data),
        "findings" => return Some(findings(texts, material, locale)),
        "style" => return Some(style(material, locale)),
        "record" => return Some(recorded(material, locale)),
        "form" => return Some(form(stage, turn, locale)),
        "feedback" => return Some(feedback(data) + continuation(texts, locale)),
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

/// Returns the end of the text before a scene: of the scene before it, or of the previous episode.
fn before(data: &PromptData<'_>) -> String {
    let so_far = data.texts.so_far.trim_end();
    if so_far.is_empty() {
        return data.material.previous_end.clone();
    }
    let skipped = so_far.chars().count().saturating_sub(END);
    so_far.chars().skip(skipped).collect()
}

/// Returns what the checks find in the draft.
fn findings(texts: &WrittenTexts, material: &WritingMaterial, locale: Locale) -> String {
    match (draft_findings(&texts.draft, material, locale), locale) {
        (found, _) if !found.is_empty() => found,
        (_, Locale::En) => "(nothing)".to_owned(),
        (_, Locale::Ja) => "（なし）".to_owned(),
    }
}

/// Returns the style to follow and the voices of the characters, followed by an empty line.
fn style(material: &WritingMaterial, locale: Locale) -> String {
    let tuning = material.context.tuning().unwrap_or_default();
    let style = material.style().describe(material.settings.style_preset, &tuning.forbidden, locale);
    let voices = style_anchor::voices(material, locale);
    if style.is_empty() && voices.is_empty() { String::new() } else { format!("{style}{voices}\n") }
}

/// Returns what is recorded of the earlier episodes about the people and things of the plot, followed by an empty line.
fn recorded(material: &WritingMaterial, locale: Locale) -> String {
    let Some(record) = record(material, &named_in(material), RECORD, locale) else { return String::new() };
    match locale {
        Locale::En => format!("Recorded of the earlier episodes; contradict none of it:\n{record}\n"),
        Locale::Ja => format!("これまでの話の記録（食い違わないこと）:\n{record}\n"),
    }
}

/// Describes the form of the answer.
fn form(stage: WritingStage, turn: usize, locale: Locale) -> String {
    match (stage.contents(turn), locale) {
        (TurnContents::Keys(keys), _) => {
            let names: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
            match locale {
                Locale::En => format!("YAML with the keys {}", names.join(", ")),
                Locale::Ja => format!("{} をキーとする YAML ", names.join("・")),
            }
        }
        (_, Locale::En) => "the text of the manuscript".to_owned(),
        (_, Locale::Ja) => "原稿の本文".to_owned(),
    }
}

/// Returns the change requests for a stage, followed by an empty line.
fn feedback(data: &PromptData<'_>) -> String {
    let PromptData { session, stage, turn, locale, .. } = *data;
    let is_meant = |said: &&StageFeedback| said.stage == stage && said.turn.is_none_or(|asked| asked == turn);
    let of_stage = session.feedback().iter().filter(is_meant).filter(|said| !is_approval(&said.feedback));
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

/// Says to which text the replacements apply if it is not that of the task.
fn continuation(texts: &WrittenTexts, locale: Locale) -> &'static str {
    match (texts.is_continued, locale) {
        (false, _) => "",
        (true, Locale::En) => {
            "The replacements apply to the manuscript with the replacements accepted so far: copy find from it.\n\n"
        }
        (true, Locale::Ja) => {
            "置き換える相手は、これまでの置き換えを反映した原稿です。find はその原稿から写してください。\n\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{PromptData, WrittenTexts, render, task};
    use crate::{
        project::{EpisodeId, EpisodePlot},
        writing::{StageRoute, UtcTime, WritingMaterial, WritingSession, WritingSessionId, WritingStage},
    };

    #[test]
    fn every_turn_has_a_prompt_in_both_languages_and_every_placeholder_a_value() {
        let now = UtcTime::parse("2025-09-04T10:30:00Z").expect("a time");
        let id = WritingSessionId::new(&now, 1);
        let session = |route| WritingSession::new(route, id.clone(), EpisodeId::new(1).expect("a number"), None, &now);
        let [whole, short] = [StageRoute::Whole, StageRoute::Short].map(session);
        let material = WritingMaterial {
            plot: EpisodePlot::read("p", "synopsis: 波が{turn}と{novel}を洗う").expect("a plot"),
            ..WritingMaterial::default()
        };
        for stage in WritingStage::all() {
            for turn in 1..=stage.turns().len() {
                let [en, ja] = [Locale::En, Locale::Ja].map(|locale| {
                    assert!(task(stage, turn, &material, locale).chars().count() > 50, "{stage} {turn}");
                    let session = if StageRoute::Whole.stages().any(|one| one == stage) { &whole } else { &short };
                    let texts = &WrittenTexts::default();
                    render(&PromptData { session, stage, turn, material: &material, locale, texts })
                });
                // The braces from the plot are the only ones that remain.
                for text in [&en, &ja] {
                    assert!(!text.replace("{turn}と{novel}", "").contains('{'), "{text}");
                }
                assert!(ja.matches('。').count() > 3 && !en.contains('。'), "{en}\n{ja}");
            }
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
