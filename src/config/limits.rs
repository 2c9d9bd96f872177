//! Sizes and numbers that bound what is done at once.

use std::time::Duration;

use fumi_base::pools::PoolSizes;
use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::tool::reply::Caps;

/// The least buffer that the HTTP library takes.
const LEAST_HEADER_BYTES: usize = 8_192;
/// A reply must hold its longest question or error, and what says that something was cut.
const LEAST_REPLY_BYTES: usize = 8_192;

/// Sizes that bound one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest file that is read whole, in bytes.
    pub file_bytes: u64,
    /// Rows of one reply before it is cut.
    pub reply_rows: usize,
    /// Estimated tokens of one reply before it is cut.
    pub reply_tokens: usize,
    /// Bytes of one reply before it is cut, at least 8,192. Several clients cut at 40,000 by themselves, without a cursor.
    pub reply_bytes: usize,
    /// Files of a project beyond which `strict` refuses a walk; otherwise it goes on and says so.
    pub project_files: usize,
    /// Refuse walks over more than `project_files` files.
    pub strict: bool,
    /// Largest request body, in bytes.
    pub body_bytes: usize,
    /// Bytes of all request bodies that are held at once. One principal gets at most as much as is free: alone, half of it.
    pub bodies_bytes: usize,
    /// Largest head of a request (its line and headers), in bytes; at least 8,192.
    pub header_bytes: usize,
    /// Requests in flight at once. Probes and streams that only listen do not count.
    pub requests: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 100_000_000,
            reply_rows: 2_000,
            reply_tokens: 25_000,
            reply_bytes: 36_000,
            project_files: 100_000,
            strict: false,
            body_bytes: 4 * 1024 * 1024,
            bodies_bytes: 64 * 1024 * 1024,
            header_bytes: 32 * 1024,
            requests: 512,
        }
    }
}

impl Limits {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (name, size) in [
            ("reply_rows", self.reply_rows),
            ("reply_tokens", self.reply_tokens),
            ("body_bytes", self.body_bytes),
            ("requests", self.requests),
        ] {
            if size == 0 {
                return Err(ConfigError(format!("limits.{name} must be at least 1")));
            }
        }
        if self.reply_bytes < LEAST_REPLY_BYTES {
            return Err(ConfigError(format!(
                "limits.reply_bytes must be at least {LEAST_REPLY_BYTES}"
            )));
        }
        if self.header_bytes < LEAST_HEADER_BYTES {
            return Err(ConfigError(format!(
                "limits.header_bytes must be at least {LEAST_HEADER_BYTES}"
            )));
        }
        if self.bodies_bytes < self.body_bytes {
            return Err(ConfigError(
                "limits.bodies_bytes must be at least limits.body_bytes: one body must fit".to_owned(),
            ));
        }
        Ok(())
    }

    /// What one reply may hold.
    #[must_use]
    pub fn caps(&self) -> Caps {
        Caps {
            rows: self.reply_rows,
            tokens: self.reply_tokens,
            bytes: self.reply_bytes,
        }
    }
}

/// How many jobs run at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pools {
    /// Code tools and reads. 0: one per core, at least five.
    pub analysis: usize,
    /// Writing novels, per project.
    pub write: usize,
    /// Writing novels, in all projects together.
    pub write_total: usize,
    /// Checking novels.
    pub check: usize,
    /// Plotting novels.
    pub plot: usize,
    /// Browser contexts.
    pub browser: usize,
    /// Calls that may wait for one pool.
    pub queue: usize,
    /// Seconds that a call waits for a place.
    pub wait_seconds: u64,
}

impl Default for Pools {
    fn default() -> Self {
        Self {
            analysis: 0,
            write: 1,
            write_total: 8,
            check: 3,
            plot: 2,
            browser: 8,
            queue: 64,
            wait_seconds: 30,
        }
    }
}

impl Pools {
    /// The pools as the foundation takes them.
    #[must_use]
    pub fn sizes(&self) -> PoolSizes {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let analysis = if self.analysis == 0 {
            cores.max(5)
        } else {
            self.analysis
        };
        PoolSizes {
            places: [analysis, self.write_total, self.check, self.plot, self.browser],
            per_key: self.write,
            queue: self.queue,
            wait: Duration::from_secs(self.wait_seconds),
        }
    }
}

/// The result cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cache {
    /// Bytes of all cached results together.
    pub bytes: u64,
    /// Bytes beyond which one result is not kept.
    pub entry_bytes: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            bytes: 64 * 1024 * 1024,
            entry_bytes: 4 * 1024 * 1024,
        }
    }
}

/// Who is told when resources change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resources {
    /// Resources that one session, or one stream of the stateless era, may subscribe to.
    pub subscriptions: usize,
    /// Streams of the stateless era (`subscriptions/listen`) at once.
    pub streams: usize,
    /// Milliseconds without a further change before a change is told.
    pub settle_ms: u64,
}

impl Default for Resources {
    fn default() -> Self {
        Self {
            subscriptions: 100,
            streams: 1_000,
            settle_ms: 150,
        }
    }
}
