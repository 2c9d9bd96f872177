//! Write locks: at most one writer for a project at a time, also if several processes serve the same folder
//! ([`ProjectLocks`]).
//!
//! Invariants: the owner of a [`WriteGuard`] is the only writer. A process that slept past the end of its lease changes
//! no file once another process has held the lease: each change that [`WriteGuard::run`] makes is made under the lock
//! of the lease, after checking its number. The lease lies in the project (`.noveler/locks/`), so that every server
//! that sees the folder sees the lease. A process that died leaves a lease behind. While alive it kept a file locked,
//! and the system releases that lock at once, so that other processes do not wait for a dead one. Where files cannot be
//! locked, the lease expires by itself.
//!
//! Deliberately not here: the queue within a process, which is fair between callers ([`crate::pools`]).

use std::{
    cell::RefCell,
    collections::HashMap,
    fs::{self, TryLockError},
    path::PathBuf,
    sync::{
        Arc, Once, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, MetadataExt as _, OpenOptions};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    atomic_write::{WriteError, open_folder},
    project::Project,
    store::{Clock, Lease, Store, StoreError, fs::FolderStore},
    system::unless_unreadable,
};

/// The folder of leases in a project.
const FOLDER: &str = ".noveler/locks";
/// The name of the only lease.
const NAME: &str = "write";
/// The prefix of the files that living processes keep locked.
const ALIVE: &str = "alive-";
/// The lifetime of a lease that is not renewed (decision 15).
const TTL: Duration = Duration::from_secs(30);
/// The interval between renewals: two of them may fail before the lease expires.
const RENEWAL: Duration = Duration::from_secs(10);
/// The interval between two attempts to take a lease that another process holds.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum number of projects whose leases are kept open. Each uses five file descriptors.
const MAX_OPEN_PROJECTS: usize = 32;
/// The separator between the shown holder of a lease and the identifier of its process.
const PROCESS_SEPARATOR: &str = " #";

/// The write locks of all projects, as this process knows them.
#[derive(Debug)]
pub struct ProjectLocks {
    /// The identifier of this process, as used in file names.
    process: String,
    /// The maximum time to wait for another writer to finish.
    wait: Duration,
    /// Locked for single steps.
    places: Mutex<RecentLocks>,
}

/// The recently written projects, each with the number of its last use (a counter, not a time).
#[derive(Debug, Default)]
struct RecentLocks {
    known: HashMap<PathBuf, (Arc<ProjectLock>, u64)>,
    turns: u64,
    /// The guards of each folder of locks, by its device and inode: a project may be opened twice.
    guards: HashMap<(u64, u64), Weak<OwnGuards>>,
}

/// The guards of this process for one folder of locks.
#[derive(Debug, Default)]
struct OwnGuards {
    /// Held while a lease is taken, until its guard is counted.
    taking: tokio::sync::Mutex<()>,
    /// The number of guards. While there is none, a lease of this process is left over: its release failed, or it was
    /// taken for a call that ended meanwhile.
    count: AtomicUsize,
}

impl RecentLocks {
    /// Closes the least recently written project if the limit is reached. Projects in use stay open.
    fn close_idle(&mut self) {
        if self.known.len() < MAX_OPEN_PROJECTS {
            return;
        }
        let idle = self.known.iter().filter(|(_, (place, _))| Arc::strong_count(place) == 1);
        let oldest = idle.min_by_key(|(_, (_, used))| *used).map(|(root, _)| root.clone());
        if let Some(root) = oldest {
            self.known.remove(&root);
        }
    }
}

/// The leases of one project.
#[derive(Debug)]
struct ProjectLock {
    store: FolderStore,
    /// The folder of locks. It is kept open: its name could refer to another folder by now.
    folder: Dir,
    process: String,
    /// The file that stays locked for the lifetime of this value.
    _alive: fs::File,
    /// Done once the files of dead processes were removed.
    swept: Once,
    guards: Arc<OwnGuards>,
}

/// The right to write to a project, until it is dropped.
#[must_use]
#[derive(Debug)]
pub struct WriteGuard {
    place: Arc<ProjectLock>,
    lease: Lease,
    renewing: JoinHandle<()>,
}

