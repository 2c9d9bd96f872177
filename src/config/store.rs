//! Settings of the store: the kind of storage for state that outlives a call, and its place.
//!
//! Invariant: the URL of a Redis server is a secret, because it may contain a password. Errors do not quote it.

use std::path::PathBuf;

use fumi_base::store::redis::{KeySpace, RedisAddress};
use serde::Deserialize;

use super::{ConfigError, Secret};

/// The forms of the URL, for errors.
const URL_FORMS: &str = "write redis://HOST:PORT/DATABASE or redis://USER:PASSWORD@HOST:PORT/DATABASE, with rediss:// for TLS, such as redis://127.0.0.1:6379/0";

/// The settings of state that outlives a call: sessions, and the projects that they chose.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreConfig {
    /// `fs` (files in `dir`: a restart loses no session), `memory` (lost when the process ends) or `redis` (a server,
    /// which several processes share).
    pub kind: StoreKind,
    /// The state folder. Empty: `$XDG_STATE_HOME/fumi`, or `~/.local/state/fumi`; if that is not writable, fumi warns
    /// and uses memory. A configured folder must be usable.
    pub dir: PathBuf,
    /// The URL of the Redis server, for the kind `redis` only.
    pub url: Secret,
    /// The prefix of all keys on the Redis server. Processes with the same server and prefix share their state.
    pub prefix: String,
}

/// The kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// Files in the state folder.
    Fs,
    /// The memory of the process.
    Memory,
    /// A Redis server.
    Redis,
}

/// The value of `--store`: a kind, or the URL of a Redis server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreFlag {
    Kind(StoreKind),
    Url(Secret),
}

impl StoreFlag {
    /// Parses the value of `--store`.
    pub fn parse(raw: &str) -> Result<Self, ConfigError> {
        if let Some(kind) = StoreKind::ALL.into_iter().find(|kind| kind.name() == raw) {
            return Ok(Self::Kind(kind));
        }
        if !raw.contains("://") {
            return Err(ConfigError(format!("--store {raw}: use fs, memory, redis or a URL: {URL_FORMS}")));
        }
        match RedisAddress::parse(raw) {
            Ok(_) => Ok(Self::Url(raw.to_owned().into())),
            Err(reason) => Err(ConfigError(format!("--store: the URL {reason}; {URL_FORMS}"))),
        }
    }
}

impl StoreConfig {
    /// Applies the value of `--store`, which overrides kind and URL.
    pub(super) fn apply(&mut self, flag: StoreFlag) {
        match flag {
            StoreFlag::Kind(kind) => {
                self.kind = kind;
                if kind != StoreKind::Redis {
                    self.url = Secret::default();
                }
            }
            StoreFlag::Url(url) => {
                self.kind = StoreKind::Redis;
                self.url = url;
            }
        }
    }

    /// Returns the Redis server and the names of its keys.
    pub fn redis(&self) -> Result<(RedisAddress, KeySpace), ConfigError> {
        if self.url.expose().is_empty() {
            return Err(ConfigError(format!(
                "store.url is empty, and store.kind is \"redis\"; {URL_FORMS}; the environment variable FUMI__STORE__URL keeps a password out of files and process lists"
            )));
        }
        let refuse = |what: &str, reason: &str| ConfigError(format!("store.{what} {reason}"));
        let address = RedisAddress::parse(self.url.expose())
            .map_err(|reason| refuse("url", &format!("{reason}; {URL_FORMS}")))?;
        let keys =
            KeySpace::parse(&self.prefix).map_err(|reason| refuse("prefix", &format!("{reason}, such as \"fumi\"")))?;
        Ok((address, keys))
    }

    /// Returns the values that must not appear in any output.
    pub fn secrets(&self) -> Vec<String> {
        let password = self.redis().ok().and_then(|(address, _)| address.password().map(str::to_owned));
        password.into_iter().chain([self.url.expose().to_owned()]).collect()
    }

    /// Checks the rules that types cannot express.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.kind == StoreKind::Redis {
            return self.redis().map(drop);
        }
        if !self.url.expose().is_empty() {
            return Err(ConfigError(format!(
                "store.url is set, but store.kind is \"{}\"; set store.kind to \"redis\", or remove store.url",
                self.kind.name()
            )));
        }
        Ok(())
    }
}

/// Returns the usual folder for state, as defined by the XDG base directory specification, or `None` without a home
/// folder.
pub fn state_folder(environment: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state"))).map(|state| state.join("fumi"))
}

#[cfg(test)]
mod tests {
    use super::{StoreFlag, StoreKind};
    use crate::Config;

    #[test]
    fn the_flag_overrides_kind_and_url() {
        let read = |flag: &str| {
            let mut store = Config::default().store;
            store.apply(StoreFlag::parse(flag).expect(flag));
            store.check().map(|()| store)
        };
        assert_eq!(read("memory").expect("valid").kind, StoreKind::Memory);
        let store = read("rediss://ann:canary-pw@redis.example/2").expect("valid");
        assert_eq!((store.kind, store.url.expose()), (StoreKind::Redis, "rediss://ann:canary-pw@redis.example/2"));
        assert!(!format!("{store:?}").contains("canary"), "{store:?}");
        assert_eq!(store.secrets(), ["canary-pw", "rediss://ann:canary-pw@redis.example/2"]);
        let error = read("redis").expect_err("no URL").to_string();
        assert!(error.contains("store.url is empty") && error.contains("FUMI__STORE__URL"), "{error}");
        let mut store = store;
        store.apply(StoreFlag::Kind(StoreKind::Fs));
        assert!(store.check().is_ok(), "the flag ends the use of the configured server");
    }

    #[test]
    fn a_wrong_store_is_refused_without_showing_the_url() {
        for (flag, expected) in [
            ("sqlite", "use fs, memory, redis or a URL"),
            ("postgres://ann:canary@host", "is not a URL that begins with redis://"),
            ("redis://ann:canary@host:port", "such as redis://127.0.0.1:6379/0"),
            ("redis://ann:canary@host/x", "the number of a database"),
        ] {
            let error = StoreFlag::parse(flag).expect_err(flag).to_string();
            assert!(error.contains(expected) && !error.contains("canary"), "{error}");
        }
        for (kind, url, prefix, expected) in [
            (StoreKind::Fs, "redis://:canary@host", "fumi", "set store.kind to \"redis\""),
            (StoreKind::Redis, "", "fumi", "store.url is empty"),
            (StoreKind::Redis, "canary", "fumi", "store.url is not a URL"),
            (StoreKind::Redis, "redis://:canary@host", "{x}", "store.prefix must consist of"),
        ] {
            let mut store = Config::default().store;
            (store.kind, store.url, store.prefix) = (kind, url.to_owned().into(), prefix.to_owned());
            let error = store.check().expect_err(expected).to_string();
            assert!(error.contains(expected) && !error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn state_has_a_usual_place() {
        let folder = |variables: &[(&str, &str)]| {
            super::state_folder(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        for (variables, expected) in [
            (&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")][..], Some("/x/fumi")),
            (&[("HOME", "/h")], Some("/h/.local/state/fumi")),
            (&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")], Some("/h/.local/state/fumi")),
            (&[("XDG_STATE_HOME", ""), ("HOME", "")], None),
            (&[], None),
        ] {
            assert_eq!(folder(variables), expected.map(std::path::PathBuf::from), "{variables:?}");
        }
    }
}
