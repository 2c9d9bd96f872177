//! The connection to a Redis server: one for all calls of the process, opened at first use and again after it broke.
//!
//! Invariants: every call returns within the time-outs, whatever the server does. A command that writes is never sent
//! twice: if its answer is lost, the caller gets [`StoreError::ReplyLost`]. While the server cannot be reached, calls fail
//! at once, except for one attempt to connect in each [`RETRY_INTERVAL`].
//!
//! The library's own `ConnectionManager` is not used: it does not replace a connection that only fails to answer (a
//! machine that lost its power, a server that became a replica), and it never connects again after a failure that is not
//! one of the network, such as a changed password.

use std::{
    io,
    time::{Duration, Instant},
};

use redis::{
    AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, RedisError, RedisResult, ScriptInvocation,
    ServerErrorKind,
    aio::{ConnectionLike, MultiplexedConnection},
    cmd,
};
use tokio::{sync::Mutex, time::timeout};

use super::{super::StoreError, address::RedisAddress};

/// The time for which calls fail at once after a failed attempt to connect.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// The time after which an unused connection is tested before it is used: servers and balancers close idle ones, and a
/// command that was lost this way may not be sent again.
const IDLE: Duration = Duration::from_secs(1);

/// Parts of the messages of a server that does not let the client choose its database or run a command.
const DENIALS: [&str; 4] =
    ["Authentication required", "no permissions", "DB index", "The user executing the script can't"];

/// The maximum times of the steps of a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Timeouts {
    /// For connecting, with TLS and authentication; for testing an idle connection.
    pub(in crate::store) connect: Duration,
    /// For an answer: 16 MiB take a second at 150 Mbit/s.
    pub(in crate::store) reply: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(2), reply: Duration::from_secs(4) }
    }
}

/// The effect of a script on the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Writes,
}

/// The connection of a store.
pub(super) struct RedisConnection {
    address: RedisAddress,
    client: Client,
    timeouts: Timeouts,
    // Held across `.await` while connecting, so that only one call connects.
    link: Mutex<Link>,
}

#[derive(Default)]
struct Link {
    /// The open connection, and the time of its last use.
    current: Option<(MultiplexedConnection, Instant)>,
    /// The number of connections so far, which identifies the current one.
    number: u64,
    /// The last attempt to connect, if it failed.
    failure: Option<(Instant, RedisError)>,
    /// True if the server's policy of eviction was looked at.
    knows_policy: bool,
}

impl RedisConnection {
    pub(super) fn new(address: RedisAddress, timeouts: Timeouts) -> Result<Self, StoreError> {
        if address.is_tls() {
            // The cryptography library that all of fumi uses. Fails if another part of the process has installed it already.
            let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        }
        let client = address.client().map_err(|error| failure(&error, Effect::Reads))?;
        Ok(Self { address, client, timeouts, link: Mutex::default() })
    }

    pub(super) fn address(&self) -> &RedisAddress {
        &self.address
    }

