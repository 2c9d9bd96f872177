//! Stored sessions: the state that a session needs to continue in another process, and its owner.
//!
//! Invariant: a record contains nothing secret: no header, no token, no `_meta`; only the client's `initialize`, the
//! name of the principal, the chosen project and the subscriptions. Permission to use a session is decided in
//! `session_restore.rs`; work that was running is lost with its process (calls, questions to the client, unread
//! events).

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, SystemTime},
};

use fumi_base::store::{ExpectedState, Store, StoreError, Version};
use fumi_kernel::ResultForm;
use rmcp::model::InitializeRequestParams;
use serde::{Deserialize, Serialize};

use super::replicas::Replicas;

/// The format of the records that this build writes and reads.
const FORM: u32 = 1;
/// The largest `initialize`, in bytes: it is stored for as long as its session lives. Clients send a few hundred bytes.
pub const LARGEST_INITIALIZE: usize = 64 * 1024;
/// The largest record, in bytes: the `initialize`, and as much again for later choices.
const LARGEST: usize = 2 * LARGEST_INITIALIZE;
/// The longest id, in bytes. fumi's have 36, those of tasks up to 47; longer ones cannot exist and are not looked up.
const LONGEST_ID: usize = 128;

#[derive(Clone, Debug)]
pub struct SessionStore {
    store: Arc<dyn Store>,
    /// The lifetime of a record that is not touched.
    ttl: Duration,
    /// The replica that this process is, if there may be others.
    replica: Option<Arc<Replicas>>,
}

/// The record of one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    form: u32,
    /// The principal that opened the session; empty without authentication.
    pub principal: String,
    /// The time when the session began, in milliseconds since 1970.
    began_ms: u64,
    /// The `initialize` that opened the session.
    pub initialize: InitializeRequestParams,
    /// The replica in which the session lives; `None` if its process had no replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<SessionHome>,
    /// The form of results that the URL or a header of the `initialize` asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultForm>,
    /// The choices of the client since then.
    #[serde(flatten)]
    pub kept: SessionChoices,
}

/// The replica in which a session lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHome {
    pub replica: String,
    /// The URL at which the others reach it.
    pub url: String,
}

/// The choices of a session's client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionChoices {
    /// The canonical root of the project, if the client chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The URIs of the subscriptions.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub subscriptions: BTreeSet<String>,
    /// True if the client wants no log messages of the level `debug`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_quiet: bool,
}

impl SessionRecord {
    /// Creates the record of a session that begins now.
    pub fn new(principal: &str, initialize: InitializeRequestParams) -> Self {
        let mut initialize = initialize;
        // `_meta` belongs to one request and may contain anything.
        initialize.meta = None;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            form: FORM,
            principal: principal.to_owned(),
            began_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            initialize,
            home: None,
            result: None,
            kept: SessionChoices::default(),
        }
    }

    /// Returns the time when the session began.
    pub fn began(&self) -> SystemTime {
        let since = Duration::from_millis(self.began_ms);
        SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

fn key(id: &str) -> Option<String> {
    record_key("session", id)
}

/// Returns the key of a record, unless a client invented the id: no id of fumi has such letters or such a length.
pub(super) fn record_key(kind: &str, id: &str) -> Option<String> {
    let is_plain = !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| format!("{kind}/{id}"))
}

impl SessionStore {
    /// Creates a store of sessions, each kept for `ttl` after its last use. New ones live in this `replica`.
    pub fn new(store: Arc<dyn Store>, ttl: Duration, replica: Option<Arc<Replicas>>) -> Self {
        Self { store, ttl, replica }
    }

    /// Returns this process as a home of sessions; `None` without replicas.
    fn home(&self) -> Option<SessionHome> {
        let replica = self.replica.as_ref()?;
        Some(SessionHome { replica: replica.id().to_owned(), url: replica.url().unwrap_or_default().to_owned() })
    }

    /// True if sessions survive the end of this process.
    pub fn is_lasting(&self) -> bool {
        self.store.is_persistent()
    }

    /// Stores a new session. If the answer of the store is lost, it is stored again.
    pub async fn create(&self, id: &str, record: &SessionRecord) -> Result<(), StoreError> {
        let record = SessionRecord { home: self.home(), ..record.clone() };
        match self.write(id, &record, ExpectedState::Absent).await {
            // No other process has the id, so this is the same record if it was written.
            Err(StoreError::ReplyLost { .. }) => self.write(id, &record, ExpectedState::Anything).await,
            written => written,
        }
    }

    /// Returns the other replica in which a session lives; `None` if it lives here.
    pub fn home_elsewhere(&self, record: &SessionRecord) -> Option<SessionHome> {
        let own = self.replica.as_ref()?.id();
        record.home.clone().filter(|home| home.replica != own)
    }

    /// True if a session lives in another replica.
    fn is_elsewhere(&self, record: &SessionRecord) -> bool {
        self.home_elsewhere(record).is_some()
    }

