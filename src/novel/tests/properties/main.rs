//! What holds for every manuscript, tried on random ones, on hostile ones and on a whole novel.
//!
//! Equal runs try equal cases; `FUMI_PROPERTY_SEED` asks for others, `FUMI_PROPERTY_TIMES` for so many times as many.
//! Expectations are reckoned here from the text alone; nothing of the code under test builds them.

mod hostile;
mod invariants;
mod made;
mod novel;
mod written;

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// A runner of so many cases.
fn runner(cases: u32) -> TestRunner {
    let asked = |name: &str| {
        let value = std::env::var(name).ok()?;
        Some(value.parse::<u32>().unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let seed = asked("FUMI_PROPERTY_SEED").map(u64::from);
    TestRunner::new(Config {
        cases: cases * asked("FUMI_PROPERTY_TIMES").unwrap_or(1),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed.unwrap_or(9)),
        ..Config::default()
    })
}
