//! The `list_artifacts` tool: lists the texts that can be fetched by id, and the tools that made them.

use std::ops::Range;

use fumi_base::text::Locale;
use fumi_kernel::{Cx, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::artifacts::{ArtifactOrigin, ArtifactStore};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DATA, NovelDeps, READS, reference::ArtifactInfo, texts};

#[derive(Debug)]
pub struct ListArtifacts;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The place to list; by default all.
    place: Option<ArtifactOrigin>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The number of artifacts.
    total: usize,
    artifacts: Vec<ArtifactInfo>,
    /// Files that a crash left, that changed since they were written, or that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

impl Tool for ListArtifacts {
    const SPEC: ToolSpec = ToolSpec {
        name: "list_artifacts",
        toolset: DATA,
        texts: texts!("list_artifacts"),
        example: r#"{"place": "novel"}"#,
        options: &[SharedOption::Project, SharedOption::Cursor],
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let artifacts = ArtifactStore::new(deps.novel(cx));
        let origins = args.place.map_or(ArtifactOrigin::ALL.to_vec(), |place| vec![place]);
        let work = cx.blocking(move |cancel, _| artifacts.list(&origins, || cancel.is_cancelled()));
        let mut listing = work.await?;
        // A few names are enough to report the problem; there could be thousands.
        listing.broken.truncate(20);
        Ok(ToolOutcome::Done(Output {
            success: true,
            total: listing.artifacts.len(),
            artifacts: listing.artifacts.into_iter().map(ArtifactInfo::from).collect(),
            broken: listing.broken,
            truncated: false,
            next: None,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![match locale {
            Locale::En => format!("{} artifacts", self.total),
            Locale::Ja => format!("成果物 {} 件", self.total),
        }];
        let mut last = None;
        for artifact in &self.artifacts {
            let (folder, line) = artifact.folder_and_line();
            if last.replace(folder) != Some(folder) {
                lines.push(format!("{}/", if folder.is_empty() { "." } else { folder }));
            }
            lines.push(line);
        }
        let broken = match locale {
            Locale::En => "broken or incomplete",
            Locale::Ja => "破損または書きかけ",
        };
        lines.extend(self.broken.iter().map(|path| format!("! {path} ({broken})")));
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.artifacts.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.artifacts.len());
        let page = Self {
            artifacts: self.artifacts[rows.start.min(end)..end].to_vec(),
            broken: self.broken.clone(),
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
