//! Checks a plan as a whole before any step runs, and reports every step that could not run.
//!
//! Arguments with references are checked too, except for the values that are not known yet; those are checked when they
//! are known, like the arguments of every call.

use std::time::Duration;

use fumi_base::{expectation::Expectation, pools::Pool, text::BilingualText};
use serde_json::{Map, Value, json};

use super::{BatchPlan, PlannedStep, reference, run::BatchRun};
use crate::{
    Effect, ToolError,
    access::ReadOnly,
    catalogue::ToolEntry,
    expectation,
    problem::{ArgumentProblem, PROBLEMS, number_text},
    validate,
};

/// A step whose tool and arguments have been checked.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each read on its own")]
pub(super) struct CheckedStep<'a> {
    /// The tool of the step.
    pub entry: &'a ToolEntry,
    /// The arguments, including the expectation, with unresolved references.
    pub arguments: Map<String, Value>,
    /// True if the batch continues after a failure of this step.
    pub goes_on: bool,
    /// True if the arguments contain references.
    pub refers: bool,
    /// True if a later step refers to this one.
    pub is_referred_to: bool,
    /// True if the next step is of the same toolset.
    pub is_followed: bool,
    /// The timeout of the step.
    pub limit: Duration,
}

/// Returns the checked steps of a plan, or all its problems.
pub(super) fn check<'a>(whole: &BatchRun<'a>, plan: &BatchPlan) -> Result<Vec<CheckedStep<'a>>, ToolError> {
    let mut problems = too_many(plan, whole.kernel.most_steps);
    let has_global = plan.expectation.is_some();
    if let Some(global) = &plan.expectation {
        problems.extend(expectation::problems(global, "globalExpectation"));
    }
    let has_expectation = has_global || plan.steps.iter().any(PlannedStep::has_expectation);
    if has_expectation && !whole.kernel.expectation.enabled {
        return Err(expectation::ExpectationDisabled.into());
    }
    let mut ready = Vec::new();
    let mut read_only = None;
    // Steps beyond the limit are not checked one by one.
    let looked_at = plan.steps.iter().take(whole.kernel.most_steps).enumerate();
    for (at, step) in looked_at {
        let mut found = Vec::new();
        let checked = checked(whole, plan, (at, step), &mut found);
        for mut problem in found {
            problem.move_under(&format!("steps[{at}]"));
            problems.push(problem);
        }
        match checked {
            Some(Ok(step)) => ready.push(step),
            Some(Err(refused)) => read_only = read_only.or(Some((at, refused))),
            None => {}
        }
    }
    if !problems.is_empty() {
        return Err(validate::invalid_arguments(whole.entry, &problems));
    }
    if let Some((at, refused)) = read_only {
        return Err(ToolError::from(refused).with_detail("stepIndex", json!(at)));
    }
    let referred: Vec<usize> = ready.iter().flat_map(|step| steps_named(&step.arguments)).collect();
    for step in referred {
        ready[step].is_referred_to = true;
    }
    for at in 1..ready.len() {
        ready[at - 1].is_followed = ready[at - 1].entry.spec.toolset == ready[at].entry.spec.toolset;
    }
    Ok(ready)
}

impl PlannedStep {
    fn has_expectation(&self) -> bool {
        self.expectation.is_some() || self.arguments.contains_key(expectation::NAME)
    }
}

fn too_many(plan: &BatchPlan, most: usize) -> Vec<ArgumentProblem> {
    let count = plan.steps.len();
    let text = PROBLEMS.many_steps.fill(&[("count", number_text(&count)), ("most", number_text(&most))]);
    let problem = (count > most).then(|| ArgumentProblem::new("steps", text, json!({"max": most})));
    problem.into_iter().collect()
}

fn steps_named(arguments: &Map<String, Value>) -> Vec<usize> {
    let all = reference::all(arguments).into_iter();
    all.filter_map(|found| Some(found.reference.ok()?.step)).collect()
}

