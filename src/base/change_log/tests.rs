//! Tests of logs: each kind of change, what makes an answer unknown, and random changes compared with a model.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngSeed, TestRunner},
};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    thread::CapabilitySet,
};

use super::{ChangeLog, ChangedPaths, MOST_PATHS, PathLog};
use crate::{freshness::Freshness, outside_rules::OutsideRules, root_watcher::stamp_tree};

/// Creates the folder `root` in a temporary folder, and returns both, by canonical path.
fn folders() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().expect("a folder");
    let root = outer.path().canonicalize().expect("there").join("root");
    fs::create_dir(&root).expect("made");
    (outer, root)
}

/// Takes a log, and returns the paths relative to the root, sorted.
fn taken(log: &ChangeLog, root: &Path) -> Vec<String> {
    let ChangedPaths::Paths(paths) = log.take().changed else { panic!("anything may have changed") };
    let relative = |path: &PathBuf| path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
    let mut paths: Vec<String> = paths.iter().map(relative).collect();
    paths.sort();
    paths
}

/// Takes a log. True if anything may have changed.
fn is_unknown(log: &ChangeLog) -> bool {
    log.take().changed == ChangedPaths::Unknown
}

type Change = (&'static str, fn(&Path), &'static [&'static str]);

/// Makes one change after another, and compares the paths logged for each.
fn check(root: &Path, log: &ChangeLog, changes: &[Change]) {
    for (name, change, expected) in changes {
        change(root);
        assert_eq!(taken(log, root), *expected, "{name}");
    }
}

#[test]
fn each_kind_of_change_of_a_file_names_it() {
    let (_outer, root) = folders();
    fs::write(root.join("a"), "1").expect("written");
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let changes: &[Change] = &[
        ("nothing", |_| {}, &[]),
        ("read", |root| drop(fs::read(root.join("a")).expect("read")), &[]),
        ("edit", |root| fs::write(root.join("a"), "2").expect("written"), &["a"]),
        ("no difference", |root| fs::write(root.join("a"), "2").expect("written"), &["a"]),
        (
            "permissions",
            |root| fs::set_permissions(root.join("a"), fs::Permissions::from_mode(0o600)).expect("set"),
            &["a"],
        ),
        (
            "times",
            |root| {
                let file = fs::File::options().append(true).open(root.join("a")).expect("opened");
                file.set_modified(std::time::UNIX_EPOCH).expect("set");
            },
            &["a"],
        ),
        ("create", |root| fs::write(root.join("b"), "1").expect("written"), &["b"]),
        ("rename", |root| fs::rename(root.join("b"), root.join("c")).expect("renamed"), &["b", "c"]),
        ("rename over", |root| fs::rename(root.join("c"), root.join("a")).expect("renamed"), &["a", "c"]),
        ("link", |root| symlink("a", root.join("l")).expect("linked"), &["l"]),
        ("hard link", |root| fs::hard_link(root.join("a"), root.join("h")).expect("linked"), &["h"]),
        ("delete", |root| fs::remove_file(root.join("h")).expect("removed"), &["h"]),
    ];
    check(&root, &log, changes);
}

#[test]
fn each_kind_of_change_of_a_folder_names_it_or_what_is_below() {
    let (_outer, root) = folders();
    fs::create_dir_all(root.join(".git/info")).expect("made");
    fs::create_dir(root.join(".fumi")).expect("made");
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let changes: &[Change] = &[
        ("folder", |root| fs::create_dir(root.join("d")).expect("made"), &["d"]),
        ("file in it", |root| fs::write(root.join("d/f"), "1").expect("written"), &["d/f"]),
        (
            "folders with content",
            |root| {
                fs::create_dir_all(root.join("n/m")).expect("made");
                fs::write(root.join("n/m/f"), "1").expect("written");
            },
            &["n"],
        ),
        ("file in those", |root| fs::write(root.join("n/m/f"), "2").expect("written"), &["n/m/f"]),
        ("folder renamed", |root| fs::rename(root.join("n"), root.join("o")).expect("renamed"), &["n", "o"]),
        ("file in that", |root| fs::write(root.join("o/m/f"), "3").expect("written"), &["o/m/f"]),
        (
            "folder renamed and its file edited",
            |root| {
                fs::rename(root.join("o"), root.join("p")).expect("renamed");
                fs::write(root.join("p/m/g"), "3").expect("written");
            },
            // The second path is the name that the folder had when it was watched.
            &["o", "o/m/g", "p"],
        ),
        ("folder moved out", |root| fs::rename(root.join("p"), root.with_file_name("out")).expect("renamed"), &["p"]),
        ("file outside", |root| fs::write(root.with_file_name("out").join("m/f"), "4").expect("written"), &[]),
        ("folder moved in", |root| fs::rename(root.with_file_name("out"), root.join("q")).expect("renamed"), &["q"]),
        ("file in that too", |root| fs::write(root.join("q/m/f"), "5").expect("written"), &["q/m/f"]),
        (
            "folder deleted",
            |root| fs::remove_dir_all(root.join("q")).expect("removed"),
            &["q", "q/m", "q/m/f", "q/m/g"],
        ),
        (
            "file replaced by a folder",
            |root| {
                fs::remove_file(root.join("d/f")).expect("removed");
                fs::create_dir(root.join("d/f")).expect("made");
            },
            &["d/f"],
        ),
        ("the root itself", |root| fs::set_permissions(root, fs::Permissions::from_mode(0o700)).expect("set"), &[""]),
        ("uncounted", |root| fs::write(root.join(".fumi/x"), "1").expect("written"), &[]),
        (
            "rules of git",
            |root| fs::write(root.join(".git/info/exclude"), "1").expect("written"),
            &[".git/info/exclude"],
        ),
    ];
    check(&root, &log, changes);
}

/// Takes the right to read every folder, which root has, from this thread.
fn obey_permissions() {
    let mut rights = rustix::thread::capabilities(None).expect("the rights");
    rights.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    rustix::thread::set_capabilities(None, rights).expect("fewer rights");
}

#[test]
fn folder_that_becomes_readable_is_watched() {
    obey_permissions();
    let (_outer, root) = folders();
    let folder = root.join("d");
    let set = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("set");
    fs::create_dir_all(folder.join("e")).expect("made");
    set(0o000);
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    set(0o700);
    assert_eq!(taken(&log, &root), ["d"]);
    fs::write(folder.join("e/a"), "1").expect("written");
    assert_eq!(taken(&log, &root), ["d/e/a"]);
}

#[test]
fn file_that_was_open_for_writing_is_named_when_it_is_closed() {
    let (_outer, root) = folders();
    fs::write(root.join("a"), "1").expect("written");
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let file = fs::File::options().write(true).open(root.join("a")).expect("opened");
    assert!(taken(&log, &root).is_empty());
    // A program that writes through a memory map does nothing that the kernel reports, except this.
    drop(file);
    assert_eq!(taken(&log, &root), ["a"]);
}

#[test]
fn exchanged_folders_stay_watched_wherever_a_read_of_the_queue_ends() {
    let (_outer, root) = folders();
    for folder in ["a", "b"] {
        fs::create_dir(root.join(folder)).expect("made");
    }
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    // One read takes about 128 events.
    for before in 0..160 {
        for number in 0..before {
            let permissions = fs::Permissions::from_mode(0o700 + number % 2);
            fs::set_permissions(root.join(["a", "b"][number as usize % 2]), permissions).expect("set");
        }
        renameat_with(CWD, root.join("a"), CWD, root.join("b"), RenameFlags::EXCHANGE).expect("exchanged");
        let _ = log.take();
        for file in ["a/f", "b/f"] {
            fs::write(root.join(file), "1").expect("written");
            assert_eq!(taken(&log, &root), [file], "after {before} events");
        }
    }
}

#[test]
fn root_of_any_name_is_watched_whole() {
    let (_outer, root) = folders();
    let root = root.join(".git");
    fs::create_dir_all(root.join("d")).expect("made");
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    fs::write(root.join("d/f"), "1").expect("written");
    assert_eq!(taken(&log, &root), ["d/f"]);
}

#[test]
fn nothing_is_known_while_a_folder_can_be_entered_but_not_listed() {
    obey_permissions();
    let (_outer, root) = folders();
    let set = |mode| fs::set_permissions(root.join("d"), fs::Permissions::from_mode(mode)).expect("set");
    fs::create_dir_all(root.join("d/e")).expect("made");
    set(0o300);
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let stamp = freshness.stamp(&root);
    fs::write(root.join("d/e/f"), "1").expect("written");
    assert_eq!(freshness.try_stamp(&root), None);
    assert_ne!(freshness.stamp(&root), stamp);
    assert_eq!(stamp_tree(&root, &mut OutsideRules::new(&root)), None);
    let changes = log.take();
    assert_eq!((changes.changed, changes.is_watched), (ChangedPaths::Unknown, false));
    // It cannot be reached any more.
    set(0o000);
    let _ = log.take();
    assert!(log.take().is_watched);
    assert_eq!(freshness.stamp(&root), freshness.stamp(&root));
    assert!(stamp_tree(&root, &mut OutsideRules::new(&root)).is_some());
    set(0o700);
    let _ = log.take();
    fs::write(root.join("d/e/f"), "2").expect("written");
    assert_eq!(taken(&log, &root), ["d/e/f"]);
}

#[test]
fn lost_events_and_another_root_are_unknown_once() {
    let (_outer, root) = folders();
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    // More than the 16,384 events of the kernel's queue, in a folder that is watched.
    for number in 0..9_000 {
        let path = root.join((number % 7).to_string());
        fs::write(&path, "1").expect("written");
        fs::remove_file(&path).expect("removed");
    }
    assert!(is_unknown(&log), "the queue overflowed");
    let replace = |root: &Path| {
        fs::rename(root, root.with_file_name("old")).expect("renamed");
        fs::create_dir(root).expect("made");
    };
    replace(&root);
    assert!(is_unknown(&log), "the root is another folder");
    fs::write(root.join("a"), "1").expect("written");
    fs::write(root.with_file_name("old").join("b"), "1").expect("written");
    assert_eq!(taken(&log, &root), ["a"], "the new root is watched");
    fs::remove_dir_all(&root).expect("removed");
    for _ in 0..2 {
        let changes = log.take();
        assert_eq!((changes.changed, changes.is_watched), (ChangedPaths::Unknown, false));
    }
    fs::create_dir(&root).expect("made");
    let changes = log.take();
    assert_eq!((changes.changed, changes.is_watched), (ChangedPaths::Unknown, true));
    assert!(taken(&log, &root).is_empty());
}

#[test]
fn more_paths_than_a_log_remembers_are_unknown() {
    let log = PathLog::default();
    let path = |number: usize| PathBuf::from(format!("/{number}"));
    for number in 0..MOST_PATHS {
        log.push(&path(number));
        log.push(&path(number));
    }
    assert!(matches!(log.take(), ChangedPaths::Paths(paths) if paths.len() == MOST_PATHS));
    (0..=MOST_PATHS + 1).for_each(|number| log.push(&path(number)));
    assert_eq!((log.take(), log.is_empty()), (ChangedPaths::Unknown, true));
}

#[test]
fn each_log_of_a_root_gets_every_change_while_it_lives() {
    let (_outer, root) = folders();
    let freshness = Freshness::default();
    let first = freshness.log_changes(&root);
    fs::write(root.join("a"), "1").expect("written");
    let second = freshness.log_changes(&root);
    fs::write(root.join("b"), "1").expect("written");
    // A stamp reads the queue too.
    let stamp = freshness.stamp(&root);
    assert_eq!(taken(&second, &root), ["b"]);
    assert_eq!(taken(&first, &root), ["a", "b"]);
    assert_eq!(freshness.try_stamp(&root), Some(stamp), "a log changes no stamp");
    drop(first);
    fs::write(root.join("c"), "1").expect("written");
    assert_eq!(taken(&second, &root), ["c"]);
    assert_eq!(second.tree.lock().logs.0.len(), 1, "the dropped log is forgotten");
}

#[test]
fn root_with_a_log_stays_watched() {
    let (outer, root) = folders();
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let stamp = freshness.stamp(&root);
    for number in 0..40 {
        let other = outer.path().join(number.to_string());
        fs::create_dir(&other).expect("made");
        let _ = freshness.stamp(&other);
    }
    assert_eq!(freshness.try_stamp(&root), Some(stamp));
    drop(log);
}

#[test]
fn rules_outside_are_told_beside_the_paths() {
    let (_outer, root) = folders();
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let before = log.take();
    fs::write(root.with_file_name(".ignore"), "a").expect("written");
    let after = log.take();
    assert!(before.outside != after.outside && before.changed == after.changed, "{after:?}");
    assert!(!freshness.has_unstamped_rules(&root));
    symlink("../.ignore", root.join(".ignore")).expect("linked");
    let _ = log.take();
    assert!(freshness.has_unstamped_rules(&root));
}

#[tokio::test]
async fn log_wakes_its_reader_and_shares_the_event_loop() {
    let (_outer, root) = folders();
    let freshness = Freshness::default();
    let (log, other) = (freshness.log_changes(&root), freshness.log_changes(&root));
    let event_loop = log.tree.lock().event_loop.clone();
    let wait = async |log: &ChangeLog| {
        let woken = tokio::time::timeout(Duration::from_secs(20), log.wait()).await;
        woken.expect("nothing was logged");
    };
    fs::write(root.join("a"), "1").expect("written");
    wait(&log).await;
    assert_eq!(taken(&log, &root), ["a"]);
    // Without a call the folder above the root is noticed too.
    let above = root.parent().expect("a folder");
    fs::rename(above, above.with_extension("old")).expect("renamed");
    fs::create_dir_all(&root).expect("made");
    wait(&log).await;
    assert!(is_unknown(&log));
    drop(log);
    assert_eq!(event_loop.strong_count(), 1);
    drop(other);
    assert!(event_loop.upgrade().is_none());
    fs::remove_dir_all(above.with_extension("old")).expect("removed");
}

/// The kind and content of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    File { mode: u32, content: Vec<u8> },
    Link(PathBuf),
}

/// Every path at and below another one. What vanishes meanwhile is left out.
fn snapshot(top: &Path, found: &mut BTreeMap<PathBuf, Entry>) {
    let Ok(meta) = top.symlink_metadata() else { return };
    let entry = if meta.is_dir() {
        for child in fs::read_dir(top).into_iter().flatten().flatten() {
            snapshot(&child.path(), found);
        }
        Some(Entry::Folder)
    } else if meta.is_symlink() {
        fs::read_link(top).ok().map(Entry::Link)
    } else {
        let mode = meta.permissions().mode();
        fs::read(top).ok().map(|content| Entry::File { mode, content })
    };
    found.extend(entry.map(|entry| (top.to_path_buf(), entry)));
}

/// The content of a root as a reader keeps it that reads again only the paths of a log.
#[derive(Debug, Default)]
struct Mirror(BTreeMap<PathBuf, Entry>);

impl Mirror {
    fn new(root: &Path) -> Self {
        let mut mirror = Self::default();
        snapshot(root, &mut mirror.0);
        mirror
    }

    fn refresh(&mut self, root: &Path, changed: &ChangedPaths) {
        let paths = match changed {
            ChangedPaths::Paths(paths) => paths.clone(),
            ChangedPaths::Unknown => vec![root.to_path_buf()],
        };
        for path in paths {
            self.0.retain(|known, _| !known.starts_with(&path));
            snapshot(&path, &mut self.0);
        }
    }
}

/// A step between two answers of a log. Numbers are names in small tables, so that several steps meet.
#[derive(Clone, Debug)]
enum Step {
    Write(u8, u8),
    Append(u8, u8),
    Delete(u8),
    Rename(u8, u8),
    Link(u8, u8),
    Permissions(u8, u8),
    MakeFolder(u8),
    FillFolder(u8, u8),
    MoveFolder(u8, u8),
    Exchange(u8, u8),
    MoveOut(u8, u8),
    MoveIn(u8, u8),
    RemoveFolder(u8),
    FolderForFile(u8),
    ReplaceRoot(u8),
    /// The queue is read, but the log is not taken.
    Stamp,
    Take,
}

fn step() -> impl Strategy<Value = Step> {
    let two = || (any::<u8>(), any::<u8>());
    prop_oneof![
        6 => two().prop_map(|(file, text)| Step::Write(file, text)),
        2 => two().prop_map(|(file, text)| Step::Append(file, text)),
        2 => any::<u8>().prop_map(Step::Delete),
        3 => two().prop_map(|(from, to)| Step::Rename(from, to)),
        1 => two().prop_map(|(file, target)| Step::Link(file, target)),
        1 => two().prop_map(|(file, mode)| Step::Permissions(file, mode)),
        2 => any::<u8>().prop_map(Step::MakeFolder),
        3 => two().prop_map(|(folder, text)| Step::FillFolder(folder, text)),
        4 => two().prop_map(|(from, to)| Step::MoveFolder(from, to)),
        1 => two().prop_map(|(from, to)| Step::Exchange(from, to)),
        1 => two().prop_map(|(from, to)| Step::MoveOut(from, to)),
        2 => two().prop_map(|(from, to)| Step::MoveIn(from, to)),
        2 => any::<u8>().prop_map(Step::RemoveFolder),
        1 => any::<u8>().prop_map(Step::FolderForFile),
        1 => any::<u8>().prop_map(Step::ReplaceRoot),
        3 => Just(Step::Stamp),
        4 => Just(Step::Take),
    ]
}

const FOLDERS: [&str; 6] = ["a", "a/b", "a/b/c", "d", "d/e", "f"];

/// Makes a step; an impossible one changes nothing.
fn apply(root: &Path, step: &Step) {
    let folder = |n: u8| root.join(FOLDERS[usize::from(n) % FOLDERS.len()]);
    let file = |n: u8| {
        let name = format!("f{}", n / 8 % 3);
        let inside = FOLDERS.get(usize::from(n % 8));
        inside.map_or_else(|| root.join(&name), |inside| root.join(inside).join(&name))
    };
    let outside = |n: u8| root.with_file_name(format!("out{}", n % 2));
    let text = |n: u8| "x".repeat(usize::from(n % 16));
    match step {
        Step::Write(name, content) => drop(fs::write(file(*name), text(*content))),
        Step::Append(name, content) => {
            use std::io::Write as _;
            let opened = fs::File::options().append(true).open(file(*name));
            drop(opened.and_then(|mut opened| opened.write_all(text(*content).as_bytes())));
        }
        Step::Delete(name) => drop(fs::remove_file(file(*name))),
        Step::Rename(from, to) => drop(fs::rename(file(*from), file(*to))),
        Step::Link(name, target) => drop(symlink(file(*target), file(*name))),
        Step::Permissions(name, mode) => {
            let mode = fs::Permissions::from_mode(0o600 | u32::from(mode % 8));
            if file(*name).symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                drop(fs::set_permissions(file(*name), mode));
            }
        }
        Step::MakeFolder(name) => drop(fs::create_dir_all(folder(*name))),
        Step::FillFolder(name, content) => {
            let filled = folder(*name).join("g/h");
            drop(fs::create_dir_all(&filled).and_then(|()| fs::write(filled.join("f0"), text(*content))));
        }
        Step::MoveFolder(from, to) => drop(fs::rename(folder(*from), folder(*to))),
        Step::Exchange(from, to) => drop(renameat_with(CWD, folder(*from), CWD, folder(*to), RenameFlags::EXCHANGE)),
        Step::MoveOut(from, to) => drop(fs::rename(folder(*from), outside(*to))),
        Step::MoveIn(from, to) => drop(fs::rename(outside(*from), folder(*to))),
        Step::RemoveFolder(name) => drop(fs::remove_dir_all(folder(*name))),
        Step::FolderForFile(name) => {
            if fs::remove_file(file(*name)).is_ok() {
                drop(fs::create_dir(file(*name)));
            }
        }
        Step::ReplaceRoot(other) => {
            if fs::rename(root, outside(*other)).is_ok() {
                fs::create_dir(root).expect("made");
            }
        }
        Step::Stamp | Step::Take => {}
    }
}

