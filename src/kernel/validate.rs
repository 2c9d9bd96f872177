//! Reports all problems of a call at once, each with the parameter, the allowed values and the nearest name.
//!
//! The schema expresses most of it; [`ArgumentRule`]s express what a schema without root combinators cannot. Values are
//! never repaired silently, except unambiguous ones: an explicit `null` is an absent argument, and `5.0` is the integer
//! 5.

use fumi_base::{
    encoding::EncodingChoice,
    errors::UserError as _,
    nearest::nearest,
    project::quoted,
    redact,
    text::{BilingualText, Locale},
};
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value, json};

pub use super::problem::ArgumentProblem;
use super::{
    ArgumentRule, ToolError,
    catalogue::ToolEntry,
    error::BOOK,
    expectation,
    problem::{PROBLEMS, number_text},
    schema::Object,
};

/// The longest string argument unless a family sets another limit, in bytes.
pub const MAX_STRING: usize = 1 << 20;
/// The largest number of entries of a list argument.
const MAX_ITEMS: usize = 1_000;
/// The largest whole number that errors name, and the bound from which a whole float is refused: JSON parsers disagree
/// about the values of larger numbers.
const LARGEST: usize = 9_000_000_000_000_000;
const TOO_LARGE: f64 = 9e15;
/// The largest number of problems shown; a call with more is not a near miss. No more than one beyond it are collected: a
/// body has room for hundreds of thousands.
const MAX_PROBLEMS: usize = 20;

/// Compiles a tool's schema.
///
/// # Panics
/// If the derived schema is invalid: a programming error that every start would show.
pub fn compile(schema: &Object) -> Validator {
    jsonschema::validator_for(&Value::Object(schema.clone())).expect("a derived schema is valid")
}

