//! The server's own accept loop: from a listening socket to requests at the routes, until it is asked to close.
//!
//! Invariant: whatever a peer does or fails to do, a connection costs bounded time ([`super::io_timeout`]) and bounded
//! memory; one peer leaves connections to others; and no failure to accept ends the server. It handles HTTP's framing
//! and does not look at requests. It does not speak TLS, which is the job of a reverse proxy, and speaks HTTP/1 only:
//! no MCP client uses HTTP/2 without TLS, and its streams would each need timeouts of their own.

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body};
use fumi_base::shares::{CapacityShare, Shares};
use fumi_config::Config;
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

use super::{
    guarded_body::GuardedBody,
    io_timeout::{RunningRequests, SocketTimeouts, TimeoutStream},
};

/// Connections beyond the configured ones, each for one request, so that probes of a full server are still answered.
const SPARE: usize = 64;
/// The pause after a failed accept, which is mostly for lack of file descriptors.
const REST: Duration = Duration::from_millis(500);
/// The origin of a request's connection; in the extensions of every request.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionOrigin {
    /// The peer's address. Behind a proxy it is the proxy's.
    pub peer: SocketAddr,
    /// True if all ordinary connections are taken: only probes are answered.
    pub is_spare: bool,
}

/// Serves connections until `closing` is cancelled and the last of them has ended.
pub async fn serve(listener: TcpListener, routes: Router, config: &Config, closing: CancellationToken) {
    let server = Arc::new(ConnectionServer {
        routes,
        ordinary: protocol(config, true),
        spare: protocol(config, false),
        patience: SocketTimeouts {
            head: Duration::from_secs(config.server.header_seconds),
            idle: Duration::from_secs(config.server.keep_alive_seconds),
            stall: Duration::from_secs(config.server.body_seconds),
        },
        closing: closing.clone(),
    });
    let places = ConnectionLimits::new(config.server.connection_limit());
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

/// The state that all connections share.
struct ConnectionServer {
    routes: Router,
    ordinary: http1::Builder,
    /// The protocol settings of spare connections, which close after one request.
    spare: http1::Builder,
    patience: SocketTimeouts,
    closing: CancellationToken,
}

/// Returns the limits of HTTP itself. A request has at most 100 headers, which is the library's own limit for a head
/// without an allocation.
fn protocol(config: &Config, keep_alive: bool) -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .keep_alive(keep_alive)
        .max_buf_size(config.limits.header_bytes)
        // The socket has its own timeouts, which also end connections between two requests.
        .header_read_timeout(None);
    protocol
}

