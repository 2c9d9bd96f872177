//! The tests of the novel crate that need more than one module, on sample novels, on real texts and on random ones.
//!
//! `tests/faults` is a separate program: it shares its sources with a benchmark.

mod checks;
mod completion;
mod failing;
mod formats;
mod morphology;
mod project;
mod properties;
mod reviewing;
mod sample;
mod writing;
