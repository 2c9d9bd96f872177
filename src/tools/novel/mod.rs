//! The novel toolsets: the parts that their tools share. Each file is one tool; the domain of novels is in the crate
//! `fumi-novel`.
//!
//! Times come from [`now`] and are passed down: the domain reads no clock. Files are read and written in
//! [`fumi_kernel::Cx::blocking`], and work that writes is run by [`alone`].

pub mod checking;
pub mod data;
pub mod enhanced;
pub mod init;
pub mod noveler;
pub mod noveler_complete;
pub mod plotting;
pub mod prompts;
mod rounding;
pub mod status;
mod suggestion;
pub mod write;
pub mod writing;

use std::{
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use fumi_base::{
    atomic_write::sweep_below,
    errors::ErrorCatalog,
    listing::{FolderEntryKind, list},
    pools::Pool,
    project::Project,
    project_locks::ProjectLocks,
    roots::AllowedRoots,
    store::Store,
    text::Locale,
};
use fumi_kernel::{CallProgress, Cx, Effect, GuidanceExtras, SharedOption, ToolError, ToolFamily, ToolSpec};
use fumi_novel::{
    backups::BackupTime,
    change_set,
    checks::Tuning,
    project::{EpisodeId, NovelProject, ProjectNames},
    writing::UtcTime,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};
use tokio_util::sync::CancellationToken;

use crate::texts;

/// The toolset for writing, planning and publishing.
pub const NOVEL: &str = "novel";
/// The toolset with one tool for each of the ten stages.
pub const STEPS: &str = "novel-steps";
/// The toolset for staged reviews, and writing with diagnosis.
pub const REVIEW: &str = "novel-review";
/// The toolset for files by reference, artifacts and backups.
pub const DATA: &str = "novel-data";

/// The catalogue of errors common to every call of this family.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// The properties that all novel tools share.
pub static FAMILY: ToolFamily = NOVEL_FAMILY;

const NOVEL_FAMILY: ToolFamily = ToolFamily {
    renamed: &[("episode_number", "episode")],
    // Twice the limit of a manuscript (decision 16): a text that is slightly too long gets the tool's own error.
    max_string_bytes: 8 << 20,
    subject: &["episode", "session_id"],
    book: Some(|| &BOOK),
    unlisted: &[SharedOption::Timeout, SharedOption::Delivery],
    guides: Some(GuidanceExtras {
        also_as: "claude_guidance",
        tool: "status",
        en: "Shows the state of the novel, what is missing and what is open.",
        ja: "この作品に何があり、何が足りず、何が途中かを示します。",
    }),
    ..ToolFamily::new("novel")
};

/// The family of the enhanced writing tools, whose errors name their execution method.
pub static ENHANCED: ToolFamily = ToolFamily { details: &[("execution_method", "enhanced_use_case")], ..NOVEL_FAMILY };

/// The base specification of a tool that only reads.
pub const READS: ToolSpec = ToolSpec { options: &[SharedOption::Project], ..ToolSpec::base(NOVEL, &FAMILY) };

/// The specification of a tool that writes to the project, one call at a time.
pub const WRITES: ToolSpec = ToolSpec { pool: Pool::Write, exclusive: true, effect: Effect::Write, ..READS };

/// The dependencies of novel tools.
#[derive(Debug)]
pub struct NovelDeps {
    /// The names of a project's files.
    pub names: ProjectNames,
    /// The configured tuning of the checks.
    pub checks: Tuning,
    /// The store for reviews of callers that may only read.
    pub store: Arc<dyn Store>,
}

impl NovelDeps {
    /// Returns the dependencies for a configuration.
    pub fn new(config: &fumi_config::NovelConfig, store: Arc<dyn Store>) -> Self {
        Self { store, names: config.names.clone(), checks: config.checks.clone() }
    }

    /// Returns an error if the folder is not a novel, before anything is written to it.
    pub async fn check_novel(&self, cx: &Cx) -> Result<(), ToolError> {
        let novel = self.novel(cx);
        cx.blocking(move |_, _| novel.survey()?.require_novel(novel.names())).await
    }

    /// Returns an error if the episode has no manuscript or the settings are invalid, before anything is written.
    pub async fn check_manuscript(&self, cx: &Cx, episode: EpisodeId) -> Result<(), ToolError> {
        let novel = self.novel(cx);
        let look = cx.blocking(move |_, _| {
            novel.survey_to_write()?.require_novel(novel.names())?;
            novel.manuscript(episode).map(drop)
        });
        look.await
    }

    /// Returns the novel project of a call.
    pub fn novel(&self, cx: &Cx) -> NovelProject {
        NovelProject::new(Arc::clone(&cx.project), self.names.clone())
    }
}

/// Runs work in [`Cx::alone`] of a novel, after finishing any write that a crash interrupted.
pub async fn alone<T, E>(
    novel: NovelProject,
    cx: &Cx,
    holder: &str,
    work: impl FnOnce(&CancellationToken, &CallProgress) -> Result<T, E> + Send + 'static,
) -> Result<T, ToolError>
where
    T: Send + 'static,
    E: Into<ToolError> + Send + 'static,
{
    cx.run_exclusively(holder, move |cancel, progress| {
        finish(novel.project());
        work(cancel, progress)
    })
    .await
}

/// Finishes a write that a crash interrupted. The caller must hold the project's write lock.
fn finish(project: &Arc<Project>) {
    match change_set::finish(project) {
        Ok(kept) if kept.is_empty() => {}
        Ok(kept) => tracing::warn!(?kept, "an interrupted write left files that were changed since"),
        // The status tool reports it.
        Err(error) => tracing::warn!(%error, "an interrupted write cannot be finished"),
    }
}

/// The folder of all files that fumi writes for the caller of a tool, relative to the project root.
const OUTPUT_ROOT: &str = ".fumi";

/// The maximum number of folders of a root that are searched when the server starts.
const FOLDERS: usize = 1_000;

/// Finishes interrupted writes in the configured projects and in the folders directly inside them, and removes
/// unfinished output files. Skips a project that another process is writing to, which finishes them itself.
pub async fn finish_interrupted(roots: &AllowedRoots, writers: &ProjectLocks) {
    let at_once = CancellationToken::new();
    at_once.cancel();
    let inside = |project: &Arc<Project>| {
        let listed = list(&project.root_path(), FOLDERS).map(|(listed, _)| listed).unwrap_or_default();
        let folders = listed.into_iter().filter(|entry| entry.kind == FolderEntryKind::Folder);
        let paths = folders.map(|entry| entry.path.absolute());
        // fumi leaves unfinished files only below these folders, and opening a project takes longer than this look.
        let may_be_unfinished = |path: &PathBuf| {
            let exists = |name| path.join(name).symlink_metadata().is_ok();
            exists(OUTPUT_ROOT) || exists(change_set::FOLDER)
        };
        let opened = paths.filter(may_be_unfinished).filter_map(|path| roots.reopen(&path).ok()?);
        opened.chain([Arc::clone(project)]).collect::<Vec<_>>()
    };
    for project in roots.projects().flat_map(inside) {
        sweep_below(&project, OUTPUT_ROOT);
        if !change_set::is_interrupted(&project) {
            continue;
        }
        if let Ok(turn) = writers.acquire(&project, "start", &at_once).await {
            let work = move || {
                turn.run(|| finish(&project));
                turn
            };
            if let Ok(turn) = tokio::task::spawn_blocking(work).await {
                turn.release().await;
            }
        }
    }
}

/// Returns the current time in UTC, to the millisecond.
///
/// # Panics
///
/// Never: the formatted time is always valid.
pub fn now() -> UtcTime {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    UtcTime::parse(&now).expect("a time in its form")
}

/// Returns the current time in UTC, in the form used in names of backups.
///
/// # Panics
///
/// Never, as with [`now`].
pub fn stamp() -> BackupTime {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    BackupTime::parse(&now).expect("a time in its form")
}

/// Formats a time in UTC for people, without seconds.
pub fn shown_time(time: &str, locale: Locale) -> String {
    let time = time.rsplit_once(':').map_or(time, |(time, _)| time).replace('T', " ");
    match locale {
        Locale::En => time,
        Locale::Ja => time.replace('-', "/"),
    }
}

/// The number of an episode, as an argument.
#[derive(Clone, Copy, Debug)]
pub struct EpisodeNumber(pub EpisodeId);

impl<'de> Deserialize<'de> for EpisodeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(deserializer)?;
        let episode =
            EpisodeId::new(number).ok_or_else(|| D::Error::custom("an episode is a number from 1 to 99999"))?;
        Ok(Self(episode))
    }
}

impl JsonSchema for EpisodeNumber {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EpisodeNumber".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": 99_999})
    }
}
