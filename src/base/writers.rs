//! One writer for a project at a time, also where several processes serve the same folder: [`Writers`].
//!
//! Invariants: whoever has a [`Turn`] is the only one; a turn that is lost (the process slept, the folder went away) cancels the
//! work that holds it. The lease lies in the project (`.noveler/locks/`), so that every server that sees the folder sees the lease.
//! A process that died leaves a lease behind: while it lived it kept a file locked, and the system lets that lock go at once, so
//! that nobody waits for the dead. Where files cannot be locked, its lease ends by itself.
//!
//! Deliberately not here: the queue within a process, which is fair between callers ([`crate::pools`]).

use std::{
    collections::HashMap,
    fs::{self, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    project::Project,
    store::{Clock, Lease, Store, StoreError, fs::Fs},
};

/// Where leases lie in a project.
const FOLDER: &str = ".noveler/locks";
/// The name of the one lease.
const NAME: &str = "write";
/// How long a lease lives without being renewed (decision 15).
const TTL: Duration = Duration::from_secs(30);
/// How often it is renewed: two renewals may be missed.
const RENEWAL: Duration = Duration::from_secs(10);
/// How long a look at a taken lease rests before the next.
const REST: Duration = Duration::from_millis(50);
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
    places: Mutex<HashMap<PathBuf, Arc<Place>>>,
}

/// The leases of one project.
#[derive(Debug)]
struct Place {
    store: Fs,
    folder: PathBuf,
    process: String,
    /// Locked for as long as this process lives.
    _alive: fs::File,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    place: Arc<Place>,
    lease: Lease,
    renewing: JoinHandle<()>,
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

    /// Waits for the turn to write to a project. `holder` is what others are told while it lasts; `work` is cancelled when the
    /// turn is lost. Ends early when `work` is cancelled.
    pub async fn turn(&self, project: &Project, holder: &str, work: &CancellationToken) -> Result<Turn, StoreError> {
        let place = self.place(project)?;
        let name = format!("{holder}{MARK}{}", self.process);
        let deadline = tokio::time::Instant::now() + self.wait;
        let lease = loop {
            match place.store.lease(NAME, &name, TTL).await {
                Ok(lease) => break lease,
                Err(StoreError::Held { holder, left }) => {
                    if place.is_gone(&holder, &self.process) {
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
        let renewing = tokio::spawn(renew(Arc::clone(&place), lease.clone(), work.clone()));
        Ok(Turn { place, lease, renewing })
    }

    /// The leases of a project, opened once.
    fn place(&self, project: &Project) -> Result<Arc<Place>, StoreError> {
        let known = |places: &HashMap<PathBuf, Arc<Place>>| places.get(project.root()).cloned();
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        // A folder that was deleted and made anew is another one.
        if let Some(place) = known(&places).filter(|place| place.folder.join(alive(&self.process)).exists()) {
            return Ok(place);
        }
        // The old one goes first: it takes its file with it, which has the name of the new one's.
        places.remove(project.root());
        let place = Arc::new(Place::open(project, &self.process)?);
        places.insert(project.root().to_path_buf(), Arc::clone(&place));
        Ok(place)
    }
}

impl Place {
    fn open(project: &Project, process: &str) -> Result<Self, StoreError> {
        let io = |what| move |source| StoreError::Io { what, source };
        let mut way = PathBuf::new();
        for part in Path::new(FOLDER).components() {
            way.push(part);
            // A link would lead the locks, and what is written beside them, out of the project.
            match project.dir().symlink_metadata(&way) {
                Ok(metadata) if !metadata.is_dir() => {
                    let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
                    return Err(io("the folder of locks is a link or a file")(source));
                }
                _ => {}
            }
        }
        let folder = project.root().join(FOLDER);
        let store = Fs::open(&folder, Clock::system())?;
        let alive = fs::File::create(folder.join(alive(process))).map_err(io("the lock cannot be opened"))?;
        // Not everywhere can files be locked; then a lease that a dead process left ends by itself.
        let _ = alive.try_lock();
        Ok(Self {
            store,
            folder,
            process: process.to_owned(),
            _alive: alive,
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
        let path = self.folder.join(alive(process));
        let Ok(file) = fs::OpenOptions::new().write(true).open(&path) else {
            return false;
        };
        match file.try_lock() {
            Ok(()) => {
                // Nobody has that name any more.
                let _ = fs::remove_file(&path);
                true
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
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
        let _ = fs::remove_file(self.folder.join(alive(&self.process)));
    }
}

/// The file that a living process keeps locked.
fn alive(process: &str) -> String {
    format!("alive-{process}")
}

/// A holder as people are told of it.
fn shown(holder: &str) -> &str {
    holder.rsplit_once(MARK).map_or(holder, |(shown, _)| shown)
}

/// Renews a lease until it is given back; one that is lost cancels the work.
async fn renew(place: Arc<Place>, lease: Lease, work: CancellationToken) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        if let Err(error) = place.store.renew(&lease, TTL).await {
            tracing::warn!(%error, "the turn to write was lost");
            work.cancel();
            return;
        }
    }
}

impl Turn {
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

    use super::{StoreError, Writers};
    use crate::project::Project;

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
