//! The request for a listing: its filters.

use crate::walk::Traversal;

/// The filters that a caller requests. The default finds everything that fd would list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// A regular expression, or a glob if `glob`. Smart case: an upper-case letter makes it case-sensitive.
    pub pattern: Option<String>,
    /// True if the pattern is a glob that matches the whole name.
    pub glob: bool,
    /// True if the pattern is compared with the absolute path instead of the name.
    pub full_path_match: bool,
    /// The wanted types: `f`, `d`, `l`, `x`, `e`, or the long names that fd has for them.
    pub types: Vec<String>,
    /// The wanted extensions, with or without the dot, in either case.
    pub extensions: Vec<String>,
    /// Globs in the syntax of ignore files, relative to the root that is walked.
    pub exclude: Vec<String>,
    /// The maximum number of levels below a root; 1 means the root's own entries.
    pub depth: Option<usize>,
    /// Size limits such as `+10M`; all must be met.
    pub size: Vec<String>,
    /// The earliest change: a time span or a date; see [`crate::modified_filter`].
    pub changed_within: Option<String>,
    /// The latest change: a time span or a date; see [`crate::modified_filter`].
    pub changed_before: Option<String>,
    pub traversal: Traversal,
}
