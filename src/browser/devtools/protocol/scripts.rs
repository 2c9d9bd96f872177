//! The part of the domain Runtime for scripts that callers supply: checking their syntax, and stopping them.

use serde::{Deserialize, Serialize};

use super::runtime::ExceptionDetails;
use crate::devtools::EmptyReply;

/// Compiles a script without running it, to check its syntax.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompileScript {
    pub expression: String,
    /// The name of the script in error messages.
    #[serde(rename = "sourceURL")]
    pub source_url: &'static str,
    /// True to keep the compiled script.
    pub persist_script: bool,
}
command!(CompileScript => "Runtime.compileScript" -> Compiled);

/// The result of compiling a script.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compiled {
    /// The syntax error, if the script cannot be compiled.
    pub exception_details: Option<ExceptionDetails>,
}

/// Stops the script that is running.
#[derive(Debug, Serialize)]
pub struct TerminateExecution {}
command!(TerminateExecution => "Runtime.terminateExecution" -> EmptyReply);
