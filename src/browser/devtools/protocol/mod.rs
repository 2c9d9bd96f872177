//! The commands and events that fumi uses, as typed structs. Names, fields and units are those of the protocol's
//! documentation; fields that fumi does not read are left out.

/// Implements `Command` for a struct: `command!(Navigate => "Page.navigate" -> Navigated)`.
macro_rules! command {
    ($name:ident => $method:literal -> $reply:ty) => {
        impl $crate::devtools::Command for $name {
            const METHOD: &'static str = $method;
            type Reply = $reply;
        }
    };
}

/// Implements `Happening` for an event: `happening!(LoadFired => "Page.loadEventFired")`.
macro_rules! happening {
    ($name:ident => $method:literal) => {
        impl $crate::devtools::Happening for $name {
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
