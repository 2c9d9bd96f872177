//! The tool kernel: how any tool is described, found, run and answered. Read this file first.
//!
//! A tool is a type that implements [`Tool`]: what it is stands in its [`Spec`], what it takes in `Args`, what it gives in
//! `Output`. Everything else (schemas, validation, pools, timeouts, caching, delivery, errors) follows from these and is
//! done by [`pipeline::run`]. This folder names no domain: what a tool needs of its family comes as `Deps`.

pub mod access;
pub mod batch;
pub mod catalogue;
pub mod context;
pub mod converse;
pub mod delivery;
pub mod error;
pub mod expectation;
pub mod fields;
pub mod options;
pub mod pipeline;
pub mod ready;
pub mod reply;
pub mod schema;
pub mod shorten;
pub mod texts;
pub mod validate;

use std::{ops::Range, time::Duration};

use fumi_base::{
    errors::Book,
    expectation::Expectation,
    pools::Pool,
    text::{Locale, Text},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, de::DeserializeOwned};

pub use access::Access;
pub use context::{Answerer, Caller, Cx, Progress, Turn};
pub use error::ToolError;
pub use options::SharedOption;
pub use reply::{Block, Reply};

/// One tool. The file that implements it is the whole tool; its texts lie beside it.
pub trait Tool: Send + Sync + 'static {
    /// What the catalogue knows of it.
    const SPEC: Spec;
    /// What it needs of its family, wired once in `tools/mod.rs`.
    type Deps: Send + Sync + 'static;
    /// What the client sends, without the shared options.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// What it answers.
    type Output: Render + JsonSchema;

    /// Whether it may answer [`Outcome::Ask`]. The published output then also has the fields of an [`Ask`].
    const ASKS: bool = false;

    /// Whether it answers [`Outcome::Batch`]: such a tool holds no place in its pool, since its steps take their own.
    const RUNS_STEPS: bool = false;

    /// What its reply holds where the caller says nothing. For tools whose replies differ by it, which no tool is that is
    /// [`Spec::cached`].
    fn expects(_args: &Self::Args) -> Expectation {
        Expectation::default()
    }

    /// Whether equal arguments on unchanged files give an equal answer. A time span relative to now does not.
    fn is_pure(_args: &Self::Args) -> bool {
        true
    }

    /// Waits for what the call must have to itself, before it takes a place in its pool: whoever waits for another call holds
    /// no place that this one may need. [`Cx::take_turn`] hands it to the work; else it ends with the call. Like the wait for
    /// a place this is no working time, and ends where that ends.
    fn turn(
        _args: &Self::Args,
        _deps: &Self::Deps,
        _cx: &Cx,
    ) -> impl Future<Output = Result<Option<Turn>, ToolError>> + Send {
        std::future::ready(Ok(None))
    }

    /// Does the work. Arguments have passed the schema and the [`Spec::rules`].
    fn call(
        args: Self::Args,
        deps: &Self::Deps,
        cx: &Cx,
    ) -> impl Future<Output = Result<Outcome<Self::Output>, ToolError>> + Send;
}

/// What came of a call that did not fail.
#[derive(Debug)]
pub enum Outcome<T> {
    /// The answer.
    Done(T),
    /// The tool needs something of the client's model before it can go on.
    Ask(Box<Ask>),
    /// The call stands for another tool's, which is made instead.
    Instead(Instead),
    /// The call is several others, which are made now; see [`batch`].
    Batch(batch::Plan),
}

/// The call that another one stands for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instead {
    /// A tool of the catalogue.
    pub tool: &'static str,
    /// Its arguments. The pipeline adds what the caller said about the call.
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// A question to a model. A host can act on it as it is; [`converse`] asks a model that fumi can reach itself. Every question has
/// every field.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Ask {
    /// Always the same word: what a host looks for.
    pub status: Status,
    /// The work that the answer belongs to.
    pub session_id: String,
    /// Which step of that work asks.
    pub step: String,
    /// What to do, for the model.
    pub instruction: String,
    /// What the answer builds on, by reference.
    pub context: Vec<String>,
    /// What the answer is judged by.
    pub acceptance_criteria: Vec<String>,
    /// The form of an answer that is JSON; of plain text without one, which is published as the schema of a string.
    #[serde(serialize_with = "form_or_text")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub response_schema: Option<serde_json::Map<String, serde_json::Value>>,
    /// Which call brings the answer back.
    pub submit: Submit,
    /// What the references of `context` hold, for models that cannot fetch anything. In no reply: a host fetches what it needs.
    #[serde(skip)]
    pub material: Vec<Material>,
    /// Whose model may answer.
    #[serde(skip)]
    pub audience: Audience,
    /// What was found so far, for who reads the text of the reply: it comes before the question. Whoever answers is not told.
    #[serde(skip)]
    pub report: String,
    /// The step as people read it, for the progress of the call.
    #[serde(skip)]
    pub title: Option<Text>,
    /// What else there is to say of the work so far: fields of the tool's answer.
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

