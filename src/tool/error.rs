//! A failed call: what the domain teaches, where it happened, and the object that the client reads.
//!
//! The codes live with their domains (`errors.toml`); here is only the form. Every error reaches the client as a result
//! with `isError`, because protocol errors are not shown to models.

use fumi_base::{
    errors::{Book, Class, Lesson, Teach},
    redact::{self, Redactor},
    text::{Locale, Text},
};
use serde_json::{Map, Value, json};

use super::{Caller, Family, Reply};

/// Longest echo of one argument, in characters.
const ECHO_CHARS: usize = 200;

/// A failed call.
#[derive(Clone, Debug)]
pub struct ToolError {
    lesson: Box<Lesson>,
    details: Map<String, Value>,
    family: Option<&'static Family>,
}

/// The failures of the kernel itself.
pub static BOOK: std::sync::LazyLock<Book> = std::sync::LazyLock::new(|| Book::embedded(include_str!("errors.toml")));

impl<E: Teach> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::of(error.lesson())
    }
}

impl ToolError {
    /// A failure from its lesson.
    #[must_use]
    pub fn of(lesson: Lesson) -> Self {
        let details = lesson
            .facts
            .iter()
            .filter(|(name, _)| !name.ends_with("_ja"))
            .map(|(name, value)| {
                // Sentences quote what the client wrote; data does not.
                let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                ((*name).to_owned(), json!(bare.unwrap_or(value)))
            })
            .collect();
        Self {
            lesson: Box::new(lesson),
            details,
            family: None,
        }
    }

    /// Several failures of one kind at once: the first decides the code, all are told.
    #[must_use]
    pub fn all<E: Teach>(errors: &[E]) -> Self {
        let mut lessons = errors.iter().map(Teach::lesson);
        let Some(mut first) = lessons.next() else {
            return Self::internal();
        };
        for other in lessons {
            first.message = Text::new(
                format!("{}\n{}", first.message.en, other.message.en),
                format!("{}\n{}", first.message.ja, other.message.ja),
            );
        }
        Self::of(first)
    }

    /// The same as a family says it: with its details, and in its words where its book has an entry `FAMILY_KIND`. What it is a
    /// kind of stays.
    #[must_use]
    pub fn in_words_of(mut self, family: &'static Family) -> Self {
        self.family = Some(family);
        for (name, value) in family.details {
            self.details.insert((*name).to_owned(), json!(value));
        }
        let Some(book) = family.book else { return self };
        let name = format!("{}_{}", family.name.to_uppercase(), self.lesson.kind);
        if book().entries().any(|(entry, _)| entry == name) {
            let facts = std::mem::take(&mut self.lesson.facts);
            let kind = std::mem::take(&mut self.lesson.kind);
            *self.lesson = Lesson {
                kind,
                ..book().lesson(&name, &facts)
            };
        }
        self
    }

    /// Something that must not happen did. The cause is in the log, not in the reply.
    #[must_use]
    pub fn internal() -> Self {
        Self::of(BOOK.lesson("TOOL_EXECUTION_FAILED", &[]))
    }

