//! The `backup_management` tool: creates, lists, verifies, restores and prunes copies of a novel's files.

use std::{borrow::Cow, ops::Range, sync::Arc};

use fumi_base::{
    project::{PathError, Project},
    text::Locale,
    watched_path::WatchedPath,
};
use fumi_kernel::{CallProgress, Cx, NextPage, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    backups::{Backup, BackupTime, Backups, CopyDamage},
    errors::backup::BackupError,
    project::NovelProject,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DATA, NovelDeps, WRITES, alone, stamp, texts};
use tokio_util::sync::CancellationToken;

/// The maximum number of files named for a new backup.
const NAMED: usize = 50;
const NAMED_IN_LIST: usize = 5;

/// The default number of backups that `prune` retains.
const DEFAULT_KEEP: usize = 20;

#[derive(Debug)]
pub struct BackupManagement;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    action: BackupAction,
    /// The backup to verify or restore.
    #[schemars(length(min = 1))]
    backup_id: Option<String>,
    /// The files to back up or to restore.
    #[serde(default)]
    paths: Vec<String>,
    /// The reason for the backup.
    #[schemars(length(min = 1, max = 500))]
    reason: Option<String>,
    /// The number of backups to keep.
    #[schemars(range(min = 1, max = 10_000))]
    keep: Option<usize>,
}

/// An operation on backups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum BackupAction {
    /// Copies files.
    Create,
    /// Lists the backups.
    #[default]
    List,
    /// Compares the copies with their hashes.
    Verify,
    /// Restores files.
    Restore,
    /// Removes old backups.
    Prune,
}

/// The reply; its fields depend on the action.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    action: BackupAction,
    /// The new backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<BackupSummary>,
    /// The existing backups, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    backups: Option<Vec<BackupSummary>>,
    /// The number of backups.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// The incomplete backups that a crash left; `prune` removes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<String>,
    /// True if every copy is intact.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_whole: Option<bool>,
    /// The copies that are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    /// The copies that have changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<String>,
    /// The restored files.
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<Vec<String>>,
    /// The files that another program saved during the restoration; they are left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<String>,
    /// The id of the backup of the files that were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_backup_id: Option<String>,
    /// The removed backups.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<String>>,
    /// True if the reply lacks rows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

/// The description of a backup.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BackupSummary {
    backup_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    total_files: usize,
    total_size_bytes: u64,
    /// The first files of the backup.
    files: Vec<String>,
}

/// Returns the reason of a backup that fumi made, in Japanese; the reason of an author as it is.
fn reason_in_japanese(reason: &str) -> Cow<'_, str> {
    match reason {
        "before a new plot" => "プロットを作り直す前".into(),
        "before a new manuscript" => "原稿を書き直す前".into(),
        "before write" => "write で書き込む前".into(),
        "before write_blurb" => "紹介文を作り直す前".into(),
        "before check_fix" => "check_fix で修正する前".into(),
        "before rewrite_passage" => "一か所を書き直す前".into(),
        _ => match reason.strip_prefix("before restoring ") {
            Some(id) => format!("{id} を復元する前").into(),
            None => reason.into(),
        },
    }
}

impl BackupSummary {
    fn from_backup(backup: Backup, named: usize) -> Self {
        Self {
            created_at: backup.created_at().map(|time| time.shown()),
            total_files: backup.files.len(),
            total_size_bytes: backup.files.iter().map(|file| file.size).sum(),
            files: backup.files.into_iter().take(named).map(|file| file.path).collect(),
            backup_id: backup.id,
            reason: backup.reason,
        }
    }

    fn line(&self, locale: Locale) -> String {
        let more = if self.total_files > self.files.len() { ", …" } else { "" };
        let reason = match (self.reason.as_str(), locale) {
            ("", _) => String::new(),
            (reason, Locale::En) => format!(" \"{reason}\""),
            (reason, Locale::Ja) => format!("「{}」", reason_in_japanese(reason)),
        };
        let (id, count, bytes, files) =
            (&self.backup_id, self.total_files, self.total_size_bytes, self.files.join(", "));
        match (locale, count) {
            (Locale::En, 1) => format!("{id}{reason} (1 file, {bytes} B) {files}"),
            (Locale::En, _) => format!("{id}{reason} ({count} files, {bytes} B) {files}{more}"),
            (Locale::Ja, _) => format!("{id}{reason}（{count} ファイル、{bytes} B）{files}{more}"),
        }
    }
}

