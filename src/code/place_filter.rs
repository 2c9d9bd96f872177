//! A test of found files: true if they lie in the places that a call named, some of which are globs.
//!
//! It tests files after the walk and is never a rule of the walk: a rule that admits a file would take precedence over
//! ignore files and hidden names.

use std::path::{Path, PathBuf};

use fumi_base::project::ProjectPath;
use globset::{GlobBuilder, GlobMatcher};

/// A glob for paths below a folder.
#[derive(Clone, Debug)]
pub struct PlaceGlob(GlobMatcher);

impl PlaceGlob {
    /// Compiles a glob in which `*` does not match `/`. Returns `None` if the glob is invalid.
    pub fn new(glob: &str) -> Option<Self> {
        let glob = GlobBuilder::new(glob).literal_separator(true).build().ok()?;
        Some(Self(glob.compile_matcher()))
    }
}

/// Files and folders, some of them restricted by a glob.
#[derive(Clone, Debug, Default)]
pub struct PlaceFilter(Vec<(PathBuf, Option<PlaceGlob>)>);

impl PlaceFilter {
    /// Adds a file or a folder, or the part of a folder that a glob matches.
    pub fn add(&mut self, place: &ProjectPath, glob: Option<PlaceGlob>) {
        self.0.push((place.relative().to_path_buf(), glob));
    }

    /// True if a path relative to the project root lies in one of the places.
    pub fn admits(&self, relative: &Path) -> bool {
        (0..self.0.len()).any(|at| self.admits_at(at, relative))
    }

    /// True if the path lies in the place that was added at this position.
    pub fn admits_at(&self, at: usize, relative: &Path) -> bool {
        self.0.get(at).is_some_and(|(place, glob)| {
            let below = relative.strip_prefix(place).ok();
            below.is_some_and(|below| glob.as_ref().is_none_or(|glob| glob.0.is_match(below)))
        })
    }
}
