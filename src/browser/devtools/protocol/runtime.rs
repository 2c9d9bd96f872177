//! The domain Runtime: the execution contexts ("worlds") of a frame, calls into them, console messages and exceptions.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::page::FrameId;

/// The id of an object in a page. Chromium keeps the object alive until it is released.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RemoteObjectId(pub String);

protocol! {
    /// Starts reporting execution contexts and console messages; those that exist already are reported at once.
    command EnableRuntime: "Runtime.enable" {}

    /// Lets a new target run that waits for the debugger.
    command RunIfWaitingForDebugger: "Runtime.runIfWaitingForDebugger" {}

    /// Adds a function through which scripts send text to fumi, to all present and future worlds of one name.
    command AddBinding: "Runtime.addBinding" {
        name: &'static str,
        /// The name of the worlds that get the function.
        execution_context_name: &'static str,
    }

    /// A call of a function that [`AddBinding`] added.
    event BindingCalled: "Runtime.bindingCalled" {
        name: String,
        /// The text that the script sent.
        payload: String,
    }

    /// Releases an object, so that Chromium may collect it.
    command ReleaseObject: "Runtime.releaseObject" {
        object_id: RemoteObjectId,
    }

    /// Calls a function in a world, or on an object of a world.
    #[derive(Default)]
    command CallFunctionOn: "Runtime.callFunctionOn" -> EvaluationResult {
        /// The function, as a JavaScript expression.
        function_declaration: String,
        /// The `this` of the call; the function runs in the world of this object.
        #[serde(skip_serializing_if = "Option::is_none")]
        object_id: Option<RemoteObjectId>,
        /// The world to call in if no object is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        unique_context_id: Option<String>,
        arguments: Vec<CallArgument>,
        /// True to receive the value as JSON instead of a reference to an object.
        return_by_value: bool,
        /// True to wait for the result if it is a promise.
        await_promise: bool,
        /// True to treat the call as a user's action.
        user_gesture: bool,
    }

    /// An argument of a call: a value or an object of the same page.
    #[derive(Default)]
    sent CallArgument {
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Box<RawValue>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        object_id: Option<RemoteObjectId>,
    }

    /// Evaluates an expression in a world.
    #[derive(Default)]
    command EvaluateExpression: "Runtime.evaluate" -> EvaluationResult {
        expression: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        unique_context_id: Option<String>,
        /// True to receive the value as JSON instead of a reference to an object.
        return_by_value: bool,
        /// True to wait for the result if it is a promise.
        await_promise: bool,
        /// True to treat the evaluation as a user's action.
        user_gesture: bool,
    }

    /// The result of a call or an evaluation.
    received EvaluationResult {
        /// The value, or the value that was thrown.
        result: RemoteValue,
        /// The exception, if one was thrown.
        exception_details: Option<ExceptionDetails>,
    }

    /// A JavaScript value of a page.
    received RemoteValue {
        /// `object`, `function`, `undefined`, `string`, ...
        #[serde(rename = "type")]
        kind: String,
        /// The subtype of an object: `null`, `array`, `node`, `error`, ...
        subtype: Option<String>,
        /// The value as JSON, if it can be written as JSON.
        value: Option<Box<RawValue>>,
        /// A value that JSON cannot express: `NaN`, `Infinity`, `-0`, `1n`.
        unserializable_value: Option<String>,
        /// The text that a console shows for the value.
        description: Option<String>,
        /// The id of the object, if the value is an object that was not returned as JSON.
        object_id: Option<RemoteObjectId>,
        /// A preview of the object's properties.
        preview: Option<ObjectPreview>,
    }

    /// A preview of an object's contents.
    received ObjectPreview {
        subtype: Option<String>,
        description: Option<String>,
        /// True if the object has more properties than the preview shows.
        overflow: bool,
        /// The first few properties.
        properties: Vec<PropertyPreview>,
    }

    received PropertyPreview {
        name: String,
        /// The type of the value, as in [`RemoteValue`].
        #[serde(rename = "type")]
        kind: String,
        /// The value as text, shortened by Chromium.
        value: Option<String>,
    }

    /// An exception and the position at which it was thrown.
    received ExceptionDetails {
        /// `Uncaught`, `Uncaught (in promise)`, or the message of a syntax error.
        text: String,
        /// The line number, counted from 0.
        line_number: i64,
        /// The column number, counted from 0.
        column_number: i64,
        /// The URL of the script.
        url: Option<String>,
        /// The value that was thrown.
        exception: Option<RemoteValue>,
        stack_trace: Option<StackTrace>,
    }

    /// A stack of calls, the innermost first.
    received StackTrace {
        call_frames: Vec<CallFrame>,
    }

    /// One call of a [`StackTrace`].
    received CallFrame {
        /// The URL of the script.
        url: String,
        /// The line number, counted from 0.
        line_number: i64,
        /// The column number, counted from 0.
        column_number: i64,
    }

    /// The event that a world was created.
    event ExecutionContextCreated: "Runtime.executionContextCreated" {
        context: ExecutionContext,
    }

    /// A world: a global object in which scripts of a frame run.
    received ExecutionContext {
        /// The number of the world, unique within its process.
        id: i64,
        /// The name; empty for the world of the page's own scripts.
        name: String,
        /// An id that is never given to another world.
        unique_id: String,
        aux_data: Option<ContextOwner>,
    }

    /// The frame to which a world belongs.
    received ContextOwner {
        /// True for the world of the page's own scripts.
        #[serde(default)]
        is_default: bool,
        frame_id: Option<FrameId>,
    }

    /// The event that a world was destroyed.
    event ExecutionContextDestroyed: "Runtime.executionContextDestroyed" {
        execution_context_unique_id: String,
    }

    /// The event that the page wrote to its console.
    event ConsoleApiCalled: "Runtime.consoleAPICalled" {
        /// The method that was called: `log`, `debug`, `info`, `error`, `warning`, `assert`, `table`, ...
        #[serde(rename = "type")]
        kind: String,
        /// The values that were written.
        args: Vec<RemoteValue>,
        /// The position of the call.
        stack_trace: Option<StackTrace>,
    }

    /// The event that an exception was not caught.
    event ExceptionThrown: "Runtime.exceptionThrown" {
        exception_details: ExceptionDetails,
    }
}
