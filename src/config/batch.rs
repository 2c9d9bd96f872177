//! Settings of batches: several tool calls in one.

use serde::Deserialize;

use super::ConfigError;

/// The largest value that `max_steps` may have: a batch keeps its results until its end.
const MOST_STEPS: usize = 50;

/// The settings of batches.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchConfig {
    /// True if the batch tools are available.
    pub enabled: bool,
    /// The maximum number of steps of one batch, at most 50.
    pub max_steps: usize,
}

impl BatchConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if (1..=MOST_STEPS).contains(&self.max_steps) {
            return Ok(());
        }
        Err(ConfigError(format!("batch.max_steps must be from 1 to {MOST_STEPS}")))
    }
}
