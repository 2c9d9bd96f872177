//! The domain Log: messages of Chromium itself about a page.

use serde::{Deserialize, Serialize};

use crate::devtools::EmptyReply;

/// Starts reporting entries; existing entries are reported at once.
#[derive(Debug, Default, Serialize)]
pub struct EnableLog {}
command!(EnableLog => "Log.enable" -> EmptyReply);

/// The event that an entry was added to the log.
#[derive(Debug, Deserialize)]
pub struct EntryAdded {
    pub entry: LogEntry,
}
event!(EntryAdded => "Log.entryAdded");

/// A message of Chromium about a page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogEntry {
    /// `network`, `security`, `worker`, ...
    pub source: String,
    /// `verbose`, `info`, `warning` or `error`.
    pub level: String,
    pub text: String,
    /// The URL that the message is about.
    pub url: Option<String>,
    /// The line number, counted from 0.
    pub line_number: Option<i64>,
}
