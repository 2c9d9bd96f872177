//! A socket with timeouts for its peer.
//!
//! Invariant: while no request of a connection runs, the peer has a bounded time for the next one, counted from its
//! first byte, so that trickled bytes gain nothing; and the peer must read some of what is written in time. The
//! duration of a request is not limited here.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

/// The timeouts of one connection.
#[derive(Clone, Copy, Debug)]
pub struct SocketTimeouts {
    /// The time for the head of a request, from its first byte on; on a new connection from the start.
    pub head: Duration,
    /// The time between a reply and the next request.
    pub idle: Duration,
    /// The time until the peer reads some of what is written.
    pub stall: Duration,
}

/// The running requests of one connection. Clones share the counters.
#[derive(Clone, Debug, Default)]
pub struct RunningRequests(Arc<RequestCounters>);

#[derive(Debug, Default)]
struct RequestCounters {
    running: AtomicUsize,
    /// Requests since the connection was made; it may wrap.
    begun: AtomicUsize,
}

/// A running request, counted until this is dropped.
#[must_use]
#[derive(Debug)]
pub struct RequestGuard(RunningRequests);

impl RunningRequests {
    /// Counts another running request until the returned guard is dropped.
    pub fn begin(&self) -> RequestGuard {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        RequestGuard(self.clone())
    }

    fn is_any(&self) -> bool {
        self.0.running.load(Ordering::Relaxed) > 0
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The action that is expected of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PeerPhase {
    /// Sends the rest of a request's head.
    Head,
    /// Reads a reply.
    Reply,
    /// Begins another request, or does nothing.
    Idle,
}

/// A socket with timeouts.
#[derive(Debug)]
pub struct TimeoutStream<S> {
    socket: S,
    running: RunningRequests,
    /// The value of [`RequestCounters::begun`] at the last check: a request may begin and end between two checks.
    begun: usize,
    patience: SocketTimeouts,
    phase: PeerPhase,
    /// The start of the phase.
    since: Instant,
    /// Created once and reset rarely: a timer for every request would cost more than the rest of this file.
    reading: Option<Pin<Box<Sleep>>>,
    /// Set while the peer reads nothing.
    writing: Option<Pin<Box<Sleep>>>,
}

impl<S> TimeoutStream<S> {
    /// Wraps the socket of a new connection. Its requests are counted in `running`.
    pub fn new(socket: S, running: RunningRequests, patience: SocketTimeouts) -> Self {
        Self {
            socket,
            running,
            begun: 0,
            patience,
            phase: PeerPhase::Head,
            since: Instant::now(),
            reading: None,
            writing: None,
        }
    }

    /// Records that bytes arrived.
    fn on_bytes_read(&mut self) {
        self.update_phase();
        if self.phase == PeerPhase::Idle {
            self.enter(PeerPhase::Head);
        }
    }

    /// Updates the phase from the requests since the last check.
    fn update_phase(&mut self) {
        let begun = self.running.0.begun.load(Ordering::Relaxed);
        let has_begun = std::mem::replace(&mut self.begun, begun) != begun;
        if self.running.is_any() {
            if has_begun || self.phase != PeerPhase::Reply {
                self.enter(PeerPhase::Reply);
            }
        } else if has_begun || self.phase == PeerPhase::Reply {
            self.enter(PeerPhase::Idle);
        }
    }

    fn enter(&mut self, phase: PeerPhase) {
        self.phase = phase;
        self.since = Instant::now();
    }

    /// True if nothing has arrived for too long; otherwise the task is woken at the deadline.
    fn is_late(&mut self, context: &mut Context<'_>) -> bool {
        self.update_phase();
        let Self { phase, since, patience, .. } = *self;
        let deadline = |now| match phase {
            PeerPhase::Head => since + patience.head,
            // Not timed, but checked again, since the end of a reply does not wake this task.
            PeerPhase::Reply => now + patience.idle,
            PeerPhase::Idle => since + patience.idle,
        };
        let first = deadline(Instant::now());
        let timer = self.reading.get_or_insert_with(|| Box::pin(sleep_until(first)));
        // Setting a timer to a past time wakes this task at once.
        if timer.deadline() > first {
            timer.as_mut().reset(first);
        }
        while timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let deadline = deadline(now);
            if deadline <= now {
                return true;
            }
            timer.as_mut().reset(deadline);
        }
        false
    }

    /// Returns the result of a write; an error if the peer has read nothing for too long.
    fn written(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.writing = None;
            return written;
        }
        let stall = self.patience.stall;
        let timer = self.writing.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + stall)));
        if timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(late("the peer reads nothing")));
        }
        Poll::Pending
    }
}

