//! The tool kernel: how tools are described, found, run and answered. Read this file first.
//!
//! A tool is a type that implements [`Tool`]: its [`ToolSpec`] declares it, `Args` are its input, `Output` is its
//! result. Everything else (schemas, validation, pools, timeouts, caching, delivery, errors) follows from these and is
//! done by [`pipeline::run`]. This crate depends on no domain: what a tool needs of its family is passed as `Deps`.

pub mod access;
pub mod batch;
pub mod catalogue;
pub mod context;
pub mod conversation;
pub mod cut_rows;
pub mod cut_values;
pub mod delivery;
pub mod error;
pub mod expectation;
pub mod fields;
pub mod metrics;
pub mod options;
pub mod pipeline;
mod problem;
pub mod prompts;
pub mod reply;
pub mod resources;
pub mod result_form;
pub mod schema;
pub mod session_projects;
pub mod texts;
mod toolset_hint;
pub mod validate;

use std::{ops::Range, time::Duration};

use fumi_base::{
    errors::ErrorCatalog,
    expectation::Expectation,
    pools::Pool,
    text::{BilingualText, Locale},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, de::DeserializeOwned};

pub use access::Access;
pub use context::{Answerer, CallProgress, Caller, Cx, ExclusiveGuard};
pub use error::ToolError;
pub use options::SharedOption;
pub use reply::{Block, ToolReply};
pub use result_form::ResultForm;
pub use session_projects::SessionProjects;

/// One tool. The file that implements it is the whole tool; its texts are beside it.
pub trait Tool: Send + Sync + 'static {
    /// The declaration in the catalogue.
    const SPEC: ToolSpec;
    /// The dependencies on the family, wired once in `tools/lib.rs`.
    type Deps: Send + Sync + 'static;
    /// The arguments of a call, without the shared options.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The result of a call.
    type Output: Render + JsonSchema;

    /// True if the tool may return [`ToolOutcome::Ask`]. The published output then also has the fields of a
    /// [`QuestionReply`].
    const ASKS: bool = false;

    /// True if the tool returns [`ToolOutcome::Batch`]: such a tool takes no permit of its pool, since its steps take
    /// their own.
    const RUNS_STEPS: bool = false;

    /// Parts of an argument that only some lists show.
    const LISTED_PARTS: Option<ListedParts> = None;

    /// Returns the expectation for the reply if the caller sets none. For tools whose replies differ by it; none of
    /// them is [`ToolSpec::cached`].
    fn expects(_args: &Self::Args) -> Expectation {
        Expectation::default()
    }

    /// True if equal arguments on unchanged files give an equal answer. False for example for a time span relative to
    /// now.
    fn is_pure(_args: &Self::Args) -> bool {
        true
    }

    /// Acquires a guard that the call must hold exclusively, before it takes a permit of its pool: a call that waits
    /// for another one must not hold a permit that the other needs. The work takes the guard with
    /// [`Cx::take_exclusive`]; otherwise it is dropped with the call. Like the wait for a permit, the wait does not
    /// count as working time and has the same timeout.
    fn acquire_exclusive(
        _args: &Self::Args,
        _deps: &Self::Deps,
        _cx: &Cx,
    ) -> impl Future<Output = Result<Option<ExclusiveGuard>, ToolError>> + Send {
        std::future::ready(Ok(None))
    }

    /// Does the work. The arguments have passed the schema and the [`ToolSpec::rules`].
    fn call(
        args: Self::Args,
        deps: &Self::Deps,
        cx: &Cx,
    ) -> impl Future<Output = Result<ToolOutcome<Self::Output>, ToolError>> + Send;
}

/// Parts of an argument that belong to a toolset: a list without the toolset does not show them, since they would only
/// cost tokens there. Calls may have them everywhere.
#[derive(Clone, Copy, Debug)]
pub struct ListedParts {
    pub toolset: &'static str,
    /// The argument, an object.
    pub argument: &'static str,
    /// The properties of the object that belong to the toolset.
    pub names: &'static [&'static str],
}

