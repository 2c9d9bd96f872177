//! The one integration binary: fumi as its clients see it.
//!
//! Tests of requirements for every tool loop over the whole catalogue, so that they apply to a new tool too. Domain
//! facts (results of a search, of a parser) are tested in the domain crates, not here.

#![allow(
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
mod connect;
mod delivery;
mod doctor;
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
mod log_lines;
mod mortal;
mod novel;
mod page;
mod program;
#[path = "../../src/base/store/tests/redis_server.rs"]
mod redis_server;
mod remade;
mod replicas;
mod reports;
mod requirements;
mod rest;
mod restart;
mod result_forms;
mod resuming;
mod sample;
mod secrets;
mod sessions;
mod stopping;
mod store_on_redis;
mod taught;
mod telemetry;
mod wishes;
mod wording;
