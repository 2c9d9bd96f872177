//! Calls that become tasks (`io.modelcontextprotocol/tasks`): if a model that fumi asks will write for minutes, and the
//! client supports tasks.
//!
//! Invariant: a task belongs to its principal; for all others it does not exist, with the same error text. The work of a
//! task ends with the process; output that a writing tool has saved stays, and what became of the task is stored
//! (`stored_tasks.rs`). Beyond the limits below, or if the store fails, a call does not become a task and answers as it
//! would without. `src/kernel/conversation.rs` handles questions and answers.

#![expect(deprecated, reason = "the protocol deprecates sampling, and clients still offer it")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use fumi_base::{
    project::Project,
    store::{Store, StoreError},
};
use fumi_kernel::{
    Answerer, CallProgress, Caller,
    conversation::{CallRunner, ModelAnswer, ModelQuestion, ModelText, NoAnswer, Prompt, TextModel},
};
use rmcp::{
    ErrorData,
    model::{
        CallToolResult, CreateMessageRequest, CreateMessageResult, DetailedTask, InputRequest, InputResponses,
        JsonObject, Task, TaskPayload,
    },
    task_manager::{TaskContext, TaskExit, TaskOptions, current_timestamp},
};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    ask::{self, PATIENCE},
    placed_tasks::PlacedTasks,
    protocol_error::{McpError, to_protocol_error},
    replicas::Replicas,
    server,
    session_registry::SessionRegistry,
    stored_tasks::StoredTasks,
};
use crate::app::App;

/// The longest time of a task, and the time for which its result is kept after that: the longest work writes for an
/// hour.
const TTL: Duration = Duration::from_hours(4);
/// The recommended polling interval of clients.
const POLL: Duration = Duration::from_secs(2);
/// The largest number of known tasks, of one principal and of all.
const MOST_OF_ONE: usize = 32;
const MOST: usize = 512;

/// The tasks of a process.
pub struct Tasks {
    placed: PlacedTasks,
    /// The principal of each task.
    owners: DashMap<String, Arc<str>>,
    stored: StoredTasks,
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tasks({} known)", self.owners.len())
    }
}

/// A call that is to become a task.
pub(super) struct LongCall {
    pub(super) app: Arc<App>,
    pub(super) streams: Arc<SessionRegistry>,
    pub(super) caller: Caller,
    pub(super) project: Arc<Project>,
    /// The tool, by its name in the catalogue.
    pub(super) tool: &'static str,
    pub(super) arguments: Map<String, Value>,
    /// True if the client's model may be asked.
    pub(super) samples: bool,
}

impl Tasks {
    /// Creates a registry without tasks.
    pub(super) fn new(replicas: Option<Arc<Replicas>>, store: &Arc<dyn Store>) -> Self {
        Self { placed: PlacedTasks::new(replicas), owners: DashMap::new(), stored: StoredTasks::new(store, TTL) }
    }

    /// Starts a call as a task; `None` if there are too many, or the store fails.
    pub(super) async fn begin(&self, long: LongCall) -> Option<Task> {
        // The manager forgets expired tasks; their owners are removed here.
        self.owners.retain(|id, _| self.placed.get(id).is_ok());
        let owner = Arc::clone(&long.caller.access.principal);
        let own = self.owners.iter().filter(|entry| *entry.value() == owner).count();
        // A principal may have at most as many tasks as could still be added, so that room remains for the next one.
        let free = MOST.saturating_sub(self.owners.len());
        if own >= MOST_OF_ONE.min(free) {
            return None;
        }
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let options = TaskOptions::new().with_ttl_ms(millis(TTL)).with_poll_interval_ms(millis(POLL));
        let (begin, begins) = oneshot::channel();
        let task = self.placed.spawn(options, |task| Box::pin(run_and_store(long, task, begins)));
        self.owners.insert(task.task_id.clone(), Arc::clone(&owner));
        let record = DetailedTask::new(task.clone(), TaskPayload::Working);
        if let Err(error) = self.stored.put(&owner, record).await {
            tracing::warn!(%error, "a call does not become a task, because the store fails");
            self.owners.remove(&task.task_id);
            return None;
        }
        begin.send(()).ok().map(|()| task)
    }

