//! Forwards requests about sessions, tasks and browser sessions of another replica, and takes over the sessions of replicas
//! that have ended.
//!
//! Invariant: a request is executed once at most. It is sent again only if the home has not executed it: the connection
//! failed before anything was sent, the home answered 503, or another process answered that the request is not for it. The
//! home authenticates and checks a forwarded request as any other, by its own headers.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream, Bytes},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};
use fumi_base::store::StoreError;
use fumi_config::ConfigError;
use fumi_kernel::metrics::RefusalReason;
use futures_core::Stream;
use tokio::time::{Instant, sleep};

use super::{http_error::HttpError, router::Edge};
use crate::mcp::{
    placed_tasks::replica_of_task,
    replicas::{CONNECT, ID_LENGTH, REPLICA, Replicas, TTL},
    session_registry::SessionRegistry,
    session_restore::AdmissionError,
    session_store::SessionHome,
};

/// The interval of checks whether a replica that has not answered yet still lives.
const LOOK: Duration = Duration::from_millis(500);
/// The interval of these checks while a response is passed on; it is longer, since streams may be open for hours.
const LOOK_WHILE_STREAMING: Duration = Duration::from_secs(3);
/// The time for which sending is repeated to a replica that lives but accepts no connection.
const PATIENCE: Duration = TTL.saturating_add(CONNECT);

/// Headers that concern one connection (RFC 9110, section 7.6.1), and those that the client of this module sets.
const OF_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The client of the other replicas.
#[derive(Debug)]
pub struct Forwarder {
    replicas: Arc<Replicas>,
    http: reqwest::Client,
}

impl Forwarder {
    pub fn new(replicas: Arc<Replicas>) -> Result<Self, ConfigError> {
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .tcp_nodelay(true)
            .build()
            .map_err(|error| ConfigError(format!("no connections to other replicas are possible: {error}")))?;
        Ok(Self { replicas, http })
    }

    /// Sends a request to the home of its session. Returns `None` if nothing was executed and the home has ended: then the
    /// caller must locate the session again.
    pub async fn forward(
        &self,
        edge: &Edge,
        home: &SessionHome,
        parts: &Parts,
        body: &Bytes,
    ) -> Result<Option<Response>, HttpError> {
        let replicas = &self.replicas;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let sent = self.send(home, parts, body);
            let is_unsent = tokio::select! {
                answer = sent => match answer {
                    Ok(answer) if answer.status() == StatusCode::SERVICE_UNAVAILABLE => {
                        // Not executed. A replica that shuts down leaves its sessions to the others.
                        if lives(replicas, home).await { return Ok(Some(response(answer))) }
                        true
                    }
                    Ok(answer) if answer.status() == StatusCode::MISDIRECTED_REQUEST => {
                        match replicas.remove(&home.replica).await {
                            Ok(true) => tracing::info!(url = home.url, "another process has the URL of a replica by now"),
                            Ok(false) => {}
                            Err(error) => {
                                tracing::warn!(%error, "the entry of a replica that has ended remains until it expires");
                            }
                        }
                        true
                    }
                    Ok(answer) => return Ok(Some(until_ended(response(answer), replicas, home))),
                    Err(error) if error.is_connect() => true,
                    Err(error) => {
                        tracing::warn!(%error, "a replica did not answer a forwarded request");
                        false
                    }
                },
                () = has_ended(replicas, home, LOOK) => false,
            };
            if !is_unsent {
                return Err(lost(edge));
            }
            if !lives(replicas, home).await {
                return Ok(None);
            }
            sleep(LOOK).await;
        }
        edge.app.kernel.metrics.refused(RefusalReason::Busy);
        Err(HttpError::sessions_unavailable())
    }

    async fn send(&self, home: &SessionHome, parts: &Parts, body: &Bytes) -> reqwest::Result<reqwest::Response> {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut headers = without_connection(&parts.headers);
        // This replica compresses what its client wants compressed.
        headers.remove(header::ACCEPT_ENCODING);
        if let Ok(home) = HeaderValue::from_str(&home.replica) {
            headers.insert(&REPLICA, home);
        }
        let request = self.http.request(parts.method.clone(), format!("{}{path}", home.url)).headers(headers);
        request.body(body.clone()).send().await
    }

    /// True if a forwarded request is for another replica, which had the URL of this one before.
    pub fn is_for_other(&self, headers: &HeaderMap) -> bool {
        headers.get(&REPLICA).is_some_and(|replica| replica.as_bytes() != self.replicas.id().as_bytes())
    }

    /// Returns the present home of a session that lived in another replica; `None` if that is this replica, which takes the
    /// session over from a home that has ended, or if the session does not exist.
    ///
    /// # Errors
    /// If this process still has an outdated copy of the session, from before it moved away. The copy is about to be ended.
    pub async fn find_home(
        &self,
        sessions: &SessionRegistry,
        session: &str,
        home: &SessionHome,
    ) -> Result<Option<SessionHome>, AdmissionError> {
        if let Some(home) = self.living(home).await? {
            return Ok(Some(home));
        }
        let stored = sessions.stored();
        loop {
            // Asked before the record is read: after that, another request may have restored the session here.
            let has_former = sessions.has(session);
            // Read before the home is asked whether it lives: a home that goes on serving after it was given up writes its
            // record again, and then this version of the record cannot be taken over.
            let Some((record, version)) = stored.read(session).await? else { return Ok(None) };
            let Some(home) = stored.home_elsewhere(&record) else { return Ok(None) };
            if let Some(home) = self.living(&home).await? {
                return Ok(Some(home));
            }
            if has_former {
                return Err(AdmissionError::Failed);
            }
            if stored.take_over(session, record, version).await? {
                tracing::info!(from = home.replica, "this replica takes a session over from one that has ended");
            }
        }
    }

    /// Returns a home with its present URL; `None` if the replica has ended.
    async fn living(&self, home: &SessionHome) -> Result<Option<SessionHome>, StoreError> {
        let url = self.replicas.url_of(&home.replica, Some(&home.url)).await?;
        Ok(url.map(|url| SessionHome { url, ..home.clone() }))
    }

    /// Returns the living replica that has the task or the browser session of a request, unless that is this one.
    pub async fn home_of_handle(&self, parts: &Parts, body: &[u8]) -> Result<Option<SessionHome>, StoreError> {
        if parts.headers.contains_key(&REPLICA) {
            return Ok(None);
        }
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let replica = if header("mcp-method").is_some_and(|method| method.starts_with("tasks/")) {
            // The library compares this header with the body.
            header("mcp-name").and_then(replica_of_task)
        } else {
            std::str::from_utf8(body).ok().and_then(replica_of_browser_session)
        };
        let Some(replica) = replica.filter(|replica| *replica != self.replicas.id()) else { return Ok(None) };
        let url = self.replicas.url_of(replica, None).await?;
        Ok(url.map(|url| SessionHome { replica: replica.to_owned(), url }))
    }
}

