//! The tabs of one context, in their order: which is the current one, which are coming, and what of it is news.
//!
//! Moves only; whoever waits for a change waits in `context.rs`.

use std::sync::Arc;

use fumi_base::text::Text;

use crate::{
    devtools::protocol::target::{TargetId, TargetInfo},
    errors::BrowserError,
    tab::Tab,
};

/// Tabs of one session. Pages open windows as they like, and each is a process.
const MOST_TABS: usize = 32;

/// The tabs of one context.
#[derive(Debug, Default)]
pub(crate) struct Strip {
    /// Attached, still setting themselves up.
    pub(crate) coming: Vec<TargetInfo>,
    /// Those of them that were waited for in vain, and are not waited for again.
    pub(crate) slow: Vec<TargetId>,
    /// What the call that opens a tab just now has to know.
    pub(crate) failed: Vec<TargetId>,
    pub(crate) open: Vec<Open>,
    pub(crate) current: Option<TargetId>,
    /// Opened by pages, and nobody was told yet.
    pub(crate) news: Vec<TargetId>,
    /// Closed by pages, and nobody was told yet.
    closed: Vec<Closed>,
    /// Being closed by a caller, who knows.
    pub(crate) closing: Option<TargetId>,
    /// Windows that were too many, and nobody was told yet.
    pub(crate) refused: usize,
}

/// A tab that a page closed.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    pub(crate) index: usize,
    pub(crate) tab: Arc<Tab>,
}

/// A tab that is open.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) id: TargetId,
    pub(crate) opener: Option<TargetId>,
    pub(crate) tab: Arc<Tab>,
}

impl Strip {
    /// The index of the current tab.
    pub(crate) fn current(&self) -> Option<usize> {
        let current = self.current.as_ref()?;
        self.open.iter().position(|open| open.id == *current)
    }

    /// What pages opened since this was last asked. Those that are still coming are told later.
    pub(crate) fn take_news(&mut self) -> Vec<TargetId> {
        let is_coming = |id: &TargetId| self.coming.iter().any(|coming| coming.target_id == *id);
        let (later, now) = std::mem::take(&mut self.news).into_iter().partition(is_coming);
        self.news = later;
        now
    }

    /// What pages closed since this was last asked.
    pub(crate) fn take_closed(&mut self) -> Vec<Closed> {
        std::mem::take(&mut self.closed)
    }

    /// How many windows were too many since this was last asked.
    pub(crate) fn take_refused(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    #[cfg(test)]
    pub(crate) fn is_any_coming(&self) -> bool {
        !self.coming.is_empty()
    }

    pub(crate) fn fail(&mut self, target: TargetId) {
        self.coming.retain(|coming| coming.target_id != target);
        self.news.retain(|news| *news != target);
        if self.failed.len() == MOST_TABS {
            self.failed.remove(0);
        }
        self.failed.push(target);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.open.len() + self.coming.len() >= MOST_TABS
    }

    pub(crate) fn close(&mut self, target: &TargetId) {
        self.coming.retain(|coming| coming.target_id != *target);
        self.slow.retain(|slow| slow != target);
        let was_told = !self.news.contains(target);
        self.news.retain(|news| news != target);
        let Some(index) = self.open.iter().position(|open| open.id == *target) else {
            return;
        };
        let gone = self.open.remove(index);
        let opener = self.open.iter().find(|open| Some(&open.id) == gone.opener.as_ref());
        let heir = opener.or_else(|| self.open.get(self.current()?)).or(self.open.first());
        if let Some(heir) = heir {
            heir.tab.inherit_downloads(&gone.tab);
        }
        // What came and went unseen is no news, and neither is what a caller did himself.
        if self.closing.as_ref() != Some(target) && was_told {
            if self.closed.len() == MOST_TABS {
                self.closed.remove(0);
            }
            self.closed.push(Closed {
                index,
                tab: Arc::clone(&gone.tab),
            });
        }
        if self.current.as_ref() == Some(target) {
            let opener = gone
                .opener
                .filter(|opener| self.open.iter().any(|open| open.id == *opener));
            self.current = opener.or_else(|| {
                let neighbour = self.open.get(index).or_else(|| self.open.last())?;
                Some(neighbour.id.clone())
            });
        }
    }
}

/// Why no tab is opened.
pub(crate) fn full() -> BrowserError {
    BrowserError::Argument {
        argument: "action",
        reason: Text::new(
            format!("{MOST_TABS} tabs are open, and a session has no more: close some"),
            format!("タブが {MOST_TABS} 個開いており、これ以上は開けません。不要なタブを閉じてください"),
        ),
    }
}

/// What is said of windows that were too many.
pub(crate) fn refused() -> Text {
    Text::new(
        format!("Pages opened more windows than the {MOST_TABS} tabs that a session may have: the others were closed."),
        format!(
            "ページが開こうとしたウィンドウのうち、セッションの上限（{MOST_TABS} タブ）を超えた分は閉じられました。"
        ),
    )
}
