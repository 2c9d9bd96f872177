//! The `list_files_with_hashes` tool: lists the files below a folder with the hash of their content.

use std::ops::Range;

use fumi_base::text::Locale;
use fumi_kernel::{Cx, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::references::{FilePattern, reference_matching};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DATA, NovelDeps, READS, reference::HashedFile, texts};

#[derive(Debug)]
pub struct ListFilesWithHashes;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The folder or file to list.
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// A glob that the paths must match.
    #[schemars(length(min = 1))]
    pattern: Option<String>,
    /// The maximum number of files.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: usize,
}

fn default_limit() -> usize {
    500
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The number of rows in this reply.
    count: usize,
    files: Vec<HashedFile>,
    /// The files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
    /// True if more files exist than `limit`, or than fit into the reply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

impl Tool for ListFilesWithHashes {
    const SPEC: ToolSpec = ToolSpec {
        name: "list_files_with_hashes",
        toolset: DATA,
        texts: texts!("list_files_with_hashes"),
        example: r#"{"path": ".", "pattern": "*.md"}"#,
        options: &[SharedOption::Project, SharedOption::Cursor],
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, _: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let top = match &args.path {
            Some(path) => cx.project.resolve(path)?,
            None => cx.project.root_path(),
        };
        let pattern = args.pattern.as_deref().map(FilePattern::parse).transpose()?;
        let work = cx.blocking(move |cancel, _| {
            let is_wanted = |path: &str| pattern.as_ref().is_none_or(|pattern| pattern.matches(path));
            reference_matching(&top, args.limit, is_wanted, || cancel.is_cancelled())
        });
        let mut found = work.await?;
        // A few names are enough to report the problem; there could be thousands.
        found.skipped.truncate(20);
        Ok(ToolOutcome::Done(Output {
            success: true,
            count: found.files.len(),
            files: found.files.into_iter().map(HashedFile::from).collect(),
            skipped: found.skipped,
            truncated: found.has_more,
            next: None,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let count = self.count;
        let mut lines = vec![match (locale, &self.next) {
            (Locale::En, Some(next)) => format!("{count} of {} files", next.of),
            (Locale::Ja, Some(next)) => format!("{} 件中 {count} 件", next.of),
            (Locale::En, None) if self.truncated => {
                format!("{count} files; there are more: raise limit, or narrow path or pattern")
            }
            (Locale::Ja, None) if self.truncated => {
                format!("{count} 件。まだあります（limit を増やすか、path や pattern で絞ってください）")
            }
            (Locale::En, None) => format!("{count} files"),
            (Locale::Ja, None) => format!("{count} 件"),
        }];
        lines.extend(self.files.iter().map(HashedFile::line));
        lines.extend(self.skipped.iter().map(|path| format!("! {path}")));
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.files.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.files.len());
        let files = self.files[rows.start.min(end)..end].to_vec();
        let page = Self { count: files.len(), files, skipped: self.skipped.clone(), next: None, ..*self };
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
