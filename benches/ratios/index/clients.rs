//! Many clients at once.

use std::{
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use super::{asking::timed, questions::selective};
use crate::{client::Server, measure::Times};

/// The numbers of clients.
pub(super) const CLIENTS: [usize; 4] = [1, 4, 16, 64];

/// How long they ask; each asks at least once.
const ASKING: Duration = Duration::from_secs(3);

/// Returns the times of the calls of some clients that ask at once.
pub(super) fn ask_at_once(server: &Server, clients: usize) -> Times {
    let question = selective();
    let all_connected = Barrier::new(clients);
    thread::scope(|scope| {
        let ask = || {
            let mut client = server.client();
            let mut times = Times::default();
            all_connected.wait();
            let began = Instant::now();
            loop {
                times.push(timed(&mut client, question.tool, &question.arguments[0]).0);
                if began.elapsed() >= ASKING {
                    return times;
                }
            }
        };
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(ask)).collect();
        let mut all = Times::default();
        for thread in threads {
            all.append(thread.join().expect("the calls succeed"));
        }
        all
    })
}
