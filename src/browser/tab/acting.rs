//! Acts: operations that may change the page, followed by a wait for the page to settle.

use super::{Tab, TabFrame, settle::ActBaseline};
use crate::errors::BrowserError;

/// The answer of `fumi.hasMissed`.
#[derive(serde::Deserialize)]
struct MissedReply {
    missed: bool,
}

impl Tab {
    /// Runs `work`, which may change the page, then waits until the page has settled (see `settle.rs`).
    ///
    /// A dialog that opens meanwhile is a result, not an error. The page acknowledges nothing until the dialog is
    /// answered, so the rest of `work` is dropped and the default value is returned. The open dialog is reported in the
    /// facts.
    pub(crate) async fn acting<T: Default>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        if let Some(stop) = self.state().blocking_error() {
            return Err(stop);
        }
        let before = self.act_baseline();
        let done = self.unless_blocked(work).await;
        if done.is_err() {
            self.record_failed_act();
        }
        let done = match done {
            Err(BrowserError::DialogOpen { .. }) => return Ok(T::default()),
            // The tab closed itself, for example after a click on the page's own "Close" button.
            Err(BrowserError::TabClosed) if !self.page().connection().is_closed() => return Ok(T::default()),
            done => done?,
        };
        self.settle_after_act(&before).await?;
        Ok(done)
    }

    /// True if the press or move since `before`, which the page's script was told to expect, hit another element. False
    /// if the page answers no more, because the act made it navigate, close or open a dialog.
    pub(crate) async fn has_missed(&self, frame: &TabFrame, before: &ActBaseline) -> bool {
        let asked = self.ask::<MissedReply>(frame, "hasMissed", ());
        let navigates = self.until(|state| before.has_navigation(state).then_some(()));
        tokio::select! {
            // No query is sent to a page that is navigating away.
            biased;
            () = navigates => false,
            said = asked => said.is_ok_and(|said| said.missed),
        }
    }
}
