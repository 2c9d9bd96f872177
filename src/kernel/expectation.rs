//! The argument `expectation`: its full schema, and the problems of a value.
//!
//! Each tool publishes it as a plain object, since its schema would cost more tokens there than it saves; the full
//! schema is published by the tool that runs several calls (what it says of pages, only where tools for pages are listed).
//! Values are checked against the full schema everywhere.

use std::sync::LazyLock;

use fumi_base::{errors::UserError, expectation::Expectation, text::BilingualText};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::{
    error::BOOK,
    fields,
    problem::{ArgumentProblem, PROBLEMS},
    schema::{self, Object},
    validate,
};

/// The name of the argument.
pub const NAME: &str = "expectation";

/// The full schema, without descriptions, and its validator.
static SCHEMA: LazyLock<(Object, Validator)> = LazyLock::new(|| {
    let schema = schema::for_deserialize::<Expectation>();
    let validator = validate::compile(&schema);
    (schema, validator)
});

/// Returns the schema that each tool publishes.
pub fn published() -> Value {
    json!({"type": "object"})
}

/// Returns all problems of a value at `path`.
pub fn problems(value: &Value, path: &str) -> Vec<ArgumentProblem> {
    let (schema, validator) = &*SCHEMA;
    let mut problems: Vec<ArgumentProblem> = Vec::new();
    if !validator.is_valid(value) {
        for error in validator.iter_errors(value) {
            if validate::is_full(&problems) {
                break;
            }
            validate::explain(schema, &error, None, &mut problems);
        }
        for problem in &mut problems {
            problem.move_under(path);
        }
        return problems;
    }
    match serde_json::from_value::<Expectation>(value.clone()) {
        Ok(said) => unusable(&said, path),
        Err(error) => vec![ArgumentProblem::unreadable(path, &error)],
    }
}

/// Returns the problems that no schema can express.
pub fn unusable(said: &Expectation, path: &str) -> Vec<ArgumentProblem> {
    let pointers = said.fields.iter().flatten().enumerate();
    let pointers = pointers.filter(|(_, field)| !fields::is_pointer(field));
    let pointers = pointers.map(|(at, _)| {
        ArgumentProblem::new(
            format!("{path}.fields[{at}]"),
            PROBLEMS.pointer.clone(),
            json!({"type": "string", "format": "json-pointer"}),
        )
    });
    let patterns = said.bad_patterns().into_iter().map(|(at, reason)| {
        ArgumentProblem::invalid_query(
            format!("{path}.consoleOptions.patterns[{at}]"),
            PROBLEMS.pattern.fill(&[("reason", BilingualText::same(reason))]),
        )
    });
    pointers.chain(patterns).collect()
}

/// The error of an expectation on a server that does not accept them.
#[derive(Debug, UserError)]
pub struct ExpectationDisabled;
