//! The server's own accept loop: from a listening socket to requests at the routes, until it is told to close.
//!
//! Invariant: whatever a peer does or leaves undone, a connection costs bounded time ([`super::patience`]) and bounded
//! memory, and no failure to accept ends the server. It knows HTTP's framing and nothing of what is asked; it speaks no
//! TLS, which is the matter of a proxy before it.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

use super::{
    held::Held,
    patience::{Patience, Patient, Running},
};
use crate::config::Config;

/// Connections beyond the configured ones, each for one request: whoever watches over a full server still gets an answer.
const SPARE: usize = 64;
/// How long to rest when the system refuses another connection, which is mostly for lack of file descriptors.
const REST: Duration = Duration::from_millis(500);
/// How often a silent peer of HTTP/2 is asked whether it is alive, and how long it has to say so.
const PING: Duration = Duration::from_secs(20);
/// Requests at once over one connection of HTTP/2.
const STREAMS: u32 = 128;
/// What one stream and one connection of HTTP/2 may send before it is read, in bytes.
const WINDOWS: (u32, u32) = (64 * 1024, 256 * 1024);
/// What one stream of HTTP/2 may hold of its reply before the peer reads it, in bytes.
const SEND_BUFFER: usize = 128 * 1024;

/// Where a request came from; in the extensions of every request.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The peer's address. Behind a proxy it is the proxy's.
    pub peer: SocketAddr,
    /// All ordinary connections are taken: only probes are answered.
    pub is_spare: bool,
}

/// Serves connections until `closing` is cancelled and the last of them has ended.
pub async fn serve(listener: TcpListener, routes: Router, config: &Config, closing: CancellationToken) {
    let server = Arc::new(Server {
        routes,
        ordinary: protocol(config, true),
        spare: protocol(config, false),
        patience: Patience {
            head: Duration::from_secs(config.server.header_seconds),
            idle: Duration::from_secs(config.server.keep_alive_seconds),
            stall: Duration::from_secs(config.server.body_seconds),
        },
        closing: closing.clone(),
    });
    let places = Places::new(config.server.connections());
    let open = TaskTracker::new();
    while let Some((stream, peer, place)) = tokio::select! {
        biased;
        () = closing.cancelled() => None,
        next = places.next(&listener) => Some(next),
    } {
        open.spawn(Arc::clone(&server).connection(stream, peer, place));
    }
    drop(listener);
    open.close();
    open.wait().await;
}

/// What all connections share.
struct Server {
    routes: Router,
    ordinary: auto::Builder<TokioExecutor>,
    /// Closes after one request.
    spare: auto::Builder<TokioExecutor>,
    patience: Patience,
    closing: CancellationToken,
}

/// The limits of HTTP itself. At most 100 headers, which is the library's own limit for a head without an allocation.
fn protocol(config: &Config, keep_alive: bool) -> auto::Builder<TokioExecutor> {
    let head = config.limits.header_bytes;
    let mut protocol = auto::Builder::new(TokioExecutor::new());
    protocol
        .http1()
        .keep_alive(keep_alive)
        .max_buf_size(head)
        // The socket has patience of its own, which also covers the bytes by which the version is told.
        .header_read_timeout(None);
    protocol
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(head).unwrap_or(u32::MAX))
        .initial_stream_window_size(WINDOWS.0)
        .initial_connection_window_size(WINDOWS.1)
        .max_send_buf_size(SEND_BUFFER);
    protocol
}

impl Server {
    async fn connection(self: Arc<Self>, stream: TcpStream, peer: SocketAddr, place: Place) {
        // A reply goes out in several small writes; without this each waits up to 40 ms for the client's acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps delaying small writes");
        }
        let is_spare = place.is_spare;
        let origin = Origin { peer, is_spare };
        let running = Running::default();
        let socket = TokioIo::new(Patient::new(stream, running.clone(), self.patience));
        let service = hyper::service::service_fn(|request: hyper::Request<Incoming>| {
            let running = running.begin();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(origin);
            let answer = self.routes.clone().call(request);
            async move {
                let answer = answer.await.unwrap_or_else(|never: Infallible| match never {});
                Ok::<_, Infallible>(answer.map(|body| Held::new(body, running)))
            }
        });
        let protocol = if is_spare { &self.spare } else { &self.ordinary };
        let mut connection = std::pin::pin!(protocol.serve_connection(socket, service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.closing.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection broke");
        }
        drop(place);
    }
}

/// The connections that may be open.
struct Places {
    ordinary: Arc<Semaphore>,
    spare: Arc<Semaphore>,
}

/// One of them, for as long as this lives.
struct Place {
    is_spare: bool,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    fn new(ordinary: usize) -> Self {
        Self {
            ordinary: Arc::new(Semaphore::new(ordinary.min(Semaphore::MAX_PERMITS))),
            spare: Arc::new(Semaphore::new(SPARE.min(ordinary))),
        }
    }

    /// The next connection, once there is a place for it. Without one nobody is accepted: peers wait in the system's queue.
    async fn next(&self, listener: &TcpListener) -> (TcpStream, SocketAddr, Place) {
        let place = tokio::select! {
            biased;
            permit = Arc::clone(&self.ordinary).acquire_owned() => permit.map(Place::ordinary),
            permit = Arc::clone(&self.spare).acquire_owned() => permit.map(|permit| Place { is_spare: true, _permit: permit }),
        };
        let place = place.expect("these semaphores are never closed");
        let (stream, peer) = accept(listener).await;
        // A place may have become free while nobody came.
        let better = place.is_spare.then(|| Arc::clone(&self.ordinary).try_acquire_owned());
        let place = match better {
            Some(Ok(permit)) => Place::ordinary(permit),
            _ => place,
        };
        (stream, peer, place)
    }
}

impl Place {
    fn ordinary(permit: OwnedSemaphorePermit) -> Self {
        Self {
            is_spare: false,
            _permit: permit,
        }
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The peer went away while it waited in the queue.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::ConnectionRefused
                ) => {}
            Err(error) => {
                tracing::error!(%error, "no further connection can be accepted; trying again");
                tokio::time::sleep(REST).await;
            }
        }
    }
}
