//! The `get_file_by_hash` tool: finds the current files with a content, even if they were moved.

use std::ops::Range;

use fumi_base::text::Locale;
use fumi_kernel::{Cx, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::artifacts::ArtifactStore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DATA, NovelDeps, READS,
    reference::{ArtifactInfo, parse_hash},
    texts,
};

#[derive(Debug)]
pub struct GetFileByHash;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The hash: all digits, or the first ones.
    #[schemars(length(min = 1))]
    hash: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The complete hash of 64 digits.
    hash: String,
    /// The number of files with this content.
    count: usize,
    files: Vec<ArtifactInfo>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

impl Tool for GetFileByHash {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_file_by_hash",
        toolset: DATA,
        texts: texts!("get_file_by_hash"),
        example: r#"{"hash": "ba7816bf8f01"}"#,
        options: &[SharedOption::Project, SharedOption::Cursor],
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let hash = parse_hash(&args.hash)?;
        let artifacts = ArtifactStore::new(deps.novel(cx));
        let work = cx.blocking(move |cancel, _| artifacts.all(&hash, || cancel.is_cancelled()));
        let files: Vec<ArtifactInfo> = work.await?.into_iter().map(ArtifactInfo::from).collect();
        Ok(ToolOutcome::Done(Output {
            success: true,
            hash: files.first().map(|file| file.hash.clone()).unwrap_or_default(),
            count: files.len(),
            files,
            truncated: false,
            next: None,
        }))
    }
}

impl Render for Output {
    fn text(&self, _: Locale) -> String {
        let mut lines: Vec<String> = self.files.iter().map(ArtifactInfo::line).collect();
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.files.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.files.len());
        let page =
            Self { hash: self.hash.clone(), files: self.files[rows.start.min(end)..end].to_vec(), next: None, ..*self };
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
