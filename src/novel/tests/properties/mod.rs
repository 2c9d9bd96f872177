//! Properties of all manuscripts, tested on random and degenerate ones and on a whole novel.
//!
//! Runs are reproducible; `FUMI_PROPERTY_SEED` selects other cases, `FUMI_PROPERTY_TIMES` multiplies their number.
//! Expected values are computed here from the text, never by the code under test.

mod hostile;
mod invariants;
mod made;
mod novel;
mod written;

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Returns a test runner for this number of cases.
pub(crate) fn runner(cases: u32) -> TestRunner {
    TestRunner::new(config(cases))
}

/// Returns the configuration of a test runner for this number of cases.
pub(crate) fn config(cases: u32) -> Config {
    let asked = |name: &str| {
        let value = std::env::var(name).ok()?;
        Some(value.parse::<u32>().unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let seed = asked("FUMI_PROPERTY_SEED").map(u64::from);
    Config {
        cases: cases * asked("FUMI_PROPERTY_TIMES").unwrap_or(1),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed.unwrap_or(9)),
        ..Config::default()
    }
}
