//! Several calls in one.

use serde::{Deserialize, Serialize};

use super::ConfigError;

/// The most steps that any configuration allows: a batch holds its results until its end.
const MOST_STEPS: usize = 50;

/// Several calls in one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Batch {
    /// Whether there are tools for it.
    pub enabled: bool,
    /// Steps of one batch, at most 50.
    pub max_steps: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            enabled: true,
            max_steps: MOST_STEPS,
        }
    }
}

impl Batch {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if (1..=MOST_STEPS).contains(&self.max_steps) {
            return Ok(());
        }
        Err(ConfigError(format!("batch.max_steps must be from 1 to {MOST_STEPS}")))
    }
}
