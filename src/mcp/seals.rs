//! State that a stateless client carries from one request to the next, sealed.
//!
//! What comes back is the attacker's. A seal opens only unchanged, for the caller, the project, the tool and the arguments
//! that it was made for, within its time, and once. The content is encrypted: a client learns nothing from it but its length.
//! Which seals were opened is written into the store, which restarts and replicas share where they share a key. A seal that was
//! made over a store that ended with its process opens no more, whatever the key: nobody would know that it was opened.

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
use fumi_base::store::{Expect, Store, StoreError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::fault::Fault;
use crate::{
    config::StateKey,
    tool::{ToolError, pipeline::canonical},
};

/// How long a client may take to come back. A model's answer is written in minutes.
pub const TTL: Duration = Duration::from_mins(10);

/// The first byte of a seal. Another form some day gets another one.
const FORM: u8 = 1;

/// What the cipher's key is derived for, so that the operator's key could serve something else too.
const PURPOSE: &[u8] = b"fumi requestState 1";

/// How much longer than its time a seal is known to have been opened: the clocks of replicas differ.
const MARGIN: Duration = Duration::from_mins(1);

/// What a state belongs to. It opens for nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// Who calls; empty without authentication.
    pub principal: &'a str,
    /// The project of the call.
    pub project: &'a Path,
    /// The protocol's method, such as `tools/call`.
    pub method: &'static str,
    /// The tool, by its published name, so that an alias is no other call.
    pub name: &'a str,
    /// The arguments as sent.
    pub arguments: &'a Map<String, Value>,
}

impl Bound<'_> {
    /// Bytes that no other call has: every part stands behind its length.
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

/// Makes seals and opens them.
#[derive(Debug)]
pub struct Seals {
    /// A cipher that stays safe should a random nonce ever come twice.
    key: RandomizedNonceKey,
    ttl: Duration,
    /// Which were opened, by their nonces.
    store: Arc<dyn Store>,
}

/// The use of one seal.
#[derive(Debug)]
pub struct Used(String);

/// What is encrypted.
#[derive(Serialize, Deserialize)]
struct Content<T> {
    /// The end of its time, in milliseconds of the Unix clock: replicas share no other.
    until: u64,
    state: T,
}

/// Why a seal does not open. For the log alone: a caller cannot tell one from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    NoSeal,
    /// Changed, or made under another key or for another call.
    NotAuthentic,
    Expired,
    /// Authentic, and not of the form that this version reads.
    Unreadable,
    UsedBefore,
}

impl Why {
    const fn name(self) -> &'static str {
        match self {
            Self::NoSeal => "no seal",
            Self::NotAuthentic => "changed, of another call or under another key",
            Self::Expired => "expired",
            Self::Unreadable => "of another version",
            Self::UsedBefore => "used before",
        }
    }
}

impl Seals {
    /// Seals under a key, each good for `ttl`; those that were opened are kept in the store.
    ///
    /// # Panics
    /// Never: the lengths are those of the cipher.
    #[must_use]
    pub fn new(key: &StateKey, ttl: Duration, store: Arc<dyn Store>) -> Self {
        let mut derived = [0; 32];
        Salt::new(HKDF_SHA256, &[])
            .extract(key.expose())
            .expand(&[PURPOSE, store.life()], HKDF_SHA256)
            .and_then(|material| material.fill(&mut derived))
            .expect("a hash gives as many bytes as it is long");
        Self {
            key: RandomizedNonceKey::new(&AES_256_GCM_SIV, &derived).expect("the cipher's key is as long as the hash"),
            ttl,
            store,
        }
    }

    /// Seals a state for the call that the client will repeat.
    ///
    /// # Panics
    /// When the state cannot be written as JSON: it is a plain struct of ours.
    #[must_use]
    pub fn seal<T: Serialize>(&self, state: T, bound: &Bound<'_>) -> String {
        let content = Content {
            until: now() + millis(self.ttl),
            state,
        };
        let mut text = serde_json::to_vec(&content).expect("a state is a plain struct");
        let nonce = self
            .key
            .seal_in_place_append_tag(Aad::from(bound.bytes()), &mut text)
            .expect("memory is encrypted");
        let mut seal = vec![FORM];
        seal.extend_from_slice(nonce.as_ref());
        seal.append(&mut text);
        URL_SAFE_NO_PAD.encode(seal)
    }

    /// Opens a state, once.
    ///
    /// # Errors
    /// One failure for everything that a caller could try, so that none can be told from another; and the store's, without
    /// which nobody knows whether this is the first time.
    pub async fn open<T: DeserializeOwned>(&self, sealed: &str, bound: &Bound<'_>) -> Result<(T, Used), ToolError> {
        let refuse = |why: Why| {
            tracing::info!(why = why.name(), "a requestState is refused");
            ToolError::from(Fault::StateRefused(self.ttl))
        };
        let (nonce, content) = self.content(sealed, bound).map_err(refuse)?;
        let key = format!("opened/{}", URL_SAFE_NO_PAD.encode(nonce));
        let known = Some(self.ttl + MARGIN);
        match self.store.put(&key, Vec::new(), Expect::Absent, known).await {
            Ok(_) => Ok((content, Used(key))),
            Err(StoreError::Conflict) => Err(refuse(Why::UsedBefore)),
            Err(error) => {
                tracing::error!(%error, "whether a requestState was used before cannot be written down");
                Err(error.into())
            }
        }
    }

    /// A seal may be opened again: what it was opened for has not begun.
    pub async fn give_back(&self, used: Used) {
        if let Err(error) = self.store.delete(&used.0, Expect::Anything).await {
            tracing::error!(%error, "a requestState cannot be given back; its client has to ask again");
        }
    }

    fn content<T: DeserializeOwned>(&self, sealed: &str, bound: &Bound<'_>) -> Result<([u8; NONCE_LEN], T), Why> {
        let mut seal = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| Why::NoSeal)?;
        let (form, seal) = seal.split_first_mut().ok_or(Why::NoSeal)?;
        let (nonce, text) = seal.split_first_chunk_mut::<NONCE_LEN>().ok_or(Why::NoSeal)?;
        if *form != FORM {
            return Err(Why::NoSeal);
        }
        let text = self
            .key
            .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(bound.bytes()), text)
            .map_err(|_| Why::NotAuthentic)?;
        let content: Content<T> = serde_json::from_slice(text).map_err(|_| Why::Unreadable)?;
        if content.until <= now() {
            return Err(Why::Expired);
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
