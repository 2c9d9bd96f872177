//! Files that pages get and give: of the project, and into it, in a folder that git ignores.

use std::{io, path::PathBuf, sync::Arc};

use fumi_base::{
    files::{OUTPUT_FOLDER, OutputError, OutputName},
    project::quoted,
    writing::{WriteError, replace, replace_from},
};

use fumi_browser::Download;

use super::refused::Refused;
use crate::tool::{Cx, ToolError};

/// Where they go, in the project.
pub(super) const FOLDER: &str = ".fumi/browser";

/// The files of the project that a call gives to a page, as Chromium opens them: it takes names, not open files.
pub(super) fn given(cx: &Cx, paths: &[String]) -> Result<Vec<PathBuf>, ToolError> {
    let files = paths.iter().map(|path| {
        let file = cx.project.resolve(path)?;
        // Of a folder Chromium would take what lies in it, also what links there lead to.
        drop(file.open()?);
        Ok(file.absolute())
    });
    files.collect()
}

/// Where a file of this name goes, if the caller may write. A name may have folders, and may say the folder that it lands in;
/// one that leads elsewhere is refused.
pub(super) fn place(cx: &Cx, filename: &str) -> Result<String, ToolError> {
    cx.caller.access.may(
        || "a filename writes a file".to_owned(),
        || "filename を指定するとファイルが書き込まれます".to_owned(),
    )?;
    let inside = filename.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
    // The rules for a name that a client gives are those of every output; where it lands is ours.
    let name = OutputName::parse(inside.unwrap_or(filename)).map_err(|error| match error {
        OutputError::Name { reason, reason_ja, .. } => Refused::Filename {
            filename: quoted(filename),
            reason,
            reason_ja,
        }
        .into(),
        disk @ OutputError::Write(_) => ToolError::from(disk),
    })?;
    Ok(name.shown().replacen(OUTPUT_FOLDER, FOLDER, 1))
}

/// Moves a download that is whole into the project, under the name that the page gave it if a file may have that, else under
/// its own; where the caller may not write it stays with the session.
pub(super) async fn take(cx: &Cx, download: &Download) -> Result<Option<String>, ToolError> {
    if download.file.is_none() {
        return Ok(None);
    }
    let name = [download.name.as_str(), download.id.as_str()];
    let Some(name) = name.into_iter().find(|name| place(cx, name).is_ok()) else {
        return Ok(None);
    };
    // Taken before.
    let Some(file) = download.open() else {
        return Ok(None);
    };
    let saved = save(cx, &free(cx, name), file).await?;
    // Only now: what could not be saved is still there.
    download.let_go();
    Ok(Some(saved))
}

/// The name, or the next one that no file has: nothing that was downloaded before is lost.
fn free(cx: &Cx, name: &str) -> String {
    let (stem, ending) = name
        .rsplit_once('.')
        .map_or((name, String::new()), |(stem, ending)| (stem, format!(".{ending}")));
    let is_free = |name: &String| cx.project.resolve(&format!("{FOLDER}/{name}")).is_err();
    let numbered = (2..1_000).map(|number| format!("{stem} ({number}){ending}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(is_free)
        .unwrap_or_else(|| name.to_owned())
}

/// Writes a file, whole or not at all, and returns its path in the project.
pub(super) async fn save(cx: &Cx, filename: &str, source: impl io::Read + Send + 'static) -> Result<String, ToolError> {
    let name = place(cx, filename)?;
    let project = Arc::clone(&cx.project);
    let shown = name.clone();
    cx.blocking(move |_, _| {
        const IGNORE: &str = ".fumi/.gitignore";
        if project.resolve(IGNORE).is_err() {
            replace(&project, IGNORE, b"*\n")?;
        }
        replace_from(&project, &name, source)?;
        Ok::<_, WriteError>(())
    })
    .await?;
    Ok(shown)
}
