//! Conversion of any result into one of the two forms of `responses.rs`: common fields are found under their usual
//! names, and large parts are moved to files.
//!
//! Invariant: nothing of a result is lost or invented, except secrets, whose positions `metadata.redacted` lists.
//! Fields without a place of their own go to `metadata`, a moved part is replaced by the id of its artifact, and
//! `metadata.not_reported` names required fields that the result lacks.

use fumi_base::redact::{self, REDACTED};
use fumi_novel::{
    artifacts::{ArtifactKind, ArtifactStore},
    errors::artifact::ArtifactError,
    references::ContentHash,
};
use serde_json::{Map, Value, json};

use super::{
    reference::HashedFile,
    responses::{ErrorBody, ErrorResponse, OutputFiles, StandardResponse},
};

/// The size above which texts and lists go to files, in bytes of JSON: about a hundred tokens.
const LARGE: usize = 400;

/// The size above which objects go to files, in bytes of JSON without their large parts.
const LARGE_OBJECT: usize = 2_000;

/// The maximum number of parts of an object that get a file each.
const LARGE_PARTS: usize = 20;

/// The maximum length of an error message that stays in the response, in characters.
const MESSAGE: usize = 400;

/// The maximum number of redacted positions that a response lists.
const REDACTED_POSITIONS: usize = 100;

/// The maximum number of files that a response names.
const FILES: usize = 100;

/// The maximum depth to which objects are searched for large parts.
const DEPTH: usize = 32;

type Object = Map<String, Value>;

/// A result in one of the two response forms.
#[derive(Clone, Debug)]
pub enum Converted {
    /// The result of a command that succeeded.
    Standard(Box<StandardResponse>),
    /// The result of a command that failed.
    Error(Box<ErrorResponse>),
}

impl Converted {
    /// Returns the response as JSON.
    ///
    /// # Panics
    ///
    /// Never: all names in responses are strings.
    pub fn to_value(&self) -> Value {
        let value = match self {
            Self::Standard(response) => serde_json::to_value(response),
            Self::Error(response) => serde_json::to_value(response),
        };
        value.expect("plain structs with string keys")
    }
}

/// Converts a result into a response. `now` is its creation time if the result contains none.
pub fn convert(mut result: Object, artifacts: &ArtifactStore, now: &str) -> Result<Converted, ArtifactError> {
    let mut redacted = Vec::new();
    for (name, value) in &mut result {
        redact_secrets(value, &pointer_to("", name), Secrecy::Plain.of_field(name), &mut redacted);
    }
    let mut moving = PartMover { artifacts, files: references(&mut result) };
    let failed = failed(&mut result);
    let command = command(&mut result);
    let time = execution_time(&mut result);
    let created_at = take_text(&mut result, &["created_at", "timestamp"], |text| text.contains('T'));
    let created_at = created_at.unwrap_or_else(|| now.to_owned());
    let mut not_reported = Vec::new();
    if command.is_none() {
        not_reported.push("command");
    }
    if time.is_none() {
        not_reported.push("execution_time_ms");
    }
    let command = command.unwrap_or_else(|| "unknown".to_owned());
    let error = failed.then(|| error_of(&mut result, &mut moving)).transpose()?;
    let mut metadata = moving.fields(rest_of(result), "")?;
    // A result that was converted before contains these lists already.
    if !not_reported.is_empty() {
        metadata.insert("not_reported".to_owned(), json!(not_reported));
    }
    if !redacted.is_empty() {
        list_redacted(&mut metadata, &redacted);
    }
    let outputs = OutputFiles::from_files(moving.files);
    Ok(match error {
        Some(error) => Converted::Error(Box::new(ErrorResponse {
            success: false,
            error,
            command: Some(command),
            execution_time_ms: Some(time.unwrap_or_default()),
            outputs: Some(outputs),
            metadata: Some(metadata),
            arguments: None,
            created_at: Some(created_at),
        })),
        None => Converted::Standard(Box::new(StandardResponse {
            success: true,
            command,
            execution_time_ms: time.unwrap_or_default(),
            outputs,
            metadata,
            created_at,
        })),
    })
}

