//! Going somewhere: to a URL, back and forward, and what arrived.

use std::time::Duration;

use fumi_base::text::Text;
use tokio::time::{Instant, timeout, timeout_at};

use super::Tab;
use crate::{
    devtools::protocol::page::{GetNavigationHistory, LoaderId, Navigate, NavigateToHistoryEntry, StopLoading},
    errors::BrowserError,
};

/// Time for which a navigation that a page asked for may take to begin; some, such as `javascript:` URLs, never do.
pub(super) const BEGINNING: Duration = Duration::from_millis(200);
/// What Chromium says where no document comes: of a download, of nothing to show, of a process that died.
const ABORTED: &str = "net::ERR_ABORTED";
/// Within this the events of what has happened have been read.
const TOLD: Duration = Duration::from_secs(1);

/// What came of going somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Where the tab is now.
    pub url: String,
    /// Its title; empty while a dialog is open.
    pub title: String,
    /// The status of the document; none where nothing was asked for over HTTP.
    pub status: Option<u16>,
    /// The URLs that led there, the first first.
    pub redirects: Vec<String>,
    /// What else there is to say.
    pub note: Option<Note>,
}

/// What else there is to say of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The page is there and still loads something.
    StillLoading,
    /// It became a download; the page before is still there.
    Download,
    /// The server had nothing to show; the page before is still there.
    NoContent,
}

impl Tab {
    /// Goes to a URL and waits until the page has loaded, at most as long as the settings say; a page that never stops
    /// loading is taken as it is.
    ///
    /// A dialog that opens while the page loads is in the facts; one that keeps the tab from leaving the page before is
    /// [`BrowserError::DialogOpen`], and answering it goes on.
    pub async fn navigate(&self, url: &str) -> Result<Arrival, BrowserError> {
        if let Some(judge) = &self.settings().judge {
            judge(url)?;
        }
        self.can_leave()?;
        let before = self.mark();
        let command = Navigate { url: url.to_owned() };
        let work = async {
            let navigated = self.page().call(&command).await?;
            if !navigated.is_download && navigated.error_text.as_deref() != Some(ABORTED) {
                // The answer overtakes the event that the document has come, that which stands for one that failed too: whoever
                // goes on before it would take it for their own. A fragment has none, and the same one again no event at all.
                let told = self.until(|state| match &navigated.loader_id {
                    Some(loader) => state.navigations.has_arrived(loader).then_some(()),
                    None => before.went_on(state).then_some(()),
                });
                let _ = timeout(TOLD, told).await;
            }
            Ok(navigated)
        };
        let Some(navigated) = self.committed(url, &before, work).await? else {
            // A dialog of the new page: it has arrived as far as it can.
            return Ok(self.arrival(None).await);
        };
        if navigated.is_download {
            return Ok(self.stayed(Note::Download).await);
        }
        if let Some(reason) = navigated.error_text {
            let led_to = self.led_to(navigated.loader_id.as_ref());
            self.not_refused(led_to.as_deref().unwrap_or(url))?;
            return self.not_loaded(url, reason, navigated.loader_id).await;
        }
        let arrival = self.arrived(&before).await;
        if arrival.status == Some(403) {
            self.not_refused(&arrival.url)?;
        }
        Ok(arrival)
    }

    /// Where the redirects of a document led, if there were any.
    fn led_to(&self, loader: Option<&LoaderId>) -> Option<String> {
        self.state().navigations.known(loader?)?.led_to.clone()
    }

    /// What was refused on the way out by the policy is no fault of the network.
    fn not_refused(&self, url: &str) -> Result<(), BrowserError> {
        let refused = self.settings().refused.as_ref();
        refused.and_then(|refused| refused(url)).map_or(Ok(()), Err)
    }

    /// Goes back in the tab's history.
    pub async fn back(&self) -> Result<Arrival, BrowserError> {
        self.travel(-1).await
    }

    /// Goes forward in the tab's history.
    pub async fn forward(&self) -> Result<Arrival, BrowserError> {
        self.travel(1).await
    }

