//! The connection to Chromium: commands, replies and events over two pipes. `frames.rs` splits the bytes into frames.
//!
//! Invariants: every reply reaches its caller, in whatever order replies arrive. The events of one session arrive in
//! the order in which Chromium sent them, and none is lost between the attachment and the first call of
//! [`Connection::events`]. When the pipe closes, every pending command fails with [`CallError::Closed`] and every event
//! stream ends; when a session ends, its pending commands fail with [`CallError::Gone`] and its event stream ends.

use std::{
    collections::HashMap,
    io,
    os::fd::OwnedFd,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe,
    sync::{mpsc, oneshot},
};
use tokio_util::sync::CancellationToken;

use super::{
    EventStream, ProtocolCommand,
    events::EventQueue,
    frames::{FrameSplitter, SplitFrame},
};

/// The code of an error that fumi itself reports; the protocol's codes are below -32000.
const TOO_LONG: i64 = -1;

/// The id of a session of the protocol: one attachment to one target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DevtoolsSessionId(pub String);

/// The reason why a command has no reply.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The connection is closed: Chromium has exited, or fumi has closed the pipes.
    #[error("Chromium closed the connection")]
    Closed,
    /// The session ended before the reply: its page, frame or worker is gone.
    #[error("{method}: its page or frame is gone")]
    Gone { method: &'static str },
    /// Chromium answered with an error.
    #[error("{method}: {message} ({code})")]
    ErrorReply {
        method: &'static str,
        /// The protocol's error code; -32000 for a general error of the server, -32001 for an unknown session.
        code: i64,
        /// The error message from Chromium.
        message: String,
    },
    /// The reply does not have the form that this version of fumi expects.
    #[error("{method}: {error}")]
    Unreadable { method: &'static str, error: serde_json::Error },
}

impl CallError {
    /// True if Chromium's error message contains `part`.
    pub fn says(&self, part: &str) -> bool {
        matches!(self, Self::ErrorReply { message, .. } if message.contains(part))
    }
}

/// A connection to one Chromium process.
#[derive(Debug)]
pub struct Connection {
    next: AtomicU64,
    frames: mpsc::UnboundedSender<Vec<u8>>,
    shared: Mutex<ConnectionState>,
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct ConnectionState {
    is_closed: bool,
    asked: HashMap<u64, PendingCommand>,
    sessions: HashMap<Option<DevtoolsSessionId>, EventQueue>,
}

/// A command that waits for its reply.
#[derive(Debug)]
struct PendingCommand {
    session: Option<DevtoolsSessionId>,
    answer: oneshot::Sender<CommandResult>,
}

pub(super) type CommandResult = Result<Box<RawValue>, ProtocolError>;

#[derive(Debug, Deserialize)]
pub(super) struct ProtocolError {
    code: i64,
    message: String,
}

#[derive(Serialize)]
struct CommandFrame<'a, C> {
    id: u64,
    method: &'static str,
    params: &'a C,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a DevtoolsSessionId>,
}

/// A frame from Chromium: a reply or an event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IncomingFrame {
    id: Option<u64>,
    result: Option<Box<RawValue>>,
    error: Option<ProtocolError>,
    method: Option<Box<str>>,
    params: Option<Box<RawValue>>,
    session_id: Option<DevtoolsSessionId>,
}

/// The part of `Target.attachedToTarget` and `Target.detachedFromTarget` that the connection itself needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    session_id: DevtoolsSessionId,
}

impl Connection {
    /// Starts the tasks that read and write the pipes. Chromium writes into `from` and reads from `to`.
    pub fn open(from: OwnedFd, to: OwnedFd) -> io::Result<Arc<Self>> {
        let (from, mut to) = (pipe::Receiver::from_owned_fd(from)?, pipe::Sender::from_owned_fd(to)?);
        let (frames, mut queue) = mpsc::unbounded_channel::<Vec<u8>>();
        let connection = Arc::new(Self {
            next: AtomicU64::new(1),
            frames,
            shared: Mutex::default(),
            closed: CancellationToken::new(),
        });
        let writing = Arc::clone(&connection);
        tokio::spawn(async move {
            let write = async {
                while let Some(frame) = queue.recv().await {
                    if to.write_all(&frame).await.is_err() {
                        return;
                    }
                }
            };
            tokio::select! {
                () = write => {}
                () = writing.closed.cancelled() => {}
            }
            // A broken pipe may be noticed here first. Closing the connection at once makes later commands fail instead
            // of waiting for a Chromium that is gone.
            writing.close();
        });
        let reading = Arc::clone(&connection);
        tokio::spawn(async move {
            if let Err(error) = reading.read(from).await {
                tracing::debug!(%error, "the pipe from Chromium broke");
            }
            reading.close();
        });
        Ok(connection)
    }

    /// Sends a command and waits for its reply. Dropping the future discards the reply; Chromium still runs the
    /// command.
    pub async fn call<C: ProtocolCommand>(
        &self,
        session: Option<&DevtoolsSessionId>,
        command: &C,
    ) -> Result<C::Reply, CallError> {
        let method = C::METHOD;
        let answer = self.send_command(session, command)?.await.map_err(|_| self.unanswered(method))?;
        match answer {
            Ok(result) => serde_json::from_str(result.get()).map_err(|error| CallError::Unreadable { method, error }),
            Err(ProtocolError { code, message }) => Err(CallError::ErrorReply { method, code, message }),
        }
    }

