//! What pages write to their console, what they throw, and what Chromium says of them: the last 1,000 messages.

use std::collections::VecDeque;

use super::{State, Tab};
use crate::devtools::{
    Channel,
    protocol::{
        log::Entry,
        runtime::{ConsoleApiCalled, ExceptionDetails, ExceptionThrown, ReleaseObject, RemoteObject, StackTrace},
    },
};

/// Messages that are kept.
const KEPT: usize = 1_000;
/// Longest message, in characters.
const LONGEST: usize = 2_000;
/// Longest URL or place that is kept, in characters: pages make them as long as they like.
pub(super) const URL: usize = 4_000;
/// A message that comes again within so many is counted, not kept twice.
const ALIKE: usize = 16;

/// How much a message matters, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// `console.debug` and what Chromium calls verbose.
    Debug,
    /// `console.log`, `console.info` and their like.
    #[default]
    Info,
    /// `console.warn`.
    Warning,
    /// `console.error`, failed assertions, what was thrown and not caught, requests that failed.
    Error,
}

/// A message, with how often it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How much it matters.
    pub level: Level,
    /// What it says, cut at 2,000 characters.
    pub text: String,
    /// `URL:line:column`, from 1.
    pub place: Option<String>,
    /// How often it came, one after the other or nearly.
    pub repeated: usize,
}

/// The console of a tab.
#[derive(Debug, Default)]
pub(super) struct Console {
    kept: VecDeque<Kept>,
    /// Messages so far. It only grows.
    count: u64,
    /// Errors so far. It only grows.
    pub(super) errors: u64,
    page: u64,
}

#[derive(Debug)]
struct Kept {
    message: Message,
    /// Which of the messages it was, the last time.
    number: u64,
    /// Which of the pages of the tab wrote it.
    page: u64,
}

impl Console {
    /// Another document is in the main frame.
    pub(super) fn next_page(&mut self) {
        self.page += 1;
    }

    /// How many messages there were so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Those that came after the message of this number.
    pub(super) fn after(&self, number: u64) -> Vec<Message> {
        self.kept
            .iter()
            .filter(|kept| kept.number > number)
            .map(|kept| kept.message.clone())
            .collect()
    }

    fn add(&mut self, level: Level, text: &str, place: Option<String>) {
        self.count += 1;
        if level == Level::Error {
            self.errors += 1;
        }
        let (number, page) = (self.count, self.page);
        let text = cut(text, LONGEST);
        let place = place.map(|place| cut(&place, URL));
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
        self.kept.push_back(Kept {
            message: Message {
                level,
                text,
                place,
                repeated: 1,
            },
            number,
            page,
        });
    }

    pub(super) fn called(&mut self, called: ConsoleApiCalled, channel: &Channel) {
        let level = match called.kind.as_str() {
            "debug" => Level::Debug,
            "warning" => Level::Warning,
            "error" | "assert" => Level::Error,
            // They say nothing.
            "clear" | "endGroup" | "profile" | "profileEnd" => return,
            _ => Level::Info,
        };
        let text = written(&called.args);
        let text = match called.kind.as_str() {
            "assert" => format!("Assertion failed: {text}"),
            "trace" => format!("Trace: {text}"),
            _ => text,
        };
        self.add(level, &text, called.stack_trace.as_ref().and_then(place));
        release(called.args, channel);
    }

    pub(super) fn threw(&mut self, thrown: ExceptionThrown, channel: &Channel) {
        let details = thrown.exception_details;
        self.add(Level::Error, &uncaught(&details), place_of(&details));
        release(details.exception.into_iter().collect(), channel);
    }

    pub(super) fn log(&mut self, entry: Entry) {
        // Workers say it themselves, in their own sessions.
        if entry.source == "worker" {
            return;
        }
        let level = match entry.level.as_str() {
            "verbose" => Level::Debug,
            "warning" => Level::Warning,
            "error" => Level::Error,
            _ => Level::Info,
        };
        let place = entry.url.map(|url| match entry.line_number {
            Some(line) => format!("{url}:{}", line + 1),
            None => url,
        });
        self.add(level, &entry.text, place);
    }
}

impl Tab {
    /// Messages of this level and above, the oldest first: of the page as it is, or of all pages of the tab.
    #[must_use]
    pub fn console(&self, level: Level, all: bool) -> Vec<Message> {
        let State { console, .. } = &*self.state();
        let kept = console.kept.iter().filter(|kept| all || kept.page == console.page);
        kept.filter(|kept| kept.message.level >= level)
            .map(|kept| kept.message.clone())
            .collect()
    }
}

/// What Chromium holds for the console would stay as long as the page.
fn release(objects: Vec<RemoteObject>, channel: &Channel) {
    for object_id in objects.into_iter().filter_map(|object| object.object_id) {
        channel.send(&ReleaseObject { object_id });
    }
}

fn uncaught(details: &ExceptionDetails) -> String {
    let thrown = details.exception.as_ref().map(shown).unwrap_or_default();
    // The first line says what, the others where, which stands in the place.
    let first = thrown.lines().next().unwrap_or_default();
    if first.is_empty() {
        details.text.clone()
    } else {
        format!("{} {first}", details.text)
    }
}

fn place_of(details: &ExceptionDetails) -> Option<String> {
    let by_trace = details.stack_trace.as_ref().and_then(place);
    by_trace.or_else(|| {
        let url = details.url.as_ref().filter(|url| !url.is_empty())?;
        Some(format!(
            "{url}:{}:{}",
            details.line_number + 1,
            details.column_number + 1
        ))
    })
}

fn place(trace: &StackTrace) -> Option<String> {
    let frame = trace.call_frames.first()?;
    (!frame.url.is_empty()).then(|| format!("{}:{}:{}", frame.url, frame.line_number + 1, frame.column_number + 1))
}

/// What a call wrote: with the substitutions of the console in a first text, else one after the other.
fn written(args: &[RemoteObject]) -> String {
    let mut left = args.iter();
    let mut text = String::new();
    if let Some(first) = args.first().filter(|first| first.kind == "string") {
        left.next();
        let first = shown(first);
        let mut rest = first.as_str();
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            let kind = rest[at + 1..].chars().next();
            rest = &rest[at + 1..];
            match kind {
                Some('%') => text.push('%'),
                Some('c') if left.len() > 0 => drop(left.next()),
                Some('s' | 'd' | 'i' | 'f' | 'o' | 'O') if left.len() > 0 => {
                    text.push_str(&left.next().map(shown).unwrap_or_default());
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
        text.push_str(&shown(arg));
    }
    text
}

/// A value as the console shows it.
fn shown(object: &RemoteObject) -> String {
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
        let value = if property.kind == "string" {
            format!("{value:?}")
        } else {
            value.to_owned()
        };
        if is_list {
            value
        } else {
            format!("{}: {value}", property.name)
        }
    });
    let values = values.collect::<Vec<_>>().join(", ");
    if is_list {
        format!("[{values}{more}]")
    } else {
        format!("{{{values}{more}}}")
    }
}

/// The beginning of a text; an ellipsis says that there was more.
pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