/// The lease under which a thread writes, and the paths that it has written.
struct ThreadLease {
    place: Arc<ProjectLock>,
    lease: Lease,
    written: Vec<String>,
}

thread_local! {
    /// The lease of this thread, while [`WriteGuard::run`] runs. It is not an argument, because every write of every
    /// tool would have to pass it on.
    static WRITING: RefCell<Option<ThreadLease>> = const { RefCell::new(None) };
}

/// Changes a file, unless this thread writes under a lease that another process has held since.
pub(crate) fn run_fenced<T>(path: &str, change: impl FnOnce() -> Result<T, WriteError>) -> Result<T, WriteError> {
    let Some(mut writing) = WRITING.take() else {
        return change();
    };
    let done = match writing.place.store.run_under_lease(&writing.lease, change) {
        Ok(Ok(done)) => done,
        Ok(Err(holder)) => Err(WriteError::TurnLost {
            path: path.to_owned(),
            holder: shown_holder(&holder).to_owned(),
            written: writing.written.clone(),
        }),
        Err(error) => Err(WriteError::Io {
            path: path.to_owned(),
            source: match error {
                StoreError::Io { source, .. } => source,
                // Another process keeps the locks to itself: it may be stopped.
                error => std::io::Error::new(std::io::ErrorKind::WouldBlock, error),
            },
        }),
    };
    if done.is_ok() {
        writing.written.push(path.to_owned());
    }
    WRITING.set(Some(writing));
    done
}

impl ProjectLocks {
    /// Creates the locks with no lease taken. `wait` bounds the time to wait for another writer.
    pub fn new(wait: Duration) -> Result<Self, StoreError> {
        let mut bytes = [0; 6];
        getrandom::fill(&mut bytes)
            .map_err(|error| StoreError::Io { what: "the system provides no random numbers", source: error.into() })?;
        Ok(Self {
            process: format!("{}-{}", host(), &crate::files::sha256(&bytes)[..12]),
            wait,
            places: Mutex::default(),
        })
    }

    /// Waits for the right to write to a project. `holder` is shown to other callers while the lease lasts. Ends early
    /// when `work` is cancelled.
    pub async fn acquire(
        &self,
        project: &Project,
        holder: &str,
        work: &CancellationToken,
    ) -> Result<WriteGuard, StoreError> {
        let place = self.lock_of(project)?;
        let name = format!("{holder}{PROCESS_SEPARATOR}{}", self.process);
        let deadline = tokio::time::Instant::now() + self.wait;
        let lease = loop {
            let taking = place.guards.taking.lock().await;
            match place.store.lease(NAME, &name, TTL).await {
                Ok(lease) => {
                    place.guards.count.fetch_add(1, Relaxed);
                    break lease;
                }
                Err(StoreError::Held { holder, left }) => {
                    // A lease ends at most one TTL from now, unless the clock that wrote it was ahead.
                    if left > 2 * TTL || place.is_left_over(&holder) || place.is_dead(&holder, &self.process) {
                        place.store.evict(NAME, &holder).await?;
                        continue;
                    }
                    drop(taking);
                    if tokio::time::Instant::now() >= deadline || work.is_cancelled() {
                        let holder = shown_holder(&holder).to_owned();
                        return Err(StoreError::Held { holder, left });
                    }
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
                Err(error) => return Err(error),
            }
        };
        // Only now: until the lease is taken, those files show whether its previous holder is alive.
        place.swept.call_once(|| sweep(&place.folder));
        let renewing = tokio::spawn(renew(Arc::clone(&place), lease.clone()));
        Ok(WriteGuard { place, lease, renewing })
    }

    /// Returns the leases of a project, which are opened once.
    fn lock_of(&self, project: &Project) -> Result<Arc<ProjectLock>, StoreError> {
        let mut places = self.places.lock();
        // A folder that was deleted and created again is a different one.
        let own = format!("{FOLDER}/{}", alive_file(&self.process));
        let alive = unless_unreadable(project.dir().symlink_metadata(own))
            .map_err(|source| StoreError::Io { what: "the lock cannot be looked up", source })?;
        places.turns += 1;
        let turn = places.turns;
        if let Some((place, used)) = places.known.get_mut(project.root()).filter(|_| alive.is_some()) {
            *used = turn;
            return Ok(Arc::clone(place));
        }
        // Drop the old one first: it removes its file, which has the same name as the file of the new one.
        places.known.remove(project.root());
        places.close_idle();
        let place = Arc::new(ProjectLock::open(project, &self.process, &mut places.guards)?);
        places.known.insert(project.root().to_path_buf(), (Arc::clone(&place), turn));
        Ok(place)
    }
}

impl ProjectLock {
    fn open(
        project: &Project,
        process: &str,
        guards: &mut HashMap<(u64, u64), Weak<OwnGuards>>,
    ) -> Result<Self, StoreError> {
        let io = |what| move |source| StoreError::Io { what, source };
        // A link would redirect the locks, and the files written beside them, out of the project.
        let folder = open_folder(project, FOLDER).map_err(|error| {
            let source = std::io::Error::other(error);
            io("the folder of locks cannot be opened")(source)
        })?;
        let found = folder.dir_metadata().map_err(io("the folder of locks cannot be opened"))?;
        let store = FolderStore::within(&folder, Clock::system())?;
        let alive = folder.create(alive_file(process)).map_err(io("the lock cannot be opened"))?.into_std();
        // Not every file system can lock files; there, a lease that a dead process left expires by itself.
        let _ = alive.try_lock();
        guards.retain(|_, guards| guards.strong_count() > 0);
        let id = (found.dev(), found.ino());
        let guards_here = guards.get(&id).and_then(Weak::upgrade).unwrap_or_default();
        guards.insert(id, Arc::downgrade(&guards_here));
        Ok(Self { store, folder, process: process.to_owned(), _alive: alive, swept: Once::new(), guards: guards_here })
    }

