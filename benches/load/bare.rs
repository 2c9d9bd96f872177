//! The bare route: an axum server that reads JSON and returns given bytes, in a process of its own.
//!
//! It has the runtime and the allocator of fumi's server, and none of its layers.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use axum::{Router, http::header::CONTENT_TYPE, routing::post, serve::ListenerExt as _};
use serde_json::Value;

/// The first argument of such a process.
pub(crate) const ROLE: &str = "bare-route";

/// Serves until it is killed; what is returned stands in a file.
pub(crate) fn serve(body: &Path) {
    let body = axum::body::Bytes::from(std::fs::read(body).expect("a body"));
    let route =
        post(move |axum::Json(_): axum::Json<Value>| async move { ([(CONTENT_TYPE, "application/json")], body) });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads start");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        println!("{}", listener.local_addr().expect("it is bound"));
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a TCP socket"));
        axum::serve(listener, Router::new().route("/mcp", route))
            .await
            .expect("it serves");
    });
}

/// Such a process. It is ended when this drops.
pub(crate) struct Bare {
    child: Child,
    pub(crate) address: String,
}

impl Bare {
    pub(crate) fn start(body: &[u8]) -> Self {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), body).expect("written");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .arg(ROLE)
            .arg(file.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("readable");
        Self {
            address: line.trim().to_owned(),
            child,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
