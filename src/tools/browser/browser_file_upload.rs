//! `browser_file_upload`: gives files of the project to the file chooser that is open, or cancels it.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

/// See the module.
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

    async fn act(args: Args, on: &mut On<'_>, cx: &Cx) -> Result<Nothing, ToolError> {
        let paths = args.paths.unwrap_or_default();
        let files = paths.iter().map(|path| cx.project.resolve(path));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        on.tab.upload((!files.is_empty()).then_some(&files)).await?;
        Ok(Nothing {})
    }
}