/// Returns the replica of the first browser session that a call names, in a batch too.
fn replica_of_browser_session(body: &str) -> Option<&str> {
    let (_, value) = body.split_once("\"browser_session\"")?;
    let value = value.trim_ascii_start().strip_prefix(':')?.trim_ascii_start().strip_prefix("\"b_")?;
    value.split_once('_').map(|(replica, _)| replica).filter(|replica| replica.len() == ID_LENGTH)
}

/// Waits until a replica has ended, and checks that at an interval.
async fn has_ended(replicas: &Replicas, home: &SessionHome, interval: Duration) {
    loop {
        sleep(interval).await;
        if !lives(replicas, home).await {
            return;
        }
    }
}

/// True if a replica lives, or if that cannot be determined.
async fn lives(replicas: &Replicas, home: &SessionHome) -> bool {
    replicas.url_of(&home.replica, Some(&home.url)).await.map_or(true, |url| url.is_some())
}

/// Returns the refusal of a request that was sent to a replica which ended before it answered.
fn lost(edge: &Edge) -> HttpError {
    edge.app.kernel.metrics.refused(RefusalReason::Busy);
    HttpError::new(StatusCode::BAD_GATEWAY, "REPLICA_LOST", &[])
}

/// Ends the body of a response with an error once its replica has ended: the client then requests the rest from the replica
/// that has taken the session over.
fn until_ended(response: Response, replicas: &Arc<Replicas>, home: &SessionHome) -> Response {
    let (replicas, home) = (Arc::clone(replicas), home.clone());
    let ended = Box::pin(async move { has_ended(&replicas, &home, LOOK_WHILE_STREAMING).await });
    response.map(|body| Body::from_stream(UntilEnded { body: body.into_data_stream(), ended: Some(ended) }))
}

/// The body of a response from another replica.
struct UntilEnded {
    body: BodyDataStream,
    /// Completes when the replica has ended; `None` after that.
    ended: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Stream for UntilEnded {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(piece) = Pin::new(&mut self.body).poll_next(context) {
            return Poll::Ready(piece);
        }
        match self.ended.as_mut().map(|ended| ended.as_mut().poll(context)) {
            Some(Poll::Ready(())) => {
                self.ended = None;
                Poll::Ready(Some(Err(axum::Error::new("the replica has ended"))))
            }
            Some(Poll::Pending) => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

fn response(answer: reqwest::Response) -> Response {
    let (status, headers) = (answer.status(), without_connection(answer.headers()));
    let mut response = Response::new(Body::from_stream(answer.bytes_stream()));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn without_connection(headers: &HeaderMap) -> HeaderMap {
    let mut kept = headers.clone();
    for name in &OF_CONNECTION {
        kept.remove(name);
    }
    kept.remove("keep-alive");
    kept
}

#[cfg(test)]
mod tests {
    use super::replica_of_browser_session;

    #[test]
    fn browser_session_of_a_call_names_its_replica() {
        for (body, replica) in [
            (r#"{"params":{"arguments":{"browser_session":"b_abcdefghij_klmn","url":"x"}}}"#, Some("abcdefghij")),
            (r#"{"steps":[{"arguments":{"browser_session" : "b_abcdefghij_klmn"}}]}"#, Some("abcdefghij")),
            (r#"{"browser_session":"b_klmnabcdefghijkl"}"#, None),
            (r#"{"text":"\"browser_session\":\"b_abcdefghij_klmn\""}"#, None),
            (r#"{"browser_session":null}"#, None),
        ] {
            assert_eq!(replica_of_browser_session(body), replica, "{body}");
        }
    }
}