impl BackupAction {
    /// Returns the arguments that the action accepts.
    const fn takes(self) -> &'static [&'static str] {
        match self {
            Self::Create => &["paths", "reason"],
            Self::List => &[],
            Self::Verify => &["backup_id"],
            Self::Restore => &["backup_id", "paths"],
            Self::Prune => &["keep"],
        }
    }
}

impl Args {
    /// Returns an error for an argument that the action does not accept: it was meant for another action, which is not
    /// guessed.
    fn refuse_others(&self) -> Result<(), BackupError> {
        let given = [
            ("backup_id", self.backup_id.is_some()),
            ("paths", !self.paths.is_empty()),
            ("reason", self.reason.is_some()),
            ("keep", self.keep.is_some()),
        ];
        let other = given.into_iter().find(|(name, is_given)| *is_given && !self.action.takes().contains(name));
        match other {
            Some((argument, _)) => Err(BackupError::BackupArgument { action: self.action.name(), argument }),
            None => Ok(()),
        }
    }

    /// Returns an error for a path outside of the project, before anything else is done. Only paths to restore may be
    /// missing.
    fn check_paths(&self, project: &Arc<Project>) -> Result<(), PathError> {
        for path in &self.paths {
            match self.action {
                BackupAction::Restore => drop(WatchedPath::new(project, path)?),
                _ => drop(project.resolve(path)?),
            }
        }
        Ok(())
    }

    fn id(&self, backups: &Backups) -> Result<&str, BackupError> {
        if let Some(id) = &self.backup_id {
            return Ok(id);
        }
        let (complete, _) = backups.list()?;
        Err(BackupError::BackupIdMissing {
            action: self.action.name(),
            newest: complete.into_iter().next().map(|backup| backup.id),
        })
    }
}

impl Tool for BackupManagement {
    const SPEC: ToolSpec = ToolSpec {
        name: "backup_management",
        toolset: DATA,
        texts: texts!("backup_management"),
        example: r#"{"action": "create", "paths": ["README.md"], "reason": "before the second draft"}"#,
        ..WRITES
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        args.check_paths(&cx.project)?;
        args.refuse_others()?;
        let novel = deps.novel(cx);
        let backups = Backups::new(Arc::clone(&cx.project), &deps.names.backups);
        let writes = !matches!(args.action, BackupAction::List | BackupAction::Verify);
        let restoring = novel.clone();
        let work = move |_: &CancellationToken, _: &CallProgress| done(&args, &novel, &backups, &stamp());
        let output = if writes {
            deps.check_novel(cx).await?;
            alone(restoring, cx, "backup_management", work).await?
        } else {
            cx.blocking(work).await?
        };
        Ok(ToolOutcome::Done(output))
    }
}

