//! The first build of an index: its time, the calls meanwhile, and the memory that it takes.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{
    INDEX,
    asking::{few_rounds, is_whole, timed},
    questions::selective,
};
use crate::{
    Bench,
    client::{Client, Server, result},
    measure::{Times, median_of},
    process::settled,
};

/// The longest time until an index must be whole.
const LONGEST: Duration = Duration::from_mins(10);

/// The longest time until all files must be parsed, at a low priority.
const LONGEST_PARSE: Duration = Duration::from_hours(1);

pub(super) struct FirstBuild {
    /// The median time from the first call until a reply says that the index was used for all files.
    pub(super) took: Duration,
    /// The calls of a client that is asking half of the time meanwhile.
    pub(super) calls: Times,
    /// The time from then on until all files are parsed, of the last build.
    pub(super) parsed: Duration,
    /// The memory after that minus that before the build, in megabytes.
    pub(super) megabytes: f64,
    /// The server with the last build.
    pub(super) server: Server,
    /// The server's state folder.
    pub(super) state: TempDir,
}

/// Builds a few times, each time by a new server.
pub(super) fn first_build(bench: &Bench, root: &Path) -> FirstBuild {
    let mut calls = Times::default();
    let mut last = None;
    let took = median_of(few_rounds(bench).min(3), || {
        // Before the next server starts.
        drop(last.take());
        let (server, state) = start_anew(root);
        let before = server.memory().0;
        let (took, meanwhile) = until_whole(&mut server.client());
        calls.append(meanwhile);
        last = Some((server, state, before));
        took
    });
    let (server, state, before) = last.expect("there is a round");
    let parsed = until_parsed(&server);
    FirstBuild {
        took,
        calls,
        parsed,
        megabytes: settled(&server) - before,
        server,
        state,
    }
}

/// Starts a server with a new state folder.
fn start_anew(root: &Path) -> (Server, TempDir) {
    let state = tempfile::tempdir().expect("a folder");
    (start_with(root, state.path()), state)
}

fn start_with(root: &Path, state: &Path) -> Server {
    let folder = state.to_str().expect("UTF-8");
    let state_settings = [("FUMI__STORE__KIND", "fs"), ("FUMI__STORE__DIR", folder)];
    Server::start(&[root], &[&INDEX[..], &state_settings].concat())
}

/// Returns the median time from the first call of a server that starts again until a reply says that the index was used
/// for all files.
pub(super) fn restart(bench: &Bench, root: &Path) -> Duration {
    let (server, state) = start_anew(root);
    until_whole(&mut server.client());
    let began = Instant::now();
    while !is_written(state.path()) {
        assert!(began.elapsed() < LONGEST, "the index is not written");
        thread::sleep(Duration::from_millis(20));
    }
    drop(server);
    median_of(few_rounds(bench), || {
        let server = start_with(root, state.path());
        until_whole(&mut server.client()).0
    })
}

/// Waits until all files are parsed for which there is room. Returns the time that it took.
fn until_parsed(server: &Server) -> Duration {
    let began = Instant::now();
    loop {
        let mut client = server.client();
        let body = client.send(&client.resource("code://stats/index"));
        let stats = result(&body)["contents"][0]["text"]
            .as_str()
            .map(serde_json::from_str::<Value>);
        let stats = stats.expect("a text").expect("JSON");
        if stats["unparsed_files"] == 0 {
            return began.elapsed();
        }
        assert!(began.elapsed() < LONGEST_PARSE, "the files are not parsed: {stats}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// True if there is an index in a state folder.
fn is_written(state: &Path) -> bool {
    let indexes = std::fs::read_dir(state.join("index")).into_iter().flatten();
    indexes
        .filter_map(Result::ok)
        .any(|index| index.path().join("segments").exists())
}

/// Asks until a reply says that the index was used for all files. Returns the time until then, and the times of the calls.
pub(super) fn until_whole(client: &mut Client) -> (Duration, Times) {
    let question = selective();
    let began = Instant::now();
    let mut calls = Times::default();
    loop {
        let (time, reply) = timed(client, question.tool, &question.arguments[0]);
        if is_whole(&reply) {
            return (began.elapsed(), calls);
        }
        calls.push(time);
        assert!(began.elapsed() < LONGEST, "the index is not whole: {}", reply["_meta"]);
        // As long as the call took: the client must not take the processor from the build.
        thread::sleep(time);
    }
}
