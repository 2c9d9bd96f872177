//! The scripts that run on the server: each operation is one, so that no other process comes between its steps.
//!
//! They are sent by their hash, and as text to a server that does not know them yet.

use std::sync::LazyLock;

use redis::Script;

/// Declares a script from its file, which the reading of the clock precedes.
macro_rules! scripts {
    ($($name:ident $file:literal)*) => {
        $(pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!(include_str!("scripts/clock.lua"), include_str!(concat!("scripts/", $file))))
        });)*
    };
}

scripts! {
    GET "get.lua"
    PUT "put.lua"
    TOUCH "touch.lua"
    DELETE "delete.lua"
    LIST "list.lua"
    EXPIRED "expired.lua"
    SWEEP "sweep.lua"
    LEASE "lease.lua"
    RENEW "renew.lua"
    RELEASE "release.lua"
    EVICT "evict.lua"
}
