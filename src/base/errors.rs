//! Error catalogues: each error has a code, a sentence in both languages, and the next step.
//!
//! A domain error is a type with named facts; its sentences are in the domain's `errors.toml`, so that `/v1/errors` and
//! the docs are the union of those files. This module does not decide which reader sees which part.

use std::{collections::BTreeMap, io, time::Duration};

pub use fumi_derive::UserError;
use serde::Deserialize;

use crate::{
    embedded,
    project::{quoted, reason_of},
    system::is_system_failure,
    text::BilingualText,
};

/// An error with an entry in its domain's catalogue and the facts that fill that entry.
///
/// It is derived, with `Display` (the English message), `Error`, and `From` for a variant with `#[from]`. A type with
/// sentences of `thiserror` keeps those. A variant, or a struct, is an entry, and its fields are the facts:
///
/// - The entry is the variant's name in capitals, so `FileNotFound` is `FILE_NOT_FOUND`, unless `#[entry("OTHER")]` names
///   it. The catalogue is `BOOK`, unless `#[catalog(path)]` names another. A variant with one unnamed field passes
///   everything on to the error in it.
/// - A field is a fact with its own name. Text is quoted, because most is of a client or of a file, unless
///   `#[fact(plain(field))]` says that it is ours. `#[fact(skip(field))]` leaves a field out. A `Duration` named `limit`
///   is the fact `limit_ms`.
/// - The field `source` is the fact `reason`. If it holds a failure of the system ([`is_system_failure`]), the entry is
///   `SYSTEM_FAILURE` instead; the catalogue must have it.
/// - `#[fact(name = expression)]` is a fact made of the fields, which the expression sees as references: in place of the
///   field with that name, or after all fields.
///
/// At an enum, an attribute applies to each variant, `#[fact(…)]` to each with such a field.
pub trait UserError: std::error::Error + Send + Sync + 'static {
    /// Returns the entry's name in [`UserError::catalog`], such as `FILE_NOT_FOUND`.
    fn entry(&self) -> &'static str;

    /// Returns the catalogue of the error's domain.
    fn catalog(&self) -> &'static ErrorCatalog;

    /// Returns the facts of the error.
    fn facts(&self) -> Facts;

    /// Returns the shapes of all errors of the type, except those of other types that it contains. Empty for an
    /// implementation by hand that does not list them.
    fn shapes() -> Vec<ErrorShape>
    where
        Self: Sized,
    {
        Vec::new()
    }

    /// True if the system failed and the state of the file is unknown ([`crate::system`]).
    fn is_system_failure(&self) -> bool {
        self.entry() == "SYSTEM_FAILURE"
    }

    /// Returns the catalogue entry, filled with the facts.
    fn error_message(&self) -> ErrorMessage {
        self.catalog().error_message(self.entry(), &self.facts())
    }

    /// Returns the English message, for the log.
    fn english(&self) -> String {
        self.error_message().message.en.into_owned()
    }
}

/// The facts of an error by name: each replaces `{name}` in the sentences of its language, and its English form is sent
/// in `details`.
pub type Facts = Vec<(&'static str, BilingualText)>;

/// A value that can be a fact of an error.
pub trait Fact {
    /// Returns the value in both languages. Returns `None` if there is nothing to say.
    fn fact(&self) -> Option<BilingualText>;

    /// Returns the value, as a quotation ([`quoted`]) if it may be text of a client or of a file.
    fn quoted(&self) -> Option<BilingualText> {
        self.fact()
    }
}

impl Fact for BilingualText {
    fn fact(&self) -> Option<BilingualText> {
        Some(self.clone())
    }
}

impl Fact for String {
    fn fact(&self) -> Option<BilingualText> {
        Some(BilingualText::same(self.clone()))
    }

    fn quoted(&self) -> Option<BilingualText> {
        Some(BilingualText::same(quoted(self)))
    }
}

impl Fact for &'static str {
    fn fact(&self) -> Option<BilingualText> {
        Some(BilingualText::same(*self))
    }
}

/// The names, separated by commas.
impl Fact for Vec<String> {
    fn fact(&self) -> Option<BilingualText> {
        Some(BilingualText::same(self.join(", ")))
    }

    fn quoted(&self) -> Option<BilingualText> {
        let names: Vec<String> = self.iter().map(|name| quoted(name)).collect();
        names.fact()
    }
}

/// The value, if there is one.
impl<T: Fact> Fact for Option<T> {
    fn fact(&self) -> Option<BilingualText> {
        self.as_ref()?.fact()
    }

    fn quoted(&self) -> Option<BilingualText> {
        self.as_ref()?.quoted()
    }
}

/// The number of milliseconds.
impl Fact for Duration {
    fn fact(&self) -> Option<BilingualText> {
        Some(BilingualText::same(self.as_millis().to_string()))
    }
}

/// The reason, in the words of the system.
impl Fact for io::Error {
    fn fact(&self) -> Option<BilingualText> {
        Some(BilingualText::same(reason_of(self)))
    }
}

macro_rules! number_facts {
    ($($number:ty),*) => {
        $(impl Fact for $number {
            fn fact(&self) -> Option<BilingualText> {
                Some(BilingualText::same(self.to_string()))
            }
        })*
    };
}
number_facts!(u16, u32, u64, usize);

