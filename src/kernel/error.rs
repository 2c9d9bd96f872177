//! The error of a failed call: the explanation of its domain, the stage of the call, and the object that the client
//! reads.
//!
//! Codes and texts belong to their domains (`errors.toml`); this file only builds the object. Every error reaches the
//! client as a result with `isError`, because protocol errors are not shown to models.

use fumi_base::{
    errors::{ErrorCatalog, ErrorClass, ErrorMessage, UserError, with_causes},
    redact::{self, Redactor},
    text::{BilingualText, Locale},
};
use serde_json::{Map, Value, json};

use super::{Caller, ToolFamily, ToolReply};

/// The longest echo of one argument, in characters.
const ECHO_CHARS: usize = 200;

/// The longest suggestion that repeats arguments of the call, in bytes.
const LONGEST_SUGGESTION: usize = 2_000;

/// A change that leaves the call as it is: the text says to repeat it, and does not show it again.
const SAME_CALL: &str = "{}";

/// Errors of the system itself: the operator finds them in the log with their cause.
const OF_THE_SYSTEM: [&str; 3] = ["SYSTEM_FAILURE", "STATE_UNAVAILABLE", "STATE_UNKNOWN"];

/// Facts that only fill suggestions and are not shown as details.
const FOR_SUGGESTIONS: [&str; 4] = ["change", "name", "folder", "first"];

/// The error of a failed call.
#[derive(Clone, Debug)]
pub struct ToolError {
    lesson: Box<ErrorMessage>,
    details: Map<String, Value>,
    family: Option<&'static ToolFamily>,
    /// The error with its causes, for the log, if the system failed.
    cause: Option<String>,
}

/// The error catalogue of the kernel itself.
pub static BOOK: std::sync::LazyLock<ErrorCatalog> =
    std::sync::LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

impl<E: UserError> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self { cause: cause_of(&error), ..Self::from_message(error.error_message()) }
    }
}

/// Returns an error of the system with its causes.
fn cause_of(error: &impl UserError) -> Option<String> {
    OF_THE_SYSTEM.contains(&error.entry()).then(|| with_causes(error))
}

impl ToolError {
    /// Creates an error from its catalogue text.
    pub fn from_message(lesson: ErrorMessage) -> Self {
        let details = lesson
            .facts
            .iter()
            .filter(|(name, _)| !FOR_SUGGESTIONS.contains(name))
            .map(|(name, value)| ((*name).to_owned(), json!(bare(&value.en))))
            .collect();
        Self { lesson: Box::new(lesson), details, family: None, cause: None }
    }

    /// Combines several errors of one kind: the first decides the code, the messages of all are kept.
    pub fn combine_same_kind<E: UserError>(errors: &[E]) -> Self {
        let mut lessons = errors.iter().map(UserError::error_message);
        let Some(mut first) = lessons.next() else {
            return Self::internal();
        };
        for other in lessons {
            first.message = both(&first.message, &other.message);
            first.change = joined(&first, &other);
        }
        Self { cause: errors.first().and_then(cause_of), ..Self::from_message(first) }
    }

    /// Combines several errors of different kinds, like [`Self::combine_same_kind`]. Returns `None` for an empty list.
    pub fn combine(errors: Vec<Self>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        for other in errors {
            first.lesson.message = both(&first.lesson.message, &other.lesson.message);
            first.lesson.change = joined(&first.lesson, &other.lesson);
        }
        Some(first)
    }

    /// Adapts the error to a family: adds its details, and uses its texts if its catalogue has an entry `FAMILY_KIND`.
    /// The kind of the error stays.
    pub fn adapt_to(mut self, family: &'static ToolFamily) -> Self {
        self.family = Some(family);
        for (name, value) in family.details {
            self.details.insert((*name).to_owned(), json!(value));
        }
        let Some(book) = family.book else { return self };
        let name = format!("{}_{}", family.name.to_uppercase(), self.lesson.kind);
        if book().entries().any(|(entry, _)| entry == name) {
            let facts = std::mem::take(&mut self.lesson.facts);
            let kind = std::mem::take(&mut self.lesson.kind);
            *self.lesson = ErrorMessage { kind, ..book().error_message(&name, &facts) };
        }
        self
    }

    /// Creates an internal error. The cause is in the log, not in the reply.
    pub fn internal() -> Self {
        Self::from_message(BOOK.error_message("TOOL_EXECUTION_FAILED", &[]))
    }

    /// Adds a typed detail.
    pub fn with_detail(mut self, name: &str, value: Value) -> Self {
        self.details.insert(name.to_owned(), value);
        self
    }

