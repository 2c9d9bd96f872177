//! Asks one question of fumi with the index, of its scan, of rg or fd, and of csearch, in turns.
//!
//! The peers are slow and run a few times; fumi with the index is asked many times in each of these rounds. A ratio
//! compares the medians within a round.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    Servers,
    questions::{Limited, Question},
    trees::IndexTree,
};
use crate::{
    Bench,
    client::{Client, result},
    measure::Times,
    peers::Peers,
};

/// The maximum number of rounds.
const ROUNDS: usize = 5;

/// The maximum number of calls with the index, and their maximum time, in all rounds together.
const CALLS: usize = 200;
const LONGEST: Duration = Duration::from_secs(5);

/// The times of a peer.
pub(super) struct Beside {
    pub(super) times: Times,
    /// The median over the rounds of fumi's time with the index divided by the peer's.
    pub(super) ratio: f64,
}

/// The answers to one question.
pub(super) struct Asked {
    pub(super) indexed: Times,
    pub(super) scan: Beside,
    pub(super) program: Option<Beside>,
    pub(super) csearch: Option<Beside>,
}

impl Asked {
    /// Returns what a bar limits, in its unit.
    pub(super) fn figure(&self, limited: Limited) -> f64 {
        match limited {
            Limited::ToScan => self.scan.ratio,
            Limited::ToProgram => self.program.as_ref().expect("a bar for a program has one").ratio,
            Limited::Median => self.indexed.median().as_secs_f64() * 1e3,
        }
    }
}

/// Returns the number of rounds of the slow peers.
pub(super) fn few_rounds(bench: &Bench) -> usize {
    bench.rounds.min(ROUNDS)
}

/// Asks a server. Returns the time, and the result.
pub(super) fn timed(client: &mut Client, tool: &str, arguments: &Value) -> (Duration, Value) {
    let request = client.request(tool, arguments);
    let began = Instant::now();
    let body = client.send(&request);
    let time = began.elapsed();
    let result = result(&body);
    assert_ne!(
        result["_meta"]["cache_hit"], true,
        "{arguments} was answered from the cache"
    );
    (time, result)
}

/// True if the index was used for all files.
pub(super) fn is_whole(result: &Value) -> bool {
    result["_meta"]["fumi/index"] == "whole"
}

pub(super) fn ask(bench: &Bench, tree: &IndexTree, servers: &Servers, question: &Question) -> Asked {
    let (warm_up, rounds) = if question.is_first {
        (0, 1)
    } else {
        (1, few_rounds(bench))
    };
    // Other words are new to both servers only once.
    let is_new = question.is_first || question.arguments.len() > 1;
    let calls = if is_new { 1 } else { CALLS / rounds };
    let longest = LONGEST / u32::try_from(rounds).expect("few rounds");
    let mut indexed = Times::default();
    let mut peers = [Slow::default(), Slow::default(), Slow::default()];
    for round in 0..warm_up + rounds {
        let arguments = &question.arguments[round % question.arguments.len()];
        let (scan_time, reply) = timed(&mut servers.scan.client(), question.tool, arguments);
        let answer = (question.answer)(&reply["structuredContent"]);
        let program = question.program.as_ref().map(|program| {
            let path = if program.name == "rg" {
                &bench.peers.rg
            } else {
                &bench.peers.fd
            };
            let began = Instant::now();
            let printed = Peers::run(path, &tree.root, &program.arguments);
            let time = began.elapsed();
            let found = (program.answer)(&printed);
            assert_eq!(
                found, answer,
                "{}: {} and fumi's scan differ",
                question.what, program.name
            );
            time
        });
        let csearch = question.csearch.as_ref().map(|words| {
            let mut command = Command::new("csearch");
            command.args(words).env("CSEARCHINDEX", &tree.csearch_index);
            let began = Instant::now();
            Peers::output(&mut command);
            began.elapsed()
        });
        // A connection of each round's own: the server closes one that is idle while a slow peer works.
        let mut client = servers.indexed.client();
        let (began, mut burst) = (Instant::now(), Times::default());
        for _ in 0..calls {
            let (time, reply) = timed(&mut client, question.tool, arguments);
            assert!(
                !question.is_whole || is_whole(&reply),
                "{}: the index was not used: {}",
                question.what,
                reply["_meta"]
            );
            let found = (question.answer)(&reply["structuredContent"]);
            assert_eq!(found, answer, "{}: index and scan differ", question.what);
            burst.push(time);
            if began.elapsed() > longest {
                break;
            }
        }
        if round >= warm_up {
            let median = burst.median();
            for (peer, time) in peers.iter_mut().zip([Some(scan_time), program, csearch]) {
                peer.push(time, median);
            }
            indexed.append(burst);
        }
    }
    let [scan, program, csearch] = peers.map(Slow::finish);
    Asked {
        indexed,
        scan: scan.expect("every round has a scan"),
        program,
        csearch,
    }
}

/// The rounds of a slow peer.
#[derive(Default)]
struct Slow {
    times: Times,
    ratios: Vec<f64>,
}

impl Slow {
    /// Adds a round, if the peer ran in it.
    fn push(&mut self, time: Option<Duration>, indexed: Duration) {
        if let Some(time) = time {
            self.times.push(time);
            self.ratios.push(indexed.as_secs_f64() / time.as_secs_f64());
        }
    }

    /// `None` if the peer did not run.
    fn finish(mut self) -> Option<Beside> {
        self.ratios.sort_by(f64::total_cmp);
        let ratio = *self.ratios.get(self.ratios.len() / 2)?;
        Some(Beside {
            times: self.times,
            ratio,
        })
    }
}
