//! Finds the Chromium executable.
//!
//! The search runs at every start, so that a Chromium installed later is found without a restart of fumi.

use std::{
    env,
    ffi::OsStr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::Launch;
use crate::errors::BrowserError;

/// The paths and names under which one build of Chromium may be installed.
struct ChromiumBuild {
    /// The paths that distributions use.
    places: &'static [&'static str],
    /// The file names to look for in the folders of `PATH`.
    names: &'static [&'static str],
}

impl ChromiumBuild {
    /// Returns the searched places for the error message: paths, and "name on PATH".
    fn searched_places(&self) -> impl Iterator<Item = String> {
        let places = self.places.iter().map(|place| (*place).to_owned());
        places.chain(self.names.iter().map(|name| format!("{name} on PATH")))
    }
}

/// The build without windows, menus and toolbars. It has the same engine, but needs three quarters of the time and two
/// thirds of the CPU time for the same pages.
const SHELL: ChromiumBuild = ChromiumBuild {
    places: &["/usr/lib/chromium/chromium-headless-shell"],
    names: &["chromium-headless-shell", "chrome-headless-shell", "headless_shell"],
};

/// The desktop browser, which can show its windows.
const WHOLE: ChromiumBuild = ChromiumBuild {
    places: &["/usr/bin/chromium", "/usr/lib/chromium/chromium"],
    names: &["chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome"],
};

/// The builds in order of preference. Only the last one can show windows.
const BUILDS: [ChromiumBuild; 2] = [SHELL, WHOLE];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChromiumExecutable(pub(crate) PathBuf);

/// Finds Chromium: the configured program only, or else the first executable one of the usual places. The build without
/// windows is considered only if `headless` is set.
pub(crate) fn find(launch: &Launch) -> Result<ChromiumExecutable, BrowserError> {
    find_in(launch, env::var_os("PATH").as_deref())
}

fn find_in(launch: &Launch, path: Option<&OsStr>) -> Result<ChromiumExecutable, BrowserError> {
    if let Some(configured) = &launch.executable {
        return if is_executable(configured) {
            Ok(ChromiumExecutable(configured.clone()))
        } else {
            Err(BrowserError::NoChromium { looked: vec![configured.display().to_string()] })
        };
    }
    let builds = wanted(&BUILDS, launch.headless);
    first(builds, path).ok_or_else(|| BrowserError::NoChromium {
        looked: builds.iter().flat_map(ChromiumBuild::searched_places).collect(),
    })
}

/// Returns the builds that support the wanted mode.
fn wanted(builds: &[ChromiumBuild; 2], headless: bool) -> &[ChromiumBuild] {
    if headless { builds } else { &builds[1..] }
}

/// Returns the first executable candidate.
fn first(builds: &[ChromiumBuild], path: Option<&OsStr>) -> Option<ChromiumExecutable> {
    let folders: Vec<PathBuf> = path.map(|path| env::split_paths(path).collect()).unwrap_or_default();
    let mut candidates = builds.iter().flat_map(|build| {
        let named = build.names.iter();
        let on_path = named.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        build.places.iter().map(PathBuf::from).chain(on_path)
    });
    candidates.find(|candidate| is_executable(candidate)).map(ChromiumExecutable)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
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
        let launch = Launch { executable: Some(configured.clone()), ..Launch::default() };
        let looked = || match find_in(&launch, None) {
            Err(BrowserError::NoChromium { looked }) => looked,
            other => panic!("{other:?}"),
        };
        assert_eq!(looked(), [configured.display().to_string()]);
        program(&configured, 0o644);
        assert_eq!(looked().len(), 1, "a plain file is not a program");
        program(&configured, 0o755);
        assert_eq!(find_in(&launch, None).expect("found later"), ChromiumExecutable(configured));
    }

    /// Both builds are looked up on `PATH` only, because a distribution may have installed one of them.
    #[test]
    fn the_build_without_windows_is_taken_only_where_none_are_wanted() {
        let folder = tempfile::tempdir().expect("a folder");
        let builds = [ChromiumBuild { places: &[], ..SHELL }, ChromiumBuild { places: &[], ..WHOLE }];
        let found = |headless: bool| {
            let found = first(wanted(&builds, headless), Some(folder.path().as_os_str()));
            found.map(|found| found.0.file_name().expect("a name").to_owned())
        };
        assert_eq!(found(true), None);
        program(&folder.path().join("chrome-headless-shell"), 0o755);
        assert_eq!((found(true), found(false)), (Some("chrome-headless-shell".into()), None));
        program(&folder.path().join("google-chrome"), 0o755);
        assert_eq!((found(true), found(false)), (Some("chrome-headless-shell".into()), Some("google-chrome".into())));
    }
}
