//! A web site for tests: the pages of `tests/fixtures/browser`, and routes for behaviour that a file cannot have
//! (statuses, cookies, redirects, slow and endless bodies).
//!
//! A real server on a free port of 127.0.0.1. It stores the requests in order, so that a test can read what a browser
//! sent. A second site is another origin; under the name `localhost` it is another *site* too, in another renderer
//! process. Invariant: no page needs anything from other hosts. The site asserts nothing.
//!
//! Other packages include this file by its path; it needs axum, futures-core, percent-encoding and tokio.

#![allow(clippy::unused_async, reason = "a route is async, whether it waits or not")]

#[path = "site/endless.rs"]
mod endless;
#[path = "site/files.rs"]
mod files;
#[path = "site/login.rs"]
mod login;
#[path = "site/routes.rs"]
mod routes;

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::{self, Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

/// The maximum size of a request: more than any file that a test uploads.
const LARGEST: usize = 64 << 20;

/// A running site. Stopped when dropped, with all its open connections.
#[derive(Debug)]
pub(crate) struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<io::Result<()>>,
}

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) path: String,
    /// Without the question mark; empty if the URL has no query.
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// The state that all routes share.
#[derive(Debug)]
struct Shared {
    /// The folders with pages; the first one that has a file serves it.
    folders: Vec<PathBuf>,
    /// Never locked across an await.
    received: Mutex<Vec<Received>>,
    /// Notified of each request, for tests that wait for one.
    arrived: Notify,
}

impl Site {
    /// Starts a site with the committed pages.
    pub(crate) async fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("tests/fixtures/browser"))
            .find(|folder| folder.is_dir())
            .expect("the pages are part of the repository");
        Self::start_with(vec![folder]).await
    }

    /// Starts a site with the pages of these folders; the first one that has a file serves it.
    pub(crate) async fn start_with(folders: Vec<PathBuf>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared {
            folders,
            received: Mutex::default(),
            arrived: Notify::new(),
        });
        let app = routes::routes()
            .layer(middleware::from_fn_with_state(Arc::clone(&shared), keep))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, shared, task }
    }

    /// Returns the address of a page. The path begins with a slash.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the same page under another name of this machine, such as `localhost` or `a.localhost`: another site for
    /// a browser.
    pub(crate) fn url_at(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port())
    }

    /// `http://127.0.0.1:PORT`.
    pub(crate) fn origin(&self) -> String {
        self.url("")
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns all requests so far, in order.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.lock().clone()
    }

    /// Returns the requests for a path.
    pub(crate) fn received_at(&self, path: &str) -> Vec<Received> {
        let all = self.shared.lock();
        all.iter().filter(|request| request.path == path).cloned().collect()
    }

    /// Returns how many requests came for a path.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.shared.lock().iter().filter(|request| request.path == path).count()
    }

    /// Waits until so many requests came for a path. The caller sets a timeout.
    pub(crate) async fn until(&self, path: &str, count: usize) {
        loop {
            let arrived = self.shared.arrived.notified();
            tokio::pin!(arrived);
            // From here on no notification is missed, so counting after it is safe.
            arrived.as_mut().enable();
            if self.count(path) >= count {
                return;
            }
            arrived.await;
        }
    }

    /// Deletes the stored requests.
    pub(crate) fn forget(&self) {
        self.shared.lock().clear();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Received {
    /// Returns the body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns a header; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns a field of the query, decoded.
    pub(crate) fn asked(&self, name: &str) -> Option<String> {
        field(&self.query, name)
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores each request before a route sees it.
async fn keep(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    // Browsers request it by themselves, so that counts would differ.
    if request.uri().path() == "/favicon.ico" {
        return StatusCode::NO_CONTENT.into_response();
    }
    let (head, body) = request.into_parts();
    let Ok(body) = body::to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    shared.lock().push(Received {
        method: head.method.clone(),
        path: head.uri.path().to_owned(),
        query: query(&head.uri),
        headers: head.headers.clone(),
        body: body.clone(),
    });
    shared.arrived.notify_waiters();
    next.run(Request::from_parts(head, Body::from(body))).await
}

fn query(uri: &Uri) -> String {
    uri.query().unwrap_or_default().to_owned()
}

/// Returns a field of a query or of a form, decoded.
fn field(form: &str, name: &str) -> Option<String> {
    let mut fields = form.split('&').filter_map(|field| field.split_once('='));
    let (_, value) = fields.find(|(key, _)| *key == name)?;
    let spaced = value.replace('+', " ");
    Some(
        percent_encoding::percent_decode_str(&spaced)
            .decode_utf8_lossy()
            .into_owned(),
    )
}
