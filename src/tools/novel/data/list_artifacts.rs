//! The `list_artifacts` tool: lists the texts that can be fetched by id, and the tools that made them.

use std::ops::Range;

use fumi_base::text::Locale;
use fumi_novel::artifacts::{Artifacts, Origin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DATA, NovelDeps, READS,
    reference::{Known, Place},
    texts,
};
use crate::tool::{Cx, Next, Outcome, Render, SharedOption, Spec, Tool, ToolError};

#[derive(Debug)]
pub struct ListArtifacts;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Only those that lie there.
    place: Option<Place>,
}

/// What it answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// All there are.
    total: usize,
    artifacts: Vec<Known>,
    /// What a crash left, what changed since it was written, what cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

impl Tool for ListArtifacts {
    const SPEC: Spec = Spec {
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

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        let artifacts = Artifacts::of(deps.novel(cx));
        let origins = args.place.map_or(Origin::ALL.to_vec(), |place| vec![place.origin()]);
        let work = cx.blocking(move |cancel, _| artifacts.list(&origins, || cancel.is_cancelled()));
        let mut listing = work.await?;
        // A few names are enough to report the problem; there could be thousands.
        listing.broken.truncate(20);
        Ok(Outcome::Done(Output {
            success: true,
            total: listing.artifacts.len(),
            artifacts: listing.artifacts.into_iter().map(Known::from).collect(),
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
        lines.extend(self.artifacts.iter().map(Known::line));
        let broken = match locale {
            Locale::En => "broken or incomplete",
            Locale::Ja => "破損または書きかけ",
        };
        lines.extend(self.broken.iter().map(|path| format!("! {path} ({broken})")));
        lines.extend(self.next.as_ref().map(Next::line));
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

    fn mark(&mut self, next: &Next) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
