//! The browser tools against a site that is made for them.

mod cuts;
mod faults;
mod files;
mod isolation;
mod killed;
mod pages;
mod profiles;
mod reality;
mod refusals;
mod secrets;
mod signing_in;
#[expect(
    dead_code,
    reason = "what the tests of the tools ask of the site is more than what its own tests do"
)]
pub(crate) mod site;
mod tasks;
mod today;
mod visit;
mod widgets;
