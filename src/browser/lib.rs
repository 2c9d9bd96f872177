//! A real Chromium, driven over the `DevTools` protocol: its life, contexts for each client session, tabs, snapshots with
//! refs, input, and what happens on a page.
//!
//! Everything here takes and returns typed structs and knows no tool and no protocol of clients. What runs inside a page
//! is JavaScript and lies in `page/`.

pub mod acts;
pub mod chromium;
pub mod devtools;
pub mod emulate;
pub mod errors;
mod page;
pub mod snapshot;
pub mod tab;
pub mod target;
pub mod views;
