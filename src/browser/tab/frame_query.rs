//! Queries that ask several frames of a tab the same question.
//!
//! The main frame must answer. Any other frame may be busy, broken or navigating, and must not hold up the rest of the
//! page: it gets a few seconds ([`FRAME_TIMEOUT`]), and is then left out of the result. No frame is queried twice.

use std::{pin::Pin, sync::Arc, task::Poll, time::Duration};

use tokio::time::timeout;

use super::{Tab, TabFrame};
use crate::errors::BrowserError;

/// The timeout of a query to a frame inside the page.
pub(crate) const FRAME_TIMEOUT: Duration = Duration::from_secs(3);

impl Tab {
    /// Queries all frames at the same time. Returns their answers, the main frame's first, the others in order.
    pub(crate) async fn query_all_frames<R, F>(
        &self,
        ask: impl Fn(Arc<TabFrame>) -> F,
    ) -> Result<Vec<(Arc<TabFrame>, R)>, BrowserError>
    where
        F: Future<Output = Result<R, BrowserError>>,
    {
        self.query_frames(self.frames(), ask).await
    }

    /// Queries the given frames at the same time. Returns the answers in the order of the frames.
    pub(crate) async fn query_frames<R, F>(
        &self,
        frames: Vec<Arc<TabFrame>>,
        ask: impl Fn(Arc<TabFrame>) -> F,
    ) -> Result<Vec<(Arc<TabFrame>, R)>, BrowserError>
    where
        F: Future<Output = Result<R, BrowserError>>,
    {
        let asked = frames.iter().map(|frame| {
            let answer = ask(Arc::clone(frame));
            with_timeout(frame, answer)
        });
        let said = self.unless_blocked(all(asked.collect())).await?;
        Ok(frames.into_iter().zip(said).filter_map(|(frame, said)| Some((frame, said?))).collect())
    }

    /// Queries the given frames one after the other, for queries that may have to be aborted. Frames share processes,
    /// and a query that is still queued in a process cannot be aborted before it runs.
    pub(crate) async fn query_in_order<R, F>(
        &self,
        frames: Vec<Arc<TabFrame>>,
        ask: impl Fn(Arc<TabFrame>) -> F,
    ) -> Result<Vec<(Arc<TabFrame>, R)>, BrowserError>
    where
        F: Future<Output = Result<R, BrowserError>>,
    {
        let asked = async {
            let mut said = Vec::with_capacity(frames.len());
            for frame in frames {
                let answer = with_timeout(&frame, ask(Arc::clone(&frame))).await?;
                said.extend(answer.map(|answer| (frame, answer)));
            }
            Ok(said)
        };
        self.unless_blocked(asked).await
    }
}

/// Returns the frame's answer. Returns `None` if a frame other than the main frame fails or exceeds [`FRAME_TIMEOUT`].
async fn with_timeout<R>(
    frame: &TabFrame,
    answer: impl Future<Output = Result<R, BrowserError>>,
) -> Result<Option<R>, BrowserError> {
    if frame.number == 0 {
        return answer.await.map(Some);
    }
    let said = timeout(FRAME_TIMEOUT, answer).await;
    if !matches!(said, Ok(Ok(_))) {
        tracing::debug!(frame = frame.number, "a frame without an answer");
    }
    Ok(said.ok().and_then(Result::ok))
}

/// Polls all futures at the same time. Returns all values, or the first error.
async fn all<T, E>(futures: Vec<impl Future<Output = Result<T, E>>>) -> Result<Vec<T>, E> {
    let mut running: Vec<(Pin<Box<_>>, Option<T>)> = futures.into_iter().map(|it| (Box::pin(it), None)).collect();
    std::future::poll_fn(move |cx| {
        for (future, value) in running.iter_mut().filter(|(_, value)| value.is_none()) {
            if let Poll::Ready(done) = future.as_mut().poll(cx) {
                match done {
                    Ok(done) => *value = Some(done),
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
        }
        if running.iter().all(|(_, value)| value.is_some()) {
            Poll::Ready(Ok(running.drain(..).filter_map(|(_, value)| value).collect()))
        } else {
            Poll::Pending
        }
    })
    .await
}
