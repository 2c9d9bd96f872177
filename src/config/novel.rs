//! Settings of novel writing: the names of a project's files, and the model that writes the texts.

use fumi_novel::{checks::Tuning, project::ProjectNames};
use serde::Deserialize;

use super::{AuthorChoice, ConfigError, ProviderConfig};

/// The settings of novel writing.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NovelConfig {
    /// The writer of the texts that a tool asks for.
    pub author: AuthorChoice,
    /// The provider of models that may be asked.
    pub provider: ProviderConfig,
    /// The names of a project's files and folders.
    pub names: ProjectNames,
    /// The changes to the default checks.
    pub checks: Tuning,
}

impl NovelConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.provider.check(self.author)?;
        self.checks.check().map_err(|error| ConfigError(format!("novel.checks: {error}")))?;
        let names = &self.names;
        let all = [
            ("settings", &names.settings),
            ("planning", &names.planning),
            ("chapter_plots", &names.chapter_plots),
            ("episode_plots", &names.episode_plots),
            ("world", &names.world),
            ("manuscripts", &names.manuscripts),
            ("management", &names.management),
            ("prompts", &names.prompts),
            ("backups", &names.backups),
        ];
        for (key, name) in all {
            let is_inside = !name.is_empty()
                && !name.starts_with('/')
                && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
            if !is_inside {
                return Err(ConfigError(format!(
                    "novel.names.{key}: {name:?} is not a name inside a project, such as \"原稿\" or \"novel/drafts\""
                )));
            }
        }
        Ok(())
    }
}
