//! Admits requests to sessions, and restores sessions that this process does not have.
//!
//! Invariants: only the principal that opened a session may use it, before and after a restart; for all others it does
//! not exist. A session is restored once, however many requests wait for it, and a request that is disconnected does
//! not stop that. A restored session is checked against the permissions of now.
//!
//! rmcp can restore sessions too, by a `SessionStore`. That is not used: requests that arrive while it restores, or
//! just after, find a session that is not ready or restore it a second time, which ends it (HTTP 500); a client that
//! disconnects in between leaves it half restored for ever.

use std::{path::PathBuf, sync::Arc};

use fumi_base::{project::Project, store::StoreError};
use fumi_kernel::Access;
use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, InitializeRequest, InitializeRequestParams,
        InitializedNotification, RequestId, ServerJsonRpcMessage,
    },
    service::{Peer, serve_server_with_ct},
    transport::{
        TransportAdapterIdentity,
        streamable_http_server::session::{RestoreOutcome, SessionId, SessionManager as _},
    },
};
use tokio::sync::{OwnedMutexGuard, oneshot};
use tracing::Instrument as _;

use super::{
    access,
    server::McpServer,
    session_manager::McpSessionManager,
    session_registry::{ReadySession, SessionEndReason},
    session_store::SessionRecord,
    subscriptions::Subscriber,
};

/// The error of a request whose session is not available.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionError {
    /// The session does not exist, or belongs to another principal.
    #[error("no such session")]
    Unknown,
    /// The largest number of sessions is open.
    #[error("{0} sessions are open")]
    Full(usize),
    /// The store cannot be read, so the session may or may not exist.
    #[error("sessions cannot be read: {0}")]
    Unavailable(#[from] StoreError),
    /// The session exists, but restoring it failed.
    #[error("the session could not be restored")]
    Failed,
    /// The process shuts down; the session continues in the next one.
    #[error("the server is shutting down")]
    Closing,
}

pub fn access_of(parts: &http::request::Parts) -> Option<&Arc<Access>> {
    parts.extensions.get::<Arc<Access>>()
}

/// Returns the name of a request's principal; empty without authentication.
pub fn principal_of(parts: &http::request::Parts) -> &str {
    access_of(parts).map_or("", |access| &access.principal)
}

impl McpSessionManager {
    /// Admits a request to a session: it belongs to the principal and, when this returns, is ready. An error reveals
    /// nothing about the sessions of other principals.
    pub async fn admit(self: &Arc<Self>, id: &str, parts: &http::request::Parts) -> Result<(), AdmissionError> {
        let principal = principal_of(parts);
        match self.streams().locate(id).await? {
            Some(place) if *place.owner == *principal => {}
            _ => return Err(AdmissionError::Unknown),
        }
        if self.streams().mark_used(id) {
            return Ok(());
        }
        // A task of its own: if this request is disconnected, others may wait for the same session.
        let (sessions, id, parts) = (Arc::clone(self), id.to_owned(), parts.clone());
        let restored = async move { sessions.restore_once(&id, &parts).await };
        let restored = tokio::spawn(restored.instrument(tracing::Span::current()));
        restored.await.map_err(|_| AdmissionError::Failed)?
    }

    /// Restores a session unless another request just did.
    async fn restore_once(self: &Arc<Self>, id: &str, parts: &http::request::Parts) -> Result<(), AdmissionError> {
        let _turn = self.lock(id).await;
        if self.streams().mark_used(id) {
            return Ok(());
        }
        if self.is_closing() {
            return Err(AdmissionError::Closing);
        }
        // Read again: the session may have ended while this request waited for the lock.
        let record = self.streams().stored().load(id).await?;
        let record = record.filter(|record| record.principal == principal_of(parts));
        let record = record.ok_or(AdmissionError::Unknown)?;
        let principal = Arc::from(principal_of(parts));
        let place = self.streams().take_slot(&principal).ok_or(AdmissionError::Full(self.max()))?;
        self.streams().begin(id, place);
        match self.restore(id, &record, parts).await {
            Ok(()) => {
                self.app().kernel.metrics.session_restored();
                tracing::debug!("a session was restored");
                Ok(())
            }
            Err(error) => {
                self.streams().end(id, SessionEndReason::Failed);
                // Removes what was created. If nothing was, that is not an error.
                let _ = self.inner().close_session(&id.into()).await;
                if self.is_closing() {
                    return Err(AdmissionError::Closing);
                }
                tracing::warn!(error, "a session could not be restored");
                Err(AdmissionError::Failed)
            }
        }
    }

