//! Notifications of file changes: [`ChangeSubscription`] wakes a waiting listener as soon as the kernel reports an
//! event.
//!
//! Invariant: no change after [`ChangeSubscription::begin`] is missed. A change may be reported more than once. Where
//! the kernel does not help (see [`POLL`]), only a possible change is reported, and the listener checks for itself. All
//! listeners and logs ([`crate::change_log`]) of a root share one task, which ends with the last of them.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::Notify, task::JoinHandle};

use crate::root_watcher::{RootWatcher, Source, is_uncounted};

/// The polling interval for roots and folders that the kernel does not watch.
pub const POLL: Duration = Duration::from_secs(2);

/// The delay during which events gather before they are read, so that a build that writes thousands of files does not
/// wake the listeners thousands of times. The kernel's queue holds 16,384 events.
const DEBOUNCE: Duration = Duration::from_millis(10);

/// The changes that a listener is interested in.
#[derive(Clone, Debug, Default)]
pub struct Interest {
    /// Absolute paths of files. Changes of the folders above them are reported too.
    pub paths: Vec<PathBuf>,
    /// True for every change under the root, except those inside `.git/`.
    pub everything: bool,
}

impl Interest {
    fn matches(&self, path: &Path) -> Pending {
        let named = self.paths.iter().any(|wanted| wanted == path);
        let above = || self.paths.iter().any(|wanted| wanted.starts_with(path));
        Pending { named, perhaps: (self.everything && !inside_git(path)) || (!named && above()) }
    }

    /// True if one of the paths lies in a folder that the kernel does not watch.
    fn unwatched(&self) -> bool {
        self.paths.iter().any(|path| path.iter().any(is_uncounted))
    }
}

/// True if the path lies inside `.git/`, except `info/exclude`, which decides what a walk finds. The rest of the folder
/// changes with every access to the repository.
fn inside_git(path: &Path) -> bool {
    path.iter().any(|part| part == ".git") && !path.ends_with(".git/info/exclude")
}

/// The changes reported to a listener.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// True if one of the paths itself changed.
    pub named: bool,
    /// True if another change may concern the paths: check them.
    pub perhaps: bool,
}

impl Pending {
    /// True if anything was reported.
    pub const fn any(self) -> bool {
        self.named || self.perhaps
    }
}

#[derive(Debug)]
struct Listener {
    /// Locked in short sections that never await.
    state: Mutex<ListenerState>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct ListenerState {
    interest: Interest,
    heard: Pending,
    times: u64,
}

impl Listener {
    fn state(&self) -> MutexGuard<'_, ListenerState> {
        self.state.lock()
    }

    fn on_event(&self, what: impl FnOnce(&Interest) -> Pending) {
        let mut state = self.state();
        let heard = what(&state.interest);
        if heard.any() {
            state.heard.named |= heard.named;
            state.heard.perhaps |= heard.perhaps;
            state.times += 1;
            self.wake.notify_one();
        }
    }
}

/// The listeners of one root.
#[derive(Debug, Default)]
pub(crate) struct Listeners(Vec<Weak<Listener>>);

impl Listeners {
    /// Notifies the listeners that one path changed.
    pub(crate) fn notify(&mut self, path: &Path) {
        self.notify_each(|interest| interest.matches(path));
    }

    /// Notifies the listeners that anything may have changed.
    pub(crate) fn notify_all(&mut self) {
        self.notify_each(|_| Pending { named: false, perhaps: true });
    }

    fn notify_each(&mut self, what: impl Fn(&Interest) -> Pending) {
        self.0.retain(|listener| {
            let listener = listener.upgrade();
            if let Some(listener) = &listener {
                listener.on_event(&what);
            }
            listener.is_some()
        });
    }
}

/// A subscription of one listener to one root. Dropping it ends the subscription.
#[derive(Debug)]
pub struct ChangeSubscription {
    tree: Arc<Mutex<RootWatcher>>,
    listener: Arc<Listener>,
    _pump: Arc<EventLoop>,
}

impl ChangeSubscription {
    pub(crate) fn begin(tree: Arc<Mutex<RootWatcher>>, interest: Interest) -> Self {
        let listener = Arc::new(Listener {
            state: Mutex::new(ListenerState { interest, ..ListenerState::default() }),
            wake: Notify::new(),
        });
        let pump = {
            let mut inner = tree.lock();
            // Discard events queued earlier: they are not news for this listener.
            inner.drain();
            inner.listeners.0.push(Arc::downgrade(&listener));
            EventLoop::share(&tree, &mut inner)
        };
        Self { tree, listener, _pump: pump }
    }

