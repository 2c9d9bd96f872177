//! Tests of a tab of a real Chromium with small pages.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::format_collect,
    clippy::duration_suboptimal_units,
    reason = "tests: a panic fails the test, and Chromium is started"
)]

mod chromium;
mod dialogs;
mod frames;
mod hostile;
mod navigation;
mod site;
mod snapshots;
mod titles;
mod traffic;
