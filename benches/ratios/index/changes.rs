//! Changed files: the next call must be right, and soon the index is whole again.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    INDEX,
    asking::{few_rounds, is_whole, timed},
    first_build::until_whole,
    questions::selective,
    trees::{IndexTree, files_below},
};
use crate::{
    Bench,
    client::{Client, Server},
    measure::Times,
    peers::copy_tree,
};

/// How often one file is changed.
const ONE_FILE: usize = 20;
/// The number of files that change together.
const MANY_FILES: usize = 1_000;
/// The time between two saves.
const BETWEEN_SAVES: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(5);

pub(super) struct Changes {
    /// The calls directly after a file changed.
    pub(super) next_calls: Times,
    /// The times from a change until the index is whole again, for one file and for many.
    pub(super) one: Times,
    pub(super) many: Times,
    /// The calls directly after many files changed.
    pub(super) next_calls_of_many: Times,
    /// The calls while a file is saved all the time.
    pub(super) while_saving: Times,
}

/// Changes a copy of a tree.
pub(super) fn change(bench: &Bench, tree: &IndexTree) -> Changes {
    let folder = tree.root.parent().expect("trees are in a folder");
    let copy = tempfile::tempdir_in(folder).expect("a folder");
    copy_tree(&tree.root, copy.path());
    let mut sources: Vec<PathBuf> = files_below(copy.path());
    sources.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    sources.sort();
    sources.truncate(MANY_FILES);
    let server = Server::start(&[copy.path()], &INDEX);
    let mut client = server.client();
    until_whole(&mut client);
    let (mut next_calls, mut one) = (Times::default(), Times::default());
    for n in 0..ONE_FILE {
        let (next, whole) = append(&sources[n..=n], &format!("changed_once_{n}"), &mut client);
        next_calls.push(next);
        one.push(whole);
    }
    let (mut next_calls_of_many, mut many) = (Times::default(), Times::default());
    for n in 0..few_rounds(bench) {
        let (next, whole) = append(&sources, &format!("changed_together_{n}"), &mut client);
        next_calls_of_many.push(next);
        many.push(whole);
    }
    Changes {
        next_calls,
        one,
        many,
        next_calls_of_many,
        while_saving: while_saving(&sources[0], &mut client),
    }
}

/// Appends a line with a word to some files and searches for the word. Returns the time of the first search, and the time
/// from the change until the index is whole again.
fn append(files: &[PathBuf], word: &str, client: &mut Client) -> (Duration, Duration) {
    for file in files {
        let mut file = OpenOptions::new().append(true).open(file).expect("it is there");
        file.write_all(format!("\n// {word}_\n").as_bytes()).expect("written");
    }
    let changed = Instant::now();
    let arguments = json!({"roots": ["."], "query": format!("{word}_"), "total_only": true});
    let mut first = None;
    loop {
        let (time, reply) = timed(client, "search_content", &arguments);
        let found = reply["structuredContent"]["total_matches"].as_u64();
        assert_eq!(found, Some(files.len() as u64), "a call after a change is wrong");
        let first = *first.get_or_insert(time);
        if is_whole(&reply) {
            return (first, changed.elapsed());
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Searches while a file, which is not among the hits, is saved all the time.
fn while_saving(file: &Path, client: &mut Client) -> Times {
    let question = selective();
    let text = fs::read_to_string(file).expect("readable");
    let total = |client: &mut Client| {
        let (time, reply) = timed(client, question.tool, &question.arguments[0]);
        ((question.answer)(&reply["structuredContent"]), time)
    };
    let (expected, _) = total(client);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0.. {
                if is_over.load(Relaxed) {
                    return;
                }
                fs::write(file, format!("{text}\n// saved {n}\n")).expect("written");
                thread::sleep(BETWEEN_SAVES);
            }
        });
        let (began, mut times) = (Instant::now(), Times::default());
        while began.elapsed() < LONGEST {
            let (found, time) = total(client);
            assert_eq!(found, expected, "a call while a file is saved is wrong");
            times.push(time);
            // Otherwise most calls are made between two saves.
            thread::sleep(BETWEEN_SAVES / 4);
        }
        is_over.store(true, Relaxed);
        times
    })
}
