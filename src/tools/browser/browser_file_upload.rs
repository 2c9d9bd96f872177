//! `browser_file_upload`: passes files of the project to the open file chooser, or cancels it.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::{self, Line},
    saved, texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct FileUpload;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Files of the project; none cancels.
    pub paths: Option<Vec<String>>,
}

impl TabTool for FileUpload {
    const SPEC: Spec = Spec {
        name: "browser_file_upload",
        texts: texts!("browser_file_upload"),
        example: r#"{"paths": ["README.md"]}"#,
        ..ACTS
    };
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        let files = playwright::list(args.paths.as_deref().unwrap_or_default());
        vec![Line::raw(
            &format!("(await page.waitForEvent('filechooser')).setFiles({files})"),
            Vec::new(),
        )]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        saved::given(cx, args.paths.as_deref().unwrap_or_default()).map(drop)
    }

    async fn act(args: Args, on: &mut On<'_>, cx: &Cx) -> Result<Nothing, ToolError> {
        let files = saved::given(cx, args.paths.as_deref().unwrap_or_default())?;
        on.tab.upload((!files.is_empty()).then_some(&files)).await?;
        Ok(Nothing {})
    }
}
