//! Prompts: a person picks one in a client (a slash command), and the client's model gets the calls to make, in order.
//!
//! Invariant: a prompt names only tools that its caller can call. A line about another tool is left out, like a line
//! about an argument that was not given, and a prompt without its main tool is not offered. Texts are data, one file
//! for each prompt and language, with `@tool` and `{argument}` as placeholders. Nothing is run here: a prompt is text.

use std::sync::Arc;

use fumi_base::{
    project::Project,
    text::{BilingualText, Locale},
};
use fumi_novel::project::{EpisodeId, NovelProject};
use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{protocol_error::McpError, resources};
use crate::{
    app::App,
    tool::{Access, Caller, ToolError, texts::ToolTexts},
    tools::novel::NOVEL,
};

/// The longest argument of the kind `Words`, in characters.
const LONGEST: usize = 4_000;

/// The definition of a prompt.
#[derive(Clone, Copy, Debug)]
pub struct PromptSpec {
    /// The name, which clients show behind a slash.
    pub name: &'static str,
    /// The tool that the prompt requires; `None` means that it requires the novel toolset and write access.
    needs: Option<&'static str>,
    /// The arguments, in the order in which clients ask for them.
    arguments: &'static [Argument],
    /// The texts in English and Japanese.
    texts: [&'static str; 2],
}

#[derive(Clone, Copy, Debug)]
struct Argument {
    name: &'static str,
    kind: ArgumentKind,
    required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentKind {
    /// The number of an episode, in any notation.
    Episode,
    /// A number of characters.
    Length,
    /// Free text of at most [`LONGEST`] characters.
    Words,
}

const EPISODE: Argument = Argument {
    name: "episode",
    kind: ArgumentKind::Episode,
    required: true,
};
const IDEA: Argument = Argument {
    name: "idea",
    kind: ArgumentKind::Words,
    required: false,
};

macro_rules! texts {
    ($name:literal) => {
        [
            include_str!(concat!("prompts/", $name, ".en.md")),
            include_str!(concat!("prompts/", $name, ".ja.md")),
        ]
    };
}

/// All prompts, in the order in which clients see them.
pub const ALL: [PromptSpec; 6] = [
    PromptSpec {
        name: "write",
        needs: Some("noveler_write"),
        arguments: &[
            EPISODE,
            Argument {
                name: "length",
                kind: ArgumentKind::Length,
                required: false,
            },
        ],
        texts: texts!("write"),
    },
    PromptSpec {
        name: "check",
        needs: Some("noveler_check"),
        arguments: &[EPISODE],
        texts: texts!("check"),
    },
    PromptSpec {
        name: "plot",
        needs: Some("noveler_plot"),
        arguments: &[EPISODE, IDEA],
        texts: texts!("plot"),
    },
    PromptSpec {
        name: "status",
        needs: Some("status"),
        arguments: &[],
        texts: texts!("status"),
    },
    PromptSpec {
        name: "complete",
        needs: Some("noveler_complete"),
        arguments: &[EPISODE],
        texts: texts!("complete"),
    },
    PromptSpec {
        name: "init",
        needs: None,
        arguments: &[
            Argument {
                name: "title",
                kind: ArgumentKind::Words,
                required: true,
            },
            IDEA,
        ],
        texts: texts!("init"),
    },
];

impl PromptSpec {
    /// Returns the title, description and arguments, and the body of the prompt.
    #[must_use]
    pub fn texts(&self, locale: Locale) -> (ToolTexts, &'static str) {
        let text = self.texts[locale as usize];
        let (head, body) = text.split_once("\n---\n").unwrap_or((text, ""));
        (ToolTexts::parse(head), body.trim())
    }

    /// Returns the names of the arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &'static str> {
        self.arguments.iter().map(|argument| argument.name)
    }
}

/// Returns the prompts that a caller is offered.
fn offered<'a>(app: &'a App, access: &'a Access) -> impl Iterator<Item = &'static PromptSpec> + 'a {
    ALL.iter().filter(|spec| match spec.needs {
        Some(tool) => can_call(app, access, tool),
        None => access.scope.contains(NOVEL) && !access.read_only,
    })
}

