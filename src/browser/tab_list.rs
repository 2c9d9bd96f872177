//! The list of tabs of one browser context: their order, the current one, those being set up, and unreported changes.
//!
//! This module only moves values. Waiting for a change is done in `context.rs`.

use std::sync::Arc;

use fumi_base::text::BilingualText;

use crate::{
    devtools::protocol::target::{TargetId, TargetInfo},
    errors::BrowserError,
    tab::Tab,
};

/// The most tabs of one session. Pages can open any number of windows, and each one is a process.
const MOST_TABS: usize = 32;

/// The list of tabs of one browser context.
#[derive(Debug, Default)]
pub(crate) struct TabList {
    /// Tabs that are attached but not yet set up.
    pub(crate) coming: Vec<TargetInfo>,
    /// Tabs of `coming` whose setup took too long; they are not waited for again.
    pub(crate) slow: Vec<TargetId>,
    /// Tabs whose setup failed; read by the call that is opening a tab.
    pub(crate) failed: Vec<TargetId>,
    pub(crate) open: Vec<OpenTab>,
    pub(crate) current: Option<TargetId>,
    /// Tabs opened by pages and not yet reported to the caller.
    pub(crate) unreported: Vec<TargetId>,
    /// Tabs closed by pages and not yet reported to the caller.
    closed: Vec<ClosedTab>,
    /// The tab that a caller is closing; it is not reported as closed.
    pub(crate) closing: Option<TargetId>,
    /// The number of windows closed because there were too many, not yet reported to the caller.
    pub(crate) refused: usize,
}

/// A tab that a page closed, with its last index.
#[derive(Clone, Debug)]
pub(crate) struct ClosedTab {
    pub(crate) index: usize,
    pub(crate) tab: Arc<Tab>,
}

/// An open tab of the list.
#[derive(Clone, Debug)]
pub(crate) struct OpenTab {
    pub(crate) id: TargetId,
    pub(crate) opener: Option<TargetId>,
    pub(crate) tab: Arc<Tab>,
}

impl TabList {
    /// Returns the index of the current tab.
    pub(crate) fn current(&self) -> Option<usize> {
        let current = self.current.as_ref()?;
        self.open.iter().position(|open| open.id == *current)
    }

    /// Returns the tabs that pages have opened since the last call. Tabs that are not yet set up stay in the list for a
    /// later call.
    pub(crate) fn take_news(&mut self) -> Vec<TargetId> {
        let is_coming = |id: &TargetId| self.coming.iter().any(|coming| coming.target_id == *id);
        let (later, now) = std::mem::take(&mut self.unreported).into_iter().partition(is_coming);
        self.unreported = later;
        now
    }

    /// Returns the tabs that pages have closed since the last call.
    pub(crate) fn take_closed(&mut self) -> Vec<ClosedTab> {
        std::mem::take(&mut self.closed)
    }

    /// Returns the number of windows that were closed because there were too many, since the last call.
    pub(crate) fn take_refused(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    #[cfg(test)]
    pub(crate) fn is_any_coming(&self) -> bool {
        !self.coming.is_empty()
    }

    pub(crate) fn fail(&mut self, target: TargetId) {
        self.coming.retain(|coming| coming.target_id != target);
        self.unreported.retain(|news| *news != target);
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
        let was_told = !self.unreported.contains(target);
        self.unreported.retain(|news| news != target);
        let Some(index) = self.open.iter().position(|open| open.id == *target) else {
            return;
        };
        let gone = self.open.remove(index);
        let opener = self.open.iter().find(|open| Some(&open.id) == gone.opener.as_ref());
        let heir = opener.or_else(|| self.open.get(self.current()?)).or(self.open.first());
        if let Some(heir) = heir {
            heir.tab.inherit_downloads(&gone.tab);
        }
        // A tab that was opened and closed unreported is not reported, nor is one that the caller closed.
        if self.closing.as_ref() != Some(target) && was_told {
            if self.closed.len() == MOST_TABS {
                self.closed.remove(0);
            }
            self.closed.push(ClosedTab { index, tab: Arc::clone(&gone.tab) });
        }
        if self.current.as_ref() == Some(target) {
            let opener = gone.opener.filter(|opener| self.open.iter().any(|open| open.id == *opener));
            self.current = opener.or_else(|| {
                let neighbour = self.open.get(index).or_else(|| self.open.last())?;
                Some(neighbour.id.clone())
            });
        }
    }
}

/// Returns the error for a session that cannot have more tabs.
pub(crate) fn full() -> BrowserError {
    BrowserError::BadBrowserArgument {
        argument: "action",
        reason: BilingualText::new(
            format!("{MOST_TABS} tabs are open, the most that a session may have; close some"),
            format!("タブが {MOST_TABS} 個開いており、これ以上は開けません。不要なタブを閉じてください"),
        ),
    }
}

/// Returns the notice that windows were closed because there were too many.
pub(crate) fn refused() -> BilingualText {
    BilingualText::new(
        format!("Pages opened more windows than the {MOST_TABS} tabs that a session may have: the others were closed."),
        format!(
            "ページが開こうとしたウィンドウのうち、セッションの上限（{MOST_TABS} タブ）を超えた分は閉じられました。"
        ),
    )
}
