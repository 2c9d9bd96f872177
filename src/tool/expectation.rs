//! The argument `expectation`: its whole schema, and what is wrong with one.
//!
//! In each tool it is published as a bare object, since its schema would cost more there than it saves; whoever wants to
//! know it finds it in the tool that runs several calls. Checked it is everywhere against the whole.

use std::sync::LazyLock;

use fumi_base::{
    errors::{Book, Teach},
    expectation::Expectation,
    text::Text,
};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::{
    error::BOOK,
    fields,
    schema::{self, Object},
    validate::{self, Problem},
};

/// The argument.
pub const NAME: &str = "expectation";

/// The whole schema, without descriptions.
static SCHEMA: LazyLock<(Object, Validator)> = LazyLock::new(|| {
    let schema = schema::read::<Expectation>();
    let validator = validate::compile(&schema);
    (schema, validator)
});

/// As each tool publishes it.
#[must_use]
pub fn published() -> Value {
    json!({"type": "object"})
}

/// Everything that is wrong with one that stands at `path`.
#[must_use]
pub fn problems(value: &Value, path: &str) -> Vec<Problem> {
    let (schema, validator) = &*SCHEMA;
    let mut problems: Vec<Problem> = Vec::new();
    if !validator.is_valid(value) {
        for error in validator.iter_errors(value) {
            validate::explain(schema, &error, None, &mut problems);
        }
        for problem in &mut problems {
            problem.move_under(path);
        }
        return problems;
    }
    match serde_json::from_value::<Expectation>(value.clone()) {
        Ok(said) => unusable(&said, path),
        Err(error) => vec![Problem::of(
            path.to_owned(),
            Text::new(error.to_string(), error.to_string()),
            Value::Null,
        )],
    }
}

/// What no schema says.
#[must_use]
pub fn unusable(said: &Expectation, path: &str) -> Vec<Problem> {
    let pointers = said.fields.iter().flatten().enumerate();
    let pointers = pointers.filter(|(_, field)| !fields::is_pointer(field));
    let pointers = pointers.map(|(at, _)| {
        Problem::of(
            format!("{path}.fields[{at}]"),
            Text::new(
                "must be a JSON pointer, such as /results/*/file",
                "/results/*/file のような JSON ポインターを指定してください",
            ),
            json!({"type": "string", "format": "json-pointer"}),
        )
    });
    let patterns = said.bad_patterns().into_iter().map(|(at, reason)| {
        Problem::of_query(
            format!("{path}.consoleOptions.patterns[{at}]"),
            Text::new(
                format!("no regular expression: {reason}"),
                format!("正規表現として読めません: {reason}"),
            ),
        )
    });
    pointers.chain(patterns).collect()
}

/// The server does not take the argument.
#[derive(Debug, thiserror::Error)]
#[error("expectations are switched off")]
pub struct SwitchedOff;

impl Teach for SwitchedOff {
    fn entry(&self) -> &'static str {
        "EXPECTATION_DISABLED"
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
