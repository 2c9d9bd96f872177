//! Reading a request's body: whole, before anything is asked of it.
//!
//! Invariant: a body is bounded in bytes however it is framed, all bodies together are, of one principal and of all, and a
//! client that stops sending, or only trickles, is not waited for: room is held for what came lately. Where nobody was authenticated no body is read. Behind this layer a body is
//! one piece in memory, so that no route needs a limit of its own. It does not look into it.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use fumi_base::{
    project::quoted,
    shares::{Share, Shares},
};
use tokio::time::{Instant, timeout_at};

use super::{auth::Principal, refusal::Refusal};
use crate::{
    config::Config,
    telemetry::metrics::{Metrics, RefusedBy},
};

/// The largest body may take this many times the patience: in each a part of it has to come, or the end of the body.
const PARTS: usize = 10;

/// The limits of bodies.
#[derive(Clone, Debug)]
pub struct Bodies {
    /// Bytes of one.
    limit: usize,
    /// For a tenth of `limit`, or the rest of a smaller body.
    patience: Duration,
    /// In bytes.
    room: Shares,
    metrics: Arc<Metrics>,
}

/// Why a body was not read.
enum Unread {
    /// The URL takes none.
    Unwanted,
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
            room: Shares::new(config.limits.bodies_bytes, config.limits.body_bytes),
            metrics: Arc::clone(metrics),
        }
    }

    fn refuse(&self, unread: &Unread) -> Refusal {
        let by = match unread {
            Unread::NoRoom => RefusedBy::Busy,
            Unread::Unwanted | Unread::TooLarge | Unread::Late | Unread::Broken => RefusedBy::Body,
        };
        self.metrics.refused(by);
        match unread {
            Unread::NoRoom => Refusal::busy(),
            Unread::Unwanted => Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_UNWANTED", &[]),
            Unread::Broken => Refusal::new(StatusCode::BAD_REQUEST, "BODY_BROKEN", &[]),
            Unread::TooLarge => {
                let facts = [("limit", self.limit.to_string())];
                Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", &facts)
            }
            Unread::Late => {
                let part = self.limit.div_ceil(PARTS).to_string();
                let facts = [("seconds", self.patience.as_secs().to_string()), ("part", part)];
                Refusal::new(StatusCode::REQUEST_TIMEOUT, "BODY_LATE", &facts)
            }
        }
    }

    /// The body of a request, and the room that it takes until the answer begins: by then it is read.
    pub async fn read(&self, parts: &Parts, body: Body) -> Result<(Bytes, Option<Share>), Refusal> {
        if body.is_end_stream() {
            return Ok((Bytes::new(), None));
        }
        let Some(principal) = parts.extensions.get::<Arc<Principal>>() else {
            return Err(self.refuse(&Unread::Unwanted));
        };
        if let Some(encoding) = encoded(&parts.headers) {
            self.metrics.refused(RefusedBy::Body);
            let facts = [("encoding", encoding)];
            let refusal = Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "BODY_ENCODED", &facts);
            return Err(refusal.with(header::ACCEPT_ENCODING, "identity"));
        }
        let announced = parts
            .headers
            .get(header::CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > self.limit as u64) {
            return Err(self.refuse(&Unread::TooLarge));
        }
        let share = self.room.of(&principal.name);
        let (whole, share) = self.whole(body, share).await.map_err(|unread| self.refuse(&unread))?;
        Ok((whole, Some(share)))
    }

    async fn whole(&self, body: Body, share: Share) -> Result<(Bytes, Share), Unread> {
        let (mut body, mut share) = (body, share);
        let mut whole = Whole::default();
        let mut pace = Pace::new(self);
        loop {
            let Some(piece) = pace.piece(&mut body).await? else {
                return Ok((whole.bytes(), share));
            };
            if piece.len() > self.limit - whole.len() {
                return Err(Unread::TooLarge);
            }
            if !share.grow(piece.len()) {
                let rest = self.limit - whole.len();
                drop((whole, share));
                pace.discard(&mut body, rest).await;
                return Err(Unread::NoRoom);
            }
            whole.add(piece);
        }
    }
}

/// How fast a body comes.
struct Pace {
    patience: Duration,
    /// Bytes that have to come in that time.
    part: usize,
    /// Those of the current part.
    came: usize,
    by: Instant,
}

impl Pace {
    fn new(bodies: &Bodies) -> Self {
        Self {
            patience: bodies.patience,
            part: bodies.limit.div_ceil(PARTS),
            came: 0,
            by: Instant::now() + bodies.patience,
        }
    }

    /// The next piece of a body; `None` at its end.
    async fn piece(&mut self, body: &mut Body) -> Result<Option<Bytes>, Unread> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            match timeout_at(self.by, frame).await {
                Err(_) => return Err(Unread::Late),
                Ok(Some(Err(_))) => return Err(Unread::Broken),
                // Trailers mean nothing here.
                Ok(Some(Ok(frame))) => {
                    if let Ok(piece) = frame.into_data() {
                        self.came += piece.len();
                        if self.came >= self.part {
                            (self.came, self.by) = (0, Instant::now() + self.patience);
                        }
                        return Ok(Some(piece));
                    }
                }
                Ok(None) => return Ok(None),
            }
        }
    }

    /// Takes what still comes of a body that is refused, and holds nothing of it: whoever is sending does not read, and would
    /// find a connection that was reset instead of the refusal.
    async fn discard(&mut self, body: &mut Body, rest: usize) {
        let mut rest = rest;
        while let Ok(Some(piece)) = self.piece(body).await {
            match rest.checked_sub(piece.len()) {
                Some(left) => rest = left,
                None => return,
            }
        }
    }
}

/// The encoding of a body that is not sent as it is.
fn encoded(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(header::CONTENT_ENCODING).iter();
    let other = all.find(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))?;
    Some(quoted(&String::from_utf8_lossy(other.as_bytes())))
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
