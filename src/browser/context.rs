//! One context in one Chromium: the tabs of one session, as they come and go by themselves.
//!
//! Invariants: a tab is listed from when it has set itself up until Chromium says that it is gone; one of them is the
//! current one; nothing of another context is seen. Whose turn it is to use the tabs is decided in `session`.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use crate::{
    devtools::{
        Channel, SessionId,
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
    running::{Contexts, Running},
    strip::{self, Open, Strip},
    tab::{Tab, TabSettings},
};

/// How long a tab may take to be there or to be gone. Chromium needs milliseconds unless the machine is very busy.
const CHANGE: Duration = Duration::from_secs(15);

/// How long a look at the tabs waits for those that pages opened just now. Whatever keeps one, the act that opened it is done.
const COMING: Duration = Duration::from_secs(3);

/// How long the pages of a context may take to end; a Chromium that hangs must not keep what ages others.
const END: Duration = Duration::from_secs(10);

/// One context in one Chromium. Dropping it ends its pages.
#[derive(Debug)]
pub(crate) struct Context {
    running: Arc<Running>,
    id: ContextId,
    settings: Arc<TabSettings>,
    viewport: (u32, u32),
    // Held for moves only, never over a wait.
    strip: Mutex<Strip>,
    changed: watch::Sender<u64>,
}

impl Context {
    pub(crate) fn new(running: Arc<Running>, id: ContextId, viewport: (u32, u32), settings: TabSettings) -> Self {
        Self {
            running,
            id,
            settings: Arc::new(settings),
            viewport,
            strip: Mutex::default(),
            changed: watch::Sender::new(0),
        }
    }

    /// Its id.
    pub(crate) fn id(&self) -> &ContextId {
        &self.id
    }

    /// The Chromium that it is in.
    pub(crate) fn running(&self) -> &Arc<Running> {
        &self.running
    }

