//! Which project each session chose by `set_project_path`.
//!
//! This is the face of it in memory. The protocol's edge writes it through to the store after each call, and puts it back
//! when it restores a session. A guard of the map never lives across an await.

use std::sync::Arc;

use dashmap::DashMap;
use fumi_base::project::Project;

/// Session id to project.
#[derive(Debug, Default)]
pub struct Sessions {
    roots: DashMap<String, Arc<Project>>,
}

impl Sessions {
    /// The project that a session chose.
    #[must_use]
    pub fn root(&self, session: &str) -> Option<Arc<Project>> {
        self.roots.get(session).map(|root| Arc::clone(&root))
    }

    /// Remembers a session's choice and returns the one before.
    pub fn choose(&self, session: &str, project: Arc<Project>) -> Option<Arc<Project>> {
        self.roots.insert(session.to_owned(), project)
    }

    /// Forgets a session that ended.
    pub fn forget(&self, session: &str) {
        self.roots.remove(session);
    }
}
