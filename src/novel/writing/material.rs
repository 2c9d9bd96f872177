//! The material for an episode: its plot, the settings, the characters with their aliases, the end of the last episode.
//!
//! Invariant: only a plot is required; unreadable settings are reported and left out. Nothing is written.

use std::collections::BTreeMap;

use fumi_base::{
    encoding,
    errors::UserError as _,
    files,
    listing::{FolderEntryKind, list},
    project::ProjectPath,
    text::BilingualText,
};

use super::{
    stages::WritingStage,
    style_anchor::{EPISODES, EarlierText, EarlierTexts, StyleAnchor},
    workflow::CitedFile,
};
use crate::{
    checks::NovelContext,
    errors::project::ProjectError,
    manuscript::{Manuscript, ManuscriptOptions},
    memory::{self, EpisodeState, EpisodeStates},
    project::{
        EpisodeId, EpisodePlot, FolderRole, NovelProject, NovelSettings, TargetLength, YamlValue, read_yaml_text,
    },
    references::ContentHash,
};

/// The number of characters shown from the end of the last episode.
const END: usize = 400;

/// The largest number of settings files read.
const WORLD_FILES: usize = 50;

/// The largest earlier episode or sample whose style is measured, in bytes.
const EARLIER_BYTES: usize = 400_000;

/// The largest project prompt that is read, in bytes.
const PROMPT_BYTES: u64 = 64 << 10;

/// The default length of a manuscript, in visible characters.
const DEFAULT_LENGTH: u32 = 4_000;

/// The shortest and the longest manuscript that can be requested, in visible characters.
const LENGTHS: (u32, u32) = (100, 200_000);

/// The allowed length of a manuscript, in visible characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthRange {
    /// The shortest length.
    pub min: u32,
    /// The longest length.
    pub max: u32,
}

impl LengthRange {
    /// Returns the requested length, otherwise the plot's, otherwise the project's, otherwise 4,000; a single number
    /// gives a range of ±10 %.
    pub fn resolve(asked: Option<u32>, plot: &EpisodePlot, settings: &NovelSettings) -> Self {
        let plotted = || plot.target_words().map(TargetLength::About);
        let length = asked.map(TargetLength::About).or_else(plotted).or(settings.target_length);
        let (low, high) = LENGTHS;
        match length.unwrap_or(TargetLength::About(DEFAULT_LENGTH)) {
            TargetLength::About(about) => {
                let about = about.clamp(low, high);
                Self { min: about - about / 10, max: about + about / 10 }
            }
            TargetLength::Between(min, max) => {
                // A range needs room for three acts of any allowed size.
                let min = min.clamp(low, high);
                Self { min, max: max.clamp(min + min / 10, high + high / 10) }
            }
        }
    }
}

/// The largest deviation from the allowed length that is only reported, as a part of the bound: one quarter.
const TOLERATED: usize = 4;

/// A judgement of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthJudgement {
    Fits,
    /// The missing characters; `is_minor` if they are only reported.
    Short {
        by: usize,
        is_minor: bool,
    },
    /// The characters that are too many; `is_minor` if they are only reported.
    Long {
        by: usize,
        is_minor: bool,
    },
}

impl LengthJudgement {
    /// Judges a length by a range, both ends included.
    pub fn judge(length: usize, from: usize, to: usize) -> Self {
        if length < from {
            let by = from - length;
            Self::Short { by, is_minor: by <= from / TOLERATED }
        } else if length > to {
            let by = length - to;
            Self::Long { by, is_minor: by <= to / TOLERATED }
        } else {
            Self::Fits
        }
    }
}

/// A character of the plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotMember {
    /// The name used in the plot.
    pub name: String,
    /// Other names of the character.
    pub aliases: Vec<String>,
}

impl PlotMember {
    /// True if a text contains the name or an alias.
    pub fn is_in(&self, text: &str) -> bool {
        let mut names = std::iter::once(&self.name).chain(&self.aliases);
        names.any(|name| text.contains(name.as_str()))
    }
}

/// The material for writing an episode.
#[derive(Debug, Default)]
pub struct WritingMaterial {
    pub plot: EpisodePlot,
    pub settings: NovelSettings,
    /// The characters of the plot.
    pub cast: Vec<PlotMember>,
    /// The end of the last episode; empty for the first one.
    pub previous_end: String,
    /// The recorded states of the earlier episodes.
    pub states: Vec<EpisodeState>,
    /// The data of the novel that checks of a draft use.
    pub context: Box<NovelContext>,
    /// The texts from which the style of the episode is measured.
    pub earlier: EarlierTexts,
    /// The project's own prompts, by stage.
    pub prompts: BTreeMap<WritingStage, String>,
    /// The files from which the material comes.
    pub references: Vec<CitedFile>,
    /// The previous episode, unless its state is recorded.
    pub(super) unrecorded: Option<CitedFile>,
    /// The errors of files that could not be read.
    pub faults: Vec<ProjectError>,
}

impl WritingMaterial {
    /// Collects the material. Returns an error if the plot is missing or cannot be read.
    pub fn gather(novel: &NovelProject, episode: EpisodeId) -> Result<Self, ProjectError> {
        Self::gather_for(novel, episode, None)
    }

