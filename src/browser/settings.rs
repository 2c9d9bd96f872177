//! The settings of the browser, which the server derives from its configuration.

use std::time::Duration;

use crate::{chromium::Launch, policy::UrlPolicy};

#[derive(Clone, Debug)]
pub struct BrowserSettings {
    /// The settings with which Chromium is started.
    pub launch: Launch,
    /// Width and height of a new tab, in CSS pixels.
    pub viewport: (u32, u32),
    /// The most sessions that may exist at once.
    pub max_sessions: usize,
    /// The replica that the handles name, so that other replicas forward calls with them; `None` without replicas.
    pub replica: Option<String>,
    /// The idle time after which a session loses its tabs and cookies.
    pub idle: Duration,
    /// The idle time after which the handle of a session becomes invalid.
    pub forget: Duration,
    /// The age from which a Chromium takes no new sessions; another process is started for them.
    pub recycle_after: Duration,
    /// The number of served sessions from which a Chromium takes no new ones.
    pub recycle_contexts: u64,
    /// Bytes of memory that Chromium may use; 0 for no limit.
    pub memory: u64,
    /// The longest time that running calls may delay a restart for lack of memory.
    pub patience: Duration,
    /// Bytes of the largest download, and of all downloads of a session together; a larger one is cancelled. 0 for no
    /// limit.
    pub largest_download: u64,
    /// The longest time until a reply; after two consecutive requests without one, Chromium is replaced.
    pub hang: Duration,
    /// The policy that decides which URLs may be opened.
    pub policy: UrlPolicy,
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self {
            launch: Launch::default(),
            viewport: (1280, 720),
            max_sessions: 16,
            replica: None,
            idle: Duration::from_mins(10),
            forget: Duration::from_hours(1),
            recycle_after: Duration::from_hours(24),
            recycle_contexts: 1_000,
            memory: 2 << 30,
            patience: Duration::from_secs(30),
            largest_download: 256 << 20,
            hang: Duration::from_secs(15),
            policy: UrlPolicy::default(),
        }
    }
}
