//! The part of the domain Runtime for scripts that callers supply: checking their syntax, and stopping them.

use super::runtime::ExceptionDetails;

protocol! {
    /// Compiles a script without running it, to check its syntax.
    command CompileScript: "Runtime.compileScript" -> Compiled {
        expression: String,
        /// The name of the script in error messages.
        #[serde(rename = "sourceURL")]
        source_url: &'static str,
        /// True to keep the compiled script.
        persist_script: bool,
    }

    /// The result of compiling a script.
    received Compiled {
        /// The syntax error, if the script cannot be compiled.
        exception_details: Option<ExceptionDetails>,
    }

    /// Stops the script that is running.
    command TerminateExecution: "Runtime.terminateExecution" {}
}
