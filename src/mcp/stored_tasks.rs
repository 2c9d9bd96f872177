//! Stored tasks: what became of a call, for the process that is asked about it later.
//!
//! A record is written before the client learns of the task, and again when the task has ended. The work itself is not
//! stored and ends with its process, and so do the questions of a task; then the record says that the task runs. Only a
//! store that outlives the process has records.

use std::{sync::Arc, time::Duration};

use fumi_base::store::{ExpectedState, Store, StoreError};
use rmcp::model::DetailedTask;
use serde::{Deserialize, Serialize};

use super::session_store::record_key;

/// The format of the records that this build writes and reads.
const FORM: u32 = 1;

#[derive(Debug)]
pub(super) struct StoredTasks {
    /// `None` if nothing outlives the process.
    store: Option<Arc<dyn Store>>,
    /// The lifetime of a record, from its last write.
    ttl: Duration,
}

/// The record of one task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredTask {
    form: u32,
    /// The principal that made the call; empty without authentication.
    pub(super) owner: Arc<str>,
    /// The task as it began, or as it ended.
    pub(super) task: DetailedTask,
}

impl StoredTasks {
    pub(super) fn new(store: &Arc<dyn Store>, ttl: Duration) -> Self {
        Self { store: store.is_persistent().then(|| Arc::clone(store)), ttl }
    }

    /// Stores a task under its id.
    pub(super) async fn put(&self, owner: &Arc<str>, task: DetailedTask) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        let Some(key) = record_key("task", &task.task.task_id) else {
            return Err(StoreError::Key { reason: "is not the key of a task" });
        };
        let record = StoredTask { form: FORM, owner: Arc::clone(owner), task };
        let bytes = serde_json::to_vec(&record)
            .map_err(|error| StoreError::Io { what: "a task cannot be serialized", source: error.into() })?;
        store.put(&key, bytes, ExpectedState::Anything, Some(self.ttl)).await.map(drop)
    }

    /// Reads the record of a task. Records of another format are ignored.
    pub(super) async fn find(&self, id: &str) -> Result<Option<StoredTask>, StoreError> {
        let (Some(store), Some(key)) = (&self.store, record_key("task", id)) else { return Ok(None) };
        let Some(entry) = store.get(&key).await? else { return Ok(None) };
        match serde_json::from_slice::<StoredTask>(&entry.value) {
            Ok(record) if record.form == FORM => Ok(Some(record)),
            _ => {
                // The error's text is not logged: it may quote the result.
                tracing::warn!("the record of a task cannot be read and is ignored");
                Ok(None)
            }
        }
    }
}
