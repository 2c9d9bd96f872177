//! Tests of the store in a folder only: permissions, foreign and damaged files, locks of others.

#![allow(clippy::disallowed_methods, reason = "a test makes a pipe with a program")]

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use super::{SECOND, TestStore, clock};
use crate::store::{Clock, ExpectedState, ForeignFile, Store as _, StoreError, fs::FolderStore, names};

fn entry_file(rig: &TestStore, key: &str) -> PathBuf {
    rig.dir.path().join("entries").join(names::name_of(key))
}

fn reopened(rig: &TestStore) -> TestStore {
    TestStore {
        store: Arc::new(FolderStore::open(rig.dir.path(), clock(&rig.now)).expect("opens")),
        now: Arc::clone(&rig.now),
        dir: tempfile::tempdir().expect("a folder"),
    }
}

#[tokio::test]
async fn the_folder_outlives_the_process() {
    let rig = TestStore::fs();
    let version = rig.put_for("a/b", "value", Some(SECOND * 5)).await;
    let lease = rig.store.lease("novel", "ann", SECOND * 5).await.expect("free");
    let again = reopened(&rig);
    let entry = again.store.get("a/b").await.expect("readable").expect("there");
    assert_eq!((entry.value, entry.version), (b"value".to_vec(), version));
    assert!(matches!(again.store.lease("novel", "bob", SECOND).await, Err(StoreError::Held { .. })));
    // A write through one handle is visible through the other at once.
    again.put("a/b", "newer").await;
    assert_eq!(rig.value("a/b").await.as_deref(), Some("newer"));
    assert!(again.store.renew(&lease, SECOND).await.is_ok());
}

#[tokio::test]
async fn the_folder_is_its_owners_alone() {
    let rig = TestStore::fs();
    rig.put("a", "value").await;
    rig.store.lease("novel", "ann", SECOND).await.expect("free");
    let mut looked = 0;
    let mut folders = vec![rig.dir.path().to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mode = |path: &Path| fs::symlink_metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
                looked += 1;
            }
        }
    }
    assert!(looked >= 4, "two files and their locks, not {looked}");
}

#[tokio::test]
async fn damaged_and_foreign_files_are_skipped_and_reported() {
    let rig = TestStore::fs();
    for key in ["torn", "changed", "moved", "good"] {
        rig.put(key, "a value of some length").await;
    }
    let whole = fs::read(entry_file(&rig, "torn")).expect("readable");
    fs::write(entry_file(&rig, "torn"), &whole[..whole.len() - 3]).expect("written");
    let mut changed = fs::read(entry_file(&rig, "changed")).expect("readable");
    *changed.last_mut().expect("not empty") ^= 1;
    fs::write(entry_file(&rig, "changed"), changed).expect("written");
    fs::rename(entry_file(&rig, "moved"), entry_file(&rig, "elsewhere")).expect("moved");
    let entries = rig.dir.path().join("entries");
    fs::write(entries.join("empty"), "").expect("written");
    fs::write(entries.join("README"), "hello").expect("written");
    fs::write(entries.join("文"), "hello").expect("written");
    fs::create_dir(entries.join("folder")).expect("made");
    symlink("/etc/passwd", entries.join("link")).expect("linked");
    symlink(entry_file(&rig, "good"), entries.join("inside")).expect("linked");
    let pipe = Command::new("mkfifo").arg(entries.join("pipe")).status().expect("mkfifo of coreutils");
    assert!(pipe.success());
    let expected: Vec<(&str, &str)> = vec![
        ("README", "not a file of a store"),
        ("changed", "it was changed or is damaged"),
        ("elsewhere", "its name belongs to another key"),
        ("empty", "not a file of a store"),
        ("folder", "not a file"),
        ("inside", "not a file"),
        ("link", "not a file"),
        ("pipe", "not a file"),
        ("torn", "it is torn"),
        ("文", "its name is not that of an entry"),
    ];
    let named = |skipped: &[ForeignFile]| -> Vec<(String, &str)> {
        skipped.iter().map(|skipped| (skipped.name.clone(), skipped.reason)).collect()
    };
    let expected: Vec<(String, &str)> = expected.iter().map(|(name, reason)| ((*name).to_owned(), *reason)).collect();
    let listing = rig.store.list("").await.expect("listed");
    assert_eq!(listing.keys, ["good"]);
    assert_eq!(named(&listing.skipped), expected);
    let swept = rig.store.sweep().await.expect("swept");
    assert_eq!(named(&swept.skipped), expected, "nothing of it is removed");
    for key in ["torn", "changed", "moved", "elsewhere", "link", "inside", "folder", "pipe"] {
        assert_eq!(rig.value(key).await, None, "{key}");
    }
    // A new value replaces a damaged one.
    rig.put("torn", "again").await;
    assert_eq!(rig.value("torn").await.as_deref(), Some("again"));
    assert!(Path::new("/etc/passwd").exists());
}

#[tokio::test]
async fn a_damaged_lease_goes_to_a_higher_number() {
    let rig = TestStore::fs();
    let lease = rig.store.lease("novel", "ann", SECOND * 30).await.expect("free");
    fs::write(rig.dir.path().join("leases/novel"), "nothing").expect("written");
    assert!(matches!(rig.store.renew(&lease, SECOND).await, Err(StoreError::Lost)));
    let next = rig.store.lease("novel", "bob", SECOND).await.expect("taken");
    assert!(next.fence > lease.fence);
}

#[tokio::test]
async fn a_folder_that_cannot_be_one_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("written");
    for path in [file.join("store"), file] {
        let opened = FolderStore::open(&path, Clock::system());
        assert!(matches!(opened, Err(StoreError::Io { .. })), "{}", path.display());
    }
}

/// A process that only holds a lock must not block this one for ever.
#[tokio::test]
async fn permanently_held_lock_times_out() {
    let short = Duration::from_millis(20);
    let rig = TestStore::new(|dir, clock| Arc::new(FolderStore::open(dir, clock).expect("opens").with_patience(short)));
    rig.put("a", "value").await;
    let locks = fs::read_dir(rig.dir.path().join("locks")).expect("readable").flatten();
    let held: Vec<_> = locks
        .map(|lock| {
            let file = OpenOptions::new().write(true).open(lock.path()).expect("opens");
            file.lock().expect("no other process holds the lock");
            file
        })
        .collect();
    assert_eq!(held.len(), 1);
    assert!(matches!(rig.store.get("a").await, Err(StoreError::Locked)));
    drop(held);
    assert_eq!(rig.value("a").await.as_deref(), Some("value"));
}

/// Tests that the store starts again, instead of failing, if its folder was removed by hand or its volume mounted
/// again.
#[tokio::test]
async fn a_folder_that_was_removed_is_made_anew() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("state");
    let store = FolderStore::open(&folder, Clock::system()).expect("opens");
    let put = |value: &[u8]| store.put("a", value.to_vec(), ExpectedState::Anything, None);
    put(b"old").await.expect("put");
    fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(store.get("a").await.expect("nothing is broken"), None);
    put(b"new").await.expect("put");
    let other = FolderStore::open(&folder, Clock::system()).expect("opens");
    assert_eq!(other.get("a").await.expect("readable").expect("there").value, b"new");
}
