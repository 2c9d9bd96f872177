//! One Chromium that is up, and the contexts in it.
//!
//! Fumi is attached to every page of every context from its first moment: pages wait until their tab has set itself up,
//! popups too, so nothing of them is missed. Pages of a context that nobody knows are let go.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    chromium::{Ended, Process},
    context::Context,
    devtools::{
        Channel, Event, Events, SessionId,
        protocol::{
            browser::{Permission, SetPermission},
            browser_downloads::{DownloadProgress, DownloadWillBegin, OfBrowser},
            runtime::RunIfWaitingForDebugger,
            target::{
                AttachedToTarget, CloseTarget, ContextId, CreateBrowserContext, DetachFromTarget, DetachedFromTarget,
                SetAutoAttach, TargetId,
            },
        },
    },
    errors::BrowserError,
    loss::Loss,
    tab::TabSettings,
};

/// Pages that are remembered for their downloads: more than a page opens at once.
const RECENT: usize = 64;

/// A Chromium that is up. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Running {
    process: Process,
    channel: Channel,
    contexts: Arc<Contexts>,
    served: AtomicU64,
    // Why fumi ended it, and since when it takes no contexts, if so. Held for a copy only.
    ended_for: Mutex<Option<Loss>>,
    retired: Mutex<Option<Instant>>,
}

/// Who hears of which page.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    // Held for look-ups only, never over a wait.
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    contexts: HashMap<ContextId, Weak<Context>>,
    attached: HashMap<SessionId, (TargetId, Weak<Context>)>,
    /// The last pages that came, whether they are there or not: a window may be gone before its download is told.
    recent: VecDeque<Recent>,
}

#[derive(Debug)]
struct Recent {
    page: TargetId,
    context: Weak<Context>,
    /// Another page opened it.
    is_opened: bool,
}

impl Running {
    /// Takes a process over. `crashed` is called when it ends without being told to.
    pub(crate) async fn new(
        process: Process,
        crashed: impl FnOnce(Ended) + Send + 'static,
    ) -> Result<Self, BrowserError> {
        let channel = Channel::of_browser(Arc::clone(process.connection()));
        let contexts = Arc::<Contexts>::default();
        let mut end = process.end();
        let events = channel.events();
        tokio::spawn({
            let (channel, contexts) = (channel.clone(), Arc::clone(&contexts));
            async move {
                hear(events, channel, contexts).await;
                let ended = end.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
                if let Some(ended) = ended.filter(|ended| !ended.wanted) {
                    crashed(ended);
                }
            }
        });
        channel
            .call(&SetAutoAttach {
                auto_attach: true,
                wait_for_debugger_on_start: true,
                flatten: true,
            })
            .await?;
        Ok(Self {
            process,
            channel,
            contexts,
            served: AtomicU64::new(0),
            ended_for: Mutex::default(),
            retired: Mutex::default(),
        })
    }

    /// Makes a context.
    pub(crate) async fn context(
        self: &Arc<Self>,
        viewport: (u32, u32),
        settings: impl FnOnce(&ContextId) -> TabSettings + Send + 'static,
    ) -> Result<Arc<Context>, BrowserError> {
        let running = Arc::clone(self);
        // In a task of its own: if the caller gives up meanwhile, the context ends with the answer that nobody takes.
        let making = tokio::spawn(async move {
            let create = CreateBrowserContext {
                dispose_on_detach: true,
            };
            let id = running.channel.call(&create).await?.browser_context_id;
            running.served.fetch_add(1, Ordering::Relaxed);
            for name in ["clipboard-write", "clipboard-read"] {
                running.channel.send(&denied(name, &id));
            }
            let settings = settings(&id);
            let context = Arc::new(Context::new(Arc::clone(&running), id.clone(), viewport, settings));
            running.contexts.known().contexts.insert(id, Arc::downgrade(&context));
            Ok(context)
        });
        making.await.map_err(|error| BrowserError::Broken {
            reason: format!("has no context: {error}"),
        })?
    }

    /// Takes a context from those that hear of pages; says whether it was among them.
    pub(crate) fn forget(&self, context: &ContextId) -> bool {
        self.contexts.known().contexts.remove(context).is_some()
    }

    /// The browser itself.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The process.
    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    /// Contexts made so far.
    pub(crate) fn served(&self) -> u64 {
        self.served.load(Ordering::Relaxed)
    }

