//! Whose request a handler serves.
//!
//! The HTTP edge puts an [`Access`] into every request and around its task. rmcp hands the request to most methods of a
//! handler, and there the request's own counts. Some get no request (what a stream may watch, how a tool looks): for these
//! a handler remembers the access of the task that made it, which is the same request in the stateless era.

use std::sync::Arc;

use fumi_base::text::Locale;
use http::{HeaderMap, Uri};

use crate::tool::Access;

/// The language that a request asks for: `?lang=`, then `Accept-Language`.
#[must_use]
pub fn wish(uri: &Uri, headers: &HeaderMap) -> Option<Locale> {
    let by_url = uri
        .query()
        .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("lang=")));
    let by_header = || headers.get("accept-language")?.to_str().ok();
    by_url
        .and_then(Locale::negotiate)
        .or_else(|| by_header().and_then(Locale::negotiate))
}

tokio::task_local! {
    static CURRENT: Arc<Access>;
}

/// Runs the work of one request in its access.
pub async fn within<F: Future>(access: Arc<Access>, work: F) -> F::Output {
    CURRENT.scope(access, work).await
}

/// The access of the request that this task serves; `None` outside of one, as with standard input.
#[must_use]
pub fn current() -> Option<Arc<Access>> {
    CURRENT.try_with(Arc::clone).ok()
}
