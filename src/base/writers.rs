//! One writer for a project at a time, also where several processes serve the same folder: [`Writers`].
//!
//! Invariants: whoever has a [`Turn`] is the only one. A process that slept through the end of its turn changes no file once somebody
//! else has had the turn: each change that [`Turn::run`] makes is made under the lock of the lease, after a look at its number. The lease lies in the project (`.noveler/locks/`), so that every server that sees the folder sees the lease.
//! A process that died leaves a lease behind: while it lived it kept a file locked, and the system lets that lock go at once, so
//! that nobody waits for the dead. Where files cannot be locked, its lease ends by itself.
//!
//! Deliberately not here: the queue within a process, which is fair between callers ([`crate::pools`]).

use std::{
    cell::RefCell,
    collections::HashMap,
    fs::{self, TryLockError},
    path::PathBuf,
    sync::{Arc, Mutex, Once, PoisonError},
    time::Duration,
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    project::Project,
    store::{Clock, Lease, Store, StoreError, fs::Fs},
    writing::{WriteError, folder},
};

/// Where leases lie in a project.
const FOLDER: &str = ".noveler/locks";
/// The name of the one lease.
const NAME: &str = "write";
/// How the names of files begin that living processes keep locked.
const ALIVE: &str = "alive-";
/// How long a lease lives without being renewed (decision 15).
const TTL: Duration = Duration::from_secs(30);
/// How often it is renewed: two renewals may be missed.
const RENEWAL: Duration = Duration::from_secs(10);
/// How long a look at a taken lease rests before the next.
const REST: Duration = Duration::from_millis(50);
/// How many projects are kept ready to be written to. Each has five descriptors open.
const OPEN: usize = 32;
/// What stands between who holds a lease and the process that does.
const MARK: &str = " #";

/// Who writes to which project, as this process knows it.
#[derive(Debug)]
pub struct Writers {
    /// This process, in names of files.
    process: String,
    /// How long one waits for another's turn to end.
    wait: Duration,
    /// Std mutex: locked for single steps.
    places: Mutex<Places>,
}

/// The projects that were written to lately, and when: by count, not by time.
#[derive(Debug, Default)]
struct Places {
    known: HashMap<PathBuf, (Arc<Place>, u64)>,
    turns: u64,
}

impl Places {
    /// Closes the one that was not written to for longest, if there are many. One that somebody holds stays.
    fn make_room(&mut self) {
        if self.known.len() < OPEN {
            return;
        }
        let idle = self
            .known
            .iter()
            .filter(|(_, (place, _))| Arc::strong_count(place) == 1);
        let oldest = idle.min_by_key(|(_, (_, used))| *used).map(|(root, _)| root.clone());
        if let Some(root) = oldest {
            self.known.remove(&root);
        }
    }
}

/// The leases of one project.
#[derive(Debug)]
struct Place {
    store: Fs,
    /// Where locks lie. Held open: by its name it could be another one by now.
    folder: Dir,
    process: String,
    /// Locked for as long as this process lives.
    _alive: fs::File,
    /// That the files of dead processes were removed.
    swept: Once,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    place: Arc<Place>,
    lease: Lease,
    renewing: JoinHandle<()>,
}

/// The lease under which a thread writes, and what it has written.
struct Writing {
    place: Arc<Place>,
    lease: Lease,
    written: Vec<String>,
}

thread_local! {
    /// Of this thread, while [`Turn::run`] runs. Not an argument: every write of every tool would have to hand it down.
    static WRITING: RefCell<Option<Writing>> = const { RefCell::new(None) };
}

