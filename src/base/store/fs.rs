//! The store in a folder: one file for each entry, shared by all processes that open the folder.
//!
//! Invariants: an entry is written to a temporary file, flushed, renamed into place, and the folder is flushed, so that
//! a crash leaves the old or the new value and at most an unfinished file that [`Store::sweep`] removes. Every file is
//! read and written under the lock of its stripe, which other processes respect too. Foreign files in the folder are
//! skipped and reported.
//!
//! Deliberately not here: network file systems without locks, and a cache: values written by another process are
//! visible at once.

use std::{
    fs::{self, DirBuilder, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, DirBuilderExt as _, MetadataExt as _, OpenOptions, OpenOptionsExt as _, Permissions};
use parking_lot::RwLock;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::{
    Clock, ExpectedState, Expiry, ForeignFile, KeyListing, Lease, Store, StoreError, StoredEntry, SweepReport, Version,
    check_key, check_value,
    names::{common_prefix, name_of},
    random,
    record::{EXPIRY_AT, LARGEST, StoreRecord, expiry},
};

/// The number of locks that the files are spread over: enough that flushes of different entries do not wait for each
/// other.
const STRIPES: u8 = 16;
/// The maximum time that an operation waits for another process. Operations take milliseconds; a process that takes
/// this long is stopped, or blocked by its disk.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum interval between two attempts to take a lock.
const REST: Duration = Duration::from_millis(16);
/// The prefix of unfinished files. No entry's name begins with a dot.
const UNFINISHED: &str = ".new-";

/// A store in a folder, shared by all processes that open it.
#[derive(Debug)]
pub struct FolderStore {
    clock: Clock,
    /// The path of the store's folder; `None` if only its handle is known.
    place: Option<PathBuf>,
    /// Locked only to copy or to replace the folders.
    folders: RwLock<StoreFolders>,
    /// One mutex for each stripe, which queues the operations of this process in order; locks of other processes are
    /// polled.
    turns: Vec<Arc<Mutex<()>>>,
    patience: Duration,
}

/// The folders of a store, with open handles.
#[derive(Clone, Debug)]
struct StoreFolders {
    entries: Arc<Dir>,
    leases: Arc<Dir>,
    locks: Arc<Dir>,
    /// Device and inode of the folder that contains them.
    id: (u64, u64),
}

/// The lock of a stripe, released on drop.
#[derive(Debug)]
struct StripeLock {
    /// The locked file. Closing it unlocks it.
    _file: fs::File,
    // Dropped after the file, so that the next operation of this process finds it unlocked.
    _turn: OwnedMutexGuard<()>,
}

impl FolderStore {
    /// Opens a folder as a store, for its owner alone; creates it if it is missing. Fails if the folder is not
    /// writable.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, StoreError> {
        let store = Self::within(&open_or_create(folder)?, clock)?;
        // Absolute: the working folder may change.
        let place =
            fs::canonicalize(folder).map_err(|source| StoreError::Io { what: "cannot open the folder", source })?;
        Ok(Self { place: Some(place), ..store })
    }

    /// Opens a store in a folder that is already open.
    pub(crate) fn within(folder: &Dir, clock: Clock) -> Result<Self, StoreError> {
        Ok(Self {
            clock,
            place: None,
            folders: RwLock::new(StoreFolders::open(folder)?),
            turns: (0..STRIPES).map(|_| Arc::default()).collect(),
            patience: PATIENCE,
        })
    }

    /// Returns the folders. If the store's folder was removed or replaced by another one, it is created or opened
    /// again.
    fn folders(&self) -> Result<StoreFolders, StoreError> {
        let known = self.folders.read().clone();
        let is_there = |place: &PathBuf| {
            let folder = fs::metadata(place);
            folder.is_ok_and(|folder| (folder.dev(), folder.ino()) == known.id)
        };
        match &self.place {
            Some(place) if !is_there(place) => {
                let mut folders = self.folders.write();
                tracing::warn!("the state folder was replaced; opening the new one");
                *folders = StoreFolders::open(&open_or_create(place)?)?;
                Ok(folders.clone())
            }
            _ => Ok(known),
        }
    }
}