    /// Collects the material for a plot that may be passed from outside the project.
    pub fn gather_for(
        novel: &NovelProject,
        episode: EpisodeId,
        plot: Option<EpisodePlot>,
    ) -> Result<Self, ProjectError> {
        let survey = novel.survey_to_write()?;
        survey.require_novel(novel.names())?;
        let is_passed = plot.is_some();
        let plot = match plot {
            Some(plot) => plot,
            None => novel.plot(episode).map_err(|error| match error {
                // For a caller who writes an episode, a missing plot is the error, whatever else is missing.
                ProjectError::EpisodeNotFound { episode, .. } => {
                    ProjectError::PlotNotFound { episode, known: survey.plotted() }
                }
                error => error,
            })?,
        };
        let mut material = Self { settings: survey.settings.clone(), ..Self::default() };
        let own = survey.episodes.get(&episode).map(|files| files.plots.as_slice());
        if let (Some([file]), false) = (own, is_passed) {
            if let Some(says) = plot.episode_info.episode_number.filter(|says| *says != episode.number()) {
                // Otherwise, all stages would use the plot of another episode.
                return Err(ProjectError::PlotOfAnotherEpisode { path: file.shown(), says, episode });
            }
            material.cite(file, BilingualText::new("the plot of the episode", "この話のプロット"))?;
        }
        let mut world = Vec::new();
        if let Some(folder) = survey.folders.get(&FolderRole::World) {
            material.read_world(folder, &mut world)?;
        }
        if let Some(folder) = survey.folders.get(&FolderRole::Prompts) {
            material.read_prompts(folder)?;
        }
        let mut earlier = survey.episodes.range(..episode).rev();
        for (number, files) in earlier.by_ref().take(EPISODES) {
            if let [file] = files.manuscripts.as_slice() {
                material.read_earlier(file, number.number() + 1 == episode.number())?;
            }
        }
        material.read_sample(novel)?;
        material.context = Box::new(NovelContext::of_project(novel, episode)?);
        material.context.plot = Some(plot.clone());
        let EpisodeStates { mut states, faults } = memory::states_until(novel.project(), episode)?;
        states.retain(|state| state.episode < episode.number());
        if states.last().is_some_and(|state| state.episode + 1 == episode.number()) {
            material.unrecorded = None;
        }
        material.states = states;
        material.faults.extend(faults);
        material.cast = cast_of(&plot, &world);
        material.plot = plot;
        Ok(material)
    }

    /// Reads the YAML files of the settings folder.
    fn read_world(&mut self, folder: &ProjectPath, world: &mut Vec<YamlValue>) -> Result<(), ProjectError> {
        let (listed, _) = list(folder, WORLD_FILES)?;
        for file in listed {
            let extension = file.name.rsplit_once('.').map(|(_, extension)| extension);
            if file.kind != FolderEntryKind::File || !matches!(extension, Some("yaml" | "yml")) {
                continue;
            }
            let path = file.path.shown();
            match read_yaml_text(&file.path).and_then(|text| crate::project::read_yaml::<YamlValue>(&path, &text)) {
                Ok(yaml) => {
                    self.cite(&file.path, BilingualText::new("settings of the novel", "設定集"))?;
                    world.push(yaml);
                }
                Err(error) => self.note_fault(error)?,
            }
        }
        Ok(())
    }

    /// Reads the prompts of the project: `STAGE.md`.
    fn read_prompts(&mut self, folder: &ProjectPath) -> Result<(), ProjectError> {
        let (listed, _) = list(folder, WORLD_FILES)?;
        for file in listed {
            let stage = file.name.strip_suffix(".md").and_then(|name| WritingStage::parse(name).ok());
            let Some(stage) = stage.filter(|_| file.kind == FolderEntryKind::File) else {
                continue;
            };
            match files::read(&file.path, PROMPT_BYTES) {
                Ok(bytes) => {
                    let text = encoding::decode(&bytes, encoding::EncodingChoice::Auto).text;
                    self.prompts.insert(stage, text);
                }
                Err(error) => self.note_fault(error.into())?,
            }
        }
        Ok(())
    }

    /// Reads an earlier episode. The end of the previous one is shown, and its file is cited.
    fn read_earlier(&mut self, file: &ProjectPath, is_previous: bool) -> Result<(), ProjectError> {
        let bytes = match files::read(file, crate::project::MANUSCRIPT_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return self.note_fault(error.into()),
        };
        let text = encoding::decode(&bytes, encoding::EncodingChoice::Auto).text;
        if is_previous {
            let manuscript = Manuscript::read(text.as_str(), ManuscriptOptions::default());
            let visible = manuscript.visible().text().trim_end();
            let skipped = visible.chars().count().saturating_sub(END);
            let end: String = visible.chars().skip(skipped).collect();
            // The shown end begins at the beginning of a sentence if possible.
            let whole = end.split_once(['。', '\n']).map(|(_, rest)| rest.trim_start_matches(['」', '\n']));
            let whole = whole.filter(|rest| skipped > 0 && !rest.is_empty());
            self.previous_end = whole.map_or_else(|| end.clone(), str::to_owned);
            self.cite(file, BilingualText::new("the previous episode", "前の話の原稿"))?;
            self.unrecorded = self.references.last().filter(|cited| cited.path == file.shown()).cloned();
        }
        if text.len() <= EARLIER_BYTES {
            self.earlier.episodes.push(EarlierText { path: file.shown(), text });
        }
        Ok(())
    }

