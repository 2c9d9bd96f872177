//! The names of the folders and files of a novel project: configuration with the usual names as defaults.
//!
//! fumi's own folder is always `.noveler/`; its contents never count as a change of the project. If a configured folder
//! does not exist, other usual names are tried, and the use of another name is reported (see [`super::NovelSurvey`]).

use serde::{Deserialize, Serialize};

/// The configured names of a novel project, relative to its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectNames {
    /// The settings file, which makes a folder a novel project: title, author, style.
    pub settings: String,
    /// The folder for plans of the whole novel.
    pub planning: String,
    /// The folder for plots of chapters.
    pub chapter_plots: String,
    /// The folder for plots of episodes.
    pub episode_plots: String,
    /// The folder for characters, terms and the world.
    pub world: String,
    /// The folder for manuscripts of episodes.
    pub manuscripts: String,
    /// The folder for the outline and the ledger of foreshadowing.
    pub management: String,
    /// The folder for the project's own prompts.
    pub prompts: String,
    /// The folder for backups made before files are replaced.
    pub backups: String,
}

impl Default for ProjectNames {
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

/// The purpose of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderRole {
    /// Plans of the whole novel.
    Planning,
    ChapterPlots,
    EpisodePlots,
    /// Characters, terms and the world.
    World,
    Manuscripts,
    /// The outline and the ledger of foreshadowing.
    Management,
    /// The project's own prompts.
    Prompts,
    Backups,
}

impl FolderRole {
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

    /// Returns the configured name.
    pub fn name(self, names: &ProjectNames) -> &str {
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

    /// Returns other usual names, to be tried in this order.
    pub(super) const fn others(self) -> &'static [&'static str] {
        match self {
            Self::EpisodePlots => &["20_プロット", "プロット", "plots", "plot"],
            Self::World => &["設定集", "設定", "settings"],
            Self::Manuscripts => &["原稿", "本文", "manuscripts", "manuscript", "episodes"],
            Self::Management => &["管理資料"],
            Self::Planning | Self::ChapterPlots | Self::Prompts | Self::Backups => &[],
        }
    }

    /// True if the folder is optional and created when needed.
    pub(super) const fn is_made_when_needed(self) -> bool {
        matches!(self, Self::Prompts | Self::Backups | Self::ChapterPlots)
    }
}
