//! State that a stateless client carries from one request to the next, sealed.
//!
//! What comes back is the attacker's. A seal opens only unchanged, for the caller, the tool and the arguments that it was
//! made for, within its time, and once. The content is signed, not encrypted: nothing may be in it that the client must
//! not read. Which seals were opened is remembered in this process alone: with one key on several replicas, or after a
//! restart with the same key, a state could be used once by each.

use std::{
    collections::{HashSet, VecDeque},
    hash::{BuildHasher as _, RandomState},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::fault::Fault;
use crate::{config::StateKey, tool::pipeline::canonical};

/// How long a client may take to come back. A model's answer is written in minutes.
pub const TTL: Duration = Duration::from_mins(10);

/// Opened seals that are remembered at once: some 10 MB. More than this in ten minutes is a flood, and is refused.
const REMEMBERED: usize = 100_000;

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
        let arguments = canonical(&Value::Object(self.arguments.clone()));
        let project = self.project.as_os_str().as_encoded_bytes();
        let mut bytes = Vec::new();
        for part in [
            self.principal.as_bytes(),
            project,
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
    codec: RequestStateCodec,
    ttl: Duration,
    /// Different for each process, so that counting makes numbers that no other process makes.
    process: u64,
    /// Std mutex: locked for a few operations on memory.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    made: u64,
    opened: HashSet<Number>,
    /// The same in the order of opening, with the time from which a seal is too old anyway.
    until: VecDeque<(Instant, Number)>,
}

/// What tells two seals apart: the process, and a count in it.
type Number = (u64, u64);

/// A seal's content.
#[derive(serde::Serialize, serde::Deserialize)]
struct Content<T> {
    number: Number,
    state: T,
}

impl Seals {
    /// Seals under a key, each good for `ttl`.
    ///
    /// # Panics
    /// Never: the type of the key says that it is long enough.
    #[must_use]
    pub fn new(key: &StateKey, ttl: Duration) -> Self {
        Self {
            codec: RequestStateCodec::try_new(key.expose()).expect("a state key has the length that it needs"),
            ttl,
            process: RandomState::new().hash_one(std::process::id()),
            state: Mutex::default(),
        }
    }

    /// Seals a state for the call that the client will repeat.
    ///
    /// # Panics
    /// When the state cannot be written as JSON: it is a plain struct of ours.
    #[must_use]
    pub fn seal<T: Serialize>(&self, state: T, bound: &Bound<'_>) -> String {
        let made = {
            let mut state = self.state();
            state.made += 1;
            state.made
        };
        let number = (self.process, made);
        let bytes = bound.bytes();
        let options = SealOptions::new().associated_data(&bytes).ttl(self.ttl);
        self.codec
            .seal_json_with(&Content { number, state }, &options)
            .expect("a state is a plain struct")
    }

    /// Opens a state, once.
    ///
    /// # Errors
    /// One failure for everything that a caller could try, so that none can be told from another.
    pub fn open<T: DeserializeOwned>(&self, sealed: &str, bound: &Bound<'_>) -> Result<T, Fault> {
        let content: Content<T> = self.codec.open_json_with(sealed, &bound.bytes()).map_err(|error| {
            tracing::info!(%error, "a requestState is refused");
            Fault::StateRefused(self.ttl)
        })?;
        self.spend(content.number)?;
        Ok(content.state)
    }

    /// Remembers that a seal was opened.
    fn spend(&self, number: Number) -> Result<(), Fault> {
        let now = Instant::now();
        let mut state = self.state();
        while let Some((until, old)) = state.until.front().copied()
            && until <= now
        {
            state.until.pop_front();
            state.opened.remove(&old);
        }
        if state.opened.len() >= REMEMBERED {
            return Err(Fault::TooManyStates);
        }
        if !state.opened.insert(number) {
            tracing::info!("a requestState is refused: it was used before");
            return Err(Fault::StateRefused(self.ttl));
        }
        state.until.push_back((now + self.ttl, number));
        Ok(())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
