//! Coming to rest after an act, without a fixed wait.
//!
//! In a hurry only what an act asks for at once is waited for: a navigation. What the page does in its later frames is then
//! waited for by whoever looks, or who does not find what the next act is about.
//!
//! Two animation frames show what a handler changed; by then a navigation that an act causes has been asked for. Only if one
//! was is its document waited for, and only requests that the act itself started are waited for, all within bounds.

use tokio::time::{Instant, timeout, timeout_at};

use super::{State, Tab, going::BEGINNING, title::Titled};

/// Two animation frames of a tab that draws none; then the page's timers bound it.
const TWO_FRAMES: std::time::Duration = std::time::Duration::from_millis(250);

/// How an act looks for a list or a menu that it opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Popups {
    /// Waits a moment for one to open.
    #[default]
    Awaited,
    /// Looks once: the next act follows at once.
    Seen,
    /// Does not look: the reply does not mention it.
    Ignored,
}

/// How much of a page's coming to rest is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// All of it.
    Whole,
    /// Navigations alone.
    Hurried,
    /// What hurried acts left out. The frames count from the last of them, and may have passed long ago.
    After,
}

impl Pace {
    /// The function of the page's script that ends when the page has done what an act asked for.
    const fn function(self) -> &'static str {
        match self {
            Self::Whole => "settled",
            Self::Hurried => "tasks",
            Self::After => "caughtUp",
        }
    }
}

/// What the page's script says when it has come to rest.
#[derive(serde::Deserialize)]
struct Rested {
    title: String,
}

/// How things stood before an act.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    begun: u64,
    arrived: u64,
    within: u64,
    /// The number of the last request.
    request: usize,
}

impl Mark {
    /// Whether the main frame has another document or another URL since then.
    pub(super) fn went_on(&self, state: &State) -> bool {
        state.navigations.arrived > self.arrived || state.navigations.within > self.within
    }

    fn navigates(&self, state: &State) -> bool {
        state.navigations.begun > self.begun
    }
}

impl Tab {
    pub(super) fn mark(&self) -> Mark {
        let state = self.state();
        Mark {
            begun: state.navigations.begun,
            arrived: state.navigations.arrived,
            within: state.navigations.within,
            request: state.network.last(),
        }
    }

    /// Whether what follows needs no page at rest: the next act comes at once, and nobody looks before it.
    pub fn hurry(&self, is_hurried: bool) {
        self.state().is_hurried = is_hurried;
    }

    /// Sets how the acts from now on look for lists and menus that they open.
    pub fn tell_popups(&self, popups: Popups) {
        self.state().popups = popups;
    }

    /// See [`Tab::tell_popups`].
    pub(crate) fn popups(&self) -> Popups {
        self.state().popups
    }

    /// Whether hurried acts have asked a server for something that has not come yet.
    pub(crate) fn is_fetching(&self) -> bool {
        let state = self.state();
        let unsettled = state.unsettled.as_ref();
        unsettled.is_some_and(|(before, _)| state.fetching(before).is_some())
    }

    /// Makes up for what was left out in a hurry.
    pub async fn at_rest(&self) {
        let unsettled = self.state().unsettled.take();
        if let Some((before, pace)) = unsettled {
            self.settle_in(&before, pace).await;
        }
    }

    /// An act failed on its way: no frames were counted since.
    pub(super) fn broke_off(&self) {
        if let Some((_, pace)) = &mut self.state().unsettled {
            *pace = Pace::Whole;
        }
    }

    /// Whether there is something to make up for.
    pub(super) fn is_unsettled(&self) -> bool {
        self.state().unsettled.is_some()
    }

