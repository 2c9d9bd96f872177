//! The domain Runtime: the execution contexts ("worlds") of a frame, calls into them, console messages and exceptions.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::page::FrameId;
use crate::devtools::EmptyReply;

/// Starts reporting execution contexts and console messages; those that exist already are reported at once.
#[derive(Debug, Default, Serialize)]
pub struct EnableRuntime {}
command!(EnableRuntime => "Runtime.enable" -> EmptyReply);

/// Lets a new target run that waits for the debugger.
#[derive(Debug, Default, Serialize)]
pub struct RunIfWaitingForDebugger {}
command!(RunIfWaitingForDebugger => "Runtime.runIfWaitingForDebugger" -> EmptyReply);

/// Adds a function through which scripts send text to fumi, to all present and future worlds of one name.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddBinding {
    pub name: &'static str,
    /// The name of the worlds that get the function.
    pub execution_context_name: &'static str,
}
command!(AddBinding => "Runtime.addBinding" -> EmptyReply);

/// A call of a function that [`AddBinding`] added.
#[derive(Debug, Deserialize)]
pub struct BindingCalled {
    pub name: String,
    /// The text that the script sent.
    pub payload: String,
}
event!(BindingCalled => "Runtime.bindingCalled");

/// The id of an object in a page. Chromium keeps the object alive until it is released.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RemoteObjectId(pub String);

/// Releases an object, so that Chromium may collect it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseObject {
    pub object_id: RemoteObjectId,
}
command!(ReleaseObject => "Runtime.releaseObject" -> EmptyReply);

/// Calls a function in a world, or on an object of a world.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFunctionOn {
    /// The function, as a JavaScript expression.
    pub function_declaration: String,
    /// The `this` of the call; the function runs in the world of this object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
    /// The world to call in if no object is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    pub arguments: Vec<CallArgument>,
    /// True to receive the value as JSON instead of a reference to an object.
    pub return_by_value: bool,
    /// True to wait for the result if it is a promise.
    pub await_promise: bool,
    /// True to treat the call as a user's action.
    pub user_gesture: bool,
}
command!(CallFunctionOn => "Runtime.callFunctionOn" -> EvaluationResult);

/// An argument of a call: a value or an object of the same page.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallArgument {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// Evaluates an expression in a world.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvaluateExpression {
    pub expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    /// True to receive the value as JSON instead of a reference to an object.
    pub return_by_value: bool,
    /// True to wait for the result if it is a promise.
    pub await_promise: bool,
    /// True to treat the evaluation as a user's action.
    pub user_gesture: bool,
}
command!(EvaluateExpression => "Runtime.evaluate" -> EvaluationResult);

/// The result of a call or an evaluation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationResult {
    /// The value, or the value that was thrown.
    pub result: RemoteValue,
    /// The exception, if one was thrown.
    pub exception_details: Option<ExceptionDetails>,
}

/// A JavaScript value of a page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteValue {
    /// `object`, `function`, `undefined`, `string`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// The subtype of an object: `null`, `array`, `node`, `error`, ...
    pub subtype: Option<String>,
    /// The value as JSON, if it can be written as JSON.
    pub value: Option<Box<RawValue>>,
    /// A value that JSON cannot express: `NaN`, `Infinity`, `-0`, `1n`.
    pub unserializable_value: Option<String>,
    /// The text that a console shows for the value.
    pub description: Option<String>,
    /// The id of the object, if the value is an object that was not returned as JSON.
    pub object_id: Option<RemoteObjectId>,
    /// A preview of the object's properties.
    pub preview: Option<ObjectPreview>,
}

/// A preview of an object's contents.
#[derive(Debug, Deserialize)]
pub struct ObjectPreview {
    pub subtype: Option<String>,
    pub description: Option<String>,
    /// True if the object has more properties than the preview shows.
    pub overflow: bool,
    /// The first few properties.
    pub properties: Vec<PropertyPreview>,
}

#[derive(Debug, Deserialize)]
pub struct PropertyPreview {
    pub name: String,
    /// The type of the value, as in [`RemoteValue`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The value as text, shortened by Chromium.
    pub value: Option<String>,
}

/// An exception and the position at which it was thrown.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionDetails {
    /// `Uncaught`, `Uncaught (in promise)`, or the message of a syntax error.
    pub text: String,
    /// The line number, counted from 0.
    pub line_number: i64,
    /// The column number, counted from 0.
    pub column_number: i64,
    /// The URL of the script.
    pub url: Option<String>,
    /// The value that was thrown.
    pub exception: Option<RemoteValue>,
    pub stack_trace: Option<StackTrace>,
}

/// A stack of calls, the innermost first.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTrace {
    pub call_frames: Vec<CallFrame>,
}

/// One call of a [`StackTrace`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFrame {
    /// The URL of the script.
    pub url: String,
    /// The line number, counted from 0.
    pub line_number: i64,
    /// The column number, counted from 0.
    pub column_number: i64,
}

/// The event that a world was created.
#[derive(Debug, Deserialize)]
pub struct ExecutionContextCreated {
    pub context: ExecutionContext,
}
event!(ExecutionContextCreated => "Runtime.executionContextCreated");

/// A world: a global object in which scripts of a frame run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionContext {
    /// The number of the world, unique within its process.
    pub id: i64,
    /// The name; empty for the world of the page's own scripts.
    pub name: String,
    /// An id that is never given to another world.
    pub unique_id: String,
    pub aux_data: Option<ContextOwner>,
}

/// The frame to which a world belongs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextOwner {
    /// True for the world of the page's own scripts.
    #[serde(default)]
    pub is_default: bool,
    pub frame_id: Option<FrameId>,
}

/// The event that a world was destroyed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionContextDestroyed {
    pub execution_context_unique_id: String,
}
event!(ExecutionContextDestroyed => "Runtime.executionContextDestroyed");

/// The event that the page wrote to its console.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleApiCalled {
    /// The method that was called: `log`, `debug`, `info`, `error`, `warning`, `assert`, `table`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// The values that were written.
    pub args: Vec<RemoteValue>,
    /// The position of the call.
    pub stack_trace: Option<StackTrace>,
}
event!(ConsoleApiCalled => "Runtime.consoleAPICalled");

/// The event that an exception was not caught.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionThrown {
    pub exception_details: ExceptionDetails,
}
event!(ExceptionThrown => "Runtime.exceptionThrown");
