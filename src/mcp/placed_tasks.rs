//! Tasks with ids that tell which replica has the task: `REPLICA.ID`. Without replicas an id is that of the manager.

use std::sync::Arc;

use fumi_base::store::StoreError;
use rmcp::{
    ErrorData,
    model::{DetailedTask, InputResponses, Task},
    task_manager::{TaskContext, TaskFuture, TaskManager, TaskOptions},
};

use super::replicas::Replicas;

/// Separates the replica from the rest of an id.
const SEPARATOR: char = '.';

/// Returns the replica that has a task, by the task's id.
pub fn replica_of_task(id: &str) -> Option<&str> {
    id.split_once(SEPARATOR).map(|(replica, _)| replica)
}

/// The tasks of this replica, with ids that tell the others where the task is.
pub struct PlacedTasks {
    manager: TaskManager,
    replicas: Option<Arc<Replicas>>,
}

impl PlacedTasks {
    pub fn new(replicas: Option<Arc<Replicas>>) -> Self {
        Self { manager: TaskManager::new(), replicas }
    }

    /// Starts a task, as [`TaskManager::spawn`].
    pub fn spawn<F>(&self, options: TaskOptions, work: F) -> Task
    where
        F: FnOnce(TaskContext) -> TaskFuture,
    {
        let mut task = self.manager.spawn(options, work);
        self.place(&mut task);
        task
    }

    pub fn get(&self, id: &str) -> Result<DetailedTask, ErrorData> {
        let mut found = self.manager.get_task(self.unplaced(id))?;
        self.place(&mut found.task);
        Ok(found)
    }

    pub fn update(&self, id: &str, responses: InputResponses) -> Result<(), ErrorData> {
        self.manager.update_task(self.unplaced(id), responses)
    }

    pub fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        self.manager.cancel_task(self.unplaced(id))
    }

    /// True if a task belongs to another replica, which lives.
    pub async fn is_elsewhere(&self, id: &str) -> Result<bool, StoreError> {
        match (&self.replicas, replica_of_task(id)) {
            (Some(replicas), Some(replica)) if replica != replicas.id() => {
                Ok(replicas.url_of(replica, None).await?.is_some())
            }
            _ => Ok(false),
        }
    }

    /// Returns the id by which clients know a task of the manager.
    pub fn placed_id(&self, id: &str) -> String {
        match &self.replicas {
            Some(replicas) => format!("{}{SEPARATOR}{id}", replicas.id()),
            None => id.to_owned(),
        }
    }

    fn place(&self, task: &mut Task) {
        task.task_id = self.placed_id(&task.task_id);
    }

    /// Returns the id of a task in its manager; that of another replica's task is unknown there.
    fn unplaced<'i>(&self, id: &'i str) -> &'i str {
        match (&self.replicas, id.split_once(SEPARATOR)) {
            (Some(replicas), Some((replica, id))) if replica == replicas.id() => id,
            _ => id,
        }
    }
}
