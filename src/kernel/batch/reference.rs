//! References from one step's arguments to the results of earlier steps.
//!
//! `${steps[0].result.matches[0].line}`, or as a JSON pointer `${/steps/0/result/matches/0/line}`. A string that
//! consists of one reference becomes the value with its type; inside other text the value becomes text. Anything else
//! that begins with `${` is unchanged, since scripts use it too; `$${steps[` is an escape for `${steps[` itself.

use fumi_base::{errors::UserError, text::BilingualText};
use serde_json::{Map, Value};

use crate::{
    error::BOOK,
    fields::{inventory, names},
    problem::PROBLEMS,
};

/// The prefixes of references.
const OPENINGS: [&str; 2] = ["${steps[", "${/steps/"];

/// The largest number of references in the arguments of one step; more would be a program, not a plan.
pub(super) const MOST: usize = 1_000;

/// The parts of a step that a reference can name.
const PARTS: [&str; 5] = ["result", "error", "success", "tool", "stepIndex"];

/// A reference to a value of an earlier step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepReference {
    /// The reference as written.
    pub text: String,
    /// The index of the step.
    pub step: usize,
    /// The names that lead to the value; the first is one of `PARTS`.
    path: Vec<String>,
}

/// A part of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
enum StringPiece {
    Text(String),
    Value(StepReference),
}

/// A reference with its location in the arguments.
#[derive(Debug)]
pub(super) struct LocatedReference {
    /// The location, such as `roots[0]`.
    pub at: String,
    /// The parsed reference, or the reason why it is invalid.
    pub reference: Result<StepReference, BilingualText>,
}

/// The error of a reference to a value that does not exist.
#[derive(Debug, UserError)]
#[fact(plain(reference, at, there))]
pub(super) struct StepValueMissing {
    reference: String,
    at: String,
    there: String,
}

/// The error of values that together are larger than the arguments of one call may be.
#[derive(Debug, UserError)]
#[fact(skip(limit), plain(reference))]
#[fact(limit_mib = limit >> 20)]
pub(super) struct StepValueTooLarge {
    reference: String,
    limit: usize,
}

/// The error of arguments whose references cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReferenceError {
    #[error(transparent)]
    Missing(#[from] StepValueMissing),
    #[error(transparent)]
    TooLarge(#[from] StepValueTooLarge),
}

/// The bytes that the values of references may still take.
struct ValueBudget {
    limit: usize,
    left: usize,
}

impl ValueBudget {
    /// Reserves the bytes of a value before it is copied.
    fn take(&mut self, reference: &StepReference, value: &Value) -> Result<(), StepValueTooLarge> {
        self.left = self
            .left
            .checked_sub(weight(value))
            .ok_or_else(|| StepValueTooLarge { reference: reference.text.clone(), limit: self.limit })?;
        Ok(())
    }
}

/// Returns the approximate bytes of a value in memory; as text it takes less.
fn weight(value: &Value) -> usize {
    const NODE: usize = size_of::<Value>();
    NODE + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|(name, field)| NODE + name.len() + weight(field)).sum(),
        _ => 0,
    }
}

