//! The rules for descending into folders that a caller chooses.

/// The rules for descending into folders; the same for listing and for searching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traversal {
    /// True to follow links, inside the project only.
    pub follow_symlinks: bool,
    /// True to include names that begin with a dot.
    pub hidden: bool,
    /// True to read no ignore files at all.
    pub no_ignore: bool,
}
