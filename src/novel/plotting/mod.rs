//! Plots of episodes: the material for a plot, the validation of an answer, the plot file, and a review of the plan.
//!
//! Invariant: a plot is backed up before it is replaced, and unknown keys are kept. A rejected answer writes nothing.
//! The module does not know who writes the plot.

mod material;
mod review;

use std::sync::Arc;

use fumi_base::{
    atomic_write::replace_if,
    encoding,
    errors::unless_unreadable,
    files,
    project::{PathError, Project, ProjectPath},
    text::{BilingualText, Locale},
};

use crate::{
    backups::{BackupTime, Backups},
    errors::{project::ProjectError, writing::WritingError},
    project::{EpisodeId, EpisodePlot, NovelProject, YamlValue, translate_reason},
    references::ContentHash,
    writing::{MissedCriterion, remnants, without_fence},
};

pub use material::PlotMaterial;
pub(crate) use material::{files_of, read_yaml_files, yaml_files};
pub use review::{PlotReview, PlotReviewPoint, PlotVerdict, review, unused_characters};

/// The shortest accepted synopsis, in characters.
const SYNOPSIS: usize = 40;

/// The smallest accepted number of events.
const EVENTS: usize = 3;

/// The largest plot that is read or accepted, in bytes.
const PLOT_BYTES: usize = 1 << 20;

/// A plot with its file.
#[derive(Clone, Debug)]
pub struct StoredPlot {
    pub plot: EpisodePlot,
    /// The path of the file, relative to the project root.
    pub path: String,
    /// The contents of the file.
    pub text: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// The id of the backup of the replaced plot, if there was one.
    pub backup: Option<String>,
}

/// Figures about a plot, known before anything is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotPreview {
    /// The length in visible characters: from the plot, otherwise the project's default.
    pub estimated_length: u32,
    /// The complexity from 0 to 100: 5 for each event, 6 for each character, 8 for each foreshadowing, 4 for each
    /// scene, capped at 100.
    pub complexity_score: u32,
    /// The first events, shortened.
    pub key_elements: Vec<String>,
}

pub fn existing(novel: &NovelProject, episode: EpisodeId) -> Result<Option<StoredPlot>, ProjectError> {
    let survey = novel.survey()?;
    survey.require_novel(novel.names())?;
    let files = match survey.episodes.get(&episode).map(|files| files.plots.as_slice()) {
        None | Some([]) => return Ok(None),
        Some(files) => files,
    };
    // Several plot files are an error, which names them.
    let plot = novel.plot(episode)?;
    let text = crate::project::read_yaml_text(&files[0])?;
    Ok(Some(StoredPlot {
        plot,
        path: files[0].shown(),
        sha256: ContentHash::from_bytes(text.as_bytes()).digits().to_owned(),
        text,
        backup: None,
    }))
}

/// Returns the criteria that an answer must meet.
pub fn criteria() -> Vec<BilingualText> {
    vec![
        BilingualText::new("YAML or JSON with top-level keys", "最上位に「キー: 値」が並ぶ YAML か JSON であること"),
        BilingualText::new("`episode_info.title` is present", "`episode_info.title` があること"),
        BilingualText::new(
            format!("`synopsis` has at least {SYNOPSIS} characters"),
            format!("`synopsis` が {SYNOPSIS} 字以上あること"),
        ),
        BilingualText::new(
            format!("`key_events` has at least {EVENTS} events"),
            format!("`key_events` に出来事が {EVENTS} つ以上あること"),
        ),
        BilingualText::new(
            "`story_structure` has setup, confrontation and resolution",
            "`story_structure` に setup・confrontation・resolution があること",
        ),
        BilingualText::new("`characters` names at least one character", "`characters` に誰かの名前があること"),
        BilingualText::new("no remarks of an assistant around it", "挨拶や前置きなど、アシスタントの言葉がないこと"),
    ]
}

/// Validates an answer: returns the plot, or an error with every criterion that it misses.
pub fn validate_answer(episode: EpisodeId, content: &str) -> Result<EpisodePlot, WritingError> {
    if content.len() > PLOT_BYTES {
        return Err(WritingError::ContentTooLarge {
            what: BilingualText::new("The plot", "プロット"),
            size: content.len(),
            limit: PLOT_BYTES,
        });
    }
    let content = without_fence(content);
    let refuse = |misses| Err(WritingError::PlotMissed { misses });
    let mut plot = match EpisodePlot::read("content", content) {
        Ok(plot) => plot,
        Err(ProjectError::BrokenYaml { line, column, reason, .. }) => {
            let form = missed_criterion(
                "form",
                format!("It is not a valid plot at line {line}, column {column}: {reason}."),
                format!(
                    "プロットとして読めません。{line} 行目の {column} 文字目に誤りがあります（{}）。",
                    translate_reason(&reason)
                ),
            );
            return refuse([form].into_iter().chain(remnants_miss(content)).collect());
        }
        Err(error) => return Err(error.into()),
    };
    let misses = misses(episode, &plot, content);
    if !misses.is_empty() {
        return refuse(misses);
    }
    plot.episode_info.episode_number = Some(episode.number());
    Ok(plot)
}

fn missed_criterion(criterion: &str, en: String, ja: String) -> MissedCriterion {
    MissedCriterion::new(criterion, BilingualText::new(en, ja))
}