    /// Reads the text whose style the episode follows: the one that the settings name, otherwise the last episode.
    fn read_sample(&mut self, novel: &NovelProject) -> Result<(), ProjectError> {
        let Some(path) = self.settings.style_sample.clone() else {
            self.earlier.sample = self.earlier.episodes.first().cloned();
            return Ok(());
        };
        let read = novel.project().resolve(&path).and_then(|file| files::read(&file, EARLIER_BYTES as u64));
        match read {
            Ok(bytes) => {
                let text = encoding::decode(&bytes, encoding::EncodingChoice::Auto).text;
                self.earlier.sample = Some(EarlierText { path, text });
                Ok(())
            }
            Err(error) => self.note_fault(error.into()),
        }
    }

    /// Returns the style that the episode follows. It is measured by the first call.
    pub(super) fn style(&self) -> &StyleAnchor {
        self.earlier.style(&self.context)
    }

    /// Adds a file with its hash to the references; an unreadable file is recorded as an error.
    fn cite(&mut self, file: &ProjectPath, what: BilingualText) -> Result<(), ProjectError> {
        match files::read(file, crate::project::MANUSCRIPT_BYTES) {
            Ok(bytes) => self.references.push(CitedFile {
                path: file.shown(),
                sha256: ContentHash::from_bytes(&bytes).digits().to_owned(),
                what,
            }),
            Err(error) => self.note_fault(error.into())?,
        }
        Ok(())
    }

    /// Records the error of a file that is left out. A system failure is returned: the file may be sound.
    fn note_fault(&mut self, error: ProjectError) -> Result<(), ProjectError> {
        if error.is_system_failure() {
            return Err(error);
        }
        self.faults.push(error);
        Ok(())
    }
}

/// Returns the characters of a plot with their aliases from the settings. The viewpoint character also counts as named
/// by the own first-person pronoun.
fn cast_of(plot: &EpisodePlot, world: &[YamlValue]) -> Vec<PlotMember> {
    let viewpoint = plot.episode_info.viewpoint_info.words();
    let described = |name: &str| {
        let lists = world.iter().filter_map(|file| file.get("characters"));
        let mut all = lists.flat_map(|list| match list {
            YamlValue::List(items) => items.as_slice(),
            _ => &[],
        });
        let is_alias = |one: &YamlValue| {
            let aliases = one.get("aliases").map(YamlValue::items).unwrap_or_default();
            aliases.iter().any(|alias| alias.as_str() == Some(name))
        };
        all.find(|one| one.get("name").and_then(YamlValue::as_str) == Some(name) || is_alias(one))
    };
    let member = |name: String| {
        let known = described(&name);
        let mut aliases: Vec<String> = match known.and_then(|known| known.get("aliases")) {
            Some(YamlValue::List(items)) => items.iter().filter_map(YamlValue::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        aliases.extend(known.and_then(|known| known.get("name")?.as_str()).map(str::to_owned));
        aliases.retain(|alias| *alias != name);
        let own = known.and_then(|known| known.get("first_person")).and_then(YamlValue::as_str);
        if viewpoint.contains(&name) {
            aliases.extend(own.map(str::to_owned));
        }
        aliases.retain(|alias| !alias.trim().is_empty());
        PlotMember { name, aliases }
    };
    plot.character_names().into_iter().map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::LengthRange;
    use crate::project::{EpisodePlot, NovelSettings, TargetLength};

    #[test]
    fn length_prefers_request_then_plot_then_settings() {
        let (mut plot, mut settings) = (EpisodePlot::default(), NovelSettings::default());
        let of = |asked, plot: &EpisodePlot, settings: &NovelSettings| {
            let length = LengthRange::resolve(asked, plot, settings);
            (length.min, length.max)
        };
        assert_eq!(of(None, &plot, &settings), (3_600, 4_400));
        settings.target_length = Some(TargetLength::Between(6_000, 10_000));
        assert_eq!(of(None, &plot, &settings), (6_000, 10_000));
        plot.scene_structure.total_target_words = Some(5_000);
        assert_eq!(of(None, &plot, &settings), (4_500, 5_500));
        assert_eq!(of(Some(2_000), &plot, &settings), (1_800, 2_200));
        for odd in [0, 1, u32::MAX] {
            let length = LengthRange::resolve(Some(odd), &plot, &settings);
            assert!(length.min >= 90 && length.min < length.max, "{length:?}");
            settings.target_length = Some(TargetLength::Between(odd, odd));
            let length = LengthRange::resolve(None, &EpisodePlot::default(), &settings);
            assert!(length.min >= 90 && length.min < length.max, "{length:?}");
        }
    }
}
