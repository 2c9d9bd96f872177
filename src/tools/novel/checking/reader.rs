//! What a call writes of its review, until it is written to the project as a whole. The reviews of who may only read are kept in the
//! server's store instead, for that caller, so that a staged review goes on over calls.
//!
//! Nothing of those is written to the project. A review begun there by somebody else can be gone on with; the project's stays as it is.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use fumi_base::{
    files::sha256,
    project::Project,
    store::{Expect, Store, StoreError, Version},
};
use fumi_novel::reviewing::{Apart, ReviewId, Reviews};

use super::{Cx, NovelDeps, ToolError};

/// How long a review is kept after the last call to it.
const KEPT: Duration = Duration::from_hours(24);

/// How many reviews a caller has at most, in all projects; the oldest go first.
const REVIEWS: usize = 50;

/// The longest review that is kept, in bytes of JSON.
const LONGEST: usize = 256 << 10;

/// The reviews of one caller in one project.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    store: Arc<dyn Store>,
    /// How the keys of the caller's reviews begin.
    own: String,
    /// How those of this project begin.
    prefix: String,
    files: Apart,
    /// What was fetched, so that of two calls to one review none loses what the other did.
    fetched: Arc<Mutex<Option<Version>>>,
}

impl Reader {
    pub(super) fn of(deps: &NovelDeps, cx: &Cx) -> Self {
        // As hashes: a slash in a principal's name would make its reviews those of another, whose name it begins with.
        let part = |name: &[u8]| sha256(name)[..16].to_owned();
        let own = format!("review/{}/", part(cx.caller.access.principal.as_bytes()));
        Self {
            store: Arc::clone(&deps.store),
            prefix: format!("{own}{}/", part(cx.project.root().to_string_lossy().as_bytes())),
            own,
            files: Apart::default(),
            fetched: Arc::default(),
        }
    }

    /// What was fetched, over what the project has.
    pub(super) fn reviews(&self, project: &Arc<Project>) -> Reviews {
        Reviews::apart(Arc::clone(project), self.files.clone())
    }

    /// What the call wrote.
    pub(super) fn take(&self) -> BTreeMap<String, String> {
        self.files.take()
    }

    /// Fetches a review, if there is one by this name.
    pub(super) async fn fetch(&self, id: &str) -> Result<(), ToolError> {
        let Some(id) = ReviewId::parse(id) else { return Ok(()) };
        let entry = self.store.get(&format!("{}{id}", self.prefix)).await?;
        *self.fetched.lock().unwrap_or_else(PoisonError::into_inner) = entry.as_ref().map(|entry| entry.version);
        let files: Option<BTreeMap<String, String>> = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
        self.files.fill(files.unwrap_or_default());
        Ok(())
    }

    /// Keeps a review as it is now.
    pub(super) async fn keep(&self, id: &str) -> Result<(), ToolError> {
        let mut files = self.files.files();
        // Texts that the caller brought: their hashes stand in the steps, and a text may be as long as a novel.
        files.retain(|path, _| !path.contains("/inputs/"));
        if files.is_empty() {
            return Ok(());
        }
        let key = format!("{}{id}", self.prefix);
        let mut known = self.store.list(&self.own).await?.keys;
        if !known.contains(&key) {
            // The last part is the review's name, which begins with the time.
            known.sort_by(|a, b| a.rsplit('/').next().cmp(&b.rsplit('/').next()));
            for old in known.iter().take((known.len() + 1).saturating_sub(REVIEWS)) {
                self.store.delete(old, Expect::Anything).await?;
            }
        }
        let value = serde_json::to_vec(&files).map_err(|_| ToolError::internal())?;
        if value.len() > LONGEST {
            return Err(StoreError::TooLarge {
                size: value.len(),
                limit: LONGEST,
            }
            .into());
        }
        let fetched = *self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        let expect = fetched.map_or(Expect::Absent, Expect::Version);
        self.store.put(&key, value, expect, Some(KEPT)).await?;
        Ok(())
    }
}