/// A text that an answer builds on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// What it is: a path, an artifact, in the caller's language.
    pub title: String,
    /// The text itself.
    pub text: String,
}

/// Whose model may answer an [`Ask`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Any that can be reached.
    #[default]
    Anybody,
    /// The client's own: its host, or its model by sampling. Never a provider.
    Client,
}

/// What an [`Ask`] says of itself.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The client's model has to write something.
    #[default]
    NeedsText,
}

/// The call that answers an [`Ask`].
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Submit {
    /// A tool of the catalogue.
    pub tool: &'static str,
    /// Its arguments but for the answer. The pipeline adds what the caller said about the call (its project, its delivery).
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The argument that takes the answer.
    pub answer: &'static str,
}

/// What the catalogue knows of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The published name, `[A-Za-z0-9_-]{1,64}`.
    pub name: &'static str,
    /// Other names under which a call reaches it; never listed.
    pub aliases: &'static [&'static str],
    /// The toolset that contains it.
    pub toolset: &'static str,
    /// Other toolsets that need it: where one of them is in reach, so is it.
    pub also: &'static [&'static str],
    /// What all tools of its kind have in common.
    pub family: &'static Family,
    /// Whether clients see it in lists. One that is not listed answers nevertheless.
    pub listed: bool,
    /// Title, description and argument texts: the files beside the tool.
    pub texts: Texts,
    /// One correct call, as a JSON object of arguments.
    pub example: &'static str,
    /// Options that the pipeline handles for it.
    pub options: &'static [SharedOption],
    /// What a schema without root combinators cannot say.
    pub rules: &'static [Rule],
    /// Where it queues.
    pub pool: Pool,
    /// Whether calls for one project queue one behind the other; see [`Cx::alone`] for other processes.
    pub alone: bool,
    /// How long it may work; time in the queue does not count.
    pub timeout: Duration,
    /// Whether its answers are kept while the project's files do not change.
    pub cached: bool,
    /// What it changes.
    pub effect: Effect,
}

impl Spec {
    /// The names of all arguments that the pipeline handles for it.
    pub fn shared(&self) -> impl Iterator<Item = &'static &'static str> + use<> {
        let all = self.options.iter().chain(self.family.unlisted);
        let all = all.chain(&[SharedOption::Expectation]);
        all.flat_map(|option| option.names())
    }

    /// True if a shared argument is published.
    #[must_use]
    pub fn is_listed(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.names().contains(&name))
    }

    /// Whether a scope reaches it.
    #[must_use]
    pub fn is_in(&self, scope: &catalogue::Scope) -> bool {
        scope.contains(self.toolset) || self.also.iter().any(|toolset| scope.contains(toolset))
    }
}

/// What tools of one kind have in common, beyond their toolsets.
#[derive(Debug)]
pub struct Family {
    /// Its name. A file that marks the top of this family's projects may be known by it ([`pipeline::Kernel::tops`]).
    pub name: &'static str,
    /// Arguments that are understood under another name, which nobody publishes: `(other, name)`. A tool's first name that it
    /// has is meant.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Brings other forms of arguments, which are understood and not published, to the published one, before anything
    /// is checked.
    pub plain: Option<fn(&mut serde_json::Map<String, serde_json::Value>)>,
    /// Whether its tools reach beyond the project, into the world.
    pub is_open_world: bool,
    /// Longest string argument, in bytes.
    pub longest: usize,
    /// Arguments that say what a call is about: a refusal suggests a call about the same.
    pub subject: &'static [&'static str],
    /// The argument that names the project of a call: a suggestion is about the same one.
    pub project: Option<&'static str>,
    /// Details that every failure carries.
    pub details: &'static [(&'static str, &'static str)],
    /// Its own words and codes for what can happen to every call (time, queues): entries `FAMILY_KIND` win.
    pub book: Option<fn() -> &'static Book>,
    /// Shared arguments that its tools take and do not publish: they would cost every client tokens for each of many tools.
    pub unlisted: &'static [SharedOption],
    /// Under which other name its errors repeat their guidance, and a call without arguments that always helps, with why.
    pub guides: Option<Guides>,
}