    async fn travel(&self, by: i64) -> Result<Arrival, BrowserError> {
        self.can_leave()?;
        let history = self.page().call(&GetNavigationHistory {}).await?;
        let index = usize::try_from(history.current_index + by).map_err(|_| BrowserError::NoHistory)?;
        let entry = history.entries.get(index).ok_or(BrowserError::NoHistory)?;
        if let Some(judge) = &self.settings().judge {
            judge(&entry.url)?;
        }
        let before = self.mark();
        let go = NavigateToHistoryEntry { entry_id: entry.id };
        let work = async {
            self.page().call(&go).await?;
            // Acknowledged before anything has happened.
            self.until(|state| before.went_on(state).then_some(())).await;
            Ok(())
        };
        if self.committed(&entry.url, &before, work).await?.is_none() {
            return Ok(self.arrival(None).await);
        }
        Ok(self.arrived(&before).await)
    }

    /// A dialog must be answered first. A crashed tab gets a new process by going somewhere.
    fn can_leave(&self) -> Result<(), BrowserError> {
        match self.state().stopped() {
            None | Some(BrowserError::Crashed) => Ok(()),
            Some(stop) => Err(stop),
        }
    }

    /// Waits until a navigation has led to a document or has failed. None says that the document came with a dialog.
    async fn committed<T>(
        &self,
        url: &str,
        before: &super::settle::Mark,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<Option<T>, BrowserError> {
        let stop = self.until(|state| match state.stopped() {
            Some(BrowserError::Crashed) if !before.went_on(state) => None,
            stop => stop,
        });
        let after = self.settings().commit;
        let work = async {
            tokio::select! {
                biased;
                done = work => done.map(Some),
                stop = stop => match stop {
                    BrowserError::DialogOpen { .. } if before.went_on(&self.state()) => Ok(None),
                    stop => Err(stop),
                },
            }
        };
        if let Ok(done) = timeout(after, work).await {
            done
        } else {
            self.page().send(&StopLoading {});
            Err(BrowserError::TooLate {
                what: Text::new(
                    format!("an answer of the server of {}", fumi_base::project::quoted(url)),
                    format!("{} のサーバーからの応答", fumi_base::project::quoted(url)),
                ),
                after,
            })
        }
    }

    /// Nothing arrived: a download, nothing to show, or a failure.
    async fn not_loaded(&self, url: &str, reason: String, loader: Option<LoaderId>) -> Result<Arrival, BrowserError> {
        if reason == ABORTED {
            // So says Chromium too of a process that dies on the way, a moment before it tells that.
            let crashed = self.until(|state| state.has_crashed.then_some(()));
            if timeout(BEGINNING, crashed).await.is_ok() {
                return Err(BrowserError::Crashed);
            }
            let status = loader.and_then(|loader| self.state().navigations.known(&loader)?.status);
            if matches!(status, Some(204 | 205)) {
                let mut arrival = self.stayed(Note::NoContent).await;
                arrival.status = status;
                return Ok(arrival);
            }
        }
        Err(BrowserError::NotLoaded {
            url: url.to_owned(),
            reason,
        })
    }

    async fn stayed(&self, note: Note) -> Arrival {
        Arrival {
            url: self.url(),
            title: self.title().await,
            note: Some(note),
            ..Arrival::default()
        }
    }

    /// Waits for a page that has arrived, and says what it is.
    async fn arrived(&self, before: &super::settle::Mark) -> Arrival {
        let end = Instant::now() + self.settings().load;
        self.loaded_until(end).await;
        // Pages that send on at once, and those that get what they show after they have loaded.
        self.come_to_rest(before).await;
        let note = (!self.state().is_loaded() && self.dialog().is_none()).then_some(Note::StillLoading);
        self.arrival(note).await
    }

    async fn arrival(&self, note: Option<Note>) -> Arrival {
        let title = self.title_now().await;
        let state = self.state();
        let main = state.frames.main().inner();
        let document = state.navigations.known(&main.loader).cloned().unwrap_or_default();
        Arrival {
            url: main.url.clone(),
            title,
            status: document.status,
            redirects: document.redirects,
            note,
        }
    }

    /// Waits until the main frame has loaded or something is in the way; false if time is up first.
    pub(super) async fn loaded_until(&self, end: Instant) -> bool {
        let over = self.until(|state| (state.is_loaded() || state.stopped().is_some()).then_some(()));
        timeout_at(end, over).await.is_ok()
    }
}
