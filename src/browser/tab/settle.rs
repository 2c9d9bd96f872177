//! The wait for a page to settle after an act, without a fixed delay.
//!
//! Two animation frames show what an event handler changed; by then a navigation that the act causes has been
//! requested. The wait includes a new document only if the act navigates, and only the requests that the act itself
//! started, all within time limits. If the act has started animations by which content enters or leaves, it includes
//! them too: a page removes a dialog only when it has faded out.
//!
//! In hurried mode (the next act follows at once) the wait includes navigations only. The next observation makes up for
//! the rest of the wait, or the next act if its target is not found.

use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Tab, TabState, navigate::NAVIGATION_START_TIMEOUT, title::ReportedTitle, unresponsive::no_answer_of_server,
};
use crate::errors::BrowserError;

/// The timeout for two animation frames. In a tab that draws none, the timers of the page's script end the wait.
const TWO_FRAMES: std::time::Duration = std::time::Duration::from_millis(250);

/// The timeout for the animations that an act has started. The page's script waits 400 ms and two frames.
const MOTION: std::time::Duration = std::time::Duration::from_millis(600);

/// The way in which an act looks for a list or menu that it opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PopupMode {
    /// Waits a moment for a popup to open.
    #[default]
    Awaited,
    /// Looks once, because the next act follows at once.
    Seen,
    /// Does not look, because the reply does not mention popups.
    Ignored,
}

/// The part of settling that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettleScope {
    /// Animation frames, navigations and requests.
    Whole,
    /// Navigations only.
    Hurried,
    /// The part that hurried acts left out. The animation frames count from the last hurried act, and may have passed
    /// long ago.
    After,
}

impl SettleScope {
    /// Returns the function of the page's script that resolves when the page has done what an act asked for.
    const fn function(self) -> &'static str {
        match self {
            Self::Whole => "settled",
            Self::Hurried => "tasks",
            Self::After => "caughtUp",
        }
    }
}

/// The answer of the page's script when it has settled.
#[derive(serde::Deserialize)]
struct SettledReply {
    title: String,
    /// True if animations run by which content enters or leaves.
    #[serde(default)]
    moves: bool,
}

/// The counters of a tab before an act.
#[derive(Clone, Debug)]
pub(crate) struct ActBaseline {
    begun: u64,
    arrived: u64,
    within: u64,
    /// The number of the last request.
    request: usize,
}

impl ActBaseline {
    /// True if the main frame got another document or another URL since then.
    pub(super) fn has_main_changed(&self, state: &TabState) -> bool {
        state.navigations.arrived > self.arrived || state.navigations.within > self.within
    }

    pub(super) fn has_navigation(&self, state: &TabState) -> bool {
        state.navigations.begun > self.begun
    }
}

impl Tab {
    pub(crate) fn act_baseline(&self) -> ActBaseline {
        let state = self.state();
        ActBaseline {
            begun: state.navigations.begun,
            arrived: state.navigations.arrived,
            within: state.navigations.within,
            request: state.network.last(),
        }
    }

    /// Sets hurried mode: the next act follows at once, without an observation in between, so acts need not wait for
    /// the page to settle.
    pub fn set_hurried(&self, is_hurried: bool) {
        self.state().is_hurried = is_hurried;
    }

    /// Sets how further acts look for lists and menus that they open.
    pub fn set_popup_mode(&self, popups: PopupMode) {
        self.state().popups = popups;
    }

    /// Returns the mode set by [`Tab::set_popup_mode`].
    pub(crate) fn popup_mode(&self) -> PopupMode {
        self.state().popups
    }

    /// True if requests that hurried acts started are still open.
    pub(crate) fn is_fetching(&self) -> bool {
        let state = self.state();
        let unsettled = state.pending_settle.as_ref();
        unsettled.is_some_and(|(before, _)| state.fetching(before).is_some())
    }

    /// Makes up for the waits that hurried acts left out. Returns an error if a document's server does not answer.
    pub async fn settle_pending(&self) -> Result<(), BrowserError> {
        let unsettled = self.state().pending_settle.take();
        match unsettled {
            Some((before, pace)) => self.settle_within(&before, pace).await,
            None => Ok(()),
        }
    }

    /// Records that an act failed on its way. The page's script has counted no animation frames since, so the whole
    /// wait is due.
    pub(super) fn record_failed_act(&self) {
        if let Some((_, pace)) = &mut self.state().pending_settle {
            *pace = SettleScope::Whole;
        }
    }

    /// True if hurried acts have left a wait to make up for.
    pub(super) fn is_unsettled(&self) -> bool {
        self.state().pending_settle.is_some()
    }