/// The result of a call that did not fail.
#[derive(Debug)]
pub enum ToolOutcome<T> {
    /// The answer of the tool.
    Done(T),
    /// A question: the tool needs a text of a model before it can continue.
    Ask(Box<QuestionReply>),
    /// Another call that is made in place of this one.
    Instead(ReplacementCall),
    /// A plan of several calls, which are made now; see [`batch`].
    Batch(batch::BatchPlan),
}

/// The call that replaces another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplacementCall {
    /// The name of a tool of the catalogue.
    pub tool: &'static str,
    /// The arguments. The pipeline adds the project of the original call.
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// A question to a model. A host can act on it as it is; [`conversation`] asks a model that fumi can reach itself.
/// Every question has every field.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct QuestionReply {
    /// Always the same value, by which a host recognises a question.
    pub status: AskStatus,
    /// The writing session that the answer belongs to.
    pub session_id: String,
    /// The step of the session that asks.
    pub step: String,
    /// The instruction for the model.
    pub instruction: String,
    /// The texts on which the answer is based, as references.
    pub context: Vec<String>,
    /// The criteria by which the answer is judged.
    pub acceptance_criteria: Vec<String>,
    /// The schema of an answer in JSON; `None` for plain text, which is published as the schema of a string.
    #[serde(serialize_with = "form_or_text")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub response_schema: Option<serde_json::Map<String, serde_json::Value>>,
    /// The call that submits the answer.
    pub submit: AnswerCall,
    /// The texts behind the references of `context`, for models that cannot fetch anything. Never part of a reply: a
    /// host fetches the texts that it needs.
    #[serde(skip)]
    pub material: Vec<AnswerMaterial>,
    /// The models that may answer.
    #[serde(skip)]
    pub audience: Audience,
    /// The findings so far, which the text of the reply shows before the question. The answering model does not get
    /// them.
    #[serde(skip)]
    pub report: String,
    /// The step as people read it, for the progress of the call.
    #[serde(skip)]
    pub title: Option<BilingualText>,
    /// Further fields of the tool's answer about the work so far.
    #[serde(flatten)]
    #[schemars(skip)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn form_or_text<S: Serializer>(
    form: &Option<serde_json::Map<String, serde_json::Value>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match form {
        Some(form) => form.serialize(serializer),
        None => serializer.collect_map([("type", "string")]),
    }
}

/// A text on which an answer is based.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerMaterial {
    /// The name of the text in the caller's language: a path, an artifact.
    pub title: String,
    pub text: String,
}

/// The models that may answer a [`QuestionReply`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Any model that can be reached.
    #[default]
    AnyModel,
    /// The client's own model: its host, or its model by sampling. Never a provider.
    Client,
}

/// The status of a [`QuestionReply`].
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskStatus {
    /// The client's model has to write something.
    #[default]
    NeedsText,
}

/// The call that answers a [`QuestionReply`].
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct AnswerCall {
    /// The name of a tool of the catalogue.
    pub tool: &'static str,
    /// The arguments except the answer. The pipeline adds the options of the caller (project, delivery).
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The argument that takes the answer.
    pub answer: &'static str,
    /// A sample of the answer, if the argument is not a text.
    #[serde(skip)]
    pub sample: Option<serde_json::Value>,
}

/// The declaration of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// The published name, `[A-Za-z0-9_-]{1,64}`.
    pub name: &'static str,
    /// Other names by which the tool can be called; never listed.
    pub aliases: &'static [&'static str],
    /// The toolset that contains the tool.
    pub toolset: &'static str,
    /// Other toolsets that need the tool: a scope with one of them contains the tool too.
    pub other_toolsets: &'static [&'static str],
    /// The common properties of tools of its kind.
    pub family: &'static ToolFamily,
    /// True if clients see the tool in lists. An unlisted tool can be called nevertheless.
    pub listed: bool,
    /// Title, description and argument texts: the files beside the tool.
    pub texts: ToolTextFiles,
    /// One correct call, as a JSON object of arguments.
    pub example: &'static str,
    /// Options that the pipeline handles for the tool.
    pub options: &'static [SharedOption],
    /// Rules that a schema without root combinators cannot express.
    pub rules: &'static [ArgumentRule],
    /// The pool in which its calls queue.
    pub pool: Pool,
    /// True if calls for one project run one after the other; see [`Cx::run_exclusively`] for other processes.
    pub exclusive: bool,
    /// The timeout of the work; time in the queue does not count.
    pub timeout: Duration,
    /// True if answers are cached while the project's files do not change.
    pub cached: bool,
    /// The effect outside the tool.
    pub effect: Effect,
}