/// Opens a folder; creates it if it is missing.
fn open_or_create(folder: &Path) -> Result<Dir, StoreError> {
    let io = |what| move |source| StoreError::Io { what, source };
    // Parents too: other users must not read a state folder.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(io("cannot create the folder"))?;
    let handle = fs::File::open(folder).map_err(io("cannot open the folder"))?;
    Ok(Dir::from_std_file(handle))
}

/// The folder of a store that contains a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoreFolder {
    Entries,
    Leases,
}

impl StoreFolders {
    fn dir(&self, folder: StoreFolder) -> Arc<Dir> {
        Arc::clone(match folder {
            StoreFolder::Entries => &self.entries,
            StoreFolder::Leases => &self.leases,
        })
    }

    /// Opens the folders of a store; creates them if they are missing. Fails if they are not writable.
    fn open(folder: &Dir) -> Result<Self, StoreError> {
        let io = |what| move |source| StoreError::Io { what, source };
        let mut own = cap_std::fs::DirBuilder::new();
        own.mode(0o700);
        let inner = |name: &str| {
            match folder.create_dir_with(name, &own) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(io("cannot create the folder")(error));
                }
                _ => {}
            }
            // Opened for reading, which `Dir` itself does not do: otherwise it cannot be flushed.
            let handle = folder.open(name).map_err(io("cannot open the folder"))?;
            Ok(Arc::new(Dir::from_std_file(handle.into_std())))
        };
        let id = folder.dir_metadata().map_err(io("cannot open the folder"))?;
        let folders = Self {
            entries: inner("entries")?,
            leases: inner("leases")?,
            locks: inner("locks")?,
            id: (id.dev(), id.ino()),
        };
        // The folder may have been created before this rule existed.
        let own = Permissions::from_std(fs::Permissions::from_mode(0o700));
        folder.set_permissions(".", own).map_err(io("cannot set the permissions of the folder"))?;
        for dir in [&folders.entries, &folders.leases] {
            let probe = temp_name("probe")?;
            write_new(dir, &probe, b"").map_err(io("cannot write to the folder"))?;
            // A leftover is swept, and a sweep of another process may have removed it already.
            let _ = dir.remove_file(&probe);
        }
        Ok(folders)
    }
}

