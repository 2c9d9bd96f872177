//! Serves one client over standard input and output: its connection is its session.
//!
//! When the client closes the input, its subscriptions end before rmcp waits for running requests: otherwise a stream
//! that only listens would keep the process alive for as long as rmcp waits. The destination of the log is not decided
//! here.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::future::BoxFuture;
use tokio::io::{AsyncRead, ReadBuf};

use super::{server::McpServer, session_registry::SessionRegistry};
use crate::app::App;

/// Serves one client over standard input and output, until it closes them. The future is boxed so that the server is
/// compiled once, and not again in the program that awaits it.
pub fn serve(app: Arc<App>) -> BoxFuture<'static, Result<(), String>> {
    Box::pin(serve_client(app))
}

async fn serve_client(app: Arc<App>) -> Result<(), String> {
    let streams = SessionRegistry::new(&app);
    let (stdin, stdout) = rmcp::transport::io::stdio();
    let input = EndingStdin { stdin, streams: Arc::clone(&streams), is_line_open: false };
    let browser = Arc::clone(&app.browser);
    let running = Box::pin(rmcp::serve_server(McpServer::new(app, streams), (input, stdout)))
        .await
        .map_err(|error| error.to_string())?;
    let ended = running.waiting().await.map_err(|error| error.to_string());
    browser.shut_down().await;
    ended.map(drop)
}

/// Standard input that ends the subscriptions when it is closed. It adds a missing line break at its end, without which rmcp
/// would ignore the last message.
#[derive(Debug)]
struct EndingStdin {
    stdin: tokio::io::Stdin,
    streams: Arc<SessionRegistry>,
    /// True if the bytes so far do not end with a line break.
    is_line_open: bool,
}

impl AsyncRead for EndingStdin {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stdin).poll_read(context, buffer);
        let is_over = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_over && buffer.remaining() > 0 && std::mem::take(&mut self.is_line_open) {
            buffer.put_slice(b"\n");
            return Poll::Ready(Ok(()));
        }
        if let Some(last) = buffer.filled()[before..].last() {
            self.is_line_open = *last != b'\n';
        }
        if is_over {
            self.streams.subscriptions().end();
        }
        read
    }
}
