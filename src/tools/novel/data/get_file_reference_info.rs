//! The `get_file_reference_info` tool: describes the current content of a file by hash, size and type.

use fumi_base::{text::Locale, watched_path::file_stamp};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::references::FileReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DATA, NovelDeps, READS,
    reference::{HashedFile, time},
    texts,
};

#[derive(Debug)]
pub struct GetFileReferenceInfo;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1))]
    file_path: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    #[serde(flatten)]
    file: HashedFile,
    artifact_id: String,
    /// The modification time.
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<String>,
}

impl Tool for GetFileReferenceInfo {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_file_reference_info",
        toolset: DATA,
        texts: texts!("get_file_reference_info"),
        example: r#"{"file_path": "README.md"}"#,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, _: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let path = cx.project.resolve(&args.file_path)?;
        let look = cx.blocking(move |_, _| {
            let file = FileReference::read(&path)?;
            Ok::<_, ToolError>(Output {
                success: true,
                artifact_id: file.hash.artifact_id(),
                file: file.into(),
                mtime: file_stamp(&path)?.and_then(|mark| time(mark.modified.0)),
            })
        });
        Ok(ToolOutcome::Done(look.await?))
    }
}

impl Render for Output {
    fn text(&self, _: Locale) -> String {
        let mtime = self.mtime.as_deref().unwrap_or_default();
        format!("{} {} {mtime}", self.file.line(), self.file.content_type).trim_end().to_owned()
    }
}
