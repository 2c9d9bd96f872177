//! The domain Log: what Chromium itself says about a page.

use serde::{Deserialize, Serialize};

use crate::devtools::Nothing;

/// Begins to report entries, those that exist at once.
#[derive(Debug, Default, Serialize)]
pub struct Enable {}
command!(Enable => "Log.enable" -> Nothing);

/// An entry.
#[derive(Debug, Deserialize)]
pub struct EntryAdded {
    /// What it says.
    pub entry: Entry,
}
happening!(EntryAdded => "Log.entryAdded");

/// What Chromium says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// `network`, `security`, `worker`, ...
    pub source: String,
    /// `verbose`, `info`, `warning` or `error`.
    pub level: String,
    /// The message.
    pub text: String,
    /// About this.
    pub url: Option<String>,
    /// From 0.
    pub line_number: Option<i64>,
}