    /// Sets the suggested call, in place of the one in the catalogue.
    pub fn with_guidance(mut self, tool: &str, arguments: &Value) -> Self {
        tool.clone_into(&mut self.lesson.tool);
        self.lesson.example = arguments.to_string();
        self.lesson.change.clear();
        self.lesson.is_template = false;
        self
    }

    /// Sets the call that was probably meant. It is a template unless `is_own`: all its values are the caller's own.
    pub fn with_corrected(mut self, call: &Map<String, Value>, is_own: bool) -> Self {
        let text = Value::Object(call.clone()).to_string();
        if text.len() <= LONGEST_SUGGESTION {
            self.lesson.example = text;
            self.lesson.is_template = !is_own;
        }
        self
    }

    /// Returns the public error code.
    pub fn code(&self) -> &str {
        &self.lesson.code
    }

    /// True if the work stopped because it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lesson.kind == "CANCELLED"
    }

    /// Returns the error with its causes, for the log, if the system failed.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Returns the description of the error.
    pub fn message(&self) -> &BilingualText {
        &self.lesson.message
    }

    /// Returns the next step for the caller.
    pub fn next(&self) -> &BilingualText {
        &self.lesson.next
    }

    /// True if the error lies in the call or in the files that it names; false if the work itself failed.
    pub fn is_about_input(&self) -> bool {
        !matches!(self.lesson.class, ErrorClass::MCPToolError | ErrorClass::MCPTimeoutError)
    }

    /// Returns the stage of the call at which the error happened.
    fn stage(&self) -> &'static str {
        match (self.lesson.class, self.lesson.kind.as_str()) {
            (_, "BUSY" | "LEASE_HELD" | "TURN_TAKEN") => "queue",
            (ErrorClass::MCPToolError | ErrorClass::MCPTimeoutError, _) => "execution",
            _ if self.lesson.kind.starts_with("OUTPUT_") => "delivery",
            _ => "validation",
        }
    }

    /// Returns the reply for the client: the whole object as structure, the texts as text.
    pub fn reply(&self, tool: &str, arguments: &Map<String, Value>, caller: &Caller, redactor: &Redactor) -> ToolReply {
        let lesson = &self.lesson;
        let message = redactor.redact_message(lesson.message.get(caller.locale));
        let explanation = redactor.redact_message(lesson.next.get(caller.locale));
        let guides = self.family.and_then(|family| family.guides);
        let is_bare = lesson.tool.is_empty() && lesson.example == "{}" && lesson.change.is_empty();
        let action = match (guides, lesson.tool.as_str()) {
            // The failed tool needs arguments that are unknown here.
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
        if redactor.redact_message(&shown) != shown || without_secrets(&parameters) != parameters {
            (parameters, is_template) = (json!({}), true);
        }
        // A truncated value is not the caller's own.
        is_template |= shown.contains("…\"");
        // Nothing is known of a call that would work.
        is_template |= is_empty(&parameters) && action == tool;
        // A call that repeats the arguments contains the project already.
        let project = self.family.and_then(|family| family.project);
        if let Some((name, root)) = project.and_then(|name| Some((name, arguments.get(name)?)))
            && lesson.change.is_empty()
            && lesson.kind != "INVALID_ARGUMENTS"
            && action != "set_project_path"
            && root.as_str().is_some_and(|root| root.len() <= LONGEST_SUGGESTION)
        {
            parameters[name] = root.clone();
        }
        // The suggested call keeps the subject of the failed one, unless that subject was the error.
        for name in self.family.map_or(&[][..], |family| family.subject) {
            let said = arguments.get(*name).filter(|_| lesson.class != ErrorClass::MCPValidationError);
            if let (Some(said), Some(shown)) = (said, parameters.get_mut(*name)) {
                *shown = said.clone();
            }
        }
        let is_named = !lesson.tool.is_empty() && lesson.tool != tool;
        let handle = self.handle(caller);
        // Tools of other families do not take it.
        let takes_handle =
            (is_named || !is_empty(&parameters)) && self.family.is_some_and(|family| action.starts_with(family.name));
        if let Some((name, value)) = handle.clone().filter(|_| takes_handle) {
            parameters[name] = value;
        }
        let details = self.published_details(redactor);
        let example = if (is_empty(&parameters) && !is_named) || lesson.change == SAME_CALL {
            String::new()
        } else {
            suggestion(action, &parameters, is_template, caller.locale)
        };
        let mut text = format!("{}: {message}\n{explanation}{example}", lesson.code);
        if let Some((name, Value::String(value))) = handle
            && (!takes_handle || example.is_empty())
            && !arguments.contains_key(name)
        {
            text.push_str(&format!("\n{name}: {value}"));
        }
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
                let why = match caller.locale {
                    Locale::En => guides.en,
                    Locale::Ja => guides.ja,
                };
                error["alternative_actions"] = json!([{"action": guides.tool, "parameters": {}, "description": why}]);
            }
        }
        ToolReply { form: caller.form, ..ToolReply::error(structured, text) }
    }

    /// Returns the field `details` of the error.
    fn published_details(&self, redactor: &Redactor) -> Value {
        let mut details = redacted(&Value::Object(self.details.clone()), redactor);
        if self.lesson.kind != self.lesson.code {
            details["kind"] = json!(self.lesson.kind);
        }
        let wait = details.get("retry_after_ms").and_then(Value::as_str);
        if let Some(wait) = wait.and_then(|ms| ms.parse::<u64>().ok()) {
            details["retry_after_ms"] = json!(wait);
        }
        details
    }

    /// Returns the family's handle of the caller's state, by the argument that takes it; `None` if the caller's session
    /// has the state, or if the state is unknown.
    fn handle(&self, caller: &Caller) -> Option<(&'static str, Value)> {
        let name = self.family?.handle.filter(|_| caller.session.is_none())?;
        Some((name, self.details.get(name)?.clone()))
    }

    /// Returns the arguments of the failed call with the suggested change. Returns `None` if the change is unknown or
    /// the arguments cannot be repeated.
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
        let has_secret = redactor.redact_message(&text) != text || without_secrets(&call) != call;
        (text.len() <= LONGEST_SUGGESTION && !has_secret).then_some(call)
    }

    /// Returns one line for the log and for the command line.
    pub fn line(&self, locale: Locale) -> String {
        format!("{}: {}", self.lesson.code, self.lesson.message.get(locale))
    }
}

