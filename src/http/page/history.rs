//! The calls of the last 24 hours, in steps of 15 minutes. A task of the server samples the metrics at the end of each step.
//! The samples are not stored beyond the process.

use std::{collections::VecDeque, time::Duration};

use fumi_base::text::Locale;
use parking_lot::Mutex;
use tokio::time;

use super::{
    figures::{Counted, mean_ms},
    text,
};
use crate::http::router::Edge;

const STEP: Duration = Duration::from_mins(15);
/// The number of steps in 24 hours.
const STEPS: usize = 96;
/// The height of the highest bar, in pixels.
const HIGHEST: u64 = 80;
/// The distance from one bar to the next, in pixels.
const APART: usize = 6;

/// Sums over all calls since the start of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Totals {
    pub calls: u64,
    pub failures: u64,
    pub seconds: f64,
    pub tokens: u64,
    pub saved: u64,
}

impl Totals {
    /// Returns the part of the sums that came after `before`.
    fn since(self, before: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(before.calls),
            failures: self.failures.saturating_sub(before.failures),
            seconds: (self.seconds - before.seconds).max(0.0),
            tokens: self.tokens.saturating_sub(before.tokens),
            saved: self.saved.saturating_sub(before.saved),
        }
    }
}

/// The sums at the end of each step, oldest first; before the first one all are 0.
#[derive(Debug, Default)]
pub struct CallHistory(Mutex<VecDeque<Totals>>);

impl CallHistory {
    /// Stores a sample at the end of each step until the server closes.
    pub async fn keep(edge: Edge) {
        loop {
            tokio::select! {
                () = edge.closing.cancelled() => return,
                () = time::sleep(STEP) => edge.history.push(Counted::new(&edge.app.metrics.families()).totals()),
            }
        }
    }

    fn push(&self, totals: Totals) {
        let mut samples = self.0.lock();
        samples.push_back(totals);
        // The oldest one is where the first step begins.
        if samples.len() > STEPS {
            samples.pop_front();
        }
    }

    /// Returns the steps of the last 24 hours, oldest first. The last step is not over yet; `now` has the sums so far.
    fn steps(&self, now: Totals) -> Vec<Totals> {
        let samples = self.0.lock();
        let begin = if samples.len() < STEPS { Some(Totals::default()) } else { None };
        let ends: Vec<_> = begin.into_iter().chain(samples.iter().copied()).chain([now]).collect();
        ends.windows(2).map(|pair| pair[1].since(pair[0])).collect()
    }
}

/// The last 24 hours as the page shows them.
pub(super) struct Day {
    pub figures: Vec<(&'static str, String)>,
    pub charts: Vec<BarChart>,
}

/// A bar for each step.
pub(super) struct BarChart {
    pub title: &'static str,
    /// The largest value, with its unit.
    pub most: String,
    /// The left edge and the height of each bar, in pixels; steps without calls have none.
    pub bars: Vec<(usize, u64)>,
}

impl BarChart {
    pub(super) const WIDTH: usize = STEPS * APART;
    pub(super) const HEIGHT: u64 = HIGHEST;
    pub(super) const BAR: usize = APART - 1;

    fn new(title: &'static str, unit: &str, values: &[u64]) -> Self {
        let most = values.iter().copied().max().unwrap_or_default();
        let first = STEPS.saturating_sub(values.len());
        let bar =
            |(at, value): (usize, &u64)| (*value > 0).then(|| ((first + at) * APART, (value * HIGHEST).div_ceil(most)));
        let bars = values.iter().enumerate().filter_map(bar).collect();
        Self { title, most: format!("{most}{unit}"), bars }
    }
}

/// Returns the last 24 hours.
pub(super) fn day(history: &CallHistory, now: Totals, locale: Locale) -> Day {
    let steps = history.steps(now);
    let sum = |number: fn(&Totals) -> u64| steps.iter().map(number).sum::<u64>().to_string();
    let calls: Vec<_> = steps.iter().map(|step| step.calls).collect();
    let times: Vec<_> = steps.iter().map(|step| mean_ms(step.seconds, step.calls)).collect();
    Day {
        figures: vec![
            (text("calls", locale), sum(|step| step.calls)),
            (text("failures", locale), sum(|step| step.failures)),
            (text("day_tokens", locale), sum(|step| step.tokens)),
            (text("day_saved", locale), sum(|step| step.saved)),
        ],
        charts: vec![
            BarChart::new(text("day_calls", locale), "", &calls),
            BarChart::new(text("day_times", locale), " ms", &times),
        ],
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{CallHistory, STEPS, Totals, day};

    #[test]
    fn steps_end_now_and_older_ones_are_forgotten() {
        let (history, at) = (CallHistory::default(), |calls| Totals { calls, ..Totals::default() });
        let calls = |now| history.steps(at(now)).iter().map(|step| step.calls).collect::<Vec<_>>();
        assert_eq!(calls(3), [3]);
        for end in [5, 5, 9] {
            history.push(at(end));
        }
        assert_eq!(calls(10), [5, 0, 4, 1]);
        for end in 11..11 + STEPS as u64 {
            history.push(at(end));
        }
        let of_day = calls(200);
        assert_eq!((of_day.len(), of_day[0], of_day[STEPS - 1]), (STEPS, 1, 94));
        let shown = day(&history, at(200), Locale::En);
        assert_eq!(shown.figures[0].1, (200 - 11).to_string());
        let calls = &shown.charts[0];
        assert_eq!((calls.most.as_str(), calls.bars[0], calls.bars[STEPS - 1]), ("94", (0, 1), (570, 80)));
    }
}
