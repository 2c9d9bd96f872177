//! A path that a client wants to watch, whether or not a file exists there, since a file may come and go.
//!
//! Invariant: a [`WatchedPath`] exists only for a string that lies inside its project, and [`WatchedPath::state`]
//! reveals nothing outside: a link that leads out looks like a missing file. Files are never opened or read here.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::{Metadata, MetadataExt};
use unicode_normalization::UnicodeNormalization as _;

use crate::{
    project::{PathError, Project, ProjectPath, slashed},
    system::unless_unreadable,
    text::BilingualText,
};

/// The metadata that distinguishes one state of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileStamp {
    /// The size of the file, in bytes.
    pub size: u64,
    /// Seconds and nanoseconds of the last change of the content.
    pub modified: (i64, i64),
    /// Seconds and nanoseconds of the last change of content, name or permissions.
    pub changed: (i64, i64),
    /// The inode number, which differs after a rename over the file.
    pub inode: u64,
}

/// Returns the stamp of a regular file; `None` for anything else.
///
/// # Errors
/// A system failure: there may be a file.
pub fn file_stamp(path: &ProjectPath) -> Result<Option<FileStamp>, PathError> {
    let found = unless_unreadable(path.record_failure(path.project().dir().metadata(path.relative())));
    let found = found.map_err(|source| cannot_look(path.shown(), source))?;
    Ok(found.filter(Metadata::is_file).map(|meta| FileStamp {
        size: meta.size(),
        modified: (meta.mtime(), meta.mtime_nsec()),
        changed: (meta.ctime(), meta.ctime_nsec()),
        inode: meta.ino(),
    }))
}

fn cannot_look(path: String, source: io::Error) -> PathError {
    PathError::Unreadable { path, action: BilingualText::new("read", "読み込むことが"), source }
}

/// Returns a client's string as a path relative to the project root, with `/`, whether or not the file exists. Names
/// are in NFC, so that spellings of one name are equal; `.` is the root.
pub fn normalised_relative(project: &Project, raw: &str) -> Result<String, PathError> {
    let relative = project.relative(raw)?;
    if relative.as_os_str().is_empty() {
        return Ok(".".to_owned());
    }
    Ok(slashed(&relative).nfc().collect())
}

/// A path inside its project, whether or not a file exists there.
#[derive(Clone, Debug)]
pub struct WatchedPath {
    project: Arc<Project>,
    raw: String,
    /// The absolute paths: as written, in NFC and in NFD.
    spellings: Vec<PathBuf>,
}

/// The current state of a watched path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The stamp of the file, if it exists and may be read.
    pub stamp: Option<FileStamp>,
    /// The absolute paths whose events concern the file: those of the string, and the target of a link.
    pub names: Vec<PathBuf>,
    /// True if a link lies on the way, so that the file can change without an event for any of these names.
    pub by_link: bool,
}

impl WatchedPath {
    /// Checks a string as [`Project::resolve`] does, but accepts a file that does not exist yet.
    pub fn new(project: &Arc<Project>, raw: &str) -> Result<Self, PathError> {
        let relative = project.relative(raw)?;
        let spellings = project.spellings(raw, &relative)?;
        match project.find(raw)? {
            Some(path) if path.is_dir()? => return Err(PathError::is_folder(raw)),
            Some(_) => {}
            // A file that appears below a link to another folder would be outside.
            None if deepest_existing(project.root(), &relative)
                .map_err(|source| cannot_look(raw.to_owned(), source))?
                .starts_with(project.root()) => {}
            None => return Err(PathError::OutsideProject { path: raw.to_owned() }),
        }
        Ok(Self {
            project: Arc::clone(project),
            raw: raw.to_owned(),
            spellings: spellings.iter().map(|path| project.root().join(path)).collect(),
        })
    }

    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns the current state of the path.
    ///
    /// # Errors
    /// A system failure: the state is unknown.
    pub fn state(&self) -> Result<FileState, PathError> {
        // A root that was replaced is opened again: the state of the old one would never change.
        let _ = self.project.ensure_open();
        let found = match self.project.find(&self.raw) {
            Err(error) if error.is_system_failure() => return Err(error),
            found => found.ok().flatten(),
        };
        let mut names = self.spellings.clone();
        if let Some(real) = found.as_ref().map(ProjectPath::absolute)
            && !names.contains(&real)
        {
            names.push(real);
        }
        let mut by_link = false;
        for path in &self.spellings {
            let has_link = has_link(self.project.root(), path);
            by_link |= has_link.map_err(|source| cannot_look(self.raw.clone(), source))?;
        }
        let stamp = found.as_ref().map(file_stamp).transpose()?.flatten();
        Ok(FileState { stamp, names, by_link })
    }
}