/// Returns the line with the suggested call.
fn suggestion(action: &str, parameters: &Value, is_template: bool, locale: Locale) -> String {
    let lead = match locale {
        _ if !is_template => "→",
        Locale::En => "Example, with your own values:",
        Locale::Ja => "例（値は置き換えてください）:",
    };
    format!("\n{lead} {action} {parameters}")
}

/// Removes the quotes that texts put around a fact.
fn bare(fact: &str) -> &str {
    let inner = fact.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(fact)
}

/// Parses a JSON object, with strings such as `{path}` replaced by facts.
fn with_facts(text: &str, facts: &[(&'static str, BilingualText)]) -> Value {
    fn fill(text: &str, facts: &[(&'static str, BilingualText)]) -> String {
        let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let fact = name.and_then(|name| facts.iter().find(|(fact, _)| *fact == name));
        fact.map_or_else(|| text.to_owned(), |(_, fact)| bare(&fact.en).to_owned())
    }
    fn filled(value: Value, facts: &[(&'static str, BilingualText)]) -> Value {
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

/// Joins two texts, one line each.
fn both(one: &BilingualText, other: &BilingualText) -> BilingualText {
    BilingualText::new(format!("{}\n{}", one.en, other.en), format!("{}\n{}", one.ja, other.ja))
}

/// Joins the suggested changes of two errors of one call; empty if one of them has none.
fn joined(one: &ErrorMessage, other: &ErrorMessage) -> String {
    if one.change.is_empty() || other.change.is_empty() {
        return String::new();
    }
    let mut change = with_facts(&one.change, &one.facts);
    if let (Some(change), Value::Object(more)) = (change.as_object_mut(), with_facts(&other.change, &other.facts)) {
        change.extend(more);
    }
    change.to_string()
}

/// Returns the arguments for a repetition of a failed write: long texts are replaced by their length and hash.
pub fn arguments(arguments: &Map<String, Value>, redactor: &Redactor) -> Value {
    echo_with(arguments, redactor, |name, text| {
        (name == "content" || text.chars().nth(ECHO_CHARS).is_some()).then(
            || json!({"content_length": text.chars().count(), "sha256": fumi_base::files::sha256(text.as_bytes())}),
        )
    })
}

/// Returns the arguments as an error shows them: names and truncated values, without secrets.
fn echo(arguments: &Map<String, Value>, redactor: &Redactor) -> Value {
    echo_with(arguments, redactor, |_, _| None)
}

/// Returns the arguments like [`echo`], with some texts replaced.
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
                    Value::String(text) => json!(cut(&redactor.redact_message(text))),
                    other => json!(cut(&redactor.redact_message(&without_secrets(other).to_string()))),
                }
            };
            (cut(&redactor.redact_message(name)), shown)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// Removes the values under secret names, at any depth.
pub(super) fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let shown =
                    if redact::is_secret(name) { Value::from(redact::REDACTED) } else { without_secrets(value) };
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
        Value::String(text) => json!(redactor.redact_message(text)),
        Value::Array(items) => items.iter().map(|item| redacted(item, redactor)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), redacted(value, redactor))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
