//! Doing something that may change the page.

use super::Tab;
use crate::errors::BrowserError;

impl Tab {
    /// Does something that may change the page, then waits until the page has come to rest (see `settle.rs`).
    ///
    /// A dialog that opens meanwhile is what came of it, no failure: the page acknowledges nothing until it is answered,
    /// so the rest of the work is given up and the default value stands in for it. What is open is in the facts.
    pub(crate) async fn acting<T: Default>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        if let Some(stop) = self.state().stopped() {
            return Err(stop);
        }
        let before = self.mark();
        let done = self.unless_stopped(work).await;
        if done.is_err() {
            self.broke_off();
        }
        let done = match done {
            Err(BrowserError::DialogOpen { .. }) => return Ok(T::default()),
            // The tab closed itself, as a page with a button "Close" does.
            Err(BrowserError::TabClosed) if !self.page().connection().is_closed() => return Ok(T::default()),
            done => done?,
        };
        self.come_to_rest(&before).await;
        Ok(done)
    }
}
