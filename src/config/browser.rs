//! Browsers: the Chromium that is driven, which URLs it opens, and what replies hold where a call does not say.

use std::{path::PathBuf, time::Duration};

use fumi_base::expectation::{Expectation, Policy, Profile};
use fumi_browser::{Launch, Settings, policy::Policy as UrlPolicy};
use serde::{Deserialize, Serialize};

use super::ConfigError;

/// Below this an empty Chromium would be restarted again and again.
const LEAST_MEMORY_MIB: u64 = 256;

/// A year, in minutes and in hours: sums of instants stay far from overflowing.
const LONGEST_MINUTES: u64 = 525_600;
const LONGEST_HOURS: u64 = 8_760;

/// Pixels of a side of a viewport, least and most.
const SIDES: std::ops::RangeInclusive<u32> = 100..=8_192;

/// Browsers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Browser {
    /// The Chromium to start. Empty: the first of the usual places and names, the build without windows before all others.
    pub executable: PathBuf,
    /// Further flags for it, such as `--accept-lang=ja,en`.
    pub args: Vec<String>,
    /// Whether its sandbox is on. As root it is always off, since Chromium does not start otherwise.
    pub sandbox: bool,
    /// Without windows. With them the build without windows is not looked for.
    pub headless: bool,
    /// Width and height of new tabs, in CSS pixels.
    pub viewport: (u32, u32),
    /// Browser sessions at once, of all clients together.
    pub max_sessions: usize,
    /// Minutes after which a session that is not used loses its tabs and cookies.
    pub idle_minutes: u64,
    /// Minutes after which its handle is forgotten too.
    pub session_minutes: u64,
    /// Hours after which Chromium is replaced by a fresh one, as its last sessions end.
    pub recycle_hours: u64,
    /// MiB of the largest download, and of those of a session together; what goes beyond is stopped. 0: no limit.
    pub download_mib: u64,
    /// MiB that Chromium may hold; beyond it idle sessions lose their tabs, then it is restarted. 0: no limit.
    pub memory_mib: u64,
    /// Which URLs it opens.
    pub policy: BrowserPolicy,
    /// What replies hold.
    pub expectation: Expected,
}

/// Which URLs are opened. Whatever it says, only `http:`, `https:`, `data:`, `blob:` and `about:blank` are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BrowserPolicy {
    /// Hosts that are opened: `example.com`, `*.example.com` (subdomains), `*`, each with `:port` or for all ports. Empty: all.
    pub allow_hosts: Vec<String>,
    /// Hosts that are not opened, in the same form. They win.
    pub deny_hosts: Vec<String>,
    /// Whether loopback, private and metadata addresses are denied; a host that `allow_hosts` names literally is not. Left
    /// out: yes if the server is shared (authentication is on, or it listens beyond loopback).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_private: Option<bool>,
}

impl Default for Browser {
    fn default() -> Self {
        Self {
            executable: PathBuf::new(),
            args: Vec::new(),
            sandbox: true,
            headless: true,
            viewport: (1_280, 720),
            max_sessions: 16,
            idle_minutes: 10,
            session_minutes: 60,
            recycle_hours: 24,
            download_mib: 256,
            memory_mib: 2_048,
            policy: BrowserPolicy::default(),
            expectation: Expected::default(),
        }
    }
}

impl Browser {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let bad = |text: String| Err(ConfigError(format!("browser.{text}")));
        if let Some(arg) = self.args.iter().find(|arg| !arg.starts_with("--")) {
            return bad(format!("args: {arg:?} is no flag such as \"--accept-lang=ja,en\""));
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

    /// The same as the browser takes it. `shared`: others than the one who started the server may use it.
    pub fn settings(&self, shared: bool) -> Result<Settings, ConfigError> {
        let policy = &self.policy;
        let deny_private = policy.deny_private.unwrap_or(shared);
        Ok(Settings {
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
            ..Settings::default()
        })
    }
}

/// What replies hold where a call does not say. An include that is left out is decided by the tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expected {
    /// Whether calls may carry `expectation`.
    pub enabled: bool,
    /// `lean`: what each tool says of itself. `compat`: everything with every tool.
    pub profile: Profile,
    /// The page's snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_snapshot: Option<bool>,
    /// New messages of the console.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_console: Option<bool>,
    /// Downloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_downloads: Option<bool>,
    /// The list of tabs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_tabs: Option<bool>,
    /// The same as a line of code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_code: Option<bool>,
}

impl Default for Expected {
    fn default() -> Self {
        Self {
            enabled: true,
            profile: Profile::default(),
            include_snapshot: None,
            include_console: None,
            include_downloads: None,
            include_tabs: None,
            include_code: None,
        }
    }
}

impl Expected {
    /// The same as the kernel takes it.
    #[must_use]
    pub fn policy(&self) -> Policy {
        Policy {
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
