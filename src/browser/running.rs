//! A running Chromium and the contexts in it.
//!
//! Fumi is attached to every page of every context from its creation on. New pages, including popups, are paused until
//! their tab is set up, so no event is missed. Pages of unknown contexts are detached and left alone.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use crate::{
    chromium::{ChromiumProcess, ProcessExit},
    context::BrowserContext,
    devtools::{
        Channel, DevtoolsSessionId, EventStream, RawEvent,
        protocol::{
            browser::{Permission, SetPermission},
            browser_downloads::{BrowserWideEvent, DownloadProgress, DownloadWillBegin},
            runtime::RunIfWaitingForDebugger,
            target::{
                AttachedToTarget, CloseTarget, ContextId, CreateBrowserContext, DetachFromTarget, DetachedFromTarget,
                SetAutoAttach, TargetId,
            },
        },
    },
    errors::BrowserError,
    reset_reason::ResetReason,
    tab::TabSettings,
};

/// Recently attached pages that are kept to assign downloads; more than a page opens at once.
const RECENT: usize = 64;

/// A running Chromium. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct RunningChromium {
    process: ChromiumProcess,
    channel: Channel,
    contexts: Arc<ContextRegistry>,
    served: AtomicU64,
    // The reason why fumi ended the process, and the time since which it takes no contexts. Locked only to copy a
    // value.
    ended_for: Mutex<Option<ResetReason>>,
    retired: Mutex<Option<Instant>>,
}

/// The contexts of one Chromium, and the pages that belong to each.
#[derive(Debug, Default)]
pub(crate) struct ContextRegistry {
    // Locked only for look-ups, never across an await.
    known: Mutex<PageOwners>,
}

#[derive(Debug, Default)]
struct PageOwners {
    contexts: HashMap<ContextId, Weak<BrowserContext>>,
    attached: HashMap<DevtoolsSessionId, (TargetId, Weak<BrowserContext>)>,
    /// The last pages that were attached, also if they are gone: a window may close before its download is reported.
    recent: VecDeque<RecentPage>,
}

#[derive(Debug)]
struct RecentPage {
    page: TargetId,
    context: Weak<BrowserContext>,
    /// True if another page opened this one.
    is_opened: bool,
}

impl RunningChromium {
    /// Takes over a process. `crashed` is called if it ends without being asked to.
    pub(crate) async fn new(
        process: ChromiumProcess,
        crashed: impl FnOnce(ProcessExit) + Send + 'static,
    ) -> Result<Self, BrowserError> {
        let channel = Channel::for_browser(Arc::clone(process.connection()));
        let contexts = Arc::<ContextRegistry>::default();
        let mut end = process.end();
        let events = channel.events();
        tokio::spawn({
            let (channel, contexts) = (channel.clone(), Arc::clone(&contexts));
            async move {
                run_event_loop(events, channel, contexts).await;
                let ended = end.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
                if let Some(ended) = ended.filter(|ended| !ended.was_requested) {
                    crashed(ended);
                }
            }
        });
        channel.call(&SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true }).await?;
        Ok(Self {
            process,
            channel,
            contexts,
            served: AtomicU64::new(0),
            ended_for: Mutex::default(),
            retired: Mutex::default(),
        })
    }

    /// Creates a context in this Chromium.
    pub(crate) async fn context(
        self: &Arc<Self>,
        viewport: (u32, u32),
        settings: impl FnOnce(&ContextId) -> TabSettings + Send + 'static,
    ) -> Result<Arc<BrowserContext>, BrowserError> {
        let running = Arc::clone(self);
        // Runs in a task of its own. If the caller gives up meanwhile, the context is dropped with the unused result.
        let making = tokio::spawn(async move {
            let create = CreateBrowserContext { dispose_on_detach: true };
            let id = running.channel.call(&create).await?.browser_context_id;
            running.served.fetch_add(1, Ordering::Relaxed);
            for name in ["clipboard-write", "clipboard-read"] {
                running.channel.send(&denied(name, &id));
            }
            let settings = settings(&id);
            let context = Arc::new(BrowserContext::new(Arc::clone(&running), id.clone(), viewport, settings));
            running.contexts.known().contexts.insert(id, Arc::downgrade(&context));
            Ok(context)
        });
        making.await.map_err(|error| BrowserError::ChromiumFailed {
            reason: format!("could not create a browser context: {error}"),
        })?
    }

    /// Removes a context, so that it receives no more pages. True if it was registered.
    pub(crate) fn forget(&self, context: &ContextId) -> bool {
        self.contexts.known().contexts.remove(context).is_some()
    }

    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    pub(crate) fn process(&self) -> &ChromiumProcess {
        &self.process
    }

    /// Returns the number of contexts created so far.
    pub(crate) fn served(&self) -> u64 {
        self.served.load(Ordering::Relaxed)
    }

    /// Returns the number of existing contexts.
    pub(crate) fn contexts(&self) -> usize {
        self.contexts.known().contexts.len()
    }

    /// True while the process can be used.
    pub(crate) fn is_up(&self) -> bool {
        !self.process.connection().is_closed()
    }

    /// Returns the reason why the tabs in this process are gone.
    pub(crate) fn reset_reason(&self) -> ResetReason {
        self.ended_for.lock().unwrap_or(ResetReason::Crash)
    }

    /// Records that it takes no new contexts from now on.
    pub(crate) fn retire(&self) {
        *self.retired.lock() = Some(Instant::now());
    }

    /// Returns the time since it stopped taking new contexts; `None` if it still takes them.
    pub(crate) fn retired(&self) -> Option<Duration> {
        let retired = self.retired.lock();
        retired.map(|since| since.elapsed())
    }

    /// Ends the process, even if sessions use it.
    pub(crate) async fn end(&self, why: ResetReason) -> ProcessExit {
        *self.ended_for.lock() = Some(why);
        self.process.kill().await
    }
}

