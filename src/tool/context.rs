//! What a running call knows of its surroundings: [`Cx`], and nothing else.
//!
//! A tool sees no clock, no semaphore, no cache and no delivery option here. CPU work goes through [`Cx::blocking`], which
//! hands over the token that it must poll.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use fumi_base::{project::Project, text::Locale, writers::Writers};
use tokio_util::sync::CancellationToken;

use super::{access::Access, error::ToolError};

/// Who calls.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// What it may do, and its name.
    pub access: Arc<Access>,
    /// The protocol session, in the era that has one.
    pub session: Option<String>,
    /// The language that the caller asked for.
    pub locale: Option<Locale>,
}

/// The surroundings of one call.
#[derive(Debug)]
pub struct Cx {
    /// The project of the call.
    pub project: Arc<Project>,
    /// Who calls.
    pub caller: Caller,
    /// Cancelled by the client, by the timeout or by shutdown. Work that takes long polls it.
    pub cancel: CancellationToken,
    /// How far the work is; whoever asked is told.
    pub progress: Progress,
    /// Who writes to which project; used by [`Cx::alone`].
    pub writers: Arc<Writers>,
}

impl Cx {
    /// The language for texts inside an answer.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.caller.locale.unwrap_or_default()
    }

    /// Does what only one may do in the project at a time, also of several servers. `holder` is what others are told meanwhile.
    /// The work is cancelled when the turn is lost.
    pub async fn alone<T>(
        &self,
        holder: &str,
        work: impl Future<Output = Result<T, ToolError>>,
    ) -> Result<T, ToolError> {
        let turn = self.writers.turn(&self.project, holder, &self.cancel).await?;
        let done = work.await;
        turn.end().await;
        done
    }

    /// Runs CPU work on its own thread. The work polls the token, so that a cancelled call stops instead of being left.
    pub async fn blocking<T, E>(
        &self,
        work: impl FnOnce(&CancellationToken, &Progress) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ToolError>
    where
        T: Send + 'static,
        E: Into<ToolError> + Send + 'static,
    {
        let (cancel, progress) = (self.cancel.clone(), self.progress.clone());
        let span = tracing::Span::current();
        let joined = tokio::task::spawn_blocking(move || span.in_scope(|| work(&cancel, &progress))).await;
        match joined {
            Ok(result) => result.map_err(Into::into),
            Err(panic) => {
                tracing::error!(error = %panic, "a tool's work panicked");
                Err(ToolError::internal())
            }
        }
    }
}

/// How far a call is. Cloned handles share the numbers.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Counts work that is done (files, steps).
    pub fn advance(&self, by: u64) {
        self.0.done.fetch_add(by, Ordering::Relaxed);
    }

    /// Says how much work there is; zero means unknown.
    pub fn expect(&self, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// Work done, and the total if it is known.
    #[must_use]
    pub fn get(&self) -> (u64, Option<u64>) {
        let total = self.0.total.load(Ordering::Relaxed);
        (self.0.done.load(Ordering::Relaxed), (total > 0).then_some(total))
    }
}
