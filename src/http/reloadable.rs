//! A value that may be replaced as a whole while the server runs.

use std::sync::Arc;

use parking_lot::RwLock;

/// The current value. A request that took it keeps it until the request ends.
#[derive(Debug)]
pub struct ReloadableValue<T>(Arc<RwLock<Arc<T>>>);

impl<T> Clone for ReloadableValue<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> ReloadableValue<T> {
    /// Creates it with a first value.
    pub fn new(value: T) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(value))))
    }

    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read())
    }

    /// Replaces the value for later callers of [`Self::get`].
    pub fn set(&self, value: T) {
        *self.0.write() = Arc::new(value);
    }
}
