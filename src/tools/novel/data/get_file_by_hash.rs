//! The `get_file_by_hash` tool: finds the current files with a content, even if they were moved.

use std::ops::Range;

use fumi_base::text::Locale;
use fumi_novel::artifacts::Artifacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DATA, NovelDeps, READS,
    reference::{Known, hash_of},
    texts,
};
use crate::tool::{Cx, Next, Outcome, Render, SharedOption, Spec, Tool, ToolError};

#[derive(Debug)]
pub struct GetFileByHash;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// All or the first digits.
    #[schemars(length(min = 1))]
    hash: String,
}

/// What it answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// All 64 digits.
    hash: String,
    /// How many files have this content.
    count: usize,
    files: Vec<Known>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

impl Tool for GetFileByHash {
    const SPEC: Spec = Spec {
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

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        let hash = hash_of(&args.hash)?;
        let artifacts = Artifacts::of(deps.novel(cx));
        let work = cx.blocking(move |cancel, _| artifacts.all(&hash, || cancel.is_cancelled()));
        let files: Vec<Known> = work.await?.into_iter().map(Known::from).collect();
        Ok(Outcome::Done(Output {
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
        let mut lines = vec![format!("{} ({})", self.hash, self.count)];
        lines.extend(self.files.iter().map(Known::line));
        lines.extend(self.next.as_ref().map(Next::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.files.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.files.len());
        let page = Self {
            hash: self.hash.clone(),
            files: self.files[rows.start.min(end)..end].to_vec(),
            next: None,
            ..*self
        };
        (page, end)
    }

    fn mark(&mut self, next: &Next) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
