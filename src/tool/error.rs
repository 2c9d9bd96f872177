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

/// Longest suggestion that repeats arguments of the call, in bytes.
const LONGEST_SUGGESTION: usize = 2_000;

/// A change that leaves the call as it is: the text says to repeat it, and does not show it again.
const SAME_CALL: &str = "{}";

/// Facts that fill suggestions and say nothing else.
const FOR_SUGGESTIONS: [&str; 4] = ["change", "name", "folder", "first"];

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
            .filter(|(name, _)| !name.ends_with("_ja") && !FOR_SUGGESTIONS.contains(name))
            .map(|(name, value)| ((*name).to_owned(), json!(bare(value))))
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
            first.message = both(&first.message, &other.message);
            first.change = joined(&first, &other);
        }
        Self::of(first)
    }

    /// The same of failures of several kinds. `None` without any.
    #[must_use]
    pub fn together(errors: Vec<Self>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        for other in errors {
            first.lesson.message = both(&first.lesson.message, &other.lesson.message);
            first.lesson.change = joined(&first.lesson, &other.lesson);
        }
        Some(first)
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
        self.lesson.change.clear();
        self.lesson.is_template = false;
        self
    }

    /// Names the call that was probably meant. Unless all its values are the caller's own it is a template.
    #[must_use]
    pub fn with_corrected(mut self, call: &Map<String, Value>, is_own: bool) -> Self {
        let text = Value::Object(call.clone()).to_string();
        if text.len() <= LONGEST_SUGGESTION {
            self.lesson.example = text;
            self.lesson.is_template = !is_own;
        }
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
        let is_bare = lesson.tool.is_empty() && lesson.example == "{}" && lesson.change.is_empty();
        let action = match (guides, lesson.tool.as_str()) {
            // The tool that failed needs arguments that nobody knows here.
            (Some(guides), "") if is_bare => guides.tool,
            (_, "") => tool,
            (_, helps) => helps,
        };
        let (mut parameters, mut is_template) = match self.changed(arguments, redactor) {
            Some(changed) => (changed, lesson.is_template),
            None => (with_facts(&lesson.example, &lesson.facts), lesson.is_template),
        };
        let is_empty = |parameters: &Value| parameters.as_object().is_none_or(Map::is_empty);
        let shown = parameters.to_string();
        if redactor.message(&shown) != shown || without_secrets(&parameters) != parameters {
            (parameters, is_template) = (json!({}), true);
        }
        // A value that was cut is not the caller's own.
        is_template |= shown.contains("…\"");
        // Which call would work is not known, or only the caller knows.
        is_template |= is_empty(&parameters) && action == tool;
        // A call that repeats the arguments has it already.
        let project = self.family.and_then(|family| family.project);
        if let Some((name, root)) = project.and_then(|name| Some((name, arguments.get(name)?)))
            && lesson.change.is_empty()
            && lesson.kind != "INVALID_ARGUMENTS"
            && action != "set_project_path"
            && root.as_str().is_some_and(|root| root.len() <= LONGEST_SUGGESTION)
        {
            parameters[name] = root.clone();
        }
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
        let example = if is_empty(&parameters) || lesson.change == SAME_CALL {
            String::new()
        } else if is_template {
            let say = Text::new("Example, with your own values:", "例（値は置き換えてください）:");
            format!("\n{} {action} {parameters}", say.get(caller.locale.unwrap_or_default()))
        } else {
            format!("\n{action} {parameters}")
        };
        let text = format!("{}: {message}\n{explanation}{example}", lesson.code);
        let mut guidance = json!({
            "suggested_action": action,
            "parameters": parameters,
            "explanation": explanation,
        });
        if is_template {
            guidance["template"] = json!(true);
        }
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

    /// The arguments of the failed call with what to change in them. `None` where that is not known, or where they cannot be repeated.
    fn changed(&self, arguments: &Map<String, Value>, redactor: &Redactor) -> Option<Value> {
        let changes =
            Some(with_facts(&self.lesson.change, &self.lesson.facts)).filter(|_| !self.lesson.change.is_empty())?;
        let mut call = arguments.clone();
        for (name, value) in changes.as_object()? {
            if value.is_null() {
                call.shift_remove(name);
            } else {
                call.insert(name.clone(), value.clone());
            }
        }
        let call = Value::Object(call);
        let text = call.to_string();
        let has_secret = redactor.message(&text) != text || without_secrets(&call) != call;
        (text.len() <= LONGEST_SUGGESTION && !has_secret).then_some(call)
    }

    /// One line for the log and for the command line.
    #[must_use]
    pub fn line(&self, locale: Locale) -> String {
        format!("{}: {}", self.lesson.code, self.lesson.message.get(locale))
    }
}

/// A fact without the quotes in which sentences show it.
fn bare(fact: &str) -> &str {
    let inner = fact.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(fact)
}

/// A JSON object in text, with facts in the place of texts such as `{path}`.
fn with_facts(text: &str, facts: &[(&'static str, String)]) -> Value {
    fn fill(text: &str, facts: &[(&'static str, String)]) -> String {
        let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let fact = name.and_then(|name| facts.iter().find(|(fact, _)| *fact == name));
        fact.map_or_else(|| text.to_owned(), |(_, fact)| bare(fact).to_owned())
    }
    fn filled(value: Value, facts: &[(&'static str, String)]) -> Value {
        match value {
            Value::String(text) => json!(fill(&text, facts)),
            Value::Array(items) => items.into_iter().map(|item| filled(item, facts)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (fill(&name, facts), filled(value, facts)))
                .collect::<Map<_, _>>()
                .into(),
            other => other,
        }
    }
    let object = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
    filled(object, facts)
}

/// Two sentences, a line each.
fn both(one: &Text, other: &Text) -> Text {
    Text::new(format!("{}\n{}", one.en, other.en), format!("{}\n{}", one.ja, other.ja))
}

/// The changes of two failures of one call; none if one of them has none.
fn joined(one: &Lesson, other: &Lesson) -> String {
    if one.change.is_empty() || other.change.is_empty() {
        return String::new();
    }
    let mut change = with_facts(&one.change, &one.facts);
    if let (Some(change), Value::Object(more)) = (change.as_object_mut(), with_facts(&other.change, &other.facts)) {
        change.extend(more);
    }
    change.to_string()
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