    /// Waits until the page has come to rest after what was done since the mark, or as long as the hurry allows.
    pub(super) async fn come_to_rest(&self, before: &Mark) {
        if self.state().is_hurried {
            self.settle_in(before, Pace::Hurried).await;
            // The oldest of them knows of all that was started since.
            let mut state = self.state();
            let oldest = state
                .unsettled
                .take()
                .map_or_else(|| before.clone(), |(oldest, _)| oldest);
            state.unsettled = Some((oldest, Pace::After));
            return;
        }
        // What was left out before is made up for in one.
        let earlier = self.state().unsettled.take();
        self.settle(earlier.as_ref().map_or(before, |(earlier, _)| earlier))
            .await;
    }

    /// Waits until the page has come to rest after what was done since the mark.
    pub(super) async fn settle(&self, before: &Mark) {
        self.settle_in(before, Pace::Whole).await;
    }

    async fn settle_in(&self, before: &Mark, mut pace: Pace) {
        let mut before = before.clone();
        let end = Instant::now() + self.settings().load;
        let mut fetched = None;
        loop {
            let title = self.unless_it_navigates(&before, pace.function()).await;
            self.state().told_title = title;
            if before.navigates(&self.state()) {
                before.begun = self.state().navigations.begun;
                self.navigated(end).await;
                // The new page has its own time, and may send on at once.
                fetched = None;
                if Instant::now() < end {
                    continue;
                }
            }
            if pace == Pace::Hurried {
                return;
            }
            let bound = *fetched.get_or_insert_with(|| Instant::now() + self.settings().fetch);
            let Some(request) = self.state().fetching(&before) else {
                return;
            };
            let answered = self.until(|state| {
                let goes_on = before.navigates(state) || state.fetching(&before) != Some(request);
                goes_on.then_some(())
            });
            if Instant::now() >= bound || timeout_at(bound, answered).await.is_err() {
                return;
            }
            // What came is shown now, in frames of its own, or asks for more.
            pace = Pace::Whole;
        }
    }

    /// Waits until what is laid out by now has been drawn.
    pub(super) async fn drawn(&self) {
        let main = self.main();
        let drawn = self.ask::<Rested>(&main, Pace::Whole.function(), ());
        let _ = timeout(TWO_FRAMES, drawn).await;
    }

    /// Waits for a function of the page's script that ends by itself, and tells the title of the document that did, or for a
    /// navigation.
    async fn unless_it_navigates(&self, before: &Mark, function: &str) -> Option<Titled> {
        let main = self.main();
        let document = main.inner().loader.clone();
        let frames = self.ask::<Rested>(&main, function, ());
        let navigates = self.until(|state| before.navigates(state).then_some(()));
        tokio::select! {
            // Nothing is asked of a page that is leaving.
            biased;
            () = navigates => None,
            rested = timeout(TWO_FRAMES, frames) => {
                let title = rested.ok()?.ok()?.title;
                Some(Titled::new(document, title))
            }
        }
    }

    /// Waits for the documents that are on their way: of the main frame, and of the others as long as they keep coming.
    async fn navigated(&self, end: Instant) {
        let begins = self.until(|state| (!state.navigations.is_asked || state.stopped().is_some()).then_some(()));
        if timeout(BEGINNING, begins).await.is_err() {
            // What was asked for does not begin, and is waited for no more.
            self.change(|state| state.navigations.is_asked = false);
        }
        self.loaded_until(end).await;
        let others = self.until(|state| {
            let is_coming = || {
                state
                    .frames
                    .in_order()
                    .iter()
                    .any(|frame| frame.inner().loading.is_pending())
            };
            (state.stopped().is_some() || !is_coming()).then_some(())
        });
        let bound = end.min(Instant::now() + self.settings().fetch);
        let _ = timeout_at(bound, others).await;
    }
}

impl State {
    /// A request for data that was started after the mark and has no answer yet.
    fn fetching(&self, before: &Mark) -> Option<usize> {
        if self.stopped().is_some() {
            return None;
        }
        self.network.fetching(before.request)
    }
}

impl super::frames::Loading {
    /// Another document is on its way to this frame.
    fn is_pending(&self) -> bool {
        self.coming.is_some()
    }
}