/// Returns every reference in some arguments.
pub(super) fn all(arguments: &Map<String, Value>) -> Vec<LocatedReference> {
    fn walk(value: &Value, at: &str, found: &mut Vec<LocatedReference>) {
        match value {
            Value::String(text) => found.extend(parse(text).into_iter().filter_map(|piece| {
                let reference = match piece {
                    Ok(StringPiece::Text(_)) => return None,
                    Ok(StringPiece::Value(reference)) => Ok(reference),
                    Err(text) => Err(text),
                };
                Some(LocatedReference { at: at.to_owned(), reference })
            })),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{at}[{index}]"), found);
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    let dot = if at.is_empty() { "" } else { "." };
                    walk(field, &format!("{at}{dot}{name}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (name, value) in arguments {
        walk(value, name, &mut found);
    }
    found
}

/// Returns the arguments with references replaced by values. `steps` are the results of the earlier steps, as objects.
///
/// # Errors
/// Returns the reference that names no value, or the first one with which the values take more than `limit` bytes.
/// Sizes are added up before any value is copied.
pub(super) fn fill(
    arguments: &Map<String, Value>,
    steps: &[Value],
    limit: usize,
) -> Result<Map<String, Value>, ReferenceError> {
    fill_fields(arguments, steps, &mut ValueBudget { limit, left: limit })
}

fn fill_fields(
    fields: &Map<String, Value>,
    steps: &[Value],
    room: &mut ValueBudget,
) -> Result<Map<String, Value>, ReferenceError> {
    let filled = fields.iter();
    filled.map(|(name, value)| Ok((name.clone(), filled_in(value, steps, room)?))).collect()
}

fn filled_in(value: &Value, steps: &[Value], room: &mut ValueBudget) -> Result<Value, ReferenceError> {
    Ok(match value {
        Value::String(text) if text.contains("${") => {
            let pieces: Vec<StringPiece> = parse(text).into_iter().filter_map(Result::ok).collect();
            if let [StringPiece::Value(reference)] = pieces.as_slice() {
                let value = reference.value(steps)?;
                room.take(reference, value)?;
                return Ok(value.clone());
            }
            let mut joined = String::new();
            for piece in &pieces {
                match piece {
                    StringPiece::Text(text) => joined.push_str(text),
                    StringPiece::Value(reference) => {
                        let value = reference.value(steps)?;
                        room.take(reference, value)?;
                        match value {
                            Value::String(text) => joined.push_str(text),
                            other => joined.push_str(&other.to_string()),
                        }
                    }
                }
            }
            Value::String(joined)
        }
        Value::Array(items) => {
            let items: Result<Vec<_>, _> = items.iter().map(|item| filled_in(item, steps, room)).collect();
            Value::Array(items?)
        }
        Value::Object(fields) => Value::Object(fill_fields(fields, steps, room)?),
        other => other.clone(),
    })
}

impl StepReference {
    fn value<'v>(&self, steps: &'v [Value]) -> Result<&'v Value, StepValueMissing> {
        let mut walked = format!("steps[{}]", self.step);
        let missing = |at: &str, there: &Value| StepValueMissing {
            reference: self.text.clone(),
            at: at.to_owned(),
            there: inventory(there),
        };
        let Some(mut at) = steps.get(self.step) else {
            return Err(StepValueMissing {
                reference: self.text.clone(),
                at: "steps".to_owned(),
                there: format!("[entries: {}]", steps.len()),
            });
        };
        for name in &self.path {
            let (next, shown) = match at {
                Value::Object(fields) => (fields.get(name), format!("{walked}.{name}")),
                Value::Array(items) => {
                    let index = name.parse::<usize>().ok();
                    (index.and_then(|index| items.get(index)), format!("{walked}[{name}]"))
                }
                _ => (None, String::new()),
            };
            at = next.ok_or_else(|| missing(&walked, at))?;
            walked = shown;
        }
        Ok(at)
    }
}

/// Parses a string into pieces; an invalid reference becomes an error text.
fn parse(text: &str) -> Vec<Result<StringPiece, BilingualText>> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, here) = rest.split_at(at);
        if !OPENINGS.iter().any(|opening| here.starts_with(opening)) {
            plain.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        }
        if let Some(before) = before.strip_suffix('$') {
            plain.push_str(before);
            plain.push_str("${");
            rest = &here[2..];
            continue;
        }
        plain.push_str(before);
        let Some((path, length)) = inside(&here[2..]) else {
            let shown: String = here.chars().take(60).collect();
            pieces.push(Err(PROBLEMS.not_a_reference.fill(&[("reference", BilingualText::same(shown))])));
            return pieces;
        };
        if !plain.is_empty() {
            pieces.push(Ok(StringPiece::Text(std::mem::take(&mut plain))));
        }
        let (written, after) = here.split_at(2 + length + 1);
        pieces.push(reference(written, path).map(StringPiece::Value));
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Ok(StringPiece::Text(plain)));
    }
    pieces
}

