//! The code toolset as seen by clients: the requirements, and known faults of other servers.

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