fn late(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.socket).poll_read(context, into);
        match read {
            Poll::Pending if self.is_late(context) => Poll::Ready(Err(late("the peer sends nothing"))),
            Poll::Ready(Ok(())) => {
                self.on_bytes_read();
                Poll::Ready(Ok(()))
            }
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, pieces);
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, io, pin::Pin, time::Duration};

    use tokio::{
        io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadBuf, duplex},
        time::{interval, sleep, timeout},
    };

    use super::{RunningRequests, SocketTimeouts, TimeoutStream};

    const SHORT: Duration = Duration::from_millis(20);
    /// Longer than any test.
    const EVER: Duration = Duration::from_hours(1);

    /// Connects with one short timeout; the two others never end.
    fn connection(
        shorten: impl FnOnce(&mut SocketTimeouts),
    ) -> (TimeoutStream<DuplexStream>, DuplexStream, RunningRequests) {
        let (ours, theirs) = duplex(64);
        let running = RunningRequests::default();
        let mut patience = SocketTimeouts { head: EVER, idle: EVER, stall: EVER };
        shorten(&mut patience);
        (TimeoutStream::new(ours, running.clone(), patience), theirs, running)
    }

    fn short_head() -> (TimeoutStream<DuplexStream>, DuplexStream, RunningRequests) {
        connection(|patience| patience.head = SHORT)
    }

    /// Reads until the timeout ends.
    async fn cut_off(connection: &mut TimeoutStream<DuplexStream>) {
        loop {
            match connection.read_u8().await {
                Ok(_) => {}
                Err(error) => return assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            }
        }
    }

    /// Checks that it waits for longer than the short timeout.
    async fn waits(connection: &mut TimeoutStream<DuplexStream>) {
        assert!(timeout(3 * SHORT, connection.read_u8()).await.is_err(), "the connection does not wait");
    }

    async fn byte(ours: &mut TimeoutStream<DuplexStream>, theirs: &mut DuplexStream) {
        theirs.write_all(b"x").await.expect("the buffer has room");
        ours.read_u8().await.expect("a byte");
    }

    #[tokio::test]
    async fn a_head_that_trickles_is_cut_off() {
        let (mut ours, mut theirs, _) = short_head();
        let trickle = tokio::spawn(async move {
            while theirs.write_all(b"G").await.is_ok() {
                sleep(SHORT / 4).await;
            }
        });
        cut_off(&mut ours).await;
        drop(ours);
        trickle.await.expect("it ends");
    }

    #[tokio::test]
    async fn new_connection_without_bytes_times_out() {
        let (mut ours, _theirs, _) = short_head();
        cut_off(&mut ours).await;
    }

    #[tokio::test]
    async fn head_timeout_applies_only_between_requests() {
        let (mut ours, mut theirs, running) = short_head();
        byte(&mut ours, &mut theirs).await;
        let request = running.begin();
        waits(&mut ours).await;
        drop(request);
        // Between requests another timeout applies.
        waits(&mut ours).await;
        byte(&mut ours, &mut theirs).await;
        cut_off(&mut ours).await;
    }

    #[tokio::test]
    async fn a_connection_without_another_request_is_cut_off() {
        let (mut ours, mut theirs, running) = connection(|patience| patience.idle = SHORT);
        byte(&mut ours, &mut theirs).await;
        let request = running.begin();
        waits(&mut ours).await;
        drop(request);
        cut_off(&mut ours).await;
    }

    #[tokio::test]
    async fn check_during_long_reply_does_not_wake_task() {
        let (mut ours, _theirs, running) = connection(|patience| patience.idle = SHORT);
        let _request = running.begin();
        let (mut looks, mut writing) = (0, interval(SHORT));
        let reading = poll_fn(|context| {
            looks += 1;
            // The task of a connection is also polled for its writes.
            while writing.poll_tick(context).is_ready() {}
            Pin::new(&mut ours).poll_read(context, &mut ReadBuf::new(&mut [0]))
        });
        let timed = timeout(5 * SHORT, reading).await;
        assert!(timed.is_err(), "a running request is timed");
        assert!(looks < 100, "{looks} looks in 5 idle times");
    }

    #[tokio::test]
    async fn idle_timeout_starts_after_request_between_polls() {
        let (mut ours, _theirs, running) = connection(|patience| patience.idle = SHORT);
        let request = running.begin();
        let reading = tokio::spawn(async move { cut_off(&mut ours).await });
        sleep(2 * SHORT).await;
        drop(request);
        reading.await.expect("it is cut off");
    }

    #[tokio::test]
    async fn request_between_polls_resets_head_timeout_to_idle() {
        let (mut ours, mut theirs, running) = short_head();
        byte(&mut ours, &mut theirs).await;
        drop(running.begin());
        waits(&mut ours).await;
    }

    #[tokio::test]
    async fn a_peer_that_reads_nothing_is_cut_off() {
        let (mut ours, _theirs, running) = connection(|patience| patience.stall = SHORT);
        let _request = running.begin();
        let error = ours.write_all(&[0; 200]).await.expect_err("the buffer is smaller");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn partial_read_resets_write_timeout() {
        let (mut ours, mut theirs, _) = connection(|_| {});
        // The buffer has 64 bytes.
        assert!(timeout(SHORT, ours.write_all(&[0; 65])).await.is_err(), "it waits");
        assert!(ours.writing.is_some());
        theirs.read_exact(&mut [0; 10]).await.expect("bytes");
        ours.write_all(&[0; 5]).await.expect("the buffer has room");
        assert!(ours.writing.is_none());
    }
}
