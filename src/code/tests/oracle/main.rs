//! Truth from independent programs: the same tree, walked and searched by us and by the real `fd` 10 and `rg` 15.
//!
//! Invariant: a difference is a failure unless it is one of the deliberate ones, which are avoided in the tree (files
//! that are neither UTF-8 nor marked) or in the options (roots that overlap, which ripgrep counts twice; roots that are
//! links, which we show by where they lead). The programs
//! run with an empty home and no configuration. Nothing here measures time.

#![allow(
    clippy::disallowed_methods,
    reason = "the programs that know the truth are started here"
)]

mod fd;
mod programs;
mod rg;
mod tree;
