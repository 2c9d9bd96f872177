//! The policy as tabs ask it, and what the gate refused of what pages wanted.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use fumi_base::text::Text;
use url::Url;

use crate::{
    errors::BrowserError,
    policy::{Denial, Policy},
};

/// Refusals that are kept: more than one page's.
const KEPT: usize = 200;

/// How long a refusal explains a failure: longer than a navigation may take.
const RECENT: Duration = Duration::from_mins(1);

/// The policy, and what it refused.
#[derive(Debug, Default)]
pub struct Guard {
    policy: Policy,
    // Held for moves only, never over a wait.
    refusals: Mutex<VecDeque<Refusal>>,
}

/// What the gate refused.
#[derive(Debug)]
struct Refusal {
    /// Host and port as the page wrote them, `example.com:443`.
    host: String,
    reason: Text,
    at: Instant,
}

impl Guard {
    pub(crate) fn new(policy: Policy) -> Arc<Self> {
        Arc::new(Self {
            policy,
            refusals: Mutex::default(),
        })
    }

    /// The policy.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Judges a URL that a caller wants to open.
    pub fn judge(&self, url: &str) -> Result<(), BrowserError> {
        self.policy.judge(url).map_err(|Denial(reason)| BrowserError::Denied {
            url: url.to_owned(),
            reason,
        })
    }

    /// Why a request to a URL was refused, if it was just now: what Chromium itself says of it is only that the proxy did
    /// not do it.
    #[must_use]
    pub fn refused(&self, url: &str) -> Option<BrowserError> {
        let parsed = Url::parse(url).ok()?;
        let host = format!("{}:{}", parsed.host_str()?, parsed.port_or_known_default()?);
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals
            .iter()
            .rev()
            .find(|refusal| refusal.host == host && refusal.at.elapsed() < RECENT)
            .map(|refusal| BrowserError::Denied {
                url: url.to_owned(),
                reason: refusal.reason.clone(),
            })
    }

    pub(crate) fn remember(&self, host: String, Denial(reason): Denial) {
        // Of a page that goes on asking there are thousands.
        tracing::debug!(host, reason = %reason.en, "a request of a page is denied");
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() == KEPT {
            refusals.pop_front();
        }
        refusals.push_back(Refusal {
            host,
            reason,
            at: Instant::now(),
        });
    }
}
