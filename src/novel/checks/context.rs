//! What a novel says about an episode besides its text: conventions, plot, names.
//!
//! Everything may be missing, and then nothing is concluded from it.

use super::Tuning;
use crate::{
    errors::{project::ProjectError, reviewing::ReviewError},
    morphology::Lexicon,
    plotting::yamls,
    project::{Episode, NovelProject, Plot, Role, Settings, StylePreset, Yaml},
};

/// The longest previous episode that is read, in bytes: one that is longer is no episode.
const PREVIOUS_BYTES: usize = 600_000;

/// What surrounds a manuscript.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The settings of the novel.
    pub settings: Settings,
    /// The plot of the episode.
    pub plot: Option<Plot>,
    /// The files of the settings folder: characters, terms, the world.
    pub world: Vec<Yaml>,
    /// The names in them.
    pub names: Lexicon,
    /// The ledger of foreshadowing, and whatever else manages the novel.
    pub ledger: Vec<Yaml>,
    /// The episode before, as its manuscript has it.
    pub previous: Option<String>,
    /// The plot of the episode after.
    pub next: Option<Plot>,
    /// Which episode it is; 0 where that is not known.
    pub episode: u32,
}

impl Context {
    /// Gathers it. A broken plot or settings file is passed over; `status` and `check_basic` say so.
    pub fn of_project(novel: &NovelProject, episode: Episode) -> Result<Self, ProjectError> {
        let survey = novel.survey()?;
        survey.is_a_novel(novel.names())?;
        let world = yamls(&survey, Role::World)?;
        let previous = Episode::new(episode.number() - 1).and_then(|last| novel.manuscript_text(last).ok());
        Ok(Self {
            names: Lexicon::of_settings(&world),
            plot: novel.plot(episode).ok(),
            next: Episode::new(episode.number() + 1).and_then(|next| novel.plot(next).ok()),
            world,
            ledger: yamls(&survey, Role::Management)?,
            episode: episode.number(),
            previous: previous
                .map(|decoded| decoded.text)
                .filter(|text| text.len() <= PREVIOUS_BYTES),
            settings: survey.settings,
        })
    }

    /// What the novel's settings change about the checks, under `checks`.
    pub fn tuning(&self) -> Result<Tuning, ReviewError> {
        let broken = |reason: String| ReviewError::Tuning { reason };
        let own = self
            .settings
            .unknown
            .0
            .iter()
            .find(|(key, _)| key.as_str() == Some("checks"));
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

    /// Whose conventions the novel follows.
    #[must_use]
    pub fn preset(&self) -> StylePreset {
        self.settings.style_preset.unwrap_or(StylePreset::Custom)
    }

    /// Whether it is printed in columns, where numbers are written in kanji.
    #[must_use]
    pub fn is_vertical(&self) -> bool {
        self.preset() == StylePreset::Bunko
    }

    /// Whether it is read on a screen, where sentences are shorter.
    #[must_use]
    pub fn is_on_screen(&self) -> bool {
        matches!(self.preset(), StylePreset::Narou | StylePreset::Kakuyomu)
    }

    /// Who tells it, in the words of the plot, else of the settings.
    #[must_use]
    pub fn pov(&self) -> String {
        let of_plot = self.plot.as_ref().map(|plot| plot.episode_info.viewpoint_info.words());
        let of_plot = of_plot.filter(|words| !words.is_empty());
        of_plot.or_else(|| self.settings.pov.clone()).unwrap_or_default()
    }
}
