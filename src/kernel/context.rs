//! The context of a running call: [`Cx`], and nothing else.
//!
//! A tool sees no clock, no semaphore, no cache and no delivery option here. CPU work goes through [`Cx::blocking`],
//! which passes it the cancellation token that it must poll.

use std::{
    any::Any,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use fumi_base::{
    audit::{self, Actor},
    expectation::ResolvedExpectation,
    pools::Permit,
    project::Project,
    project_locks::ProjectLocks,
    text::{BilingualText, Locale},
};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{access::Access, batch::BatchState, error::ToolError, metrics::ServerMetrics, result_form::ResultForm};

/// The caller of a tool.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The permissions and the name of the caller.
    pub access: Arc<Access>,
    /// The protocol session, in the session era.
    pub session: Option<String>,
    /// The language that the caller asked for, else the configured one.
    pub locale: Locale,
    /// The form in which the caller gets results.
    pub form: ResultForm,
}

/// The author of the answer that a call submits, for tools that record how something was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answerer {
    /// The caller: a person, or the host's model.
    #[default]
    Host,
    /// The client's model, which fumi asked.
    Sampling,
    /// A provider's model, which fumi asked.
    Provider,
}

impl Answerer {
    /// Returns the `method` that is recorded for a judgement.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Sampling => "llm_sampling",
            Self::Provider => "llm_provider",
        }
    }
}

/// A guard that a call holds exclusively; see [`super::Tool::acquire_exclusive`].
pub type ExclusiveGuard = Box<dyn Any + Send>;

/// The state of a call's project lock for writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteLockState {
    /// The call has not requested the lock.
    #[default]
    No,
    /// The call waits for the lock, which does not count as working time.
    Waits,
    /// The call has acquired the lock: work that began then runs to its end.
    Began,
}

/// The context of one call.
#[derive(Debug)]
pub struct Cx {
    /// The project of the call.
    pub project: Arc<Project>,
    /// The caller and its permissions.
    pub caller: Caller,
    /// The actor recorded for written files.
    pub actor: Actor,
    /// The author of the answer that the call submits.
    pub answerer: Answerer,
    /// Cancelled by the client, by the timeout or by shutdown. Long work polls it.
    pub cancel: CancellationToken,
    /// The progress of the work, for clients that asked for it.
    pub progress: CallProgress,
    /// The metrics of the process. Tools record only what the kernel cannot know.
    pub metrics: Arc<ServerMetrics>,
    /// The expectation for the reply. Only tools whose replies differ by it read it.
    pub expectation: ResolvedExpectation,
    /// The batch of which the call is a step.
    pub batch: Option<Arc<BatchState>>,
    /// True if the next step is of the same toolset, so that deferred work is soon caught up on.
    pub is_followed: bool,
    /// The project locks; used by [`Cx::run_exclusively`].
    pub writers: Arc<ProjectLocks>,
    /// The guard that the call holds, until its work takes it. Locked only to insert and to take.
    pub turn: Mutex<Option<ExclusiveGuard>>,
    /// The state of the call's project lock for writing ([`Cx::run_exclusively`]).
    pub writing: watch::Sender<WriteLockState>,
    /// The call's permit of a pool. Work on other threads shares it, since that work continues after its future is
    /// dropped.
    pub permit: OnceLock<Arc<Permit>>,
    /// Facts about the call for `_meta` of its reply; see [`Cx::note`]. Locked only to insert and to take.
    pub notes: Mutex<Map<String, Value>>,
}

impl Cx {
    /// Returns the language of texts inside an answer.
    pub fn locale(&self) -> Locale {
        self.caller.locale
    }

    /// Adds a fact about the call to `_meta` of its reply. A cached reply has none.
    pub fn note(&self, name: &str, value: impl Into<Value>) {
        self.notes.lock().insert(name.to_owned(), value.into());
    }

    /// Takes the guard that [`super::Tool::acquire_exclusive`] acquired, if it is of this type and was not taken yet.
    pub fn take_exclusive<T: Any + Send>(&self) -> Option<T> {
        let turn = self.turn.lock().take()?;
        turn.downcast().ok().map(|turn| *turn)
    }

