//! Where Chromium is.
//!
//! Looked for anew at each start, so that installing it later needs no restart of fumi.

use std::{
    env,
    ffi::OsStr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::errors::BrowserError;

/// Where distributions put it.
const PLACES: [&str; 2] = ["/usr/bin/chromium", "/usr/lib/chromium/chromium"];

/// What it is called elsewhere, on the search path.
const NAMES: [&str; 5] = [
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chromium-browser",
    "chrome",
];

/// A Chromium that can be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program(pub(crate) PathBuf);

/// Finds Chromium: the configured program and nothing else, or the first of the usual ones.
pub(crate) fn find(configured: Option<&Path>) -> Result<Program, BrowserError> {
    find_in(configured, env::var_os("PATH").as_deref())
}

fn find_in(configured: Option<&Path>, path: Option<&OsStr>) -> Result<Program, BrowserError> {
    if let Some(configured) = configured {
        return if is_executable(configured) {
            Ok(Program(configured.to_path_buf()))
        } else {
            Err(BrowserError::NoChromium {
                looked: vec![configured.display().to_string()],
            })
        };
    }
    if let Some(place) = PLACES.iter().map(Path::new).find(|place| is_executable(place)) {
        return Ok(Program(place.to_path_buf()));
    }
    let folders: Vec<PathBuf> = path.map(|path| env::split_paths(path).collect()).unwrap_or_default();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|candidate| is_executable(candidate))
        .map(Program)
        .ok_or_else(|| BrowserError::NoChromium {
            looked: PLACES
                .iter()
                .map(|place| (*place).to_owned())
                .chain(NAMES.iter().map(|name| format!("{name} on PATH")))
                .collect(),
        })
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configured_program_is_the_only_one_and_must_be_executable() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("chromium");
        let looked = |path: &Path| match find_in(Some(path), None) {
            Err(BrowserError::NoChromium { looked }) => looked,
            other => panic!("{other:?}"),
        };
        assert_eq!(looked(&program), [program.display().to_string()]);
        std::fs::write(&program, "").expect("a file");
        assert_eq!(looked(&program).len(), 1, "a plain file is no program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
        assert_eq!(
            find_in(Some(&program), None).expect("found later"),
            Program(program.clone())
        );
    }
}
