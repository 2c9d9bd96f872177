//! The `DevTools` protocol over a pair of pipes: commands, replies and events.
//!
//! `connection.rs` matches replies with commands; [`protocol`] defines the few commands and events that fumi uses, as
//! typed structs. Pipes are used instead of a port so that no other process can connect, and so that Chromium exits
//! when they close.

mod channel;
mod connection;
mod events;
mod frames;
pub mod protocol;
mod surrogates;

pub use channel::Channel;
pub use connection::{CallError, Connection, DevtoolsSessionId};
pub use events::{EventStream, RawEvent};
pub use surrogates::without_lone_surrogates;

use serde::{Serialize, de::DeserializeOwned};

/// A command of the protocol: its name, its parameters (the struct itself) and the type of its reply.
pub trait ProtocolCommand: Serialize {
    /// The protocol's name of the command, such as `Page.navigate`.
    const METHOD: &'static str;
    /// The type of the reply; [`EmptyReply`] if no caller reads it.
    type Reply: DeserializeOwned;
}

/// An event of the protocol; the struct contains its parameters.
pub trait ProtocolEvent: DeserializeOwned {
    /// The protocol's name of the event, such as `Page.loadEventFired`.
    const METHOD: &'static str;
}

/// A reply whose contents are ignored.
#[derive(Debug, serde::Deserialize)]
pub struct EmptyReply {}
