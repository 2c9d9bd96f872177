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

/// Renews the entry of this replica until the manager is dropped, and stores the choices of sessions that could not be stored
/// before. Logs a failure once, until a renewal succeeds.
pub(super) async fn keep_current(sessions: Weak<McpSessionManager>, replicas: Arc<Replicas>) {
    loop {
        sleep(RENEWAL).await;
        let Some(sessions) = sessions.upgrade() else { return };
        if sessions.is_closing() {
            return;
        }
        let was_renewed = replicas.is_renewed();
        match renew(&sessions, &replicas).await {
            Ok(began) => {
                replicas.mark_current(began);
                if !was_renewed {
                    tracing::info!("this replica is entered in the store again");
                }
                sessions.streams().store_all_choices().await;
            }
            Err(error) => {
                replicas.mark_unrenewed();
                if was_renewed {
                    tracing::warn!(%error, "the entry of this replica cannot be renewed; trying again until it can");
                }
            }
        }
    }
}

/// Renews the entry, and returns the time at which the renewal began. If the entry was missing, or earlier renewals failed,
/// each session is checked.
async fn renew(sessions: &McpSessionManager, replicas: &Replicas) -> Result<Instant, StoreError> {
    let was_renewed = replicas.is_renewed() && replicas.is_current();
    let began = Instant::now();
    if replicas.renew().await? {
        if was_renewed {
            return Ok(began);
        }
    } else if was_renewed {
        tracing::warn!(
            "the entry of this replica was removed: the store has lost its data, or another replica has the same FUMI__SERVER__REPLICA_URL"
        );
    }
    leave_moved(sessions, replicas, began).await
}

/// Ends the sessions in this process that another replica has taken over, or that the store has lost. Stores the choices of
/// the remaining sessions if that failed before. Meanwhile the entry is renewed again; returns the time at which the last
/// renewal began.
async fn leave_moved(
    sessions: &McpSessionManager,
    replicas: &Replicas,
    mut renewed: Instant,
) -> Result<Instant, StoreError> {
    let registry = sessions.streams();
    for id in registry.ids() {
        if renewed.elapsed() > RENEWAL {
            let began = Instant::now();
            // If the entry was missing, the sessions checked so far may have been taken over: the next round begins again.
            if !replicas.renew().await? {
                return Err(StoreError::Lost);
            }
            renewed = began;
        }
        // Waits for a restore of the session that is under way.
        let turn = sessions.lock(&id).await;
        if !registry.is_open(&id) {
            continue;
        }
        if registry.stored().confirm(&id).await? {
            drop(turn);
            // If another replica takes the session over before that, the next round ends it here.
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
    Ok(renewed)
}
