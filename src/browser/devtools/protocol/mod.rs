//! The commands and events that fumi uses, as typed structs. Names, fields and units are those of the protocol's
//! documentation; fields that fumi does not read are left out.

/// Implements `ProtocolCommand` for a struct: `command!(Navigate => "Page.navigate" -> Navigated)`.
macro_rules! command {
    ($name:ident => $method:literal -> $reply:ty) => {
        impl $crate::devtools::ProtocolCommand for $name {
            const METHOD: &'static str = $method;
            type Reply = $reply;
        }
    };
}

/// Implements `ProtocolEvent` for an event: `event!(LoadFired => "Page.loadEventFired")`.
macro_rules! event {
    ($name:ident => $method:literal) => {
        impl $crate::devtools::ProtocolEvent for $name {
            const METHOD: &'static str = $method;
        }
    };
}

pub mod browser;
pub mod browser_downloads;
pub mod capture;
pub mod dom;
pub mod emulation;
pub mod input;
pub mod log;
pub mod network;
pub mod page;
pub mod runtime;
pub mod scripts;
pub mod storage;
pub mod target;
