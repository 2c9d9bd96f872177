//! The code toolset as its clients see it: what the requirements promise, and what is known to go wrong elsewhere.

mod freshness;
mod japanese;
mod known_faults;
mod many;
mod outlines;
mod parser_limits;
mod properties;
mod reading;
mod resources;
mod scenarios;
mod sent;
mod subscriptions;
mod suggested;
mod unread;
