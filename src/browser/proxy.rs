//! The HTTP proxy through which Chromium connects if the policy denies hosts. It runs inside this process.
//!
//! All requests of all pages pass through it, including redirects, frames, workers and `WebSocket`s. It resolves the
//! name, checks each address and connects to exactly the address that it checked, which defeats DNS rebinding. It
//! listens on loopback and serves processes of the same user only. It looks up the owner of the client's socket,
//! because with a proxy password Chromium would pause every request.

mod peer;

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use http_body_util::{Either, Full};
use hyper::{
    Method, Request, Response, StatusCode, Uri,
    body::{Bytes, Incoming},
    header::{self, HeaderMap, HeaderName, HeaderValue},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy, split},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Host;

use crate::{guard::PolicyGuard, policy::Denial};

/// The longest time to connect to one address.
const CONNECT: Duration = Duration::from_secs(10);

/// The time that one direction of a tunnel may continue after the other has ended. Without this limit a peer that never
/// closes would keep the tunnel open for ever.
const HALF: Duration = Duration::from_secs(30);

/// Header fields that concern one connection, not the request.
const HOP_HEADERS: [HeaderName; 5] = [
    header::CONNECTION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
];

type Body = Either<Full<Bytes>, Incoming>;

/// A running proxy, closed on drop.
#[derive(Debug)]
pub(crate) struct PolicyProxy {
    address: SocketAddr,
    _open: DropGuard,
}

/// The state shared by all connections of a proxy.
#[derive(Clone)]
struct ProxyContext {
    guard: Arc<PolicyGuard>,
    /// Cancelled when the proxy closes; all its tasks then end.
    closed: CancellationToken,
    half: Duration,
}

/// The reason why no connection to the destination was made.
enum ConnectError {
    Denied(Denial),
    Unreachable(io::Error),
}

impl PolicyProxy {
    /// Starts a proxy on a free port.
    pub(crate) async fn open(guard: Arc<PolicyGuard>) -> io::Result<Self> {
        Self::with(guard, HALF).await
    }

    async fn with(guard: Arc<PolicyGuard>, half: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let closed = CancellationToken::new();
        let passage = ProxyContext { guard, closed: closed.clone(), half };
        passage.spawn(serve(listener, address, passage.clone()));
        Ok(Self { address, _open: closed.drop_guard() })
    }

    /// Returns the flags that make Chromium use this proxy.
    pub(crate) fn flags(&self) -> Vec<String> {
        vec![
            format!("--proxy-server=http://{}", self.address),
            // Without this flag Chromium would bypass the proxy for loopback addresses.
            "--proxy-bypass-list=<-loopback>".to_owned(),
            // Prevents WebRTC from bypassing the proxy. The name of the flag differs between versions.
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
            "--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        ]
    }
}

impl ProxyContext {
    /// Runs `work` in a task that ends when the proxy closes.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let closed = self.closed.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = work => {}
                () = closed.cancelled() => {}
            }
        });
    }
}

async fn serve(listener: TcpListener, address: SocketAddr, passage: ProxyContext) {
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "the proxy cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Disables Nagle's algorithm. Otherwise the kernel holds back the second part of a response until Chromium has
        // acknowledged the first, which it delays by 40 ms.
        let _ = stream.set_nodelay(true);
        passage.spawn(connection(stream, peer, address, passage.clone()));
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, address: SocketAddr, passage: ProxyContext) {
    if !peer::is_same_user(peer, address).await {
        tracing::warn!(%peer, "the proxy refused a connection of another user");
        return;
    }
    let serving = hyper::server::conn::http1::Builder::new()
        .preserve_header_case(true)
        .serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| {
                let passage = passage.clone();
                async move { pass(request, &passage).await }
            }),
        )
        .with_upgrades();
    if let Err(error) = serving.await {
        tracing::debug!(%error, "a connection of the proxy broke");
    }
}

async fn pass(request: Request<Incoming>, passage: &ProxyContext) -> Result<Response<Body>, hyper::Error> {
    let guard = &passage.guard;
    let is_tunnel = request.method() == Method::CONNECT;
    let Some((host, port)) = destination(request.uri(), is_tunnel) else {
        return Ok(short(StatusCode::BAD_REQUEST, "This is a proxy: it requires an absolute URL."));
    };
    let stream = match connect_checked(&host, port, guard).await {
        Ok(stream) => stream,
        Err(ConnectError::Denied(denial)) => {
            let text = format!("Denied by the policy of this server: {}.", denial.0.en);
            guard.record_denial(format!("{host}:{port}"), denial);
            return Ok(short(StatusCode::FORBIDDEN, &text));
        }
        Err(ConnectError::Unreachable(error)) => {
            return Ok(short(StatusCode::BAD_GATEWAY, &format!("{host}:{port}: {error}")));
        }
    };
    if is_tunnel {
        passage.spawn(tunnel(request, stream, passage.half));
        return Ok(short(StatusCode::OK, ""));
    }
    forward(request, stream, passage).await
}

/// Returns the host and port of a request. Only a tunnel request always names its port; for others the default is 80.
fn destination(uri: &Uri, is_tunnel: bool) -> Option<(Host<String>, u16)> {
    let authority = uri.authority()?;
    let port = match uri.scheme_str() {
        Some("http") => authority.port_u16().unwrap_or(80),
        None if is_tunnel => authority.port_u16()?,
        _ => return None,
    };
    Some((Host::parse(authority.host()).ok()?, port))
}

