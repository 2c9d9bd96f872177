//! Settings of the server: its address, its connections and its timeouts.

use std::net::SocketAddr;

use serde::Deserialize;

use super::{ConfigError, Secret, StateKey};

/// The maximum of a timeout, in seconds: a day. A longer one would have no effect, and sums of instants stay far from
/// overflowing.
const LONGEST_WAIT: u64 = 86_400;
/// A year, in minutes.
const LONGEST_IDLE: u64 = 525_600;

/// The number of open files reserved besides connections: files that calls read, watches, the log, the runtime's own.
const FILES_BESIDE_CONNECTIONS: usize = 256;

/// The settings of listening and of connections.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// Address and port; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Names under which clients may reach the server (`Host` header). Loopback names are always allowed.
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call the server (`Origin` header), such as `https://app.example.com`. None by default.
    pub allowed_origins: Vec<String>,
    /// True to allow listening beyond loopback without authentication.
    pub insecure: bool,
    /// The maximum number of concurrent sessions (clients that use `Mcp-Session-Id`: protocol versions before 2026-07-28).
    pub max_sessions: usize,
    /// Minutes after which an idle session ends. It never ends while a call or a stream is open.
    pub session_idle_minutes: u64,
    /// Seconds that calls get to finish after SIGTERM.
    pub drain_seconds: u64,
    /// The maximum number of connections, or fewer if the limit of open files leaves less room. One remote peer
    /// may hold no more than stay free for others, so a single peer can hold at most half.
    pub max_connections: usize,
    /// The maximum number of seconds for the head of a request, from its first byte on.
    pub header_seconds: u64,
    /// The maximum number of seconds in which each tenth of `limits.body_bytes`, or the rest of a smaller body, must arrive,
    /// and in which a client must read some more of a reply.
    pub body_seconds: u64,
    /// Seconds after which a connection is closed if nothing arrived since its last reply.
    pub keep_alive_seconds: u64,
    /// The key that seals the state which stateless clients carry from one request to the next: at least 32 bytes, the
    /// same on all replicas. Empty: a random key at every start. With a store in memory, sealed state is bound to the
    /// process too: it is lost when the process ends.
    pub state_key: Secret,
    /// The URL at which the other replicas of this service reach this one, such as `http://10.0.0.7:8640`. Empty: the
    /// address on which it listens, if the store is a Redis server, else this server has no replicas.
    pub replica_url: String,
}

impl ServerConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (name, size) in [("max_sessions", self.max_sessions), ("max_connections", self.max_connections)] {
            if size == 0 {
                return Err(ConfigError(format!("server.{name} must be at least 1")));
            }
        }
        for (name, time, allowed) in [
            ("session_idle_minutes", self.session_idle_minutes, 1..=LONGEST_IDLE),
            ("drain_seconds", self.drain_seconds, 0..=LONGEST_WAIT),
            ("header_seconds", self.header_seconds, 1..=LONGEST_WAIT),
            ("body_seconds", self.body_seconds, 1..=LONGEST_WAIT),
            ("keep_alive_seconds", self.keep_alive_seconds, 1..=LONGEST_WAIT),
        ] {
            if !allowed.contains(&time) {
                let (least, most) = allowed.into_inner();
                return Err(ConfigError(format!("server.{name} must be from {least} to {most}")));
            }
        }
        if let Some(host) = self.allowed_hosts.iter().find(|host| !is_authority(host)) {
            return Err(ConfigError(format!(
                "server.allowed_hosts: {host:?} is not a host such as \"fumi.example.com\" or \"fumi.example.com:8443\" (no scheme, no path, no wildcard)"
            )));
        }
        if let Some(origin) = self.allowed_origins.iter().find(|origin| !is_origin(origin)) {
            return Err(ConfigError(format!(
                "server.allowed_origins: {origin:?} is not an origin such as \"https://app.example.com\" or \"http://app.example.com:*\" (with a scheme, without a path)"
            )));
        }
        StateKey::from_config(&self.state_key)?;
        let authority = self.replica_url.trim_end_matches('/').strip_prefix("http://");
        if !self.replica_url.is_empty() && !authority.is_some_and(is_authority) {
            return Err(ConfigError(format!(
                "server.replica_url: {:?} is not a URL such as \"http://10.0.0.7:8640\" (with http://, without a path)",
                self.replica_url
            )));
        }
        Ok(())
    }

    /// Returns the maximum number of connections. A server without a free file descriptor cannot serve any request, so
    /// the limit of open files counts too: at least half of it is left to connections.
    pub fn connection_limit(&self) -> usize {
        let wanted = self.max_connections;
        // The limit is unknown (not Linux, or not readable): use the configured number.
        let Some(files) = std::fs::read_to_string("/proc/self/limits").ok().and_then(|limits| open_files(&limits))
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

/// True for a host with or without a port, as in a `Host` header.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let is_host = address.map_or_else(
        || !host.is_empty() && host.bytes().all(fits),
        |address| address.parse::<std::net::Ipv6Addr>().is_ok(),
    );
    is_host && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

/// True for a scheme and an authority, as in an `Origin` header; the port may be `*`.
fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return false;
    };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    !scheme.is_empty() && scheme.bytes().all(fits) && is_authority(authority.strip_suffix(":*").unwrap_or(authority))
}

/// Parses the soft limit of open files from `/proc/self/limits`.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{is_authority, is_origin};

    #[test]
    fn names_are_those_that_a_header_can_say() {
        for host in ["fumi.example.com", "FUMI:8640", "192.0.2.7:80", "[::1]", "[2001:db8::1]:443"] {
            assert!(is_authority(host), "{host}");
            assert!(is_origin(&format!("https://{host}")), "{host}");
        }
        for host in ["", "https://a", "a/", "*.a", "a:b", "a:*", "a:99999", "::1", "日本.example", "a b"] {
            assert!(!is_authority(host), "{host}");
        }
        assert!(is_origin("https://a:*") && is_origin("vscode-webview://0a1b"));
        for origin in ["", "null", "a.example", "https://", "https://a/", "*", "://a"] {
            assert!(!is_origin(origin), "{origin}");
        }
    }

    #[test]
    fn the_limit_of_open_files_is_the_soft_one() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             95989                95989                processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(super::open_files(limits), Some(1_024));
        assert_eq!(super::open_files(&limits.replace("1024 ", "unlimited ")), None);
    }
}