/// Arguments in canonical form, and their problems.
#[derive(Debug)]
pub struct CheckedArguments {
    arguments: Map<String, Value>,
    problems: Vec<ArgumentProblem>,
    /// Formats that exclude one another: the given ones, and all.
    exclusive: Option<(Vec<&'static str>, &'static [&'static str])>,
}

impl CheckedArguments {
    /// Returns the arguments, or an error with all problems.
    pub fn result(self, entry: &ToolEntry) -> Result<Map<String, Value>, ToolError> {
        match self.exclusive {
            Some(exclusive) => Err(exclusive_error(entry, &exclusive, &self.problems)),
            None if self.problems.is_empty() => Ok(self.arguments),
            None => {
                let error = invalid_arguments(entry, &self.problems);
                let call = (!is_full(&self.problems)).then(|| corrected(entry, self.arguments, &self.problems));
                Err(match call.flatten() {
                    Some((call, is_own)) => error.with_corrected(&call, is_own),
                    None => error,
                })
            }
        }
    }

    /// Returns the arguments and all problems in one list.
    pub fn parts(self) -> (Map<String, Value>, Vec<ArgumentProblem>) {
        let mut problems = self.problems;
        problems.extend(self.exclusive.map(|(given, names)| {
            let text = PROBLEMS.at_most_one.fill(&[("names", BilingualText::list(names))]);
            ArgumentProblem::new(given.join(", "), text, json!({"at_most_one_of": names}))
        }));
        (self.arguments, problems)
    }
}

/// True if there are more problems than are shown.
pub(super) fn is_full(problems: &[ArgumentProblem]) -> bool {
    problems.len() > MAX_PROBLEMS
}

/// Checks a call's arguments and returns them in canonical form.
pub fn validate(entry: &ToolEntry, arguments: Map<String, Value>) -> Result<Map<String, Value>, ToolError> {
    check(entry, arguments).result(entry)
}

/// Arguments that clients add to every call and handle themselves; they are ignored. `wait_for_previous`: Gemini CLI.
const ADDED_BY_CLIENTS: [&str; 1] = ["wait_for_previous"];

/// Removes the fields of a value that are null, as far as the schema names them. Values of any form are left as they are.
fn drop_absent(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema["properties"].as_object() else { return };
            fields.retain(|name, value| !value.is_null() || !properties.contains_key(name));
            for (name, value) in fields {
                drop_absent(value, &schema["properties"][name.as_str()]);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| drop_absent(item, &schema["items"])),
        _ => {}
    }
}

/// Checks a call's arguments and returns them with their problems.
pub fn check(entry: &ToolEntry, mut arguments: Map<String, Value>) -> CheckedArguments {
    arguments.retain(|name, value| !value.is_null() && !ADDED_BY_CLIENTS.contains(&name.as_str()));
    for (other, name) in entry.spec.family.renamed {
        let properties = &entry.input["properties"];
        let Some(published) = properties.get(*name).filter(|_| properties.get(*other).is_none()) else {
            continue;
        };
        // If both names are given, the other one is reported as unknown, since the intended value is ambiguous.
        if !arguments.contains_key(*name)
            && let Some(value) = arguments.remove(*other)
        {
            let takes_list = published["type"] == "array" && value.is_string();
            let value = if takes_list { json!([value]) } else { value };
            arguments.insert((*name).to_owned(), value);
        }
    }
    if let Some(plain) = entry.spec.family.normalise {
        plain(&mut arguments);
    }
    arguments.values_mut().for_each(floats_to_integers);
    for (name, value) in &mut arguments {
        drop_absent(value, &entry.input["properties"][name.as_str()]);
    }
    let mut problems = Vec::new();
    let exclusive = check_rules(entry, &arguments, &mut problems);
    let arguments = Value::Object(arguments);
    check_sizes(&arguments, "", entry.spec.family.max_string_bytes, &mut problems);
    // Every entry of a list that is too long might have an error of its own.
    let is_bounded = !problems.iter().any(|problem| problem.allowed == json!({"max": MAX_ITEMS}));
    // Checking for any error is several times faster than collecting all.
    if is_bounded && !entry.validator().is_valid(&arguments) {
        for error in entry.validator().iter_errors(&arguments) {
            if is_full(&problems) {
                break;
            }
            let parameter = dotted(&error.instance_path().to_string());
            let most = entry.spec.rules.iter().find_map(|rule| match rule {
                ArgumentRule::ClampedTo(name, most) if *name == parameter => Some(*most),
                _ => None,
            });
            explain(&entry.input, &error, most, &mut problems);
        }
    }
    let Value::Object(arguments) = arguments else {
        unreachable!("it was made of an object");
    };
    // The tool's own schema only says that it is an object.
    if let Some(said) = arguments.get(expectation::NAME).filter(|said| said.is_object()) {
        problems.extend(expectation::problems(said, expectation::NAME));
    }
    CheckedArguments { arguments, problems, exclusive }
}

/// Returns the problems of a value that is not a call, under a schema in the published form; at most one more than are
/// shown.
pub fn problems(schema: &Object, value: &Value) -> Vec<ArgumentProblem> {
    let mut problems = Vec::new();
    for error in compile(schema).iter_errors(value) {
        if is_full(&problems) {
            break;
        }
        explain(schema, &error, None, &mut problems);
    }
    problems
}

/// Returns the valid call that is nearest to one with problems, and true if all its values are the caller's own:
/// unknown arguments under their nearest names, wrong ones left out, missing ones from the tool's example.
fn corrected(
    entry: &ToolEntry,
    mut call: Map<String, Value>,
    problems: &[ArgumentProblem],
) -> Option<(Map<String, Value>, bool)> {
    for problem in problems {
        let (names, is_choice) = match problem.parameter.split_once(" | ") {
            Some(_) => (Vec::new(), true),
            None => (problem.parameter.split(", ").map(top_level).collect::<Vec<_>>(), false),
        };
        // Of several that exclude one another the first stays.
        let wrong = if names.len() > 1 { &names[1..] } else { &names[..] };
        if let Some(others) = problem.allowed["without"].as_array() {
            others.iter().filter_map(Value::as_str).for_each(|other| drop(call.shift_remove(other)));
            continue;
        }
        for name in wrong.iter().filter(|_| !is_choice) {
            let near = problem.allowed["nearest"].as_str().filter(|_| *name == problem.parameter);
            match (call.shift_remove(*name), near) {
                // Under another name the value would not be recognised as a secret.
                (Some(value), Some(near)) if !call.contains_key(near) && !redact::is_secret(name) => {
                    call.insert(near.to_owned(), value);
                }
                // One text where a list of texts is wanted narrows the call as the list would.
                (Some(value @ Value::String(_)), None) if problem.allowed["type"] == "array" => {
                    call.insert((*name).to_owned(), json!([value]));
                }
                _ => {}
            }
        }
    }
    let is_valid = |call: &Map<String, Value>| {
        let checked = check(entry, call.clone());
        if checked.exclusive.is_some() {
            return Err(Vec::new());
        }
        if checked.problems.is_empty() { Ok(()) } else { Err(checked.problems) }
    };
    let Err(missing) = is_valid(&call) else {
        return Some((call, true));
    };
    let example: Map<String, Value> = serde_json::from_str(entry.spec.example).ok()?;
    for problem in missing {
        let names = problem.parameter.split(" | ").map(top_level);
        for name in names.filter(|name| example.contains_key(*name)).take(1) {
            call.insert(name.to_owned(), example[name].clone());
        }
    }
    is_valid(&call).is_ok().then_some((call, false))
}

/// Returns the top-level argument of a path: `sections` of `sections[0].start_line`.
fn top_level(parameter: &str) -> &str {
    parameter.split(['.', '[']).next().unwrap_or_default()
}

/// Returns the error of arguments that the schema accepts and serde rejects.
pub fn unreadable(entry: &ToolEntry, error: &serde_json::Error) -> ToolError {
    invalid_arguments(entry, &[ArgumentProblem::unreadable("arguments", error)])
}

/// Converts whole floats to integers. JSON has one type of number; `5.0` from a client means 5.
fn floats_to_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64())
                && float.fract() == 0.0
                && float.abs() < TOO_LARGE
            {
                #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
                let whole = float as i64;
                *value = json!(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(floats_to_integers),
        Value::Object(fields) => fields.values_mut().for_each(floats_to_integers),
        _ => {}
    }
}