    /// True if this process holds the lease, and no guard does. The caller must hold [`OwnGuards::taking`].
    fn is_left_over(&self, holder: &str) -> bool {
        process_of(holder) == Some(&self.process) && self.guards.count.load(Relaxed) == 0
    }

    /// True if the process that holds a lease is known to have died.
    fn is_dead(&self, holder: &str, own: &str) -> bool {
        let Some(process) = process_of(holder) else {
            return false;
        };
        let is_name =
            process.len() == own.len() && process.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        // A lock is conclusive only if both processes see the same locks: on one machine since its last start.
        let is_neighbour = process.split('-').next() == own.split('-').next();
        if process == own || !is_name || !is_neighbour {
            return false;
        }
        let (name, mut options) = (alive_file(process), OpenOptions::new());
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let Ok(file) = self.folder.open_with(&name, &options) else {
            return false;
        };
        match file.into_std().try_lock() {
            Ok(()) => {
                // The process that used this name is dead.
                let _ = self.folder.remove_file(&name);
                true
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        }
    }
}

/// Removes the files of dead processes. The caller must hold the lease, so that no dead process holds it.
fn sweep(folder: &Dir) {
    let Ok(entries) = folder.entries() else { return };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| name.starts_with(ALIVE)) {
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(&name, &options).map(cap_std::fs::File::into_std);
        // Keep the file locked until it is removed, so that a process that has just created it does not use it.
        if let Ok(file) = file
            && file.try_lock().is_ok()
        {
            let _ = folder.remove_file(&name);
        }
    }
}

/// Returns an identifier of this machine since its last start, as far as known. Locks of other machines may not be
/// visible here.
fn host() -> String {
    let started = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    crate::files::sha256(&started)[..8].to_owned()
}

impl Drop for ProjectLock {
    fn drop(&mut self) {
        // Best effort: a file that remains is empty and unlocked.
        let _ = self.folder.remove_file(alive_file(&self.process));
    }
}

/// Returns the name of the file that a living process keeps locked.
fn alive_file(process: &str) -> String {
    format!("{ALIVE}{process}")
}

/// Returns the part of a holder that is shown to people.
fn shown_holder(holder: &str) -> &str {
    holder.rsplit_once(PROCESS_SEPARATOR).map_or(holder, |(shown, _)| shown)
}

/// Returns the identifier of the process of a holder.
fn process_of(holder: &str) -> Option<&str> {
    holder.rsplit_once(PROCESS_SEPARATOR).map(|(_, process)| process)
}

/// Renews a lease until it is released or lost. The next write reports a lost lease, together with the paths written
/// before it.
async fn renew(place: Arc<ProjectLock>, lease: Lease) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        match place.store.renew(&lease, TTL).await {
            Ok(_) => {}
            Err(error @ StoreError::Lost) => {
                tracing::warn!(%error, "the write lease was lost before the work ended");
                return;
            }
            // The lease has not expired yet: try again.
            Err(error) => tracing::warn!(%error, "a write lease could not be renewed"),
        }
    }
}

