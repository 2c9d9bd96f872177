//! Other spellings of a client's path: a `file://` URL, backslashes, a leading slash.
//!
//! Invariant: a spelling is only another string for [`Project::resolve`], which checks it like every other. A path that
//! resolves as written is never reinterpreted. Names of files that do not exist yet are not handled here.

use std::{borrow::Cow, sync::Arc};

use percent_encoding::percent_decode_str;

use crate::project::{PathError, Project, ProjectPath};

impl Project {
    /// Resolves a client's string to an existing path of this project as [`Project::resolve`] does, trying other
    /// spellings too.
    pub fn resolve_any_spelling(self: &Arc<Self>, raw: &str) -> Result<ProjectPath, PathError> {
        let as_written = match self.resolve(raw) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let path = path_of_url(raw);
        let refused = match path {
            Cow::Borrowed(_) => as_written,
            Cow::Owned(_) => match self.resolve(&path) {
                Ok(found) => return Ok(found),
                Err(error) => error,
            },
        };
        if !matches!(refused, PathError::FileNotFound { .. } | PathError::OutsideProject { .. }) {
            return Err(refused);
        }
        let slashed = path.replace('\\', "/");
        let relative = slashed.trim_start_matches('/');
        // `/` alone is the file system of the client, not the project.
        let spellings = [slashed.as_str(), relative];
        let mut others = spellings.into_iter().filter(|other| !other.is_empty() && *other != path);
        others.find_map(|other| self.find(other).ok()?).ok_or(refused)
    }
}

/// Returns the path of a `file://` URL of this machine, owned; any other string unchanged.
fn path_of_url(raw: &str) -> Cow<'_, str> {
    let rest = raw.strip_prefix("file://");
    let path = rest.map(|rest| rest.strip_prefix("localhost").unwrap_or(rest));
    let path = path.filter(|path| path.starts_with('/'));
    let decoded = path.and_then(|path| percent_decode_str(path).decode_utf8().ok());
    decoded.map_or(Cow::Borrowed(raw), |path| Cow::Owned(path.into_owned()))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use crate::{errors::UserError, project::Project};

    #[test]
    fn other_spellings_name_files_inside_and_nothing_else() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir_all(root.join("src/a b")).expect("folders");
        fs::write(root.join("src/a b/日本.txt"), "").expect("a file");
        fs::write(root.join("back\\slash"), "").expect("a file");
        fs::write(outer.path().join("secret"), "s").expect("a file");
        symlink("../secret", root.join("out")).expect("a link");
        let project = Project::open(&root).expect("a project");
        let url = |path: &str| format!("file://{}/{path}", root.display());
        for (raw, expected) in [
            (url("src/a%20b/%E6%97%A5%E6%9C%AC.txt").as_str(), "src/a b/日本.txt"),
            (url("src/a b/日本.txt").as_str(), "src/a b/日本.txt"),
            ("file://localhost/src", "src"),
            ("/src/a b", "src/a b"),
            ("\\src\\a b", "src/a b"),
            ("back\\slash", "back\\slash"),
            ("/", "OUTSIDE_PROJECT"),
            ("file:///", "OUTSIDE_PROJECT"),
            ("file://", "FILE_NOT_FOUND"),
            ("/secret", "OUTSIDE_PROJECT"),
            ("/out", "OUTSIDE_PROJECT"),
            ("\\out", "FILE_NOT_FOUND"),
            ("file:///%2e%2e/secret", "PATH_TRAVERSAL"),
            ("file:///%00", "PATH_TRAVERSAL"),
            ("/etc/passwd", "OUTSIDE_PROJECT"),
        ] {
            let shown = match project.resolve_any_spelling(raw) {
                Ok(path) => path.shown(),
                Err(error) => error.error_message().code,
            };
            assert_eq!(shown, expected, "{raw}");
        }
    }
}