    pub(super) fn send_command<C: ProtocolCommand>(
        &self,
        session: Option<&DevtoolsSessionId>,
        command: &C,
    ) -> Result<oneshot::Receiver<CommandResult>, CallError> {
        let method = C::METHOD;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let question = CommandFrame { id, method, params: command, session };
        let mut frame = serde_json::to_vec(&question).map_err(|error| CallError::Unreadable { method, error })?;
        frame.push(0);
        let (sender, receiver) = oneshot::channel();
        let mut shared = self.shared();
        if shared.is_closed {
            return Err(CallError::Closed);
        }
        if session.is_some() && !shared.sessions.contains_key(&session.cloned()) {
            return Err(CallError::Gone { method });
        }
        let session = session.cloned();
        shared.asked.insert(id, PendingCommand { session, answer: sender });
        // Sent under the lock, so that frames are written in the order in which their commands were registered.
        self.frames.send(frame).map_err(|_| CallError::Closed)?;
        Ok(receiver)
    }

    /// Returns the error for a command whose reply was dropped.
    fn unanswered(&self, method: &'static str) -> CallError {
        if self.shared().is_closed { CallError::Closed } else { CallError::Gone { method } }
    }

    /// True if the session is still attached.
    pub fn is_attached(&self, session: &DevtoolsSessionId) -> bool {
        self.shared().sessions.contains_key(&Some(session.clone()))
    }

    /// Returns the events of a session, from its attachment on, or those of the browser itself if `session` is `None`.
    /// Every session has one stream: a second call returns a stream that has already ended.
    pub fn events(&self, session: Option<&DevtoolsSessionId>) -> EventStream {
        let mut shared = self.shared();
        if shared.is_closed {
            return EventStream::ended();
        }
        if session.is_none() {
            shared.sessions.entry(None).or_insert_with(|| EventQueue::new(None));
        }
        // A session that has already ended has no stream.
        let stream = shared.sessions.get_mut(&session.cloned());
        stream.and_then(EventQueue::take).unwrap_or_else(EventStream::ended)
    }

    /// Waits until the connection is closed.
    pub async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// True if the connection is closed.
    pub fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Closes the pipes, which makes Chromium exit.
    pub fn close(&self) {
        let mut shared = self.shared();
        shared.is_closed = true;
        shared.asked.clear();
        shared.sessions.clear();
        self.closed.cancel();
    }

    async fn read(&self, mut from: pipe::Receiver) -> io::Result<()> {
        let mut frames = FrameSplitter::default();
        loop {
            let read = tokio::select! {
                read = from.read_buf(frames.room()) => read?,
                () = self.closed.cancelled() => 0,
            };
            if read == 0 {
                return Ok(());
            }
            frames.each(|piece| match piece {
                SplitFrame::Whole(frame) => self.receive(frame),
                SplitFrame::TooLong(id) => self.skip_overlong(id),
            });
        }
    }

    fn receive(&self, bytes: &[u8]) {
        let frame: IncomingFrame = match serde_json::from_slice(bytes) {
            Ok(frame) => frame,
            Err(error) => {
                tracing::warn!(%error, "a frame has an unexpected form");
                return;
            }
        };
        let mut shared = self.shared();
        match (frame.id, frame.method) {
            (Some(id), _) => {
                let answer = match (frame.result, frame.error) {
                    (_, Some(refusal)) => Err(refusal),
                    (Some(result), None) => Ok(result),
                    (None, None) => return,
                };
                if let Some(asked) = shared.asked.remove(&id) {
                    // The caller may have dropped its future.
                    let _ = asked.answer.send(answer);
                }
            }
            (None, Some(method)) => shared.deliver(frame.session_id.as_ref(), method, frame.params),
            (None, None) => {}
        }
    }

    /// Discards a frame that is too long. If it is a reply, its command fails with an error.
    fn skip_overlong(&self, id: Option<u64>) {
        tracing::warn!("a frame is too long and was skipped");
        if let Some(asked) = id.and_then(|id| self.shared().asked.remove(&id)) {
            let _ =
                asked.answer.send(Err(ProtocolError { code: TOO_LONG, message: "the answer is too long".to_owned() }));
        }
    }

    fn shared(&self) -> MutexGuard<'_, ConnectionState> {
        // Locked only to move values between maps, never across an await.
        self.shared.lock()
    }
}

impl ConnectionState {
    fn deliver(&mut self, session: Option<&DevtoolsSessionId>, method: Box<str>, params: Option<Box<RawValue>>) {
        let session = session.cloned();
        let attachment = |wanted: &str| {
            let params = params.as_deref().filter(|_| *method == *wanted)?;
            serde_json::from_str::<Attachment>(params.get()).ok()
        };
        if let Some(attached) = attachment("Target.attachedToTarget") {
            self.sessions.entry(Some(attached.session_id)).or_insert_with(|| EventQueue::new(session.clone()));
        }
        let detached = attachment("Target.detachedFromTarget");
        if session.is_none() {
            self.sessions.entry(None).or_insert_with(|| EventQueue::new(None));
        }
        if let Some(stream) = self.sessions.get(&session) {
            stream.send(method, params);
        }
        if let Some(detached) = detached {
            self.end(detached.session_id);
        }
    }

    /// Ends a session and all sessions that were attached below it. Chromium will not answer their pending commands.
    fn end(&mut self, session: DevtoolsSessionId) {
        let mut gone = vec![Some(session)];
        while let Some(session) = gone.pop() {
            self.sessions.remove(&session);
            self.asked.retain(|_, asked| asked.session != session);
            let below = self.sessions.iter().filter(|(_, stream)| stream.parent == session);
            gone.extend(below.map(|(below, _)| below.clone()));
        }
    }
}