impl ContextRegistry {
    fn known(&self) -> MutexGuard<'_, PageOwners> {
        self.known.lock()
    }

    /// True if a session is still attached.
    pub(crate) fn is_attached(&self, session: &DevtoolsSessionId) -> bool {
        self.known().attached.contains_key(session)
    }

    fn attach(self: &Arc<Self>, channel: &Channel, attached: AttachedToTarget) {
        let info = attached.target_info;
        let context = {
            let mut known = self.known();
            let context = info
                .browser_context_id
                .as_ref()
                .filter(|_| info.kind == "page")
                .and_then(|id| known.contexts.get(id)?.upgrade());
            if let Some(context) = &context {
                known.attached.insert(attached.session_id.clone(), (info.target_id.clone(), Arc::downgrade(context)));
                if known.recent.len() == RECENT {
                    known.recent.pop_front();
                }
                known.recent.push_back(RecentPage {
                    page: info.target_id.clone(),
                    context: Arc::downgrade(context),
                    is_opened: info.opener_id.is_some(),
                });
            }
            context
        };
        let page = channel.with_session(attached.session_id.clone());
        if let Some(context) = context {
            context.attach(page, attached.session_id, info, Arc::clone(self));
        } else {
            // A worker, or a page of an unknown context: it is resumed and detached.
            page.send(&RunIfWaitingForDebugger {});
            channel.send(&DetachFromTarget { session_id: attached.session_id });
        }
    }

    fn on_event(self: &Arc<Self>, channel: &Channel, event: &RawEvent) {
        if let Some(attached) = event.get::<AttachedToTarget>() {
            self.attach(channel, attached);
        } else if let Some(detached) = event.get::<DetachedFromTarget>() {
            let left = self.known().attached.remove(&detached.session_id);
            if let Some((target, context)) = left
                && let Some(context) = context.upgrade()
            {
                context.detach(&target);
            }
        } else if let Some(BrowserWideEvent(begun)) = event.get() {
            self.download_begun(channel, begun);
        } else if let Some(BrowserWideEvent(progress)) = event.get::<BrowserWideEvent<DownloadProgress>>() {
            for context in self.all() {
                context.download_went_on(&progress);
            }
        }
    }

    /// Assigns a new download to its tab, or to the current tab if a window was opened only for the download. Such a
    /// window shows nothing and is closed here: the desktop browser closes it by itself, the build without windows does
    /// not.
    fn download_begun(&self, channel: &Channel, begun: DownloadWillBegin) {
        let of_a_tab = self.all().iter().find_map(|context| context.tab_with(&begun.frame_id));
        // The id of a page is the id of its main frame.
        let (opened, context) = {
            let known = self.known();
            let recent = known.recent.iter().find(|recent| recent.page.0 == begun.frame_id.0);
            let opened = recent.filter(|recent| recent.is_opened);
            (opened.map(|recent| recent.page.clone()), recent.and_then(|recent| recent.context.upgrade()))
        };
        let shown = of_a_tab.filter(|tab| opened.is_none() || !tab.url().is_empty());
        if let (None, Some(target_id)) = (&shown, opened) {
            channel.send(&CloseTarget { target_id });
        }
        if let Some(tab) = shown.or_else(|| context?.current_tab()) {
            tab.on_download_start(begun);
        } else {
            tracing::debug!(url = begun.url, "a download belongs to no tab");
        }
    }

    fn all(&self) -> Vec<Arc<BrowserContext>> {
        self.known().contexts.values().filter_map(Weak::upgrade).collect()
    }
}

/// Denies pages the access to the clipboard, which all contexts share (see `clipboard.rs`). A page then reports an
/// error or copies by `execCommand`, which fumi observes.
fn denied(name: &'static str, context: &ContextId) -> SetPermission {
    SetPermission { permission: Permission { name }, setting: "denied", browser_context_id: context.clone() }
}

async fn run_event_loop(mut events: EventStream, channel: Channel, contexts: Arc<ContextRegistry>) {
    while let Some(event) = events.recv().await {
        contexts.on_event(&channel, &event);
    }
}
