//! A site for tests: a function creates the page of every path, and the requests are recorded.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

pub(super) struct Site {
    pub(super) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

type Pages = Arc<dyn Fn(&str) -> String + Send + Sync>;

impl Site {
    /// Starts a site. `pages` returns the body for a path; a body `-> URL` is a redirect, and one that begins with `@@`
    /// is a file to download.
    pub(super) async fn new(pages: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (pages, heard): (Pages, _) = (Arc::new(pages), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&pages), Arc::clone(&heard)));
            }
        });
        Self { port, asked }
    }

    /// Returns the URL of a path with the site's address.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the URL of a path with the site's name.
    pub(super) fn named(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// Returns `HOST PATH` of each request, followed by `upgrade` if it asked for a protocol upgrade.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

async fn serve(stream: TcpStream, pages: Pages, asked: Arc<Mutex<Vec<String>>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let path = head.first()?.split(' ').nth(1)?.to_owned();
    let field = |name: &str| {
        head.iter().find_map(|line| line.to_lowercase().strip_prefix(name).map(|value| value.trim().to_owned()))
    };
    let (host, upgrade) = (field("host:").unwrap_or_default(), field("upgrade:"));
    let is_upgrade = upgrade.is_some_and(|upgrade| upgrade == "websocket");
    asked.lock().push(format!("{host} {path}{}", if is_upgrade { " upgrade" } else { "" }));
    let body = pages(&path);
    let reply = match body.strip_prefix("-> ") {
        Some(to) => format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
        None => format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {}; charset=utf-8\r\naccess-control-allow-origin: *\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            if body.starts_with("@@") {
                "application/octet-stream\r\ncontent-disposition: attachment; x=y"
            } else {
                "text/html"
            },
            body.len()
        ),
    };
    stream.write_all(reply.as_bytes()).await.ok()
}
