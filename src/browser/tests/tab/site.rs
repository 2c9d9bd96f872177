//! A site for tests: a table of paths over plain HTTP. It is also reachable as `localhost`, which is another site than
//! `127.0.0.1`.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// The response of a path.
#[derive(Clone)]
pub(super) enum Reply {
    Page(String),
    /// Status, further headers and body.
    Status(u16, &'static str, String),
    /// The headers and a part of a page, without an end.
    Endless(String),
    Never,
    /// The page, once [`Site::release`] was called.
    Held(String),
}

pub(super) struct Site {
    port: u16,
    held: Arc<Notify>,
}

impl Site {
    /// Starts a site. In a body, `{other}` is replaced by the URL of the other name, `{here}` by that of the address.
    pub(super) async fn new(routes: impl IntoIterator<Item = (&'static str, Reply)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let routes: Arc<HashMap<_, _>> = Arc::new(routes.into_iter().collect());
        let held = Arc::new(Notify::new());
        let release = Arc::clone(&held);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, port, Arc::clone(&routes), Arc::clone(&release)));
            }
        });
        Self { port, held }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn other(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// Releases the responses that are held back, now and later.
    pub(super) fn release(&self) {
        self.held.notify_one();
    }
}

async fn serve(
    mut stream: TcpStream,
    port: u16,
    routes: Arc<HashMap<&'static str, Reply>>,
    held: Arc<Notify>,
) -> Option<()> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    let request = String::from_utf8_lossy(&bytes).into_owned();
    let path = request.lines().next()?.split(' ').nth(1)?.split('?').next()?.to_owned();
    let filled = |body: String| {
        body.replace("{other}", &format!("http://localhost:{port}"))
            .replace("{here}", &format!("http://127.0.0.1:{port}"))
    };
    let html = "content-type: text/html; charset=utf-8\r\n";
    let (status, headers, body) = match routes.get(path.as_str()).cloned() {
        None => (404, html.to_owned(), "<title>none</title>Not here".to_owned()),
        Some(Reply::Page(body)) => (200, html.to_owned(), filled(body)),
        Some(Reply::Status(status, headers, body)) => (status, filled(headers.to_owned()), filled(body)),
        Some(Reply::Held(body)) => {
            held.notified().await;
            (200, html.to_owned(), filled(body))
        }
        Some(Reply::Endless(body)) => {
            let start = format!("HTTP/1.1 200 OK\r\n{html}\r\n{}", filled(body));
            stream.write_all(start.as_bytes()).await.ok()?;
            tokio::time::sleep(Duration::from_mins(10)).await;
            return None;
        }
        Some(Reply::Never) => {
            tokio::time::sleep(Duration::from_mins(10)).await;
            return None;
        }
    };
    let length = if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let answer = format!("HTTP/1.1 {status} Such\r\n{headers}{length}connection: close\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await.ok()
}
