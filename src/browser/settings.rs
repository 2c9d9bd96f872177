//! What can be set about the browser. The server makes it from its configuration.

use std::time::Duration;

use crate::{chromium::Launch, policy::Policy};

/// What can be set about the browser.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How Chromium is called.
    pub launch: Launch,
    /// Width and height of a new tab, in CSS pixels.
    pub viewport: (u32, u32),
    /// Sessions at once.
    pub max_sessions: usize,
    /// A session that is not used for so long loses its tabs and cookies.
    pub idle: Duration,
    /// And after so long its handle.
    pub forget: Duration,
    /// A Chromium of this age serves no new session; another is started.
    pub recycle_after: Duration,
    /// The same for one that has served so many sessions.
    pub recycle_contexts: u64,
    /// Bytes that Chromium may hold; zero means no limit.
    pub memory: u64,
    /// How long calls that run may put off a restart which memory asks for.
    pub patience: Duration,
    /// Bytes of the largest download, and of those of a session together; what goes beyond is stopped. 0 is no limit.
    pub largest_download: u64,
    /// How long Chromium may leave a question without an answer; after the second one in a row it is replaced.
    pub hang: Duration,
    /// Which URLs are opened.
    pub policy: Policy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            launch: Launch::default(),
            viewport: (1280, 720),
            max_sessions: 16,
            idle: Duration::from_mins(10),
            forget: Duration::from_hours(1),
            recycle_after: Duration::from_hours(24),
            recycle_contexts: 1_000,
            memory: 2 << 30,
            patience: Duration::from_secs(30),
            largest_download: 256 << 20,
            hang: Duration::from_secs(15),
            policy: Policy::default(),
        }
    }
}
