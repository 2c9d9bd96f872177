//! The errors of browser tools that are found before the browser is used, and that a schema cannot express. Their
//! catalogue also has the family's texts for errors that stop any call.

use std::sync::LazyLock;

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    text::BilingualText,
};

/// The error catalogue of the browser tools.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// An error of a call's arguments.
#[derive(Debug, UserError)]
pub(super) enum BrowserCallError {
    /// A missing argument that one action needs and others do not.
    ActionNeeds { action: &'static str, argument: &'static str },
    /// A form of which one field could not be set: the second sentence of that field's error.
    FormStopped { index: usize, filled: BilingualText },
    /// There is nothing to close.
    NoSessionToClose,
    /// A screenshot that is too large for a reply.
    PictureTooLarge { bytes: usize },
    /// A URL without a scheme such as `http:`, and the URL with the likeliest one.
    UrlWithoutScheme { url: String, with: String },
    /// A filename that leads outside the folder or is invalid.
    FilenameRefused { filename: String, reason: BilingualText },
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fumi_base::errors::UserError;
    use fumi_kernel::{ToolError, pipeline::CallStopped};

    use super::{BOOK, BrowserCallError};
    use crate::browser::FAMILY;

    #[test]
    fn every_error_has_its_sentences() {
        let of_every_call = ["BROWSER_CANCELLED", "BROWSER_TOOL_TIMEOUT"];
        let unused = of_every_call.map(|name| format!("no error uses {name}"));
        assert_eq!(BOOK.faults(&[BrowserCallError::shapes()]), unused);
    }

    #[test]
    fn a_stopped_call_does_not_say_that_nothing_was_done() {
        let late = CallStopped::ToolTimeout { limit: Duration::from_secs(30) };
        for (stopped, code, time) in [(late, "TOOL_TIMEOUT", "30000 ms"), (CallStopped::Cancelled, "CANCELLED", "")] {
            let error = ToolError::from(stopped).adapt_to(&FAMILY);
            assert_eq!(error.code(), code);
            let (message, next) = (&error.message().en, &error.next().en);
            assert!(message.contains("stays done") && message.contains(time), "{message}");
            assert!(next.contains("browser_snapshot") && !next.contains("timeout_ms"), "{next}");
        }
    }
}
