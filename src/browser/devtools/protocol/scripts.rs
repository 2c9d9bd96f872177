//! What scripts of a caller need beyond a call: reading them first, and stopping them.

use serde::{Deserialize, Serialize};

use super::runtime::ExceptionDetails;
use crate::devtools::Nothing;

/// Reads a script without running it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompileScript {
    /// The script.
    pub expression: String,
    /// A name for it.
    #[serde(rename = "sourceURL")]
    pub source_url: &'static str,
    /// Keep it.
    pub persist_script: bool,
}
command!(CompileScript => "Runtime.compileScript" -> Compiled);

/// Whether it can be read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compiled {
    /// Why not.
    pub exception_details: Option<ExceptionDetails>,
}

/// Stops whatever script runs now.
#[derive(Debug, Serialize)]
pub struct TerminateExecution {}
command!(TerminateExecution => "Runtime.terminateExecution" -> Nothing);
