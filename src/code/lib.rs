//! Code analysis.