impl FolderStore {
    #[cfg(test)]
    pub(super) fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Waits for the lock of a stripe.
    async fn lock(&self, stripe: u8) -> Result<StripeLock, StoreError> {
        let turn = Arc::clone(&self.turns[usize::from(stripe)]).lock_owned().await;
        let io = |source| StoreError::Io { what: "the lock cannot be opened", source };
        let mut options = OpenOptions::new();
        options.write(true).create(true).mode(0o600);
        let file = self.folders()?.locks.open_with(format!("{stripe:x}"), &options).map_err(io)?.into_std();
        let deadline = tokio::time::Instant::now() + self.patience;
        let mut rest = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => {
                    return Ok(StripeLock { _file: file, _turn: turn });
                }
                Err(TryLockError::Error(source)) => return Err(io(source)),
                Err(TryLockError::WouldBlock) if tokio::time::Instant::now() >= deadline => {
                    return Err(StoreError::Locked);
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(rest).await,
            }
            rest = (rest * 2).min(REST);
        }
    }

    /// Runs work on one file under its lock, on a thread that may block. The work completes even if its caller is
    /// dropped: it is never half done.
    async fn with_lock<T: Send + 'static>(
        &self,
        folder: StoreFolder,
        key: &str,
        work: impl FnOnce(&LockedFile) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        check_key(key)?;
        let slot = self.slot(folder, key)?;
        let locked = self.lock(slot.stripe).await?;
        blocking(move || {
            let _locked = locked;
            work(&slot)
        })
        .await
    }

    fn slot(&self, folder: StoreFolder, key: &str) -> Result<LockedFile, StoreError> {
        let name = name_of(key);
        Ok(LockedFile {
            dir: self.folders()?.dir(folder),
            clock: self.clock.clone(),
            is_entry: folder == StoreFolder::Entries,
            key: key.to_owned(),
            stripe: stripe_of(&name),
            name,
        })
    }

    /// Runs work unless the lease was granted to another holder since, who is then the inner error. The lease cannot be
    /// granted to another holder while the work runs, since its lock is held. An expired lease is accepted. Blocks:
    /// must be called on a thread that may block, within a runtime.
    pub(crate) fn run_under_lease<T>(
        &self,
        lease: &Lease,
        work: impl FnOnce() -> T,
    ) -> Result<Result<T, String>, StoreError> {
        let slot = self.slot(StoreFolder::Leases, &lease.name)?;
        let _locked = tokio::runtime::Handle::current().block_on(self.lock(slot.stripe))?;
        Ok(match slot.granted()? {
            Some(granted) if granted.fence == lease.fence => Ok(work()),
            Some(granted) => Err(granted.holder),
            None => Err(String::new()),
        })
    }

    /// Visits the files of a folder whose names have a prefix, each under its lock.
    async fn visit<T: Send + 'static>(
        &self,
        folder: StoreFolder,
        beginning: String,
        work: impl Fn(&LockedFile, &mut T) -> Result<(), StoreError> + Clone + Send + 'static,
        mut found: T,
    ) -> Result<T, StoreError> {
        let all = self.folders()?.dir(folder);
        let dir = Arc::clone(&all);
        let names = blocking(move || file_names(&dir, &beginning)).await?;
        for stripe in 0..STRIPES {
            let mine: Vec<String> = names.iter().filter(|name| stripe_of(name) == stripe).cloned().collect();
            if mine.is_empty() {
                continue;
            }
            let locked = self.lock(stripe).await?;
            let is_entry = folder == StoreFolder::Entries;
            let (dir, clock, work) = (Arc::clone(&all), self.clock.clone(), work.clone());
            found = blocking(move || {
                let _locked = locked;
                for name in mine {
                    let slot = LockedFile {
                        dir: Arc::clone(&dir),
                        clock: clock.clone(),
                        is_entry,
                        key: String::new(),
                        name,
                        stripe,
                    };
                    work(&slot, &mut found)?;
                }
                Ok(found)
            })
            .await?;
        }
        Ok(found)
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|source| StoreError::Io { what: "the work on a file ended early", source: io::Error::other(source) })?
}