/// True if an argument counts as given: a boolean when true, a list when it has entries, anything else when present.
fn is_given(arguments: &Map<String, Value>, name: &str) -> bool {
    match arguments.get(name) {
        None | Some(Value::Bool(false)) => false,
        Some(Value::Array(items)) => !items.is_empty(),
        Some(_) => true,
    }
}

/// Checks the rules. Returns a violated exclusive group of booleans, because its error has a form of its own.
fn check_rules(
    entry: &ToolEntry,
    arguments: &Map<String, Value>,
    problems: &mut Vec<ArgumentProblem>,
) -> Option<(Vec<&'static str>, &'static [&'static str])> {
    let given = |names: &'static [&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| is_given(arguments, name)).collect()
    };
    let mut exclusive = None;
    for rule in entry.spec.rules {
        match rule {
            ArgumentRule::AtMostOne(names) => {
                let given = given(names);
                if given.len() > 1 {
                    exclusive = Some((given, *names));
                }
            }
            ArgumentRule::ExactlyOne(names) => {
                let (parameter, text) = match given(names).as_slice() {
                    [_] => continue,
                    [] => {
                        (names.join(" | "), PROBLEMS.none_of_exactly_one.fill(&[("names", BilingualText::list(names))]))
                    }
                    several => {
                        let given = BilingualText::new(several.join(" and "), several.join(" と "));
                        let facts = [("names", BilingualText::list(names)), ("given", given)];
                        (several.join(", "), PROBLEMS.several_of_exactly_one.fill(&facts))
                    }
                };
                problems.push(ArgumentProblem::new(parameter, text, json!({"exactly_one_of": names})));
            }
            ArgumentRule::AnyOf(names) => {
                if given(names).is_empty() {
                    let text = PROBLEMS.any_of.fill(&[("names", BilingualText::list(names))]);
                    problems.push(ArgumentProblem::new(names.join(" | "), text, json!({"any_of": names})));
                }
            }
            ArgumentRule::Without(name, others) => {
                let given = given(others);
                if is_given(arguments, name) && !given.is_empty() {
                    let text = PROBLEMS.without.fill(&[("given", BilingualText::list(&given))]);
                    problems.push(ArgumentProblem::new(*name, text, json!({"without": others})));
                }
            }
            ArgumentRule::Needs(name, other) => {
                if is_given(arguments, name) && !is_given(arguments, other) {
                    let text = PROBLEMS.needs.fill(&[("other", BilingualText::same(*other))]);
                    problems.push(ArgumentProblem::new(*name, text, json!({"needs": other})));
                }
            }
            ArgumentRule::Encoding(name) => {
                let label = arguments.get(*name).and_then(Value::as_str);
                if let Some(Err(error)) = label.map(EncodingChoice::parse) {
                    problems.push(ArgumentProblem::new(*name, error.error_message().message, Value::Null));
                }
            }
            // Handled where a number is refused.
            ArgumentRule::ClampedTo(..) => {}
        }
    }
    exclusive
}

