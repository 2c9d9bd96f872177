//! Settings of browsers: the Chromium to drive, the URLs that it may open, and the default content of replies.

use std::{path::PathBuf, time::Duration};

use fumi_base::expectation::{Expectation, ExpectationPolicy, ExpectationProfile};
use fumi_browser::{BrowserSettings, Launch, policy::UrlPolicy};
use serde::Deserialize;

use super::ConfigError;

/// The minimum of `memory_mib`: below it an empty Chromium would be restarted again and again.
const LEAST_MEMORY_MIB: u64 = 256;

/// A year, in minutes and in hours: sums of instants stay far from overflowing.
const LONGEST_MINUTES: u64 = 525_600;
const LONGEST_HOURS: u64 = 8_760;

/// The valid width and height of a viewport, in pixels.
const SIDES: std::ops::RangeInclusive<u32> = 100..=8_192;

/// The settings of browsers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrowserConfig {
    /// The Chromium to start. Empty: the first one found in the usual places under the usual names, trying the build
    /// without windows first.
    pub executable: PathBuf,
    /// Further command-line flags, such as `--accept-lang=ja,en`.
    pub args: Vec<String>,
    /// True if Chromium's sandbox is on. For root it is always off, since Chromium does not start otherwise.
    pub sandbox: bool,
    /// True if Chromium runs without windows. Otherwise the build without windows is not considered.
    pub headless: bool,
    /// Width and height of new tabs, in CSS pixels.
    pub viewport: (u32, u32),
    /// The maximum number of browser sessions at once, over all clients.
    pub max_sessions: usize,
    /// Minutes after which an unused session loses its tabs and cookies.
    pub idle_minutes: u64,
    /// Minutes after which the handle of an unused session is forgotten too.
    pub session_minutes: u64,
    /// Hours after which Chromium is replaced by a new process, as its last sessions end.
    pub recycle_hours: u64,
    /// The maximum size of a download, and of all downloads of a session together, in MiB; larger ones are stopped. 0:
    /// no limit.
    pub download_mib: u64,
    /// The maximum memory of Chromium, in MiB; beyond it idle sessions lose their tabs, then Chromium is restarted. 0:
    /// no limit.
    pub memory_mib: u64,
    /// The URLs that may be opened.
    pub policy: BrowserPolicy,
    /// The default content of replies.
    pub expectation: ExpectationConfig,
}

/// The URLs that may be opened. Regardless of these settings, only `http:`, `https:`, `data:`, `blob:` and
/// `about:blank` are.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrowserPolicy {
    /// Hosts that may be opened: `example.com`, `*.example.com` (subdomains), `*`, each with `:port` or for all ports.
    /// Empty: all.
    pub allow_hosts: Vec<String>,
    /// Hosts that may not be opened, in the same form. They take precedence.
    pub deny_hosts: Vec<String>,
    /// True if loopback, private and metadata addresses are denied, except hosts that `allow_hosts` names literally. If
    /// absent: true if the server is shared (authentication is on, or it listens beyond loopback).
    pub deny_private: Option<bool>,
}

impl BrowserConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let bad = |text: String| Err(ConfigError(format!("browser.{text}")));
        if let Some(arg) = self.args.iter().find(|arg| !arg.starts_with("--")) {
            return bad(format!("args: {arg:?} is not a flag such as \"--accept-lang=ja,en\""));
        }
        if !SIDES.contains(&self.viewport.0) || !SIDES.contains(&self.viewport.1) {
            let (least, most) = (SIDES.start(), SIDES.end());
            return bad(format!("viewport must be two numbers from {least} to {most}"));
        }
        if self.max_sessions == 0 {
            return bad("max_sessions must be at least 1".to_owned());
        }
        for (name, time, most) in [
            ("idle_minutes", self.idle_minutes, LONGEST_MINUTES),
            ("session_minutes", self.session_minutes, LONGEST_MINUTES),
            ("recycle_hours", self.recycle_hours, LONGEST_HOURS),
        ] {
            if !(1..=most).contains(&time) {
                return bad(format!("{name} must be from 1 to {most}"));
            }
        }
        if self.memory_mib != 0 && self.memory_mib < LEAST_MEMORY_MIB {
            return bad(format!("memory_mib must be 0 or at least {LEAST_MEMORY_MIB}"));
        }
        self.settings(false).map(|_| ())
    }

    /// Converts the settings to those of the browser crate. `shared`: true if others than the person who started the
    /// server may use it.
    pub fn settings(&self, shared: bool) -> Result<BrowserSettings, ConfigError> {
        let policy = &self.policy;
        let deny_private = policy.deny_private.unwrap_or(shared);
        Ok(BrowserSettings {
            launch: Launch {
                executable: (!self.executable.as_os_str().is_empty()).then(|| self.executable.clone()),
                args: self.args.clone(),
                sandbox: self.sandbox,
                headless: self.headless,
                ..Launch::default()
            },
            viewport: self.viewport,
            max_sessions: self.max_sessions,
            idle: Duration::from_mins(self.idle_minutes),
            forget: Duration::from_mins(self.session_minutes),
            recycle_after: Duration::from_hours(self.recycle_hours),
            memory: self.memory_mib.saturating_mul(1 << 20),
            largest_download: self.download_mib.saturating_mul(1 << 20),
            policy: UrlPolicy::new(&policy.allow_hosts, &policy.deny_hosts, deny_private)
                .map_err(|error| ConfigError(format!("browser.policy: {error}")))?,
            ..BrowserSettings::default()
        })
    }
}

/// The default content of replies, where a call does not specify it. If an `include_…` key is absent, the tool decides.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectationConfig {
    /// True if calls may pass `expectation`.
    pub enabled: bool,
    /// `lean`: each tool's own default. `compat`: everything with every tool.
    pub profile: ExpectationProfile,
    /// True to include the page's snapshot.
    pub include_snapshot: Option<bool>,
    /// True to include new messages of the console.
    pub include_console: Option<bool>,
    /// True to include the list of downloads.
    pub include_downloads: Option<bool>,
    /// True to include the list of tabs.
    pub include_tabs: Option<bool>,
    /// True to include the action as a line of code.
    pub include_code: Option<bool>,
}

impl ExpectationConfig {
    /// Converts the settings to those of the tool kernel.
    pub fn policy(&self) -> ExpectationPolicy {
        ExpectationPolicy {
            enabled: self.enabled,
            profile: self.profile,
            below: Expectation {
                include_snapshot: self.include_snapshot,
                include_console: self.include_console,
                include_downloads: self.include_downloads,
                include_tabs: self.include_tabs,
                include_code: self.include_code,
                ..Expectation::default()
            },
        }
    }
}