/// Returns the names in a folder that have a prefix; an empty prefix includes unfinished files.
fn file_names(dir: &Dir, beginning: &str) -> Result<Vec<String>, StoreError> {
    let io = |source| StoreError::Io { what: "the folder cannot be listed", source };
    let mut names = Vec::new();
    for entry in dir.entries().map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        // A name that is not text is foreign, and shown as far as possible.
        let name = name.to_string_lossy().into_owned();
        if name.starts_with(beginning) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the stripe of a file. It depends on the name only, so that files can be visited stripe by stripe. The name
/// of an unfinished file contains its stripe.
fn stripe_of(name: &str) -> u8 {
    let written = name.strip_prefix(UNFINISHED).and_then(|rest| rest.chars().next());
    if let Some(stripe) = written.and_then(|digit| digit.to_digit(16)) {
        return u8::try_from(stripe).unwrap_or_default() % STRIPES;
    }
    Sha256::digest(name.as_bytes())[0] % STRIPES
}

/// Returns a new name for an unfinished file.
fn temp_name(stripe: &str) -> Result<String, StoreError> {
    Ok(format!("{UNFINISHED}{stripe}-{:016x}", random()?))
}

fn write_new(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = dir.open_with(name, &options)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// One file under its lock.
struct LockedFile {
    dir: Arc<Dir>,
    clock: Clock,
    /// True if the file is removed when it expires; the file of a lease stays.
    is_entry: bool,
    /// The key of the file; empty when files are visited.
    key: String,
    name: String,
    stripe: u8,
}

/// The content found in a file's place.
enum SlotContent {
    Nothing,
    Record(StoreRecord),
    /// Something that is not an entry, and the reason.
    Foreign(&'static str),
}

impl LockedFile {
    /// Reads the file, expired or not.
    fn read(&self) -> Result<SlotContent, StoreError> {
        if !self.name.is_ascii() {
            return Ok(SlotContent::Foreign("its name is not that of an entry"));
        }
        let io = |source| StoreError::Io { what: "an entry cannot be read", source };
        let mut options = OpenOptions::new();
        // A link leads elsewhere and a pipe would wait for a writer: neither belongs to the store.
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = match self.dir.open_with(&self.name, &options) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SlotContent::Nothing),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(SlotContent::Foreign("it may not be read"));
            }
            // The system's error for a link depends on the system.
            Err(error) => match self.dir.symlink_metadata(&self.name) {
                Ok(metadata) if !metadata.is_file() => return Ok(SlotContent::Foreign("not a file")),
                _ => return Err(io(error)),
            },
        };
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Ok(SlotContent::Foreign("not a file"));
        }
        let mut bytes = Vec::new();
        // One byte more than the maximum, to detect a longer file.
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(io)?;
        Ok(match StoreRecord::parse(&bytes) {
            Ok(record) if name_of(&record.key) == self.name => SlotContent::Record(record),
            Ok(_) => SlotContent::Foreign("its name belongs to another key"),
            Err(reason) => SlotContent::Foreign(reason),
        })
    }

    /// Returns the entry of the key unless it has expired. A foreign file counts as absent, and is logged.
    fn read_unexpired(&self) -> Result<Option<StoreRecord>, StoreError> {
        Ok(match self.read()? {
            SlotContent::Record(record) if !record.expires.is_expired(&self.clock) => Some(record),
            SlotContent::Record(_) | SlotContent::Nothing => None,
            SlotContent::Foreign(reason) => {
                tracing::warn!(
                    file = self.name,
                    reason,
                    "a foreign file in the store was skipped; remove it if it is not needed"
                );
                None
            }
        })
    }

    /// Writes a value atomically.
    fn write(&self, value: Vec<u8>, expires: Expiry) -> Result<Version, StoreError> {
        let io = |source| StoreError::Io { what: "an entry cannot be written", source };
        let version = Version(random()?);
        let record = StoreRecord { key: self.key.clone(), value, version, expires };
        let unfinished = temp_name(&format!("{:x}", self.stripe))?;
        let written = write_new(&self.dir, &unfinished, &record.bytes())
            .and_then(|()| self.dir.rename(&unfinished, &self.dir, &self.name));
        if let Err(error) = written {
            // Best effort: a leftover is swept.
            let _ = self.dir.remove_file(&unfinished);
            return Err(io(error));
        }
        self.flush().map_err(io)?;
        Ok(version)
    }

    fn remove(&self) -> Result<(), StoreError> {
        self.dir
            .remove_file(&self.name)
            .and_then(|()| self.flush())
            .map_err(|source| StoreError::Io { what: "an entry cannot be removed", source })
    }

    /// Flushes the folder, so that its changes last.
    fn flush(&self) -> io::Result<()> {
        self.dir.try_clone()?.into_std_file().sync_all()
    }

    /// Changes the expiry in place. Not flushed: losing the change in a power cut only makes an entry expire earlier,
    /// since the 16 bytes lie in one sector.
    fn set_expiry(&self, expires: Expiry) -> Result<(), StoreError> {
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No);
        let write = || -> io::Result<()> {
            let mut file = self.dir.open_with(&self.name, &options)?;
            file.seek(SeekFrom::Start(EXPIRY_AT))?;
            file.write_all(expiry(expires).as_bytes())
        };
        write().map_err(|source| StoreError::Io { what: "an entry's expiry cannot be changed", source })
    }
}

