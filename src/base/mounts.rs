//! The mounts that concern a root: those where files may change without this kernel's knowledge, because another machine,
//! or the host of a virtual machine, writes to them as well ([`has_shared_mount`]); and those that appear or end while a
//! root is watched, of which no folder has an event ([`MountWatch`]).
//!
//! Only the kernel's list of mounts is read. The mounts themselves are not accessed: one whose server is unreachable
//! would block. Unknown kinds of file systems count as local.

use std::{
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::system::{is_system_failure, unless_unreadable};

/// The kernel's list of the mounts that this process sees (`proc_pid_mountinfo(5)`).
const LIST: &str = "/proc/self/mountinfo";

/// The time that a poll waits.
const NO_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

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

/// True if a canonical root, or anything under it, lies on a shared mount, so that changes may cause no events. Also true
/// if the system fails while the list of mounts is read; a missing list counts as one without shared mounts.
pub(crate) fn has_shared_mount(root: &Path) -> bool {
    match std::fs::read_to_string(LIST) {
        Ok(mounts) => is_shared(&mounts, root),
        // The list is missing on systems other than Linux, where nothing is watched, and without `/proc`.
        Err(error) => is_system_failure(&error),
    }
}

/// The mounts at, above and below one root.
#[derive(Debug)]
pub(crate) struct MountWatch {
    root: PathBuf,
    /// The opened list, of which the kernel reports every change once. `None` without `/proc`.
    list: Option<File>,
    /// The hash of the root's mounts when the watch began. `None` if the system failed to provide the list: then they
    /// always count as changed, so that the watch begins anew.
    seen: Option<u64>,
    /// True if the list changed since the watch began, and the root's mounts were not compared since.
    is_reported: bool,
}

impl MountWatch {
    pub(crate) fn new(root: &Path) -> Self {
        // Opened before the list is read, so that a change between the two is reported.
        let list = unless_unreadable(File::open(LIST));
        Self {
            root: root.to_path_buf(),
            seen: if list.is_ok() { current_mounts(root) } else { None },
            list: list.ok().flatten(),
            is_reported: false,
        }
    }

    /// True if a mount of the root appeared or ended since the watch began. One system call, unless another mount of the
    /// machine changed.
    pub(crate) fn have_changed(&mut self) -> bool {
        self.is_reported |= self.seen.is_none() || self.list.as_ref().is_some_and(is_list_changed);
        if self.is_reported && self.seen.is_some() && current_mounts(&self.root) == self.seen {
            self.is_reported = false;
        }
        self.is_reported
    }
}

/// True if the list of mounts changed since it was opened or last polled. A failure counts as a change.
fn is_list_changed(list: &File) -> bool {
    poll(&mut [PollFd::new(list, PollFlags::PRI)], Some(&NO_WAIT)).map_or(true, |ready| ready > 0)
}

/// Returns the hash of the root's mounts as the kernel lists them now. `None` if the system failed to provide the list.
fn current_mounts(root: &Path) -> Option<u64> {
    let mounts = unless_unreadable(std::fs::read_to_string(LIST)).ok()?;
    Some(hash_mounts(&mounts.unwrap_or_default(), root))
}

/// Returns a hash of the lines whose mount point lies at, above or below a root.
fn hash_mounts(mounts: &str, root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for line in mounts.lines() {
        let is_near = mount(line).is_some_and(|(point, _)| {
            let point = Path::new(&point);
            point.starts_with(root) || root.starts_with(point)
        });
        if is_near {
            line.hash(&mut hasher);
        }
    }
    hasher.finish()
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
    #![expect(clippy::disallowed_methods, reason = "only another process can have other mounts")]

    use std::{path::Path, process::Command};

    use super::{has_shared_mount, hash_mounts, is_shared};
    use crate::{change_log::ChangedPaths, freshness::Freshness};

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
    fn mounts_of_a_root_are_those_above_it_and_below() {
        let seen = |mounts: &str| hash_mounts(mounts, Path::new("/workspace/target"));
        let more = |line: &str| format!("{MOUNTS}{line}\n");
        for (line, is_near) in [
            ("40 22 0:50 / /workspace/target/debug rw - tmpfs tmpfs rw", true),
            ("40 22 0:50 / /workspace/target rw - tmpfs tmpfs rw", true),
            ("40 22 0:50 / /workspace rw - tmpfs tmpfs rw", true),
            ("40 22 0:50 / /workspace/targets rw - tmpfs tmpfs rw", false),
            ("40 22 0:50 / /home/me rw - tmpfs tmpfs rw", false),
        ] {
            assert_eq!(seen(&more(line)) != seen(MOUNTS), is_near, "{line}");
        }
    }

    /// Mounts and unmounts below a watched root. Needs a process that may mount.
    fn mount_below_a_root() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        std::fs::create_dir(root.join("d")).expect("made");
        let freshness = Freshness::default();
        let log = freshness.log_changes(&root);
        let run = |program: &str, arguments: &[&str]| {
            let ended = Command::new(program).args(arguments).arg(root.join("d")).status();
            assert!(ended.expect("started").success(), "{program}");
        };
        let is_unknown = || log.take().changed == ChangedPaths::Unknown;
        let mut stamp = freshness.stamp(&root);
        for (program, arguments) in [("mount", &["-t", "tmpfs", "tmpfs"][..]), ("umount", &[])] {
            run(program, arguments);
            assert_eq!(freshness.try_stamp(&root), None, "{program}");
            assert_ne!(freshness.stamp(&root), stamp, "{program}");
            assert!(is_unknown() && !is_unknown(), "{program}");
            std::fs::write(root.join("d/f"), "1").expect("written");
            assert_eq!(log.take().changed, ChangedPaths::Paths(vec![root.join("d/f")]), "{program}");
            stamp = freshness.stamp(&root);
        }
        assert_eq!(freshness.try_stamp(&root), Some(stamp));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn mount_below_the_root_is_noticed() {
        const INSIDE: &str = "FUMI_TEST_IN_ITS_OWN_NAMESPACE";
        if std::env::var_os(INSIDE).is_some() {
            return mount_below_a_root();
        }
        // This test again, in a process with mounts of its own.
        let ended = Command::new("unshare")
            .args(["--map-root-user", "--mount"])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", "mounts::tests::mount_below_the_root_is_noticed"])
            .env(INSIDE, "1")
            .output()
            .expect("unshare of the package util-linux");
        let told = String::from_utf8_lossy(&ended.stdout);
        assert!(
            ended.status.success() && told.contains("1 passed"),
            "{told}{} (user namespaces must be allowed)",
            String::from_utf8_lossy(&ended.stderr)
        );
    }

    #[test]
    fn folders_for_tests_are_local() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it is there");
        assert!(!has_shared_mount(&folder));
    }
}
