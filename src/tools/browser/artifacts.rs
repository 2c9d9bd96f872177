//! Files that pages get from the project, and files that are saved from pages.
//!
//! Saved files go to [`FOLDER`], which git ignores.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::{
    atomic_write::{is_free, replace_from, write_unused},
    files::{OUTPUT_FOLDER, OutputError, OutputName, ignore_outputs},
    text::Locale,
};

use fumi_browser::PageDownload;
use fumi_kernel::{Cx, ToolError};

use super::errors::BrowserCallError;

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
        OutputError::OutputFileRefused { reason, .. } => {
            BrowserCallError::FilenameRefused { filename: filename.to_owned(), reason }.into()
        }
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
    let saved = cx
        .blocking(move |_, _| {
            ignore_outputs(&project)?;
            write_unused(&project, numbered(&wanted), file)
        })
        .await?;
    // The original is removed only now, so that nothing is lost if saving failed.
    download.remove_file();
    Ok(Some(saved))
}

/// Returns the path and its variants with the numbers 2 to [`NUMBERS`], each with a name of at most [`NAME_BYTES`].
fn numbered(path: &str) -> impl Iterator<Item = String> {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let (stem, ending) = match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at < NAME_BYTES / 2 => name.split_at(at),
        _ => (name, ""),
    };
    let numbered = (2..=NUMBERS).map(move |number| {
        let rest = format!(" ({number}){ending}");
        let stem = &stem[..stem.floor_char_boundary(NAME_BYTES.saturating_sub(rest.len()))];
        format!("{folder}{stem}{rest}")
    });
    std::iter::once(path.to_owned()).chain(numbered)
}

/// A file that was saved in the project.
pub(super) struct SavedFile {
    /// The path in the project.
    pub(super) path: String,
    /// True if it replaced a file of that name.
    pub(super) is_replacement: bool,
}

impl SavedFile {
    /// Returns the end of a sentence that says what the file replaced.
    pub(super) fn replaced(is_replacement: bool, locale: Locale) -> &'static str {
        match (is_replacement, locale) {
            (false, _) => "",
            (true, Locale::En) => ", replaced the earlier file",
            (true, Locale::Ja) => "、既存のファイルを上書き",
        }
    }
}

/// Writes a file atomically. A name without an extension gets this one.
pub(super) async fn save(
    cx: &Cx,
    filename: &str,
    extension: &str,
    source: impl io::Read + Send + 'static,
) -> Result<SavedFile, ToolError> {
    let path = output_path(cx, &with_extension(filename, extension))?;
    let project = Arc::clone(&cx.project);
    let written = path.clone();
    let is_replacement = cx
        .blocking(move |_, _| {
            ignore_outputs(&project)?;
            let is_replacement = !is_free(&project, &written)?;
            replace_from(&project, &written, source).map(|_| is_replacement)
        })
        .await?;
    Ok(SavedFile { path, is_replacement })
}

fn with_extension(filename: &str, extension: &str) -> String {
    match Path::new(filename).extension() {
        Some(_) => filename.to_owned(),
        None => format!("{filename}.{extension}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{NAME_BYTES, NUMBERS, numbered, with_extension};

    #[test]
    fn only_a_name_without_an_extension_gets_one() {
        for (name, expected) in [("a", "a.png"), ("a.b/c", "a.b/c.png"), ("a.jpg", "a.jpg"), ("帳", "帳.png")] {
            assert_eq!(with_extension(name, "png"), expected);
        }
    }

    #[test]
    fn numbers_stand_before_the_extension() {
        let names: Vec<String> = numbered("a.b/c.csv").collect();
        assert_eq!(names[..3], ["a.b/c.csv", "a.b/c (2).csv", "a.b/c (3).csv"]);
        assert_eq!(names.len(), NUMBERS as usize);
        assert_eq!(numbered("a.b/.csv").nth(1).as_deref(), Some("a.b/.csv (2)"));
    }

    #[test]
    fn numbered_names_fit_into_a_folder() {
        for (name, end) in [
            ("帳".repeat(83) + ".csv", ").csv"),
            ("x".repeat(NAME_BYTES), ")"),
            ("x.".to_owned() + &"y".repeat(NAME_BYTES - 2), ")"),
        ] {
            for path in numbered(&format!("folder/{name}")).skip(1) {
                let numbered = path.strip_prefix("folder/").unwrap_or_default();
                assert!(numbered.len() <= NAME_BYTES && numbered.ends_with(end), "{path}");
            }
        }
    }
}
