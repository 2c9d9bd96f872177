//! The `DevTools` protocol over a pair of pipes: commands, events, nothing else.
//!
//! `connection.rs` pairs answers with questions; [`protocol`] has the few commands and events that fumi
//! uses, as typed structs. With pipes instead of a port nobody else can connect, and Chromium ends when they close.

mod channel;
mod connection;
mod events;
mod frames;
mod mend;
pub mod protocol;

pub use channel::Channel;
pub use connection::{CallError, Connection, SessionId};
pub use events::{Event, Events};
pub use mend::mended;

use serde::{Serialize, de::DeserializeOwned};

/// A command: its parameters as a struct, its name, and what it answers.
pub trait Command: Serialize {
    /// The protocol's name, such as `Page.navigate`.
    const METHOD: &'static str;
    /// What comes back; [`Nothing`] where nobody looks.
    type Reply: DeserializeOwned;
}

/// An event's parameters as a struct.
pub trait Happening: DeserializeOwned {
    /// The protocol's name, such as `Page.loadEventFired`.
    const METHOD: &'static str;
}

/// A reply that nobody reads.
#[derive(Debug, serde::Deserialize)]
pub struct Nothing {}
