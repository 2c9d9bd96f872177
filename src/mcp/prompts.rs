//! Prompts of the catalogue in the protocol's form.
//!
//! Invariant: a prompt names only tools that its caller can call, and a prompt without its main tool is not offered.

use std::sync::Arc;

use fumi_base::{
    project::Project,
    text::{BilingualText, Locale},
};
use fumi_kernel::{
    Access, Caller, ToolError,
    prompts::{PromptRequirement, PromptSpec, rendered},
};
use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{protocol_error::McpError, resources};
use crate::app::App;

/// Returns the prompts that a caller is offered.
fn offered<'a>(app: &'a App, access: &'a Access) -> impl Iterator<Item = &'a PromptSpec> {
    app.catalogue.prompts().iter().filter(|spec| match spec.requires {
        PromptRequirement::Tool(tool) => can_call(app, access, tool),
        PromptRequirement::Writing(toolset) => access.scope.contains(toolset) && !access.read_only,
    })
}

/// True if a caller is offered any prompt.
pub fn has_any(app: &App, access: &Access) -> bool {
    offered(app, access).next().is_some()
}

/// True if a caller can call a tool.
pub(super) fn can_call(app: &App, access: &Access, tool: &str) -> bool {
    let entry = app.catalogue.find(access.listed_scope(), tool);
    entry.is_some_and(|entry| access.allows(entry.spec.effect))
}

/// Returns the prompts that a caller is offered, in the protocol's form.
pub fn list(app: &App, access: &Access, locale: Locale) -> Vec<Prompt> {
    let shown = |spec: &PromptSpec| {
        let (texts, _) = spec.texts(locale);
        let arguments: Vec<_> = spec
            .arguments
            .iter()
            .map(|argument| {
                PromptArgument::new(argument.name)
                    .with_description(texts.arguments.get(argument.name).cloned().unwrap_or_default())
                    .with_required(argument.is_required)
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

fn find<'a>(app: &'a App, access: &'a Access, name: &str) -> Result<&'a PromptSpec, McpError> {
    offered(app, access).find(|spec| spec.name == name).ok_or_else(|| {
        let known: Vec<_> = offered(app, access).map(|spec| spec.name).collect();
        McpError::UnknownPrompt { name: name.chars().take(100).collect(), known: known.join(", ") }
    })
}

/// Returns the arguments by name, in the form in which they are inserted. Reports only the first invalid argument,
/// since there are two at most.
fn values(spec: &PromptSpec, given: &Map<String, Value>) -> Result<Vec<(&'static str, String)>, McpError> {
    let refuse = |name: &str, reason: BilingualText| McpError::InvalidPromptArgument {
        prompt: spec.name,
        name: name.chars().take(100).collect(),
        reason,
        known: spec.argument_names().collect::<Vec<_>>().join(", "),
    };
    if let Some(unknown) = given.keys().find(|name| spec.argument_names().all(|known| known != *name)) {
        let reason = BilingualText::new("it does not exist", "その引数はありません");
        return Err(refuse(unknown, reason));
    }
    let mut values = Vec::new();
    for argument in &spec.arguments {
        let text = match given.get(argument.name) {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            None | Some(Value::Null) => String::new(),
            Some(_) => {
                let reason = BilingualText::new("it is not a string", "文字列ではありません");
                return Err(refuse(argument.name, reason));
            }
        };
        if text.is_empty() {
            if argument.is_required {
                return Err(refuse(argument.name, BilingualText::new("it is required", "必須です")));
            }
            continue;
        }
        let value = (argument.parse)(&text).map_err(|reason| refuse(argument.name, reason))?;
        values.push((argument.name, value));
    }
    Ok(values)
}

/// Completes an argument from its typed beginning.
pub(super) async fn complete(
    app: &App,
    project: Arc<Project>,
    (prompt, argument, typed): (&str, &str, &str),
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<Vec<String>, ErrorData> {
    let spec = offered(app, &caller.access).find(|spec| spec.name == prompt);
    let asked = spec.and_then(|spec| spec.arguments.iter().find(|known| known.name == argument));
    let Some(complete) = asked.and_then(|argument| argument.complete.clone()) else {
        return Ok(Vec::new());
    };
    let values = resources::run(app, project, caller, cancel, move |project, _| complete(project)).await?;
    let typed = typed.trim();
    Ok(values.into_iter().filter(|value| value.starts_with(typed)).collect())
}
