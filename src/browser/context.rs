//! One browser context in one Chromium: the tabs of one session, which pages may open and close by themselves.
//!
//! Invariants: a tab is listed from the end of its setup until Chromium reports that it is gone. One of the tabs is the
//! current one. Nothing of another context is visible. Exclusive access to the tabs is managed in `session`.

use std::{sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::{
    devtools::{
        Channel, DevtoolsSessionId,
        protocol::{
            browser_downloads::DownloadProgress,
            emulation::SetFocusEmulationEnabled,
            page::{BringToFront, FrameId},
            runtime::RunIfWaitingForDebugger,
            target::{CloseTarget, ContextId, CreateTarget, DisposeBrowserContext, GetTargets, TargetId, TargetInfo},
        },
    },
    emulate,
    errors::BrowserError,
    running::{ContextRegistry, RunningChromium},
    tab::{Tab, TabSettings},
    tab_list::{self, OpenTab, TabList},
};

/// The longest time until a tab is open or closed. Chromium needs milliseconds unless the machine is very busy.
const CHANGE: Duration = Duration::from_secs(15);

/// The longest time that listing the tabs waits for those that pages have just opened. The action that opened them is
/// already done.
const COMING: Duration = Duration::from_secs(3);

/// The longest time until the pages of a context are closed. A hanging Chromium must not block the reaper of the
/// others.
const END: Duration = Duration::from_secs(10);

/// One browser context in one Chromium. Dropping it closes its pages.
#[derive(Debug)]
pub(crate) struct BrowserContext {
    running: Arc<RunningChromium>,
    id: ContextId,
    settings: Arc<TabSettings>,
    viewport: (u32, u32),
    // Locked only to move values, never across an await.
    strip: Mutex<TabList>,
    changed: watch::Sender<u64>,
}

impl BrowserContext {
    pub(crate) fn new(
        running: Arc<RunningChromium>,
        id: ContextId,
        viewport: (u32, u32),
        settings: TabSettings,
    ) -> Self {
        Self {
            running,
            id,
            settings: Arc::new(settings),
            viewport,
            strip: Mutex::default(),
            changed: watch::Sender::new(0),
        }
    }

    pub(crate) fn id(&self) -> &ContextId {
        &self.id
    }

    /// Returns the Chromium that the context is in.
    pub(crate) fn running(&self) -> &Arc<RunningChromium> {
        &self.running
    }

    /// Locks the list of tabs.
    pub(crate) fn tab_list(&self) -> MutexGuard<'_, TabList> {
        self.strip.lock()
    }

    /// Opens an empty tab and makes it the current one.
    pub(crate) async fn open(&self) -> Result<Arc<Tab>, BrowserError> {
        {
            let mut strip = self.tab_list();
            if strip.is_full() {
                return Err(tab_list::full());
            }
            // No call waits for earlier failures any more.
            strip.failed.clear();
        }
        let made = self
            .running
            .channel()
            .call(&CreateTarget { url: "about:blank".to_owned(), browser_context_id: self.id.clone() })
            .await?;
        let target = made.target_id;
        self.wait_until(|strip| strip.failed.contains(&target) || strip.open.iter().any(|open| open.id == target))
            .await?;
        let mut strip = self.tab_list();
        strip.unreported.retain(|news| *news != target);
        let tab = strip
            .open
            .iter()
            .find(|open| open.id == target)
            .map(|open| Arc::clone(&open.tab))
            .ok_or(BrowserError::TabClosed)?;
        tab.page().send(&BringToFront {});
        strip.current = Some(target);
        Ok(tab)
    }

    /// Makes a tab the current one and brings it to the front.
    pub(crate) fn select(&self, target: &TargetId) {
        let mut strip = self.tab_list();
        if let Some(open) = strip.open.iter().find(|open| open.id == *target) {
            open.tab.page().send(&BringToFront {});
            strip.current = Some(target.clone());
        }
    }

    /// Returns titles and URLs of the tabs. They are requested each time, because Chromium does not report changes of a
    /// title.
    pub(crate) async fn infos(&self) -> Result<Vec<TargetInfo>, BrowserError> {
        let targets = self.running.channel().call(&GetTargets {}).await?;
        let mut infos = targets.target_infos;
        infos.retain(|info| info.browser_context_id.as_ref() == Some(&self.id));
        Ok(infos)
    }

    /// Closes a tab without a `beforeunload` dialog.
    pub(crate) async fn close_tab(&self, target: &TargetId) -> Result<(), BrowserError> {
        let close = CloseTarget { target_id: target.clone() };
        self.tab_list().closing = Some(target.clone());
        // A tab that has closed itself meanwhile is a success.
        if let Err(error) = self.running.channel().call(&close).await
            && !error.says("No target")
        {
            return Err(error.into());
        }
        self.wait_until(|strip| strip.open.iter().all(|open| open.id != *target)).await?;
        let strip = self.tab_list();
        if let Some(open) = strip.current().and_then(|current| strip.open.get(current)) {
            open.tab.page().send(&BringToFront {});
        }
        Ok(())
    }

    /// Waits until the tabs that are being opened are set up, at most [`COMING`]. A tab that takes longer is not waited
    /// for again.
    pub(crate) async fn wait_all_set_up(&self) -> Result<(), BrowserError> {
        let there = self.wait_until(|strip| strip.coming.iter().all(|coming| strip.slow.contains(&coming.target_id)));
        if let Ok(there) = tokio::time::timeout(COMING, there).await {
            return there;
        }
        let mut strip = self.tab_list();
        strip.slow = strip.coming.iter().map(|coming| coming.target_id.clone()).collect();
        Ok(())
    }

    /// Waits until the list of tabs fulfils a condition, at most [`CHANGE`].
    pub(crate) async fn wait_until(&self, is_so: impl Fn(&TabList) -> bool) -> Result<(), BrowserError> {
        let mut changed = self.changed.subscribe();
        let wait = async {
            while !is_so(&self.tab_list()) {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        let connection = self.running.process().connection();
        tokio::select! {
            () = wait => Ok(()),
            () = connection.closed() => Err(crate::devtools::CallError::Closed.into()),
            () = tokio::time::sleep(CHANGE) => Err(BrowserError::ChromiumFailed {
                reason: format!("did not open or close a tab within {} s", CHANGE.as_secs()),
            }),
        }
    }

    /// Sets up the tab of a new page of this context. The page is paused until the tab is set up.
    pub(crate) fn attach(
        self: Arc<Self>,
        page: Channel,
        session: DevtoolsSessionId,
        info: TargetInfo,
        contexts: Arc<ContextRegistry>,
    ) {
        {
            let mut strip = self.tab_list();
            if strip.is_full() {
                strip.refused += 1;
                page.send(&RunIfWaitingForDebugger {});
                self.running.channel().send(&CloseTarget { target_id: info.target_id.clone() });
                // A call may be opening this tab while pages have used up the limit.
                strip.fail(info.target_id);
                drop(strip);
                self.notify();
                return;
            }
            strip.coming.push(info.clone());
            strip.unreported.push(info.target_id.clone());
        }
        // The window size is not used, because the size of the window frame differs between versions.
        let (width, height) = self.viewport;
        page.send(&emulate::viewport(width, height));
        // Every tab behaves as if it were in front; otherwise input to one tab would depend on the others.
        page.send(&SetFocusEmulationEnabled { enabled: true });
        let settings = Arc::clone(&self.settings);
        tokio::spawn(async move {
            let target = info.target_id.clone();
            let tab = Tab::attach(page.clone(), info, settings).await;
            page.send(&RunIfWaitingForDebugger {});
            self.attached(&target, tab, || contexts.is_attached(&session));
            self.notify();
        });
    }

    fn attached(&self, target: &TargetId, tab: Result<Arc<Tab>, BrowserError>, is_attached: impl Fn() -> bool) {
        let mut strip = self.tab_list();
        let info =
            strip.coming.iter().position(|coming| coming.target_id == *target).map(|index| strip.coming.remove(index));
        match (tab, info) {
            // Checked while the list is locked, so that a page that is detached now is removed from the list
            // afterwards.
            (Ok(tab), Some(info)) if is_attached() => {
                strip.open.push(OpenTab { id: info.target_id, opener: info.opener_id, tab });
                match strip.current().and_then(|index| strip.open.get(index)) {
                    // The new tab came up in front of the page that opened it.
                    Some(current) => current.tab.page().send(&BringToFront {}),
                    None => strip.current = Some(target.clone()),
                }
            }
            (Err(error), _) => {
                tracing::debug!(%error, "cannot set up a tab");
                strip.fail(target.clone());
            }
            _ => strip.fail(target.clone()),
        }
    }

    /// Returns the tab that contains a frame, if it belongs to this context.
    pub(crate) fn tab_with(&self, frame: &FrameId) -> Option<Arc<Tab>> {
        let strip = self.tab_list();
        let with = strip.open.iter().find(|open| open.tab.frame(frame).is_some());
        with.map(|open| Arc::clone(&open.tab))
    }

    /// Returns the current tab, if any.
    pub(crate) fn current_tab(&self) -> Option<Arc<Tab>> {
        let strip = self.tab_list();
        let current = strip.open.get(strip.current()?)?;
        Some(Arc::clone(&current.tab))
    }

    /// Passes the progress of a download to all tabs; each ignores the downloads of others.
    pub(crate) fn download_went_on(&self, progress: &DownloadProgress) {
        for open in &self.tab_list().open {
            open.tab.on_download_progress(progress);
        }
    }

    /// Removes the tab of a page that is gone.
    pub(crate) fn detach(&self, target: &TargetId) {
        self.tab_list().close(target);
        self.notify();
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Closes the pages and waits until they are gone, at most [`END`].
    pub(crate) async fn close(&self) {
        self.running.forget(&self.id);
        let dispose = DisposeBrowserContext { browser_context_id: self.id.clone() };
        match tokio::time::timeout(END, self.running.channel().call(&dispose)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a context was gone already"),
            Err(_) => tracing::warn!("Chromium cannot dispose of a context"),
        }
    }
}

impl Drop for BrowserContext {
    fn drop(&mut self) {
        if self.running.forget(&self.id) {
            self.running.channel().send(&DisposeBrowserContext { browser_context_id: self.id.clone() });
        }
        // The downloaded files are removed together with the context.
        if let Some(downloads) = self.settings.downloads.clone() {
            let _ = std::fs::remove_dir_all(downloads);
        }
    }
}
