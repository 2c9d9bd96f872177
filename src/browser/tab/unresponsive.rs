//! Pages that answer nothing: a script of the page does not end, or a document is requested from a server that does not
//! answer, during which Chromium holds back all commands for the page.

use std::time::Duration;

use fumi_base::{project::quoted, text::BilingualText};
use tokio::time::{sleep, timeout};

use super::Tab;
use crate::{
    devtools::protocol::{page::StopLoading, runtime::EvaluateExpression, scripts::TerminateExecution},
    errors::BrowserError,
};

/// The time that a page may take to answer before a navigation; then its script is stopped.
const LEAVING: Duration = Duration::from_secs(3);

impl Tab {
    /// Waits until the page has answered nothing for five sixths of the time that its script may take to answer, and
    /// returns the reason. A load whose server does not answer is stopped, so that the page before it answers again.
    /// Scripts of callers do not count: they have time limits of their own.
    pub(super) async fn until_unresponsive(&self) -> BrowserError {
        let (quiet, patience) = (self.settings.answer / 3, self.settings.answer / 2);
        loop {
            sleep(quiet).await;
            if self.state().running_scripts > 0 || self.answers_within(patience).await {
                continue;
            }
            if self.state().running_scripts == 0 {
                let after = quiet + patience;
                let is_stopped = self.stop_pending_load();
                return match is_stopped {
                    Some(url) => no_answer_of_server(&url, after),
                    None => BrowserError::Busy { url: self.url(), after },
                };
            }
        }
    }

    /// Stops the script of a page that does not answer, because the next document can only replace a page whose script
    /// has ended. A pending navigation would hold back the question and the command, and then stop the next page.
    pub(super) async fn stop_endless_script(&self) {
        let is_asked = {
            let state = self.state();
            !state.has_crashed && state.frames.main().inner().loading.coming.is_none()
        };
        if is_asked && !self.answers_within(LEAVING).await {
            self.page().send(&TerminateExecution {});
        }
    }

    /// Stops the load of the main frame's next document if it has not arrived. Returns its URL.
    pub(super) fn stop_pending_load(&self) -> Option<String> {
        let url = self.main().inner().loading.coming.as_ref().map(|coming| coming.url.clone())?;
        self.page().send(&StopLoading {});
        Some(url)
    }

    /// True if the page evaluates a constant within this time, or cannot be asked at all.
    async fn answers_within(&self, limit: Duration) -> bool {
        let constant =
            EvaluateExpression { expression: "0".to_owned(), return_by_value: true, ..EvaluateExpression::default() };
        timeout(limit, self.page().call(&constant)).await.is_ok()
    }
}

/// Returns the error for a document whose server did not answer in time.
pub(super) fn no_answer_of_server(url: &str, after: Duration) -> BrowserError {
    let what = BilingualText::new(
        format!("an answer from the server of {}", quoted(url)),
        format!("{} のサーバーからの応答", quoted(url)),
    );
    BrowserError::TimedOut { what, after }
}
