//! Detection of mounts where files may change without this kernel's knowledge, because another machine, or the host of
//! a virtual machine, writes to them as well.
//!
//! Only the kernel's list of mounts is read. The mounts themselves are not accessed: one whose server is unreachable
//! would block. Unknown kinds of file systems count as local.

use std::path::Path;

use crate::system::is_system_failure;

/// The kinds of file systems that other machines may write to, as `/proc/self/mountinfo` calls them (proc(5)).
const SHARED: [&str; 22] = [
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "fuse",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
];

/// True if a canonical root, or anything under it, lies on a shared mount, or if the system fails to provide the list of
/// mounts: events then prove nothing.
pub(crate) fn has_shared_mount(root: &Path) -> bool {
    match std::fs::read_to_string("/proc/self/mountinfo") {
        Ok(mounts) => is_shared(&mounts, root),
        // Without Linux nothing is watched; without /proc the mounts are unknown.
        Err(error) => is_system_failure(&error),
    }
}

fn is_shared(mounts: &str, root: &Path) -> bool {
    let mounts = || mounts.lines().filter_map(mount);
    let holding = mounts().filter_map(|(point, kind)| {
        let point = Path::new(&point);
        root.starts_with(point).then(|| (point.components().count(), kind))
    });
    // The longest mount point contains the folder; of several mounts at one point, the last is visible.
    let own = holding.max_by_key(|(depth, _)| *depth);
    own.is_some_and(|(_, kind)| is_shared_kind(kind))
        || mounts().any(|(point, kind)| is_shared_kind(kind) && Path::new(&point).starts_with(root))
}

fn is_shared_kind(kind: &str) -> bool {
    SHARED.contains(&kind) || kind.starts_with("fuse.")
}

/// Returns the mount point of a line, and the kind of file system.
fn mount(line: &str) -> Option<(String, &str)> {
    let (place, source) = line.split_once(" - ")?;
    Some((unescaped(place.split(' ').nth(4)?), source.split(' ').next()?))
}

/// Decodes a path in which blanks and backslashes are written as three octal digits.
fn unescaped(raw: &str) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = after
            .get(..3)
            .filter(|_| byte == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        if let Some(escaped) = escaped {
            bytes.push(escaped);
            rest = &after[3..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{has_shared_mount, is_shared};

    /// The mounts as a container in a virtual machine sees them.
    const MOUNTS: &str = "\
        22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n\
        30 22 0:40 / /workspace rw,relatime - virtiofs share rw\n\
        31 22 0:41 / /srv/with\\040blank rw,relatime master:3 - nfs4 server:/export rw,vers=4.2\n\
        32 22 0:42 / /home/me/far rw,nosuid - fuse.sshfs me@far:/ rw\n\
        33 22 8:1 / /mnt/disk rw - fuseblk /dev/sda1 rw\n\
        34 30 0:43 / /workspace/target rw - tmpfs tmpfs rw\n\
        35 22 0:44 / /over rw - nfs server:/ rw\n\
        36 35 0:45 / /over rw - ext4 /dev/vdb rw\n";

    #[test]
    fn shared_mounts_are_distinguished_from_local() {
        for (root, expected) in [
            ("/", true),
            ("/workspace", true),
            ("/workspace/app", true),
            ("/workspace/target", false),
            ("/workspaces", false),
            ("/srv", true),
            ("/srv/with blank/app", true),
            ("/srv/with", false),
            ("/home/me", true),
            ("/home/me/near", false),
            ("/mnt/disk/app", false),
            ("/over/app", false),
            ("/usr", false),
        ] {
            assert_eq!(is_shared(MOUNTS, Path::new(root)), expected, "{root}");
        }
        assert!(!is_shared("no list of mounts\n\n - \n", Path::new("/usr")));
    }

    #[test]
    fn folders_for_tests_are_local() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it is there");
        assert!(!has_shared_mount(&folder));
    }
}
