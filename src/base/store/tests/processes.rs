//! Tests with other processes over the same folder: this test binary again, with a role set in its environment.

#![allow(clippy::disallowed_methods, reason = "the tests start other processes")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{increment, wait_for_lease};
use crate::store::{Clock, ExpectedState, Store as _, fs::FolderStore, names, record};

const ROLE: &str = "FUMI_TEST_STORE_ROLE";
const FOLDER: &str = "FUMI_TEST_STORE_FOLDER";

/// Returns the command of another process with a role, over the same folder.
fn other_process(test: &str, role: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command
        .args(["--exact", &format!("store::tests::processes::{test}"), "--nocapture"])
        .env(ROLE, role)
        .env(FOLDER, folder);
    command
}

/// Returns the store of a process that was given a role.
fn own_role() -> Option<(String, FolderStore)> {
    let role = std::env::var(ROLE).ok()?;
    let folder = std::env::var(FOLDER).expect("a role has a folder");
    Some((role, FolderStore::open(Path::new(&folder), Clock::system()).expect("opens")))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_no_increment_and_never_share_a_lease() {
    const TEST: &str = "two_processes_lose_no_increment_and_never_share_a_lease";
    const TIMES: u32 = 40;
    let work = |store: FolderStore, folder: PathBuf| async move {
        increment(&store, TIMES).await;
        // A plain file, read and written without any precaution: only the lease protects it.
        let plain = folder.join("plain");
        for _ in 0..TIMES {
            let lease = wait_for_lease(&store, "somebody").await;
            let text = fs::read_to_string(&plain).unwrap_or_default();
            let (count, fence) = text.split_once(' ').unwrap_or(("0", "0"));
            let (count, fence): (u32, u64) = (count.parse().expect("a number"), fence.parse().expect("a number"));
            assert!(lease.fence > fence, "{} after {fence}", lease.fence);
            fs::write(&plain, format!("{} {}", count + 1, lease.fence)).expect("written");
            store.release(&lease).await.expect("answered");
        }
    };
    if let Some((_, store)) = own_role() {
        let folder = PathBuf::from(std::env::var(FOLDER).expect("a role has a folder"));
        return work(store, folder).await;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut other = other_process(TEST, "count", dir.path()).stdout(Stdio::null()).spawn().expect("starts");
    let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
    work(store, dir.path().to_path_buf()).await;
    assert!(other.wait().expect("ends").success());
    let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
    let count = store.get("count").await.expect("readable").expect("there");
    assert_eq!(count.value, (2 * TIMES).to_string().into_bytes());
    let plain = fs::read_to_string(dir.path().join("plain")).expect("readable");
    assert!(plain.starts_with(&format!("{} ", 2 * TIMES)), "{plain}");
}

/// A writer is killed while it writes, round after round: a reader without any lock sees only values that were written
/// completely.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_writer_leaves_the_old_or_the_new_value() {
    const TEST: &str = "a_killed_writer_leaves_the_old_or_the_new_value";
    const SIZE: usize = 300_000;
    if let Some((_, store)) = own_role() {
        for round in (0..=u8::MAX).cycle() {
            let value = vec![round; SIZE];
            store.put("a", value, ExpectedState::Anything, None).await.expect("it is put");
        }
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("entries").join(names::name_of("a"));
    let is_whole = |value: &[u8]| value.len() == SIZE && value.iter().all(|byte| *byte == value[0]);
    let mut leftovers = 0;
    for round in 1..=12 {
        let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
        store.put("a", vec![0; SIZE], ExpectedState::Anything, None).await.expect("the killed process left no lock");
        let mut writer = other_process(TEST, "write", dir.path()).stdout(Stdio::null()).spawn().expect("starts");
        let mut seen = BTreeSet::new();
        while seen.len() < round {
            assert!(writer.try_wait().expect("known").is_none(), "it ended before it was killed");
            let bytes = fs::read(&file).expect("always there");
            let record = record::StoreRecord::parse(&bytes).expect("always whole");
            assert!(is_whole(&record.value), "a mixture");
            seen.insert(record.value[0]);
        }
        writer.kill().expect("killed");
        writer.wait().expect("ends");
        let listing = store.list("").await.expect("listed");
        assert_eq!((listing.keys, listing.skipped), (vec!["a".to_owned()], Vec::new()));
        assert!(is_whole(&store.get("a").await.expect("readable").expect("there").value));
        leftovers += store.sweep().await.expect("swept").leftovers;
        let files = fs::read_dir(dir.path().join("entries")).expect("readable").count();
        assert_eq!(files, 1, "unfinished files are left");
    }
    // Not only by chance: also a leftover of a crash in the middle of writing.
    let name = names::name_of("a");
    fs::write(dir.path().join("entries/.new-3-0123456789abcdef"), &name).expect("written");
    fs::write(dir.path().join("leases/.new-4-0123456789abcdef"), &name).expect("written");
    let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
    assert_eq!(store.list("").await.expect("listed").skipped, []);
    assert_eq!(store.sweep().await.expect("swept").leftovers, 2);
    println!("{leftovers} unfinished files in 12 rounds");
}
