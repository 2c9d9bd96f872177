//! What the folders and files of a novel project are called: configuration, with the usual names as defaults.
//!
//! fumi's own folder is `.noveler/` always: what is in it never counts as a change of the project. Where a name of the configuration is not there, the other usual ones are tried; what was found under which is told (see
//! [`super::Survey`]).

use serde::{Deserialize, Serialize};

/// The names of a novel project, relative to its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Names {
    /// The file that makes a folder a novel project: title, author, style.
    pub settings: String,
    /// What the novel is to be.
    pub planning: String,
    /// Plots of chapters.
    pub chapter_plots: String,
    /// Plots of episodes.
    pub episode_plots: String,
    /// Characters, terms, the world.
    pub world: String,
    /// Manuscripts of episodes.
    pub manuscripts: String,
    /// The outline and the ledger of foreshadowing.
    pub management: String,
    /// The project's own prompts.
    pub prompts: String,
    /// Copies made before anything is replaced.
    pub backups: String,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            settings: "プロジェクト設定.yaml".to_owned(),
            planning: "10_企画".to_owned(),
            chapter_plots: "20_プロット/章別".to_owned(),
            episode_plots: "20_プロット/話別".to_owned(),
            world: "30_設定集".to_owned(),
            manuscripts: "40_原稿".to_owned(),
            management: "50_管理資料".to_owned(),
            prompts: "60_プロンプト".to_owned(),
            backups: "90_バックアップ".to_owned(),
        }
    }
}

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Plans of the whole.
    Planning,
    /// Plots of chapters.
    ChapterPlots,
    /// Plots of episodes.
    EpisodePlots,
    /// Characters, terms, the world.
    World,
    /// Manuscripts.
    Manuscripts,
    /// The outline and the ledger of foreshadowing.
    Management,
    /// The project's own prompts.
    Prompts,
    /// Copies.
    Backups,
}

impl Role {
    /// Every role, in the order of the folders.
    pub const ALL: [Self; 8] = [
        Self::Planning,
        Self::ChapterPlots,
        Self::EpisodePlots,
        Self::World,
        Self::Manuscripts,
        Self::Management,
        Self::Prompts,
        Self::Backups,
    ];

    /// The name in the configuration.
    #[must_use]
    pub fn name(self, names: &Names) -> &str {
        match self {
            Self::Planning => &names.planning,
            Self::ChapterPlots => &names.chapter_plots,
            Self::EpisodePlots => &names.episode_plots,
            Self::World => &names.world,
            Self::Manuscripts => &names.manuscripts,
            Self::Management => &names.management,
            Self::Prompts => &names.prompts,
            Self::Backups => &names.backups,
        }
    }

    /// Other usual names, tried in this order.
    pub(super) const fn others(self) -> &'static [&'static str] {
        match self {
            Self::EpisodePlots => &["20_プロット", "プロット", "plots", "plot"],
            Self::World => &["設定集", "設定", "settings"],
            Self::Manuscripts => &["原稿", "本文", "manuscripts", "manuscript", "episodes"],
            Self::Management => &["管理資料"],
            Self::Planning | Self::ChapterPlots | Self::Prompts | Self::Backups => &[],
        }
    }

    /// Whether a project can do without it: it is made when it is needed.
    pub(super) const fn is_made_when_needed(self) -> bool {
        matches!(self, Self::Prompts | Self::Backups | Self::ChapterPlots)
    }
}