/// The content of a lease's file. It stays after the lease is released, so that the number keeps growing.
struct LeaseRecord {
    fence: u64,
    holder: String,
    expires: Expiry,
}

impl LockedFile {
    fn granted(&self) -> Result<Option<LeaseRecord>, StoreError> {
        let (reason, record) = match self.read()? {
            SlotContent::Nothing => return Ok(None),
            SlotContent::Foreign(reason) => (reason, None),
            SlotContent::Record(record) => ("not a lease", Some(record)),
        };
        let granted = record.and_then(|record| {
            let text = std::str::from_utf8(&record.value).ok()?;
            let (fence, holder) = text.split_once('\n')?;
            Some(LeaseRecord { fence: fence.parse().ok()?, holder: holder.to_owned(), expires: record.expires })
        });
        Ok(Some(granted.unwrap_or_else(|| {
            // The last number is unknown. The current holder loses the lease; the next number is far above any that was
            // counted up from 1.
            tracing::warn!(file = self.name, reason, "the file of a lease cannot be read; starting a new one");
            LeaseRecord { fence: self.clock.now(), holder: String::new(), expires: Expiry(Some(0)) }
        })))
    }

    fn grant(&self, fence: u64, holder: &str, ttl: Duration) -> Result<Lease, StoreError> {
        let end = self.clock.end(ttl);
        let written = self.write(format!("{fence}\n{holder}").into_bytes(), end);
        if written.is_err() {
            // It may have been written nevertheless, unknown to its holder: expire it now, best effort.
            let _ = self.set_expiry(Expiry(Some(0)));
        }
        written?;
        Ok(Lease {
            name: self.key.clone(),
            holder: holder.to_owned(),
            fence,
            expires: end.time().unwrap_or(SystemTime::UNIX_EPOCH),
        })
    }
}

#[async_trait]
impl Store for FolderStore {
    fn is_persistent(&self) -> bool {
        true
    }

    async fn get(&self, key: &str) -> Result<Option<StoredEntry>, StoreError> {
        self.with_lock(StoreFolder::Entries, key, |slot| {
            Ok(slot.read_unexpired()?.map(|record| StoredEntry {
                value: record.value,
                version: record.version,
                expires: record.expires.time(),
            }))
        })
        .await
    }

    async fn put(
        &self,
        key: &str,
        value: Vec<u8>,
        expect: ExpectedState,
        ttl: Option<Duration>,
    ) -> Result<Version, StoreError> {
        check_value(&value)?;
        self.with_lock(StoreFolder::Entries, key, move |slot| {
            expect.check(slot.read_unexpired()?.map(|record| record.version))?;
            slot.write(value, Expiry::after(&slot.clock, ttl))
        })
        .await
    }

    async fn touch(&self, key: &str, ttl: Option<Duration>) -> Result<bool, StoreError> {
        self.with_lock(StoreFolder::Entries, key, move |slot| {
            if slot.read_unexpired()?.is_none() {
                return Ok(false);
            }
            slot.set_expiry(Expiry::after(&slot.clock, ttl))?;
            Ok(true)
        })
        .await
    }

    async fn delete(&self, key: &str, expect: ExpectedState) -> Result<bool, StoreError> {
        self.with_lock(StoreFolder::Entries, key, move |slot| {
            let current = slot.read_unexpired()?.map(|record| record.version);
            expect.check(current)?;
            if current.is_some() {
                slot.remove()?;
            }
            Ok(current.is_some())
        })
        .await
    }

