//! Prompts: a person picks one in a client (a slash command), and the client's model gets the calls to make, in order.
//!
//! Families offer them in the catalogue. Texts are data, one file for each prompt and language, with `@tool` and
//! `{argument}` as placeholders. A line about a tool that the caller cannot call is left out, like a line about an
//! argument that was not given. Nothing is run here: a prompt is text.

use std::{fmt, sync::Arc};

use fumi_base::{
    project::Project,
    text::{BilingualText, Locale},
};

use super::{ToolError, texts::ToolTexts};

/// The definition of a prompt.
#[derive(Debug)]
pub struct PromptSpec {
    /// The name, which clients show behind a slash.
    pub name: &'static str,
    /// The condition under which a caller is offered the prompt.
    pub requires: PromptRequirement,
    /// The arguments, in the order in which clients ask for them.
    pub arguments: Vec<PromptArgument>,
    /// The texts in English and Japanese: a head like a tool's (see [`ToolTexts`]), `---`, and the body.
    pub texts: [&'static str; 2],
}

/// The condition under which a caller is offered a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptRequirement {
    /// Permission to call this tool.
    Tool(&'static str),
    /// Write access, and this toolset.
    Writing(&'static str),
}

/// Returns the values of an argument that a project offers. Blocking.
pub type CompletePrompt = Arc<dyn Fn(&Arc<Project>) -> Result<Vec<String>, ToolError> + Send + Sync>;

#[derive(Clone)]
pub struct PromptArgument {
    pub name: &'static str,
    pub is_required: bool,
    /// Converts what a person typed, trimmed and not empty, to the inserted text; an error says what is wrong with it,
    /// as the end of a sentence about the argument.
    pub parse: fn(&str) -> Result<String, BilingualText>,
    /// Completes the argument; `None` if only the person knows its values.
    pub complete: Option<CompletePrompt>,
}

impl fmt::Debug for PromptArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptArgument")
            .field("name", &self.name)
            .field("is_required", &self.is_required)
            .finish_non_exhaustive()
    }
}

impl PromptSpec {
    /// Returns the title, description and arguments, and the body of the prompt.
    pub fn texts(&self, locale: Locale) -> (ToolTexts, &'static str) {
        let text = self.texts[locale as usize];
        let (head, body) = text.split_once("\n---\n").unwrap_or((text, ""));
        (ToolTexts::parse(head), body.trim())
    }

    pub fn argument_names(&self) -> impl Iterator<Item = &'static str> {
        self.arguments.iter().map(|argument| argument.name)
    }
}

/// Renders the text for a caller: leaves out lines about missing tools and arguments, and numbers the steps.
pub fn rendered(body: &str, values: &[(&'static str, String)], can_call: impl Fn(&str) -> bool) -> String {
    let mut steps = 0;
    let mut lines = Vec::new();
    for line in body.lines() {
        let Some(line) = filled(line, values, &can_call) else {
            continue;
        };
        lines.push(match line.strip_prefix("1. ") {
            Some(step) => {
                steps += 1;
                format!("{steps}. {step}")
            }
            None => line,
        });
    }
    lines.join("\n")
}

/// Renders one line; `None` if it refers to a missing tool or argument.
fn filled(line: &str, values: &[(&'static str, String)], can_call: &impl Fn(&str) -> bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['@', '{']) {
        out.push_str(&rest[..at]);
        let (sign, after) = rest[at..].split_at(1);
        let end =
            after.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')).unwrap_or(after.len());
        let (name, behind) = after.split_at(end);
        if sign == "@" && !name.is_empty() {
            if !can_call(name) {
                return None;
            }
            out.push_str(&format!("`{name}`"));
            rest = behind;
        } else if let (false, Some(behind)) = (name.is_empty(), behind.strip_prefix('}')) {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            out.push_str(value);
            rest = behind;
        } else {
            // A brace of JSON, or an `@` without a name.
            out.push_str(sign);
            rest = after;
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Returns the tools that a text names, whether they exist or not.
pub fn named(body: &str) -> impl Iterator<Item = &str> {
    body.split('@').skip(1).map(|after| {
        let end = after.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
        &after[..end.unwrap_or(after.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::{named, rendered};

    #[test]
    fn lines_with_missing_tools_or_arguments_are_dropped() {
        let body = "Write {episode}.\n\n1. Call @status.\n1. Length {length}.\n1. Call @noveler_write with {\"episode\": {episode}}.";
        let values = [("episode", "3".to_owned())];
        assert_eq!(
            rendered(body, &values, |tool| tool == "noveler_write"),
            "Write 3.\n\n1. Call `noveler_write` with {\"episode\": 3}."
        );
        let values = [("episode", "3".to_owned()), ("length", "{episode} @status".to_owned())];
        assert_eq!(rendered(body, &values, |_| true).lines().nth(3), Some("2. Length {episode} @status."));
        assert_eq!(named(body).collect::<Vec<_>>(), ["status", "noveler_write"]);
    }
}
