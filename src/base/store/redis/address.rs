//! The address of a Redis server, and the names of the keys that fumi uses there.
//!
//! Invariant: neither user nor password is ever shown: `Debug` and `Display` show scheme, host, port and database.

use std::fmt;

use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, io::tcp::TcpSettings};

/// The maximum length of a prefix, in bytes: it is repeated in every key.
const MAX_PREFIX_BYTES: usize = 64;

/// A valid URL of a Redis server, with its credentials.
#[derive(Clone)]
pub struct RedisAddress(ConnectionInfo);

impl RedisAddress {
    /// Parses `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` for TLS. The error is the reason, without any
    /// part of the URL.
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        let parsed = redis::parse_redis_url(url).ok_or("is not a URL that begins with redis:// or rediss://")?;
        if !matches!(parsed.scheme(), "redis" | "rediss") {
            return Err("must begin with redis:// or, for TLS, rediss://");
        }
        if parsed.host_str().is_none_or(str::is_empty) {
            return Err("names no host");
        }
        // Options of the client library, among them one that accepts any certificate.
        if parsed.query().is_some() || parsed.fragment().is_some() {
            return Err("must contain neither `?` nor `#`; write these as %3F and %23 in a password");
        }
        let database = parsed.path().trim_matches('/');
        if !database.is_empty() && database.parse::<u16>().is_err() {
            return Err("must end with the number of a database, such as /0, or with the port");
        }
        let info = parsed.into_connection_info().map_err(|_| "is not valid for a Redis server")?;
        // Otherwise a request of more than one packet waits for the answer to its first.
        Ok(Self(info.set_tcp_settings(TcpSettings::default().set_nodelay(true))))
    }

    /// Returns the password, which must not appear in any output.
    pub fn password(&self) -> Option<&str> {
        self.0.redis_settings().password()
    }

    /// True if the connection is encrypted.
    pub(super) fn is_tls(&self) -> bool {
        matches!(self.0.addr(), ConnectionAddr::TcpTls { .. })
    }

    pub(super) fn client(&self) -> redis::RedisResult<Client> {
        Client::open(self.0.clone())
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls() { "rediss" } else { "redis" };
        write!(f, "{scheme}://{}/{}", self.0.addr(), self.0.redis_settings().db())
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The names of a store's keys on the server.
///
/// They share the hash tag `{PREFIX}`, so in a cluster all of them are in one slot: a script may use several keys of one
/// slot only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpace(String);

impl KeySpace {
    /// Checks a prefix. The error is the reason.
    pub fn parse(prefix: &str) -> Result<Self, &'static str> {
        if prefix.is_empty() || prefix.len() > MAX_PREFIX_BYTES {
            return Err("must have from 1 to 64 characters");
        }
        // A brace would end the hash tag early.
        if !prefix.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}')) {
            return Err("must consist of ASCII letters, digits and signs other than braces");
        }
        Ok(Self(prefix.to_owned()))
    }

    /// Returns the name of an entry: a hash of value, version and expiry.
    pub(super) fn entry(&self, key: &str) -> String {
        format!("{{{}}}:e:{key}", self.0)
    }

    /// Returns the name of a lease: a hash of number, holder and expiry.
    pub(super) fn lease(&self, name: &str) -> String {
        format!("{{{}}}:l:{name}", self.0)
    }

    /// Returns the name of the hash that a check writes.
    pub(super) fn check(&self) -> String {
        format!("{{{}}}:check", self.0)
    }

    /// Returns the name of the sorted set of all keys, in the order of their bytes.
    pub(super) fn keys(&self) -> String {
        format!("{{{}}}:keys", self.0)
    }

    /// Returns the name of the sorted set of the keys that expire, in the order of their expiry.
    pub(super) fn expiries(&self) -> String {
        format!("{{{}}}:expiries", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeySpace, RedisAddress};

    #[test]
    fn addresses_are_shown_without_credentials() {
        for (url, shown, password) in [
            ("redis://localhost", "redis://localhost:6379/0", None),
            ("redis://10.0.0.1:7000/3", "redis://10.0.0.1:7000/3", None),
            ("redis://ann:canary%3Fpw@host:1/", "redis://host:1/0", Some("canary?pw")),
            ("rediss://:canary-pw@[::1]:6380/2", "rediss://::1:6380/2", Some("canary-pw")),
        ] {
            let address = RedisAddress::parse(url).expect(url);
            assert_eq!((address.to_string().as_str(), address.password()), (shown, password));
            assert!(!format!("{address:?}").contains("canary"), "{address:?}");
        }
    }

    #[test]
    fn invalid_addresses_say_why_without_quoting_them() {
        for (url, reason) in [
            ("", "is not a URL"),
            ("localhost:6379", "is not a URL"),
            ("http://ann:canary@host", "is not a URL"),
            ("redis+unix:///canary", "must begin with"),
            ("redis://ann:canary@:6379", "is not a URL"),
            ("redis:///0", "names no host"),
            ("redis://ann:canary@host:port", "is not a URL"),
            ("redis://ann:canary@host/zero", "the number of a database"),
            ("redis://ann:canary@host/-1", "the number of a database"),
            ("redis://ann:canary@host?protocol=resp3", "neither `?`"),
            ("rediss://ann:canary@host#insecure", "neither `?`"),
        ] {
            let error = RedisAddress::parse(url).expect_err(url);
            assert!(error.contains(reason) && !error.contains("canary"), "{url}: {error}");
        }
    }

    #[test]
    fn keys_share_one_hash_tag() {
        let keys = KeySpace::parse("fumi:blue").expect("valid");
        for name in [keys.entry("a}b{c"), keys.lease("{x}"), keys.check(), keys.keys(), keys.expiries()] {
            assert!(name.starts_with("{fumi:blue}:"), "{name}");
        }
        for prefix in ["", "a b", "{a}", "a}", "é", &"x".repeat(65)] {
            assert!(KeySpace::parse(prefix).is_err(), "{prefix}");
        }
    }
}
