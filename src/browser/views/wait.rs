//! Waiting for a time, or for a text to appear or disappear in any frame.

use std::{pin::Pin, task::Poll, time::Duration};

use fumi_base::{project::quoted, text::BilingualText};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::{
    errors::BrowserError,
    tab::{Tab, TabFrame},
};

/// The maximum time that a caller may ask to wait.
const LONGEST: Duration = Duration::from_mins(1);
/// The default timeout for a text.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time of one round. Frames come and go, so after each round the list of frames is read again.
const ROUND: Duration = Duration::from_millis(500);
/// The duration of one animation frame.
const FRAME: Duration = Duration::from_millis(16);

/// The conditions of a wait, all of which must be met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// The time to wait, at most 60 seconds. With a text it is the text's timeout.
    pub time: Option<Duration>,
    /// A text that some frame must show.
    pub text: Option<String>,
    /// A text that no frame may show any more.
    pub text_gone: Option<String>,
}

impl Tab {
    /// Waits for a time or for texts. Returns an error on timeout, and if the page is blocked by a dialog, a crash, or
    /// the end of the tab.
    pub async fn wait_for(&self, wait: &Wait) -> Result<(), BrowserError> {
        if wait.time.is_some_and(|time| time > LONGEST) {
            return Err(BrowserError::BadBrowserArgument {
                argument: "time",
                reason: BilingualText::new("at most 60 seconds", "60 秒以下で指定してください"),
            });
        }
        if wait.text.is_none() && wait.text_gone.is_none() {
            tokio::time::sleep(wait.time.unwrap_or_default()).await;
            return Ok(());
        }
        let patience = wait.time.unwrap_or(PATIENCE);
        let end = Instant::now() + patience;
        if let Some(text) = &wait.text {
            let late =
                || late(&format!("the text {} to appear", quoted(text)), &format!("{} の表示", quoted(text)), patience);
            let shown = self.until_met(TextCondition::Shown(text), end);
            self.unless_blocked(async { shown.await.ok_or_else(late) }).await?;
        }
        if let Some(text) = &wait.text_gone {
            let late = || {
                late(
                    &format!("the text {} to disappear", quoted(text)),
                    &format!("{} が消えること", quoted(text)),
                    patience,
                )
            };
            let gone = self.until_met(TextCondition::Gone(text), end);
            self.unless_blocked(async { gone.await.ok_or_else(late) }).await?;
        }
        Ok(())
    }
}

/// The condition of one wait.
#[derive(Clone, Copy)]
enum TextCondition<'a> {
    /// A text that some frame shows.
    Shown(&'a str),
    /// A text that no frame shows.
    Gone(&'a str),
}

impl Tab {
    /// Returns `None` if the condition is not met before `end`.
    async fn until_met(&self, sought: TextCondition<'_>, end: Instant) -> Option<()> {
        loop {
            let began = Instant::now();
            let left = end.saturating_duration_since(began);
            let is_so = match sought {
                TextCondition::Shown(text) => self.is_shown(text, left.min(ROUND)).await,
                TextCondition::Gone(text) => self.is_gone(text, left.min(ROUND)).await,
            };
            if is_so {
                return Some(());
            }
            if left.is_zero() {
                return None;
            }
            // A page between two documents fails at once: repeat no more often than it could draw.
            tokio::time::sleep_until(began + FRAME).await;
        }
    }

    /// True if a frame shows the text before the time is over.
    async fn is_shown(&self, text: &str, time: Duration) -> bool {
        let conditions = Conditions { text: Some(text), ..Conditions::lasting(time) };
        let frames = self.frames();
        let looks = frames.iter().map(|frame| Box::pin(self.is_met_in(frame, conditions)));
        // A frame that does not answer must not hold up the others.
        let answered = tokio::time::timeout(time + ROUND, any(looks.collect()));
        answered.await.unwrap_or_default()
    }

    /// True if no frame shows the text any more before the time is over. A frame that does not answer is left out.
    async fn is_gone(&self, text: &str, time: Duration) -> bool {
        let conditions = Conditions { text_gone: Some(text), ..Conditions::lasting(time) };
        let asked = self.query_all_frames(|frame| async move { Ok(self.is_met_in(&frame, conditions).await) });
        asked.await.is_ok_and(|said| said.iter().all(|(_, holds)| *holds))
    }

    /// True if the conditions are met in a frame before their time is over. False if the frame is navigating or fails.
    async fn is_met_in(&self, frame: &TabFrame, conditions: Conditions<'_>) -> bool {
        let said: Result<WaitReply, _> = self.ask(frame, "wait", (conditions,)).await;
        said.is_ok_and(|outcome| outcome.ok)
    }
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Conditions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_gone: Option<&'a str>,
    /// The timeout in milliseconds.
    timeout: u128,
}

impl Conditions<'_> {
    fn lasting(time: Duration) -> Self {
        Self { text: None, text_gone: None, timeout: time.as_millis() }
    }
}

#[derive(Deserialize)]
struct WaitReply {
    #[serde(default)]
    ok: bool,
}

/// True as soon as one of the futures is true; the others are then dropped.
async fn any<F: Future<Output = bool> + Unpin>(mut futures: Vec<F>) -> bool {
    std::future::poll_fn(|cx| {
        let mut found = false;
        futures.retain_mut(|future| match Pin::new(future).poll(cx) {
            Poll::Ready(holds) => {
                found |= holds;
                false
            }
            Poll::Pending => true,
        });
        if found || futures.is_empty() { Poll::Ready(found) } else { Poll::Pending }
    })
    .await
}

fn late(en: &str, ja: &str, after: Duration) -> BrowserError {
    let what = BilingualText::new(en.to_owned(), ja.to_owned());
    BrowserError::BrowserTooLate { what, after }
}