    /// Moves a session to this replica, if its record still has the version that was read before its home was found to have
    /// ended. Otherwise does nothing and returns false: another replica was faster, the home goes on, or the session ended.
    pub async fn take_over(&self, id: &str, record: SessionRecord, version: Version) -> Result<bool, StoreError> {
        let record = SessionRecord { home: self.home(), ..record };
        match self.write(id, &record, ExpectedState::Version(version)).await {
            Err(StoreError::Conflict) => Ok(false),
            written => written.map(|()| true),
        }
    }

    /// Returns true if a session lives here, and writes its record again: a replica that read the former version does not
    /// take the session over any more.
    pub async fn confirm(&self, id: &str) -> Result<bool, StoreError> {
        loop {
            let Some((record, version)) = self.read(id).await?.filter(|(record, _)| !self.is_elsewhere(record)) else {
                return Ok(false);
            };
            match self.write(id, &record, ExpectedState::Version(version)).await {
                Err(StoreError::Conflict) => {}
                written => return written.map(|()| true),
            }
        }
    }

    async fn write(&self, id: &str, record: &SessionRecord, expect: ExpectedState) -> Result<(), StoreError> {
        let key = key(id).ok_or(StoreError::Key { reason: "is not the key of a session" })?;
        let bytes = serde_json::to_vec(record)
            .map_err(|error| StoreError::Io { what: "a session cannot be serialized", source: error.into() })?;
        if bytes.len() > LARGEST {
            return Err(StoreError::TooLarge { size: bytes.len(), limit: LARGEST });
        }
        self.store.put(&key, bytes, expect, Some(self.ttl)).await?;
        Ok(())
    }

    /// Reads a session, with the version of its record. Records of another format are ignored.
    pub async fn read(&self, id: &str) -> Result<Option<(SessionRecord, Version)>, StoreError> {
        let Some(key) = key(id) else { return Ok(None) };
        let Some(entry) = self.store.get(&key).await? else {
            return Ok(None);
        };
        if entry.value.len() > LARGEST {
            tracing::warn!(bytes = entry.value.len(), "a stored session is too large and is not restored");
            return Ok(None);
        }
        match serde_json::from_slice::<SessionRecord>(&entry.value) {
            Ok(record) if record.form == FORM => Ok(Some((record, entry.version))),
            Ok(record) => {
                tracing::warn!(form = record.form, "a stored session has another format and is not restored");
                Ok(None)
            }
            Err(error) => {
                // The error's text is not logged: it may quote the client.
                tracing::warn!(line = error.line(), "a stored session cannot be read and is not restored");
                Ok(None)
            }
        }
    }

