//! Files that pages get and give: of the project, and into it, in a folder that git ignores.

use std::sync::Arc;

use fumi_base::{
    files::{OUTPUT_FOLDER, OutputError, OutputName},
    project::{ProjectPath, quoted},
    writing::{WriteError, replace},
};

use super::refused::Refused;
use crate::tool::{Cx, ToolError};

/// Where they go, in the project.
pub(super) const FOLDER: &str = ".fumi/browser";

/// The files of the project that a call gives to a page.
pub(super) fn given(cx: &Cx, paths: &[String]) -> Result<Vec<ProjectPath>, ToolError> {
    let files = paths.iter().map(|path| cx.project.resolve(path));
    Ok(files.collect::<Result<_, _>>()?)
}

/// Where a file of this name goes, if the caller may write. A name may have folders, and may say the folder that it lands in;
/// one that leads elsewhere is refused.
pub(super) fn place(cx: &Cx, filename: &str) -> Result<String, ToolError> {
    if cx.caller.access.read_only {
        return Err(Refused::ReadOnly.into());
    }
    let inside = filename.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
    // The rules for a name that a client gives are those of every output; where it lands is ours.
    let name = OutputName::parse(inside.unwrap_or(filename)).map_err(|error| match error {
        OutputError::Name { reason, reason_ja, .. } => Refused::Filename {
            filename: quoted(filename),
            reason,
            reason_ja,
        }
        .into(),
        disk @ OutputError::Io { .. } => ToolError::from(disk),
    })?;
    Ok(name.shown().replacen(OUTPUT_FOLDER, FOLDER, 1))
}

/// Writes a file, whole or not at all, and returns its path in the project.
pub(super) async fn save(cx: &Cx, filename: &str, bytes: Vec<u8>) -> Result<String, ToolError> {
    let name = place(cx, filename)?;
    let project = Arc::clone(&cx.project);
    let shown = name.clone();
    cx.blocking(move |_, _| {
        const IGNORE: &str = ".fumi/.gitignore";
        if project.resolve(IGNORE).is_err() {
            replace(&project, IGNORE, b"*\n")?;
        }
        replace(&project, &name, &bytes)?;
        Ok::<_, WriteError>(())
    })
    .await?;
    Ok(shown)
}
