//! Something that holds now and may be replaced whole while the server runs.

use std::sync::{Arc, PoisonError, RwLock};

/// What holds now. Whoever took it keeps it to the end of its request.
#[derive(Debug)]
pub struct Current<T>(Arc<RwLock<Arc<T>>>);

impl<T> Clone for Current<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Current<T> {
    /// Holds one.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(value))))
    }

    /// What holds now.
    #[must_use]
    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on another.
    pub fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}
