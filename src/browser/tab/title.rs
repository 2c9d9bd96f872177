//! The title of a page, also of one that is on its way.
//!
//! A document that has just come has no title until its head is read, and a window that a page opened shows an empty document
//! first. So what is empty is asked for again once the document is read.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::{PATIENCE, State, Tab};
use crate::{devtools::protocol::page::LoaderId, errors::BrowserError};

/// How long a document without a title is read at most.
const READING: Duration = Duration::from_secs(1);
/// Documents that may come one after the other meanwhile.
const ATTEMPTS: usize = 4;

/// A title that was told this long ago is the title: asking takes about as long.
const FRESH: Duration = Duration::from_millis(5);

/// The title of a document, as the page told it when it was last waited for.
#[derive(Clone, Debug)]
pub(super) struct Titled {
    document: LoaderId,
    title: String,
    at: Instant,
}

impl Titled {
    pub(super) fn new(document: LoaderId, title: String) -> Self {
        let at = Instant::now();
        Self { document, title, at }
    }
}

impl Tab {
    /// The title, asked for unless the page has just told it and the next act comes at once. Whoever looks asks: with the answer have
    /// come the events before it, such as another URL.
    pub(super) async fn title_now(&self) -> String {
        let told = self.state().told_title();
        match told {
            Some(title) => title,
            None => self.title().await,
        }
    }

    /// The title, as the page has it now; empty where the page has none or does not answer soon: a process that has just begun
    /// on a busy machine takes a second or more.
    pub async fn title(&self) -> String {
        let asked = async {
            for _ in 0..ATTEMPTS {
                let was_read = self.state().is_read();
                match self.ask::<String>(&self.main(), "title", ()).await {
                    Ok(title) if was_read || !title.is_empty() => return title,
                    // An earlier document, or one that left during the question.
                    Ok(_) | Err(BrowserError::Protocol(_)) => {}
                    Err(_) => break,
                }
                let read = self.until(|state| (state.is_read() || state.stopped().is_some()).then_some(()));
                if timeout(READING, read).await.is_err() {
                    break;
                }
            }
            String::new()
        };
        timeout(PATIENCE, asked).await.unwrap_or_default()
    }
}

impl State {
    /// What the document that is there has just told.
    fn told_title(&self) -> Option<String> {
        let told = self
            .told_title
            .as_ref()
            .filter(|told| self.is_hurried && !told.title.is_empty())?;
        let is_true = told.at.elapsed() < FRESH && told.document == self.frames.main().inner().loader;
        is_true.then(|| told.title.clone())
    }

    /// Whether the main frame's document is read to its end, and nothing newer is coming.
    fn is_read(&self) -> bool {
        let loading = &self.frames.main().inner().loading;
        loading.is_ready && loading.coming.is_none() && !self.navigations.is_asked
    }
}