    /// Reads a session without extending its lifetime.
    pub async fn find(&self, id: &str) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.read(id).await?.map(|(record, _)| record))
    }

    /// Reads a session and extends its lifetime.
    pub async fn load(&self, id: &str) -> Result<Option<SessionRecord>, StoreError> {
        let found = self.find(id).await?;
        if found.is_some() {
            self.touch(id).await?;
        }
        Ok(found)
    }

    /// Stores the choices of a session's client. Returns false if the session does not exist, since one that ended is not
    /// restored, or lives in another replica now.
    pub async fn store_choices(&self, id: &str, kept: &SessionChoices) -> Result<bool, StoreError> {
        loop {
            let Some((mut record, version)) = self.read(id).await? else {
                return Ok(false);
            };
            if self.is_elsewhere(&record) {
                return Ok(false);
            }
            record.kept = kept.clone();
            match self.write(id, &record, ExpectedState::Version(version)).await {
                // Another process wrote in between: retry with its version.
                Err(StoreError::Conflict) => {}
                written => return written.map(|()| true),
            }
        }
    }

    /// Extends the lifetime of a used session. Returns true if the session exists.
    pub async fn touch(&self, id: &str) -> Result<bool, StoreError> {
        match key(id) {
            Some(key) => self.store.touch(&key, Some(self.ttl)).await,
            None => Ok(false),
        }
    }

    /// Deletes a session that ended for good.
    ///
    /// # Errors
    /// [`StoreError::Lost`] if it lives in another replica now, which alone may end it.
    pub async fn end(&self, id: &str) -> Result<(), StoreError> {
        let Some(key) = key(id) else { return Ok(()) };
        if self.replica.is_none() {
            return self.store.delete(&key, ExpectedState::Anything).await.map(drop);
        }
        loop {
            let Some((record, version)) = self.read(id).await? else { return Ok(()) };
            if self.is_elsewhere(&record) {
                return Err(StoreError::Lost);
            }
            match self.store.delete(&key, ExpectedState::Version(version)).await {
                Err(StoreError::Conflict) => {}
                deleted => return deleted.map(drop),
            }
        }
    }

    /// Removes expired records, and logs files that do not belong into the store.
    pub async fn sweep(&self) {
        match self.store.sweep().await {
            Ok(swept) => {
                for skipped in swept.skipped {
                    tracing::warn!(
                        file = skipped.name,
                        reason = skipped.reason,
                        "a foreign file is in the folder of the store"
                    );
                }
                if swept.expired + swept.leftovers > 0 {
                    tracing::debug!(expired = swept.expired, leftovers = swept.leftovers, "the store was swept");
                }
            }
            Err(error) => tracing::warn!(%error, "expired records could not be removed from the store"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fumi_base::store::{ExpectedState, Store, StoreError, memory::MemoryStore};
    use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams};

    use super::{Duration, Replicas, SessionChoices, SessionRecord, SessionStore};

    fn record() -> SessionRecord {
        let client = Implementation::new("a client", "1");
        SessionRecord::new("ann", InitializeRequestParams::new(ClientCapabilities::default(), client))
    }

    fn sessions() -> (SessionStore, Arc<MemoryStore>) {
        let store = Arc::new(MemoryStore::default());
        let sessions = SessionStore::new(Arc::clone(&store) as Arc<dyn Store>, Duration::from_mins(1), None);
        (sessions, store)
    }

    #[tokio::test]
    async fn choices_are_stored_and_ended_sessions_are_not_restored() {
        let (sessions, _) = sessions();
        sessions.create("id", &record()).await.expect("new");
        let kept = SessionChoices {
            root: Some("/a".to_owned()),
            subscriptions: ["code://file/a".to_owned()].into(),
            is_quiet: true,
        };
        assert!(sessions.store_choices("id", &kept).await.expect("answered"));
        let read = sessions.load("id").await.expect("answered").expect("there");
        assert_eq!((read.principal.as_str(), &read.kept), ("ann", &kept));
        sessions.end("id").await.expect("answered");
        assert!(!sessions.store_choices("id", &kept).await.expect("answered"));
        assert!(sessions.load("id").await.expect("answered").is_none());
    }

    #[tokio::test]
    async fn invalid_records_load_as_none() {
        let (sessions, store) = sessions();
        for (id, value) in [("broken", "{"), ("other", r#"{"form": 2}"#), ("empty", "")] {
            let key = format!("session/{id}");
            let put = store.put(&key, value.into(), ExpectedState::Absent, None).await;
            put.expect("it is put");
            assert!(sessions.load(id).await.expect("answered").is_none(), "{id}");
        }
        let mut newer = serde_json::to_value(record()).expect("JSON");
        newer["form"] = 2.into();
        let mut large = serde_json::to_value(record()).expect("JSON");
        large["initialize"]["clientInfo"]["name"] = "x".repeat(200_000).into();
        let put = store.put("session/large", large.to_string().into(), ExpectedState::Absent, None).await;
        put.expect("it is put");
        let put = store.put("session/newer", newer.to_string().into(), ExpectedState::Absent, None).await;
        put.expect("it is put");
        for id in ["newer", "large", "", "no id", "\n", &"x".repeat(200), "unknown"] {
            assert!(sessions.load(id).await.expect("answered").is_none(), "{id}");
        }
    }

    #[tokio::test]
    async fn oversized_initialize_is_not_stored() {
        let (sessions, _) = sessions();
        let mut record = record();
        record.initialize.client_info = Implementation::new("x".repeat(200_000), "1");
        assert!(sessions.create("id", &record).await.is_err());
    }

    /// Returns two replicas over one store, and a session that lives in the first.
    async fn replicas() -> (SessionStore, SessionStore) {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let replica = || {
            let replica = Arc::new(Replicas::new(Arc::clone(&store)).expect("a replica"));
            SessionStore::new(Arc::clone(&store), Duration::from_mins(1), Some(replica))
        };
        let (home, other) = (replica(), replica());
        home.create("id", &record()).await.expect("stored");
        (home, other)
    }

    #[tokio::test]
    async fn former_home_neither_changes_nor_ends_a_session_that_moved() {
        let (home, other) = replicas().await;
        let (record, version) = other.read("id").await.expect("read").expect("there");
        assert!(other.is_elsewhere(&record) && !home.is_elsewhere(&record));
        other.take_over("id", record, version).await.expect("moved");
        let chosen = SessionChoices { root: Some("/elsewhere".to_owned()), ..SessionChoices::default() };
        assert!(!home.store_choices("id", &chosen).await.expect("answered"), "a choice without effect is acknowledged");
        assert!(matches!(home.end("id").await, Err(StoreError::Lost)));
        assert!(!home.confirm("id").await.expect("answered") && other.confirm("id").await.expect("answered"));
        assert_eq!(other.find("id").await.expect("read").expect("it goes on").kept.root, None);
        other.end("id").await.expect("ended");
        assert!(home.find("id").await.expect("read").is_none());
    }

    #[tokio::test]
    async fn session_is_not_taken_over_once_its_home_went_on() {
        let (home, other) = replicas().await;
        let (record, version) = other.read("id").await.expect("read").expect("there");
        assert!(home.confirm("id").await.expect("answered"));
        other.take_over("id", record, version).await.expect("answered");
        let found = other.find("id").await.expect("read").expect("there");
        assert_eq!(found.home, home.home());
    }
}
