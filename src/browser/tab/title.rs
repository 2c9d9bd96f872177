//! The title of a page, including a page that is still loading.
//!
//! A document that has just arrived has no title until its head is parsed, and a window that a page opened shows an
//! empty document first. An empty title is therefore read again once the document is parsed.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::{FRAME_TIMEOUT, Tab, TabState};
use crate::{devtools::protocol::page::LoaderId, errors::BrowserError};

/// The maximum wait until a document without a title is parsed.
const READING: Duration = Duration::from_secs(1);
/// The maximum number of documents that may replace each other meanwhile.
const ATTEMPTS: usize = 4;

/// The age up to which a reported title counts as current: reading it anew takes about as long.
const FRESH: Duration = Duration::from_millis(5);

/// The title of a document as the page reported it at the end of the last wait, with the time.
#[derive(Clone, Debug)]
pub(super) struct ReportedTitle {
    document: LoaderId,
    title: String,
    at: Instant,
}

impl ReportedTitle {
    pub(super) fn new(document: LoaderId, title: String) -> Self {
        let at = Instant::now();
        Self { document, title, at }
    }
}

impl Tab {
    /// Returns the title. Reads it from the page unless the page has just reported it and the tab is in hurried mode.
    /// An observation always reads it: the answer ensures that earlier events, such as another URL, have been handled.
    pub(super) async fn current_title(&self) -> String {
        let told = self.state().reported_title();
        match told {
            Some(title) => title,
            None => self.title().await,
        }
    }

    /// Reads the current title from the page. Returns an empty text if the page has none or does not answer in time: a
    /// process that has just started on a busy machine takes a second or more.
    pub async fn title(&self) -> String {
        let asked = async {
            for _ in 0..ATTEMPTS {
                let was_read = self.state().is_read();
                match self.ask::<String>(&self.main(), "title", ()).await {
                    Ok(title) if was_read || !title.is_empty() => return title,
                    // An earlier document, or one that was replaced during the query.
                    Ok(_) | Err(BrowserError::ChromiumRefused { .. } | BrowserError::ChromiumGone { .. }) => {}
                    Err(_) => break,
                }
                let read = self.until(|state| (state.is_read() || state.blocking_error().is_some()).then_some(()));
                if timeout(READING, read).await.is_err() {
                    break;
                }
            }
            String::new()
        };
        timeout(FRAME_TIMEOUT, asked).await.unwrap_or_default()
    }
}

impl TabState {
    /// Returns the title that the current document has just reported, in hurried mode only.
    fn reported_title(&self) -> Option<String> {
        let told = self.reported_title.as_ref().filter(|told| self.is_hurried && !told.title.is_empty())?;
        let is_true = told.at.elapsed() < FRESH && told.document == self.frames.main().inner().loader;
        is_true.then(|| told.title.clone())
    }

    /// True if the main frame's document is parsed to its end, and no newer one is pending.
    fn is_read(&self) -> bool {
        let loading = &self.frames.main().inner().loading;
        loading.is_ready && loading.coming.is_none() && !self.navigations.is_asked
    }
}
