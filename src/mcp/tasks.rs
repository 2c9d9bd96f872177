//! Calls that become tasks (`io.modelcontextprotocol/tasks`): if a model that fumi asks will write for minutes, and the
//! client supports tasks.
//!
//! Invariant: a task belongs to its principal; for all others it does not exist, with the same error text. Tasks are
//! kept in memory and end with the process, and so does the work of their calls; output that a writing tool has saved
//! stays. Beyond the limits below a call does not become a task and answers as it would without. Questions and answers
//! are handled in `tool/conversation.rs`.

#![expect(deprecated, reason = "the protocol deprecates sampling, and clients still offer it")]

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use fumi_base::project::Project;
use fumi_kernel::{
    Answerer, CallProgress, Caller,
    conversation::{CallRunner, ModelQuestion, ModelText, NoAnswer, Prompt, TextModel},
};
use rmcp::{
    ErrorData,
    model::{CreateMessageRequest, CreateMessageResult, DetailedTask, InputRequest, InputResponses, Task},
    task_manager::{TaskContext, TaskExit, TaskOptions},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{
    ask::{self, PATIENCE},
    placed_tasks::PlacedTasks,
    protocol_error::{McpError, to_protocol_error},
    replicas::Replicas,
    server,
    session_registry::SessionRegistry,
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
    pub(super) fn new(replicas: Option<Arc<Replicas>>) -> Self {
        Self { placed: PlacedTasks::new(replicas), owners: DashMap::new() }
    }

    /// Starts a call as a task; `None` if there are too many.
    pub(super) fn begin(&self, long: LongCall) -> Option<Task> {
        // The manager forgets expired tasks; their owners are removed here.
        self.owners.retain(|id, _| self.placed.get(id).is_ok());
        let owner = Arc::clone(&long.caller.access.principal);
        let own = self.owners.iter().filter(|entry| *entry.value() == owner).count();
        // At most as many as are free, so that the next principal finds some.
        let free = MOST.saturating_sub(self.owners.len());
        if own >= MOST_OF_ONE.min(free) {
            return None;
        }
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let options = TaskOptions::new().with_ttl_ms(millis(TTL)).with_poll_interval_ms(millis(POLL));
        let task = self.placed.spawn(options, |task| Box::pin(run(long, task)));
        self.owners.insert(task.task_id.clone(), owner);
        Some(task)
    }

    /// Returns the status of a task.
    pub(super) fn get(&self, id: &str, caller: &Caller) -> Result<DetailedTask, ErrorData> {
        self.own(id, caller)?;
        self.placed.get(id).map_err(|_| unknown(id, caller))
    }

    /// Passes the client's answers to a task's questions.
    pub(super) fn update(&self, id: &str, responses: InputResponses, caller: &Caller) -> Result<(), ErrorData> {
        self.own(id, caller)?;
        self.placed.update(id, responses).map_err(|_| unknown(id, caller))
    }

    /// Requests the cancellation of a task.
    pub(super) fn cancel(&self, id: &str, caller: &Caller) -> Result<(), ErrorData> {
        self.own(id, caller)?;
        self.placed.cancel(id).map_err(|_| unknown(id, caller))
    }

    fn own(&self, id: &str, caller: &Caller) -> Result<(), ErrorData> {
        let owner = self.owners.get(id).map(|owner| Arc::clone(&owner));
        match owner {
            Some(owner) if owner == caller.access.principal => Ok(()),
            _ => Err(unknown(id, caller)),
        }
    }
}

fn unknown(id: &str, caller: &Caller) -> ErrorData {
    let id = id.chars().take(100).collect();
    to_protocol_error(&McpError::UnknownTask { id }.into(), caller.locale)
}

/// Runs the call until it has its result or is cancelled.
async fn run(long: LongCall, task: TaskContext) -> Result<rmcp::model::CallToolResult, TaskExit> {
    let LongCall { app, streams, caller, project, tool, arguments, samples } = long;
    let _open = streams.open_call(caller.session.as_deref());
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
            () = task.cancelled() => {
                cancel.cancel();
                // The permit of a pool is held until the work has really stopped.
                drop(work.await);
                return Err(TaskExit::Cancelled);
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

/// The client's model, asked by questions of the task.
struct TaskModel {
    task: TaskContext,
    asked: AtomicUsize,
}

impl TextModel for TaskModel {
    fn answerer(&self) -> Answerer {
        Answerer::Sampling
    }

    fn write<'a>(
        &'a self,
        prompt: &'a Prompt,
    ) -> Pin<Box<dyn Future<Output = Result<ModelText, NoAnswer>> + Send + 'a>> {
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
