//! What a tab is told when it begins.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use super::room::Room;
use crate::{clipboard::Clipboard, errors::BrowserError};

/// Judges a URL before a tab goes there: an error says why not.
pub(crate) type Judge = Arc<dyn Fn(&str) -> Result<(), BrowserError> + Send + Sync>;

/// Says why the server itself refused a request to a URL just now, if it did: all that Chromium knows is that its proxy
/// failed.
pub(crate) type Refused = Arc<dyn Fn(&str) -> Option<BrowserError> + Send + Sync>;

/// What a tab is told when it begins.
#[derive(Clone)]
pub(crate) struct TabSettings {
    /// Asked before every navigation that a caller wants. Without one every URL is allowed; what pages load by themselves is
    /// judged elsewhere.
    pub(crate) judge: Option<Judge>,
    /// Asked where a page did not load.
    pub(crate) refused: Option<Refused>,
    /// Where downloads go, as files named by their id; without a folder they are refused. It must exist.
    pub(crate) downloads: Option<PathBuf>,
    /// How much they may take.
    pub(crate) room: Arc<Room>,
    /// What was copied in any tab of the session.
    pub(crate) clipboard: Clipboard,
    /// The last number of a ref that any tab of the session gave out: a ref names one element of one tab.
    pub(crate) refs: Arc<AtomicU64>,
    /// How long a document may take until its first byte.
    pub(crate) commit: Duration,
    /// How long it is waited for after that. Then the page is taken as it is, and said to be still loading.
    pub(crate) load: Duration,
    /// How long requests that an act started are waited for.
    pub(crate) fetch: Duration,
    /// How long the script in a page may take to answer, where the page itself does not make it wait.
    pub(crate) answer: Duration,
}

impl Default for TabSettings {
    fn default() -> Self {
        Self {
            judge: None,
            refused: None,
            downloads: None,
            room: Arc::default(),
            clipboard: Clipboard::default(),
            refs: Arc::default(),
            commit: Duration::from_secs(20),
            load: Duration::from_secs(10),
            fetch: Duration::from_millis(500),
            answer: Duration::from_secs(15),
        }
    }
}

impl fmt::Debug for TabSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TabSettings")
            .field("downloads", &self.downloads)
            .field("commit", &self.commit)
            .field("load", &self.load)
            .field("fetch", &self.fetch)
            .field("answer", &self.answer)
            .finish_non_exhaustive()
    }
}