/// True if a caller is offered any prompt.
#[must_use]
pub fn has_any(app: &App, access: &Access) -> bool {
    offered(app, access).next().is_some()
}

/// True if a caller can call a tool.
pub(super) fn can_call(app: &App, access: &Access, tool: &str) -> bool {
    let entry = app.catalogue.find(access.listed_scope(), tool);
    entry.is_some_and(|entry| access.allows(entry.spec.effect))
}

/// Returns the prompts that a caller is offered, in the protocol's form.
#[must_use]
pub fn list(app: &App, access: &Access, locale: Locale) -> Vec<Prompt> {
    let shown = |spec: &PromptSpec| {
        let (texts, _) = spec.texts(locale);
        let arguments: Vec<_> = spec
            .arguments
            .iter()
            .map(|argument| {
                PromptArgument::new(argument.name)
                    .with_description(texts.arguments.get(argument.name).cloned().unwrap_or_default())
                    .with_required(argument.required)
            })
            .collect();
        let arguments = (!arguments.is_empty()).then_some(arguments);
        Prompt::new(spec.name, Some(texts.description), arguments).with_title(texts.title)
    };
    offered(app, access).map(shown).collect()
}

/// Returns a prompt filled with its arguments.
pub fn get(
    app: &App,
    access: &Access,
    request: &GetPromptRequestParams,
    locale: Locale,
) -> Result<GetPromptResult, ToolError> {
    let spec = find(app, access, &request.name)?;
    let none = Map::new();
    let given = request.arguments.as_ref().unwrap_or(&none);
    let values = values(spec, given)?;
    let (texts, body) = spec.texts(locale);
    let text = rendered(body, &values, |tool| can_call(app, access, tool));
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(texts.description))
}

fn find(app: &App, access: &Access, name: &str) -> Result<&'static PromptSpec, McpError> {
    offered(app, access).find(|spec| spec.name == name).ok_or_else(|| {
        let known: Vec<_> = offered(app, access).map(|spec| spec.name).collect();
        McpError::UnknownPrompt {
            name: name.chars().take(100).collect(),
            known: known.join(", "),
        }
    })
}