    /// Runs a script, unless the server cannot be reached. One that only reads is run again if its connection broke.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
        effect: Effect,
    ) -> Result<T, StoreError> {
        let mut done = self.run_once(script).await?;
        if effect == Effect::Reads && done.as_ref().is_err_and(RedisError::is_connection_dropped) {
            done = self.run_once(script).await?;
        }
        done.map_err(|error| failure(&error, effect))
    }

    async fn run_once<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<RedisResult<T>, StoreError> {
        let (mut connection, number) = self.open().await?;
        let done = within(self.timeouts.reply, script.invoke_async(&mut connection)).await;
        Ok(self.discard_broken(done, number).await)
    }

    /// Returns the connection and its number; connects if there is none.
    async fn open(&self) -> Result<(MultiplexedConnection, u64), StoreError> {
        let Ok(mut link) = timeout(self.timeouts.connect, self.link.lock()).await else {
            return Err(StoreError::Unavailable { detail: "another call is connecting to it".to_owned() });
        };
        let link = &mut *link;
        let number = link.number;
        if let Some((connection, used)) = &mut link.current {
            if used.elapsed() < IDLE || within(self.timeouts.connect, ping(connection)).await.is_ok() {
                *used = Instant::now();
                return Ok((connection.clone(), number));
            }
            link.current = None;
        }
        if let Some((at, error)) = &link.failure
            && at.elapsed() < RETRY_INTERVAL
        {
            return Err(failure(error, Effect::Reads));
        }
        match within(self.timeouts.connect, self.connect()).await {
            Ok(mut connection) => {
                if link.failure.take().is_some() {
                    tracing::info!(server = %self.address, "the Redis server can be reached again");
                }
                if !link.knows_policy {
                    link.knows_policy = true;
                    self.warn_of_eviction(&mut connection).await;
                }
                link.number += 1;
                link.current = Some((connection.clone(), Instant::now()));
                Ok((connection, link.number))
            }
            Err(error) => {
                if link.failure.is_none() {
                    tracing::warn!(server = %self.address, %error, "the Redis server cannot be used; trying again with each call");
                }
                let told = failure(&error, Effect::Reads);
                link.failure = Some((Instant::now(), error));
                Err(told)
            }
        }
    }

    /// Opens a connection and sees that the server accepts commands.
    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        // The time-outs of the library are off: those of this file cover all steps of a call.
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        ping(&mut connection).await?;
        Ok(connection)
    }

    /// Forgets the connection if a failure shows that it cannot be used any more.
    async fn discard_broken<T>(&self, done: RedisResult<T>, number: u64) -> RedisResult<T> {
        if done.as_ref().is_err_and(is_broken) {
            let mut link = self.link.lock().await;
            if link.number == number {
                link.current = None;
            }
        }
        done
    }

    /// Warns if the server may remove entries before their time.
    async fn warn_of_eviction(&self, connection: &mut MultiplexedConnection) {
        let info = async { cmd("INFO").arg("memory").query_async::<String>(connection).await };
        // Not every hosted server allows the question.
        let Ok(info) = within(self.timeouts.connect, info).await else { return };
        let value = |name: &str| {
            let mut lines = info.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(known, _)| *known == name).map(|(_, value)| value.trim().to_owned())
        };
        let policy = value("maxmemory_policy").unwrap_or_default();
        let is_limited = value("maxmemory").is_some_and(|limit| limit != "0");
        if is_limited && !policy.is_empty() && policy != "noeviction" {
            tracing::warn!(
                server = %self.address,
                policy,
                "the Redis server removes entries when its memory is full: sessions may be lost, and leases end early. Set its maxmemory-policy to noeviction."
            );
        }
    }
}

async fn ping(connection: &mut impl ConnectionLike) -> RedisResult<()> {
    cmd("PING").exec_async(connection).await
}

async fn within<T>(limit: Duration, work: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    let late = || io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {} ms", limit.as_millis()));
    timeout(limit, work).await.unwrap_or_else(|_| Err(late().into()))
}

/// True if a server refused a command because it is a replica: after a failover its name may lead to another server.
fn is_read_only(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly) || error.to_string().contains("READONLY")
}

/// True if the connection that gave this error must be replaced.
fn is_broken(error: &RedisError) -> bool {
    error.is_io_error() || error.kind() == ErrorKind::Parse || is_read_only(error)
}

/// Returns a message without the hash of the script and the line in it, which its reader does not know.
fn without_script(mut detail: String) -> String {
    detail.truncate(detail.find(" script: ").unwrap_or(detail.len()));
    detail
}

/// Returns the error for a failed command.
fn failure(error: &RedisError, effect: Effect) -> StoreError {
    let detail = without_script(error.to_string());
    match error.kind() {
        ErrorKind::AuthenticationFailed => {
            StoreError::Denied { detail: "it does not accept the user and password".to_owned() }
        }
        ErrorKind::Server(ServerErrorKind::NoPerm) => StoreError::Denied { detail },
        // Scripts of older servers fail with `ERR`, followed by the error of the command.
        _ if error.code() == Some("OOM") || detail.contains("OOM command not allowed") => StoreError::OutOfMemory,
        _ if matches!(error.code(), Some("NOAUTH" | "WRONGPASS")) => StoreError::Denied { detail },
        // The library replaces the server's code if the choice of the database fails.
        _ if DENIALS.iter().any(|part| detail.contains(part)) => StoreError::Denied { detail },
        _ if detail.contains("compiling script") => {
            StoreError::Unavailable { detail: format!("it is older than Redis 7, which fumi needs: {detail}") }
        }
        // A script that fails has changed nothing: the server refuses its first write, or none.
        ErrorKind::Server(_) | ErrorKind::Extension => StoreError::Unavailable { detail },
        _ if effect == Effect::Writes => StoreError::ReplyLost { detail },
        _ => StoreError::Unavailable { detail },
    }
}
