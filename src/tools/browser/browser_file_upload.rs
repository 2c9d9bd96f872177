//! `browser_file_upload`: passes files of the project to the open file chooser, or cancels it.

use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation, artifacts,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    texts,
};

#[derive(Debug)]
pub struct FileUpload;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Paths of files in the project; without them, the file chooser is cancelled.
    pub paths: Option<Vec<String>>,
}

impl TabTool for FileUpload {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_file_upload",
        texts: texts!("browser_file_upload"),
        example: r#"{"paths": ["README.md"]}"#,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Args) -> Vec<CodeLine> {
        let files = playwright::list(args.paths.as_deref().unwrap_or_default());
        vec![CodeLine::raw(&format!("(await page.waitForEvent('filechooser')).setFiles({files})"), Vec::new())]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        artifacts::upload_paths(cx, args.paths.as_deref().unwrap_or_default()).map(drop)
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        let files = artifacts::upload_paths(cx, args.paths.as_deref().unwrap_or_default())?;
        on.tab.upload((!files.is_empty()).then_some(&files)).await?;
        Ok(EmptyAnswer {})
    }
}
