//! The arguments that the pipeline handles for every tool that lists them: project, timeout, delivery, cursor; and for
//! every tool, `expectation`.
//!
//! A tool never sees them. Each group is a struct whose properties are added to the tool's published schema; a test
//! proves that no tool has an argument of the same name.

use std::time::{SystemTime, UNIX_EPOCH};

use fumi_base::{errors::UserError, expectation::Expectation, project::BOOK, text::BilingualText};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{AnswerCall, ToolSpec, expectation};

/// A group of shared arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedOption {
    /// The argument `project_root`: another project.
    Project,
    /// The argument `timeout_ms`: the timeout of the work.
    Timeout,
    /// The arguments `output_file` and `suppress_output`.
    Delivery,
    /// The argument `cursor`: the next page of a cut reply.
    Cursor,
    /// The argument `expectation`, which every tool has without listing it.
    Expectation,
}

impl SharedOption {
    /// Returns the names of the group's arguments.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Project => &["project_root"],
            Self::Timeout => &["timeout_ms"],
            Self::Delivery => &["output_file", "suppress_output"],
            Self::Cursor => &["cursor"],
            Self::Expectation => &[expectation::NAME],
        }
    }
}

/// The options of the call itself.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct CallOptions {
    /// The absolute path of the project.
    pub project_root: Option<String>,
    /// The time limit of the work, in milliseconds.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub timeout_ms: Option<u64>,
    /// The name of the file for the full result.
    #[schemars(length(min = 1))]
    pub output_file: Option<String>,
    /// True to leave the result out of the reply.
    #[serde(default)]
    pub suppress_output: bool,
    /// The cursor of a cut reply, to continue it.
    pub cursor: Option<String>,
    /// The expectation for the reply.
    #[schemars(skip)]
    pub expectation: Option<Expectation>,
}

impl CallOptions {
    /// Adds the project to the call that replaces this one.
    pub fn add_project_to(&self, arguments: &mut Map<String, Value>) {
        if let Some(root) = &self.project_root {
            arguments.entry("project_root").or_insert_with(|| Value::from(root.as_str()));
        }
    }

    /// Adds the options of this call to the call that answers a question, since the asking tool never saw them. For
    /// another tool only the project is added, since the rest concerns the result of this one.
    pub fn add_to_answer_call(&self, spec: &ToolSpec, submit: &mut AnswerCall) {
        let is_same = submit.tool == spec.name;
        let said = [
            ("project_root", self.project_root.clone().map(Value::from), true),
            ("timeout_ms", self.timeout_ms.map(Value::from), is_same),
            ("output_file", self.output_file.clone().map(Value::from), is_same),
            ("suppress_output", self.suppress_output.then(|| Value::from(true)), is_same),
        ];
        for (name, value, goes_on) in said {
            if let (Some(value), true) = (value, goes_on) {
                submit.arguments.entry(name).or_insert(value);
            }
        }
    }
}

/// Removes the shared options of a tool from its arguments.
///
/// # Errors
/// If an option has a form that the schema accepts and serde rejects; in practice never.
pub fn split(
    spec: &ToolSpec,
    mut arguments: Map<String, Value>,
) -> Result<(Map<String, Value>, CallOptions), serde_json::Error> {
    let mut options = Map::new();
    for name in spec.shared() {
        if let Some(value) = arguments.remove(*name) {
            options.insert((*name).to_owned(), value);
        }
    }
    Ok((arguments, serde_json::from_value(Value::Object(options))?))
}

/// The lifetime of a cursor, in seconds. After ten minutes readers do not continue, and files have changed.
const CURSOR_SECONDS: u64 = 600;

/// The position at which a cut reply continues. It is valid for one call on one state of the files, which `call`
/// identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The index of the next row.
    pub row: usize,
    /// A hash of the tool, the project, the arguments and the stamp.
    pub call: u64,
}

/// The error of a cursor that does not continue this call.
#[derive(Debug, UserError)]
pub struct InvalidCursor {
    reason: BilingualText,
}

impl Cursor {
    /// Returns the text that the client passes back.
    pub fn text(self) -> String {
        format!("{:x}-{:x}-{:x}", self.row, self.call, now())
    }

    /// Parses a client's cursor, and checks that it continues the given call.
    pub fn parse(raw: &str, call: u64) -> Result<Self, InvalidCursor> {
        let refuse = |en: &'static str, ja: &'static str| Err(InvalidCursor { reason: BilingualText::new(en, ja) });
        let mut parts = raw.split('-');
        let mut number = || parts.next().and_then(|part| u64::from_str_radix(part, 16).ok());
        let (Some(row), Some(of), Some(issued)) = (number(), number(), number()) else {
            return refuse(
                "it does not have the form of a cursor of this server",
                "このサーバーが返すカーソルの形式ではありません",
            );
        };
        if of != call {
            return refuse(
                "the arguments differ, or files changed since",
                "引数が違うか、その後ファイルが変わりました",
            );
        }
        if now().saturating_sub(issued) > CURSOR_SECONDS {
            return refuse("it is older than ten minutes", "発行から10分を過ぎています");
        }
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        Ok(Self { row, call })
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
