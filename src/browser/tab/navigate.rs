//! Navigation: to a URL, back and forward in the history, and the result.
//!
//! Every URL that a caller asks for passes the policy (`judge`) first; loads that the page starts itself are judged
//! elsewhere.

use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use super::{Tab, unresponsive::no_answer_of_server};
use crate::{
    devtools::protocol::page::{GetNavigationHistory, LoaderId, NavigateToHistoryEntry, NavigateToUrl, StopLoading},
    errors::BrowserError,
};

/// The time that a navigation requested by a page may take to begin. Some, such as `javascript:` URLs, never do.
pub(super) const NAVIGATION_START_TIMEOUT: Duration = Duration::from_millis(200);
/// Chromium's error text if no document arrives: for a download, a response without content, or a process that died.
const ABORTED: &str = "net::ERR_ABORTED";
/// The time within which the events of what has already happened are handled.
const EVENT_TIMEOUT: Duration = Duration::from_secs(1);

/// The result of a navigation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The current URL of the tab.
    pub url: String,
    /// The title of the page; empty while a dialog is open.
    pub title: String,
    /// The HTTP status of the document; `None` if nothing was requested over HTTP.
    pub status: Option<u16>,
    /// The URLs that redirected here, the first one first.
    pub redirects: Vec<String>,
    pub note: Option<ArrivalNote>,
}

/// A remark on the result of a navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalNote {
    /// The page has arrived and is still loading something.
    StillLoading,
    /// The URL became a download; the tab still shows the previous page.
    Download,
    /// The server sent no content; the tab still shows the previous page.
    NoContent,
}

impl Tab {
    /// Navigates to a URL and waits until the page has loaded, at most for the time in the settings. A page that is
    /// still loading then is accepted as it is.
    ///
    /// A dialog that opens while the page loads is reported in the facts. A dialog of the previous page that prevents
    /// the navigation is [`BrowserError::DialogOpen`]; answering it continues the navigation.
    pub async fn navigate(&self, url: &str) -> Result<Arrival, BrowserError> {
        if let Some(judge) = &self.settings().judge {
            judge(url)?;
        }
        self.can_leave()?;
        self.stop_endless_script().await;
        let before = self.act_baseline();
        let command = NavigateToUrl { url: url.to_owned() };
        let work = async {
            let navigated = self.page().call(&command).await?;
            if !navigated.is_download && navigated.error_text.as_deref() != Some(ABORTED) {
                // The answer overtakes the event of the document's arrival, also for the error page of a failed
                // document. A next act that starts before that event would take it for its own result. A fragment
                // navigation has no loader, and navigating to the same fragment again causes no event.
                let told = self.until(|state| match &navigated.loader_id {
                    Some(loader) => state.navigations.has_arrived(loader).then_some(()),
                    None => before.has_main_changed(state).then_some(()),
                });
                let _ = timeout(EVENT_TIMEOUT, told).await;
            }
            Ok(navigated)
        };
        let Some(navigated) = self.until_committed(url, &before, work).await? else {
            // A dialog of the new page: the page has arrived as far as it can.
            return Ok(self.arrival(None).await);
        };
        if navigated.is_download {
            return Ok(self.unchanged_arrival(ArrivalNote::Download).await);
        }
        if let Some(reason) = navigated.error_text {
            let led_to = self.redirect_target(navigated.loader_id.as_ref());
            self.check_refused(led_to.as_deref().unwrap_or(url))?;
            return self.not_loaded(url, reason, navigated.loader_id).await;
        }
        let arrival = self.arrived(&before).await?;
        if arrival.status == Some(403) {
            self.check_refused(&arrival.url)?;
        }
        Ok(arrival)
    }

    /// Returns the URL that the redirects of a document led to, if there were any.
    fn redirect_target(&self, loader: Option<&LoaderId>) -> Option<String> {
        self.state().navigations.known(loader?)?.led_to.clone()
    }

    /// Returns the policy's error if the server's own proxy refused the request to this URL: that is not a network
    /// error.
    fn check_refused(&self, url: &str) -> Result<(), BrowserError> {
        let refused = self.settings().refused.as_ref();
        refused.and_then(|refused| refused(url)).map_or(Ok(()), Err)
    }

    /// Goes back one entry in the tab's history.
    pub async fn back(&self) -> Result<Arrival, BrowserError> {
        self.go_history(-1).await
    }

    /// Goes forward one entry in the tab's history.
    pub async fn forward(&self) -> Result<Arrival, BrowserError> {
        self.go_history(1).await
    }

