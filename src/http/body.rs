//! Reads a request's body whole, before the request is looked at further.
//!
//! Invariant: a body is bounded in bytes however it is framed; the bodies of one principal and all bodies together are
//! bounded too, and count bytes that have arrived. A client that stops sending, or only trickles, is cut off. The body
//! of an unauthenticated request is not read. Behind this layer a body is one piece in memory, so that no route needs a
//! limit of its own. The layer does not look into the body.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use fumi_base::{
    project::quoted,
    shares::{CapacityShare, Shares},
};
use fumi_config::Config;
use fumi_kernel::metrics::{RefusalReason, ServerMetrics};
use tokio::time::{Instant, timeout_at};

use super::{auth::Principal, http_error::HttpError};

/// The number of parts into which the largest body is divided: each part, or the end of the body, must arrive within
/// one timeout.
const PARTS: usize = 10;

/// The limits of all request bodies.
#[derive(Clone, Debug)]
pub struct BodyLimits {
    /// The largest body, in bytes.
    limit: usize,
    /// The timeout of a tenth of `limit`, or of the rest of a smaller body.
    patience: Duration,
    /// Bytes of all bodies, shared between principals.
    room: Shares,
    metrics: Arc<ServerMetrics>,
}

/// The error of a body that was not read.
enum BodyReadError {
    /// The route accepts no body.
    Unwanted,
    TooLarge,
    Late,
    Broken,
    /// The memory for bodies is used up by other requests.
    NoRoom,
}

impl BodyLimits {
    /// Takes the limits from the configuration.
    pub fn new(config: &Config, metrics: &Arc<ServerMetrics>) -> Self {
        Self {
            limit: config.limits.body_bytes,
            patience: Duration::from_secs(config.server.body_seconds),
            room: Shares::new(config.limits.bodies_bytes, config.limits.body_bytes),
            metrics: Arc::clone(metrics),
        }
    }

    fn refuse(&self, unread: &BodyReadError) -> HttpError {
        let by = match unread {
            BodyReadError::NoRoom => RefusalReason::Busy,
            BodyReadError::Unwanted | BodyReadError::TooLarge | BodyReadError::Late | BodyReadError::Broken => {
                RefusalReason::Body
            }
        };
        self.metrics.refused(by);
        match unread {
            BodyReadError::NoRoom => HttpError::busy(),
            BodyReadError::Unwanted => HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_UNWANTED", &[]),
            BodyReadError::Broken => HttpError::new(StatusCode::BAD_REQUEST, "BODY_BROKEN", &[]),
            BodyReadError::TooLarge => {
                HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", &[("limit", &self.limit)])
            }
            BodyReadError::Late => {
                let (seconds, part) = (self.patience.as_secs(), self.limit.div_ceil(PARTS));
                HttpError::new(StatusCode::REQUEST_TIMEOUT, "BODY_LATE", &[("seconds", &seconds), ("part", &part)])
            }
        }
    }

    /// Reads the body of a request. Returns it with its share of memory, which is released when the response begins: by
    /// then the body has been processed.
    pub async fn read(&self, parts: &Parts, body: Body) -> Result<(Bytes, Option<CapacityShare>), HttpError> {
        if body.is_end_stream() {
            return Ok((Bytes::new(), None));
        }
        let Some(principal) = parts.extensions.get::<Arc<Principal>>() else {
            return Err(self.refuse(&BodyReadError::Unwanted));
        };
        if let Some(encoding) = encoded(&parts.headers) {
            self.metrics.refused(RefusalReason::Body);
            let refusal =
                HttpError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "BODY_ENCODED", &[("encoding", &encoding)]);
            return Err(refusal.with_header(header::ACCEPT_ENCODING, "identity"));
        }
        let announced =
            parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > self.limit as u64) {
            return Err(self.refuse(&BodyReadError::TooLarge));
        }
        let share = self.room.empty_share(&principal.name);
        let (whole, share) = self.whole(body, share).await.map_err(|unread| self.refuse(&unread))?;
        Ok((whole, Some(share)))
    }

    async fn whole(&self, body: Body, share: CapacityShare) -> Result<(Bytes, CapacityShare), BodyReadError> {
        let (mut body, mut share) = (body, share);
        let mut whole = CollectedBody::default();
        let mut pace = BodyPace::new(self);
        loop {
            let Some(piece) = pace.piece(&mut body).await? else {
                return Ok((whole.bytes(), share));
            };
            if piece.len() > self.limit - whole.len() {
                return Err(BodyReadError::TooLarge);
            }
            if !share.grow(piece.len()) {
                let rest = self.limit - whole.len();
                drop((whole, share));
                pace.discard(&mut body, rest).await;
                return Err(BodyReadError::NoRoom);
            }
            whole.add(piece);
        }
    }
}

/// The progress of one body.
struct BodyPace {
    patience: Duration,
    /// Bytes that must arrive within one timeout.
    part: usize,
    /// Bytes of the current part that have arrived.
    came: usize,
    by: Instant,
}

impl BodyPace {
    fn new(bodies: &BodyLimits) -> Self {
        Self {
            patience: bodies.patience,
            part: bodies.limit.div_ceil(PARTS),
            came: 0,
            by: Instant::now() + bodies.patience,
        }
    }

    /// Returns the next piece of a body; `None` at its end.
    async fn piece(&mut self, body: &mut Body) -> Result<Option<Bytes>, BodyReadError> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            match timeout_at(self.by, frame).await {
                Err(_) => return Err(BodyReadError::Late),
                Ok(Some(Err(_))) => return Err(BodyReadError::Broken),
                // Trailers are ignored.
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

    /// Reads and drops the rest of a refused body. A client that is still sending does not read; without this it would
    /// get a connection reset instead of the refusal.
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

/// Returns the content encoding of a body, if it has one.
fn encoded(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(header::CONTENT_ENCODING).iter();
    let other = all.find(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))?;
    Some(quoted(&String::from_utf8_lossy(other.as_bytes())))
}

/// The pieces read so far. Most bodies are one piece, which is not copied.
#[derive(Default)]
enum CollectedBody {
    #[default]
    Nothing,
    One(Bytes),
    Many(Vec<u8>),
}

impl CollectedBody {
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