    /// Contexts that are there.
    pub(crate) fn contexts(&self) -> usize {
        self.contexts.known().contexts.len()
    }

    /// Whether it can be used.
    pub(crate) fn is_up(&self) -> bool {
        !self.process.connection().is_closed()
    }

    /// Why what was in it is lost.
    pub(crate) fn loss(&self) -> Loss {
        self.ended_for
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .unwrap_or(Loss::Crash)
    }

    /// Notes that it takes no new contexts.
    pub(crate) fn retire(&self) {
        *self.retired.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// How long it has taken no new contexts.
    pub(crate) fn retired(&self) -> Option<Duration> {
        let retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        retired.map(|since| since.elapsed())
    }

    /// Ends it, whoever uses it.
    pub(crate) async fn end(&self, why: Loss) -> Ended {
        *self.ended_for.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        self.process.kill().await
    }
}

impl Contexts {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a session is still attached.
    pub(crate) fn is_attached(&self, session: &SessionId) -> bool {
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
                known.attached.insert(
                    attached.session_id.clone(),
                    (info.target_id.clone(), Arc::downgrade(context)),
                );
                if known.recent.len() == RECENT {
                    known.recent.pop_front();
                }
                known.recent.push_back(Recent {
                    page: info.target_id.clone(),
                    context: Arc::downgrade(context),
                    is_opened: info.opener_id.is_some(),
                });
            }
            context
        };
        let page = channel.to(attached.session_id.clone());
        if let Some(context) = context {
            context.attach(page, attached.session_id, info, Arc::clone(self));
        } else {
            // A worker, or a page of nobody: it goes on without us.
            page.send(&RunIfWaitingForDebugger {});
            channel.send(&DetachFromTarget {
                session_id: attached.session_id,
            });
        }
    }

    fn heard(self: &Arc<Self>, channel: &Channel, event: &Event) {
        if let Some(attached) = event.get::<AttachedToTarget>() {
            self.attach(channel, attached);
        } else if let Some(detached) = event.get::<DetachedFromTarget>() {
            let left = self.known().attached.remove(&detached.session_id);
            if let Some((target, context)) = left
                && let Some(context) = context.upgrade()
            {
                context.detach(&target);
            }
        } else if let Some(OfBrowser(begun)) = event.get() {
            self.download_begun(channel, begun);
        } else if let Some(OfBrowser(progress)) = event.get::<OfBrowser<DownloadProgress>>() {
            for context in self.all() {
                context.download_went_on(&progress);
            }
        }
    }

    /// It is its tab's, or the current one's where a window was opened for nothing but the download. Such a window shows nothing and is
    /// closed: the whole Chromium does that by itself, the build without windows does not.
    fn download_begun(&self, channel: &Channel, begun: DownloadWillBegin) {
        let of_a_tab = self.all().iter().find_map(|context| context.tab_with(&begun.frame_id));
        // A page has the id of its main frame.
        let (opened, context) = {
            let known = self.known();
            let recent = known.recent.iter().find(|recent| recent.page.0 == begun.frame_id.0);
            let opened = recent.filter(|recent| recent.is_opened);
            (
                opened.map(|recent| recent.page.clone()),
                recent.and_then(|recent| recent.context.upgrade()),
            )
        };
        let shown = of_a_tab.filter(|tab| opened.is_none() || !tab.url().is_empty());
        if let (None, Some(target_id)) = (&shown, opened) {
            channel.send(&CloseTarget { target_id });
        }
        if let Some(tab) = shown.or_else(|| context?.current_tab()) {
            tab.download_begun(begun);
        } else {
            tracing::debug!(url = begun.url, "a download of no tab");
        }
    }

    fn all(&self) -> Vec<Arc<Context>> {
        self.known().contexts.values().filter_map(Weak::upgrade).collect()
    }
}

/// Keeps pages from the clipboard that all contexts share (see `clipboard.rs`). A page then says so, or copies by command, which
/// is seen.
fn denied(name: &'static str, context: &ContextId) -> SetPermission {
    SetPermission {
        permission: Permission { name },
        setting: "denied",
        browser_context_id: context.clone(),
    }
}

async fn hear(mut events: Events, channel: Channel, contexts: Arc<Contexts>) {
    while let Some(event) = events.recv().await {
        contexts.heard(&channel, &event);
    }
}
