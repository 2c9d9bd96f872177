//! A walk of folders on one thread, with visitors of files on several.
//!
//! `ignore`'s parallel walk reads a folder once. Its serial walk also looks up each ignore file by its name, for twice
//! the system's time. So this is the parallel walk on one thread: on several, its threads wait for ever if the system
//! provides only some of them.

use std::{
    cell::Cell,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc::{TrySendError, sync_channel},
    thread,
};

use ignore::{DirEntry, WalkBuilder, WalkState};
use parking_lot::Mutex;

use crate::thread_budget;

/// The maximum number of files waiting for a thread. The walking thread then visits the next file itself; if that one
/// is large, the other threads take the waiting ones.
const MAX_WAITING_FILES: usize = 128;

/// The entry or error that a walk passes to its visitors.
pub(crate) type WalkEntry = Result<DirEntry, ignore::Error>;

thread_local! {
    /// True while this thread waits for a walk's own thread.
    static HAS_FALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// True if [`walk`] handles a panic on this thread, so that a panic hook need not report it: the system provided no
/// thread, or the walk's thread panicked and reported it.
#[must_use]
pub fn is_panic_handled() -> bool {
    HAS_FALLBACK.get()
}

/// Visits every entry once, until the visitor breaks. If the system provides no thread, the walk is only slower.
pub(crate) fn walk(
    rules: &WalkBuilder,
    mut visitor: impl FnMut(WalkEntry) -> ControlFlow<()> + Send,
) -> ControlFlow<()> {
    let shared = Mutex::new((ControlFlow::Continue(()), false, &mut visitor));
    HAS_FALLBACK.set(true);
    let walked = catch_unwind(AssertUnwindSafe(|| {
        rules.clone().threads(1).build_parallel().run(|| {
            Box::new(|entry| {
                let (result, has_begun, visitor) = &mut *shared.lock();
                *has_begun = true;
                *result = visitor(entry);
                if result.is_break() {
                    WalkState::Quit
                } else {
                    WalkState::Continue
                }
            })
        });
    }));
    HAS_FALLBACK.set(false);
    let (result, has_begun, _) = shared.into_inner();
    match walked {
        Ok(()) => result,
        Err(panic) if has_begun => resume_unwind(panic),
        Err(_no_thread) => rules.build().try_for_each(visitor),
    }
}

/// Visits every entry once, files on at most `threads` threads, each with its own visitor. A visitor that breaks ends
/// its thread, and the walk if that is the walking thread. If the system provides fewer threads, the existing ones do
/// the work.
pub(crate) fn walk_shared<V>(rules: &WalkBuilder, threads: usize, visitors: impl Fn() -> V)
where
    V: FnMut(WalkEntry) -> ControlFlow<()> + Send,
{
    let (offer, offered) = sync_channel(MAX_WAITING_FILES);
    let offered = Mutex::new(offered);
    let visit_offered = |mut visitor: V| {
        loop {
            let Ok(entry) = offered.lock().recv() else { return };
            if visitor(entry).is_break() {
                return;
            }
        }
    };
    let visit_offered = &visit_offered;
    thread::scope(|scope| {
        for _ in 1..threads {
            let visitor = visitors();
            if !thread_budget::spawn_thread(scope, move || visit_offered(visitor)) {
                break;
            }
        }
        let mut visitor = visitors();
        let result = walk(rules, |entry| {
            let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
            if !entry.as_ref().is_ok_and(is_file) {
                return visitor(entry);
            }
            match offer.try_send(entry) {
                Ok(()) => ControlFlow::Continue(()),
                Err(TrySendError::Full(entry) | TrySendError::Disconnected(entry)) => visitor(entry),
            }
        });
        drop(offer);
        if result.is_continue() {
            visit_offered(visitor);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashMap,
        fs,
        ops::ControlFlow,
        panic::{AssertUnwindSafe, catch_unwind},
        path::PathBuf,
        time::Duration,
    };

    use ignore::WalkBuilder;
    use parking_lot::{Condvar, Mutex};

    use super::{WalkEntry, walk_shared};

    /// Creates a repository with these files; the text after `=` is a file's content.
    fn repository(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join(".git")).expect("a folder");
        for file in files {
            let (name, content) = file.split_once('=').unwrap_or((file, ""));
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        root
    }

    /// A barrier for visitors. `wait_for` returns true once this number of them wait, false after ten seconds.
    #[derive(Default)]
    struct Meeting(Mutex<usize>, Condvar);

    impl Meeting {
        fn wait_for(&self, visitors: usize) -> bool {
            let mut met = self.0.lock();
            *met += 1;
            self.1.notify_all();
            let wait = self
                .1
                .wait_while_for(&mut met, |met| *met < visitors, Duration::from_secs(10));
            !wait.timed_out()
        }
    }

    #[test]
    fn parallel_walk_visits_the_entries_of_a_serial_walk() {
        let mut files = vec![
            ".gitignore=*.log\n/build\n!kept.log".to_owned(),
            "build/a.rs".to_owned(),
        ];
        for at in 0..400 {
            let folder = format!("{}/{}/{}", at % 3, at % 7, at % 29);
            files.extend(["a.rs", "b.log", "kept.log", "build/c.rs", ".hidden"].map(|name| format!("{folder}/{name}")));
            if at % 5 == 0 {
                files.push(format!("{folder}/.gitignore=!b.log\na.*\n[broken"));
            }
        }
        let root = repository(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let mut serial: Vec<PathBuf> = WalkBuilder::new(root.path())
            .build()
            .map(|entry| entry.expect("an entry").into_path())
            .collect();
        serial.sort();
        for threads in 1..9 {
            let met = Mutex::new(Vec::new());
            walk_shared(&WalkBuilder::new(root.path()), threads, || {
                |entry: WalkEntry| {
                    let path = entry.expect("an entry").into_path();
                    met.lock().push(path);
                    ControlFlow::Continue(())
                }
            });
            let mut met = met.into_inner();
            met.sort();
            assert_eq!(met, serial, "{threads} threads");
        }
    }

    #[test]
    fn files_of_one_folder_are_visited_in_parallel() {
        let root = repository(&["a", "b"]);
        let meeting = Meeting::default();
        let met = Mutex::new(HashMap::new());
        walk_shared(&WalkBuilder::new(root.path()), 2, || {
            |entry: WalkEntry| {
                let entry = entry.expect("an entry");
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    let others = meeting.wait_for(2);
                    met.lock().insert(entry.into_path(), others);
                }
                ControlFlow::Continue(())
            }
        });
        let met = met.into_inner();
        assert_eq!(met.len(), 2);
        assert!(met.values().all(|others| *others), "{met:?}");
    }

    #[test]
    fn a_visitor_that_panics_ends_the_walk_with_its_panic() {
        let root = repository(&["a/a", "a/b", "b/a", "b/b"]);
        let result = catch_unwind(AssertUnwindSafe(|| {
            walk_shared(&WalkBuilder::new(root.path()), 4, || {
                |entry: WalkEntry| {
                    let is_root = entry.is_ok_and(|entry| entry.depth() == 0);
                    assert!(is_root, "as the test wants");
                    ControlFlow::Continue(())
                }
            });
        }));
        assert!(result.is_err());
    }
}