/// Checks limits that no schema expresses: the lengths of texts and lists, and the size of whole numbers.
fn check_sizes(value: &Value, path: &str, longest: usize, problems: &mut Vec<ArgumentProblem>) {
    if is_full(problems) {
        return;
    }
    let mut refuse = |text: &BilingualText, fact: (&'static str, String), limit: usize| {
        let facts = [(fact.0, BilingualText::same(fact.1)), ("most", number_text(&limit))];
        problems.push(ArgumentProblem::new(path.trim_start_matches('.'), text.fill(&facts), json!({"max": limit})));
    };
    match value {
        Value::String(text) if text.len() > longest => {
            refuse(&PROBLEMS.long_text, ("count", text.len().to_string()), longest);
        }
        Value::Array(items) if items.len() > MAX_ITEMS => {
            refuse(&PROBLEMS.long_list, ("count", items.len().to_string()), MAX_ITEMS);
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(at, item)| check_sizes(item, &format!("{path}[{at}]"), longest, problems)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| check_sizes(field, &format!("{path}.{name}"), longest, problems));
        }
        // An integer that fits into 64 bits is not stored as f64.
        Value::Number(number)
            if number.is_f64()
                && number.as_f64().is_some_and(|number| number >= TOO_LARGE && number.fract() == 0.0) =>
        {
            refuse(&PROBLEMS.large_number, ("given", number.to_string()), LARGEST);
        }
        _ => {}
    }
}

/// Converts one schema error to problems, at most one more than are shown. `most` is the limit to which a larger number is
/// lowered.
pub(super) fn explain(
    schema: &Object,
    error: &ValidationError<'_>,
    most: Option<u64>,
    problems: &mut Vec<ArgumentProblem>,
) {
    let pointer = error.instance_path().to_string();
    let parameter = dotted(&pointer);
    let at = subschema(schema, &pointer);
    let allowed = at.map_or(Value::Null, allowed);
    let mut push = |parameter: String, text: BilingualText, allowed: Value| {
        problems.push(ArgumentProblem::new(parameter, text, allowed));
    };
    let inner = |name: &str| {
        if parameter.is_empty() { name.to_owned() } else { format!("{parameter}.{name}") }
    };
    let shown = |value: &Value| match value {
        Value::String(text) => quoted(text),
        other => super::error::without_secrets(other).to_string().chars().take(80).collect(),
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known: Vec<&str> = at
                .and_then(|schema| schema.get("properties"))
                .and_then(Value::as_object)
                .map(|properties| properties.keys().map(String::as_str).collect())
                .unwrap_or_default();
            for name in unexpected.iter().take(MAX_PROBLEMS + 1) {
                let near = nearest(name, known.iter().copied(), 1);
                let text = match near.first() {
                    Some(near) => PROBLEMS.unknown_near.fill(&[("near", BilingualText::same((*near).to_owned()))]),
                    None => PROBLEMS.unknown.fill(&[("known", BilingualText::list(&known))]),
                };
                push(inner(name), text, json!({"nearest": near.first(), "known": known}));
            }
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            push(inner(name), PROBLEMS.required.clone(), json!({"required": true}));
        }
        ValidationErrorKind::Enum { options } => {
            let given = error.instance();
            let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let near = given.as_str().map(|given| nearest(given, options.iter().copied(), 1)).unwrap_or_default();
            let facts = [
                ("options", BilingualText::list(&options)),
                ("given", BilingualText::same(shown(given))),
                ("near", BilingualText::same(near.first().copied().unwrap_or_default().to_owned())),
            ];
            let text = if near.is_empty() { &PROBLEMS.wrong_choice } else { &PROBLEMS.wrong_choice_near };
            push(parameter, text.fill(&facts), allowed);
        }
        _ => {
            let facts =
                [("wanted", PROBLEMS.wanted(at, most)), ("given", BilingualText::same(shown(error.instance())))];
            push(parameter, PROBLEMS.wrong_value.fill(&facts), allowed);
        }
    }
}

