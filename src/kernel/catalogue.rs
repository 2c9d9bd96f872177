//! The catalogue: what the families offer. All tools with their types erased, found by name; prompts; errors.
//!
//! Listing and calling use the same entries, so a tool that can be called is listed and vice versa. The list itself is
//! `tools/lib.rs`.

use std::{
    collections::BTreeSet,
    pin::Pin,
    sync::{Arc, OnceLock},
};

use fumi_base::{
    errors::ErrorCatalog,
    expectation::Expectation,
    nearest::nearest,
    project::quoted,
    text::{BilingualText, Locale},
};
use jsonschema::Validator;
use serde_json::Value;

use super::{
    Access, Cx, ExclusiveGuard, ListedParts, QuestionReply, Tool, ToolError, ToolOutcome, ToolSpec,
    problem::PROBLEMS,
    prompts::PromptSpec,
    reply::Rendered,
    schema::{self, Object},
    texts::ToolTexts,
    validate,
};

type Pinned<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type Erased = Result<ToolOutcome<Arc<dyn Rendered>>, ToolError>;
type AcquireFn = Box<
    dyn for<'a> Fn(&'a dyn PreparedArguments, &'a Cx) -> Pinned<'a, Result<Option<ExclusiveGuard>, ToolError>>
        + Send
        + Sync,
>;
type CallFn = Box<dyn for<'a> Fn(Box<dyn PreparedArguments>, &'a Cx) -> Pinned<'a, Erased> + Send + Sync>;

/// A tool of the catalogue.
pub struct ToolEntry {
    /// The declaration of the tool.
    pub spec: ToolSpec,
    /// The value of [`Tool::ASKS`].
    pub asks: bool,
    /// The value of [`Tool::RUNS_STEPS`].
    pub runs_steps: bool,
    /// The input schema without descriptions, against which calls are checked.
    pub input: Object,
    pub output: Arc<Object>,
    // Computed on first use: one process uses few of its tools, and compiling all costs more than a call.
    published: [OnceLock<Published>; 2],
    /// The same without [`Tool::LISTED_PARTS`].
    narrowed: [OnceLock<Published>; 2],
    parts: Option<ListedParts>,
    search_hint: OnceLock<String>,
    validator: OnceLock<Validator>,
    prepare: fn(Value) -> Result<Box<dyn PreparedArguments>, serde_json::Error>,
    turn: AcquireFn,
    call: CallFn,
}

/// The description of a tool in one language, as clients see it.
#[derive(Clone, Debug)]
pub struct Published {
    /// A short human title.
    pub title: String,
    /// One sentence about the effect of the tool. Not part of MCP's tool list, where every text costs tokens.
    pub summary: String,
    pub description: String,
    /// The input schema with descriptions.
    pub input: Arc<Object>,
}

/// Typed arguments whose type is erased.
pub trait PreparedArguments: std::any::Any + Send + Sync {
    /// Calls [`Tool::is_pure`] with the arguments.
    fn is_pure(&self) -> bool;
    /// Calls [`Tool::expects`] with the arguments.
    fn expects(&self) -> Expectation;
    /// Returns the arguments for a downcast by the entry that created them.
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send>;
}

struct TypedArguments<T: Tool>(T::Args);

impl<T: Tool> PreparedArguments for TypedArguments<T> {
    fn is_pure(&self) -> bool {
        T::is_pure(&self.0)
    }
    fn expects(&self) -> Expectation {
        T::expects(&self.0)
    }
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        self
    }
}

impl ToolEntry {
    /// Creates an entry by erasing a tool's type.
    ///
    /// # Panics
    /// Never: an entry is called only with arguments that it prepared itself.
    pub fn for_tool<T: Tool>(deps: Arc<T::Deps>) -> Self {
        Self {
            spec: T::SPEC,
            asks: T::ASKS,
            runs_steps: T::RUNS_STEPS,
            validator: OnceLock::new(),
            output: Arc::new(schema::output::<T>()),
            input: schema::input::<T>(),
            published: [const { OnceLock::new() }; 2],
            narrowed: [const { OnceLock::new() }; 2],
            parts: T::LISTED_PARTS,
            search_hint: OnceLock::new(),
            prepare: |arguments| Ok(Box::new(TypedArguments::<T>(serde_json::from_value(arguments)?))),
            turn: Box::new({
                let deps = Arc::clone(&deps);
                move |prepared, cx| {
                    let deps = Arc::clone(&deps);
                    Box::pin(async move {
                        let prepared: &dyn std::any::Any = prepared;
                        let arguments = prepared
                            .downcast_ref::<TypedArguments<T>>()
                            .expect("an entry gets the arguments that it prepared");
                        T::acquire_exclusive(&arguments.0, &deps, cx).await
                    })
                }
            }),
            call: Box::new(move |prepared, cx| {
                let deps = Arc::clone(&deps);
                Box::pin(async move {
                    let arguments = prepared
                        .into_any()
                        .downcast::<TypedArguments<T>>()
                        .expect("an entry gets the arguments that it prepared");
                    Ok(match T::call(arguments.0, &deps, cx).await? {
                        ToolOutcome::Done(answer) => ToolOutcome::Done(Arc::new(answer) as Arc<dyn Rendered>),
                        ToolOutcome::Instead(instead) => ToolOutcome::Instead(instead),
                        ToolOutcome::Ask(ask) if T::ASKS => ToolOutcome::Ask(ask),
                        ToolOutcome::Batch(plan) if T::RUNS_STEPS => ToolOutcome::Batch(plan),
                        ToolOutcome::Ask(_) | ToolOutcome::Batch(_) => {
                            tracing::error!(
                                tool = T::SPEC.name,
                                "a tool returned an outcome that its declaration excludes"
                            );
                            return Err(ToolError::internal());
                        }
                    })
                })
            }),
        }
    }