    /// Adds a typed detail.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: Value) -> Self {
        self.details.insert(name.to_owned(), value);
        self
    }

    /// Names the call that helps now, instead of the one that the sentences know.
    #[must_use]
    pub fn with_guidance(mut self, tool: &str, arguments: &Value) -> Self {
        tool.clone_into(&mut self.lesson.tool);
        self.lesson.example = arguments.to_string();
        self
    }

    /// The public code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.lesson.code
    }

    /// True if the work stopped because it was told to.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.lesson.kind == "CANCELLED"
    }

    /// What was wrong.
    #[must_use]
    pub fn message(&self) -> &Text {
        &self.lesson.message
    }

    /// What to do next.
    #[must_use]
    pub fn next(&self) -> &Text {
        &self.lesson.next
    }

    /// True if it says that something about the call or the files that it names is wrong, and not that the work failed.
    #[must_use]
    pub fn is_about_input(&self) -> bool {
        !matches!(self.lesson.class, Class::MCPToolError | Class::MCPTimeoutError)
    }

    /// Where in the path of a call it happened.
    fn stage(&self) -> &'static str {
        match (self.lesson.class, self.lesson.kind.as_str()) {
            (_, "BUSY" | "LEASE_HELD" | "TURN_TAKEN") => "queue",
            (Class::MCPToolError | Class::MCPTimeoutError, _) => "execution",
            _ if self.lesson.kind.starts_with("OUTPUT_") => "delivery",
            _ => "validation",
        }
    }

    /// The reply that the client reads: the whole object as structure, the sentences as text.
    #[must_use]
    pub fn reply(&self, tool: &str, arguments: &Map<String, Value>, caller: &Caller, redactor: &Redactor) -> Reply {
        let lesson = &self.lesson;
        let message = redactor.message(&lesson.message.say(caller.locale));
        let explanation = redactor.message(&lesson.next.say(caller.locale));
        let guides = self.family.and_then(|family| family.guides);
        let is_bare = lesson.tool.is_empty() && lesson.example == "{}";
        let action = match (guides, lesson.tool.as_str()) {
            // The tool that failed needs arguments that nobody knows here.
            (Some(guides), "") if is_bare => guides.tool,
            (_, "") => tool,
            (_, helps) => helps,
        };
        let mut parameters: Value = serde_json::from_str(&lesson.example).unwrap_or_else(|_| json!({}));
        // What the call was about is what the next one is about, unless that was what was wrong.
        for name in self.family.map_or(&[][..], |family| family.subject) {
            let said = arguments
                .get(*name)
                .filter(|_| lesson.class != Class::MCPValidationError);
            if let (Some(said), Some(shown)) = (said, parameters.get_mut(*name)) {
                *shown = said.clone();
            }
        }
        let mut details = redacted(&Value::Object(self.details.clone()), redactor);
        if lesson.kind != lesson.code {
            details["kind"] = json!(lesson.kind);
        }
        if let Some(wait) = details
            .get("retry_after_ms")
            .and_then(Value::as_str)
            .and_then(|ms| ms.parse::<u64>().ok())
        {
            details["retry_after_ms"] = json!(wait);
        }
        let example = if parameters.as_object().is_none_or(Map::is_empty) {
            String::new()
        } else {
            format!("\n{action} {parameters}")
        };
        let text = format!("{}: {message}\n{explanation}{example}", lesson.code);
        let guidance = json!({
            "suggested_action": action,
            "parameters": parameters,
            "explanation": explanation,
        });
        let mut structured = json!({
            "success": false,
            "error": {
                "type": lesson.class.name(),
                "code": lesson.code,
                "message": message,
                "tool": tool,
                "tool_name": tool,
                "timestamp": jiff::Timestamp::now().to_string(),
                "context": {
                    "execution_stage": self.stage(),
                    "input_params": echo(arguments, redactor),
                },
                "details": details,
                "guidance": guidance,
                "alternative_actions": [],
                "troubleshooting_url": format!("/v1/errors#{}", lesson.kind),
            },
        });
        if let Some(guides) = guides {
            let error = &mut structured["error"];
            error[guides.also_as] = error["guidance"].clone();
            if guides.tool != action {
                let why = Text::new(guides.en, guides.ja).say(caller.locale);
                error["alternative_actions"] = json!([{"action": guides.tool, "parameters": {}, "description": why}]);
            }
        }
        Reply::error(structured, text)
    }

    /// One line for the log and for the command line.
    #[must_use]
    pub fn line(&self, locale: Locale) -> String {
        format!("{}: {}", self.lesson.code, self.lesson.message.get(locale))
    }
}

/// What a caller needs to repeat a call that was to write: its arguments, with the length and the hash of a text in its place.
#[must_use]
pub fn arguments(arguments: &Map<String, Value>, redactor: &Redactor) -> Value {
    echo_with(arguments, redactor, |name, text| {
        (name == "content" || text.chars().nth(ECHO_CHARS).is_some()).then(
            || json!({"content_length": text.chars().count(), "sha256": fumi_base::files::sha256(text.as_bytes())}),
        )
    })
}

/// The arguments as an error shows them: names, and values cut and without secrets.
fn echo(arguments: &Map<String, Value>, redactor: &Redactor) -> Value {
    echo_with(arguments, redactor, |_, _| None)
}

/// The same, with something else in the place of some texts.
fn echo_with(
    arguments: &Map<String, Value>,
    redactor: &Redactor,
    instead: impl Fn(&str, &str) -> Option<Value>,
) -> Value {
    arguments
        .iter()
        .take(100)
        .map(|(name, value)| {
            let digest = value.as_str().and_then(|text| instead(name, text));
            let shown = if redact::is_secret(name) {
                json!(redact::REDACTED)
            } else if let Some(digest) = digest {
                digest
            } else {
                match value {
                    Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
                    Value::String(text) => json!(cut(&redactor.message(text))),
                    other => json!(cut(&redactor.message(&without_secrets(other).to_string()))),
                }
            };
            (cut(&redactor.message(name)), shown)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// The same value, with nothing under the names of secrets, however deep.
pub(super) fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let shown = if redact::is_secret(name) {
                    Value::from(redact::REDACTED)
                } else {
                    without_secrets(value)
                };
                (name.clone(), shown)
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        other => other.clone(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn redacted(value: &Value, redactor: &Redactor) -> Value {
    match value {
        Value::String(text) => json!(redactor.message(text)),
        Value::Array(items) => items.iter().map(|item| redacted(item, redactor)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), redacted(value, redactor)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
