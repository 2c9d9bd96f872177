//! The settings of a tab: policies, limits and timeouts that it gets at creation.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use super::download_budget::DownloadBudget;
use crate::{clipboard::Clipboard, errors::BrowserError};

/// A policy that checks a URL before a tab navigates there. An error states why the URL is not allowed.
pub(crate) type NavigationPolicy = Arc<dyn Fn(&str) -> Result<(), BrowserError> + Send + Sync>;

/// A look-up of the reason why the server itself refused a recent request to a URL. Returns `None` if it did not.
/// Chromium knows only that its proxy failed.
pub(crate) type RefusalLookup = Arc<dyn Fn(&str) -> Option<BrowserError> + Send + Sync>;

/// The settings that a tab gets at creation.
#[derive(Clone)]
pub(crate) struct TabSettings {
    /// The policy for every navigation that a caller asks for. Without one every URL is allowed. Loads that pages start
    /// themselves are judged elsewhere.
    pub(crate) judge: Option<NavigationPolicy>,
    /// The look-up that explains why a page did not load.
    pub(crate) refused: Option<RefusalLookup>,
    /// The folder for downloads, which must exist. Files are named by their download id. Without a folder downloads are
    /// denied.
    pub(crate) downloads: Option<PathBuf>,
    /// The session's budget for downloads.
    pub(crate) room: Arc<DownloadBudget>,
    /// The clipboard that all tabs of the session share.
    pub(crate) clipboard: Clipboard,
    /// The last ref number used in any tab of the session: a ref identifies one element of one tab.
    pub(crate) refs: Arc<AtomicU64>,
    /// The timeout until a document's first byte.
    pub(crate) commit: Duration,
    /// The time that a document may take to load after its first byte. Then the page is accepted as it is, and reported
    /// as still loading.
    pub(crate) load: Duration,
    /// The maximum wait for requests that an act started.
    pub(crate) fetch: Duration,
    /// The timeout for answers of the script in a page, except where the script waits on purpose.
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
