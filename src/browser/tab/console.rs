//! The console messages of a tab: console calls, uncaught exceptions and Chromium's own log entries, the last 1,000 of
//! them.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tab, TabState};
use crate::devtools::{
    Channel,
    protocol::{
        log::LogEntry,
        runtime::{ConsoleApiCalled, ExceptionDetails, ExceptionThrown, ReleaseObject, RemoteValue, StackTrace},
    },
};

/// The number of messages that are kept.
const KEPT: usize = 1_000;
/// The maximum length of a message, in characters.
const LONGEST: usize = 2_000;
/// The maximum length of a stored URL or source location, in characters: pages may make them as long as they like.
pub(super) const URL: usize = 4_000;
/// The number of recent messages that are searched for an equal one. A repeated message is counted instead of stored
/// again.
const ALIKE: usize = 16;

/// The severity of a console message, the most severe first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessageLevel {
    /// `console.error`, failed assertions, uncaught exceptions, failed requests.
    Error,
    /// `console.warn`.
    Warning,
    /// `console.log`, `console.info` and similar calls.
    #[default]
    Info,
    /// `console.debug` and Chromium's level "verbose".
    Debug,
}

/// A console message and the number of its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleMessage {
    pub level: MessageLevel,
    /// The text, cut at 2,000 characters.
    pub text: String,
    /// The source location as `URL:line:column`, counted from 1.
    pub place: Option<String>,
    /// The number of occurrences that followed each other, or nearly.
    pub repeated: usize,
}

/// The console messages of a tab.
#[derive(Debug, Default)]
pub(super) struct ConsoleLog {
    kept: VecDeque<ConsoleEntry>,
    /// Number of messages so far. Never decreases.
    count: u64,
    /// Number of errors so far. Never decreases.
    pub(super) errors: u64,
    page: u64,
}

#[derive(Debug)]
struct ConsoleEntry {
    message: ConsoleMessage,
    /// The sequence number of the last occurrence of the message.
    number: u64,
    /// The number of the page (document of the main frame) that wrote the message.
    page: u64,
}

impl ConsoleLog {
    /// Notes that another document is in the main frame.
    pub(super) fn next_page(&mut self) {
        self.page += 1;
    }

    /// Returns the number of messages so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the messages that came after the message with this sequence number.
    pub(super) fn after(&self, number: u64) -> Vec<ConsoleMessage> {
        self.kept.iter().filter(|kept| kept.number > number).map(|kept| kept.message.clone()).collect()
    }

    fn add(&mut self, level: MessageLevel, text: &str, place: Option<String>) {
        self.count += 1;
        if level == MessageLevel::Error {
            self.errors += 1;
        }
        let (number, page) = (self.count, self.page);
        let text = truncate(text, LONGEST);
        let place = place.map(|place| truncate(&place, URL));
        let alike = self.kept.iter().rev().take(ALIKE).position(|kept| {
            let message = &kept.message;
            kept.page == page && message.level == level && message.text == text && message.place == place
        });
        if let Some(alike) = alike {
            let at = self.kept.len() - 1 - alike;
            if let Some(mut kept) = self.kept.remove(at) {
                kept.message.repeated += 1;
                kept.number = number;
                self.kept.push_back(kept);
            }
            return;
        }
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(ConsoleEntry { message: ConsoleMessage { level, text, place, repeated: 1 }, number, page });
    }

    pub(super) fn add_api_call(&mut self, called: ConsoleApiCalled, channel: &Channel) {
        let level = match called.kind.as_str() {
            "debug" => MessageLevel::Debug,
            "warning" => MessageLevel::Warning,
            "error" | "assert" => MessageLevel::Error,
            // These calls write no text.
            "clear" | "endGroup" | "profile" | "profileEnd" => return,
            _ => MessageLevel::Info,
        };
        let text = format_arguments(&called.args);
        let text = match called.kind.as_str() {
            "assert" => format!("Assertion failed: {text}"),
            "trace" => format!("Trace: {text}"),
            _ => text,
        };
        self.add(level, &text, called.stack_trace.as_ref().and_then(place));
        release(called.args, channel);
    }

    pub(super) fn add_exception(&mut self, thrown: ExceptionThrown, channel: &Channel) {
        let details = thrown.exception_details;
        self.add(MessageLevel::Error, &uncaught(&details), place_of(&details));
        release(details.exception.into_iter().collect(), channel);
    }

