//! The policy as tabs use it, and a log of the requests that the proxy denied.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use fumi_base::text::BilingualText;
use parking_lot::Mutex;
use url::Url;

use crate::{
    errors::BrowserError,
    policy::{Denial, UrlPolicy},
};

/// Denied requests that are kept; more than one page usually causes.
const KEPT: usize = 200;

/// The time during which a denied request explains a failed navigation; longer than a navigation may take.
const RECENT: Duration = Duration::from_mins(1);

/// The policy and the log of denied requests.
#[derive(Debug, Default)]
pub struct PolicyGuard {
    policy: UrlPolicy,
    // Locked only to move values, never across an await.
    refusals: Mutex<VecDeque<DeniedRequest>>,
}

/// A request that the proxy denied.
#[derive(Debug)]
struct DeniedRequest {
    /// Host and port as the page wrote them, such as `example.com:443`.
    host: String,
    reason: BilingualText,
    at: Instant,
}

impl PolicyGuard {
    pub(crate) fn new(policy: UrlPolicy) -> Arc<Self> {
        Arc::new(Self { policy, refusals: Mutex::default() })
    }

    pub(crate) fn policy(&self) -> &UrlPolicy {
        &self.policy
    }

    /// Checks a URL that a caller wants to open.
    pub fn check_url(&self, url: &str) -> Result<(), BrowserError> {
        self.policy.check_url(url).map_err(|Denial(reason)| BrowserError::UrlDenied { url: url.to_owned(), reason })
    }

    /// Returns the reason if a request to the URL's host was denied recently. Chromium itself reports only that the
    /// proxy failed.
    pub fn recent_denial(&self, url: &str) -> Option<BrowserError> {
        let parsed = Url::parse(url).ok()?;
        let host = format!("{}:{}", parsed.host_str()?, parsed.port_or_known_default()?);
        let refusals = self.refusals.lock();
        refusals
            .iter()
            .rev()
            .find(|refusal| refusal.host == host && refusal.at.elapsed() < RECENT)
            .map(|refusal| BrowserError::UrlDenied { url: url.to_owned(), reason: refusal.reason.clone() })
    }

    pub(crate) fn record_denial(&self, host: String, Denial(reason): Denial) {
        // Logged at debug level, as a page that keeps trying causes thousands.
        tracing::debug!(host, reason = %reason.en, "a request of a page is denied");
        let mut refusals = self.refusals.lock();
        if refusals.len() == KEPT {
            refusals.pop_front();
        }
        refusals.push_back(DeniedRequest { host, reason, at: Instant::now() });
    }
}
