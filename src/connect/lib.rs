//! Adds fumi to the configuration files of MCP clients, and removes it again.
//!
//! `clients.toml` describes the clients. Invariant: texts are edited in place, so every byte outside the entry `fumi`
//! stays as it was, and removing the entry restores the text from before. This crate prints nothing and reads no
//! environment variables: the caller passes them in.

mod client;
mod edit;
mod error;
mod file;
mod json;
mod toml_text;

#[cfg(test)]
mod tests;

pub use client::{Client, Folders, Place, Platform, Server};
pub use error::{ConnectError, TextError};
pub use file::{Change, read_text};

/// The key of the entry in a client's table of servers.
const SERVER_NAME: &str = "fumi";