impl ConnectionServer {
    async fn connection(self: Arc<Self>, stream: TcpStream, peer: SocketAddr, place: ConnectionPermit) {
        // A reply is sent in several small writes; without this each waits up to 40 ms for the client's
        // acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set on a connection; small writes are delayed");
        }
        let is_spare = place.is_spare;
        let origin = ConnectionOrigin { peer, is_spare };
        let running = RunningRequests::default();
        let socket = TokioIo::new(TimeoutStream::new(stream, running.clone(), self.patience));
        let service = hyper::service::service_fn(|request: hyper::Request<Incoming>| {
            let running = running.begin();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(origin);
            let answer = self.routes.clone().call(request);
            async move {
                let answer = answer.await.unwrap_or_else(|never: Infallible| match never {});
                Ok::<_, Infallible>(answer.map(|body| GuardedBody::new(body, running)))
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

/// The limits of open connections.
struct ConnectionLimits {
    ordinary: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    /// Shares of the ordinary connections, by peer.
    by_peer: Shares,
}

/// The permit of one connection, released on drop.
#[must_use]
struct ConnectionPermit {
    is_spare: bool,
    _permit: OwnedSemaphorePermit,
    /// The peer's share; spare connections need none.
    _share: Option<CapacityShare>,
}

impl ConnectionLimits {
    fn new(ordinary: usize) -> Self {
        Self {
            ordinary: Arc::new(Semaphore::new(ordinary.min(Semaphore::MAX_PERMITS))),
            spare: Arc::new(Semaphore::new(SPARE.min(ordinary))),
            by_peer: Shares::new(ordinary, 1),
        }
    }

    /// Accepts the next connection when a permit is free. Without a permit nothing is accepted: peers wait in the
    /// system's queue.
    async fn next(&self, listener: &TcpListener) -> (TcpStream, SocketAddr, ConnectionPermit) {
        loop {
            let (permit, is_spare) = tokio::select! {
                biased;
                permit = Arc::clone(&self.ordinary).acquire_owned() => (permit, false),
                permit = Arc::clone(&self.spare).acquire_owned() => (permit, true),
            };
            let permit = permit.expect("these semaphores are never closed");
            let (stream, peer) = accept(listener).await;
            if let Some(place) = self.permit_for(peer.ip(), permit, is_spare) {
                return (stream, peer, place);
            }
            tracing::debug!(%peer, "a peer has its share of all connections, and no spare one is free");
        }
    }

    /// Returns the permit of a peer's connection; `None` if the peer has used up its share of the connections and no
    /// spare one is free. `permit` was acquired before the peer was known.
    fn permit_for(&self, peer: IpAddr, permit: OwnedSemaphorePermit, is_spare: bool) -> Option<ConnectionPermit> {
        // An ordinary permit may have been released while no peer connected.
        let better = is_spare.then(|| Arc::clone(&self.ordinary).try_acquire_owned().ok());
        let (permit, is_spare) = match better.flatten() {
            Some(ordinary) => (ordinary, false),
            None => (permit, is_spare),
        };
        let spare = |permit| ConnectionPermit { is_spare: true, _permit: permit, _share: None };
        if is_spare {
            return Some(spare(permit));
        }
        let Some(part) = self.by_peer.take(&peer_key(peer)) else {
            return Arc::clone(&self.spare).try_acquire_owned().ok().map(spare);
        };
        Some(ConnectionPermit { is_spare: false, _permit: permit, _share: Some(part) })
    }
}

/// Returns the name under which a peer's connections are counted. Loopback peers are local users or a proxy and are not
/// counted. An IPv6 /64 network counts as one peer, since each of its machines may use any number of addresses.
fn peer_key(peer: IpAddr) -> Arc<str> {
    match peer.to_canonical() {
        peer if peer.is_loopback() => Arc::default(),
        IpAddr::V4(peer) => Arc::from(peer.to_string()),
        IpAddr::V6(peer) => Arc::from(format!("{:x?}", &peer.segments()[..4])),
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The peer disconnected while it waited in the queue.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ConnectionLimits, ConnectionPermit};

    /// Connects as a peer; `None` if the connection is closed at once, or not accepted yet.
    fn connect(places: &ConnectionLimits, peer: &str) -> Option<ConnectionPermit> {
        let ordinary = Arc::clone(&places.ordinary).try_acquire_owned();
        let (permit, is_spare) = match ordinary {
            Ok(permit) => (permit, false),
            Err(_) => (Arc::clone(&places.spare).try_acquire_owned().ok()?, true),
        };
        places.permit_for(peer.parse().expect("an address"), permit, is_spare)
    }

    #[test]
    fn peer_share_limits_remote_peers_but_not_loopback() {
        let places = ConnectionLimits::new(8);
        let many = |peer: &str| (0..20).filter_map(|_| connect(&places, peer)).collect::<Vec<_>>();
        let ordinary = |held: &[ConnectionPermit]| held.iter().filter(|place| !place.is_spare).count();
        let one = many("192.0.2.1");
        assert_eq!((ordinary(&one), one.len()), (4, 12), "its part, and the spare ones");
        let other = connect(&places, "192.0.2.2").expect("another peer gets a connection");
        assert!(!other.is_spare);
        drop((one, other));
        let network = [connect(&places, "2001:db8::1"), connect(&places, "2001:db8::2")];
        assert_eq!(places.by_peer.taken(), 2);
        drop(network);
        assert_eq!(ordinary(&many("127.0.0.1")), 8);
    }
}