impl ToolSpec {
    /// Returns the specification that the tools of a family complete: it lacks name, texts and example, and is of a tool
    /// that only reads.
    pub const fn base(toolset: &'static str, family: &'static ToolFamily) -> Self {
        Self {
            name: "",
            aliases: &[],
            toolset,
            other_toolsets: &[],
            family,
            listed: true,
            texts: ToolTextFiles { en: "", ja: "" },
            example: "{}",
            options: &[],
            rules: &[],
            pool: Pool::Analysis,
            exclusive: false,
            timeout: Duration::from_secs(30),
            cached: false,
            effect: Effect::ReadOnly,
        }
    }

    /// Returns the names of all arguments that the pipeline handles for the tool.
    pub fn shared(&self) -> impl Iterator<Item = &'static &'static str> + use<> {
        let options = self.options;
        let unlisted = self.family.unlisted.iter().filter(|option| !options.contains(option));
        let all = options.iter().chain(unlisted).chain(&[SharedOption::Expectation]);
        all.flat_map(|option| option.names())
    }

    /// True if a shared argument is published.
    pub fn is_listed(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.names().contains(&name))
    }

    /// True if a scope contains the tool.
    pub fn is_in(&self, scope: &catalogue::ToolsetScope) -> bool {
        scope.contains(self.toolset) || self.other_toolsets.iter().any(|toolset| scope.contains(toolset))
    }
}

/// The common properties of tools of one kind, beyond their toolsets.
#[derive(Debug)]
pub struct ToolFamily {
    /// The name. A file that marks the top of this family's projects may be registered under it
    /// ([`pipeline::Kernel::top_markers`]).
    pub name: &'static str,
    /// Unpublished other names of arguments, as `(other, name)`. The first `name` that the tool has is used.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Converts unpublished forms of arguments to the published one, before validation.
    pub normalise: Option<fn(&mut serde_json::Map<String, serde_json::Value>)>,
    /// True if its tools reach beyond the project, into the world.
    pub is_open_world: bool,
    /// The longest string argument, in bytes.
    pub max_string_bytes: usize,
    /// Arguments that are the subject of a call: an error suggests a call with the same values.
    pub subject: &'static [&'static str],
    /// The argument that names the caller's state in the family, if it has no session of the protocol. An error with this
    /// detail suggests calls with it.
    pub handle: Option<&'static str>,
    /// The argument that names the project of a call: a suggested call keeps it.
    pub project: Option<&'static str>,
    /// Details that every error of the family carries.
    pub details: &'static [(&'static str, &'static str)],
    /// The family's own texts and codes for errors of every call (timeouts, queues): its entries `FAMILY_KIND` take
    /// precedence.
    pub book: Option<fn() -> &'static ErrorCatalog>,
    /// Shared arguments that its tools accept and do not publish: they would cost every client tokens for each of many
    /// tools.
    pub unlisted: &'static [SharedOption],
    /// Additions to the guidance of its errors.
    pub guides: Option<GuidanceExtras>,
}

impl ToolFamily {
    /// Returns a family without properties of its own.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            renamed: &[],
            normalise: None,
            is_open_world: false,
            max_string_bytes: validate::MAX_STRING,
            subject: &[],
            handle: None,
            project: None,
            details: &[],
            book: None,
            unlisted: &[],
            guides: None,
        }
    }
}

/// Additions of a family to the guidance of its errors.
#[derive(Clone, Copy, Debug)]
pub struct GuidanceExtras {
    /// Another field name under which the guidance is repeated.
    pub also_as: &'static str,
    /// A tool that needs no arguments and always helps.
    pub tool: &'static str,
    /// The use of that tool, in English.
    pub en: &'static str,
    /// The use of that tool, in Japanese.
    pub ja: &'static str,
}