fn misses(episode: EpisodeId, plot: &EpisodePlot, content: &str) -> Vec<MissedCriterion> {
    let mut misses = Vec::new();
    let mut need = |is_met: bool, criterion: &str, en: String, ja: String| {
        if !is_met {
            misses.push(missed_criterion(criterion, en, ja));
        }
    };
    let info = &plot.episode_info;
    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    need(
        info.episode_number.is_none_or(|number| number == episode.number()),
        "episode_info.episode_number",
        format!("It states another episode; this is episode {}.", episode.number()),
        format!("別の話数になっています。これは{episode}です。"),
    );
    need(has(&info.title), "episode_info.title", "The title is missing.".to_owned(), "題がありません。".to_owned());
    let synopsis = plot.synopsis.as_deref().unwrap_or_default().trim().chars().count();
    need(
        synopsis >= SYNOPSIS,
        "synopsis",
        format!("It has {synopsis} characters; write at least {SYNOPSIS}, including the ending."),
        format!("{synopsis} 字です。結末までを {SYNOPSIS} 字以上で書いてください。"),
    );
    let events = plot.events().len();
    need(
        events >= EVENTS,
        "key_events",
        format!("It has {events} events; write at least {EVENTS}."),
        format!("出来事が {events} つです。{EVENTS} つ以上必要です。"),
    );
    let acts = &plot.story_structure;
    for (name, act) in
        [("setup", &acts.setup), ("confrontation", &acts.confrontation), ("resolution", &acts.resolution)]
    {
        need(
            !act.words().trim().is_empty(),
            &format!("story_structure.{name}"),
            "It is missing.".to_owned(),
            "書かれていません。".to_owned(),
        );
    }
    need(
        !plot.character_names().is_empty(),
        "characters",
        "It does not name any characters.".to_owned(),
        "登場人物の名前がありません。".to_owned(),
    );
    misses.extend(remnants_miss(content));
    misses
}

/// Returns a missed criterion if phrases of an assistant surround the plot.
fn remnants_miss(content: &str) -> Option<MissedCriterion> {
    let found = remnants(content);
    (!found.is_empty()).then(|| {
        missed_criterion(
            "remnants",
            format!("It contains remarks of an assistant (line: words): {}.", found.join(", ")),
            format!("アシスタントの言葉が残っています（行: 言葉）: {}。", found.join("、")),
        )
    })
}

/// Writes a plot. An existing file keeps its name and is backed up unless its contents are the same.
pub fn store_plot(
    project: &Arc<Project>,
    novel: &NovelProject,
    episode: EpisodeId,
    plot: EpisodePlot,
    stamp: &BackupTime,
) -> Result<StoredPlot, WritingError> {
    let before = existing(novel, episode)?;
    let path = match &before {
        Some(before) => before.path.clone(),
        None => novel.new_plot(episode)?,
    };
    let text = plot.to_yaml();
    let sha256 = ContentHash::from_bytes(text.as_bytes()).digits().to_owned();
    let is_same = before.as_ref().is_some_and(|before| before.text == text);
    let backup = if before.is_some() && !is_same {
        let backups = Backups::new(Arc::clone(project), &novel.names().backups);
        let changes = [(path.as_str(), sha256.as_str())];
        Some(backups.create_before(&changes, "before a new plot", stamp)?.id)
    } else {
        None
    };
    if !is_same {
        let before = before.map(|before| before.text);
        replace_if(project, &path, text.as_bytes(), || {
            // A text that cannot be read as YAML any more is another one.
            Ok(match project.find(&path)? {
                Some(file) => match crate::project::read_yaml_text(&file) {
                    Err(ProjectError::Path(error)) if error.is_system_failure() => return Err(error),
                    now => now.ok() == before && before.is_some(),
                },
                None => before.is_none(),
            })
        })?;
    }
    Ok(StoredPlot { plot, path, text, sha256, backup })
}

/// Computes figures about a plot by counting.
pub fn preview(plot: &EpisodePlot, default_length: u32) -> PlotPreview {
    let events = plot.events();
    let scenes = plot.scene_structure.scene_count_target.unwrap_or_default() as usize;
    let score = 5 * events.len() + 6 * plot.character_names().len() + 8 * plot.foreshadowing.len() + 4 * scenes;
    PlotPreview {
        estimated_length: plot.target_words().unwrap_or(default_length),
        complexity_score: u32::try_from(score.min(100)).unwrap_or(100),
        key_elements: events.iter().take(5).map(|event| event.chars().take(40).collect()).collect(),
    }
}

/// Returns the title of a plot, or "untitled" in the reader's language.
pub fn title_of(plot: &EpisodePlot, locale: Locale) -> String {
    let untitled = match locale {
        Locale::En => "(untitled)",
        Locale::Ja => "（無題）",
    };
    plot.episode_info.title.clone().unwrap_or_else(|| untitled.to_owned())
}

/// Returns the texts of a value on one line, separated by slashes.
fn lines(value: &YamlValue) -> String {
    value.words().lines().map(str::trim).collect::<Vec<_>>().join(" / ")
}

/// Returns the text of a file, or `None` if it cannot be read.
fn text_of(novel_file: &ProjectPath) -> Result<Option<String>, PathError> {
    let bytes = unless_unreadable(files::read(novel_file, PLOT_BYTES as u64))?;
    Ok(bytes.map(|bytes| encoding::decode(&bytes, encoding::EncodingChoice::Auto).text))
}
