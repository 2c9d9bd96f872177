//! Reading a request's body: whole, before anything is asked of it.
//!
//! Invariant: a body is bounded in bytes however it is framed, all bodies together are, and a client that stops sending is
//! not waited for. Behind this layer a body is one piece in memory, so that no route needs a limit of its own. It does not
//! look into it.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use super::refusal::Refusal;
use crate::{
    config::Config,
    telemetry::metrics::{Metrics, RefusedBy},
};

/// How many times the patience for one piece the whole body may take.
const PIECES: u32 = 10;

/// The limits of bodies.
#[derive(Clone, Debug)]
pub struct Bodies {
    /// Bytes of one.
    limit: usize,
    /// Between two pieces.
    patience: Duration,
    /// A permit a byte.
    room: Arc<Semaphore>,
    metrics: Arc<Metrics>,
}

/// Why a body was not read.
enum Unread {
    TooLarge,
    Late,
    Broken,
    /// Others take all the room.
    NoRoom,
}

impl Bodies {
    /// As configured.
    #[must_use]
    pub fn new(config: &Config, metrics: &Arc<Metrics>) -> Self {
        Self {
            limit: config.limits.body_bytes,
            patience: Duration::from_secs(config.server.body_seconds),
            room: Arc::new(Semaphore::new(config.limits.bodies_bytes.min(Semaphore::MAX_PERMITS))),
            metrics: Arc::clone(metrics),
        }
    }

    fn refuse(&self, unread: &Unread) -> Refusal {
        let by = match unread {
            Unread::NoRoom => RefusedBy::Busy,
            Unread::TooLarge | Unread::Late | Unread::Broken => RefusedBy::Body,
        };
        self.metrics.refused(by);
        match unread {
            Unread::NoRoom => Refusal::busy(),
            Unread::Broken => Refusal::new(StatusCode::BAD_REQUEST, "BODY_BROKEN", &[]),
            Unread::TooLarge => {
                let facts = [("limit", self.limit.to_string())];
                Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", &facts)
            }
            Unread::Late => {
                let facts = [("seconds", self.patience.as_secs().to_string())];
                Refusal::new(StatusCode::REQUEST_TIMEOUT, "BODY_LATE", &facts)
            }
        }
    }

    async fn read(&self, body: Body) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Unread> {
        let mut body = body;
        let mut whole = Whole::default();
        let mut held: Option<OwnedSemaphorePermit> = None;
        let last = Instant::now() + self.patience * PIECES;
        loop {
            let Some(piece) = self.piece(&mut body, last).await? else {
                return Ok((whole.bytes(), held));
            };
            if piece.len() > self.limit - whole.len() {
                return Err(Unread::TooLarge);
            }
            let count = u32::try_from(piece.len()).map_err(|_| Unread::TooLarge)?;
            let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(count) else {
                let rest = self.limit - whole.len();
                drop((whole, held));
                self.discard(&mut body, rest, last).await;
                return Err(Unread::NoRoom);
            };
            match &mut held {
                Some(held) => held.merge(room),
                None => held = Some(room),
            }
            whole.add(piece);
        }
    }
}

impl Bodies {
    /// The next piece of a body; `None` at its end.
    async fn piece(&self, body: &mut Body, last: Instant) -> Result<Option<Bytes>, Unread> {
        loop {
            let by = last.min(Instant::now() + self.patience);
            let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            match timeout_at(by, frame).await {
                Err(_) => return Err(Unread::Late),
                Ok(Some(Err(_))) => return Err(Unread::Broken),
                // Trailers mean nothing here.
                Ok(Some(Ok(frame))) => {
                    if let Ok(piece) = frame.into_data() {
                        return Ok(Some(piece));
                    }
                }
                Ok(None) => return Ok(None),
            }
        }
    }

    /// Takes what still comes of a body that is refused, and holds nothing of it: whoever is sending does not read, and would
    /// find a connection that was reset instead of the refusal.
    async fn discard(&self, body: &mut Body, rest: usize, last: Instant) {
        let mut rest = rest;
        while let Ok(Some(piece)) = self.piece(body, last).await {
            match rest.checked_sub(piece.len()) {
                Some(left) => rest = left,
                None => return,
            }
        }
    }
}

/// The pieces so far. Most bodies are one piece, which is not copied.
#[derive(Default)]
enum Whole {
    #[default]
    Nothing,
    One(Bytes),
    Many(Vec<u8>),
}

impl Whole {
    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(piece) => piece.len(),
            Self::Many(pieces) => pieces.len(),
        }
    }

    fn add(&mut self, piece: Bytes) {
        *self = match std::mem::take(self) {
            Self::Nothing => Self::One(piece),
            Self::One(first) => Self::Many([first, piece].concat()),
            Self::Many(mut pieces) => {
                pieces.extend_from_slice(&piece);
                Self::Many(pieces)
            }
        };
    }

    fn bytes(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(piece) => piece,
            Self::Many(pieces) => pieces.into(),
        }
    }
}

/// The layer.
pub async fn read(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return next.run(Request::from_parts(parts, Body::empty())).await;
    }
    let announced = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > bodies.limit as u64) {
        return bodies.refuse(&Unread::TooLarge).into_response();
    }
    match bodies.read(body).await {
        // The room is taken until the answer begins: by then the body is read.
        Ok((bytes, _room)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Err(unread) => bodies.refuse(&unread).into_response(),
    }
}
