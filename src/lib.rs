//! fumi.