    /// Returns the whole description of the tool.
    pub fn published(&self, locale: Locale) -> &Published {
        self.published[locale as usize].get_or_init(|| {
            let texts = ToolTexts::for_spec(&self.spec, locale);
            let mut listed = self.input.clone();
            let unlisted = self.spec.family.unlisted.iter().flat_map(|option| option.names());
            if let Some(Value::Object(properties)) = listed.get_mut("properties") {
                for name in unlisted.filter(|name| !self.spec.is_listed(name)) {
                    properties.shift_remove(*name);
                }
            }
            Published {
                input: Arc::new(schema::describe(&listed, &texts)),
                title: texts.title,
                summary: texts.summary,
                description: texts.description,
            }
        })
    }

    /// Returns the description of the tool in a list of these toolsets.
    pub fn published_in(&self, locale: Locale, listed: &ToolsetScope) -> &Published {
        let Some(parts) = self.parts.filter(|parts| !listed.contains(parts.toolset)) else {
            return self.published(locale);
        };
        self.narrowed[locale as usize].get_or_init(|| {
            let mut published = self.published(locale).clone();
            let argument = Arc::make_mut(&mut published.input)
                .get_mut("properties")
                .and_then(|properties| properties.pointer_mut(&format!("/{}/properties", parts.argument)));
            if let Some(Value::Object(properties)) = argument {
                properties.retain(|name, _| !parts.names.contains(&name.as_str()));
            }
            published
        })
    }

    /// Returns search words for the tool in all languages, since the language of a query is unknown. Empty if the
    /// tool's texts contain them already.
    pub fn search_hint(&self) -> &str {
        self.search_hint.get_or_init(|| {
            let hints = Locale::ALL.map(|locale| ToolTexts::for_spec(&self.spec, locale).hint);
            let said: Vec<_> = hints.iter().filter(|hint| !hint.is_empty()).map(String::as_str).collect();
            said.join("; ")
        })
    }

    /// Returns the validator of calls.
    ///
    /// # Panics
    /// If the derived schema is invalid: a programming error that a test of the catalogue finds.
    pub(super) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| validate::compile(&self.input))
    }

    /// Converts checked arguments to the tool's type.
    pub(super) fn prepare(&self, arguments: Value) -> Result<Box<dyn PreparedArguments>, serde_json::Error> {
        (self.prepare)(arguments)
    }

    /// Calls [`Tool::acquire_exclusive`] with the prepared arguments.
    pub(super) fn acquire_exclusive<'a>(
        &'a self,
        prepared: &'a dyn PreparedArguments,
        cx: &'a Cx,
    ) -> Pinned<'a, Result<Option<ExclusiveGuard>, ToolError>> {
        (self.turn)(prepared, cx)
    }

    /// Runs the tool with the prepared arguments.
    pub(super) fn call<'a>(&'a self, prepared: Box<dyn PreparedArguments>, cx: &'a Cx) -> Pinned<'a, Erased> {
        (self.call)(prepared, cx)
    }
}

impl std::fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// The offer of all families of this process: tools, prompts, and the texts of their errors.
#[derive(Debug)]
pub struct Catalogue {
    entries: Vec<ToolEntry>,
    prompts: Vec<PromptSpec>,
    errors: Vec<&'static ErrorCatalog>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolsetScope(BTreeSet<&'static str>);

impl ToolsetScope {
    /// Returns the intersection of two scopes.
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// Returns the scope of one toolset.
    pub fn single(toolset: &'static str) -> Self {
        Self(BTreeSet::from([toolset]))
    }

    /// Returns the union of two scopes.
    pub fn or(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).copied().collect())
    }

    /// True if the scope contains no toolset.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the toolsets, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }

    /// True if the scope contains a toolset.
    pub fn contains(&self, toolset: &str) -> bool {
        self.0.contains(toolset)
    }
}

impl Catalogue {
    /// Creates a catalogue of these tools. Clients see them in this order.
    ///
    /// # Panics
    /// If two tools share a name or an alias.
    pub fn new(entries: Vec<ToolEntry>) -> Self {
        let mut names = BTreeSet::new();
        for entry in &entries {
            for name in std::iter::once(&entry.spec.name).chain(entry.spec.aliases) {
                assert!(names.insert(*name), "two tools are called {name}");
            }
        }
        Self { entries, prompts: Vec::new(), errors: Vec::new() }
    }