    /// Returns the status of a task.
    pub(super) async fn get(&self, id: &str, caller: &Caller) -> Result<DetailedTask, ErrorData> {
        if !self.is_here(id, caller)? {
            return self.find_stored(id, caller).await;
        }
        self.placed.get(id).map_err(|_| unknown(id, caller))
    }

    /// Passes the client's answers to a task's questions.
    pub(super) async fn update(&self, id: &str, responses: InputResponses, caller: &Caller) -> Result<(), ErrorData> {
        if !self.is_here(id, caller)? {
            return self.expect_ended(id, caller).await;
        }
        self.placed.update(id, responses).map_err(|_| unknown(id, caller))
    }

    /// Requests the cancellation of a task.
    pub(super) async fn cancel(&self, id: &str, caller: &Caller) -> Result<(), ErrorData> {
        if !self.is_here(id, caller)? {
            return self.expect_ended(id, caller).await;
        }
        self.placed.cancel(id).map_err(|_| unknown(id, caller))
    }

    /// True if this process has a task of the caller, false if it has no such task.
    ///
    /// # Errors
    /// If the task belongs to another principal.
    fn is_here(&self, id: &str, caller: &Caller) -> Result<bool, ErrorData> {
        match self.owners.get(id) {
            Some(owner) if *owner == caller.access.principal => Ok(true),
            Some(_) => Err(unknown(id, caller)),
            None => Ok(false),
        }
    }

    /// Returns a task of another process as its record tells; one that ran when its process ended has failed.
    async fn find_stored(&self, id: &str, caller: &Caller) -> Result<DetailedTask, ErrorData> {
        let found = self.stored.find(id).await.map_err(|error| unavailable(&error, caller))?;
        let task = match found {
            Some(record) if record.owner == caller.access.principal => record.task,
            _ => return Err(unknown(id, caller)),
        };
        let is_elsewhere = || self.placed.is_elsewhere(id);
        if task.status().is_terminal() || is_elsewhere().await.map_err(|error| unavailable(&error, caller))? {
            return Ok(task);
        }
        let lost = to_protocol_error(&McpError::ResultLost.into(), caller.locale);
        Ok(DetailedTask::new(task.task, TaskPayload::Failed { error: to_object(&lost) }))
    }

    /// Succeeds without effect if a task of another process has ended.
    ///
    /// # Errors
    /// If the task is unknown, or runs in a replica to which the request was not forwarded.
    async fn expect_ended(&self, id: &str, caller: &Caller) -> Result<(), ErrorData> {
        let task = self.find_stored(id, caller).await?;
        if task.status().is_terminal() {
            return Ok(());
        }
        Err(to_protocol_error(&McpError::TasksUnavailable.into(), caller.locale))
    }
}

fn unknown(id: &str, caller: &Caller) -> ErrorData {
    let id = id.chars().take(100).collect();
    to_protocol_error(&McpError::UnknownTask { id }.into(), caller.locale)
}

fn unavailable(error: &StoreError, caller: &Caller) -> ErrorData {
    tracing::error!(%error, "the record of a task cannot be read");
    to_protocol_error(&McpError::TasksUnavailable.into(), caller.locale)
}

fn to_object(value: &impl Serialize) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