    /// Runs work on a thread of its own while holding the project's lock, which excludes other servers too. `holder` is
    /// shown to other callers meanwhile. Once the work has begun it runs to its end and holds the lock until then, even
    /// if this future is dropped, so that no other call writes in the middle of it. If the lock is lost to another
    /// process, the next write of the work is refused.
    pub async fn run_exclusively<T, E>(
        &self,
        holder: &str,
        work: impl FnOnce(&CancellationToken, &CallProgress) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ToolError>
    where
        T: Send + 'static,
        E: Into<ToolError> + Send + 'static,
    {
        self.writing.send_replace(WriteLockState::Waits);
        let turn = self.writers.acquire(&self.project, holder, &self.cancel).await;
        let now = turn.as_ref().map_or(WriteLockState::No, |_| WriteLockState::Began);
        self.writing.send_replace(now);
        let turn = turn?;
        let (cancel, progress, seat) = (self.cancel.clone(), self.progress.clone(), self.permit.get().cloned());
        let (span, actor) = (tracing::Span::current(), self.actor.clone());
        let whole = tokio::spawn(async move {
            let _seat = seat;
            let done = tokio::task::spawn_blocking(move || {
                let work = || span.in_scope(|| audit::run_as(actor, || work(&cancel, &progress)));
                let result = turn.run(work);
                (result, turn)
            });
            let (result, turn) = done.await?;
            turn.release().await;
            Ok(result)
        });
        match whole.await {
            Ok(Ok(result)) => result.map_err(Into::into),
            Ok(Err(panic)) | Err(panic) => {
                tracing::error!(error = %panic, "a tool's work panicked");
                Err(ToolError::internal())
            }
        }
    }

    /// Runs CPU work on a thread of its own. The work polls the token, so that a cancelled call stops instead of being
    /// abandoned; work that cannot poll for a while keeps the call's permit until it ends.
    pub async fn blocking<T, E>(
        &self,
        work: impl FnOnce(&CancellationToken, &CallProgress) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ToolError>
    where
        T: Send + 'static,
        E: Into<ToolError> + Send + 'static,
    {
        let (cancel, progress, seat) = (self.cancel.clone(), self.progress.clone(), self.permit.get().cloned());
        let (span, actor) = (tracing::Span::current(), self.actor.clone());
        let whole = move || {
            let _seat = seat;
            span.in_scope(|| audit::run_as(actor, || work(&cancel, &progress)))
        };
        let joined = tokio::task::spawn_blocking(whole).await;
        match joined {
            Ok(result) => result.map_err(Into::into),
            Err(panic) => {
                tracing::error!(error = %panic, "a tool's work panicked");
                Err(ToolError::internal())
            }
        }
    }
}

/// The progress of a call and its current step. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CallProgress(Arc<ProgressCounters>);

#[derive(Debug, Default)]
struct ProgressCounters {
    done: AtomicU64,
    total: AtomicU64,
    /// Locked only to copy or to replace.
    doing: Mutex<Option<BilingualText>>,
}

impl CallProgress {
    /// Counts finished work (files, steps).
    pub fn advance(&self, by: u64) {
        self.0.done.fetch_add(by, Ordering::Relaxed);
    }

    /// Sets the amount of work; zero means unknown.
    pub fn set_total(&self, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// Restarts the count, for the next call of a conversation.
    pub fn restart(&self) {
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(0, Ordering::Relaxed);
    }

    /// Sets the current step, as people read it.
    pub fn set_step(&self, doing: BilingualText) {
        *self.0.doing.lock() = Some(doing);
    }

    /// Returns the current step, if one was set.
    pub fn current_step(&self) -> Option<BilingualText> {
        self.0.doing.lock().clone()
    }

    /// Returns the finished work, and the total if it is known.
    pub fn get(&self) -> (u64, Option<u64>) {
        let total = self.0.total.load(Ordering::Relaxed);
        (self.0.done.load(Ordering::Relaxed), (total > 0).then_some(total))
    }
}
