//! Pages that answer nothing: a script of the page does not end, or a document is requested from a server that does not
//! answer, during which Chromium holds back all commands for the page.

use std::time::Duration;

use fumi_base::{project::quoted, text::BilingualText};
use tokio::time::{sleep, sleep_until, timeout};

use super::{Tab, frames::PendingDocument};
use crate::{
    devtools::protocol::{page::StopLoading, runtime::EvaluateExpression, scripts::TerminateExecution},
    errors::BrowserError,
};

/// The time that a page may take to answer before a navigation; then its script is stopped.
const LEAVING: Duration = Duration::from_secs(5);

impl Tab {
    /// Waits until the page has answered nothing for two thirds of the time that its script may take to answer, and returns
    /// the reason. Scripts of callers do not count: they have time limits of their own. While a document is
    /// requested, the page is not unresponsive before that document's own time limit has passed; then the load is stopped, so
    /// that the previous page answers again.
    pub(super) async fn until_unresponsive(&self) -> BrowserError {
        let (quiet, patience) = (self.settings.answer / 6, self.settings.answer * 2 / 3);
        loop {
            sleep(quiet).await;
            if self.state().running_scripts > 0 || self.answers_within(patience).await {
                continue;
            }
            let pending = self.main().inner().loading.coming.clone();
            if let Some(PendingDocument { loader, url, since }) = pending {
                let commit = self.settings.commit;
                sleep_until(since + commit).await;
                if self.main().inner().loading.coming.as_ref().is_some_and(|coming| coming.loader == loader) {
                    self.stop_pending_load();
                    return no_answer_of_server(&url, commit);
                }
            } else if self.state().running_scripts == 0 {
                return BrowserError::PageBusy { url: self.url(), after: patience };
            }
        }
    }

    /// Stops the script of a page that does not answer, because the next document can only replace a page whose script
    /// has ended. While a navigation is pending, Chromium would deliver the command to the next page; a script at a
    /// dialog waits for its answer.
    pub(super) async fn stop_endless_script(&self) {
        let may_stop = || {
            let state = self.state();
            let is_leaving = state.navigations.is_asked || state.frames.main().inner().loading.coming.is_some();
            !is_leaving && state.blocking_error().is_none()
        };
        if may_stop() && !self.answers_within(LEAVING).await && may_stop() {
            self.page().send(&TerminateExecution {});
        }
    }

    /// True while the main frame's next document is requested.
    pub(super) fn has_pending_document(&self) -> bool {
        self.main().inner().loading.coming.is_some()
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
    BrowserError::BrowserTooLate { what, after }
}
