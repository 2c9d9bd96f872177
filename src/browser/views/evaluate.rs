//! A caller's script in the page's own world.
//!
//! A function is called, with the element if one is named; an expression or statements are evaluated. The value comes back
//! as JSON that the page writes; it is the page's word, no more. A script that is given up is stopped.

use serde_json::value::RawValue;

use crate::{
    devtools::{
        Channel,
        protocol::{
            runtime::{self, CallFunctionOn, Evaluate, ExceptionDetails},
            scripts::{CompileScript, TerminateExecution},
        },
    },
    errors::BrowserError,
    tab::Tab,
    target::Target,
};

/// Bytes of a value that come back; a reply holds no more.
const LARGEST: usize = 256 << 10;

/// Writes a value as JSON inside the page: what JSON cannot say is said in words, what is too long is cut there, so that it
/// does not travel. An array of the text, its whole length, and whether there was a value.
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
    return [text.slice(0, most), text.length, value !== undefined];
}";

/// What a script gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// The value as JSON; cut JSON as a JSON string.
    pub json: String,
    /// There was none: `undefined`, written as `null`.
    pub is_undefined: bool,
    /// UTF-16 units of the whole, where it was cut.
    pub cut: Option<usize>,
    /// A dialog that the script opened holds it up: no value.
    pub is_held_up: bool,
}

impl Tab {
    /// Runs a function (`() => document.title`, `element => element.value`), an expression or statements, and awaits a promise.
    pub async fn evaluate(&self, script: &str, target: Option<&Target>) -> Result<Evaluated, BrowserError> {
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
            let frame = located
                .as_ref()
                .map_or_else(|| self.main(), |located| located.frame.clone());
            let (channel, world) = self.page_world(&frame).await?;
            let form = Form::of(script, &channel).await?;
            let mut running = Running {
                tab: self,
                channel: &channel,
                is_over: false,
            };
            let evaluated = match (&element, form) {
                (Some(element), _) => channel.call(&on_element(script, element.id.clone())).await,
                (None, form) => channel.call(&alone(script, form, world.unique)).await,
            };
            running.is_over = true;
            read(evaluated?, script).map(Some)
        };
        let held_up = || Evaluated {
            json: "null".to_owned(),
            is_held_up: true,
            ..Evaluated::default()
        };
        Ok(self.acting(running).await?.unwrap_or_else(held_up))
    }
}

/// How a script is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A function or another expression.
    Expression,
    /// Statements; the last one gives the value.
    Statements,
}

impl Form {
    /// What it can be read as, without running it. What can be read as neither shows its fault when it runs.
    async fn of(script: &str, channel: &Channel) -> Result<Self, BrowserError> {
        let reads = async |expression: String| {
            let compile = CompileScript {
                expression,
                source_url: "",
                persist_script: false,
            };
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

/// The call without an element. The script begins on the first line, so that line numbers are those of the caller.
fn alone(script: &str, form: Form, world: String) -> Evaluate {
    let expression = match form {
        Form::Expression => format!(
            "(async () => {{ let it = ({script}\n); if (typeof it === 'function') it = it(); \
             return ({WRITER})(await it, {LARGEST}); }})()"
        ),
        // Their value is known only where they are evaluated as a script of their own.
        Form::Statements => format!("{{ {script}\n}}"),
    };
    Evaluate {
        expression,
        unique_context_id: Some(world),
        return_by_value: true,
        await_promise: true,
        user_gesture: true,
    }
}

/// The call with an element, which an expression may name `element`.
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

fn read(evaluated: runtime::Evaluated, script: &str) -> Result<Evaluated, BrowserError> {
    if let Some(thrown) = &evaluated.exception_details {
        return Err(BrowserError::Script {
            what: "The script".to_owned(),
            message: message(thrown, script),
        });
    }
    let runtime::RemoteObject {
        kind,
        value,
        description,
        unserializable_value,
        ..
    } = evaluated.result;
    let value = value.as_deref().map_or("null", RawValue::get);
    let Ok((json, length, has_value)) = serde_json::from_str::<(String, usize, bool)>(value) else {
        // Statements, or a page that has replaced what the writer needs.
        let json = unserializable_value.or(description.filter(|_| value == "null" && kind != "object"));
        return Ok(Evaluated {
            json: json.map_or_else(|| value.to_owned(), |word| quoted(&word)),
            is_undefined: kind == "undefined",
            ..Evaluated::default()
        });
    };
    let is_whole = json.encode_utf16().count() >= length && serde_json::from_str::<&RawValue>(&json).is_ok();
    Ok(Evaluated {
        json: if is_whole { json } else { quoted(&json) },
        is_undefined: !has_value,
        cut: (!is_whole).then_some(length),
        is_held_up: false,
    })
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// What was thrown, with the line of the caller's script where there are several.
fn message(thrown: &ExceptionDetails, script: &str) -> String {
    let exception = thrown.exception.as_ref();
    let described = exception.and_then(|it| {
        it.description
            .clone()
            .or_else(|| it.value.as_ref().map(ToString::to_string))
    });
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
    if lines > 1 && (0..lines).contains(&line) {
        format!("{message} (line {})", line + 1)
    } else {
        message.to_owned()
    }
}

/// A script that runs: stopped when it is given up, unless it waits at a dialog, after which it may go on.
struct Running<'a> {
    tab: &'a Tab,
    channel: &'a Channel,
    is_over: bool,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.tab.dialog().is_none() {
            self.channel.send(&TerminateExecution {});
        }
    }
}
