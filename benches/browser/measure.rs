//! Measuring programs in turns, so that what the machine does meanwhile meets all of them.

use std::time::Duration;

use super::{Bench, Started, flow::Cost};

/// Medians over the rounds; nothing where a program was not there or can not do it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair<T> {
    pub(crate) ours: Option<T>,
    pub(crate) theirs: Option<T>,
}

/// Each program once in each round. The first round is thrown away: programs start their browser in it.
pub(crate) async fn in_turns(
    bench: &Bench,
    measured: impl AsyncFn(&Started) -> Option<Cost>,
) -> (Pair<Duration>, Pair<usize>) {
    let mut costs: Vec<Vec<Cost>> = bench.started.iter().map(|_| Vec::new()).collect();
    for round in 0..=bench.rounds {
        for (costs, started) in costs.iter_mut().zip(&bench.started) {
            let cost = measured(started).await;
            if round > 0 {
                costs.extend(cost);
            }
        }
    }
    let (mut took, mut tokens) = (Pair::default(), Pair::default());
    for (costs, started) in costs.into_iter().zip(&bench.started) {
        let middle_time = median(costs.iter().map(|cost| cost.took).collect());
        let middle_tokens = median(costs.iter().map(|cost| cost.tokens).collect());
        if started.peer.is_ours() {
            (took.ours, tokens.ours) = (middle_time, middle_tokens);
        } else {
            (took.theirs, tokens.theirs) = (middle_time, middle_tokens);
        }
    }
    (took, tokens)
}

/// The middle one; nothing of nothing.
pub(crate) fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

impl Pair<Duration> {
    pub(crate) fn millis(self) -> Pair<f64> {
        self.map(|time| time.as_secs_f64() * 1e3)
    }
}

impl Pair<usize> {
    pub(crate) fn count(self) -> Pair<f64> {
        self.map(|count| count as f64)
    }
}

impl<T> Pair<T> {
    fn map<U>(self, to: impl Fn(T) -> U) -> Pair<U> {
        Pair {
            ours: self.ours.map(&to),
            theirs: self.theirs.map(&to),
        }
    }
}
