//! Limits: sizes and numbers that bound the work done at once.

use std::time::Duration;

use fumi_base::pools::PoolSizes;
use fumi_kernel::{ResultForm, cut_rows::Caps};
use serde::Deserialize;

use super::ConfigError;

/// The minimum buffer size that the HTTP library accepts.
const LEAST_HEADER_BYTES: usize = 8_192;
/// The minimum of `reply_bytes`: a reply must have room for its longest question or error, and for the note that it was
/// cut.
const LEAST_REPLY_BYTES: usize = 8_192;

/// The limits of files, replies and requests: some for one call, some for the whole server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// The maximum size of a file that is read whole, in bytes.
    pub file_bytes: u64,
    /// The maximum number of rows of one reply before it is cut.
    pub reply_rows: usize,
    /// The maximum number of estimated tokens of one reply before it is cut.
    pub reply_tokens: usize,
    /// The maximum size of one reply before it is cut, in bytes, at least 8,192. Several clients cut at 40,000 by
    /// themselves, without a cursor.
    pub reply_bytes: usize,
    /// The number of files of a project beyond which `strict` refuses a walk; without `strict` the walk continues and
    /// reports it.
    pub project_files: usize,
    /// True to refuse walks over more than `project_files` files.
    pub strict: bool,
    /// The maximum size of a request body, in bytes.
    pub body_bytes: usize,
    /// The maximum size of all request bodies in memory at once, in bytes. One principal may hold no more than what
    /// stays free for others, so a single principal can hold at most half.
    pub bodies_bytes: usize,
    /// The maximum size of a request's head (its line and headers), in bytes; at least 8,192.
    pub header_bytes: usize,
    /// The maximum number of requests in flight. Probes and streams that only listen do not count.
    pub requests: usize,
}

impl LimitsConfig {
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
            return Err(ConfigError(format!("limits.reply_bytes must be at least {LEAST_REPLY_BYTES}")));
        }
        if self.header_bytes < LEAST_HEADER_BYTES {
            return Err(ConfigError(format!("limits.header_bytes must be at least {LEAST_HEADER_BYTES}")));
        }
        if self.bodies_bytes < self.body_bytes {
            return Err(ConfigError(
                "limits.bodies_bytes must be at least limits.body_bytes: one body must fit".to_owned(),
            ));
        }
        Ok(())
    }

    /// Returns the limits of one reply.
    pub fn caps(&self) -> Caps {
        Caps { rows: self.reply_rows, tokens: self.reply_tokens, bytes: self.reply_bytes, form: ResultForm::Both }
    }
}

/// The maximum number of concurrent jobs of each kind.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolsConfig {
    /// Jobs of code tools and reads. 0: one per core, at least five.
    pub analysis: usize,
    /// Jobs that write novels, per project.
    pub write: usize,
    /// Jobs that write novels, in all projects together.
    pub write_total: usize,
    /// Jobs that check novels.
    pub check: usize,
    /// Jobs that plot novels.
    pub plot: usize,
    /// Jobs that use browser contexts.
    pub browser: usize,
    /// The maximum number of calls waiting for one pool.
    pub queue: usize,
    /// The maximum number of seconds that a call waits for a slot.
    pub wait_seconds: u64,
}

impl PoolsConfig {
    /// Converts the settings to the sizes that the pools take.
    pub fn sizes(&self) -> PoolSizes {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let analysis = if self.analysis == 0 { cores.max(5) } else { self.analysis };
        PoolSizes {
            slots: [analysis, self.write_total, self.check, self.plot, self.browser],
            per_key: self.write,
            queue: self.queue,
            wait: Duration::from_secs(self.wait_seconds),
        }
    }
}

/// The settings of the result cache.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheConfig {
    /// The maximum size of all cached results together, in bytes.
    pub bytes: u64,
    /// The maximum size of one cached result, in bytes; larger ones are not cached.
    pub entry_bytes: usize,
}

/// The settings of notifications about changed resources.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourcesConfig {
    /// The maximum number of resources that one session, or one stream of the stateless era, may subscribe to.
    pub subscriptions: usize,
    /// The maximum number of concurrent streams of the stateless era (`subscriptions/listen`).
    pub streams: usize,
    /// Milliseconds without a further change before a change is reported.
    pub settle_ms: u64,
}
