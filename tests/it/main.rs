//! The one integration binary: fumi as its clients see it.
//!
//! What every tool owes is asked of the whole catalogue in a loop, so that a tool added later inherits the tests.
//! Domain facts (what a search finds, what a parser sees) are tested in their crates, not here.

#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests start processes, compare small numbers, and stop at the first surprise"
)]

mod access;
mod asking;
mod batch;
mod boundary;
mod browser;
mod budgets;
mod catalogue;
mod code;
mod command_line;
mod conformance;
mod delivery;
mod edge;
mod expectation;
mod gate;
mod guidance;
mod harness;
mod hostile;
mod ignoring;
mod instructions;
mod layers;
mod limits;
mod novel;
mod program;
mod remade;
mod reports;
mod requirements;
mod rest;
mod restart;
mod resuming;
mod sample;
mod secrets;
mod sessions;
mod stopping;
mod taught;
mod telemetry;
mod wishes;