/// Makes a change of a file, unless this thread writes under a turn that somebody else has had since.
pub(crate) fn fenced<T>(path: &str, change: impl FnOnce() -> Result<T, WriteError>) -> Result<T, WriteError> {
    let Some(mut writing) = WRITING.take() else {
        return change();
    };
    let done = match writing.place.store.while_last(&writing.lease, change) {
        Ok(Ok(done)) => done,
        Ok(Err(holder)) => Err(WriteError::TurnLost {
            path: path.to_owned(),
            holder: shown(&holder).to_owned(),
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

impl Writers {
    /// Nobody writes yet. `wait` bounds how long one waits for a turn.
    pub fn new(wait: Duration) -> Result<Self, StoreError> {
        let mut bytes = [0; 6];
        getrandom::fill(&mut bytes).map_err(|error| StoreError::Io {
            what: "the system gives no random numbers",
            source: error.into(),
        })?;
        Ok(Self {
            process: format!("{}-{}", host(), &crate::files::sha256(&bytes)[..12]),
            wait,
            places: Mutex::default(),
        })
    }

    /// Waits for the turn to write to a project. `holder` is what others are told while it lasts. Ends early when `work` is cancelled.
    pub async fn turn(&self, project: &Project, holder: &str, work: &CancellationToken) -> Result<Turn, StoreError> {
        let place = self.place(project)?;
        let name = format!("{holder}{MARK}{}", self.process);
        let deadline = tokio::time::Instant::now() + self.wait;
        let lease = loop {
            match place.store.lease(NAME, &name, TTL).await {
                Ok(lease) => break lease,
                Err(StoreError::Held { holder, left }) => {
                    // A lease ends at most one TTL from now, unless the clock that wrote it was ahead.
                    if left > 2 * TTL || place.is_gone(&holder, &self.process) {
                        place.store.evict(NAME, &holder).await?;
                        continue;
                    }
                    if tokio::time::Instant::now() >= deadline || work.is_cancelled() {
                        let holder = shown(&holder).to_owned();
                        return Err(StoreError::Held { holder, left });
                    }
                    tokio::time::sleep(REST).await;
                }
                Err(error) => return Err(error),
            }
        };
        // Now: whose lease this was has been told by those files.
        place.swept.call_once(|| sweep(&place.folder));
        let renewing = tokio::spawn(renew(Arc::clone(&place), lease.clone()));
        Ok(Turn { place, lease, renewing })
    }

    /// The leases of a project, opened once.
    fn place(&self, project: &Project) -> Result<Arc<Place>, StoreError> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        // A folder that was deleted and made anew is another one.
        let own = format!("{FOLDER}/{}", alive(&self.process));
        let is_there = project.dir().symlink_metadata(own).is_ok();
        places.turns += 1;
        let turn = places.turns;
        if let Some((place, used)) = places.known.get_mut(project.root()).filter(|_| is_there) {
            *used = turn;
            return Ok(Arc::clone(place));
        }
        // The old one goes first: it takes its file with it, which has the name of the new one's.
        places.known.remove(project.root());
        places.make_room();
        let place = Arc::new(Place::open(project, &self.process)?);
        places
            .known
            .insert(project.root().to_path_buf(), (Arc::clone(&place), turn));
        Ok(place)
    }
}

impl Place {
    fn open(project: &Project, process: &str) -> Result<Self, StoreError> {
        let io = |what| move |source| StoreError::Io { what, source };
        // A link would lead the locks, and what is written beside them, out of the project.
        let folder = folder(project, FOLDER).map_err(|error| {
            let source = std::io::Error::other(error);
            io("the folder of locks cannot be opened")(source)
        })?;
        let store = Fs::within(&folder, Clock::system())?;
        let alive = folder
            .create(alive(process))
            .map_err(io("the lock cannot be opened"))?
            .into_std();
        // Not everywhere can files be locked; then a lease that a dead process left ends by itself.
        let _ = alive.try_lock();
        Ok(Self {
            store,
            folder,
            process: process.to_owned(),
            _alive: alive,
            swept: Once::new(),
        })
    }

    /// Whether the process that holds a lease is known to have died.
    fn is_gone(&self, holder: &str, own: &str) -> bool {
        let Some((_, process)) = holder.rsplit_once(MARK) else {
            return false;
        };
        let is_name =
            process.len() == own.len() && process.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        // A lock says something only where both see the same locks: on one machine since its last start.
        let is_neighbour = process.split('-').next() == own.split('-').next();
        if process == own || !is_name || !is_neighbour {
            return false;
        }
        let (name, mut options) = (alive(process), OpenOptions::new());
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let Ok(file) = self.folder.open_with(&name, &options) else {
            return false;
        };
        match file.into_std().try_lock() {
            Ok(()) => {
                // Nobody has that name any more.
                let _ = self.folder.remove_file(&name);
                true
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        }
    }
}

/// Removes the files of processes that died. Who does it has the lease, so that none of them does.
fn sweep(folder: &Dir) {
    let Ok(entries) = folder.entries() else { return };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| name.starts_with(ALIVE)) {
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(&name, &options).map(cap_std::fs::File::into_std);
        // Locked until it is gone, so that nobody who has just made it takes it for their own.
        if let Ok(file) = file
            && file.try_lock().is_ok()
        {
            let _ = folder.remove_file(&name);
        }
    }
}

/// This machine since its last start, so far as that can be told: others' locks may not be seen here.
fn host() -> String {
    let started = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    crate::files::sha256(&started)[..8].to_owned()
}

impl Drop for Place {
    fn drop(&mut self) {
        // Best effort: what stays is an empty file that nobody keeps locked.
        let _ = self.folder.remove_file(alive(&self.process));
    }
}

/// The file that a living process keeps locked.
fn alive(process: &str) -> String {
    format!("{ALIVE}{process}")
}

/// A holder as people are told of it.
fn shown(holder: &str) -> &str {
    holder.rsplit_once(MARK).map_or(holder, |(shown, _)| shown)
}

/// Renews a lease until it is given back or lost. What is lost is told by the next write, which says what was written before it.
async fn renew(place: Arc<Place>, lease: Lease) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        match place.store.renew(&lease, TTL).await {
            Ok(_) => {}
            Err(error @ StoreError::Lost) => {
                tracing::warn!(%error, "the turn to write ended before the work");
                return;
            }
            // There is time for another try.
            Err(error) => tracing::warn!(%error, "a turn to write could not be renewed"),
        }
    }
}

impl Turn {
    /// Does work on this thread. What it writes with [`crate::writing`] is refused once somebody else has had the turn.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Also after a panic: the thread serves others.
        struct End;
        impl Drop for End {
            fn drop(&mut self) {
                WRITING.set(None);
            }
        }
        WRITING.set(Some(Writing {
            place: Arc::clone(&self.place),
            lease: self.lease.clone(),
            written: Vec::new(),
        }));
        let _end = End;
        work()
    }

    /// Gives it back, before the next one is told.
    pub async fn end(self) {
        self.renewing.abort();
        if let Err(error) = self.place.store.release(&self.lease).await {
            tracing::warn!(%error, "a turn to write could not be given back; it ends by itself");
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // After `end` this is nothing; else the work was dropped half way.
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

    use super::{Clock, Fs, Store as _, StoreError, WriteError, Writers};
    use crate::{
        errors::Teach as _,
        project::Project,
        writing::{remove_file, replace},
    };

    const SOON: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn one_writes_and_others_are_told_who() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let work = CancellationToken::new();
        let (one, other) = (Writers::new(SOON).expect("made"), Writers::new(SOON).expect("made"));
        let turn = one.turn(&project, "session_1", &work).await.expect("free");
        for writers in [&one, &other] {
            match writers.turn(&project, "session_2", &work).await {
                Err(StoreError::Held { holder, .. }) => assert_eq!(holder, "session_1"),
                other => panic!("{other:?}"),
            }
        }
        turn.end().await;
        let turn = other.turn(&project, "session_2", &work).await.expect("given back");
        drop(turn);
        tokio::time::sleep(SOON).await;
        one.turn(&project, "session_3", &work).await.expect("dropped");
    }

    #[tokio::test]
    async fn of_many_one_at_a_time_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let all: Vec<_> = (0..4)
            .map(|_| Arc::new(Writers::new(Duration::from_secs(20)).expect("made")))
            .collect();
        let inside = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let mut running = tokio::task::JoinSet::new();
        for at in 0..16 {
            let (writers, project, inside) = (Arc::clone(&all[at % 4]), Arc::clone(&project), Arc::clone(&inside));
            running.spawn(async move {
                let work = CancellationToken::new();
                let turn = writers.turn(&project, "somebody", &work).await.expect("in time");
                assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                tokio::time::sleep(Duration::from_millis(2)).await;
                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                turn.end().await;
            });
        }
        while let Some(done) = running.join_next().await {
            done.expect("no panic");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_turn_that_is_lost_writes_no_more_and_says_what_it_wrote() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let work = CancellationToken::new();
        let (slow, other) = (Writers::new(SOON).expect("made"), Writers::new(SOON).expect("made"));
        let lost = slow.turn(&project, "the slow one", &work).await.expect("free");
        let (lost, project) = tokio::task::spawn_blocking(move || {
            lost.run(|| replace(&project, "a.md", b"slow")).expect("its turn");
            (lost, project)
        })
        .await
        .expect("no panic");
        // An end that nobody used takes nothing away.
        let evicted = lost.place.store.evict(super::NAME, &lost.lease.holder).await;
        assert!(evicted.expect("a folder"));
        let turn = other.turn(&project, "the other one", &work).await.expect("it ended");
        let refused = tokio::task::spawn_blocking(move || {
            lost.run(|| {
                let first = replace(&project, "a.md", b"slow").expect_err("it has gone on");
                let removed = remove_file(&project, "a.md").expect_err("it has gone on");
                (first, removed)
            })
        });
        let (first, removed) = refused.await.expect("no panic");
        for refused in [&first, &removed] {
            assert!(
                matches!(refused, WriteError::TurnLost { holder, .. } if holder == "the other one"),
                "{refused:?}"
            );
            let lesson = refused.lesson();
            assert!(
                !lesson.message.en.contains('{') && !lesson.message.ja.contains('{'),
                "{lesson:?}"
            );
        }
        assert_eq!(std::fs::read(folder.path().join("a.md")).expect("there"), b"slow");
        turn.end().await;
    }

    #[tokio::test]
    async fn a_lease_of_a_clock_that_was_ahead_blocks_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let tomorrow = Clock::of(|| std::time::SystemTime::now() + Duration::from_hours(24));
        let ahead = Fs::open(&folder.path().join(super::FOLDER), tomorrow).expect("a store");
        let holder = "session_1 #00000000-000000000000";
        ahead.lease(super::NAME, holder, super::TTL).await.expect("free");
        let writers = Writers::new(SOON).expect("made");
        let turn = writers.turn(&project, "session_2", &CancellationToken::new()).await;
        turn.expect("nobody renews that lease").end().await;
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_in_the_place_of_the_locks_is_refused() {
        let (folder, outside) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        std::os::unix::fs::symlink(outside.path(), folder.path().join(".noveler")).expect("a link");
        let project = Project::open(folder.path()).expect("a project");
        let writers = Writers::new(SOON).expect("made");
        let refused = writers.turn(&project, "somebody", &CancellationToken::new()).await;
        assert!(matches!(refused, Err(StoreError::Io { .. })), "{refused:?}");
        assert_eq!(std::fs::read_dir(outside.path()).expect("there").count(), 0);
    }
}
