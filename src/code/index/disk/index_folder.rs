//! The folder of one index: its segments, in files that never change, and a list of them with the stamps of their
//! documents, which is replaced at each write.

use std::{
    collections::HashSet,
    fs::{self, File, Metadata},
    io,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Weak},
};

use fumi_base::{
    file_stamp::{file_stamp, file_system_id, is_settled},
    files::sha256,
    private_folder::PrivateFolder,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    super::segment::{DocFacts, Segment},
    segment_file::{decode, encode},
};
use crate::program_stamp::program_stamp;

/// The list of segments. Its time of change is that of the last write of the index.
const LIST: &str = "segments";

/// Locked by the process that writes the index.
const LOCK: &str = "lock";

/// The bytes of a hash that precedes or names a file.
const HASH_BYTES: usize = 32;

#[derive(Clone, Debug)]
pub struct IndexFolders {
    /// The folder in which each index has one.
    pub folder: PathBuf,
    /// The maximum size of all, in bytes.
    pub most_bytes: u64,
}

/// The stamps of a segment's documents, in their order; 0 for one that is not to be loaded.
pub(in super::super) type SegmentStamps = Vec<u64>;

#[derive(Debug)]
pub(in super::super) struct IndexFolder {
    folders: IndexFolders,
    folder: PathBuf,
    /// The canonical root of the project.
    root: PathBuf,
    writer: Mutex<Writer>,
}

#[derive(Debug, Default)]
struct Writer {
    /// The folder and its locked file, from the first write on.
    locked: Option<(PrivateFolder, File)>,
    /// The segments with a file, and its name.
    written: Vec<(Weak<Segment>, String)>,
}

/// The list of the segments of an index.
#[derive(Serialize, Deserialize)]
struct SegmentList {
    root: Vec<u8>,
    /// The number of the root's file system: files of another file system may have the same times and inodes.
    file_system: u64,
    segments: Vec<ListedSegment>,
}

#[derive(Serialize, Deserialize)]
struct ListedSegment {
    name: String,
    stamps: SegmentStamps,
}

impl IndexFolder {
    /// Returns the folder of a project's index. `None` if none can be kept.
    pub(in super::super) fn new(folders: &IndexFolders, root: &Path) -> Option<Self> {
        program_stamp().is_some().then(|| Self {
            folder: folders.folder.join(sha256(root.as_os_str().as_bytes())),
            folders: folders.clone(),
            root: root.to_path_buf(),
            writer: Mutex::default(),
        })
    }

    /// Loads the segments, without the documents of files that changed. `None` if the index is missing, damaged or written by
    /// another build of fumi, or if its segments have more than `most_bytes` bytes together.
    pub(in super::super) fn load(&self, most_bytes: u64) -> Option<Vec<Arc<Segment>>> {
        let folder = PrivateFolder::open(&self.folder).ok()??;
        let list = folder.read(LIST, most_bytes).ok()??;
        let (checked, list) = list.split_first_chunk()?;
        if *checked != hash(list) {
            return None;
        }
        let list: SegmentList = postcard::from_bytes(list).ok()?;
        if list.root != self.root.as_os_str().as_bytes() || list.file_system != file_system_id(&self.root).ok()? {
            return None;
        }
        let mut left = most_bytes;
        let mut written = Vec::new();
        let mut segments = Vec::new();
        for ListedSegment { name, stamps } in list.segments {
            let bytes = folder.read(&name, left).ok()??;
            left -= bytes.len() as u64;
            if segment_name(&bytes) != name {
                return None;
            }
            let segment = Arc::new(decode(&bytes)?);
            let mut stamps = stamps.into_iter();
            segment.keep_only(|facts| {
                let stamp = stamps.next().unwrap_or_default();
                stamp != 0 && self.metadata(facts).is_some_and(|found| file_stamp(&found) == stamp)
            });
            written.push((Arc::downgrade(&segment), name));
            segments.push(segment);
        }
        self.writer.lock().written = written;
        Some(segments)
    }

    /// Returns the metadata of a document's file as it is now. `None` if there is no such file, or it is another one.
    fn metadata(&self, facts: &DocFacts) -> Option<Metadata> {
        let found = self.root.join(&facts.path).symlink_metadata().ok()?;
        let is_same = found.is_file() && found.nlink() == 1 && found.ino() == facts.inode;
        is_same.then_some(found)
    }