/// Runs the call once its task is stored, and stores what became of it.
async fn run_and_store(
    long: LongCall,
    task: TaskContext,
    begins: oneshot::Receiver<()>,
) -> Result<CallToolResult, TaskExit> {
    // The call is not executed as a task.
    if begins.await.is_err() {
        return Err(TaskExit::Cancelled);
    }
    let (streams, owner) = (Arc::clone(&long.streams), Arc::clone(&long.caller.access.principal));
    // Until the outcome is stored: a shutdown waits for open calls.
    let _open = streams.open_call(long.caller.session.as_deref());
    let outcome = run(long, task.clone()).await;
    let payload = match &outcome {
        Ok(result) => TaskPayload::Completed { result: to_object(result) },
        Err(TaskExit::Cancelled) => TaskPayload::Cancelled,
        Err(TaskExit::Error(error)) => TaskPayload::Failed { error: to_object(error) },
    };
    let tasks = streams.tasks();
    if let Ok(ended) = tasks.placed.get(&tasks.placed.placed_id(task.task_id())) {
        let mut ended = ended.task;
        ended.last_updated_at = current_timestamp();
        if let Err(error) = tasks.stored.put(&owner, DetailedTask::new(ended, payload)).await {
            tracing::warn!(%error, "the outcome of a task is not stored and ends with this process");
        }
    }
    outcome
}

/// Runs the call until it has its result, is cancelled, or the process ends.
async fn run(long: LongCall, task: TaskContext) -> Result<CallToolResult, TaskExit> {
    let LongCall { app, streams, caller, project, tool, arguments, samples } = long;
    let entry = app.catalogue.find(&caller.access.scope, tool);
    let entry = entry.expect("the caller has looked it up");
    let (cancel, progress) = (CancellationToken::new(), CallProgress::default());
    let model = TaskModel { task: task.clone(), asked: AtomicUsize::new(0) };
    let conversation = CallRunner {
        kernel: &app.kernel,
        catalogue: &app.catalogue,
        caller: &caller,
        project: &project,
        cancel: &cancel,
        progress: &progress,
    };
    let author = |question: &ModelQuestion| -> Option<&dyn TextModel> {
        let client = || samples.then_some(&model as &dyn TextModel);
        app.provider_for(question).or_else(client)
    };
    let locale = caller.locale;
    let work = conversation.call(entry, arguments, author);
    tokio::pin!(work);
    let mut told = None;
    loop {
        tokio::select! {
            biased;
            reply = &mut work => {
                app.kernel.metrics.tokens(tool, reply.form, reply.tokens() as u64);
                return Ok(server::to_call_result(reply));
            }
            () = must_end(&task, &caller) => {
                cancel.cancel();
                // The permit of a pool is held until the work has really stopped.
                drop(work.await);
                return Err(TaskExit::Cancelled);
            }
            () = streams.stopping().cancelled() => {
                cancel.cancel();
                drop(work.await);
                return Err(TaskExit::Error(to_protocol_error(&McpError::ResultLost.into(), locale)));
            }
            () = tokio::time::sleep(POLL / 4) => {
                let doing = progress.current_step().filter(|doing| told.as_ref() != Some(doing));
                if let Some(doing) = doing {
                    task.set_status_message(doing.get(locale));
                    told = Some(doing);
                }
            }
        }
    }
}

/// Waits until the client cancels a task, or the operator changes the rights of its caller.
async fn must_end(task: &TaskContext, caller: &Caller) {
    tokio::select! {
        () = task.cancelled() => {}
        () = caller.access.revoked.cancelled() => {}
    }
}

/// The client's model, asked by questions of the task.
struct TaskModel {
    task: TaskContext,
    asked: AtomicUsize,
}

impl TextModel for TaskModel {
    fn answerer(&self) -> Answerer {
        Answerer::Sampling
    }

    fn write<'a>(&'a self, prompt: &'a Prompt) -> ModelAnswer<'a> {
        Box::pin(async move {
            // The keys of a task's questions must be unique.
            let key = format!("answer-{}", self.asked.fetch_add(1, Ordering::Relaxed) + 1);
            let request = InputRequest::CreateMessage(CreateMessageRequest::new(ask::message(prompt)));
            let asked = tokio::time::timeout(PATIENCE, self.task.request_input(key, request)).await;
            let text = asked
                .ok()
                .and_then(Result::ok)
                .and_then(|answer| serde_json::from_value::<CreateMessageResult>(answer).ok())
                .and_then(|message| ask::text(&message));
            let text = text.ok_or(NoAnswer::Declined)?;
            Ok(ModelText { text, usage: None })
        })
    }
}