    async fn go_history(&self, by: i64) -> Result<Arrival, BrowserError> {
        self.can_leave()?;
        self.stop_endless_script().await;
        let history = self.page().call(&GetNavigationHistory {}).await?;
        let index = usize::try_from(history.current_index + by).map_err(|_| BrowserError::NoHistory)?;
        let entry = history.entries.get(index).ok_or(BrowserError::NoHistory)?;
        if let Some(judge) = &self.settings().judge {
            judge(&entry.url)?;
        }
        let before = self.act_baseline();
        let go = NavigateToHistoryEntry { entry_id: entry.id };
        let work = async {
            self.page().call(&go).await?;
            // The command is acknowledged before anything has happened.
            self.until(|state| before.has_main_changed(state).then_some(())).await;
            Ok(())
        };
        if self.until_committed(&entry.url, &before, work).await?.is_none() {
            return Ok(self.arrival(None).await);
        }
        self.arrived(&before).await
    }

    /// Returns an error if the tab cannot navigate: an open dialog must be answered first. A crashed tab can: navigating
    /// gives it a new process. So can one with a document that is not allowed.
    fn can_leave(&self) -> Result<(), BrowserError> {
        match self.state().blocking_error() {
            None | Some(BrowserError::TabCrashed { .. } | BrowserError::UrlDenied { .. }) => Ok(()),
            Some(stop) => Err(stop),
        }
    }

    /// Waits until a navigation has led to a document or has failed. Returns `None` if the document arrived and opened
    /// a dialog.
    async fn until_committed<T>(
        &self,
        url: &str,
        before: &super::settle::ActBaseline,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<Option<T>, BrowserError> {
        let stop = self.until(|state| match state.blocking_error() {
            Some(BrowserError::TabCrashed { .. } | BrowserError::UrlDenied { .. })
                if !before.has_main_changed(state) =>
            {
                None
            }
            stop => stop,
        });
        let after = self.settings().commit;
        let work = async {
            tokio::select! {
                biased;
                done = work => done.map(Some),
                stop = stop => match stop {
                    BrowserError::DialogOpen { .. } if before.has_main_changed(&self.state()) => Ok(None),
                    stop => Err(stop),
                },
            }
        };
        if let Ok(done) = timeout(after, work).await {
            done
        } else {
            self.page().send(&StopLoading {});
            Err(no_answer_of_server(url, after))
        }
    }

    /// Maps a navigation without a new document to its result: an arrival with a note if there was no content,
    /// otherwise an error.
    async fn not_loaded(&self, url: &str, reason: String, loader: Option<LoaderId>) -> Result<Arrival, BrowserError> {
        if reason == ABORTED {
            // Chromium reports the same for a process that dies during the navigation, a moment before it reports the
            // crash.
            let crashed = self.until(|state| state.has_crashed.then_some(()));
            if timeout(NAVIGATION_START_TIMEOUT, crashed).await.is_ok() {
                return Err(BrowserError::TabCrashed { url: url.to_owned() });
            }
            let status = loader.and_then(|loader| self.state().navigations.known(&loader)?.status);
            if matches!(status, Some(204 | 205)) {
                let mut arrival = self.unchanged_arrival(ArrivalNote::NoContent).await;
                arrival.status = status;
                return Ok(arrival);
            }
        }
        Err(BrowserError::PageNotLoaded { url: url.to_owned(), reason })
    }

    async fn unchanged_arrival(&self, note: ArrivalNote) -> Arrival {
        Arrival { url: self.url(), title: self.title().await, note: Some(note), ..Arrival::default() }
    }

    /// Waits until a page that has arrived is loaded and settled, and returns the result.
    ///
    /// Returns an error if the page redirects to a document whose server does not answer.
    async fn arrived(&self, before: &super::settle::ActBaseline) -> Result<Arrival, BrowserError> {
        let end = Instant::now() + self.settings().load;
        self.loaded_until(end).await;
        // Covers pages that redirect at once, and pages that fetch their content after they have loaded.
        self.settle_after_act(before).await?;
        let note = (!self.state().is_loaded() && self.dialog().is_none()).then_some(ArrivalNote::StillLoading);
        Ok(self.arrival(note).await)
    }

    async fn arrival(&self, note: Option<ArrivalNote>) -> Arrival {
        let title = self.current_title().await;
        let state = self.state();
        let main = state.frames.main().inner();
        let document = state.navigations.known(&main.loader).cloned().unwrap_or_default();
        Arrival { url: main.url.clone(), title, status: document.status, redirects: document.redirects, note }
    }

    /// Waits until the main frame has loaded or the page is blocked. Returns false if time is up first.
    pub(super) async fn loaded_until(&self, end: Instant) -> bool {
        let over = self.until(|state| (state.is_loaded() || state.blocking_error().is_some()).then_some(()));
        timeout_at(end, over).await.is_ok()
    }
}
