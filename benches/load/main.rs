//! What fumi does under load: `./bench load` runs this and rewrites docs/load.md.
//!
//! Invariant: fumi and the route that it is compared with return the same bytes, to the same program, in turns, within one
//! run; every reply is looked at, and one that differs ends the run. Here, unlike in the other benchmarks, two things are
//! asserted: that a flood is refused while `/livez` answers, and that memory stays within its bar meanwhile.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program for developers: it starts what it measures, and a failure is a message that ends it"
)]

mod bare;
mod flood;
#[path = "../shared/inputs.rs"]
mod inputs;
mod instructions;
mod ratio;
// Formatted as the tests that share it.
#[rustfmt::skip]
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../src/base/store/tests/redis_server.rs"]
mod redis_server;
mod replicas;
mod report;
mod request;
mod server;
mod sessions;
mod wrk;

use std::path::Path;

/// The same as in the server, for the bare route too.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    // `cargo bench` and `cargo test --benches` pass flags of the usual harness; the first word is a filter.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [role, body] = words.as_slice()
        && role == bare::ROLE
    {
        return bare::serve(Path::new(body));
    }
    let is_whole = words.is_empty();
    let wanted = |part: &str| is_whole || words.iter().any(|word| part.contains(word.as_str()));
    let mut report = report::Report::default();
    if wanted("ratio") {
        ratio::run(&mut report);
    }
    if wanted("instructions") {
        instructions::run(&mut report);
    }
    if wanted("sessions") {
        sessions::run(&mut report);
    }
    if wanted("replicas") {
        replicas::run(&mut report);
    }
    if wanted("flood") {
        flood::run(&mut report);
    }
    if is_whole {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = report.page(&inputs::hash(root, "load"));
        std::fs::write(root.join("docs/load.md"), page).expect("docs/load.md can be written");
    }
}