/// Connects to the first allowed address of the host that accepts.
async fn connect_checked(host: &Host<String>, port: u16, guard: &PolicyGuard) -> Result<TcpStream, ConnectError> {
    let policy = guard.policy();
    policy.check_host(host, port).map_err(ConnectError::Denied)?;
    let addresses: Vec<IpAddr> = match host {
        Host::Ipv4(address) => vec![IpAddr::V4(*address)],
        Host::Ipv6(address) => vec![IpAddr::V6(*address)],
        Host::Domain(name) => {
            let found = tokio::net::lookup_host((name.as_str(), port)).await;
            found.map_err(ConnectError::Unreachable)?.map(|found| found.ip()).collect()
        }
    };
    let mut last = ConnectError::Unreachable(io::ErrorKind::HostUnreachable.into());
    for address in addresses {
        if let Err(denial) = policy.check_address(host, port, address) {
            // One denied address is enough: the other addresses of the name are not tried.
            return Err(ConnectError::Denied(denial));
        }
        match tokio::time::timeout(CONNECT, TcpStream::connect((address, port))).await {
            Ok(Ok(stream)) => {
                // Disables Nagle's algorithm, so that small `WebSocket` frames are sent at once.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = ConnectError::Unreachable(error),
            Err(_) => last = ConnectError::Unreachable(io::ErrorKind::TimedOut.into()),
        }
    }
    Err(last)
}

async fn tunnel(request: Request<Incoming>, stream: TcpStream, half: Duration) {
    let copied = match hyper::upgrade::on(request).await {
        Ok(upgraded) => join(TokioIo::new(upgraded), stream, half).await,
        Err(error) => Err(io::Error::other(error)),
    };
    if let Err(error) = copied {
        tracing::debug!(%error, "a tunnel of the proxy broke");
    }
}

/// Copies in both directions until both have ended. The second direction must end within `half` after the first.
async fn join(one: impl AsyncRead + AsyncWrite, other: impl AsyncRead + AsyncWrite, half: Duration) -> io::Result<()> {
    let ((mut from_one, mut to_one), (mut from_other, mut to_other)) = (split(one), split(other));
    let there = async {
        copy(&mut from_one, &mut to_other).await?;
        to_other.shutdown().await
    };
    let back = async {
        copy(&mut from_other, &mut to_one).await?;
        to_one.shutdown().await
    };
    tokio::pin!(there, back);
    let rest = tokio::select! {
        done = &mut there => {
            done?;
            timeout(half, back).await
        }
        done = &mut back => {
            done?;
            timeout(half, there).await
        }
    };
    rest.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Forwards one request over one connection. `WebSocket`s do not come here, because Chromium opens tunnels for them.
async fn forward(
    mut request: Request<Incoming>,
    stream: TcpStream,
    passage: &ProxyContext,
) -> Result<Response<Body>, hyper::Error> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let Ok(origin) = path.parse::<Uri>() else {
        return Ok(short(StatusCode::BAD_REQUEST, "This URL is not valid."));
    };
    *request.uri_mut() = origin;
    remove_hop_headers(request.headers_mut());
    request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    let (mut sender, connection) =
        hyper::client::conn::http1::Builder::new().preserve_header_case(true).handshake(TokioIo::new(stream)).await?;
    passage.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a request of the proxy broke");
        }
    });
    match sender.send_request(request).await {
        Ok(mut response) => {
            remove_hop_headers(response.headers_mut());
            Ok(response.map(Either::Right))
        }
        Err(error) => Ok(short(StatusCode::BAD_GATEWAY, &error.to_string())),
    }
}

fn remove_hop_headers(headers: &mut HeaderMap) {
    for name in HOP_HEADERS {
        headers.remove(name);
    }
}

fn short(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::new(Bytes::from(text.to_owned()))));
    *response.status_mut() = status;
    if !text.is_empty() {
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, plain);
    }
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// Opens a tunnel and returns its near and its far end.
    async fn tunnel(gate: &PolicyProxy) -> (TcpStream, TcpStream) {
        let inner = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let to = inner.local_addr().expect("an address");
        let mut near = TcpStream::connect(gate.address).await.expect("the gate");
        let ask = format!("CONNECT {to} HTTP/1.1\r\nhost: {to}\r\n\r\n");
        near.write_all(ask.as_bytes()).await.expect("asked");
        let (mut far, _) = inner.accept().await.expect("a tunnel");
        far.write_all(b"!").await.expect("said");
        let mut heard = Vec::new();
        while near.read_u8().await.map(|byte| heard.push(byte)).is_ok() && heard.last() != Some(&b'!') {}
        assert!(heard.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&heard));
        (near, far)
    }

    /// Reads until the connection ends or breaks.
    async fn rest(stream: &mut TcpStream) -> Vec<u8> {
        let mut rest = Vec::new();
        let read = timeout(Duration::from_secs(20), stream.read_to_end(&mut rest));
        drop(read.await.expect("it ends"));
        rest
    }

    #[tokio::test]
    async fn tunnels_end_with_their_gate() {
        let gate = PolicyProxy::open(Arc::default()).await.expect("open");
        let (mut near, mut far) = tunnel(&gate).await;
        drop(gate);
        assert_eq!((rest(&mut near).await, rest(&mut far).await), (Vec::new(), Vec::new()));
    }

    #[tokio::test]
    async fn half_closed_tunnel_times_out() {
        let gate = PolicyProxy::with(Arc::default(), Duration::from_millis(50)).await.expect("open");
        let (mut near, mut far) = tunnel(&gate).await;
        far.write_all(b"last words").await.expect("said");
        near.shutdown().await.expect("done");
        assert_eq!(rest(&mut near).await, b"last words");
        assert_eq!(rest(&mut far).await, b"");
    }
}