    /// Its tabs.
    pub(crate) fn strip(&self) -> MutexGuard<'_, Strip> {
        self.strip.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a tab that shows nothing, and makes it the current one.
    pub(crate) async fn open(&self) -> Result<Arc<Tab>, BrowserError> {
        {
            let mut strip = self.strip();
            if strip.is_full() {
                return Err(strip::full());
            }
            // Of earlier ones nobody asks any more.
            strip.failed.clear();
        }
        let made = self
            .running
            .channel()
            .call(&CreateTarget {
                url: "about:blank".to_owned(),
                browser_context_id: self.id.clone(),
            })
            .await?;
        let target = made.target_id;
        self.until(|strip| strip.failed.contains(&target) || strip.open.iter().any(|open| open.id == target))
            .await?;
        let mut strip = self.strip();
        strip.news.retain(|news| *news != target);
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

    /// Makes a tab the current one, and shows it.
    pub(crate) fn select(&self, target: &TargetId) {
        let mut strip = self.strip();
        if let Some(open) = strip.open.iter().find(|open| open.id == *target) {
            open.tab.page().send(&BringToFront {});
            strip.current = Some(target.clone());
        }
    }

    /// Titles and URLs of its tabs, as Chromium knows them: asked now, since it does not tell when a title changes.
    pub(crate) async fn infos(&self) -> Result<Vec<TargetInfo>, BrowserError> {
        let targets = self.running.channel().call(&GetTargets {}).await?;
        let mut infos = targets.target_infos;
        infos.retain(|info| info.browser_context_id.as_ref() == Some(&self.id));
        Ok(infos)
    }

    /// Closes a tab without asking its page.
    pub(crate) async fn close_tab(&self, target: &TargetId) -> Result<(), BrowserError> {
        let close = CloseTarget {
            target_id: target.clone(),
        };
        self.strip().closing = Some(target.clone());
        // A tab that closed itself meanwhile is what was wanted.
        if let Err(error) = self.running.channel().call(&close).await
            && !error.says("No target")
        {
            return Err(error.into());
        }
        self.until(|strip| strip.open.iter().all(|open| open.id != *target))
            .await?;
        let strip = self.strip();
        if let Some(open) = strip.current().and_then(|current| strip.open.get(current)) {
            open.tab.page().send(&BringToFront {});
        }
        Ok(())
    }

    /// Waits until the tabs that are being opened are there; one that does not come is waited for once.
    pub(crate) async fn all_there(&self) -> Result<(), BrowserError> {
        let there = self.until(|strip| strip.coming.iter().all(|coming| strip.slow.contains(&coming.target_id)));
        if let Ok(there) = tokio::time::timeout(COMING, there).await {
            return there;
        }
        let mut strip = self.strip();
        strip.slow = strip.coming.iter().map(|coming| coming.target_id.clone()).collect();
        Ok(())
    }

    /// Waits until the tabs are as is wanted.
    pub(crate) async fn until(&self, is_so: impl Fn(&Strip) -> bool) -> Result<(), BrowserError> {
        let mut changed = self.changed.subscribe();
        let wait = async {
            while !is_so(&self.strip()) {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        let connection = self.running.process().connection();
        tokio::select! {
            () = wait => Ok(()),
            () = connection.closed() => Err(BrowserError::Protocol(crate::devtools::CallError::Closed)),
            () = tokio::time::sleep(CHANGE) => Err(BrowserError::Broken {
                reason: format!("did not open or close a tab within {} s", CHANGE.as_secs()),
            }),
        }
    }

    /// A page of this context began; it waits until its tab has set itself up.
    pub(crate) fn attach(
        self: Arc<Self>,
        page: Channel,
        session: SessionId,
        info: TargetInfo,
        contexts: Arc<Contexts>,
    ) {
        {
            let mut strip = self.strip();
            if strip.is_full() {
                strip.refused += 1;
                page.send(&RunIfWaitingForDebugger {});
                self.running.channel().send(&CloseTarget {
                    target_id: info.target_id.clone(),
                });
                // Whoever opens one just now may have been overtaken by a page.
                strip.fail(info.target_id);
                drop(strip);
                self.tell();
                return;
            }
            strip.coming.push(info.clone());
            strip.news.push(info.target_id.clone());
        }
        // Not by the window: the size of its frame differs between versions.
        let (width, height) = self.viewport;
        page.send(&emulate::viewport(width, height));
        // All tabs behave as if they were in front, or input to one would depend on the others.
        page.send(&SetFocusEmulationEnabled { enabled: true });
        let settings = Arc::clone(&self.settings);
        tokio::spawn(async move {
            let target = info.target_id.clone();
            let tab = Tab::attach(page.clone(), info, settings).await;
            page.send(&RunIfWaitingForDebugger {});
            self.attached(&target, tab, || contexts.is_attached(&session));
            self.tell();
        });
    }

    fn attached(&self, target: &TargetId, tab: Result<Arc<Tab>, BrowserError>, is_attached: impl Fn() -> bool) {
        let mut strip = self.strip();
        let info = strip
            .coming
            .iter()
            .position(|coming| coming.target_id == *target)
            .map(|index| strip.coming.remove(index));
        match (tab, info) {
            // Asked while the strip is locked: a page that goes now is taken from it afterwards.
            (Ok(tab), Some(info)) if is_attached() => {
                strip.open.push(Open {
                    id: info.target_id,
                    opener: info.opener_id,
                    tab,
                });
                match strip.current().and_then(|index| strip.open.get(index)) {
                    // The new one has come up in front of the page that opened it.
                    Some(current) => current.tab.page().send(&BringToFront {}),
                    None => strip.current = Some(target.clone()),
                }
            }
            (Err(error), _) => {
                tracing::debug!(%error, "a tab did not come up");
                strip.fail(target.clone());
            }
            _ => strip.fail(target.clone()),
        }
    }

    /// The tab that a frame is in, if it is one of this context.
    pub(crate) fn tab_with(&self, frame: &FrameId) -> Option<Arc<Tab>> {
        let strip = self.strip();
        let with = strip.open.iter().find(|open| open.tab.frame(frame).is_some());
        with.map(|open| Arc::clone(&open.tab))
    }

    /// The current tab, if there is one.
    pub(crate) fn current_tab(&self) -> Option<Arc<Tab>> {
        let strip = self.strip();
        let current = strip.open.get(strip.current()?)?;
        Some(Arc::clone(&current.tab))
    }

    /// A download went on; which tab has it is known to the tabs.
    pub(crate) fn download_went_on(&self, progress: &DownloadProgress) {
        for open in &self.strip().open {
            open.tab.download_went_on(progress);
        }
    }

    /// A page of this context is gone.
    pub(crate) fn detach(&self, target: &TargetId) {
        self.strip().close(target);
        self.tell();
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Ends its pages and waits until they are gone, within bounds.
    pub(crate) async fn close(&self) {
        self.running.forget(&self.id);
        let dispose = DisposeBrowserContext {
            browser_context_id: self.id.clone(),
        };
        match tokio::time::timeout(END, self.running.channel().call(&dispose)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a context was gone already"),
            Err(_) => tracing::warn!("Chromium does not end a context"),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.running.forget(&self.id) {
            self.running.channel().send(&DisposeBrowserContext {
                browser_context_id: self.id.clone(),
            });
        }
        // What it downloaded goes with it.
        if let Some(downloads) = self.settings.downloads.clone() {
            let _ = std::fs::remove_dir_all(downloads);
        }
    }
}