    /// Replaces the changes that the listener is interested in.
    pub fn set_interest(&self, interest: Interest) {
        self.listener.state().interest = interest;
    }

    /// Waits until a change was reported since the last [`ChangeSubscription::take`]. Only one task may wait at a time.
    pub async fn wait(&self) {
        loop {
            let polled = {
                let state = self.listener.state();
                if state.heard.any() {
                    return;
                }
                state.interest.unwatched()
            };
            if polled {
                let woken = tokio::time::timeout(POLL, self.listener.wake.notified());
                if woken.await.is_err() {
                    self.listener.on_event(|_| Pending { named: false, perhaps: true });
                }
            } else {
                self.listener.wake.notified().await;
            }
        }
    }

    /// Returns the number of reports so far: while it grows, changes are still coming in. Does not read the kernel's
    /// queue: the event loop does that soon.
    pub fn known_event_count(&self) -> u64 {
        self.listener.state().times
    }

    /// Returns the number of reports until now. Blocking: it reads the kernel's queue first.
    pub fn event_count(&self) -> u64 {
        self.drain();
        self.known_event_count()
    }

    /// Returns the changes reported until now and resets them. Blocking as [`ChangeSubscription::event_count`] is.
    pub fn take(&self) -> Pending {
        self.drain();
        std::mem::take(&mut self.listener.state().heard)
    }

    fn drain(&self) {
        self.tree.lock().drain();
    }
}

/// The event loop of a root: reads the kernel's queue whenever it fills, so that listeners and logs learn of changes
/// without a call. It ends with the last of them.
#[derive(Debug)]
pub(crate) struct EventLoop(JoinHandle<()>);

impl Drop for EventLoop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl EventLoop {
    /// Returns the event loop of a root, which is started if it does not run. Must be called within a runtime that can
    /// wait for the kernel.
    pub(crate) fn share(tree: &Arc<Mutex<RootWatcher>>, inner: &mut RootWatcher) -> Arc<Self> {
        inner.event_loop.upgrade().unwrap_or_else(|| {
            let started = Arc::new(Self::start(tree, inner));
            inner.event_loop = Arc::downgrade(&started);
            started
        })
    }

    fn start(tree: &Arc<Mutex<RootWatcher>>, inner: &RootWatcher) -> Self {
        Self(tokio::spawn(run_event_loop(Arc::downgrade(tree), Arc::clone(&inner.renewed))))
    }
}

async fn run_event_loop(tree: Weak<Mutex<RootWatcher>>, renewed: Arc<Notify>) {
    let mut looked = true;
    loop {
        let Some(tree) = tree.upgrade() else { return };
        // On a thread of its own: new folders are walked, and a call may hold the lock while it walks them.
        let read = tokio::task::spawn_blocking(move || {
            let mut tree = tree.lock();
            tree.drain();
            let source = tree.source();
            if source.is_none() && !looked {
                tree.listeners.notify_all();
            }
            source
        });
        let Ok(source) = read.await else { return };
        looked = false;
        tokio::select! {
            () = wait_for_events(source) => {}
            () = renewed.notified() => {}
        }
        tokio::time::sleep(DEBOUNCE).await;
    }
}

/// Waits until the kernel has queued an event, or until the polling interval has passed.
#[cfg(target_os = "linux")]
async fn wait_for_events(source: Source) {
    let Some(source) = source else {
        return tokio::time::sleep(POLL).await;
    };
    match source.readable().await {
        // Cleared before the queue is read: an event that arrives during the read makes it ready again.
        Ok(mut ready) => ready.clear_ready(),
        Err(_) => tokio::time::sleep(POLL).await,
    }
}

