//! Streams end with what their caller was let in by.
//!
//! Invariant: once a principal is gone or changed by a new configuration, none of its event streams says anything more, and a
//! stream that only listens ends when its access token does: its client comes back with what is good then. A call that
//! was let in may finish after its token's time, since nothing new begins by that.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep_until};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::Principal;

/// Bounds an event stream of a principal.
#[must_use]
pub fn with(principal: &Principal, only_listens: bool, stream: Response) -> Response {
    let end = principal.end.filter(|_| only_listens);
    stream.map(|body| {
        Body::new(Bounded {
            body: Some(body),
            gone: Box::pin(principal.gone.clone().cancelled_owned()),
            end: end.map(|end| Box::pin(sleep_until(end))),
        })
    })
}

/// A body that ends early, and then holds nothing of what it was.
struct Bounded {
    body: Option<Body>,
    gone: Pin<Box<WaitForCancellationFutureOwned>>,
    end: Option<Pin<Box<Sleep>>>,
}

impl HttpBody for Bounded {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let is_gone = self.gone.as_mut().poll(context).is_ready();
        let end = self.end.as_mut().map(|end| end.as_mut().poll(context).is_ready());
        if is_gone || end == Some(true) {
            self.body = None;
        }
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