    /// Adds prompts. Clients see them in this order.
    pub fn with_prompts(mut self, prompts: Vec<PromptSpec>) -> Self {
        self.prompts.extend(prompts);
        self
    }

    /// Adds the error catalogues of the families.
    pub fn with_errors(mut self, errors: impl IntoIterator<Item = &'static ErrorCatalog>) -> Self {
        self.errors.extend(errors);
        self
    }

    /// Returns the tools that are listed for a caller, in a fixed order.
    pub fn list(&self, access: &Access) -> impl Iterator<Item = &ToolEntry> {
        self.entries.iter().filter(|entry| access.lists(&entry.spec))
    }

    pub fn prompts(&self) -> &[PromptSpec] {
        &self.prompts
    }

    /// Returns the error catalogues of the families.
    pub fn errors(&self) -> &[&'static ErrorCatalog] {
        &self.errors
    }

    pub fn entries(&self) -> &[ToolEntry] {
        &self.entries
    }

    /// Returns the names of the toolsets that have tools.
    pub fn toolsets(&self) -> BTreeSet<&'static str> {
        self.entries.iter().map(|entry| entry.spec.toolset).collect()
    }

    /// Returns a scope of the named toolsets, or the unknown names as the error.
    pub fn scope<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<ToolsetScope, Vec<String>> {
        let known = self.toolsets();
        let mut scope = BTreeSet::new();
        let mut unknown = Vec::new();
        for name in names {
            match known.get(name) {
                Some(known) => drop(scope.insert(*known)),
                None => unknown.push(name.to_owned()),
            }
        }
        if unknown.is_empty() { Ok(ToolsetScope(scope)) } else { Err(unknown) }
    }

    /// Returns a tool by its name, an alias, or either with a client's prefix (`mcp__fumi__search_content`).
    pub fn find(&self, scope: &ToolsetScope, name: &str) -> Option<&ToolEntry> {
        let bare = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(name, |(_, bare)| bare);
        self.entries
            .iter()
            .filter(|entry| entry.spec.is_in(scope))
            .find(|entry| entry.spec.name == bare || entry.spec.aliases.contains(&bare))
    }

    /// Returns the names of a caller's tools that are nearest to a wrong one, best first.
    pub fn nearest(&self, access: &Access, name: &str) -> Vec<&'static str> {
        nearest(name, self.list(access).map(|entry| entry.spec.name), 3)
    }

    /// Says why a caller cannot call a tool that [`Self::find`] does not return: another toolset, or a wrong name.
    pub fn unknown_tool(&self, access: &Access, name: &str) -> BilingualText {
        let tool = ("tool", BilingualText::same(quoted(name)));
        if let Some(elsewhere) = self.find(&ToolsetScope(self.toolsets()), name) {
            let toolset = BilingualText::same(elsewhere.spec.toolset);
            return PROBLEMS.unknown_tool_elsewhere.fill(&[tool, ("toolset", toolset)]);
        }
        let near = self.nearest(access, name);
        let text = if near.is_empty() { &PROBLEMS.unknown_tool } else { &PROBLEMS.unknown_tool_near };
        text.fill(&[tool, ("near", BilingualText::list(&near))])
    }
}

/// Renders a question as a structured result, for hosts that answer by another call.
impl super::Render for QuestionReply {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        // Findings end with the calls that follow from them.
        let suggested = |line: &str| line.strip_prefix("→ ")?.split_once(" {").map(|(tool, _)| can_call(tool));
        let lines = self.report.lines().filter(|line| suggested(line).unwrap_or(true));
        self.report = lines.collect::<Vec<_>>().join("\n");
        if let Some(Value::Array(calls)) = self.more.get_mut("next_suggested_actions") {
            calls.retain(|call| call["tool"].as_str().is_none_or(can_call));
        }
    }

    fn text(&self, locale: Locale) -> String {
        let (context, criteria, answer) = match locale {
            Locale::En => ("To read:", "The answer is judged by:", "Answer with"),
            Locale::Ja => ("読むもの:", "回答の判定基準:", "回答の送り先:"),
        };
        let mut text = String::new();
        if !self.report.is_empty() {
            text = format!("{}\n\n", self.report);
        }
        text.push_str(&self.instruction);
        if !self.context.is_empty() {
            text.push_str(&format!("\n{context}"));
            for reference in &self.context {
                text.push_str(&format!("\n- {reference}"));
            }
        }
        if !self.acceptance_criteria.is_empty() {
            text.push_str(&format!("\n{criteria}"));
            for criterion in &self.acceptance_criteria {
                text.push_str(&format!("\n- {criterion}"));
            }
        }
        let mut arguments = self.submit.arguments.clone();
        let sample = self.submit.sample.clone();
        arguments.insert(self.submit.answer.to_owned(), sample.unwrap_or_else(|| Value::from("…")));
        text.push_str(&format!("\n{answer} {} {}", self.submit.tool, Value::Object(arguments)));
        text
    }
}
