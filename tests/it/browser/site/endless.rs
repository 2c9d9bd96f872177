//! Slow bodies: piece after piece, to the end, without end, or until the connection breaks.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use futures_core::Stream;
use tokio::time::{Interval, interval};

/// The end of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// The body ends properly.
    Well,
    /// The body never ends.
    Never,
    /// The connection breaks.
    Broken,
}

struct Pieces {
    every: Interval,
    piece: String,
    left: usize,
    end: End,
}

/// Returns a body of so many pieces, the first at once.
pub(super) fn pieces(piece: &str, count: usize, every: Duration, end: End) -> Body {
    Body::from_stream(Pieces {
        every: interval(every),
        piece: piece.to_owned(),
        left: count,
        end,
    })
}

impl Stream for Pieces {
    type Item = Result<String, io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.left == 0 {
            return match self.end {
                End::Well => Poll::Ready(None),
                End::Never => Poll::Pending,
                End::Broken => Poll::Ready(Some(Err(io::Error::other("broken on purpose")))),
            };
        }
        match self.every.poll_tick(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(_) => {
                self.left -= 1;
                Poll::Ready(Some(Ok(self.piece.clone())))
            }
        }
    }
}

/// Returns a body of one piece that then stalls until the browser disconnects.
pub(super) fn stuck_after(piece: &str) -> Body {
    pieces(piece, 1, Duration::from_millis(1), End::Never)
}