/// Checks one step. Returns the step, an error if writing is not allowed, or `None` with problems added.
fn checked<'a>(
    whole: &BatchRun<'a>,
    plan: &BatchPlan,
    (at, step): (usize, &PlannedStep),
    problems: &mut Vec<ArgumentProblem>,
) -> Option<Result<CheckedStep<'a>, ReadOnly>> {
    let entry = find(whole, plan, &step.tool, problems)?;
    let mut tell = |parameter: &str, text: BilingualText| {
        problems.push(ArgumentProblem::new(parameter, text, Value::Null));
    };
    let references = reference::all(&step.arguments);
    if references.len() > reference::MOST {
        let facts = [("count", number_text(&references.len())), ("most", number_text(&reference::MOST))];
        tell("arguments", PROBLEMS.many_references.fill(&facts));
        return None;
    }
    for found in &references {
        let parameter = format!("arguments.{}", found.at);
        match &found.reference {
            Err(text) => tell(&parameter, text.clone()),
            Ok(reference) if reference.step >= at => {
                let facts = [("reference", BilingualText::same(reference.text.clone()))];
                tell(&parameter, PROBLEMS.later_step.fill(&facts));
            }
            Ok(_) => {}
        }
    }
    if plan.parallel {
        // A browser runs its actions in one tab, one after the other.
        let can_run_in_parallel = entry.spec.effect == Effect::ReadOnly && entry.spec.pool != Pool::Browser;
        if !can_run_in_parallel {
            tell("tool", PROBLEMS.not_parallel.fill(&[("tool", BilingualText::same(entry.spec.name))]));
        }
        if !references.is_empty() {
            tell("arguments", PROBLEMS.parallel_reference.clone());
        }
    }
    let mut arguments = step.arguments.clone();
    arguments.retain(|_, value| !value.is_null());
    if let Some(said) = &step.expectation {
        problems.extend(expectation::problems(said, expectation::NAME));
    }
    let unknown: Vec<String> = references.iter().map(|found| found.at.clone()).collect();
    let (valid, found) = validate::check(entry, arguments.clone()).parts();
    let found: Vec<ArgumentProblem> = found.into_iter().filter(|problem| !problem.is_about(&unknown)).collect();
    let is_valid = found.is_empty() && problems.is_empty();
    problems.extend(found.into_iter().map(|mut problem| {
        problem.move_under("arguments");
        problem
    }));
    if !is_valid {
        return None;
    }
    if references.is_empty() {
        let own = own_arguments(entry, valid.clone());
        if let Err(error) = entry.prepare(Value::Object(own)) {
            problems.push(ArgumentProblem::unreadable("arguments", &error));
            return None;
        }
    }
    // `shared` also names arguments that the tool accepts without publishing them, as the call itself does.
    let is_delivered = entry.spec.shared().any(|name| *name == "output_file") && arguments.contains_key("output_file");
    if let Err(refused) = whole.cx.caller.access.check_tool_write(&entry.spec, is_delivered) {
        return Some(Err(refused));
    }
    let limit = valid.get("timeout_ms").and_then(Value::as_u64);
    expect(whole, plan, step, &mut arguments);
    Some(Ok(CheckedStep {
        entry,
        arguments,
        goes_on: step.continue_on_error && !plan.stop_on_first_error,
        refers: !references.is_empty(),
        is_referred_to: false,
        is_followed: false,
        limit: limit.map_or(entry.spec.timeout, Duration::from_millis),
    }))
}

/// Returns the arguments without those that the pipeline handles.
fn own_arguments(entry: &ToolEntry, mut arguments: Map<String, Value>) -> Map<String, Value> {
    for name in entry.spec.shared() {
        arguments.remove(*name);
    }
    arguments
}

/// Returns the tool of a step, if it may be a step.
fn find<'a>(
    whole: &BatchRun<'a>,
    plan: &BatchPlan,
    name: &str,
    problems: &mut Vec<ArgumentProblem>,
) -> Option<&'a ToolEntry> {
    let access = &whole.cx.caller.access;
    let Some(entry) = whole.catalogue.find(&access.scope, name) else {
        let near = json!({"nearest": whole.catalogue.nearest(access, name)});
        problems.push(ArgumentProblem::new("tool", whole.catalogue.unknown_tool(access, name), near));
        return None;
    };
    let spec = &entry.spec;
    let named = ("tool", BilingualText::same(spec.name));
    if entry.runs_steps {
        problems.push(ArgumentProblem::new("tool", PROBLEMS.nested_batch.fill(&[named]), Value::Null));
        return None;
    }
    if let Some(toolset) = plan.only.filter(|toolset| *toolset != spec.toolset) {
        let text = PROBLEMS.other_toolset.fill(&[named, ("toolset", BilingualText::same(toolset.to_string()))]);
        problems.push(ArgumentProblem::new("tool", text, json!({"toolset": toolset})));
        return None;
    }
    Some(entry)
}

/// Adds the expectation to the arguments: the step's own takes precedence over the batch's.
fn expect(whole: &BatchRun<'_>, plan: &BatchPlan, step: &PlannedStep, arguments: &mut Map<String, Value>) {
    let read = |value: Value| serde_json::from_value::<Expectation>(value).unwrap_or_default();
    let of_step = step.expectation.clone().map(read).unwrap_or_default();
    let of_arguments = arguments.remove(expectation::NAME).map(read).unwrap_or_default();
    let global = plan.expectation.clone().map(read).unwrap_or_default();
    let merged = of_step.merge_over(of_arguments).merge_over(global).merge_over(whole.step_defaults());
    if merged != Expectation::default() {
        let merged = serde_json::to_value(merged).unwrap_or_default();
        arguments.insert(expectation::NAME.to_owned(), merged);
    }
}

/// Returns the timeout of all steps together, at most half an hour.
pub(super) fn limit(steps: &[CheckedStep<'_>]) -> Duration {
    const MOST: Duration = Duration::from_mins(30);
    let together: Duration = steps.iter().map(|step| step.limit).sum();
    together.min(MOST)
}
