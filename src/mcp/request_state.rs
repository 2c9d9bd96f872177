//! Encrypted state that a stateless client carries from one request to the next (`requestState`).
//!
//! The returned state is untrusted. It opens only unchanged, for the caller, the project, the tool and the arguments
//! that it was made for, within its lifetime, and once. The content is encrypted: a client learns nothing from it
//! except its length. Opened states are recorded in the store, so that restarts and replicas with a common store and
//! key share the record. A state that was made over a store which ended with its process never opens again, whatever
//! the key: whether it was opened before would be unknown.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    aead::{AES_256_GCM_SIV, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    hkdf::{HKDF_SHA256, Salt},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use fumi_base::store::{ExpectedState, Store, StoreError};
use fumi_config::StateKey;
use fumi_kernel::{ToolError, pipeline::canonical};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::protocol_error::McpError;

/// The lifetime of a state. A model's answer is written in minutes.
pub const TTL: Duration = Duration::from_mins(10);

/// The first byte of a state; another format will get another one.
const FORM: u8 = 1;

/// The context of the key derivation, so that the operator's key could be used for something else too.
const PURPOSE: &[u8] = b"fumi requestState 1";

/// The time for which an opened state is remembered beyond its lifetime: the clocks of replicas differ.
const MARGIN: Duration = Duration::from_mins(1);

/// The call to which a state is bound. It opens for no other.
#[derive(Clone, Copy, Debug)]
pub struct StateBinding<'a> {
    /// The principal; empty without authentication.
    pub principal: &'a str,
    /// The root of the call's project.
    pub project: &'a Path,
    /// The protocol's method, such as `tools/call`.
    pub method: &'static str,
    /// The tool, by its published name, so that an alias means the same call.
    pub name: &'a str,
    /// The arguments as sent.
    pub arguments: &'a Map<String, Value>,
}

impl StateBinding<'_> {
    /// Returns bytes that no other call has: every part follows its length.
    fn bytes(&self) -> Vec<u8> {
        let arguments = canonical(self.arguments);
        let mut bytes = vec![FORM];
        for part in [
            self.principal.as_bytes(),
            self.project.as_os_str().as_encoded_bytes(),
            self.method.as_bytes(),
            self.name.as_bytes(),
            arguments.as_bytes(),
        ] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}

/// Encrypts and decrypts request states.
#[derive(Debug)]
pub struct RequestStateCodec {
    /// A cipher that stays secure even if a random nonce repeats.
    key: RandomizedNonceKey,
    ttl: Duration,
    /// The record of opened states, by their nonces.
    store: Arc<dyn Store>,
}

/// The record that a state was opened.
#[derive(Debug)]
pub struct OpenedState(String);

/// The encrypted content of a state, with the end of its lifetime.
#[derive(Serialize, Deserialize)]
struct SealedContent<T> {
    /// The end of its lifetime, in milliseconds of the Unix clock: replicas share no other.
    until: u64,
    state: T,
}

/// The reason why a state does not open. For the log alone: a caller gets the same error for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StateRejection {
    NoSeal,
    /// Changed, or made with another key or for another call.
    NotAuthentic,
    Expired,
    /// Authentic, but not in the format of this version.
    Unreadable,
    UsedBefore,
}

impl StateRejection {
    const fn name(self) -> &'static str {
        match self {
            Self::NoSeal => "no seal",
            Self::NotAuthentic => "changed, or made for another call or with another key",
            Self::Expired => "expired",
            Self::Unreadable => "of another version",
            Self::UsedBefore => "used before",
        }
    }
}

impl RequestStateCodec {
    /// Creates the codec with a key; each state is valid for `ttl`, and opened states are recorded in the store.
    ///
    /// # Panics
    /// Never: the lengths are those of the cipher.
    pub fn new(key: &StateKey, ttl: Duration, store: Arc<dyn Store>) -> Self {
        let mut derived = [0; 32];
        Salt::new(HKDF_SHA256, &[])
            .extract(key.expose())
            .expand(&[PURPOSE, store.instance_id()], HKDF_SHA256)
            .and_then(|material| material.fill(&mut derived))
            .expect("the output has the length of the hash");
        Self {
            key: RandomizedNonceKey::new(&AES_256_GCM_SIV, &derived).expect("the cipher's key is as long as the hash"),
            ttl,
            store,
        }
    }

    /// Encrypts a state for the call that the client will repeat.
    ///
    /// # Panics
    /// If the state cannot be serialized as JSON: it is a plain struct of this crate.
    pub fn seal<T: Serialize>(&self, state: T, bound: &StateBinding<'_>) -> String {
        let content = SealedContent { until: now() + millis(self.ttl), state };
        let mut text = serde_json::to_vec(&content).expect("a state is a plain struct");
        let nonce = self
            .key
            .seal_in_place_append_tag(Aad::from(bound.bytes()), &mut text)
            .expect("encryption in memory cannot fail");
        let mut seal = vec![FORM];
        seal.extend_from_slice(nonce.as_ref());
        seal.append(&mut text);
        URL_SAFE_NO_PAD.encode(seal)
    }

    /// Decrypts a state, once.
    ///
    /// # Errors
    /// The same error for everything that a caller could try, so that the causes cannot be distinguished; and the
    /// store's error, since without the store it is unknown whether the state was opened before.
    pub async fn open<T: DeserializeOwned>(
        &self,
        sealed: &str,
        bound: &StateBinding<'_>,
    ) -> Result<(T, OpenedState), ToolError> {
        let refuse = |why: StateRejection| {
            tracing::info!(why = why.name(), "a requestState was rejected");
            ToolError::from(McpError::RequestStateRefused { ttl: self.ttl })
        };
        let (nonce, content) = self.content(sealed, bound).map_err(refuse)?;
        let key = format!("opened/{}", URL_SAFE_NO_PAD.encode(nonce));
        let known = Some(self.ttl + MARGIN);
        match self.store.put(&key, Vec::new(), ExpectedState::Absent, known).await {
            Ok(_) => Ok((content, OpenedState(key))),
            Err(StoreError::Conflict) => Err(refuse(StateRejection::UsedBefore)),
            Err(error) => {
                tracing::error!(%error, "the use of a requestState cannot be recorded");
                Err(error.into())
            }
        }
    }

    /// Allows a state to be opened again, because the call that opened it has not begun.
    pub async fn release(&self, used: OpenedState) {
        if let Err(error) = self.store.delete(&used.0, ExpectedState::Anything).await {
            tracing::error!(%error, "a requestState could not be released; its client must repeat the call");
        }
    }

    fn content<T: DeserializeOwned>(
        &self,
        sealed: &str,
        bound: &StateBinding<'_>,
    ) -> Result<([u8; NONCE_LEN], T), StateRejection> {
        let mut seal = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| StateRejection::NoSeal)?;
        let (form, seal) = seal.split_first_mut().ok_or(StateRejection::NoSeal)?;
        let (nonce, text) = seal.split_first_chunk_mut::<NONCE_LEN>().ok_or(StateRejection::NoSeal)?;
        if *form != FORM {
            return Err(StateRejection::NoSeal);
        }
        let text = self
            .key
            .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(bound.bytes()), text)
            .map_err(|_| StateRejection::NotAuthentic)?;
        let content: SealedContent<T> = serde_json::from_slice(text).map_err(|_| StateRejection::Unreadable)?;
        if content.until <= now() {
            return Err(StateRejection::Expired);
        }
        Ok((*nonce, content.state))
    }
}

fn now() -> u64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
