//! The files that a call writes for its review, held until they are written to the project as a whole. For callers that
//! may only read they go to the server's store instead, per caller, so that a staged review can continue over several
//! calls.
//!
//! Reviews of such callers are never written to the project. They can continue a review that another caller began in
//! the project; the project's copy is unchanged.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fumi_base::{
    files::sha256,
    project::Project,
    store::{ExpectedState, Store, StoreError, Version},
};
use fumi_novel::reviewing::{ReviewId, ReviewOverlay, ReviewStore};
use parking_lot::Mutex;

use super::{Cx, NovelDeps, ToolError};

/// The time that a review is stored after the last call to it.
const REVIEW_LIFETIME: Duration = Duration::from_hours(24);

/// The maximum number of reviews per caller, over all projects; the oldest are deleted first.
const MAX_REVIEWS: usize = 50;

/// The maximum size of a stored review, in bytes of JSON.
const MAX_REVIEW_BYTES: usize = 256 << 10;

/// The reviews of one caller in one project.
#[derive(Clone, Debug)]
pub(super) struct CallerReviews {
    store: Arc<dyn Store>,
    /// The key prefix of the caller's reviews.
    own: String,
    /// The key prefix of the caller's reviews in this project.
    prefix: String,
    files: ReviewOverlay,
    /// The version that was fetched, so that of two concurrent calls to one review neither overwrites the other's
    /// changes.
    fetched: Arc<Mutex<Option<Version>>>,
}

impl CallerReviews {
    pub(super) fn new(deps: &NovelDeps, cx: &Cx) -> Self {
        // Key parts are hashes: a slash in a principal's name would let it match the prefix of another principal's
        // reviews.
        let part = |name: &[u8]| sha256(name)[..16].to_owned();
        let own = format!("review/{}/", part(cx.caller.access.principal.as_bytes()));
        Self {
            store: Arc::clone(&deps.store),
            prefix: format!("{own}{}/", part(cx.project.root().to_string_lossy().as_bytes())),
            own,
            files: ReviewOverlay::default(),
            fetched: Arc::default(),
        }
    }

    /// Returns the project's reviews, overlaid with the fetched files.
    pub(super) fn reviews(&self, project: &Arc<Project>) -> ReviewStore {
        ReviewStore::with_overlay(Arc::clone(project), self.files.clone())
    }

    /// Takes the files that the call wrote.
    pub(super) fn take(&self) -> BTreeMap<String, String> {
        self.files.take()
    }

    /// Fetches the review with this id, if it exists.
    pub(super) async fn fetch(&self, id: &str) -> Result<(), ToolError> {
        let Some(id) = ReviewId::parse(id) else { return Ok(()) };
        let entry = self.store.get(&format!("{}{id}", self.prefix)).await?;
        *self.fetched.lock() = entry.as_ref().map(|entry| entry.version);
        let files: Option<BTreeMap<String, String>> = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok());
        self.files.fill(files.unwrap_or_default());
        Ok(())
    }

    /// Stores the review in its current state.
    pub(super) async fn keep(&self, id: &str) -> Result<(), ToolError> {
        let mut files = self.files.files();
        // Texts supplied by the caller are left out: the steps contain their hashes, and a text may be as long as a
        // novel.
        files.retain(|path, _| !path.contains("/inputs/"));
        if files.is_empty() {
            return Ok(());
        }
        let key = format!("{}{id}", self.prefix);
        let mut value = serde_json::to_vec(&files).map_err(|_| ToolError::internal())?;
        if value.len() > MAX_REVIEW_BYTES {
            // The findings of a long text take the most room. They can be left out: the reply has the most severe ones, and no
            // later step reads them.
            files.retain(|path, _| !path.ends_with("/issues.jsonl"));
            value = serde_json::to_vec(&files).map_err(|_| ToolError::internal())?;
        }
        if value.len() > MAX_REVIEW_BYTES {
            return Err(StoreError::TooLarge { size: value.len(), limit: MAX_REVIEW_BYTES }.into());
        }
        let fetched = *self.fetched.lock();
        let expect = fetched.map_or(ExpectedState::Absent, ExpectedState::Version);
        self.store.put(&key, value, expect, Some(REVIEW_LIFETIME)).await?;
        // After the new one is stored, so that a review that cannot be stored displaces none. The last part of a key is the
        // review's id, which begins with the time.
        let mut known = self.store.list(&self.own).await?.keys;
        known.sort_by(|a, b| a.rsplit('/').next().cmp(&b.rsplit('/').next()));
        for old in known.iter().take(known.len().saturating_sub(MAX_REVIEWS)).filter(|old| **old != key) {
            self.store.delete(old, ExpectedState::Anything).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use fumi_base::store::{ExpectedState, Store as _, memory::MemoryStore};
    use fumi_novel::reviewing::ReviewOverlay;

    use super::{CallerReviews, MAX_REVIEW_BYTES, MAX_REVIEWS};

    #[tokio::test]
    async fn only_a_stored_review_displaces_the_oldest() {
        let store = Arc::new(MemoryStore::default());
        for age in 0..MAX_REVIEWS {
            let key = format!("review/a/p/{age:02}");
            store.put(&key, b"{}".to_vec(), ExpectedState::Absent, None).await.expect("stored");
        }
        let reviews = CallerReviews {
            store: store.clone(),
            own: "review/a/".to_owned(),
            prefix: "review/a/p/".to_owned(),
            files: ReviewOverlay::default(),
            fetched: Arc::default(),
        };
        let file = |text: String| BTreeMap::from([("50/state.json".to_owned(), text)]);
        reviews.files.fill(file("x".repeat(MAX_REVIEW_BYTES)));
        reviews.keep("50").await.expect_err("too large");
        let keys = store.list("review/a/").await.expect("listed").keys;
        assert_eq!((keys.len(), keys.iter().any(|key| key.ends_with("/00"))), (MAX_REVIEWS, true));
        reviews.files.fill(file("x".to_owned()));
        reviews.keep("50").await.expect("stored");
        let keys = store.list("review/a/").await.expect("listed").keys;
        assert_eq!((keys.len(), keys.iter().any(|key| key.ends_with("/00"))), (MAX_REVIEWS, false));
    }
}
