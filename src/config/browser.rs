//! Browsers, and what their tools' replies hold where a call does not say.

use fumi_base::expectation::{Expectation, Policy, Profile};
use serde::{Deserialize, Serialize};

/// Browsers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Browser {
    /// What replies hold.
    pub expectation: Expected,
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
