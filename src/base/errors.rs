//! Error catalogues: each error has a code, a sentence in both languages, and the next step.
//!
//! A domain error is a type with named facts; its sentences are in the domain's `errors.toml`, so that `/v1/errors` and
//! the docs are the union of those files. This module does not decide which reader sees which part.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::text::BilingualText;

/// An error with an entry in its domain's catalogue and the facts that fill that entry.
pub trait UserError: std::error::Error + Send + Sync + 'static {
    /// Returns the entry's name in [`UserError::catalog`], such as `FILE_NOT_FOUND`.
    fn entry(&self) -> &'static str;

    /// Returns the catalogue of the error's domain.
    fn catalog(&self) -> &'static ErrorCatalog;

    /// Returns the details of the error as names and values: they replace `{name}` in the sentences and are sent as
    /// `details`.
    fn params(&self) -> Vec<(&'static str, String)>;

    /// Returns the catalogue entry, filled with the facts.
    fn error_message(&self) -> ErrorMessage {
        self.catalog().error_message(self.entry(), &self.params())
    }
}

/// Formats an error with its causes, for the log: libraries often show only the outermost.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_said = cause.to_string();
        if !said.ends_with(&cause_said) {
            said = format!("{said}: {cause_said}");
        }
        next = cause.source();
    }
    said
}

/// The public type of an error, as named in the specification of the code tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ErrorClass {
    /// The tool ran but failed.
    MCPToolError,
    /// The arguments are invalid.
    MCPValidationError,
    /// The call timed out.
    MCPTimeoutError,
    /// The path would leave the project.
    SecurityError,
    /// The file or the root may not be used this way.
    FileRestrictionError,
    /// The path itself is an attack.
    PathTraversalError,
}

impl ErrorClass {
    /// Returns the published name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MCPToolError => "MCPToolError",
            Self::MCPValidationError => "MCPValidationError",
            Self::MCPTimeoutError => "MCPTimeoutError",
            Self::SecurityError => "SecurityError",
            Self::FileRestrictionError => "FileRestrictionError",
            Self::PathTraversalError => "PathTraversalError",
        }
    }
}

/// One entry of an `errors.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEntry {
    /// The public type of the error.
    #[serde(rename = "type")]
    pub class: ErrorClass,
    /// The public code if several entries share one; otherwise the entry's name is the code.
    pub code: Option<String>,
    /// The English message, with `{facts}`.
    pub en: String,
    /// The Japanese message, with `{facts}`.
    pub ja: String,
    /// The next step, in English.
    pub next_en: String,
    /// The next step, in Japanese.
    pub next_ja: String,
    /// The tool that helps now, by its bare name in the catalogue. Empty means the tool that failed.
    #[serde(default)]
    pub tool: String,
    /// Arguments that would work, as a JSON object in text. A string `{name}` in it is replaced by that fact.
    #[serde(default = "empty_object")]
    pub example: String,
    /// A change to the arguments of the failed call, in the same form, instead of an example. Null removes an argument.
    #[serde(default)]
    pub change: String,
    /// True if the example has values that only the caller knows, and cannot be called as it is.
    #[serde(default)]
    pub template: bool,
}

fn empty_object() -> String {
    "{}".to_owned()
}

/// The error catalogue of one domain.
#[derive(Debug)]
pub struct ErrorCatalog {
    entries: BTreeMap<String, ErrorEntry>,
}

impl ErrorCatalog {
    /// Parses an embedded `errors.toml`.
    ///
    /// # Panics
    /// If the file is malformed: it is part of the binary, and a test reads every catalogue.
    #[must_use]
    pub fn embedded(toml: &str) -> Self {
        let entries = toml::from_str(toml).expect("an embedded errors.toml is well-formed");
        Self { entries }
    }

    /// Returns the entries with their names.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &ErrorEntry)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// Fills an entry with facts. `{name}` without a fact stays as it is, so that a test detects it.
    ///
    /// # Panics
    /// If the catalogue has no such entry: each domain's test walks its errors.
    #[must_use]
    pub fn error_message(&self, name: &str, facts: &[(&'static str, String)]) -> ErrorMessage {
        let entry = self
            .entries
            .get(name)
            .unwrap_or_else(|| panic!("errors.toml has no entry {name}"));
        let fill = |template: &str| fill(template, facts);
        ErrorMessage {
            class: entry.class,
            code: entry.code.clone().unwrap_or_else(|| name.to_owned()),
            kind: name.to_owned(),
            message: BilingualText::new(fill(&entry.en), fill(&entry.ja)),
            next: BilingualText::new(fill(&entry.next_en), fill(&entry.next_ja)),
            tool: entry.tool.clone(),
            example: entry.example.clone(),
            change: fact_or(facts, &entry.change),
            is_template: entry.template,
            params: facts.to_vec(),
        }
    }
}

/// Returns the fact `change` of an error whose change depends on the case, or else the change of its entry.
fn fact_or(facts: &[(&'static str, String)], entry: &str) -> String {
    let fact = facts.iter().find(|(name, _)| *name == "change");
    fact.map_or_else(|| entry.to_owned(), |(_, change)| change.clone())
}

/// Replaces `{name}` by its fact, in one pass: braces inside a fact are never expanded again.
fn fill(template: &str, facts: &[(&'static str, String)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        let fact = after.find('}').and_then(|close| {
            let name = &after[..close];
            let (_, value) = facts.iter().find(|(fact, _)| *fact == name)?;
            Some((close, value))
        });
        if let Some((close, value)) = fact {
            out.push_str(value);
            rest = &after[close + 1..];
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// An error ready to be sent: type, code, sentences, next step, facts.
#[derive(Clone, Debug)]
pub struct ErrorMessage {
    /// The public type of the error.
    pub class: ErrorClass,
    /// The public code of the error.
    pub code: String,
    /// The entry's name, finer than or equal to the code.
    pub kind: String,
    /// The message in both languages.
    pub message: BilingualText,
    /// The next step in both languages.
    pub next: BilingualText,
    /// The tool that helps, or empty for the one that failed.
    pub tool: String,
    /// Arguments that would work, as JSON text. A string `{name}` in it is replaced by that fact.
    pub example: String,
    /// Changes to the arguments of the failed call, as a JSON object in text, `null` removing one; empty if none are
    /// known.
    pub change: String,
    /// True if the example cannot be called as it is.
    pub is_template: bool,
    /// The facts, for the field `details`.
    pub params: Vec<(&'static str, String)>,
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn facts_fill_once_and_only_where_named() {
        let facts = [("path", "{nearest}".to_owned()), ("nearest", "b".to_owned())];
        assert_eq!(
            fill("No {path}; try {nearest}, or {\"a\": 1}", &facts),
            "No {nearest}; try b, or {\"a\": 1}"
        );
    }
}
