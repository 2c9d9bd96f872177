//! The reviews of who may only read: kept in the server's store, for that caller, so that a staged review goes on over calls.
//!
//! Nothing of them is written to the project. A review begun there by somebody else can be gone on with; the project's stays as it is.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fumi_base::{
    files::sha256,
    project::Project,
    store::{Expect, Store},
};
use fumi_novel::reviewing::{Apart, ReviewId, Reviews};

use super::{Cx, NovelDeps, ToolError};

/// How long a review is kept after the last call to it.
const KEPT: Duration = Duration::from_hours(24);

/// How many reviews a caller has at most in a project; the oldest go first.
const REVIEWS: usize = 50;

/// The reviews of one caller in one project.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    store: Arc<dyn Store>,
    /// How their keys begin.
    prefix: String,
    files: Apart,
}

impl Reader {
    pub(super) fn of(deps: &NovelDeps, cx: &Cx) -> Self {
        let project = sha256(cx.project.root().to_string_lossy().as_bytes());
        Self {
            store: Arc::clone(&deps.store),
            prefix: format!("review/{}/{}/", cx.caller.access.principal, &project[..16]),
            files: Apart::default(),
        }
    }

    /// What was fetched, over what the project has.
    pub(super) fn reviews(&self, project: &Arc<Project>) -> Reviews {
        Reviews::apart(Arc::clone(project), self.files.clone())
    }

    /// Fetches a review, if there is one by this name.
    pub(super) async fn fetch(&self, id: &str) -> Result<(), ToolError> {
        let Some(id) = ReviewId::parse(id) else { return Ok(()) };
        let entry = self.store.get(&format!("{}{id}", self.prefix)).await?;
        let files: Option<BTreeMap<String, String>> = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
        self.files.fill(files.unwrap_or_default());
        Ok(())
    }

    /// Keeps a review as it is now.
    pub(super) async fn keep(&self, id: &str) -> Result<(), ToolError> {
        let files = self.files.files();
        if files.is_empty() {
            return Ok(());
        }
        let key = format!("{}{id}", self.prefix);
        let known = self.store.list(&self.prefix).await?.keys;
        if !known.contains(&key) {
            // Names begin with the time.
            for old in known.iter().take((known.len() + 1).saturating_sub(REVIEWS)) {
                self.store.delete(old, Expect::Anything).await?;
            }
        }
        let value = serde_json::to_vec(&files).map_err(|_| ToolError::internal())?;
        self.store.put(&key, value, Expect::Anything, Some(KEPT)).await?;
        Ok(())
    }
}
