//! Measures several programs that do the same, in turns.
//!
//! A ratio is the median of the ratios of single rounds, because other load of the machine in a round slows both.
//! Processor time is measured over all rounds together, since the system counts it in hundredths of a second.

use std::{
    fs,
    time::{Duration, Instant},
};

/// The processes whose processor time counts for a peer.
#[derive(Clone, Copy)]
pub(crate) enum Cpu {
    /// This process.
    Own,
    /// The child processes that it starts and waits for.
    Children,
    /// A running process.
    Of(u32),
}

impl Cpu {
    /// Returns the processor time used so far.
    fn now(self) -> Duration {
        // proc(5): fields 14 and 15 are the process's own ticks, 16 and 17 those of children that were waited for.
        let (path, first) = match self {
            Self::Own => ("/proc/self/stat".to_owned(), 14),
            Self::Children => ("/proc/self/stat".to_owned(), 16),
            Self::Of(id) => (format!("/proc/{id}/stat"), 14),
        };
        let stat = fs::read_to_string(path).expect("the system has processor times under /proc");
        // The name in brackets may contain spaces; field 3 follows it.
        let rest = stat.rsplit_once(')').expect("a name in brackets").1;
        let ticks: u64 = rest
            .split_whitespace()
            .skip(first - 3)
            .take(2)
            .map(|field| field.parse::<u64>().expect("a number"))
            .sum();
        // USER_HZ is 100 on every architecture that fumi runs on.
        Duration::from_millis(ticks * 10)
    }
}

/// One of the programs that do the same.
pub(crate) struct Peer<'a> {
    pub(crate) name: String,
    pub(crate) cpu: Cpu,
    /// Runs once. The result is returned, so that peers can be compared.
    pub(crate) run: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a> Peer<'a> {
    pub(crate) fn new(name: impl Into<String>, cpu: Cpu, run: impl FnMut() -> u64 + 'a) -> Self {
        Self {
            name: name.into(),
            cpu,
            run: Box::new(run),
        }
    }
}

/// The times of several runs.
#[derive(Clone, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn append(&mut self, mut more: Self) {
        self.0.append(&mut more.0);
    }

    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let mut times = self.0.clone();
        times.sort_unstable();
        times[index(times.len(), share)]
    }
}

/// The times of one peer.
pub(crate) struct Taken {
    pub(crate) name: String,
    pub(crate) answer: u64,
    pub(crate) times: Times,
    cpu: Duration,
}

impl Taken {
    /// Returns the median of the rounds' ratios, and their quartiles.
    pub(crate) fn ratio_to(&self, peer: &Self) -> [f64; 3] {
        let mut ratios: Vec<f64> = self
            .times
            .0
            .iter()
            .zip(&peer.times.0)
            .map(|(own, other)| own.as_secs_f64() / other.as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        [0.25, 0.5, 0.75].map(|share| ratios[index(ratios.len(), share)])
    }

    pub(crate) fn cpu_ratio_to(&self, peer: &Self) -> Option<f64> {
        // Below a tenth of a second the ticks are too coarse.
        let is_measurable = |taken: &Self| taken.cpu >= Duration::from_millis(100);
        (is_measurable(self) && is_measurable(peer)).then(|| self.cpu.as_secs_f64() / peer.cpu.as_secs_f64())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "an index into a short list"
)]
fn index(len: usize, share: f64) -> usize {
    ((len - 1) as f64 * share).round() as usize
}

/// The rounds before those that count: they warm the caches up.
pub(crate) const WARM_UP: usize = 2;

/// Runs all peers in turns, a different one first in every round.
pub(crate) fn rounds(mut peers: Vec<Peer<'_>>, rounds: usize) -> Vec<Taken> {
    let mut taken: Vec<Taken> = peers
        .iter()
        .map(|peer| Taken {
            name: peer.name.clone(),
            answer: 0,
            times: Times::default(),
            cpu: Duration::ZERO,
        })
        .collect();
    for round in 0..rounds + WARM_UP {
        for turn in 0..peers.len() {
            let at = (round + turn) % peers.len();
            let peer = &mut peers[at];
            // Reading processor time costs about as much as a trivial call, so it is outside the measured time.
            let cpu = peer.cpu.now();
            let started = Instant::now();
            let answer = (peer.run)();
            let time = started.elapsed();
            let cpu = peer.cpu.now().saturating_sub(cpu);
            if round >= WARM_UP {
                taken[at].times.push(time);
                taken[at].cpu += cpu;
            }
            taken[at].answer = answer;
        }
    }
    taken
}

/// Returns the median time of several runs.
pub(crate) fn median_of(rounds: usize, mut run: impl FnMut() -> Duration) -> Duration {
    Times((0..rounds).map(|_| run()).collect()).median()
}
