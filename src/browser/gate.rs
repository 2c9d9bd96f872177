//! The way out for Chromium when a policy denies hosts: an HTTP proxy in this process.
//!
//! Every request of every page passes here, redirects, frames, workers and `WebSocket`s included. The gate resolves the name
//! itself, judges each address and connects to the very one it judged, so a name that changes its address in between gains
//! nothing. It listens on loopback and serves processes of the same user only: Chromium cannot be given a password for a
//! proxy without stopping every request to ask for it, so the owner of the other end is looked up instead.

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
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
};
use url::Host;

use crate::{guard::Guard, policy::Denial};

/// How long one address may take to accept.
const CONNECT: Duration = Duration::from_secs(10);

/// Fields that concern one connection, not the request.
const OF_THE_HOP: [HeaderName; 5] = [
    header::CONNECTION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
];

type Body = Either<Full<Bytes>, Incoming>;

/// An open gate; dropping it closes it.
#[derive(Debug)]
pub(crate) struct Gate {
    address: SocketAddr,
    serving: AbortHandle,
}

/// Why there is no way.
enum NoWay {
    Denied(Denial),
    Unreachable(io::Error),
}

impl Gate {
    /// Opens a gate on a free port.
    pub(crate) async fn open(guard: Arc<Guard>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let serving = tokio::spawn(serve(listener, address, guard)).abort_handle();
        Ok(Self { address, serving })
    }

    /// What Chromium has to be told.
    pub(crate) fn flags(&self) -> Vec<String> {
        vec![
            format!("--proxy-server=http://{}", self.address),
            // Loopback would otherwise be exempt.
            "--proxy-bypass-list=<-loopback>".to_owned(),
            // What WebRTC sends past proxies; the name of the flag differs between versions.
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
            "--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        ]
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, address: SocketAddr, guard: Arc<Guard>) {
    // Goes with this task, and the connections with it.
    let mut connections = JoinSet::new();
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "the gate cannot accept");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        connections.spawn(connection(stream, peer, address, Arc::clone(&guard)));
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, address: SocketAddr, guard: Arc<Guard>) {
    if !peer::is_ours(peer, address).await {
        tracing::warn!(%peer, "another user knocked at the gate");
        return;
    }
    let serving = hyper::server::conn::http1::Builder::new()
        .preserve_header_case(true)
        .serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| {
                let guard = Arc::clone(&guard);
                async move { pass(request, &guard).await }
            }),
        )
        .with_upgrades();
    if let Err(error) = serving.await {
        tracing::debug!(%error, "a connection of the gate broke");
    }
}

async fn pass(request: Request<Incoming>, guard: &Guard) -> Result<Response<Body>, hyper::Error> {
    let is_tunnel = request.method() == Method::CONNECT;
    let Some((host, port)) = destination(request.uri(), is_tunnel) else {
        return Ok(short(
            StatusCode::BAD_REQUEST,
            "This is a proxy: an absolute URL is needed.",
        ));
    };
    let stream = match way(&host, port, guard).await {
        Ok(stream) => stream,
        Err(NoWay::Denied(denial)) => {
            let text = format!("Denied by the policy of this server: {}.", denial.0.en);
            guard.remember(format!("{host}:{port}"), denial);
            return Ok(short(StatusCode::FORBIDDEN, &text));
        }
        Err(NoWay::Unreachable(error)) => {
            return Ok(short(StatusCode::BAD_GATEWAY, &format!("{host}:{port}: {error}")));
        }
    };
    if is_tunnel {
        tokio::spawn(tunnel(request, stream));
        return Ok(short(StatusCode::OK, ""));
    }
    forward(request, stream).await
}

/// Where a request goes. Only tunnels name a port always.
fn destination(uri: &Uri, is_tunnel: bool) -> Option<(Host<String>, u16)> {
    let authority = uri.authority()?;
    let port = match uri.scheme_str() {
        Some("http") => authority.port_u16().unwrap_or(80),
        None if is_tunnel => authority.port_u16()?,
        _ => return None,
    };
    Some((Host::parse(authority.host()).ok()?, port))
}

/// A connection to the first address that is allowed and answers.
async fn way(host: &Host<String>, port: u16, guard: &Guard) -> Result<TcpStream, NoWay> {
    let policy = guard.policy();
    policy.judge_host(host, port).map_err(NoWay::Denied)?;
    let addresses: Vec<IpAddr> = match host {
        Host::Ipv4(address) => vec![IpAddr::V4(*address)],
        Host::Ipv6(address) => vec![IpAddr::V6(*address)],
        Host::Domain(name) => {
            let found = tokio::net::lookup_host((name.as_str(), port)).await;
            found.map_err(NoWay::Unreachable)?.map(|found| found.ip()).collect()
        }
    };
    let mut last = NoWay::Unreachable(io::ErrorKind::HostUnreachable.into());
    for address in addresses {
        if let Err(denial) = policy.judge_address(host, port, address) {
            // A name with one address inside is not followed to another.
            return Err(NoWay::Denied(denial));
        }
        match tokio::time::timeout(CONNECT, TcpStream::connect((address, port))).await {
            Ok(Ok(stream)) => {
                // Small frames of a WebSocket are not held back.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = NoWay::Unreachable(error),
            Err(_) => last = NoWay::Unreachable(io::ErrorKind::TimedOut.into()),
        }
    }
    Err(last)
}

async fn tunnel(request: Request<Incoming>, mut stream: TcpStream) {
    let copied = match hyper::upgrade::on(request).await {
        Ok(upgraded) => tokio::io::copy_bidirectional(&mut TokioIo::new(upgraded), &mut stream)
            .await
            .map(|_| ()),
        Err(error) => Err(io::Error::other(error)),
    };
    if let Err(error) = copied {
        tracing::debug!(%error, "a tunnel of the gate broke");
    }
}

/// One request over one connection. `WebSocket`s are not among them: Chromium asks for tunnels for those.
async fn forward(mut request: Request<Incoming>, stream: TcpStream) -> Result<Response<Body>, hyper::Error> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let Ok(origin) = path.parse::<Uri>() else {
        return Ok(short(StatusCode::BAD_REQUEST, "This URL cannot be read."));
    };
    *request.uri_mut() = origin;
    strip(request.headers_mut());
    request
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .preserve_header_case(true)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a request of the gate broke");
        }
    });
    match sender.send_request(request).await {
        Ok(mut response) => {
            strip(response.headers_mut());
            Ok(response.map(Either::Right))
        }
        Err(error) => Ok(short(StatusCode::BAD_GATEWAY, &error.to_string())),
    }
}

fn strip(headers: &mut HeaderMap) {
    for name in OF_THE_HOP {
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
