//! Whose request a handler serves.
//!
//! The HTTP edge puts an [`Access`] into every request and around its task. rmcp hands the request to most methods of a
//! handler, and there the request's own counts. Some get no request (what a stream may watch, how a tool looks): for these
//! a handler remembers the access of the task that made it, which is the same request in the stateless era.

use std::sync::Arc;

use crate::tool::Access;

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