    /// Restores a session as its client left it: a worker that has completed the handshake, the project, the
    /// subscriptions.
    async fn restore(
        self: &Arc<Self>,
        id: &str,
        record: &SessionRecord,
        parts: &http::request::Parts,
    ) -> Result<(), String> {
        let allowed = match access_of(parts) {
            Some(access) => Arc::new(Access { result: record.result, ..Access::clone(access) }),
            None => Arc::new(Access::full(self.app().scope.clone())),
        };
        let peer = self.handshake(id, &record.initialize, parts, &allowed).await?;
        let root = record.kept.root.as_ref().map(PathBuf::from);
        let project = match root {
            Some(root) => self.reopen(root).await?,
            None => None,
        };
        if let Some(project) = &project {
            self.app().sessions.choose(id, Arc::clone(project));
        }
        let project = project.filter(|project| allowed.roots(&self.app().kernel.roots).allows(project));
        let project = project.unwrap_or_else(|| Arc::clone(allowed.default_project(&self.app().kernel.roots)));
        let who = Subscriber { app: self.app(), session: id, access: &allowed, peer: &peer };
        let mut untold = Vec::new();
        for uri in &record.kept.subscriptions {
            let is_there = || self.streams().has(id);
            let subscriptions = self.streams().subscriptions();
            match subscriptions.subscribe(&who, Arc::clone(&project), uri, is_there).await {
                Ok(()) => untold.push(uri.clone()),
                Err(error) => {
                    tracing::info!(code = error.code(), "a subscription of a restored session is not valid any more");
                }
            }
        }
        self.streams().set_debug(id, !record.kept.is_quiet);
        // Another replica may have taken the session over meanwhile, if this process was paused.
        if self.app().replicas.is_some()
            && !self.streams().stored().confirm(id).await.map_err(|error| error.to_string())?
        {
            return Err("it continues in another replica".to_owned());
        }
        self.streams().make_ready(
            id,
            ReadySession {
                owner: Arc::from(record.principal.as_str()),
                at: record.began(),
                kept: Some(record.kept.clone()),
                // While no process had the session, changes were not seen: each resource may have changed.
                missed: Some((peer, untold)),
            },
        );
        Ok(())
    }

    /// Starts a worker and repeats the client's handshake with it.
    async fn handshake(
        self: &Arc<Self>,
        id: &str,
        initialize: &InitializeRequestParams,
        parts: &http::request::Parts,
        allowed: &Arc<Access>,
    ) -> Result<Peer<RoleServer>, String> {
        let id: SessionId = Arc::from(id);
        let restored = self.inner().restore_session(Arc::clone(&id)).await;
        let RestoreOutcome::Restored(transport) = restored.map_err(|error| error.to_string())? else {
            return Err("it is in memory, but not registered".to_owned());
        };
        let make = async { McpServer::new(Arc::clone(self.app()), Arc::clone(self.streams())) };
        let handler = access::within(Arc::clone(allowed), make).await;
        let (ready, is_ready) = oneshot::channel();
        let (sessions, own_id, closing) = (Arc::clone(self), Arc::clone(&id), self.closing().child_token());
        tokio::spawn(async move {
            let served = serve_server_with_ct::<_, _, _, TransportAdapterIdentity>(handler, transport, closing);
            // On the heap: the handshake is much larger than the code after it.
            let served = Box::pin(served).await;
            // Dropping `ready` reports the failure; the waiting task cleans up.
            let Ok(running) = served else { return };
            if ready.send(running.peer().clone()).is_ok() {
                let _ = running.waiting().await;
                let _ = sessions.close_session(&own_id).await;
            }
        });
        let request = ClientRequest::InitializeRequest(InitializeRequest::new(initialize.clone()));
        let mut request = ClientJsonRpcMessage::request(request, RequestId::Number(0));
        request.insert_extension(parts.clone());
        let done = ClientNotification::InitializedNotification(InitializedNotification::default());
        let mut done = ClientJsonRpcMessage::notification(done);
        done.insert_extension(parts.clone());
        let answer = self.inner().initialize_session(&id, request).await;
        let answer = answer.map_err(|error| error.to_string())?;
        if !matches!(answer, ServerJsonRpcMessage::Response(_)) {
            return Err("this build rejects the client's initialize request".to_owned());
        }
        let accepted = self.inner().accept_message(&id, done).await;
        accepted.map_err(|error| error.to_string())?;
        is_ready.await.map_err(|_| "it ended during the handshake".to_owned())
    }

    /// Returns the project that a session chose, if it still exists and is allowed now.
    async fn reopen(&self, root: PathBuf) -> Result<Option<Arc<Project>>, String> {
        let roots = Arc::clone(&self.app().kernel.roots);
        let opened = tokio::task::spawn_blocking(move || roots.reopen(&root)).await;
        let opened = opened.map_err(|error| error.to_string())?;
        let project = opened.map_err(|error| error.to_string())?;
        if project.is_none() {
            tracing::info!(
                "the project of a restored session was removed or is not allowed any more; using the default project"
            );
        }
        Ok(project)
    }

    /// Locks a session, so that restoring, ending and expiring it run one after the other.
    pub(super) async fn lock(&self, id: &str) -> OwnedMutexGuard<()> {
        Arc::clone(self.lock_of(id)).lock_owned().await
    }
}
