//! Snapshots as texts: what they say, and what changed between two of them.

pub mod diff;
mod lines;
mod pairs;
