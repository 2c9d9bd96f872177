//! The `init` tool: abolished by the specification and not listed. A call gets an error that names the replacement.
//!
//! It creates nothing: the folder of a new novel is chosen at the command line, where its owner sees the path.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BOOK, NovelDeps, READS, texts};

#[derive(Debug)]
pub struct Init;

/// The arguments that earlier versions of the tool took.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The name of the novel.
    #[expect(dead_code, reason = "an old call is parsed, so that its error names the replacement")]
    project_name: Option<String>,
}

/// The tool never returns an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
}

impl Tool for Init {
    const SPEC: ToolSpec = ToolSpec { name: "init", listed: false, texts: texts!("init"), ..READS };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(_args: Args, _deps: &NovelDeps, _cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        Err(ToolError::from_message(BOOK.error_message("INIT_ABOLISHED", &[])))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        String::new()
    }
}