/// Returns `None` for what is missing, malformed or cannot be read. A system failure stays an error, because the
/// value may exist and be intact.
pub fn unless_unreadable<T, E: UserError>(result: Result<T, E>) -> Result<Option<T>, E> {
    match result {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.is_system_failure() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the entry of an error of the system: `SYSTEM_FAILURE` or this one.
pub fn entry_or_system_failure(entry: &'static str, source: &io::Error) -> &'static str {
    if is_system_failure(source) { "SYSTEM_FAILURE" } else { entry }
}

/// The form of one error, without values: what a test compares with the catalogue.
#[derive(Debug)]
pub struct ErrorShape {
    pub entry: &'static str,
    /// The catalogue with that entry.
    pub catalog: &'static ErrorCatalog,
    /// The names of the facts.
    pub facts: &'static [&'static str],
}

/// Formats an error with its causes, for the log: libraries often show only the outermost.
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
    pub fn embedded(toml: &str) -> Self {
        Self { entries: embedded::toml("an error catalog", toml) }
    }

    /// Returns the entries with their names.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &ErrorEntry)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// Fills an entry with facts. `{name}` without a fact stays as it is, so that a test detects it.
    ///
    /// # Panics
    /// If the catalogue has no such entry: each domain's test walks its errors.
    pub fn error_message(&self, name: &str, facts: &[(&'static str, BilingualText)]) -> ErrorMessage {
        let entry = self.entries.get(name).unwrap_or_else(|| panic!("errors.toml has no entry {name}"));
        let fill = |en: &str, ja: &str| BilingualText::new(en.to_owned(), ja.to_owned()).fill(facts);
        ErrorMessage {
            class: entry.class,
            code: entry.code.clone().unwrap_or_else(|| name.to_owned()),
            kind: name.to_owned(),
            message: fill(&entry.en, &entry.ja),
            next: fill(&entry.next_en, &entry.next_ja),
            tool: entry.tool.clone(),
            example: entry.example.clone(),
            change: fact_or(facts, &entry.change),
            is_template: entry.template,
            facts: facts.to_vec(),
        }
    }

    /// Returns what is wrong between this catalogue and the errors that use it, for a test: an error without an entry,
    /// an entry that no error uses, a placeholder without a fact, or a sentence that is missing in one language.
    pub fn faults(&'static self, errors: &[Vec<ErrorShape>]) -> Vec<String> {
        let shapes = errors.iter().flatten();
        let own: Vec<&ErrorShape> = shapes.filter(|shape| std::ptr::eq(shape.catalog, self)).collect();
        let mut faults = Vec::new();
        for (name, entry) in &self.entries {
            let mut of_entry = own.iter().filter(|shape| shape.entry == name).peekable();
            if of_entry.peek().is_none() {
                faults.push(format!("no error uses {name}"));
            }
            for shape in of_entry {
                let suggestions = [&entry.example, &entry.change];
                for text in [&entry.en, &entry.ja, &entry.next_en, &entry.next_ja].into_iter().chain(suggestions) {
                    let unknown = placeholders(text).find(|fact| !shape.facts.contains(fact));
                    faults.extend(unknown.map(|fact| format!("{name}: no fact {{{fact}}}")));
                }
            }
            let texts = [(&entry.en, &entry.ja), (&entry.next_en, &entry.next_ja)];
            if texts.iter().any(|(en, ja)| en.is_empty() || ja.is_empty() || en == ja) {
                faults.push(format!("{name}: a sentence is missing"));
            }
        }
        let missing = own.iter().filter(|shape| !self.entries.contains_key(shape.entry));
        faults.extend(missing.map(|shape| format!("no entry {}", shape.entry)));
        faults
    }
}

/// Returns the names in braces. A name is one word; other braces belong to the sentence, as in `*.{py,md}`.
fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    let starts = template.split('{').skip(1);
    let names = starts.filter_map(|rest| Some(rest.split_once('}')?.0));
    names.filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
}

/// Returns the fact `change` of an error whose change depends on the case, or else the change of its entry.
fn fact_or(facts: &[(&'static str, BilingualText)], entry: &str) -> String {
    let fact = facts.iter().find(|(name, _)| *name == "change");
    fact.map_or_else(|| entry.to_owned(), |(_, change)| change.en.clone().into_owned())
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
    pub facts: Facts,
}

#[cfg(test)]
mod tests {
    use super::UserError;
    use crate::{
        atomic_write::WriteError,
        encoding::UnknownEncoding,
        files::OutputError,
        pools::PoolError,
        project::{BOOK, PathError},
        roots::RootError,
        store::StoreError,
    };

    #[test]
    fn every_error_has_its_sentences() {
        let errors = [
            PathError::shapes(),
            WriteError::shapes(),
            OutputError::shapes(),
            UnknownEncoding::shapes(),
            PoolError::shapes(),
            RootError::shapes(),
            StoreError::shapes(),
        ];
        // These are errors of calls and of the code tools.
        let of_others = ["INVALID_CURSOR", "PROJECT_TOO_LARGE", "TOOL_TIMEOUT"];
        assert_eq!(BOOK.faults(&errors), of_others.map(|name| format!("no error uses {name}")));
    }
}