/// Adds positions to those that an earlier conversion listed.
fn list_redacted(metadata: &mut Object, redacted: &[String]) {
    let before = metadata.get("redacted").and_then(Value::as_array).cloned().unwrap_or_default();
    let counted = metadata.get("redacted_total").and_then(Value::as_u64).unwrap_or(before.len() as u64);
    let all: Vec<Value> = before.into_iter().chain(redacted.iter().map(|at| json!(at))).collect();
    if all.len() > REDACTED_POSITIONS {
        metadata.insert("redacted_total".to_owned(), json!(counted + redacted.len() as u64));
    }
    metadata.insert("redacted".to_owned(), json!(&all[..all.len().min(REDACTED_POSITIONS)]));
}

/// Redacts what is in a field with the name of a secret, because the result goes to files that others read: texts at any
/// depth, and numbers in the field itself. `at` is the JSON pointer of the value in the original result.
fn redact_secrets(value: &mut Value, at: &str, secrecy: Secrecy, redacted: &mut Vec<String>) {
    let is_redacted = match value {
        // Values that were redacted before are not listed again.
        Value::String(text) => secrecy > Secrecy::Plain && text != REDACTED,
        Value::Number(_) => secrecy == Secrecy::Secret,
        Value::Object(fields) => {
            for (name, value) in fields {
                redact_secrets(value, &pointer_to(at, name), secrecy.of_field(name), redacted);
            }
            false
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                redact_secrets(item, &format!("{at}/{index}"), secrecy, redacted);
            }
            false
        }
        Value::Null | Value::Bool(_) => false,
    };
    if is_redacted {
        *value = json!(REDACTED);
        redacted.push(at.to_owned());
    }
}

/// The relation of a value to a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Secrecy {
    Plain,
    /// A part of an object with the name of a secret.
    PartOfSecret,
    /// A value with the name of a secret, or an entry of a list with such a name.
    Secret,
}

impl Secrecy {
    fn of_field(self, name: &str) -> Self {
        match self {
            _ if redact::is_secret(name) => Self::Secret,
            Self::Plain => Self::Plain,
            Self::PartOfSecret | Self::Secret => Self::PartOfSecret,
        }
    }
}

