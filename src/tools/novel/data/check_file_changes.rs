//! The `check_file_changes` tool: compares files with hashes noted earlier.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use fumi_base::text::Locale;
use fumi_kernel::{Cx, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::references::{FileChanges, changes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DATA, NovelDeps, READS,
    reference::{HashedFile, parse_hash},
    texts,
};

#[derive(Debug)]
pub struct CheckFileChanges;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The noted files.
    #[schemars(length(min = 1))]
    files: Vec<NotedFile>,
}

/// A file as it was noted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotedFile {
    /// The path of the file.
    #[schemars(length(min = 1))]
    path: String,
    /// The SHA-256 of the file, or its first digits.
    #[schemars(length(min = 1))]
    hash: String,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// True if no file has changed and none is new.
    is_unchanged: bool,
    unchanged: Vec<String>,
    /// The changed files in their current state.
    changed: Vec<HashedFile>,
    missing: Vec<String>,
    /// The files of the same kinds in the same folders that were not noted.
    new: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

impl Tool for CheckFileChanges {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_file_changes",
        toolset: DATA,
        texts: texts!("check_file_changes"),
        example: r#"{"files": [{"path": "README.md", "hash": "ba7816bf8f01"}]}"#,
        options: &[SharedOption::Project, SharedOption::Cursor],
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, _: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let mut known = BTreeMap::new();
        for noted in args.files {
            known.insert(noted.path, parse_hash(&noted.hash)?);
        }
        let project = Arc::clone(&cx.project);
        let work = cx.blocking(move |cancel, _| changes(&project, &known, || cancel.is_cancelled()));
        let FileChanges { unchanged, changed, missing, new } = work.await?;
        Ok(ToolOutcome::Done(Output {
            success: true,
            is_unchanged: changed.is_empty() && missing.is_empty() && new.is_empty(),
            changed: changed.into_iter().map(HashedFile::from).collect(),
            unchanged,
            missing,
            new,
            ..Output::default()
        }))
    }
}

/// Returns the rows of a list within a range, and moves the range past the list for the rows that follow.
fn part<T: Clone>(list: &[T], rows: &mut Range<usize>) -> Vec<T> {
    let (from, to) = (rows.start.min(list.len()), rows.end.min(list.len()));
    *rows = rows.start.saturating_sub(list.len())..rows.end.saturating_sub(list.len());
    list[from..to].to_vec()
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let [unchanged, changed, missing, new] = match locale {
            Locale::En => ["unchanged", "changed", "missing", "new"],
            Locale::Ja => ["変更なし", "変更あり", "見つからない", "新規"],
        };
        let mut lines = Vec::new();
        lines.extend(self.changed.iter().map(|file| format!("{changed}: {}", file.line())));
        for (word, paths) in [(missing, &self.missing), (new, &self.new), (unchanged, &self.unchanged)] {
            lines.extend(paths.iter().map(|path| format!("{word}: {path}")));
        }
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.changed.len() + self.missing.len() + self.new.len() + self.unchanged.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.rows());
        let mut rows = rows.start..end;
        let page = Self {
            // Changed files come first because they matter most.
            changed: part(&self.changed, &mut rows),
            missing: part(&self.missing, &mut rows),
            new: part(&self.new, &mut rows),
            unchanged: part(&self.unchanged, &mut rows),
            next: None,
            ..*self
        };
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