fn done(args: &Args, novel: &NovelProject, backups: &Backups, now: &BackupTime) -> Result<Output, BackupError> {
    let mut output = Output { success: true, action: args.action, ..Output::default() };
    let paths: Vec<&str> = args.paths.iter().map(String::as_str).collect();
    match args.action {
        BackupAction::Create => {
            let own: Vec<String> = if paths.is_empty() {
                novel.own_files()?.iter().map(fumi_base::project::ProjectPath::shown).collect()
            } else {
                Vec::new()
            };
            let all: Vec<&str> = own.iter().map(String::as_str).chain(paths).collect();
            let reason = args.reason.as_deref().unwrap_or_default();
            output.backup = Some(BackupSummary::from_backup(backups.create(&all, reason, now)?, NAMED));
        }
        BackupAction::List => {
            let (complete, incomplete) = backups.list()?;
            output.total = Some(complete.len());
            let shown = complete.into_iter().map(|backup| BackupSummary::from_backup(backup, NAMED_IN_LIST));
            output.backups = Some(shown.collect());
            output.incomplete = incomplete;
        }
        BackupAction::Verify => {
            for damage in backups.verify(args.id(backups)?)? {
                match damage {
                    CopyDamage::Missing(path) => output.missing.push(path),
                    CopyDamage::Changed(path) => output.changed.push(path),
                }
            }
            output.is_whole = Some(output.missing.is_empty() && output.changed.is_empty());
        }
        BackupAction::Restore => {
            let only = (!paths.is_empty()).then_some(paths.as_slice());
            let restored = backups.restore(args.id(backups)?, only, now)?;
            output.restored = Some(restored.paths);
            output.kept = restored.kept;
            output.replaced_backup_id = restored.replaced.map(|backup| backup.id);
        }
        BackupAction::Prune => {
            output.removed = Some(backups.prune(args.keep.unwrap_or(DEFAULT_KEEP))?);
            output.total = Some(backups.list()?.0.len());
        }
    }
    Ok(output)
}

/// Returns the rows of a list within a range.
fn part<T: Clone>(list: &[T], rows: &Range<usize>) -> Vec<T> {
    list[rows.start.min(list.len())..rows.end.min(list.len())].to_vec()
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let is_en = locale == Locale::En;
        let say = |en: &'static str, ja: &'static str| if is_en { en } else { ja };
        let mut lines = Vec::new();
        if let Some(backup) = &self.backup {
            lines.push(format!("{}: {}", say("made", "作成"), backup.line(locale)));
        }
        if let Some(backups) = &self.backups {
            lines.push(format!(
                "{}: {}{}",
                say("backups", "バックアップ"),
                self.total.unwrap_or_default(),
                say("", " 件")
            ));
            lines.extend(backups.iter().map(|backup| backup.line(locale)));
        }
        lines.extend(self.is_whole.map(|is_whole| {
            let word = if is_whole {
                say("every copy is intact", "すべて正常です")
            } else {
                say("damaged", "破損があります")
            };
            word.to_owned()
        }));
        for (word, paths) in [
            (say("missing", "見つからない"), &self.missing),
            (say("changed", "変更あり"), &self.changed),
            (say("incomplete", "書きかけ"), &self.incomplete),
        ] {
            lines.extend(paths.iter().map(|path| format!("{word}: {path}")));
        }
        if let Some(restored) = &self.restored {
            lines.push(format!("{}: {}", say("restored", "復元"), restored.join(say(", ", "、"))));
            if !self.kept.is_empty() {
                let lead = say(
                    "saved by another program meanwhile and left as they are",
                    "復元中に別途保存されたため、そのまま残したファイル",
                );
                lines.push(format!("{lead}: {}", self.kept.join(say(", ", "、"))));
            }
        }
        if let Some(id) = &self.replaced_backup_id {
            lines.push(format!("{}: {id}", say("the replaced files are backed up as", "復元前のバックアップ")));
        }
        if let Some(removed) = &self.removed {
            lines.push(format!("{}: {}{}", say("removed", "削除"), removed.len(), say("", " 件")));
            lines.extend(removed.iter().cloned());
        }
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        let lists = [&self.restored, &self.removed].into_iter().flatten();
        let backups = self.backups.as_ref().map_or(0, Vec::len);
        let damaged = [&self.missing, &self.changed, &self.incomplete].into_iter().map(Vec::len);
        let lists = lists.map(Vec::len).chain(damaged).chain([backups]);
        lists.max().unwrap_or_default()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.rows());
        let rows = rows.start..end;
        let page = Self {
            backups: self.backups.as_ref().map(|list| part(list, &rows)),
            restored: self.restored.as_ref().map(|list| part(list, &rows)),
            removed: self.removed.as_ref().map(|list| part(list, &rows)),
            missing: part(&self.missing, &rows),
            changed: part(&self.changed, &rows),
            incomplete: part(&self.incomplete, &rows),
            ..self.clone()
        };
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
