//! Comparison with independent programs: the same tree, walked and searched by us and by the real `fd` 10 and `rg` 15.
//!
//! Invariant: a difference is a failure, except for deliberate ones, which are avoided in the tree (files that are
//! neither UTF-8 nor marked) or in the options (overlapping roots, which ripgrep counts twice; roots that are links,
//! for which we show the target). The programs run with an empty home and no configuration. These tests do not measure
//! time.

#![allow(clippy::disallowed_methods, reason = "the reference programs are started here")]

pub(crate) mod fd;
pub(crate) mod programs;
mod rg;
mod tree;
