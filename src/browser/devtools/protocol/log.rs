//! The domain Log: messages of Chromium itself about a page.

protocol! {
    /// Starts reporting entries; existing entries are reported at once.
    command EnableLog: "Log.enable" {}

    /// The event that an entry was added to the log.
    event EntryAdded: "Log.entryAdded" {
        entry: LogEntry,
    }

    /// A message of Chromium about a page.
    received LogEntry {
        /// `network`, `security`, `worker`, ...
        source: String,
        /// `verbose`, `info`, `warning` or `error`.
        level: String,
        text: String,
        /// The URL that the message is about.
        url: Option<String>,
        /// The line number, counted from 0.
        line_number: Option<i64>,
    }
}
