//! The access of the request that a handler serves.
//!
//! The HTTP edge puts an [`Access`] into every request and around its task. rmcp passes the request to most methods of
//! a handler, and those use the access of the request. Some methods get no request (subscription filters, tool
//! metadata): for these a handler stores the access of the task that created it, which in the stateless era is the same
//! request.

use std::sync::Arc;

use fumi_base::text::Locale;
use fumi_kernel::Access;
use http::{HeaderMap, Uri};

/// Returns the language that a request asks for: `?lang=`, then `Accept-Language`.
pub fn requested_language(uri: &Uri, headers: &HeaderMap) -> Option<Locale> {
    let by_url = uri.query().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("lang=")));
    let by_header = || headers.get("accept-language")?.to_str().ok();
    by_url.and_then(Locale::negotiate).or_else(|| by_header().and_then(Locale::negotiate))
}

tokio::task_local! {
    static CURRENT: Arc<Access>;
}

/// Runs the work of one request with its access.
pub async fn within<F: Future>(access: Arc<Access>, work: F) -> F::Output {
    CURRENT.scope(access, work).await
}

/// Returns the access of the request that this task serves; `None` outside of a request, as with standard input.
pub fn current() -> Option<Arc<Access>> {
    CURRENT.try_with(Arc::clone).ok()
}