    pub(super) fn add_log_entry(&mut self, entry: LogEntry) {
        // Workers report these entries in their own sessions.
        if entry.source == "worker" {
            return;
        }
        let level = match entry.level.as_str() {
            "verbose" => MessageLevel::Debug,
            "warning" => MessageLevel::Warning,
            "error" => MessageLevel::Error,
            _ => MessageLevel::Info,
        };
        let place = entry.url.map(|url| match entry.line_number {
            Some(line) => format!("{url}:{}", line + 1),
            None => url,
        });
        self.add(level, &entry.text, place);
    }
}

impl Tab {
    /// Returns the messages of this level and above, the oldest first: those of the current page, or of all pages of
    /// the tab.
    pub fn console(&self, level: MessageLevel, all: bool) -> Vec<ConsoleMessage> {
        let TabState { console, .. } = &*self.state();
        let kept = console.kept.iter().filter(|kept| all || kept.page == console.page);
        kept.filter(|kept| kept.message.level <= level).map(|kept| kept.message.clone()).collect()
    }
}

/// Releases objects of console calls. Chromium would otherwise keep them for as long as the page exists.
fn release(objects: Vec<RemoteValue>, channel: &Channel) {
    for object_id in objects.into_iter().filter_map(|object| object.object_id) {
        channel.send(&ReleaseObject { object_id });
    }
}

fn uncaught(details: &ExceptionDetails) -> String {
    let thrown = details.exception.as_ref().map(format_value).unwrap_or_default();
    // The first line is the message. The others are the stack trace, which `place` covers.
    let first = thrown.lines().next().unwrap_or_default();
    if first.is_empty() { details.text.clone() } else { format!("{} {first}", details.text) }
}

fn place_of(details: &ExceptionDetails) -> Option<String> {
    let by_trace = details.stack_trace.as_ref().and_then(place);
    by_trace.or_else(|| {
        let url = details.url.as_ref().filter(|url| !url.is_empty())?;
        Some(format!("{url}:{}:{}", details.line_number + 1, details.column_number + 1))
    })
}

fn place(trace: &StackTrace) -> Option<String> {
    let frame = trace.call_frames.first()?;
    (!frame.url.is_empty()).then(|| format!("{}:{}:{}", frame.url, frame.line_number + 1, frame.column_number + 1))
}

/// Formats the arguments of a console call: with the `%` substitutions if the first argument is a string, otherwise
/// joined by spaces.
fn format_arguments(args: &[RemoteValue]) -> String {
    let mut left = args.iter();
    let mut text = String::new();
    if let Some(first) = args.first().filter(|first| first.kind == "string") {
        left.next();
        let first = format_value(first);
        let mut rest = first.as_str();
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            let kind = rest[at + 1..].chars().next();
            rest = &rest[at + 1..];
            match kind {
                Some('%') => text.push('%'),
                Some('c') if left.len() > 0 => drop(left.next()),
                Some('s' | 'd' | 'i' | 'f' | 'o' | 'O') if left.len() > 0 => {
                    text.push_str(&left.next().map(format_value).unwrap_or_default());
                }
                _ => {
                    text.push('%');
                    continue;
                }
            }
            rest = &rest[1..];
        }
        text.push_str(rest);
    }
    for arg in left {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&format_value(arg));
    }
    text
}

/// Formats a value as the console shows it.
fn format_value(object: &RemoteValue) -> String {
    if let Some(value) = &object.value {
        return serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned());
    }
    if let Some(value) = &object.unserializable_value {
        return value.clone();
    }
    if object.subtype.as_deref() == Some("null") {
        return "null".to_owned();
    }
    let description = || object.description.clone().unwrap_or_else(|| object.kind.clone());
    let Some(preview) = &object.preview else {
        return description();
    };
    let is_list = preview.subtype.as_deref() == Some("array");
    if !is_list && preview.description.as_deref() != Some("Object") {
        return description();
    }
    let more = if preview.overflow { ", …" } else { "" };
    let values = preview.properties.iter().map(|property| {
        let value = property.value.as_deref().unwrap_or(&property.kind);
        let value = if property.kind == "string" { format!("{value:?}") } else { value.to_owned() };
        if is_list { value } else { format!("{}: {value}", property.name) }
    });
    let values = values.collect::<Vec<_>>().join(", ");
    if is_list { format!("[{values}{more}]") } else { format!("{{{values}{more}}}") }
}

/// Returns at most `longest` characters of a text, followed by an ellipsis if the text was longer.
pub(super) fn truncate(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