/// Returns the JSON pointer of a field (RFC 6901).
fn pointer_to(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns the fields without a place of their own: the result's own metadata, and the fields beside it.
fn rest_of(mut result: Object) -> Object {
    let is_free = |metadata: &Value, result: &Object| {
        let fields = metadata.as_object();
        fields.is_some_and(|fields| fields.keys().all(|name| name == "metadata" || !result.contains_key(name)))
    };
    match result.remove("metadata") {
        // The metadata is merged in, so that a second conversion leaves the result unchanged.
        Some(Value::Object(mut metadata)) if is_free(&Value::Object(metadata.clone()), &result) => {
            metadata.extend(result);
            metadata
        }
        Some(other) => {
            result.insert("metadata".to_owned(), other);
            result
        }
        None => result,
    }
}

/// Returns the files that a result refers to, if it is in one of the two forms.
fn references(result: &mut Object) -> Vec<HashedFile> {
    let outputs = result.get("outputs").cloned();
    match outputs.map(serde_json::from_value::<OutputFiles>) {
        Some(Ok(outputs)) if outputs.files.len() <= FILES => {
            result.remove("outputs");
            outputs.files
        }
        _ => Vec::new(),
    }
}

/// True if the result is an error: it says so, its exit code is not 0, or it has an error field.
fn failed(result: &mut Object) -> bool {
    let codes = ["exit_code", "returncode", "return_code", "exit_status"];
    let exit = codes.iter().find_map(|name| result.get(*name)?.as_i64());
    let is_empty = |error: &Value| match error {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let said = ["success", "ok"].iter().find_map(|name| match result.get(*name) {
        Some(Value::Bool(said)) => {
            let said = *said;
            result.remove(*name);
            Some(said)
        }
        _ => None,
    });
    let word = result.get("status").and_then(Value::as_str).map(str::to_lowercase);
    let word = word.map(|word| !matches!(word.as_str(), "error" | "failed" | "failure"));
    let has_error = result.get("error").is_some_and(|error| !is_empty(error));
    let is_error = result.get("isError") == Some(&json!(true));
    match said {
        Some(said) => !said,
        None => is_error || has_error || exit.is_some_and(|exit| exit != 0) || word == Some(false),
    }
}

/// Returns the command that was run; it may be given as a list of words.
fn command(result: &mut Object) -> Option<String> {
    let words = |value: &Value| -> Option<String> {
        let words: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
        words.map(|words| words.join(" "))
    };
    for name in ["command", "cmd", "tool", "tool_name"] {
        let said = result.get(name).and_then(|value| value.as_str().map(str::to_owned).or_else(|| words(value)));
        if let Some(said) = said.filter(|said| !said.trim().is_empty() && said.len() <= LARGE) {
            result.remove(name);
            return Some(said);
        }
    }
    None
}

/// Returns the execution time, in milliseconds.
fn execution_time(result: &mut Object) -> Option<f64> {
    let units = [
        ("execution_time_ms", 1.0),
        ("elapsed_ms", 1.0),
        ("duration_ms", 1.0),
        ("execution_time_seconds", 1_000.0),
        ("execution_time", 1_000.0),
        ("duration_seconds", 1_000.0),
    ];
    units.into_iter().find_map(|(name, unit)| {
        let said = result.get(name)?.as_f64().filter(|said| *said >= 0.0)?;
        result.remove(name);
        Some((said * unit * 1_000.0).round() / 1_000.0)
    })
}

/// Removes and returns the first of some fields that is a short text accepted by `is_one`.
fn take_text(result: &mut Object, names: &[&str], is_one: impl Fn(&str) -> bool) -> Option<String> {
    names.iter().find_map(|name| {
        let said = result.get(*name)?.as_str().filter(|said| said.len() <= LARGE && is_one(said))?.to_owned();
        result.remove(*name);
        Some(said)
    })
}

/// Returns the error body of a failed result.
fn error_of(result: &mut Object, moving: &mut PartMover<'_>) -> Result<ErrorBody, ArtifactError> {
    let said = result.remove("error").unwrap_or_default();
    let mut body = match serde_json::from_value::<ErrorBody>(said.clone()) {
        // An error body with long further fields is rebuilt like any other error.
        Ok(body) if body_size(&body) <= LARGE_OBJECT => body,
        _ => other_error(said, result),
    };
    if body.message.chars().nth(MESSAGE).is_some() {
        let whole = std::mem::take(&mut body.message);
        body.message = whole.chars().take(MESSAGE).chain(['…']).collect();
        moving.file(&whole, kind_of(&whole), "/error/message")?;
    }
    for word in [&mut body.kind, &mut body.code] {
        *word = word.chars().take(MESSAGE).collect();
    }
    for (fields, at) in [(&mut body.details, "/error/details"), (&mut body.context, "/error/context")] {
        if let Some(large) = fields.take() {
            *fields = Some(moving.fields(large, at)?);
        }
    }
    Ok(body)
}

/// Returns the size of an error body without the parts that can be moved, in bytes of JSON.
fn body_size(body: &ErrorBody) -> usize {
    let said = ErrorBody { message: String::new(), details: None, context: None, ..body.clone() };
    serde_json::to_string(&said).map_or(usize::MAX, |text| text.len())
}

/// Returns an error body for another form: a sentence, an object with other keys, or the last line of the program's
/// output.
fn other_error(said: Value, result: &mut Object) -> ErrorBody {
    let mut body =
        ErrorBody { kind: "MCPToolError".to_owned(), code: "TOOL_EXECUTION_FAILED".to_owned(), ..ErrorBody::default() };
    match said {
        Value::String(message) => body.message = message,
        Value::Object(mut fields) => {
            let mut take = |names: &[&str]| take_text(&mut fields, names, |_| true);
            if let Some(kind) = take(&["type", "kind", "name"]) {
                body.kind = kind;
            }
            if let Some(code) = take(&["code"]) {
                body.code = code;
            }
            // The message may have any length; it is cut later.
            if let Some(Value::String(message)) = fields.remove("message") {
                body.message = message;
            }
            if !fields.is_empty() {
                body.details = Some(fields);
            }
        }
        Value::Null | Value::Bool(_) => {}
        other => body.details = Some(Map::from_iter([("error".to_owned(), other)])),
    }
    if body.message.trim().is_empty() {
        let sources = ["message", "stderr", "output", "stdout"];
        let last = sources.iter().find_map(|name| {
            let said = result.get(*name)?.as_str()?;
            said.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
        });
        body.message = last.unwrap_or_else(|| "the command failed without a reason".to_owned());
    }
    body
}

/// Moves large parts of a result to files.
struct PartMover<'a> {
    artifacts: &'a ArtifactStore,
    files: Vec<HashedFile>,
}

impl PartMover<'_> {
    /// Returns fields without their large parts, or a single entry for one file if they are too many.
    fn fields(&mut self, fields: Object, at: &str) -> Result<Object, ArtifactError> {
        match self.value(Value::Object(fields), at, 0)? {
            Value::Object(fields) => Ok(fields),
            id => Ok(Map::from_iter([("all".to_owned(), id)])),
        }
    }

    fn object(&mut self, fields: Object, at: &str, depth: usize) -> Result<Object, ArtifactError> {
        let mut kept = Object::new();
        for (name, value) in fields {
            let at = pointer_to(at, &name);
            kept.insert(name, self.value(value, &at, depth + 1)?);
        }
        Ok(kept)
    }

    /// Returns a value with artifact ids in place of its large parts.
    fn value(&mut self, value: Value, at: &str, depth: usize) -> Result<Value, ArtifactError> {
        let size = value.to_string().len();
        match value {
            value if size <= LARGE => Ok(value),
            Value::String(text) => Ok(json!(self.file(&text, kind_of(&text), at)?)),
            // A map of many small values is treated like a large list.
            Value::Object(fields) if depth < DEPTH && self.files.len() < FILES && !has_many_parts(&fields, size) => {
                Ok(Value::Object(self.object(fields, at, depth)?))
            }
            other => Ok(json!(self.file(&format!("{other:#}\n"), ArtifactKind::Json, at)?)),
        }
    }

    /// Writes a part to its file and returns the id under which it can be fetched.
    fn file(&mut self, text: &str, kind: ArtifactKind, at: &str) -> Result<String, ArtifactError> {
        let file = self.artifacts.write_output(text, kind)?;
        let id = ContentHash::from_bytes(text.as_bytes()).artifact_id();
        self.files.push(HashedFile { field: Some(at.to_owned()), ..file.into() });
        Ok(id)
    }
}

/// True if an object is large because of the number of its parts, small or large.
fn has_many_parts(fields: &Object, size: usize) -> bool {
    let sizes = fields.values().map(|value| value.to_string().len());
    let large: Vec<usize> = sizes.filter(|size| *size > LARGE).collect();
    large.len() > LARGE_PARTS || size.saturating_sub(large.iter().sum()) > LARGE_OBJECT
}

/// Detects the kind of a text by its content: JSON, Markdown or plain.
fn kind_of(text: &str) -> ArtifactKind {
    if text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        ArtifactKind::Json
    } else if text.starts_with("# ") || text.contains("\n# ") || text.contains("\n## ") {
        ArtifactKind::Markdown
    } else {
        ArtifactKind::Plain
    }
}