/// The two embedded text files of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolTextFiles {
    /// The text file in English.
    pub en: &'static str,
    /// The text file in Japanese.
    pub ja: &'static str,
}

/// The effect of a tool outside itself. An `output_file` alone does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No effect. Opening a page counts as reading.
    ReadOnly,
    /// Changes the session's state on the server; repeating the call changes nothing more.
    Session,
    /// Acts on pages in a browser and on the servers behind them, but not on the project.
    Pages,
    /// Writes fumi's own records of its work, in a folder of its own; nothing that belongs to others. A read-only
    /// caller leaves none.
    Records,
    /// Changes files of the project.
    Write,
    /// The effects of its steps, each of which is checked separately.
    OfSteps,
}

impl Effect {
    /// True if the tool changes nothing except fumi's own records.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Records)
    }

    /// True if a read-only caller may not use the tool.
    pub const fn needs_write(self) -> bool {
        matches!(self, Self::Write | Self::Pages)
    }
}

/// A relation between arguments, checked together with the schema and described in the texts.
#[derive(Clone, Copy, Debug)]
pub enum ArgumentRule {
    /// At most one of these may be given (a boolean counts when true).
    AtMostOne(&'static [&'static str]),
    /// Exactly one of these must be given.
    ExactlyOne(&'static [&'static str]),
    /// At least one of these must be given.
    AnyOf(&'static [&'static str]),
    /// The first is valid only together with the second.
    Needs(&'static str, &'static str),
    /// The first is not valid together with any of the others.
    Without(&'static str, &'static [&'static str]),
    /// The argument is the name of an encoding.
    Encoding(&'static str),
    /// A larger number is lowered to this one and not refused; errors name the limit.
    ClampedTo(&'static str, u64),
}

/// Renders an answer as text, images and links, from the typed output and never from its JSON.
///
/// A client gets one of the two or both ([`ResultForm`]): both must be compact, and the caps count what it gets.
pub trait Render: Serialize + Send + Sync + 'static {
    /// Returns the compact form for a model.
    fn text(&self, locale: Locale) -> String;

    /// Returns images and links beside the text.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }

    /// Returns the number of rows that can be cut; zero for an answer that is not a list.
    fn rows(&self) -> usize {
        0
    }

    /// Returns the answer with only these rows, and the end that was used. The page may end earlier, at a natural
    /// boundary (a file), but is never empty. Totals stay those of the whole.
    fn page(&self, rows: Range<usize>) -> (Self, usize)
    where
        Self: Sized,
    {
        unreachable!("an answer without rows is never cut: {rows:?}")
    }

    /// Marks the answer as incomplete, with the way to continue.
    fn mark(&mut self, _next: &NextPage) {}

    /// Removes the suggested calls of tools that the caller cannot call.
    fn keep_callable(&mut self, _can_call: &dyn Fn(&str) -> bool) {}

    /// Returns the text for clients that get no structure. It must differ from [`Render::text`] if that is JSON, because
    /// such clients would take it for the structure.
    fn text_alone(&self, locale: Locale) -> String {
        self.text(locale)
    }

    /// True if the answer is one bare number, to which no notes are added.
    fn is_bare(&self) -> bool {
        false
    }

    /// Returns JSON pointers to fields that must not be left out: kept where they exist, whatever `fields` of an
    /// expectation says.
    fn required_fields(&self) -> &'static [&'static str] {
        &[]
    }
}

/// The way to get the rows that did not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NextPage {
    /// The cursor to pass back with otherwise equal arguments; absent if the tool has no cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The limit that cut the answer: `rows`, `tokens` or `bytes`.
    pub limit: &'static str,
    /// The number of rows shown so far.
    pub shown: usize,
    /// The number of all rows; up to 10,000 are kept.
    pub of: usize,
    /// Advice on a narrower call.
    pub hint: String,
}

impl NextPage {
    /// Returns the same as one line of text.
    pub fn line(&self) -> String {
        let Self { cursor, shown, of, limit, hint } = self;
        match cursor {
            Some(cursor) => format!("… {shown} / {of} ({limit}): cursor={cursor}"),
            None => format!("… {shown} / {of} ({limit}): {hint}"),
        }
    }
}
