//! The code index: which files of a project a text search need not open.
//!
//! The index keeps the trigrams of the texts that it has read, as posting lists in segments. A query is planned to the
//! trigrams that every matching text contains; a file whose text lacks them is not opened.
//!
//! Invariant: the index is a filter, never a source of answers. Each file that it does not exclude is searched by the
//! matcher that searches without an index, so rows, counts and errors are the same. A file is excluded only if the
//! index has read it and knows of no change since; every other file is opened.
//!
//! A search with the default rules need not walk either: a table of folders lists its files. The table applies the rules of
//! a walk, and follows each change before the next search; folders that it does not know are walked.
//!
//! From a file to a search: `document.rs` reads, `segment_writer.rs` collects, `segment/` holds, `project_index.rs`
//! keeps the segments true to the files, `need/` plans a query, `indexed_files/` answers for it, and `search_plan.rs`
//! chooses. `folder_table/` keeps the folders, `folder_question.rs` asks for their files, and `listed_files.rs` joins
//! them with the documents.
//! `code_indexes.rs` has the indexes of all projects, and the thread that reads; `low_priority.rs` makes its work give
//! way to calls. `disk/` keeps an index for the next process. `work_ahead.rs` has the files that the thread parses once all
//! are read.

mod code_indexes;
mod disk;
mod document;
mod folder_question;
mod folder_table;
mod indexed_files;
mod listed_files;
mod low_priority;
mod need;
mod postings;
mod project_index;
mod search_plan;
mod segment;
mod segment_writer;
mod trigrams;
mod work_ahead;

pub use code_indexes::CodeIndexes;
pub use disk::IndexFolders;
pub(crate) use folder_question::FolderQuestion;
pub(crate) use folder_table::FolderTable;
pub(crate) use need::Need;
pub use project_index::{IndexLimits, IndexSize, ProjectIndex};
pub use search_plan::IndexUse;
pub(crate) use search_plan::{FileChoice, FileList, LanguageCounts, SearchPlan, SourceList};