/// Returns the arguments by name, in the form in which they are inserted. Reports only the first invalid argument,
/// since there are two at most.
fn values(spec: &PromptSpec, given: &Map<String, Value>) -> Result<Vec<(&'static str, String)>, McpError> {
    let refuse = |name: &str, en: &'static str, ja: &'static str| McpError::InvalidPromptArgument {
        prompt: spec.name,
        name: name.chars().take(100).collect(),
        reason: BilingualText::new(en, ja),
        known: spec.arguments().collect::<Vec<_>>().join(", "),
    };
    if let Some(unknown) = given.keys().find(|name| spec.arguments().all(|known| known != *name)) {
        return Err(refuse(unknown, "it does not exist", "その引数はありません"));
    }
    let mut values = Vec::new();
    for argument in spec.arguments {
        let text = match given.get(argument.name) {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            None | Some(Value::Null) => String::new(),
            Some(_) => return Err(refuse(argument.name, "it is not a string", "文字列ではありません")),
        };
        if text.is_empty() {
            if argument.required {
                return Err(refuse(argument.name, "it is required", "必須です"));
            }
            continue;
        }
        let value = match argument.kind {
            ArgumentKind::Episode => episode(&text)
                .ok_or_else(|| refuse(argument.name, "it is not an episode number", "話数として読めません"))?,
            ArgumentKind::Length => text
                .parse::<u32>()
                .ok()
                .filter(|length| (1_000..=20_000).contains(length))
                .ok_or_else(|| {
                    refuse(
                        argument.name,
                        "it is not a number from 1000 to 20000",
                        "1000 から 20000 までの数ではありません",
                    )
                })?
                .to_string(),
            ArgumentKind::Words if text.chars().count() > LONGEST => {
                return Err(refuse(
                    argument.name,
                    "it is longer than 4000 characters",
                    "4000 文字を超えています",
                ));
            }
            ArgumentKind::Words => text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        values.push((argument.name, value));
    }
    Ok(values)
}

/// Parses the number of an episode as people write it: `1`, `１`, `第一話`, `episode 1`.
fn episode(text: &str) -> Option<String> {
    let bare = EpisodeId::parse_stem(&format!("第{text}話")).or_else(|| EpisodeId::parse_stem(text));
    let (episode, _) = bare.filter(|(_, title)| title.is_none())?;
    Some(episode.number().to_string())
}

/// Renders the text for a caller: leaves out lines about missing tools and arguments, and numbers the steps.
pub(super) fn rendered(body: &str, values: &[(&'static str, String)], can_call: impl Fn(&str) -> bool) -> String {
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
        let end = after
            .find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))
            .unwrap_or(after.len());
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

/// Completes an argument from its typed beginning: the project's episodes, and for a plot also the next one.
pub(super) async fn complete(
    app: &App,
    project: Arc<Project>,
    (prompt, argument, typed): (&str, &str, &str),
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<Vec<String>, ErrorData> {
    let spec = offered(app, &caller.access).find(|spec| spec.name == prompt);
    let asked = spec.and_then(|spec| spec.arguments.iter().find(|known| known.name == argument));
    if asked.is_none_or(|argument| argument.kind != ArgumentKind::Episode) {
        return Ok(Vec::new());
    }
    let names = app.config.novel.names.clone();
    let survey = resources::run(app, project, caller, cancel, move |project, _| {
        Ok(NovelProject::new(Arc::clone(project), names).survey()?)
    });
    let mut numbers: Vec<u32> = survey.await?.episodes.keys().map(|episode| episode.number()).collect();
    if prompt == "plot" {
        numbers.push(numbers.last().map_or(1, |last| last + 1));
    }
    let numbers = numbers.iter().map(u32::to_string);
    Ok(numbers.filter(|number| number.starts_with(typed.trim())).collect())
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{ALL, episode, named, rendered};

    #[test]
    fn lines_with_missing_tools_or_arguments_are_dropped() {
        let body = "Write {episode}.\n\n1. Call @status.\n1. Length {length}.\n1. Call @noveler_write with {\"episode\": {episode}}.";
        let values = [("episode", "3".to_owned())];
        assert_eq!(
            rendered(body, &values, |tool| tool == "noveler_write"),
            "Write 3.\n\n1. Call `noveler_write` with {\"episode\": 3}."
        );
        let values = [("episode", "3".to_owned()), ("length", "{episode} @status".to_owned())];
        assert_eq!(
            rendered(body, &values, |_| true).lines().nth(3),
            Some("2. Length {episode} @status.")
        );
        assert_eq!(named(body).collect::<Vec<_>>(), ["status", "noveler_write"]);
    }

    #[test]
    fn episodes_are_read_as_people_write_them() {
        for written in ["1", "01", "１", "第1話", "第一話", "一", "episode 1", "ep1"] {
            assert_eq!(episode(written).as_deref(), Some("1"), "{written}");
        }
        for other in ["", "0", "-1", "one", "1 and 2", "1.5", "第1話_題", "999999999999"] {
            assert_eq!(episode(other), None, "{other}");
        }
    }

    #[test]
    fn both_languages_say_the_same() {
        for spec in &ALL {
            let [(en, en_body), (ja, ja_body)] = Locale::ALL.map(|locale| spec.texts(locale));
            let arguments: Vec<_> = spec.arguments().map(str::to_owned).collect();
            for texts in [&en, &ja] {
                assert!(
                    !texts.title.is_empty() && !texts.description.is_empty(),
                    "{}",
                    spec.name
                );
                let mut described: Vec<_> = texts.arguments.keys().cloned().collect();
                described.sort_by_key(|name| arguments.iter().position(|known| known == name));
                assert_eq!(described, arguments, "{}", spec.name);
            }
            let tools = |body| {
                let mut tools: Vec<_> = named(body).collect();
                tools.sort_unstable();
                tools
            };
            assert_eq!(tools(en_body), tools(ja_body), "{}", spec.name);
            assert_eq!(en_body.lines().count(), ja_body.lines().count(), "{}", spec.name);
            if let Some(tool) = spec.needs {
                assert!(en_body.contains(&format!("@{tool}")), "{}", spec.name);
            }
        }
    }
}
