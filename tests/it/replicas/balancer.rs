//! A load balancer that sends each request to the next of several servers, whichever session it belongs to.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    response::Response,
};
use tokio::{net::TcpListener, task::JoinHandle};

/// The balancer. Aborted when dropped.
pub(crate) struct Balancer {
    /// `http://127.0.0.1:PORT`.
    pub(crate) base: String,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Targets {
    http: reqwest::Client,
    bases: Vec<String>,
    next: AtomicUsize,
}

impl Balancer {
    pub(crate) async fn start(bases: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let targets = Arc::new(Targets { http, bases, next: AtomicUsize::new(0) });
        let routes = Router::new().fallback(pass).with_state(targets);
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self { base, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Passes a request to the next server that accepts a connection.
async fn pass(State(targets): State<Arc<Targets>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path_and_query().unwrap().as_str();
    for _ in 0..targets.bases.len() {
        let base = &targets.bases[targets.next.fetch_add(1, Relaxed) % targets.bases.len()];
        let request = targets.http.request(parts.method.clone(), format!("{base}{path}"));
        match request.headers(parts.headers.clone()).body(body.clone()).send().await {
            Ok(answer) => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = answer.status();
                response.headers_mut().clone_from(answer.headers());
                *response.body_mut() = Body::from_stream(answer.bytes_stream());
                return response;
            }
            Err(error) if error.is_connect() => {}
            Err(error) => panic!("a server did not answer: {error:?}"),
        }
    }
    panic!("no server accepts connections");
}