/// Parses the names up to the closing brace. Returns them with their length in bytes, or `None` for another form.
fn inside(text: &str) -> Option<(Vec<String>, usize)> {
    if text.starts_with('/') {
        let end = text.find('}')?;
        return Some((names(&text[..end]), end));
    }
    let mut path = Vec::new();
    let mut rest = text;
    loop {
        if rest.starts_with('}') {
            return Some((path, text.len() - rest.len()));
        }
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (name, after) = quoted.split_once("\"]")?;
            path.push(name.to_owned());
            rest = after;
        } else if let Some(indexed) = rest.strip_prefix('[') {
            let (index, after) = indexed.split_once(']')?;
            index.parse::<usize>().ok()?;
            path.push(index.to_owned());
            rest = after;
        } else {
            let named = if path.is_empty() { rest } else { rest.strip_prefix('.')? };
            let end = named.find(['.', '[', '}'])?;
            if end == 0 {
                return None;
            }
            path.push(named[..end].to_owned());
            rest = &named[end..];
        }
    }
}

fn reference(written: &str, mut path: Vec<String>) -> Result<StepReference, BilingualText> {
    let path = path.split_off(1.min(path.len()));
    let step = path.first().and_then(|index| index.parse().ok());
    match (step, path.get(1)) {
        (Some(step), Some(part)) if PARTS.contains(&part.as_str()) => {
            Ok(StepReference { text: written.to_owned(), step, path: path[1..].to_vec() })
        }
        _ => {
            let facts =
                [("reference", BilingualText::same(written.to_owned())), ("parts", BilingualText::list(&PARTS))];
            Err(PROBLEMS.not_a_part.fill(&facts))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{ReferenceError, all, fill};

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(fields) => fields,
            other => panic!("{other} is not an object"),
        }
    }

    fn steps() -> Vec<Value> {
        vec![
            json!({"success": true, "result": {"matches": [{"line": 7, "text": "a"}], "by name": {"x.y": "z"}}}),
            json!({"success": false, "error": {"code": "BUSY"}}),
        ]
    }

    fn filled(text: &str) -> Result<Value, String> {
        let arguments = object(json!({"a": [{"b": text}]}));
        let filled = fill(&arguments, &steps(), 1 << 20).map_err(|error| match error {
            ReferenceError::Missing(missing) => format!("{} = {}", missing.at, missing.there),
            ReferenceError::TooLarge(too_large) => format!("over {}", too_large.limit),
        })?;
        Ok(filled["a"][0]["b"].clone())
    }

    #[test]
    fn a_whole_string_keeps_the_type_and_a_part_becomes_text() {
        for (text, expected) in [
            ("${steps[0].result.matches[0].line}", json!(7)),
            ("${/steps/0/result/matches/0/line}", json!(7)),
            ("${steps[0].result[\"by name\"][\"x.y\"]}", json!("z")),
            ("${steps[0].result.matches[0]}", json!({"line": 7, "text": "a"})),
            ("${steps[1].error.code}", json!("BUSY")),
            ("L${steps[0].result.matches[0].line}:${steps[0].success}", json!("L7:true")),
            ("$${steps[0].result.x}", json!("${steps[0].result.x}")),
            ("`${name}` ${", json!("`${name}` ${")),
            ("cost: $5", json!("cost: $5")),
        ] {
            assert_eq!(filled(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn missing_value_error_lists_available_names() {
        for (text, expected) in [
            ("${steps[0].result.matches[1].line}", "steps[0].result.matches = [entries: 1]"),
            ("${steps[0].result.match}", "steps[0].result = {matches, by name}"),
            ("${steps[1].result.x}", "steps[1] = {success, error}"),
            ("a ${steps[0].result.matches[0].line.x}", "steps[0].result.matches[0].line = number"),
        ] {
            assert_eq!(filled(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn references_report_location_and_parse_errors() {
        let arguments = object(json!({
            "roots": ["src", "${steps[2].result.x}"],
            "query": "${/steps/1/success} and ${steps[0].results}",
            "path": "${steps[0",
            "n": 1,
        }));
        let found: Vec<(String, Result<usize, String>)> = all(&arguments)
            .into_iter()
            .map(|found| (found.at, found.reference.map(|to| to.step).map_err(|text| text.en.into_owned())))
            .collect();
        assert_eq!(found[0], ("roots[1]".to_owned(), Ok(2)));
        assert_eq!(found[1], ("query".to_owned(), Ok(1)));
        assert!(found[2].1.as_ref().is_err_and(|text| text.contains("does not name a part")));
        assert!(found[3].1.as_ref().is_err_and(|text| text.contains("is not a reference")));
        assert_eq!(found.len(), 4);
    }
}