/// Waits until the polling interval has passed.
#[cfg(not(target_os = "linux"))]
async fn wait_for_events(_source: Source) {
    tokio::time::sleep(POLL).await;
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, time::Duration};

    use super::{ChangeSubscription, Interest, Pending};
    use crate::freshness::Freshness;

    const NAMED: Pending = Pending { named: true, perhaps: false };

    fn listen(freshness: &Freshness, root: &Path, paths: &[&str], everything: bool) -> ChangeSubscription {
        let paths = paths.iter().map(|path| root.join(path)).collect();
        freshness.subscribe(root, Interest { paths, everything })
    }

    async fn wait(changes: &ChangeSubscription) {
        let heard = tokio::time::timeout(Duration::from_secs(20), changes.wait()).await;
        heard.expect("no change was reported");
    }

    #[tokio::test]
    async fn change_wakes_only_interested_listeners() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path();
        fs::create_dir(root.join("d")).expect("a folder");
        fs::write(root.join("a"), "1").expect("a file");
        let freshness = Freshness::default();
        let (a, deep) = (listen(&freshness, root, &["a"], false), listen(&freshness, root, &["d/new/b"], false));
        let all = listen(&freshness, root, &[], true);
        fs::write(root.join("a"), "2").expect("written");
        wait(&a).await;
        wait(&all).await;
        assert_eq!((a.take(), deep.take()), (NAMED, Pending::default()));
        assert!(all.take().perhaps);
        fs::create_dir(root.join("d/new")).expect("a folder");
        wait(&deep).await;
        assert!(deep.take().perhaps && !a.take().any());
        // The new folder is watched by now.
        fs::write(root.join("d/new/b"), "1").expect("a file");
        wait(&deep).await;
        assert!(deep.take().named);
    }

    #[tokio::test]
    async fn draining_call_still_notifies_listeners() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("a"), "1").expect("a file");
        let freshness = Freshness::default();
        let a = listen(&freshness, root.path(), &["a"], false);
        let before = freshness.stamp(root.path());
        fs::write(root.path().join("a"), "2").expect("written");
        assert_ne!(before, freshness.stamp(root.path()));
        wait(&a).await;
        assert_eq!(a.take(), NAMED);
    }

    #[tokio::test]
    async fn moved_folder_is_not_watched() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir_all(root.join("d/e")).expect("a folder");
        fs::write(root.join("d/e/a"), "1").expect("a file");
        let freshness = Freshness::default();
        let a = listen(&freshness, &root, &["d/e/a"], false);
        fs::rename(root.join("d"), outer.path().join("d")).expect("renamed");
        wait(&a).await;
        assert!(a.take().perhaps);
        let before = freshness.stamp(&root);
        fs::write(outer.path().join("d/e/a"), "2").expect("written");
        assert_eq!((before, a.take()), (freshness.stamp(&root), Pending::default()));
        fs::rename(outer.path().join("d"), root.join("d")).expect("renamed");
        wait(&a).await;
        assert!(a.take().perhaps);
        fs::write(root.join("d/e/a"), "3").expect("written");
        wait(&a).await;
        assert!(a.take().named);
    }

    #[tokio::test]
    async fn replaced_root_wakes_listeners_and_is_watched() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().canonicalize().expect("there").join("above/project");
        fs::create_dir_all(&root).expect("a folder");
        let freshness = Freshness::default();
        let a = listen(&freshness, &root, &["a"], false);
        for moved in [root.as_path(), root.parent().expect("a folder")] {
            fs::rename(moved, outer.path().join("old")).expect("renamed");
            fs::create_dir_all(&root).expect("a folder");
            wait(&a).await;
            assert!(a.take().perhaps, "{moved:?}");
            fs::write(root.join("a"), "1").expect("written");
            wait(&a).await;
            assert!(a.take().named, "{moved:?}");
            fs::remove_dir_all(outer.path().join("old")).expect("removed");
        }
        // A root that is missing is polled.
        fs::remove_dir_all(&root).expect("removed");
        wait(&a).await;
        assert!(a.take().perhaps);
        fs::create_dir(&root).expect("a folder");
        wait(&a).await;
        let _ = a.take();
        fs::write(root.join("a"), "1").expect("written");
        wait(&a).await;
        assert!(a.take().named);
    }

    #[tokio::test]
    async fn unwatched_paths_are_polled() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join(".fumi")).expect("a folder");
        let freshness = Freshness::default();
        let own = listen(&freshness, root.path(), &[".fumi/a"], false);
        wait(&own).await;
        assert!(own.take().perhaps);
    }

    #[tokio::test]
    async fn event_loop_ends_with_last_listener() {
        let root = tempfile::tempdir().expect("a folder");
        let freshness = Freshness::default();
        let (a, b) = (listen(&freshness, root.path(), &["a"], false), listen(&freshness, root.path(), &["b"], false));
        let pump = a.tree.lock().event_loop.clone();
        assert!(pump.ptr_eq(&b.tree.lock().event_loop));
        drop(a);
        assert!(pump.upgrade().is_some());
        drop(b);
        assert!(pump.upgrade().is_none());
    }
}
