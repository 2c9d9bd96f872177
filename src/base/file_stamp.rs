//! Telling by its metadata whether a file changed.

use std::{
    fs::Metadata,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    os::unix::fs::MetadataExt as _,
    path::Path,
    time::{Duration, SystemTime},
};

/// The age after which a later change must alter a file's times: longer than a tick of any file system's clock, some of
/// which count whole seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// Hashes the metadata that changes with a file: size, times, identity.
pub(crate) fn hash_file(meta: &Metadata, hasher: &mut impl Hasher) {
    meta.len().hash(hasher);
    meta.modified().ok().hash(hasher);
    (meta.ino(), meta.ctime(), meta.ctime_nsec()).hash(hasher);
}

/// Returns a hash of the metadata that changes with a file, the same in every process of this program. It is never 0.
pub fn file_stamp(meta: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_file(meta, &mut hasher);
    meta.dev().hash(&mut hasher);
    hasher.finish().max(1)
}

/// Returns the number of the file system of a path.
///
/// # Errors
/// The system does not tell.
pub fn file_system_id(path: &Path) -> io::Result<u64> {
    Ok(rustix::fs::statvfs(path)?.f_fsid)
}

/// True if the last change is so old that the next one must alter the times. If the clock runs behind the file system's
/// clock, the result is false, which only costs time.
pub fn is_settled(meta: &Metadata) -> bool {
    let age = |time: SystemTime| SystemTime::now().duration_since(time).is_ok_and(|age| age > SETTLED);
    let changed = u64::try_from(meta.ctime()).ok().map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    meta.modified().is_ok_and(age) && changed.is_some_and(age)
}
