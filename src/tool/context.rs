//! What a running call knows of its surroundings: [`Cx`], and nothing else.
//!
//! A tool sees no clock, no semaphore, no cache and no delivery option here. CPU work goes through [`Cx::blocking`], which
//! hands over the token that it must poll.

use std::{
    any::Any,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use fumi_base::{
    audit::{self, Actor},
    expectation::Resolved,
    pools::Permit,
    project::Project,
    text::{Locale, Text},
    writers::Writers,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{access::Access, batch::Batch, error::ToolError};
use crate::telemetry::metrics::Metrics;

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

/// Who wrote the answer that a call brings, for tools that write down how something was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answerer {
    /// Whoever called: a person, or the host's model.
    #[default]
    Host,
    /// The client's model, which fumi asked.
    Sampling,
    /// A provider's model, which fumi asked.
    Provider,
}

impl Answerer {
    /// The `method` of a judgement that it made.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Sampling => "llm_sampling",
            Self::Provider => "llm_provider",
        }
    }
}

/// What a call has to itself; see [`super::Tool::turn`].
pub type Turn = Box<dyn Any + Send>;

/// How far a call is with its turn to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writing {
    /// It needs none so far.
    #[default]
    No,
    /// It waits for its turn, which does not count as working.
    Waits,
    /// It has had its turn: what began then goes on to its end.
    Began,
}

/// The surroundings of one call.
#[derive(Debug)]
pub struct Cx {
    /// The project of the call.
    pub project: Arc<Project>,
    /// Who calls.
    pub caller: Caller,
    /// In whose name files are written.
    pub actor: Actor,
    /// Who wrote what it brings.
    pub answerer: Answerer,
    /// Cancelled by the client, by the timeout or by shutdown. Work that takes long polls it.
    pub cancel: CancellationToken,
    /// How far the work is; whoever asked is told.
    pub progress: Progress,
    /// What the process counts. Tools report what only they know of.
    pub metrics: Arc<Metrics>,
    /// What the reply is to hold. Only tools whose replies differ by it look at it.
    pub expectation: Resolved,
    /// The batch that the call is a step of.
    pub batch: Option<Arc<Batch>>,
    /// Whether a step of the same toolset comes right after it: what it leaves for later is soon made up for.
    pub is_followed: bool,
    /// Who writes to which project; used by [`Cx::alone`].
    pub writers: Arc<Writers>,
    /// What the call has to itself, until its work takes it. Std mutex: locked to put in and to take.
    pub turn: Mutex<Option<Turn>>,
    /// How far the call is with its turn to write ([`Cx::alone`]).
    pub writing: watch::Sender<Writing>,
    /// The call's place in a pool. Work on other threads holds it too: it goes on when nobody waits for it any more.
    pub seat: OnceLock<Arc<Permit>>,
}

impl Cx {
    /// The language for texts inside an answer.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.caller.locale.unwrap_or_default()
    }

    /// What [`super::Tool::turn`] has waited for, if it is of this type and nobody took it yet.
    pub fn take_turn<T: Any + Send>(&self) -> Option<T> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        turn.downcast().ok().map(|turn| *turn)
    }

    /// Does what only one may do in the project at a time, also of several servers, on a thread of its own. `holder` is what others are
    /// told meanwhile. Once it has begun it goes on to its end and keeps its turn until then, also when nobody waits for it any more:
    /// nobody else may write in the middle of it. Once somebody else had the turn its next write is refused.
    pub async fn alone<T, E>(
        &self,
        holder: &str,
        work: impl FnOnce(&CancellationToken, &Progress) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ToolError>
    where
        T: Send + 'static,
        E: Into<ToolError> + Send + 'static,
    {
        self.writing.send_replace(Writing::Waits);
        let turn = self.writers.turn(&self.project, holder, &self.cancel).await;
        let now = turn.as_ref().map_or(Writing::No, |_| Writing::Began);
        self.writing.send_replace(now);
        let turn = turn?;
        let (cancel, progress, seat) = (self.cancel.clone(), self.progress.clone(), self.seat.get().cloned());
        let (span, actor) = (tracing::Span::current(), self.actor.clone());
        let whole = tokio::spawn(async move {
            let _seat = seat;
            let done = tokio::task::spawn_blocking(move || {
                let work = || span.in_scope(|| audit::as_of(actor, || work(&cancel, &progress)));
                let result = turn.run(work);
                (result, turn)
            });
            let (result, turn) = done.await?;
            turn.end().await;
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

    /// Runs CPU work on its own thread. The work polls the token, so that a cancelled call stops instead of being left; what cannot
    /// look at it for a while keeps the call's place until it ends.
    pub async fn blocking<T, E>(
        &self,
        work: impl FnOnce(&CancellationToken, &Progress) -> Result<T, E> + Send + 'static,
    ) -> Result<T, ToolError>
    where
        T: Send + 'static,
        E: Into<ToolError> + Send + 'static,
    {
        let (cancel, progress, seat) = (self.cancel.clone(), self.progress.clone(), self.seat.get().cloned());
        let (span, actor) = (tracing::Span::current(), self.actor.clone());
        let whole = move || {
            let _seat = seat;
            span.in_scope(|| audit::as_of(actor, || work(&cancel, &progress)))
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

/// How far a call is, and at what. Cloned handles share it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    done: AtomicU64,
    total: AtomicU64,
    /// Std mutex: locked to copy or to replace.
    doing: Mutex<Option<Text>>,
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

    /// Begins to count anew, for the next call of a conversation.
    pub fn restart(&self) {
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(0, Ordering::Relaxed);
    }

    /// Says what is being done now, as people read it.
    pub fn say(&self, doing: Text) {
        *self.0.doing.lock().unwrap_or_else(PoisonError::into_inner) = Some(doing);
    }

    /// What is being done now, if somebody said it.
    #[must_use]
    pub fn said(&self) -> Option<Text> {
        self.0.doing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Work done, and the total if it is known.
    #[must_use]
    pub fn get(&self) -> (u64, Option<u64>) {
        let total = self.0.total.load(Ordering::Relaxed);
        (self.0.done.load(Ordering::Relaxed), (total > 0).then_some(total))
    }
}
