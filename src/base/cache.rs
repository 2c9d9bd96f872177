//! A cache of results, bounded by bytes.
//!
//! Invariant: the key contains everything that the answer depends on, so that a wrong hit is impossible rather than
//! unlikely. The cached value is the uncut result; cutting it for one caller happens after the look-up.

use std::sync::Arc;

use moka::sync::Cache;

/// Everything that an answer depends on. Two callers with equal keys get equal answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CacheKey {
    /// The name of the tool, as in the catalogue.
    pub tool: &'static str,
    /// The canonical root of the project.
    pub project: Arc<std::path::Path>,
    /// The arguments as canonical JSON: sorted keys, without delivery options.
    pub arguments: Arc<str>,
    /// The caller's locale, since texts inside results depend on it.
    pub locale: crate::text::Locale,
    /// The state of the project's files.
    pub stamp: crate::freshness::RootStamp,
}

/// A bounded cache of values with known sizes.
#[derive(Debug)]
pub struct ResultCache<V: Clone + Send + Sync + 'static> {
    inner: Cache<CacheKey, (V, u32)>,
    max_entry: usize,
}

impl<V: Clone + Send + Sync + 'static> ResultCache<V> {
    /// Creates a cache of at most `max_bytes` in total and `max_entry` for each entry.
    pub fn new(max_bytes: u64, max_entry: usize) -> Self {
        let inner = Cache::builder()
            .max_capacity(max_bytes)
            .weigher(|key: &CacheKey, (_, bytes): &(V, u32)| {
                bytes.saturating_add(u32::try_from(key.arguments.len() + 200).unwrap_or(u32::MAX))
            })
            .build();
        Self { inner, max_entry }
    }

    pub fn get(&self, key: &CacheKey) -> Option<V> {
        self.inner.get(key).map(|(value, _)| value)
    }

    /// Returns the approximate size of all entries, in bytes.
    pub fn bytes(&self) -> u64 {
        self.inner.weighted_size()
    }

    /// Caches a value of about `bytes` bytes, unless it exceeds the limit of one entry.
    pub fn insert(&self, key: CacheKey, value: V, bytes: usize) {
        if bytes <= self.max_entry {
            self.inner.insert(key, (value, u32::try_from(bytes).unwrap_or(u32::MAX)));
        }
    }
}