impl WriteGuard {
    /// Runs work on this thread. Its writes through [`crate::atomic_write`] are refused once another process has held
    /// the lease.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Clears the lease of the thread, also after a panic: the thread will serve other calls.
        struct LeaseReset;
        impl Drop for LeaseReset {
            fn drop(&mut self) {
                WRITING.set(None);
            }
        }
        WRITING.set(Some(ThreadLease {
            place: Arc::clone(&self.place),
            lease: self.lease.clone(),
            written: Vec::new(),
        }));
        let _end = LeaseReset;
        work()
    }

    /// Releases the lease and returns once that is done, or has failed: then the next writer of this process takes it, and
    /// others wait until it expires.
    pub async fn release(self) {
        self.renewing.abort();
        if let Err(error) = self.place.store.release(&self.lease).await {
            tracing::warn!(%error, "a write lease could not be released");
        }
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        self.place.guards.count.fetch_sub(1, Relaxed);
        // After `release` nothing is left to do; otherwise the work was dropped half way.
        if self.renewing.is_finished() {
            return;
        }
        self.renewing.abort();
        let (place, lease) = (Arc::clone(&self.place), self.lease.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = place.store.release(&lease).await;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use tokio_util::sync::CancellationToken;

    use super::{Clock, FolderStore, ProjectLocks, Store as _, StoreError, WriteError};
    use crate::{
        atomic_write::{remove_file, replace},
        errors::UserError as _,
        project::Project,
    };

    const SOON: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn waiting_writer_learns_current_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let work = CancellationToken::new();
        let (one, other) = (ProjectLocks::new(SOON).expect("made"), ProjectLocks::new(SOON).expect("made"));
        let turn = one.acquire(&project, "session_1", &work).await.expect("free");
        for writers in [&one, &other] {
            match writers.acquire(&project, "session_2", &work).await {
                Err(StoreError::Held { holder, .. }) => assert_eq!(holder, "session_1"),
                other => panic!("{other:?}"),
            }
        }
        turn.release().await;
        let turn = other.acquire(&project, "session_2", &work).await.expect("given back");
        drop(turn);
        tokio::time::sleep(SOON).await;
        drop(one.acquire(&project, "session_3", &work).await.expect("dropped"));
    }

    #[tokio::test]
    async fn only_one_writer_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let all: Vec<_> = (0..4).map(|_| Arc::new(ProjectLocks::new(Duration::from_secs(20)).expect("made"))).collect();
        let inside = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let mut running = tokio::task::JoinSet::new();
        for at in 0..16 {
            let (writers, project, inside) = (Arc::clone(&all[at % 4]), Arc::clone(&project), Arc::clone(&inside));
            running.spawn(async move {
                let work = CancellationToken::new();
                let turn = writers.acquire(&project, "somebody", &work).await.expect("in time");
                assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                tokio::time::sleep(Duration::from_millis(2)).await;
                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                turn.release().await;
            });
        }
        while let Some(done) = running.join_next().await {
            done.expect("no panic");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn lost_lease_refuses_writes_and_lists_earlier_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let work = CancellationToken::new();
        let (slow, other) = (ProjectLocks::new(SOON).expect("made"), ProjectLocks::new(SOON).expect("made"));
        let lost = slow.acquire(&project, "the slow one", &work).await.expect("free");
        let (lost, project) = tokio::task::spawn_blocking(move || {
            lost.run(|| replace(&project, "a.md", b"slow")).expect("its turn");
            (lost, project)
        })
        .await
        .expect("no panic");
        // An evicted lease that no process has taken since does not prevent writes.
        let evicted = lost.place.store.evict(super::NAME, &lost.lease.holder).await;
        assert!(evicted.expect("a folder"));
        let turn = other.acquire(&project, "the other one", &work).await.expect("it ended");
        let refused = tokio::task::spawn_blocking(move || {
            lost.run(|| {
                let first = replace(&project, "a.md", b"slow").expect_err("the lease is lost");
                let removed = remove_file(&project, "a.md").expect_err("the lease is lost");
                (first, removed)
            })
        });
        let (first, removed) = refused.await.expect("no panic");
        for refused in [&first, &removed] {
            assert!(matches!(refused, WriteError::TurnLost { holder, .. } if holder == "the other one"), "{refused:?}");
            let lesson = refused.error_message();
            assert!(!lesson.message.en.contains('{') && !lesson.message.ja.contains('{'), "{lesson:?}");
        }
        assert_eq!(std::fs::read(folder.path().join("a.md")).expect("there"), b"slow");
        turn.release().await;
    }

    #[tokio::test]
    async fn lease_from_fast_clock_is_evicted() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let tomorrow = Clock::from_fn(|| std::time::SystemTime::now() + Duration::from_hours(24));
        let ahead = FolderStore::open(&folder.path().join(super::FOLDER), tomorrow).expect("a store");
        let holder = "session_1 #00000000-000000000000";
        ahead.lease(super::NAME, holder, super::TTL).await.expect("free");
        let writers = ProjectLocks::new(SOON).expect("made");
        let turn = writers.acquire(&project, "session_2", &CancellationToken::new()).await;
        turn.expect("no process renews that lease").release().await;
    }

    #[tokio::test]
    async fn lease_whose_release_failed_is_taken_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let (writers, work) = (ProjectLocks::new(Duration::from_secs(5)).expect("made"), CancellationToken::new());
        for is_dropped in [false, true] {
            let turn = writers.acquire(&project, "session_1", &work).await.expect("free");
            let mut locks = std::fs::read_dir(folder.path().join(super::FOLDER).join("locks")).expect("there");
            let lock = locks.next().expect("one").expect("readable").path();
            // A folder cannot be locked.
            std::fs::remove_file(&lock).expect("there");
            std::fs::create_dir(&lock).expect("free");
            if is_dropped {
                drop(turn);
                tokio::time::sleep(SOON).await;
            } else {
                turn.release().await;
            }
            std::fs::remove_dir(&lock).expect("empty");
        }
        drop(writers.acquire(&project, "session_2", &work).await.expect("released"));
    }

    #[tokio::test]
    async fn lease_is_not_left_over_while_a_guard_lives() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let (writers, work) = (ProjectLocks::new(SOON).expect("made"), CancellationToken::new());
        let turn = writers.acquire(&project, "session_1", &work).await.expect("free");
        let alive = folder.path().join(super::FOLDER).join(super::alive_file(&writers.process));
        // The project is opened again.
        std::fs::remove_file(alive).expect("there");
        let waited = writers.acquire(&project, "session_2", &work).await;
        assert!(matches!(waited, Err(StoreError::Held { .. })), "{waited:?}");
        turn.release().await;
    }

    #[tokio::test]
    async fn linked_lock_folder_is_refused() {
        let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        std::os::unix::fs::symlink(outside.path(), folder.path().join(".noveler")).expect("a link");
        let project = Project::open(folder.path()).expect("a project");
        let writers = ProjectLocks::new(SOON).expect("made");
        let refused = writers.acquire(&project, "somebody", &CancellationToken::new()).await;
        assert!(matches!(refused, Err(StoreError::Io { .. })), "{refused:?}");
        assert_eq!(std::fs::read_dir(outside.path()).expect("there").count(), 0);
    }
}
