//! Where Chromium is.
//!
//! Looked for anew at each start, so that installing it later needs no restart of fumi.

use std::{
    env,
    ffi::OsStr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::Launch;
use crate::errors::BrowserError;

/// Where a Chromium may be.
struct Build {
    /// Where distributions put it.
    places: &'static [&'static str],
    /// What it is called elsewhere, on the search path.
    names: &'static [&'static str],
}

impl Build {
    /// Where it is looked for, as a person is told.
    fn told(&self) -> impl Iterator<Item = String> {
        let places = self.places.iter().map(|place| (*place).to_owned());
        places.chain(self.names.iter().map(|name| format!("{name} on PATH")))
    }
}

/// The build without windows, menus and toolbars: the same engine, three quarters of the time and two thirds of the CPU for the same
/// pages.
const SHELL: Build = Build {
    places: &["/usr/lib/chromium/chromium-headless-shell"],
    names: &["chromium-headless-shell", "chrome-headless-shell", "headless_shell"],
};

/// The browser of people, which can show its windows.
const WHOLE: Build = Build {
    places: &["/usr/bin/chromium", "/usr/lib/chromium/chromium"],
    names: &[
        "chromium",
        "google-chrome",
        "google-chrome-stable",
        "chromium-browser",
        "chrome",
    ],
};

/// The builds, the fitter one first; the last has windows.
const BUILDS: [Build; 2] = [SHELL, WHOLE];

/// A Chromium that can be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program(pub(crate) PathBuf);

/// Finds Chromium: the configured program and nothing else, or the first of the usual ones. The build without windows is asked for
/// only where none are wanted.
pub(crate) fn find(launch: &Launch) -> Result<Program, BrowserError> {
    find_in(launch, env::var_os("PATH").as_deref())
}

fn find_in(launch: &Launch, path: Option<&OsStr>) -> Result<Program, BrowserError> {
    if let Some(configured) = &launch.executable {
        return if is_executable(configured) {
            Ok(Program(configured.clone()))
        } else {
            Err(BrowserError::NoChromium {
                looked: vec![configured.display().to_string()],
            })
        };
    }
    let builds = wanted(&BUILDS, launch.headless);
    first(builds, path).ok_or_else(|| BrowserError::NoChromium {
        looked: builds.iter().flat_map(Build::told).collect(),
    })
}

/// Those of the builds that can do what is asked for.
fn wanted(builds: &[Build; 2], headless: bool) -> &[Build] {
    if headless { builds } else { &builds[1..] }
}

/// The first that can be executed.
fn first(builds: &[Build], path: Option<&OsStr>) -> Option<Program> {
    let folders: Vec<PathBuf> = path.map(|path| env::split_paths(path).collect()).unwrap_or_default();
    let mut candidates = builds.iter().flat_map(|build| {
        let named = build.names.iter();
        let on_path = named.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        build.places.iter().map(PathBuf::from).chain(on_path)
    });
    candidates.find(|candidate| is_executable(candidate)).map(Program)
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &Path, mode: u32) {
        std::fs::write(path, "").expect("a file");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode");
    }

    #[test]
    fn a_configured_program_is_the_only_one_and_must_be_executable() {
        let folder = tempfile::tempdir().expect("a folder");
        let configured = folder.path().join("chromium");
        let launch = Launch {
            executable: Some(configured.clone()),
            ..Launch::default()
        };
        let looked = || match find_in(&launch, None) {
            Err(BrowserError::NoChromium { looked }) => looked,
            other => panic!("{other:?}"),
        };
        assert_eq!(looked(), [configured.display().to_string()]);
        program(&configured, 0o644);
        assert_eq!(looked().len(), 1, "a plain file is no program");
        program(&configured, 0o755);
        assert_eq!(find_in(&launch, None).expect("found later"), Program(configured));
    }

    /// Which of two builds on the search path is taken, in a place where no distribution puts one.
    #[test]
    fn the_build_without_windows_is_taken_only_where_none_are_wanted() {
        let folder = tempfile::tempdir().expect("a folder");
        let builds = [Build { places: &[], ..SHELL }, Build { places: &[], ..WHOLE }];
        let found = |headless: bool| {
            let found = first(wanted(&builds, headless), Some(folder.path().as_os_str()));
            found.map(|found| found.0.file_name().expect("a name").to_owned())
        };
        assert_eq!(found(true), None);
        program(&folder.path().join("chrome-headless-shell"), 0o755);
        assert_eq!(
            (found(true), found(false)),
            (Some("chrome-headless-shell".into()), None)
        );
        program(&folder.path().join("google-chrome"), 0o755);
        assert_eq!(
            (found(true), found(false)),
            (Some("chrome-headless-shell".into()), Some("google-chrome".into()))
        );
    }
}
