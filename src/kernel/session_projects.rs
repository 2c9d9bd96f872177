//! The project that each session chose by `set_project_path`.
//!
//! This map is in memory only. The protocol layer writes the choice to the store after each call, and reads it back
//! when it restores a session. A guard of the map is never held across an await.

use std::sync::Arc;

use dashmap::DashMap;
use fumi_base::project::Project;

/// A map from session ids to projects.
#[derive(Debug, Default)]
pub struct SessionProjects {
    roots: DashMap<String, Arc<Project>>,
}

impl SessionProjects {
    /// Returns the project that a session chose.
    pub fn project(&self, session: &str) -> Option<Arc<Project>> {
        self.roots.get(session).map(|root| Arc::clone(&root))
    }

    /// Stores a session's choice and returns the previous one.
    pub fn choose(&self, session: &str, project: Arc<Project>) -> Option<Arc<Project>> {
        self.roots.insert(session.to_owned(), project)
    }

    /// Removes a session that ended.
    pub fn remove(&self, session: &str) {
        self.roots.remove(session);
    }
}
