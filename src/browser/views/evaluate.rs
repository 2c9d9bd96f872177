//! Evaluation of a caller's script in the page's own world.
//!
//! A function is called, with the element if one is named; an expression or statements are evaluated. The page itself
//! converts the value to JSON, so the result is only as trustworthy as the page: it can return another value, but what
//! it returns is always JSON. A script whose call is dropped is terminated.

use serde_json::value::RawValue;

use crate::{
    devtools::{
        CallError, Channel,
        protocol::{
            runtime::{self, CallArgument, CallFunctionOn, EvaluateExpression, ExceptionDetails},
            scripts::CompileScript,
        },
        without_lone_surrogates,
    },
    errors::BrowserError,
    tab::{RemoteObjectGuard, ScriptGuard, Tab},
    target::Target,
};

/// The maximum length of a returned value; a reply has no room for more.
const LARGEST: usize = 256 << 10;

/// The code that converts a value to JSON inside the page. Values that JSON cannot express become texts, and long texts
/// are cut before they are transferred. Returns an array of the text and its full length; no value becomes `null`.
const WRITER: &str = r"(value, most) => {
    const words = function (key, value) {
        const own = this[key];
        if (typeof value === 'bigint') return `${value}n`;
        if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
        if (typeof value === 'symbol') return String(value);
        if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
        if (own instanceof Node) return own.nodeType === 1 ? own.cloneNode(false).outerHTML.slice(0, 500) : own.nodeName;
        if (own === globalThis) return '[window]';
        if (own instanceof Map) return Object.fromEntries(own);
        if (own instanceof Set) return [...own];
        if (own instanceof Error) return String(own);
        return value;
    };
    const text = JSON.stringify(value, words) ?? 'null';
    return [text.slice(0, most), text.length];
}";

/// The value of an evaluated script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptValue {
    /// The value as JSON; JSON that was cut is a JSON string.
    pub json: String,
    /// The full length in UTF-16 units, if the value was cut.
    pub cut: Option<usize>,
    /// True if the value is missing because the script has not returned: a dialog opened, or the tab closed.
    pub is_held_up: bool,
}

impl Tab {
    /// Evaluates a function (`() => document.title`, `element => element.value`), an expression or statements, and
    /// awaits a promise. A script that a dialog holds up has no value.
    pub async fn evaluate(&self, script: &str, target: Option<&Target>) -> Result<ScriptValue, BrowserError> {
        let script = script.trim().trim_end_matches(';');
        let located = match target {
            Some(target) => Some(self.locate(target).await?),
            None => None,
        };
        let running = async {
            let element = match &located {
                Some(located) => Some(self.object_in_page(located).await?),
                None => None,
            };
            let frame = located.as_ref().map_or_else(|| self.main(), |located| located.frame.clone());
            let (channel, world) = self.page_world(&frame).await?;
            let form = ScriptForm::detect(script, &channel).await?;
            let running = ScriptGuard::begin(self, &channel);
            let evaluated = match (&element, form) {
                (Some(element), _) => channel.call(&on_element(script, element.id.clone())).await,
                (None, ScriptForm::Expression) => channel.call(&expression(script, world.unique)).await,
                (None, ScriptForm::Statements) => match channel.call(&statements(script, world.unique)).await {
                    Ok(evaluated) => value_as_json(evaluated, &channel).await,
                    failed => failed,
                },
            };
            running.ended();
            read(evaluated?, script).map(Some)
        };
        let held_up = || ScriptValue { is_held_up: true, ..ScriptValue::default() };
        Ok(self.acting(running).await?.unwrap_or_else(held_up))
    }
}

/// The syntactic form of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScriptForm {
    /// A function or another expression.
    Expression,
    /// Statements, the last of which yields the value.
    Statements,
}

impl ScriptForm {
    /// Determines the form by compiling the script without running it. A script that compiles as neither is treated as
    /// an expression, so its syntax error is reported when it runs.
    async fn detect(script: &str, channel: &Channel) -> Result<Self, BrowserError> {
        let reads = async |expression: String| {
            let compile = CompileScript { expression, source_url: "", persist_script: false };
            let compiled = channel.call(&compile).await?;
            Ok::<_, BrowserError>(compiled.exception_details.is_none())
        };
        let is_expression = reads(format!("(async () => ({script}\n))")).await?;
        if !is_expression && reads(script.to_owned()).await? {
            return Ok(Self::Statements);
        }
        Ok(Self::Expression)
    }
}

