//! Chromium as a program: finding it, its command line, and its process.
//!
//! Invariant: dropping or killing a [`ChromiumProcess`] leaves no process of its group and no profile folder. This
//! module knows nothing about what is inside the browser (contexts, tabs).

mod find;
mod flags;
mod group;
mod memory;
mod process;
mod profile;
mod stderr_tail;

use std::{path::PathBuf, time::Duration};

pub(crate) use find::find;
pub(crate) use flags::flags;
pub(crate) use process::ChromiumProcess;
pub use process::ProcessExit;

/// The settings with which Chromium is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program. If `None`, the usual places are searched at every start; if `headless` is set, the build without
    /// windows is preferred.
    pub executable: Option<PathBuf>,
    /// Further flags, added after fumi's own.
    pub args: Vec<String>,
    /// True to use Chromium's sandbox. For root the sandbox is always off, because Chromium does not start otherwise.
    pub sandbox: bool,
    /// True to run without windows.
    pub headless: bool,
    /// The longest time until the first reply after the start.
    pub start: Duration,
}

impl Default for Launch {
    fn default() -> Self {
        Self { executable: None, args: Vec::new(), sandbox: true, headless: true, start: Duration::from_secs(20) }
    }
}