    /// Returns the stamps of a segment's documents as their files are now; 0 for one whose next change might not alter its
    /// stamp.
    pub(in super::super) fn stamps(&self, segment: &Segment) -> SegmentStamps {
        let stamp = |doc, facts| {
            let found = segment.is_live(doc).then(|| self.metadata(facts)).flatten();
            found.filter(is_settled).map_or(0, |found| file_stamp(&found))
        };
        (0..).zip(&segment.docs).map(|(doc, facts)| stamp(doc, facts)).collect()
    }

    /// Writes segments with the stamps of their documents, in place of those that were written before. Returns false if
    /// another process writes this index, or there is no room.
    pub(in super::super) fn write(&self, segments: &[Arc<Segment>], stamps: Vec<SegmentStamps>) -> io::Result<bool> {
        let mut writer = self.writer.lock();
        let Writer { locked, written } = &mut *writer;
        if locked.is_none() {
            let folder = PrivateFolder::create(&self.folder)?;
            *locked = folder.lock(LOCK)?.map(|lock| (folder, lock));
            // Another process may have written since they were loaded.
            written.retain(|(_, name)| self.folder.join(name).exists());
        }
        let Some((folder, _)) = locked else { return Ok(false) };
        if !self.make_room(segments.iter().map(|segment| segment.bytes() as u64).sum())? {
            return Ok(false);
        }
        let mut now = Vec::new();
        for segment in segments {
            let known = written.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(segment));
            let name = if let Some((_, name)) = known {
                name.clone()
            } else {
                let bytes = encode(segment).map_err(io::Error::other)?;
                let name = segment_name(&bytes);
                folder.replace(&name, &bytes)?;
                name
            };
            now.push((Arc::downgrade(segment), name));
        }
        let names = now.iter().map(|(_, name)| name.clone());
        let list = SegmentList {
            root: self.root.as_os_str().as_bytes().to_vec(),
            file_system: file_system_id(&self.root)?,
            segments: names.zip(stamps).map(|(name, stamps)| ListedSegment { name, stamps }).collect(),
        };
        let list = postcard::to_stdvec(&list).map_err(io::Error::other)?;
        folder.replace(LIST, &[hash(&list).as_slice(), &list].concat())?;
        let names: HashSet<&str> = now.iter().map(|(_, name)| name.as_str()).collect();
        folder.keep_only(|name| names.contains(name) || [LIST, LOCK].contains(&name))?;
        *written = now;
        Ok(true)
    }

    /// Removes the indexes that were written least recently until one of this size fits, in bytes. Returns false if it does
    /// not.
    fn make_room(&self, bytes: u64) -> io::Result<bool> {
        let mut others = Vec::new();
        for entry in fs::read_dir(&self.folders.folder)?.filter_map(Result::ok) {
            let folder = entry.path();
            let written = [LIST, LOCK].map(|name| folder.join(name).symlink_metadata());
            let [list, lock] = written.map(|found| found.and_then(|found| found.modified()));
            let written = list.or(lock);
            if folder != self.folder
                && let Ok(written) = written
            {
                others.push((written, size_of_folder(&folder), folder));
            }
        }
        others.sort();
        let mut total: u64 = bytes + others.iter().map(|(_, size, _)| size).sum::<u64>();
        for (_, size, folder) in others {
            if total <= self.folders.most_bytes {
                break;
            }
            let opened = PrivateFolder::open(&folder).ok().flatten();
            if let Some(_lock) = opened.and_then(|folder| folder.lock(LOCK).ok()?) {
                fs::remove_dir_all(&folder)?;
                total -= size;
            }
        }
        Ok(total <= self.folders.most_bytes)
    }
}

/// Returns the size of the files in a folder, in bytes.
fn size_of_folder(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}

fn segment_name(bytes: &[u8]) -> String {
    format!("segment-{}", sha256(&hash(bytes)))
}

/// Returns the hash of bytes that this program wrote.
fn hash(bytes: &[u8]) -> [u8; HASH_BYTES] {
    let mut hasher = Sha256::new();
    hasher.update(env!("CARGO_PKG_VERSION"));
    hasher.update(program_stamp().unwrap_or_default().to_le_bytes());
    hasher.update(bytes);
    hasher.finalize().into()
}
