//! Where and how fumi listens.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::{ConfigError, Secret, StateKey};

/// A day: beyond it a patience is none, and sums of instants stay far from overflowing.
const LONGEST_WAIT: u64 = 86_400;

/// Files that are open beside connections: those that calls read, watches, the log, the runtime's own.
const FILES_BESIDE_CONNECTIONS: usize = 256;

/// Where and how fumi listens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Names under which clients may reach it (`Host` header). Loopback names are always allowed.
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call it (`Origin` header), such as `https://app.example.com:443`. None by default.
    pub allowed_origins: Vec<String>,
    /// Listen beyond loopback without authentication.
    pub insecure: bool,
    /// Sessions of the session era at once.
    pub max_sessions: usize,
    /// Minutes after which an idle session ends. Never while a call or a stream is open.
    pub session_idle_minutes: u64,
    /// Seconds that calls get to finish after SIGTERM.
    pub drain_seconds: u64,
    /// Connections at once; as many as the limit of open files leaves room for, if that is less.
    pub max_connections: usize,
    /// Seconds that a client has for the head of a request, from its first byte on.
    pub header_seconds: u64,
    /// Seconds that a client may leave between two pieces of a request's body, and in which it takes some of a reply.
    pub body_seconds: u64,
    /// Seconds after which a connection that nothing came over since its last reply is closed.
    pub keep_alive_seconds: u64,
    /// What seals the state that stateless clients carry from one request to the next: at least 32 bytes, the same on all
    /// replicas. Empty: a random one at every start.
    pub state_key: Secret,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8640)),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            insecure: false,
            max_sessions: 10_000,
            session_idle_minutes: 60,
            drain_seconds: 30,
            max_connections: 4_096,
            header_seconds: 10,
            body_seconds: 30,
            keep_alive_seconds: 75,
            state_key: Secret::default(),
        }
    }
}

impl Server {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (name, size) in [
            ("max_sessions", self.max_sessions),
            ("max_connections", self.max_connections),
        ] {
            if size == 0 {
                return Err(ConfigError(format!("server.{name} must be at least 1")));
            }
        }
        for (name, seconds) in [
            ("header_seconds", self.header_seconds),
            ("body_seconds", self.body_seconds),
            ("keep_alive_seconds", self.keep_alive_seconds),
        ] {
            if !(1..=LONGEST_WAIT).contains(&seconds) {
                return Err(ConfigError(format!("server.{name} must be from 1 to {LONGEST_WAIT}")));
            }
        }
        StateKey::of(&self.state_key)?;
        Ok(())
    }

    /// How many connections may be open. A server without a free file descriptor can serve nobody, so that the limit of
    /// open files counts too: at least half of it is left to connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        let wanted = self.max_connections;
        // Not Linux, or not readable: the configured number stands.
        let Some(files) = std::fs::read_to_string("/proc/self/limits")
            .ok()
            .and_then(|limits| open_files(&limits))
        else {
            return wanted;
        };
        let room = files.saturating_sub(FILES_BESIDE_CONNECTIONS).max(files / 2).max(1);
        if room < wanted {
            tracing::warn!(
                connections = room,
                wanted,
                open_files = files,
                "fewer connections than server.max_connections: raise the limit of open files (ulimit -n)"
            );
        }
        wanted.min(room)
    }
}

/// The soft limit of open files, as `/proc/self/limits` shows it.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_limit_of_open_files_is_the_soft_one() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             95989                95989                processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(super::open_files(limits), Some(1_024));
        assert_eq!(super::open_files(&limits.replace("1024 ", "unlimited ")), None);
    }
}
