//! Files that pages get from the project, and files that are saved from pages.
//!
//! Saved files go to [`FOLDER`], which git ignores.

use std::{io, path::PathBuf, sync::Arc};

use fumi_base::{
    atomic_write::{WriteError, replace, replace_from},
    files::{OUTPUT_FOLDER, OutputError, OutputName},
    project::quoted,
};

use fumi_browser::PageDownload;

use super::errors::BrowserCallError;
use crate::tool::{Cx, ToolError};

/// The folder for saved files, relative to the project root.
pub(super) const FOLDER: &str = ".fumi/browser";

/// Returns the absolute paths of the project files that a call passes to a page: Chromium takes paths, not open files.
pub(super) fn upload_paths(cx: &Cx, paths: &[String]) -> Result<Vec<PathBuf>, ToolError> {
    let files = paths.iter().map(|path| {
        let file = cx.project.resolve(path)?;
        // Fails for a folder: Chromium would upload everything in it, and follow its links.
        drop(file.open()?);
        Ok(file.absolute())
    });
    files.collect()
}

/// Returns the path at which a file of this name is saved, if the caller may write. The name may contain folders, and
/// may begin with [`FOLDER`]; a name that leads elsewhere is an error.
pub(super) fn output_path(cx: &Cx, filename: &str) -> Result<String, ToolError> {
    cx.caller.access.check_write(
        || "a filename writes a file".to_owned(),
        || "filename を指定するとファイルが書き込まれます".to_owned(),
    )?;
    let inside = filename.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
    // The name follows the rules of every output; the folder is that of this module.
    let name = OutputName::parse(inside.unwrap_or(filename)).map_err(|error| match error {
        OutputError::Name { reason, reason_ja, .. } => BrowserCallError::Filename {
            filename: quoted(filename),
            reason,
            reason_ja,
        }
        .into(),
        disk @ OutputError::Write(_) => ToolError::from(disk),
    })?;
    Ok(name.shown().replacen(OUTPUT_FOLDER, FOLDER, 1))
}

/// Moves a complete download into the project and returns its path. Its name is the one that the page suggested, if
/// that is a valid file name, otherwise its id. Returns `None` if the caller may not write; the download then stays
/// with the session.
pub(super) async fn import_download(cx: &Cx, download: &PageDownload) -> Result<Option<String>, ToolError> {
    if download.file.is_none() {
        return Ok(None);
    }
    let name = [download.name.as_str(), download.id.as_str()];
    let Some(name) = name.into_iter().find(|name| output_path(cx, name).is_ok()) else {
        return Ok(None);
    };
    // The file has been moved before.
    let Some(file) = download.open() else {
        return Ok(None);
    };
    let saved = save(cx, &unused_name(cx, name), file).await?;
    // The original is removed only now, so that nothing is lost if saving failed.
    download.remove_file();
    Ok(Some(saved))
}

/// Returns the name, or the first of its numbered variants up to 999 that does not exist yet, so that earlier downloads
/// are kept.
fn unused_name(cx: &Cx, name: &str) -> String {
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

/// Writes a file atomically and returns its path in the project.
pub(super) async fn save(cx: &Cx, filename: &str, source: impl io::Read + Send + 'static) -> Result<String, ToolError> {
    let name = output_path(cx, filename)?;
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