    /// Waits until the page has settled after the act since `before`, or only for navigations in hurried mode. Returns
    /// an error if the act requested a document whose server does not answer; its load is then stopped.
    pub(super) async fn settle_after_act(&self, before: &ActBaseline) -> Result<(), BrowserError> {
        if self.state().is_hurried {
            self.settle_within(before, SettleScope::Hurried).await?;
            // The oldest mark covers everything that was started since.
            let mut state = self.state();
            let oldest = state.pending_settle.take().map_or_else(|| before.clone(), |(oldest, _)| oldest);
            state.pending_settle = Some((oldest, SettleScope::After));
            return Ok(());
        }
        // Makes up for the waits left out earlier in the same wait.
        let earlier = self.state().pending_settle.take();
        self.settle(earlier.as_ref().map_or(before, |(earlier, _)| earlier)).await
    }

    /// Waits until the page has settled after the act since `before`.
    pub(super) async fn settle(&self, before: &ActBaseline) -> Result<(), BrowserError> {
        self.settle_within(before, SettleScope::Whole).await
    }

    async fn settle_within(&self, before: &ActBaseline, mut pace: SettleScope) -> Result<(), BrowserError> {
        let mut before = before.clone();
        let end = Instant::now() + self.settings().load;
        let commit_end = Instant::now() + self.settings().commit;
        let mut fetched = None;
        loop {
            let mut settled = self.script_or_navigation(&before, pace.function(), TWO_FRAMES).await;
            if settled.as_ref().is_some_and(|(_, moves)| *moves) {
                settled = self.script_or_navigation(&before, "motion", MOTION).await;
            }
            self.state().reported_title = settled.map(|(title, _)| title);
            if before.has_navigation(&self.state()) {
                before.begun = self.state().navigations.begun;
                self.navigated(end, commit_end).await?;
                // The new page has its own time limit, and may redirect at once.
                fetched = None;
                if Instant::now() < end {
                    continue;
                }
            }
            if pace == SettleScope::Hurried {
                return Ok(());
            }
            let bound = *fetched.get_or_insert_with(|| Instant::now() + self.settings().fetch);
            let Some(request) = self.state().fetching(&before) else {
                return Ok(());
            };
            let answered = self.until(|state| {
                let goes_on = before.has_navigation(state) || state.fetching(&before) != Some(request);
                goes_on.then_some(())
            });
            if Instant::now() >= bound || timeout_at(bound, answered).await.is_err() {
                return Ok(());
            }
            // The page shows the response in further animation frames, or sends another request.
            pace = SettleScope::Whole;
        }
    }

    /// Waits until the current layout has been drawn.
    pub(super) async fn until_drawn(&self) {
        let main = self.main();
        let drawn = self.ask::<SettledReply>(&main, SettleScope::Whole.function(), ());
        let _ = timeout(TWO_FRAMES, drawn).await;
    }

    /// Calls a function of the page's script that ends by itself. Returns the title with its document, and true if
    /// animations run that must be waited for; `None` if a navigation begins first.
    async fn script_or_navigation(
        &self,
        before: &ActBaseline,
        function: &str,
        limit: std::time::Duration,
    ) -> Option<(ReportedTitle, bool)> {
        let main = self.main();
        let document = main.inner().loader.clone();
        let frames = self.ask::<SettledReply>(&main, function, ());
        let navigates = self.until(|state| before.has_navigation(state).then_some(()));
        tokio::select! {
            // No query is sent to a page that is navigating away.
            biased;
            () = navigates => None,
            rested = timeout(limit, frames) => {
                let SettledReply { title, moves } = rested.ok()?.ok()?;
                Some((ReportedTitle::new(document, title), moves))
            }
        }
    }

    /// Waits for pending documents: for the main frame's, and for those of other frames within the time limit for
    /// requests. A document of the main frame that has not arrived at `commit_end` is stopped, which is an error.
    async fn navigated(&self, end: Instant, commit_end: Instant) -> Result<(), BrowserError> {
        let begins =
            self.until(|state| (!state.navigations.is_asked || state.blocking_error().is_some()).then_some(()));
        if timeout(NAVIGATION_START_TIMEOUT, begins).await.is_err() {
            // The requested navigation did not begin, so the wait for it ends.
            self.change(|state| state.navigations.is_asked = false);
        }
        self.loaded_until(end).await;
        let arrives = self.until(|state| {
            let is_pending = state.frames.main().inner().loading.is_pending();
            (!is_pending || state.blocking_error().is_some()).then_some(())
        });
        if timeout_at(commit_end, arrives).await.is_err()
            && let Some(url) = self.stop_pending_load()
        {
            return Err(no_answer_of_server(&url, self.settings().commit));
        }
        let others = self.until(|state| {
            let is_coming = || state.frames.in_order().iter().any(|frame| frame.inner().loading.is_pending());
            (state.blocking_error().is_some() || !is_coming()).then_some(())
        });
        let bound = end.min(Instant::now() + self.settings().fetch);
        let _ = timeout_at(bound, others).await;
        Ok(())
    }
}

impl TabState {
    /// Returns a request for data that was started after the mark and is still open.
    fn fetching(&self, before: &ActBaseline) -> Option<usize> {
        if self.blocking_error().is_some() {
            return None;
        }
        self.network.fetching(before.request)
    }
}

impl super::frames::Loading {
    /// True if another document is on its way to this frame.
    fn is_pending(&self) -> bool {
        self.coming.is_some()
    }
}
