//! Chromium as a program: where it is, how it is called, and the process itself.
//!
//! Invariant: a [`Process`] that is dropped or killed leaves no process of its group and no profile folder. What is inside
//! the browser (contexts, tabs) is not known here.

mod find;
mod flags;
mod group;
mod memory;
mod process;
mod profile;
mod words;

use std::{path::PathBuf, time::Duration};

pub(crate) use find::find;
pub(crate) use flags::flags;
pub use process::Ended;
pub(crate) use process::Process;

/// How Chromium is called.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program; without it the usual places are searched, anew at each start, for the build without windows first if none are
    /// wanted.
    pub executable: Option<PathBuf>,
    /// Further flags, after fumi's own.
    pub args: Vec<String>,
    /// Whether Chromium's sandbox is on. As root it is off whatever this says: Chromium does not start otherwise.
    pub sandbox: bool,
    /// Without windows.
    pub headless: bool,
    /// How long it may take to come up.
    pub start: Duration,
}

impl Default for Launch {
    fn default() -> Self {
        Self {
            executable: None,
            args: Vec::new(),
            sandbox: true,
            headless: true,
            start: Duration::from_secs(20),
        }
    }
}
