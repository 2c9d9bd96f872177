//! The ignore rules that a walk reads outside a project: those of the folders above, and the user's global ones.
//!
//! Invariant: two equal states mean that none of these rules changed in between, provided the ignore files above are
//! equal, which the log of changes tells. It reads git's configuration as the walker does, by the walker's own function.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use fumi_base::change_log::hash_ignore_file;
use ignore::gitignore::gitconfig_excludes_path;

/// Returns a hash of the rules outside the project with this root; `above` is that of the ignore files above. `None` if
/// rules may change without changing the hash.
pub(super) fn outside_rules(root: &Path, above: u64) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    above.hash(&mut hasher);
    for folder in root.ancestors().skip(1) {
        // Ignore files of git count only in a repository, wherever it begins.
        let git = folder.join(".git").symlink_metadata().ok();
        if git.as_ref().is_some_and(|git| !git.is_dir()) {
            // The `.git` of a worktree names a folder with more rules.
            return None;
        }
        (git.is_some(), folder.join(".jj").exists()).hash(&mut hasher);
    }
    let global = gitconfig_excludes_path();
    global.hash(&mut hasher);
    if let Some(path) = global {
        hash_ignore_file(&path, &mut hasher);
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests;
