//! Ends event streams when the authorization of their caller ends.
//!
//! Invariant: once a principal is removed or changed by a new configuration, none of its event streams sends anything
//! more. A stream that only listens ends when its access token expires; its client reconnects with a fresh token. The
//! stream of a call may continue after its token has expired, since it begins no new work.

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

/// Bounds an event stream by the authorization of its principal.
pub fn bound_stream(principal: &Principal, only_listens: bool, stream: Response) -> Response {
    let end = principal.end.filter(|_| only_listens);
    stream.map(|body| {
        Body::new(ExpiringBody {
            body: Some(body),
            gone: Box::pin(principal.revoked.clone().cancelled_owned()),
            end: end.map(|end| Box::pin(sleep_until(end))),
        })
    })
}

/// A body that can end early, and then drops the wrapped body at once.
struct ExpiringBody {
    body: Option<Body>,
    gone: Pin<Box<WaitForCancellationFutureOwned>>,
    end: Option<Pin<Box<Sleep>>>,
}

impl HttpBody for ExpiringBody {
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
