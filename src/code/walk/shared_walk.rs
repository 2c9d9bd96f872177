//! A walk of folders on one thread, with visitors of files on several. On several, walking threads would wait without end
//! if the system provides only some of them.

use std::{
    ops::ControlFlow,
    sync::mpsc::{TrySendError, sync_channel},
    thread,
};

use parking_lot::Mutex;

use super::{FileKind, Walk, WalkEntry};
use crate::thread_budget;

/// The maximum number of files waiting for a thread. The walking thread then visits the next file itself; if that one
/// is large, the other threads take the waiting ones.
const MAX_WAITING_FILES: usize = 128;

/// Visits every entry once, files on at most `threads` threads, each with its own visitor. A visitor that breaks ends
/// its thread, and the walk if that is the walking thread. If the system provides fewer threads, the existing ones do
/// the work.
pub(crate) fn walk_shared<V>(walk: &Walk<'_>, threads: usize, visitors: impl Fn() -> V)
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
        let result = walk.visit(|entry| {
            if entry.kind != FileKind::File {
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
        sync::Arc,
        time::Duration,
    };

    use fumi_base::project::Project;
    use ignore::{WalkBuilder, overrides::Override};
    use parking_lot::{Condvar, Mutex};

    use super::{FileKind, Walk, WalkEntry, walk_shared};
    use crate::{
        skipped::SkippedList,
        walk::{RIPGREP_IGNORE, Traversal},
    };

    /// A repository with some files.
    struct Repository {
        _folder: tempfile::TempDir,
        project: Arc<Project>,
        roots: [PathBuf; 1],
        globs: Override,
        skipped: Mutex<SkippedList>,
    }

    impl Repository {
        /// Creates these files; the text after `=` is a file's content.
        fn new(files: &[&str]) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            fs::create_dir(folder.path().join(".git")).expect("a folder");
            for file in files {
                let (name, content) = file.split_once('=').unwrap_or((file, ""));
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
                fs::write(path, content).expect("a file");
            }
            let project = Project::open(folder.path()).expect("a project");
            Self {
                _folder: folder,
                roots: [project.root().to_path_buf()],
                project,
                globs: Override::empty(),
                skipped: Mutex::default(),
            }
        }

        fn walk(&self) -> Walk<'_> {
            Walk {
                project: &self.project,
                roots: &self.roots,
                traversal: Traversal::default(),
                own_rules: RIPGREP_IGNORE,
                globs: &self.globs,
                max_depth: None,
                skipped: &self.skipped,
            }
        }
    }

    /// A barrier for visitors. `wait_for` returns true once this number of them wait, false after ten seconds.
    #[derive(Default)]
    struct Meeting(Mutex<usize>, Condvar);

    impl Meeting {
        fn wait_for(&self, visitors: usize) -> bool {
            let mut met = self.0.lock();
            *met += 1;
            self.1.notify_all();
            let wait = self.1.wait_while_for(&mut met, |met| *met < visitors, Duration::from_secs(10));
            !wait.timed_out()
        }
    }

    #[test]
    fn parallel_walk_visits_the_entries_that_the_walker_of_ripgrep_does() {
        let mut files = vec![".gitignore=*.log\n/build\n!kept.log".to_owned(), "build/a.rs".to_owned()];
        for at in 0..400 {
            let folder = format!("{}/{}/{}", at % 3, at % 7, at % 29);
            files.extend(["a.rs", "b.log", "kept.log", "build/c.rs", ".hidden"].map(|name| format!("{folder}/{name}")));
            if at % 5 == 0 {
                files.push(format!("{folder}/.gitignore=!b.log\na.*\n[broken"));
            }
        }
        let repository = Repository::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let mut serial: Vec<PathBuf> = WalkBuilder::new(repository.project.root())
            .build()
            .map(|entry| entry.expect("an entry").into_path())
            .collect();
        serial.sort();
        for threads in 1..9 {
            let met = Mutex::new(Vec::new());
            walk_shared(&repository.walk(), threads, || {
                |entry: WalkEntry| {
                    met.lock().push(entry.path);
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
        let repository = Repository::new(&["a", "b"]);
        let meeting = Meeting::default();
        let met = Mutex::new(HashMap::new());
        walk_shared(&repository.walk(), 2, || {
            |entry: WalkEntry| {
                if entry.kind == FileKind::File {
                    let others = meeting.wait_for(2);
                    met.lock().insert(entry.path, others);
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
        let repository = Repository::new(&["a/a", "a/b", "b/a", "b/b"]);
        let result = catch_unwind(AssertUnwindSafe(|| {
            walk_shared(&repository.walk(), 4, || {
                |entry: WalkEntry| {
                    assert!(entry.depth == 0, "as the test wants");
                    ControlFlow::Continue(())
                }
            });
        }));
        assert!(result.is_err());
    }
}
