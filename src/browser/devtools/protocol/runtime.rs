//! The domain Runtime: worlds of a frame, calls into them, what they say.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::page::FrameId;
use crate::devtools::Nothing;

/// Begins to report worlds and messages, those that exist at once.
#[derive(Debug, Default, Serialize)]
pub struct Enable {}
command!(Enable => "Runtime.enable" -> Nothing);

/// Lets a new target run.
#[derive(Debug, Default, Serialize)]
pub struct RunIfWaitingForDebugger {}
command!(RunIfWaitingForDebugger => "Runtime.runIfWaitingForDebugger" -> Nothing);

/// Gives worlds of a name a function that tells fumi something, those that are there and those that come.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddBinding {
    /// The function's name.
    pub name: &'static str,
    /// The worlds' name.
    pub execution_context_name: &'static str,
}
command!(AddBinding => "Runtime.addBinding" -> Nothing);

/// Such a function was called.
#[derive(Debug, Deserialize)]
pub struct BindingCalled {
    /// The function's name.
    pub name: String,
    /// What it told.
    pub payload: String,
}
happening!(BindingCalled => "Runtime.bindingCalled");

/// An object in a page, held until it is released.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RemoteObjectId(pub String);

/// Lets an object go.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseObject {
    /// Which.
    pub object_id: RemoteObjectId,
}
command!(ReleaseObject => "Runtime.releaseObject" -> Nothing);

/// Calls a function in a world, or on an object of one.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFunctionOn {
    /// A function as an expression.
    pub function_declaration: String,
    /// What `this` is; its world is where the function runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
    /// The world, where there is no object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    /// Arguments.
    pub arguments: Vec<CallArgument>,
    /// The value as JSON instead of an object that is held.
    pub return_by_value: bool,
    /// Waits for a promise.
    pub await_promise: bool,
    /// As if a person had acted.
    pub user_gesture: bool,
}
command!(CallFunctionOn => "Runtime.callFunctionOn" -> Evaluated);

/// An argument: a value or an object of the same page.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallArgument {
    /// A value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// An object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// Evaluates an expression in a world.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluate {
    /// The expression.
    pub expression: String,
    /// The world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    /// The value as JSON instead of an object that is held.
    pub return_by_value: bool,
    /// Waits for a promise.
    pub await_promise: bool,
    /// As if a person had acted.
    pub user_gesture: bool,
}
command!(Evaluate => "Runtime.evaluate" -> Evaluated);

/// What came of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluated {
    /// The value, or what was thrown.
    pub result: RemoteObject,
    /// Where it threw.
    pub exception_details: Option<ExceptionDetails>,
}

/// A value of a page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteObject {
    /// `object`, `function`, `undefined`, `string`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// `null`, `array`, `node`, `error`, ... of an object.
    pub subtype: Option<String>,
    /// The value as JSON, where it has such a form.
    pub value: Option<Box<RawValue>>,
    /// `NaN`, `Infinity`, `-0`, `1n`.
    pub unserializable_value: Option<String>,
    /// As the console shows it.
    pub description: Option<String>,
    /// What holds it.
    pub object_id: Option<RemoteObjectId>,
    /// A look at what is inside.
    pub preview: Option<ObjectPreview>,
}

/// A look into an object.
#[derive(Debug, Deserialize)]
pub struct ObjectPreview {
    /// `array`, `error`, ...
    pub subtype: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// More is inside than shown.
    pub overflow: bool,
    /// The first few properties.
    pub properties: Vec<PropertyPreview>,
}

/// One property of a preview.
#[derive(Debug, Deserialize)]
pub struct PropertyPreview {
    /// Its name.
    pub name: String,
    /// As for [`RemoteObject`].
    #[serde(rename = "type")]
    pub kind: String,
    /// Its value, cut.
    pub value: Option<String>,
}

/// What was thrown, and where.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionDetails {
    /// `Uncaught`, `Uncaught (in promise)`, or the message of a syntax error.
    pub text: String,
    /// From 0.
    pub line_number: i64,
    /// From 0.
    pub column_number: i64,
    /// The script.
    pub url: Option<String>,
    /// What was thrown.
    pub exception: Option<RemoteObject>,
    /// Where.
    pub stack_trace: Option<StackTrace>,
}

/// Who called whom, the innermost first.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTrace {
    /// The calls.
    pub call_frames: Vec<CallFrame>,
}

/// One call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFrame {
    /// The script.
    pub url: String,
    /// From 0.
    pub line_number: i64,
    /// From 0.
    pub column_number: i64,
}

/// A world came into being.
#[derive(Debug, Deserialize)]
pub struct ExecutionContextCreated {
    /// The world.
    pub context: ExecutionContext,
}
happening!(ExecutionContextCreated => "Runtime.executionContextCreated");

/// A world.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionContext {
    /// Its number within its process.
    pub id: i64,
    /// Its name; empty for the page's own.
    pub name: String,
    /// An id that no other world ever has.
    pub unique_id: String,
    /// Whose it is.
    pub aux_data: Option<ContextOwner>,
}

/// Whose a world is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextOwner {
    /// The page's own.
    #[serde(default)]
    pub is_default: bool,
    /// The frame.
    pub frame_id: Option<FrameId>,
}

/// A world ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionContextDestroyed {
    /// Which.
    pub execution_context_unique_id: String,
}
happening!(ExecutionContextDestroyed => "Runtime.executionContextDestroyed");

/// The page wrote to its console.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleApiCalled {
    /// `log`, `debug`, `info`, `error`, `warning`, `assert`, `table`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// What it wrote.
    pub args: Vec<RemoteObject>,
    /// Where.
    pub stack_trace: Option<StackTrace>,
}
happening!(ConsoleApiCalled => "Runtime.consoleAPICalled");

/// Something was thrown and not caught.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionThrown {
    /// What and where.
    pub exception_details: ExceptionDetails,
}
happening!(ExceptionThrown => "Runtime.exceptionThrown");