/// Builds the call without an element. The script begins on the first line, so that line numbers are those of the
/// caller.
fn expression(script: &str, world: String) -> EvaluateExpression {
    let expression = format!(
        "(async () => {{ let it = ({script}\n); if (typeof it === 'function') it = it(); \
         return ({WRITER})(await it, {LARGEST}); }})()"
    );
    EvaluateExpression {
        expression,
        unique_context_id: Some(world),
        return_by_value: true,
        await_promise: true,
        user_gesture: true,
    }
}

/// Builds the evaluation of statements, which have a value only as a script of their own. The value stays in the page.
fn statements(script: &str, world: String) -> EvaluateExpression {
    EvaluateExpression {
        expression: format!("{{ {script}\n}}"),
        unique_context_id: Some(world),
        return_by_value: false,
        await_promise: true,
        user_gesture: true,
    }
}

/// Converts the value of statements to JSON in the page, so that only the text is transferred.
async fn value_as_json(
    evaluated: runtime::EvaluationResult,
    channel: &Channel,
) -> Result<runtime::EvaluationResult, CallError> {
    let (None, Some(id)) = (&evaluated.exception_details, &evaluated.result.object_id) else {
        return Ok(evaluated);
    };
    let object = RemoteObjectGuard::new(id.clone(), channel.clone());
    let argument = CallArgument { value: None, object_id: Some(object.id.clone()) };
    let write = CallFunctionOn {
        function_declaration: format!("function (it) {{ return ({WRITER})(it, {LARGEST}); }}"),
        object_id: Some(object.id.clone()),
        arguments: vec![argument],
        return_by_value: true,
        ..CallFunctionOn::default()
    };
    channel.call(&write).await
}

/// Builds the call with an element, which an expression can refer to as `element`.
fn on_element(script: &str, element: runtime::RemoteObjectId) -> CallFunctionOn {
    CallFunctionOn {
        function_declaration: format!(
            "async function () {{ const element = this; let it = ({script}\n); \
             if (typeof it === 'function') it = it(element); return ({WRITER})(await it, {LARGEST}); }}"
        ),
        object_id: Some(element),
        return_by_value: true,
        await_promise: true,
        user_gesture: true,
        ..CallFunctionOn::default()
    }
}

fn read(evaluated: runtime::EvaluationResult, script: &str) -> Result<ScriptValue, BrowserError> {
    if let Some(thrown) = &evaluated.exception_details {
        return Err(BrowserError::ScriptThrew { what: "The script".to_owned(), message: message(thrown, script) });
    }
    let runtime::RemoteValue { kind, value, description, unserializable_value, .. } = evaluated.result;
    let value = value.as_deref().map_or("null", RawValue::get);
    let (json, length) = serde_json::from_str::<(String, usize)>(value).unwrap_or_else(|_| {
        // A plain value of statements, or a page that has replaced what the writer needs.
        let word = unserializable_value.or(description.filter(|_| value == "null" && kind != "object"));
        let json = word.map_or_else(|| value.to_owned(), |word| quoted(&word));
        let length = json.encode_utf16().count();
        let end = json.floor_char_boundary(LARGEST);
        (json[..end].to_owned(), length)
    });
    // Half characters (lone surrogates) at the cut would make the whole value unreadable.
    let json = without_lone_surrogates(json);
    let is_cut = json.encode_utf16().count() < length;
    // A page that has replaced `JSON.stringify` may return any text, which is then a value of its own.
    let is_json = !is_cut && serde_json::from_str::<&RawValue>(&json).is_ok();
    let json = if is_json { json } else { quoted(&json) };
    Ok(ScriptValue { json, cut: is_cut.then_some(length), is_held_up: false })
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns the exception's message, with the line of the caller's script if the script has several lines.
fn message(thrown: &ExceptionDetails, script: &str) -> String {
    let exception = thrown.exception.as_ref();
    let described =
        exception.and_then(|it| it.description.clone().or_else(|| it.value.as_ref().map(ToString::to_string)));
    let described = described.unwrap_or_else(|| thrown.text.clone());
    // The stack below the message is that of the wrapper.
    let message = described.split("\n    at ").next().unwrap_or_default();
    let is_ours = |url: &str| url.is_empty();
    let line = thrown
        .stack_trace
        .iter()
        .flat_map(|trace| &trace.call_frames)
        .find(|frame| is_ours(&frame.url))
        .map_or(thrown.line_number, |frame| frame.line_number);
    let lines = i64::try_from(script.lines().count()).unwrap_or(i64::MAX);
    if lines > 1 && (0..lines).contains(&line) { format!("{message} (line {})", line + 1) } else { message.to_owned() }
}