/// Returns the real path of the deepest existing part of a path.
fn deepest_existing(root: &Path, relative: &Path) -> io::Result<PathBuf> {
    for part in relative.ancestors() {
        if let Some(real) = unless_unreadable(root.join(part).canonicalize())? {
            return Ok(real);
        }
    }
    Ok(root.to_path_buf())
}

fn has_link(root: &Path, path: &Path) -> io::Result<bool> {
    for part in path.ancestors().take_while(|part| *part != root) {
        if unless_unreadable(part.symlink_metadata())?.is_some_and(|meta| meta.is_symlink()) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::WatchedPath;
    use crate::{errors::UserError, project::Project};

    #[test]
    fn watched_path_may_be_missing_but_never_outside() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir_all(root.join("src")).expect("a folder");
        fs::write(root.join("src/a.txt"), "1").expect("a file");
        fs::write(outer.path().join("secret"), "s").expect("a file");
        symlink("..", root.join("up")).expect("a link");
        symlink("src", root.join("in")).expect("a link");
        symlink("../later", root.join("dangling")).expect("a link");
        let project = Project::open(&root).expect("a project");
        for (raw, expected) in [
            ("src/a.txt", "a file"),
            ("src/later.txt", "nothing"),
            ("no/such/folder.txt", "nothing"),
            ("in/a.txt", "a file by link"),
            ("in/later.txt", "nothing by link"),
            ("dangling", "nothing by link"),
            ("up/secret", "OUTSIDE_PROJECT"),
            ("up/later", "OUTSIDE_PROJECT"),
            ("../secret", "PATH_TRAVERSAL"),
            ("/etc/passwd", "OUTSIDE_PROJECT"),
            ("src", "INVALID_ARGUMENTS"),
            ("", "INVALID_ARGUMENTS"),
        ] {
            let shown = match WatchedPath::new(&project, raw).and_then(|place| place.state()) {
                Ok(look) => {
                    let what = if look.stamp.is_some() { "a file" } else { "nothing" };
                    let how = if look.by_link { " by link" } else { "" };
                    format!("{what}{how}")
                }
                Err(error) => error.error_message().code,
            };
            assert_eq!(shown, expected, "{raw:?}");
        }
        // A file that appears outside, at the target of a link inside, stays invisible.
        let dangling = WatchedPath::new(&project, "dangling").expect("inside");
        let before = dangling.state().expect("known");
        fs::write(outer.path().join("later"), "s").expect("a file");
        assert_eq!(before, dangling.state().expect("known"));
        let file = WatchedPath::new(&project, "src/a.txt").expect("inside");
        project.failures().fail_at("src/a.txt");
        assert!(file.state().is_err_and(|error| error.is_system_failure()));
    }

    #[test]
    fn state_is_that_of_the_folder_which_replaced_the_root() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir(&root).expect("a folder");
        fs::write(root.join("a.txt"), "1").expect("a file");
        let project = Project::open(&root).expect("a project");
        let place = WatchedPath::new(&project, "a.txt").expect("inside");
        assert!(place.state().expect("known").stamp.is_some());
        fs::rename(&root, outer.path().join("old")).expect("renamed");
        fs::create_dir(&root).expect("a folder");
        assert_eq!(place.state().expect("known").stamp, None);
    }

    #[test]
    fn every_file_state_has_its_own_stamp() {
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("a.txt");
        let project = Project::open(root.path()).expect("a project");
        let place = WatchedPath::new(&project, "a.txt").expect("inside");
        let mut seen = vec![place.state().expect("known").stamp];
        fs::write(&file, "1").expect("a file");
        seen.push(place.state().expect("known").stamp);
        fs::write(root.path().join("b.txt"), "1").expect("a file");
        fs::rename(root.path().join("b.txt"), &file).expect("renamed");
        seen.push(place.state().expect("known").stamp);
        assert!(seen[0].is_none() && seen[1].is_some() && seen[2].is_some());
        assert_ne!(seen[1], seen[2]);
    }
}
