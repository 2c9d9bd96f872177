//! Files that a tool saves: inside the project, in a folder that git ignores.

use std::sync::Arc;

use fumi_base::{
    files::{OUTPUT_FOLDER, OutputError, OutputName},
    project::quoted,
    writing::{WriteError, replace},
};

use super::refused::Refused;
use crate::tool::{Cx, ToolError};

/// Where they go, in the project.
pub(super) const FOLDER: &str = ".fumi/browser";

/// Writes a file, whole or not at all, and returns its path in the project. A name may have folders, and may say the folder
/// that it lands in; one that leads elsewhere is refused.
pub(super) async fn save(cx: &Cx, filename: &str, bytes: Vec<u8>) -> Result<String, ToolError> {
    if cx.caller.access.read_only {
        return Err(Refused::ReadOnly.into());
    }
    let inside = filename
        .strip_prefix(FOLDER)
        .map_or(filename, |rest| rest.trim_start_matches('/'));
    // The rules for a name that a client gives are those of every output; where it lands is ours.
    let name = OutputName::parse(inside).map_err(|error| match error {
        OutputError::Name { reason, reason_ja, .. } => Refused::Filename {
            filename: quoted(filename),
            reason,
            reason_ja,
        }
        .into(),
        other => ToolError::from(other),
    })?;
    let name = name.shown().replacen(OUTPUT_FOLDER, FOLDER, 1);
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
