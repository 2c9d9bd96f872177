//! Paths that a walk finds: their part below the root, and their order.

use std::{cmp::Ordering, path::Path};

/// Returns the part of a walked path below the root. Walked paths begin with the very bytes of the root, and comparing
/// bytes is faster than comparing components.
pub(crate) fn strip_root<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let rest = path.as_os_str().as_bytes().strip_prefix(root.as_os_str().as_bytes())?;
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    Some(Path::new(OsStr::from_bytes(rest)))
}

/// Compares by the bytes of the whole path, so that the order is that of the displayed strings.
pub(crate) fn compare_paths(a: &Path, b: &Path) -> Ordering {
    a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes())
}
