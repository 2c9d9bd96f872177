//! One problem of a call's arguments, with its sentences from `problems.toml`.

use std::sync::LazyLock;

use fumi_base::{
    embedded,
    text::{BilingualText, Locale},
};
use serde::Deserialize;
use serde_json::Value;

use super::schema::Object;

/// One problem of a call.
#[derive(Clone, Debug)]
pub struct ArgumentProblem {
    /// The location as a reader writes it: `sections[0].start_line`; empty for the whole call.
    pub parameter: String,
    /// The description of the problem.
    pub text: BilingualText,
    /// The allowed values, as data.
    pub(super) allowed: Value,
    /// True for an expression that cannot be parsed, which has an error code of its own.
    pub(super) is_query: bool,
}

impl ArgumentProblem {
    /// Creates a problem at a location.
    pub fn new(parameter: impl Into<String>, text: BilingualText, allowed: Value) -> Self {
        Self { parameter: parameter.into(), text, allowed, is_query: false }
    }

    /// Creates the problem of an expression that cannot be parsed.
    pub fn invalid_query(parameter: String, text: BilingualText) -> Self {
        Self { is_query: true, ..Self::new(parameter, text, Value::Null) }
    }

    /// Creates the problem of a value that the schema accepts and serde rejects, in the words of serde.
    pub fn unreadable(parameter: &str, error: &serde_json::Error) -> Self {
        Self::new(parameter, BilingualText::same(error.to_string()), Value::Null)
    }

    /// Prefixes the location with the path of the containing value.
    pub fn move_under(&mut self, path: &str) {
        let dot = if self.parameter.is_empty() || self.parameter.starts_with('[') { "" } else { "." };
        self.parameter = format!("{path}{dot}{}", self.parameter);
    }

    /// True if the problem is about one of these arguments, given by their paths.
    pub fn is_about(&self, paths: &[String]) -> bool {
        let mut named = self.parameter.split(" | ").flat_map(|part| part.split(", "));
        named.any(|name| paths.iter().any(|path| path == name))
    }

    /// Returns the line of a list of problems.
    pub(super) fn line(&self, locale: Locale) -> String {
        let text = self.text.get(locale);
        if self.parameter.is_empty() { format!("- {text}") } else { format!("- {}: {text}", self.parameter) }
    }
}

/// The sentences of problems by the names of `problems.toml`, which says what each is about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProblemTexts {
    pub unknown: BilingualText,
    pub unknown_near: BilingualText,
    pub required: BilingualText,
    pub at_most_one: BilingualText,
    pub none_of_exactly_one: BilingualText,
    pub several_of_exactly_one: BilingualText,
    pub any_of: BilingualText,
    pub without: BilingualText,
    pub needs: BilingualText,
    pub wrong_value: BilingualText,
    pub wrong_choice: BilingualText,
    pub wrong_choice_near: BilingualText,
    pub long_text: BilingualText,
    pub long_list: BilingualText,
    pub large_number: BilingualText,
    pub pointer: BilingualText,
    pub pattern: BilingualText,
    pub many_steps: BilingualText,
    pub many_references: BilingualText,
    pub later_step: BilingualText,
    pub not_a_reference: BilingualText,
    pub not_a_part: BilingualText,
    pub not_parallel: BilingualText,
    pub parallel_reference: BilingualText,
    pub unknown_tool: BilingualText,
    pub unknown_tool_elsewhere: BilingualText,
    pub unknown_tool_near: BilingualText,
    pub nested_batch: BilingualText,
    pub other_toolset: BilingualText,
    wanted: WantedTexts,
    kinds: KindTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedTexts {
    whole: BilingualText,
    from_to: BilingualText,
    at_least: BilingualText,
    at_most: BilingualText,
    not_empty: BilingualText,
    entries: BilingualText,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindTexts {
    integer: BilingualText,
    number: BilingualText,
    boolean: BilingualText,
    string: BilingualText,
    array: BilingualText,
    strings: BilingualText,
    objects: BilingualText,
    object: BilingualText,
    other: BilingualText,
}

pub(super) static PROBLEMS: LazyLock<ProblemTexts> =
    LazyLock::new(|| embedded::toml("problems.toml", include_str!("problems.toml")));

impl ProblemTexts {
    /// Describes the values that a property's schema allows. `most` is the limit to which a larger number is lowered.
    pub(super) fn wanted(&self, schema: Option<&Object>, most: Option<u64>) -> BilingualText {
        let (texts, kinds) = (&self.wanted, &self.kinds);
        let Some(schema) = schema else {
            return kinds.other.clone();
        };
        let number = |name: &str| schema.get(name).and_then(Value::as_i64);
        let said = |text: &BilingualText, least: i64, most: i64| {
            text.fill(&[("least", number_text(&least)), ("most", number_text(&most))])
        };
        let most = most.and_then(|most| i64::try_from(most).ok());
        let bounds = match (number("minimum"), number("maximum").or(most)) {
            (Some(least), Some(most)) => said(&texts.from_to, least, most),
            (Some(least), None) => said(&texts.at_least, least, 0),
            (None, Some(most)) => said(&texts.at_most, 0, most),
            (None, None) => BilingualText::same(""),
        };
        let length = match (number("minItems").or(number("minLength")), number("maxItems").or(number("maxLength"))) {
            (Some(1), None) => texts.not_empty.clone(),
            (least, Some(most)) => said(&texts.entries, least.unwrap_or(0), most),
            _ => BilingualText::same(""),
        };
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("integer") => &kinds.integer,
            Some("number") => &kinds.number,
            Some("boolean") => &kinds.boolean,
            Some("string") => &kinds.string,
            Some("array") => match schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str) {
                Some("string") => &kinds.strings,
                Some("object") => &kinds.objects,
                _ => &kinds.array,
            },
            Some("object") => &kinds.object,
            _ => &kinds.other,
        };
        texts.whole.fill(&[("kind", kind.clone()), ("bounds", bounds), ("length", length)])
    }
}

/// Returns a number as a fact.
pub(super) fn number_text(number: &impl ToString) -> BilingualText {
    BilingualText::same(number.to_string())
}