    async fn list(&self, prefix: &str) -> Result<KeyListing, StoreError> {
        let wanted = prefix.to_owned();
        let look = move |slot: &LockedFile, listing: &mut KeyListing| {
            match slot.read()? {
                SlotContent::Record(record)
                    if !record.expires.is_expired(&slot.clock) && record.key.starts_with(&wanted) =>
                {
                    listing.keys.push(record.key);
                }
                SlotContent::Record(_) | SlotContent::Nothing => {}
                // Unfinished files are being written right now, or left for `sweep`.
                SlotContent::Foreign(_) if slot.name.starts_with(UNFINISHED) => {}
                SlotContent::Foreign(reason) => listing.skipped.push(ForeignFile { name: slot.name.clone(), reason }),
            }
            Ok(())
        };
        let mut listing = self.visit(StoreFolder::Entries, common_prefix(prefix), look, KeyListing::default()).await?;
        listing.keys.sort();
        listing.skipped.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    async fn lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Lease, StoreError> {
        check_key(holder)?;
        let holder = holder.to_owned();
        self.with_lock(StoreFolder::Leases, name, move |slot| {
            let last = match slot.granted()? {
                Some(granted) if !granted.expires.is_expired(&slot.clock) => {
                    return Err(StoreError::Held {
                        left: granted.expires.remaining(&slot.clock),
                        holder: granted.holder,
                    });
                }
                Some(granted) => granted.fence,
                None => 0,
            };
            slot.grant(last.saturating_add(1), &holder, ttl)
        })
        .await
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease, StoreError> {
        let lease = lease.clone();
        self.with_lock(StoreFolder::Leases, &lease.name.clone(), move |slot| {
            match slot.granted()? {
                Some(granted) if granted.fence == lease.fence && !granted.expires.is_expired(&slot.clock) => {}
                _ => return Err(StoreError::Lost),
            }
            let end = slot.clock.end(ttl);
            slot.set_expiry(end)?;
            Ok(Lease { expires: end.time().unwrap_or(SystemTime::UNIX_EPOCH), ..lease })
        })
        .await
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        let fence = lease.fence;
        self.with_lock(StoreFolder::Leases, &lease.name, move |slot| match slot.granted()? {
            Some(granted) if granted.fence == fence => slot.set_expiry(Expiry(Some(0))),
            _ => Ok(()),
        })
        .await
    }

    async fn evict(&self, name: &str, holder: &str) -> Result<bool, StoreError> {
        let holder = holder.to_owned();
        self.with_lock(StoreFolder::Leases, name, move |slot| match slot.granted()? {
            Some(granted) if granted.holder == holder && !granted.expires.is_expired(&slot.clock) => {
                slot.set_expiry(Expiry(Some(0)))?;
                Ok(true)
            }
            _ => Ok(false),
        })
        .await
    }

    async fn sweep(&self) -> Result<SweepReport, StoreError> {
        let clear = |slot: &LockedFile, swept: &mut SweepReport| {
            let mut skip = |reason| {
                swept.skipped.push(ForeignFile { name: slot.name.clone(), reason });
            };
            if slot.name.starts_with(UNFINISHED) {
                // Under the stripe's lock no process is writing it.
                match slot.remove() {
                    Ok(()) => swept.leftovers += 1,
                    Err(_) => skip("it cannot be removed"),
                }
                return Ok(());
            }
            match slot.read()? {
                SlotContent::Record(record) if slot.is_entry && record.expires.is_expired(&slot.clock) => {
                    slot.remove()?;
                    swept.expired += 1;
                }
                SlotContent::Record(_) | SlotContent::Nothing => {}
                SlotContent::Foreign(reason) => skip(reason),
            }
            Ok(())
        };
        let mut swept = SweepReport::default();
        for folder in [StoreFolder::Entries, StoreFolder::Leases] {
            swept = self.visit(folder, String::new(), clear, swept).await?;
        }
        swept.skipped.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(swept)
    }
}
