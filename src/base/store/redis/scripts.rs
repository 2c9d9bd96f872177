//! The scripts that run on the server: each operation is one, so that no other process comes between its steps.
//!
//! They are sent by their hash, and as text to a server that does not know them yet. The first line of some declares to
//! the server what the script does (Redis 7 and later, Valkey).

use std::sync::LazyLock;

use redis::Script;

/// Declares a script from its file, which the reading of the clock precedes, and its flags if it has some.
macro_rules! scripts {
    ($($name:ident $file:literal $($flags:literal)?)*) => {
        $(pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!(
                $("#!lua flags=", $flags, "\n",)?
                include_str!("scripts/clock.lua"),
                include_str!(concat!("scripts/", $file))
            ))
        });)*
    };
}

// `allow-oom`: the script also runs on a server whose memory is full, since it only replaces a number by one of the same
// size. Otherwise existing sessions and leases would expire on a full server. Empty flags: a full server, a replica and a
// server whose disk fails refuse the script.
scripts! {
    GET "get.lua"
    PUT "put.lua"
    TOUCH "touch.lua" "allow-oom"
    DELETE "delete.lua"
    LIST "list.lua"
    EXPIRED "expired.lua"
    SWEEP "sweep.lua"
    LEASE "lease.lua"
    RENEW "renew.lua" "allow-oom"
    RELEASE "release.lua"
    EVICT "evict.lua"
    CHECK "check.lua" ""
}
