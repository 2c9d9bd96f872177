//! Files that pages get from the project, and files that are saved from pages.
//!
//! Saved files go to [`FOLDER`], which git ignores.

use std::{io, path::PathBuf, sync::Arc};

use fumi_base::{
    atomic_write::{WriteError, is_free, replace, replace_from},
    files::{OUTPUT_FOLDER, OutputError, OutputName},
    project::{Project, quoted},
};

use fumi_browser::PageDownload;

use super::errors::BrowserCallError;
use crate::tool::{Cx, ToolError};

/// The folder for saved files, relative to the project root.
pub(super) const FOLDER: &str = ".fumi/browser";

/// The longest file name of common file systems, in bytes.
const NAME_BYTES: usize = 255;

/// The largest number that is added to a name that exists.
const NUMBERS: u32 = 999;

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
        || "passing filename would write a file".to_owned(),
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
    let names = [download.name.as_str(), download.id.as_str()];
    let Some(wanted) = names.into_iter().find_map(|name| output_path(cx, name).ok()) else {
        return Ok(None);
    };
    // The file has been moved before.
    let Some(file) = download.open() else {
        return Ok(None);
    };
    let project = Arc::clone(&cx.project);
    let name = cx.blocking(move |_, _| unused_path(&project, &wanted)).await?;
    let saved = save(cx, &name, file).await?;
    // The original is removed only now, so that nothing is lost if saving failed.
    download.remove_file();
    Ok(Some(saved))
}

/// Returns the path, or the first of its numbered variants that certainly does not exist, so that earlier files are
/// kept.
fn unused_path(project: &Project, path: &str) -> Result<String, WriteError> {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let (stem, ending) = match name.rfind('.') {
        Some(at) if at > 0 => name.split_at(at),
        _ => (name, ""),
    };
    let numbered = (2..=NUMBERS).map(|number| {
        let rest = format!(" ({number}){ending}");
        let stem = &stem[..stem.floor_char_boundary(NAME_BYTES.saturating_sub(rest.len()))];
        format!("{folder}{stem}{rest}")
    });
    for path in std::iter::once(path.to_owned()).chain(numbered) {
        if is_free(project, &path)? {
            return Ok(path);
        }
    }
    Err(WriteError::Taken {
        path: path.to_owned(),
        reason: "it exists, as do its numbered variants up to (999); move some of them away",
        reason_ja: "この名前も (999) までの番号付きの名前もすでにあります。いくつか移してください",
    })
}

/// Writes a file atomically and returns its path in the project.
pub(super) async fn save(cx: &Cx, filename: &str, source: impl io::Read + Send + 'static) -> Result<String, ToolError> {
    let name = output_path(cx, filename)?;
    let project = Arc::clone(&cx.project);
    let shown = name.clone();
    cx.blocking(move |_, _| {
        const IGNORE: &str = ".fumi/.gitignore";
        if is_free(&project, IGNORE)? {
            replace(&project, IGNORE, b"*\n")?;
        }
        replace_from(&project, &name, source)?;
        Ok::<_, WriteError>(())
    })
    .await?;
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumi_base::{atomic_write::WriteError, project::Project};

    use super::{NUMBERS, unused_path};

    #[test]
    fn a_name_is_numbered_until_none_is_left() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let free = || unused_path(&project, "a.b/c.csv");
        assert_eq!(free().expect("no file exists"), "a.b/c.csv");
        fs::create_dir(root.path().join("a.b")).expect("a folder");
        fs::write(root.path().join("a.b/c.csv"), "").expect("written");
        std::os::unix::fs::symlink("nowhere", root.path().join("a.b/c (2).csv")).expect("a link");
        assert_eq!(free().expect("the third"), "a.b/c (3).csv");
        for number in 3..=NUMBERS {
            fs::write(root.path().join(format!("a.b/c ({number}).csv")), "").expect("written");
        }
        assert!(matches!(free(), Err(WriteError::Taken { .. })));
    }
}