/// Returns the machine-readable part of the allowed values.
fn allowed(schema: &Object) -> Value {
    const TELLING: [&str; 8] = ["type", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
    TELLING
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), schema.get(*name)?.clone())))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns the schema of the property to which a JSON pointer leads.
fn subschema<'s>(schema: &'s Object, pointer: &str) -> Option<&'s Object> {
    let mut at = schema;
    for part in pointer.split('/').skip(1) {
        at = at
            .get("properties")
            .and_then(|properties| properties.get(part))
            .or_else(|| at.get("items"))?
            .as_object()?;
    }
    Some(at)
}

/// Converts `/sections/0/start_line` to the form that a reader writes: `sections[0].start_line`.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push('[');
            path.push_str(part);
            path.push(']');
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
        }
    }
    path
}

/// Returns the lines of all problems in both languages, and as data.
fn lines(problems: &[ArgumentProblem]) -> (BilingualText, Value) {
    let shown = &problems[..problems.len().min(MAX_PROBLEMS)];
    let joined = |locale| shown.iter().map(|problem| problem.line(locale)).collect::<Vec<_>>().join("\n");
    let data = shown
        .iter()
        .map(|problem| {
            json!({"parameter": problem.parameter, "problem": problem.text.en, "problem_ja": problem.text.ja, "allowed": problem.allowed})
        })
        .collect();
    (BilingualText::new(joined(Locale::En), joined(Locale::Ja)), data)
}

/// Returns the error of a call with invalid arguments.
pub fn invalid_arguments(entry: &ToolEntry, problems: &[ArgumentProblem]) -> ToolError {
    let (said, data) = lines(problems);
    let only_queries = !problems.is_empty() && problems.iter().all(|problem| problem.is_query);
    let mut lesson = BOOK.error_message(
        if only_queries { "INVALID_PATTERN" } else { "INVALID_ARGUMENTS" },
        &[("tool", BilingualText::same(entry.spec.name)), ("problems", said)],
    );
    lesson.facts.clear();
    entry.spec.example.clone_into(&mut lesson.example);
    lesson.is_template = true;
    ToolError::from_message(lesson).with_detail("problems", data)
}

/// Returns the error of formats that exclude each other: the given ones, the whole list, and one correct example each.
fn exclusive_error(
    entry: &ToolEntry,
    (given, names): &(Vec<&'static str>, &'static [&'static str]),
    others: &[ArgumentProblem],
) -> ToolError {
    let examples: Vec<_> = names.iter().take(3).map(|name| format!("- {{\"{name}\": true}}")).collect();
    let (said, data) = lines(others);
    let lead = |text: &str| if text.is_empty() { String::new() } else { format!("\n{text}") };
    let mut lesson = BOOK.error_message(
        "EXCLUSIVE_PARAMETERS",
        &[
            ("tool", BilingualText::same(entry.spec.name)),
            ("given", BilingualText::same(given.join(", "))),
            ("allowed", BilingualText::same(names.join(", "))),
            ("examples", BilingualText::same(examples.join("\n"))),
            ("problems", BilingualText::new(lead(&said.en), lead(&said.ja))),
        ],
    );
    lesson.facts.clear();
    let others_away = given.iter().skip(1).map(|name| ((*name).to_owned(), Value::Null));
    if others.is_empty() {
        lesson.change = Value::Object(others_away.collect()).to_string();
    }
    ToolError::from_message(lesson)
        .with_detail("given", json!(given))
        .with_detail("allowed", json!(names))
        .with_detail("problems", data)
}