/// Compares an answer with what really changed between two snapshots.
fn covers(changed: &ChangedPaths, before: &Mirror, after: &Mirror) -> Result<(), TestCaseError> {
    let ChangedPaths::Paths(paths) = changed else {
        return Ok(());
    };
    for path in before.0.keys().chain(after.0.keys()) {
        let is_changed = before.0.get(path) != after.0.get(path);
        let is_named = paths.iter().any(|named| path.starts_with(named));
        prop_assert!(!is_changed || is_named, "{path:?} is missing from {paths:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config { rng_seed: RngSeed::Fixed(22), ..Config::with_cases(150) })]

    #[test]
    fn each_answer_covers_every_change_since_the_last(steps in prop::collection::vec(step(), 1..80)) {
        let (_outer, root) = folders();
        let freshness = Freshness::default();
        let log = freshness.log_changes(&root);
        let mut before = Mirror::new(&root);
        let mut known = Mirror::new(&root);
        let mut is_replaced = false;
        for step in steps.iter().chain([&Step::Take]) {
            apply(&root, step);
            match step {
                Step::Stamp => drop(freshness.stamp(&root)),
                Step::ReplaceRoot(_) => is_replaced = true,
                Step::Take => {
                    let changed = log.take().changed;
                    let after = Mirror::new(&root);
                    covers(&changed, &before, &after)?;
                    prop_assert!(is_replaced || changed != ChangedPaths::Unknown);
                    known.refresh(&root, &changed);
                    prop_assert_eq!(&known.0, &after.0);
                    (before, is_replaced) = (after, false);
                }
                _ => {}
            }
        }
    }
}

/// Several threads take while another one changes files, and the event loop reads the queue beside them.
#[test]
fn readers_that_take_while_files_change_end_with_the_last_state() {
    const STEPS: usize = 8_000;
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _entered = runtime.enter();
    let (_outer, root) = folders();
    let freshness = Freshness::default();
    let log = freshness.log_changes(&root);
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(7), ..Config::default() });
    let steps = step();
    let mut next = || steps.new_tree(&mut runner).expect("a step").current();
    for _ in 0..5 {
        let (known, has_ended) = (Arc::new(Mutex::new(Mirror::new(&root))), AtomicBool::new(false));
        let mut precise = std::thread::scope(|scope| {
            let readers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut precise = 0;
                        while !has_ended.load(Ordering::Acquire) {
                            let changed = log.take().changed;
                            precise += u32::from(matches!(&changed, ChangedPaths::Paths(paths) if !paths.is_empty()));
                            known.lock().refresh(&root, &changed);
                        }
                        precise
                    })
                })
                .collect();
            for _ in 0..STEPS / 5 {
                apply(&root, &next());
            }
            has_ended.store(true, Ordering::Release);
            let ended = readers.into_iter().map(|reader| reader.join().expect("a reader"));
            ended.sum::<u32>()
        });
        let changed = log.take().changed;
        precise += u32::from(changed != ChangedPaths::Unknown);
        let mut known = known.lock();
        known.refresh(&root, &changed);
        assert_eq!(known.0, Mirror::new(&root).0);
        assert!(precise > 10, "nothing was tested: {precise}");
    }
}
