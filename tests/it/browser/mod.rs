//! The browser tools on a site that is made for the tests.

mod cuts;
mod faults;
mod files;
mod isolation;
mod killed;
mod libraries;
mod own_page;
mod pages;
mod profiles;
mod reality;
mod refusals;
mod replicas;
mod secrets;
mod signing_in;
#[expect(dead_code, reason = "the tests of the tools use more of the site than its own tests do")]
// Formatted as the benchmark that shares it.
#[rustfmt::skip]
pub(crate) mod site;
mod tasks;
mod text_flow;
mod today;
mod visit;
mod widgets;
