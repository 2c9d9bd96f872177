//! Keeps the entry of this replica current, and ends the sessions here that another replica has taken over meanwhile.

use std::{
    sync::{Arc, Weak},
    time::Instant,
};

use fumi_base::store::StoreError;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use tokio::time::sleep;

use super::{
    replicas::{RENEWAL, Replicas},
    session_manager::McpSessionManager,
    session_registry::SessionEndReason,
};

/// Renews the entry of this replica until the manager is dropped. Logs a failure once, until a renewal succeeds.
pub(super) async fn keep_current(sessions: Weak<McpSessionManager>, replicas: Arc<Replicas>) {
    loop {
        sleep(RENEWAL).await;
        let Some(sessions) = sessions.upgrade() else { return };
        if sessions.is_closing() {
            return;
        }
        let (began, had_entry) = (Instant::now(), replicas.has_entry());
        match renew(&sessions, &replicas).await {
            Ok(()) => {
                replicas.mark_current(began);
                if !had_entry {
                    tracing::info!("this replica is entered in the store again");
                }
            }
            Err(error) if had_entry => {
                tracing::warn!(%error, "the entry of this replica cannot be renewed; trying again until it can");
            }
            Err(_) => {}
        }
    }
}

/// Renews the entry once. If it was missing, or the store was away, each session is checked.
async fn renew(sessions: &McpSessionManager, replicas: &Replicas) -> Result<(), StoreError> {
    let was_renewed = replicas.has_entry() && replicas.is_current();
    let was_known = replicas.renew().await?;
    if was_known && was_renewed {
        return Ok(());
    }
    if was_renewed {
        tracing::warn!(
            "the entry of this replica was removed: the store has lost its data, or another replica has the same FUMI__SERVER__REPLICA_URL"
        );
    }
    leave_moved(sessions).await
}

/// Ends the sessions in this process that another replica has taken over, or that the store has lost. The choices of the
/// others are stored, if they could not be before.
async fn leave_moved(sessions: &McpSessionManager) -> Result<(), StoreError> {
    let registry = sessions.streams();
    for id in registry.ids() {
        // A session that is being restored is ready after that.
        let turn = sessions.lock(&id).await;
        if !registry.is_open(&id) {
            continue;
        }
        if registry.stored().confirm(&id).await? {
            drop(turn);
            // If another replica takes it over in between, the next round ends it here.
            let _ = registry.store_choices(&id).await;
            continue;
        }
        let why = match registry.stored().find(&id).await? {
            Some(_) => SessionEndReason::Moved,
            None => SessionEndReason::Lost,
        };
        tracing::info!(why = why.name(), "a session ends in this replica");
        registry.end(&id, why);
        let _ = sessions.inner().close_session(&id.as_str().into()).await;
    }
    Ok(())
}
