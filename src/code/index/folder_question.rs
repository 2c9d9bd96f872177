//! The files below some folders of a project, from its table of folders.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use ignore::overrides::Override;

use super::folder_table::{Folder, FolderTable};
use crate::place_filter::PlaceFilter;

/// The folders that a search would walk with the default rules, and the restrictions of the files in them.
#[derive(Debug)]
pub(crate) struct FolderQuestion<'q> {
    /// The absolute path of the project.
    pub(crate) root: &'q Path,
    /// Absolute paths, sorted.
    pub(crate) folders: &'q [PathBuf],
    pub(crate) globs: &'q Override,
    pub(crate) within: Option<&'q PlaceFilter>,
    /// The files to leave out, relative to the root.
    pub(crate) named: &'q HashSet<PathBuf>,
}

impl FolderQuestion<'_> {
    /// True if all files of the folders are asked for, but for the named ones.
    pub(super) fn is_of_all_files(&self) -> bool {
        self.globs.is_empty() && self.within.is_none()
    }

    /// Returns the folders with their paths relative to the root, without those that lie in another one. `None` if a
    /// folder must be walked.
    pub(super) fn tops<'t>(&self, table: &'t FolderTable) -> Option<Vec<(&'t Folder, PathBuf)>> {
        let mut tops: Vec<(&Folder, PathBuf)> = Vec::new();
        for folder in self.folders {
            let path = folder.strip_prefix(self.root).ok()?;
            let found = table.folder(path)?;
            // The folders are sorted, so a folder comes after the one that contains it.
            let is_inside = self.is_of_all_files() && tops.last().is_some_and(|(_, last)| path.starts_with(last));
            if !is_inside {
                tops.push((found, path.to_path_buf()));
            }
        }
        Some(tops)
    }

    /// Calls `visit` once with each file that a walk would find, relative to the root. Returns false if the walk must be
    /// made.
    pub(crate) fn each_file(&self, table: &FolderTable, mut visit: impl FnMut(&Path)) -> bool {
        let Some(tops) = self.tops(table) else { return false };
        let mut seen = HashSet::new();
        tops.iter().all(|(folder, path)| {
            let mut path = if path.as_os_str().is_empty() {
                // Joined to an empty path, the root would end with a slash.
                self.root.to_path_buf()
            } else {
                self.root.join(path)
            };
            folder.each_file(&mut path, self.globs, |path| {
                let Ok(relative) = path.strip_prefix(self.root) else {
                    return false;
                };
                let is_asked = self.within.is_none_or(|within| within.admits(relative))
                    && !self.named.contains(relative)
                    && (tops.len() == 1 || seen.insert(relative.to_path_buf()));
                if is_asked {
                    visit(relative);
                }
                true
            })
        })
    }
}
