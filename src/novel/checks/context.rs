//! The parts of a novel that surround a manuscript under check: conventions, plot, names.
//!
//! Everything is optional. A check draws no conclusion from what is missing.

use fumi_base::errors::unless_unreadable;

use super::{Tuning, contradiction::Contradiction, correction::Correction};
use crate::{
    errors::{project::ProjectError, reviewing::ReviewError},
    morphology::NameLexicon,
    plotting::read_yaml_files,
    project::{EpisodeId, EpisodePlot, FolderRole, NovelProject, NovelSettings, StylePreset, YamlValue},
};

/// The maximum size of the previous episode, in bytes. A longer one is treated as missing.
const PREVIOUS_BYTES: usize = 600_000;

/// The data of the novel that checks of one manuscript use.
#[derive(Clone, Debug, Default)]
pub struct NovelContext {
    pub settings: NovelSettings,
    pub plot: Option<EpisodePlot>,
    /// The files of the settings folder: characters, terms, the world.
    pub world: Vec<YamlValue>,
    /// The names in the settings files.
    pub names: NameLexicon,
    /// The management files of the novel, the ledger of foreshadowing among them.
    pub ledger: Vec<YamlValue>,
    /// The manuscript text of the previous episode.
    pub previous: Option<String>,
    pub next: Option<EpisodePlot>,
    /// The corrections of the last proofreading, as far as the text still needs them.
    pub corrections: Vec<Correction>,
    /// The contradictions to the recorded states of the episodes and to the settings.
    pub contradictions: Vec<Contradiction>,
    /// The episode number; 0 if unknown.
    pub episode: u32,
}

impl NovelContext {
    /// Reads the context of an episode from its project. A broken plot or settings file is skipped; `status` and
    /// `check_basic` report it.
    pub fn of_project(novel: &NovelProject, episode: EpisodeId) -> Result<Self, ProjectError> {
        let survey = novel.survey()?;
        survey.require_novel(novel.names())?;
        let world = read_yaml_files(&survey, FolderRole::World)?;
        let previous = match EpisodeId::new(episode.number() - 1) {
            Some(last) => unless_unreadable(novel.manuscript_text(last))?,
            None => None,
        };
        let next = match EpisodeId::new(episode.number() + 1) {
            Some(next) => unless_unreadable(novel.plot(next))?,
            None => None,
        };
        Ok(Self {
            names: NameLexicon::of_settings(&world),
            plot: unless_unreadable(novel.plot(episode))?,
            next,
            world,
            ledger: read_yaml_files(&survey, FolderRole::Management)?,
            episode: episode.number(),
            previous: previous.map(|decoded| decoded.text).filter(|text| text.len() <= PREVIOUS_BYTES),
            corrections: Vec::new(),
            contradictions: Vec::new(),
            settings: survey.settings,
        })
    }

    /// Returns the changes to the checks that the novel's settings make under `checks`. Fails if they are malformed or
    /// out of range.
    pub fn tuning(&self) -> Result<Tuning, ReviewError> {
        let broken = |reason: String| ReviewError::ChecksTunedWrongly { reason };
        let own = self.settings.unknown.0.iter().find(|(key, _)| key.as_str() == Some("checks"));
        let Some((_, own)) = own else {
            return Ok(Tuning::default());
        };
        let tuning: Tuning = own.to_type().map_err(|reason| {
            // The path of the key begins at the top of the settings.
            broken(match reason.strip_prefix('`') {
                Some(path) => format!("`checks.{path}"),
                None => reason,
            })
        })?;
        tuning.check().map_err(|error| broken(error.to_string()))?;
        Ok(tuning)
    }

    /// Returns the style preset of the novel; `Custom` if the settings name none.
    pub fn preset(&self) -> StylePreset {
        self.settings.style_preset.unwrap_or(StylePreset::Custom)
    }

    /// True if the novel is printed in vertical columns, where numbers are written in kanji.
    pub fn is_vertical(&self) -> bool {
        self.preset() == StylePreset::Bunko
    }

    /// True if the novel is read on a screen, where sentences are shorter.
    pub fn is_on_screen(&self) -> bool {
        matches!(self.preset(), StylePreset::Narou | StylePreset::Kakuyomu)
    }

    /// Returns the point of view as the plot describes it, else as the settings do; empty if neither does.
    pub fn pov(&self) -> String {
        let of_plot = self.plot.as_ref().map(|plot| plot.episode_info.viewpoint_info.words());
        let of_plot = of_plot.filter(|words| !words.is_empty());
        of_plot.or_else(|| self.settings.pov.clone()).unwrap_or_default()
    }
}
