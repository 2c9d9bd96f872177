//! Indexes on the disk, so that a server that starts again need not read all files.
//!
//! Invariant: what is loaded is as true as an index in memory. A file's document is loaded only if the file's metadata is
//! that of the moment when the document was true, and so old then that any later change shows. Each file of an index is
//! written whole or not at all, and named or preceded by a hash of its content and of the program: what is damaged, cut, or
//! of another program is not loaded. One process writes an index; others load it.
//!
//! Known limit: a change through a memory mapping is not reported, and alters the metadata of its file only when the system
//! writes the page (on tmpfs never). The index misses it until then, as the cache of results does.

mod index_folder;
mod segment_file;

pub use index_folder::IndexFolders;
pub(super) use index_folder::{IndexFolder, SegmentStamps};