/// Additions of a family to the guidance of its errors.
#[derive(Clone, Copy, Debug)]
pub struct Guides {
    /// Another name of `guidance`.
    pub also_as: &'static str,
    /// A tool that needs no arguments and does not fail.
    pub tool: &'static str,
    /// Its use.
    pub en: &'static str,
    /// The same in Japanese.
    pub ja: &'static str,
}

/// The two text files of a tool, embedded.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    /// English.
    pub en: &'static str,
    /// Japanese.
    pub ja: &'static str,
}

/// What a tool changes outside itself. An `output_file` alone does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing. Opening a page counts as looking at it.
    ReadOnly,
    /// The session's state on the server, which a repetition leaves as it is.
    Session,
    /// Pages in a browser, and the servers behind them. Of the project nothing.
    Pages,
    /// Fumi's own records of what it did, in a folder of its own; nothing that is anybody else's. Who may not write leaves none.
    Records,
    /// Files of the project.
    Write,
    /// What its steps change, each of which is asked for itself.
    OfSteps,
}

impl Effect {
    /// True if the tool changes nothing that is not fumi's own.
    #[must_use]
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Records)
    }

    /// True if a read-only caller may not use the tool.
    #[must_use]
    pub const fn needs_write(self) -> bool {
        matches!(self, Self::Write | Self::Pages)
    }
}

/// A relation between arguments, checked together with the schema and said in the texts.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// At most one of these may be given (a boolean counts when true).
    AtMostOne(&'static [&'static str]),
    /// Exactly one of these must be given.
    ExactlyOne(&'static [&'static str]),
    /// At least one of these must be given.
    AnyOf(&'static [&'static str]),
    /// The first makes sense only together with the second.
    Needs(&'static str, &'static str),
    /// The first makes no sense together with any of the others.
    Without(&'static str, &'static [&'static str]),
    /// It is the name of an encoding.
    Encoding(&'static str),
    /// A larger number is brought down to this one and not refused; a refusal names it.
    BroughtDown(&'static str, u64),
}

/// How an answer becomes text, images and links. Made from the typed output, never from its JSON.
///
/// Main clients show the model only the structure when there is one, others only the text: both must be compact, and
/// every cap counts the larger of the two.
pub trait Render: Serialize + Send + Sync + 'static {
    /// The compact form for a model.
    fn text(&self, locale: Locale) -> String;

    /// Images and links beside the text.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }

    /// How many rows can be cut away; zero for an answer that is no list.
    fn rows(&self) -> usize {
        0
    }

    /// The answer with only these rows. May end earlier, at a natural boundary (a file), but never takes nothing:
    /// returns the end that it took. Totals stay those of the whole.
    fn page(&self, rows: Range<usize>) -> (Self, usize)
    where
        Self: Sized,
    {
        unreachable!("an answer without rows is never cut: {rows:?}")
    }

    /// Says in the answer that rows are missing: how to go on.
    fn mark(&mut self, _next: &Next) {}

    /// Whether the answer is one bare number, to which no notes are added.
    fn is_bare(&self) -> bool {
        false
    }

    /// JSON pointers to what nobody may miss: kept where it is there, whatever else an expectation's `fields` leave out.
    fn never_missed(&self) -> &'static [&'static str] {
        &[]
    }
}

/// How to get the rows that did not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// Pass this back as `cursor` with otherwise equal arguments. Absent where the tool has no cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Which limit cut the answer: `rows`, `tokens` or `bytes`.
    pub limit: &'static str,
    /// Rows shown so far, out of all.
    pub shown: usize,
    /// All rows there are (up to 10,000 are kept).
    pub of: usize,
    /// A narrower way to ask.
    pub hint: String,
}

impl Next {
    /// The same as one line of text.
    #[must_use]
    pub fn line(&self) -> String {
        let Self {
            cursor,
            shown,
            of,
            limit,
            hint,
        } = self;
        let cursor = cursor
            .as_ref()
            .map(|cursor| format!(" cursor={cursor}"))
            .unwrap_or_default();
        format!("… {shown} / {of} ({limit}){cursor}: {hint}")
    }
}
