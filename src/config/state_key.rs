//! The key that seals the state of stateless clients, as configured and as used.
//!
//! Invariant: neither form is ever shown; `Debug` reveals only whether a key is set. The sealed data is defined in
//! `mcp/request_state.rs`.

use serde::Deserialize;

use super::ConfigError;

/// A secret value: its `Debug` form reveals only whether it is set.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Returns the secret value itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_empty() { "none" } else { "hidden" })
    }
}

/// The sealing key, of at least [`StateKey::MIN_BYTES`].
#[derive(Clone)]
pub struct StateKey(Vec<u8>);

impl StateKey {
    /// The minimum length of the key, in bytes: that of the cipher key derived from it.
    pub const MIN_BYTES: usize = 32;

    /// Returns the configured key, or a new random one if none is configured.
    pub fn from_config(configured: &Secret) -> Result<Self, ConfigError> {
        let configured = configured.expose().as_bytes();
        if configured.is_empty() {
            let mut key = vec![0; Self::MIN_BYTES];
            getrandom::fill(&mut key)
                .map_err(|error| ConfigError(format!("the system provides no random bytes: {error}")))?;
            return Ok(Self(key));
        }
        if configured.len() < Self::MIN_BYTES {
            return Err(ConfigError(format!(
                "server.state_key has {} bytes; it must have at least {}, such as the output of: openssl rand -base64 48",
                configured.len(),
                Self::MIN_BYTES
            )));
        }
        Ok(Self(configured.to_vec()))
    }

    /// Returns the bytes of the key.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for StateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hidden")
    }
}

#[cfg(test)]
mod tests {
    use super::{Secret, StateKey};
    use crate::Config;

    #[test]
    fn a_key_is_never_shown() {
        let mut config = Config::default();
        let key = "a key of the operator, long enough to be one";
        config.server.state_key = key.to_owned().into();
        let shown = format!("{config:?} {:?}", StateKey::from_config(&config.server.state_key));
        assert!(!shown.contains(key) && shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn without_a_configured_key_every_start_has_its_own() {
        let [one, other] =
            [(); 2].map(|()| StateKey::from_config(&Secret::default()).expect("random bytes").expose().to_vec());
        assert!(one.len() >= StateKey::MIN_BYTES && one != other);
    }
}
