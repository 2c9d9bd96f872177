//! Runs the steps of a plan, one after the other or all at once, each as a separate call.
//!
//! Invariant: a batch always has a reply with the failed steps and the number of steps that have not run, unless the
//! client cancelled it.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use fumi_base::{expectation::Expectation, text::BilingualText};
use serde_json::{Map, Value};

use super::{
    BatchPlan, BatchReply, BatchState, StepContext, StepReply,
    check::{self, CheckedStep},
    reference::{self, ReferenceError},
};
use crate::{
    Answerer, CallProgress, Cx, ToolError, ToolReply,
    catalogue::{Catalogue, ToolEntry},
    cut_rows::Caps,
    expectation,
    options::CallOptions,
    pipeline::{self, Call, CallStopped, Kernel},
};

/// The largest size of referenced values in the arguments of one step, in bytes, unless its tool accepts a longer
/// string: as much as the body of a request.
const ARGUMENT_BYTES: usize = 4 << 20;

/// A running batch with its call.
pub struct BatchRun<'a> {
    /// The kernel on which the steps run.
    pub kernel: &'a Kernel,
    /// The catalogue in which the steps' tools are found.
    pub catalogue: &'a Catalogue,
    /// The tool that runs the batch.
    pub entry: &'a ToolEntry,
    /// The context of the batch's call.
    pub cx: &'a Cx,
    /// The expectation for the batch's own reply.
    pub own: Option<Expectation>,
    /// The timeout of the batch, if the caller sets one.
    pub limit: Option<Duration>,
    /// The project as the caller named it.
    pub root: Option<String>,
}

/// The reply of one step, and the values to which later steps may refer.
struct StepResult {
    reply: StepReply,
    seen: Value,
}

impl<'a> BatchRun<'a> {
    /// Creates a batch from a call of a tool that runs steps.
    pub(crate) fn new(
        kernel: &'a Kernel,
        catalogue: &'a Catalogue,
        entry: &'a ToolEntry,
        cx: &'a Cx,
        options: &CallOptions,
    ) -> Self {
        Self {
            kernel,
            catalogue,
            entry,
            cx,
            own: options.expectation.clone(),
            limit: options.timeout_ms.map(Duration::from_millis),
            root: options.project_root.clone(),
        }
    }
}

impl BatchRun<'_> {
    /// Checks the plan, then runs it.
    ///
    /// # Errors
    /// If a step could not run at all, before any step has run; and if the client cancelled.
    pub async fn run(&self, plan: BatchPlan) -> Result<BatchReply, ToolError> {
        let started = Instant::now();
        let steps = check::check(self, &plan)?;
        let latest = started + self.limit.unwrap_or_else(|| check::limit(&steps));
        let batch = Arc::new(BatchState::new(Arc::clone(&self.cx.project)));
        self.cx.progress.set_total(steps.len() as u64);
        let (ran, handed_over) = if plan.parallel {
            (self.run_in_parallel(&steps, &batch, latest).await, 0)
        } else {
            self.run_in_order(&steps, &batch, latest).await
        };
        if self.cx.cancel.is_cancelled() {
            return Err(CallStopped::Cancelled.into());
        }
        let caps = self.caps();
        let reply = BatchReply::new(ran, steps.len(), caps, self.cx.locale());
        self.kernel.metrics.batch(&reply.outcome(handed_over));
        Ok(reply)
    }

    /// Returns the expectation of the batch's own reply as a default for its steps, without size and fields.
    pub(super) fn step_defaults(&self) -> Expectation {
        Expectation { fields: None, max_tokens: None, ..self.own.clone().unwrap_or_default() }
    }

    fn caps(&self) -> Caps {
        let caps = self.kernel.caps;
        let most = self.cx.expectation.max_tokens.unwrap_or(caps.tokens);
        Caps { tokens: caps.tokens.min(most), form: self.cx.caller.form, ..caps }
    }

    /// Runs the steps in order. Returns the replies, and the tokens of the values that were passed between steps.
    async fn run_in_order(
        &self,
        steps: &[CheckedStep<'_>],
        batch: &Arc<BatchState>,
        latest: Instant,
    ) -> (Vec<StepReply>, usize) {
        let mut replies = Vec::with_capacity(steps.len());
        let (mut seen, mut handed_over) = (Vec::with_capacity(steps.len()), 0);
        for (at, step) in steps.iter().enumerate() {
            let left = latest.saturating_duration_since(Instant::now());
            if left.is_zero() || self.cx.cancel.is_cancelled() {
                break;
            }
            self.say(at, steps.len(), step);
            let ran = match Self::filled(step, &seen, &mut handed_over) {
                Ok(arguments) => self.step((at, step), arguments, batch, left).await,
                Err(error) => self.not_filled((at, step), &error),
            };
            self.cx.progress.advance(1);
            let has_failed = !ran.reply.success;
            seen.push(ran.seen);
            replies.push(ran.reply);
            if has_failed && !step.goes_on {
                break;
            }
        }
        (replies, handed_over)
    }

    /// Runs all steps at once. A failure does not stop the others, which have begun already.
    async fn run_in_parallel(
        &self,
        steps: &[CheckedStep<'_>],
        batch: &Arc<BatchState>,
        latest: Instant,
    ) -> Vec<StepReply> {
        let left = latest.saturating_duration_since(Instant::now());
        let mut running: Vec<Pin<Box<dyn Future<Output = StepResult> + Send + '_>>> = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            running.push(Box::pin(async move {
                let ran = self.step((at, step), step.arguments.clone(), batch, left).await;
                self.cx.progress.advance(1);
                ran
            }));
        }
        let mut ran: Vec<Option<StepResult>> = running.iter().map(|_| None).collect();
        std::future::poll_fn(|context| {
            let mut is_done = true;
            for (step, ran) in running.iter_mut().zip(&mut ran) {
                if ran.is_some() {
                    continue;
                }
                match step.as_mut().poll(context) {
                    std::task::Poll::Ready(done) => *ran = Some(done),
                    std::task::Poll::Pending => is_done = false,
                }
            }
            if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        ran.into_iter().flatten().map(|ran| ran.reply).collect()
    }

    fn say(&self, at: usize, of: usize, step: &CheckedStep<'_>) {
        let (at, name) = (at + 1, step.entry.spec.name);
        self.cx
            .progress
            .set_step(BilingualText::new(format!("step {at}/{of}: {name}"), format!("ステップ {at}/{of}: {name}")));
    }

    /// Returns the step's arguments with references replaced by values.
    fn filled(
        step: &CheckedStep<'_>,
        seen: &[Value],
        handed_over: &mut usize,
    ) -> Result<Map<String, Value>, ToolError> {
        let limit = step.entry.spec.family.max_string_bytes.max(ARGUMENT_BYTES);
        let filled = reference::fill(&step.arguments, seen, limit).map_err(|error| match error {
            ReferenceError::Missing(missing) => ToolError::from(missing),
            ReferenceError::TooLarge(too_large) => ToolError::from(too_large),
        })?;
        if step.refers {
            let size = |arguments: &Map<String, Value>| {
                fumi_base::tokens::estimate(&Value::Object(arguments.clone()).to_string())
            };
            *handed_over += size(&filled).saturating_sub(size(&step.arguments));
        }
        Ok(filled)
    }

    async fn step(
        &self,
        (at, step): (usize, &CheckedStep<'_>),
        arguments: Map<String, Value>,
        batch: &Arc<BatchState>,
        left: Duration,
    ) -> StepResult {
        let mut reply = self.call(step, step.entry, arguments, batch, left).await;
        // The call was replaced by another one; if the caller may not use that tool, the reply shows the call.
        let instead = reply.instead.take();
        if let Some(instead) = instead
            && let Some(entry) = self.catalogue.find(&self.cx.caller.access.scope, instead.tool)
        {
            reply = self.call(step, entry, instead.arguments.clone(), batch, left).await;
        }
        Self::ran((at, step), reply)
    }

    /// Makes one call. The future is boxed, because the batch itself runs in the future of a call.
    fn call<'c>(
        &'c self,
        step: &CheckedStep<'_>,
        entry: &'c ToolEntry,
        mut arguments: Map<String, Value>,
        batch: &Arc<BatchState>,
        left: Duration,
    ) -> Pin<Box<dyn Future<Output = ToolReply> + Send + 'c>> {
        // The call that an error suggests names the project too.
        if let (Some(root), Some(name)) = (&self.root, entry.spec.family.project)
            && Arc::ptr_eq(&batch.project(), &self.cx.project)
            && entry.spec.shared().any(|shared| *shared == name)
            && !arguments.contains_key(name)
        {
            arguments.insert(name.to_owned(), Value::from(root.as_str()));
        }
        let call = Call {
            arguments,
            caller: self.cx.caller.clone(),
            answerer: Answerer::Host,
            project: batch.project(),
            cancel: self.cx.cancel.clone(),
            // Only steps are counted; progress inside a step would say nothing about the whole.
            progress: CallProgress::default(),
            batch: Some(StepContext {
                batch: Arc::clone(batch),
                needs_whole: step.is_referred_to,
                limit: left,
                is_followed: step.is_followed,
            }),
        };
        Box::pin(pipeline::run(self.kernel, self.catalogue, entry, call))
    }

    /// Returns the error of a step whose references could not be resolved.
    fn not_filled(&self, (at, step): (usize, &CheckedStep<'_>), error: &ToolError) -> StepResult {
        let name = step.entry.spec.name;
        let mut arguments = step.arguments.clone();
        arguments.remove(expectation::NAME);
        let reply = error.reply(name, &arguments, &self.cx.caller, &self.kernel.redactor);
        Self::ran((at, step), reply)
    }

    fn ran((at, step): (usize, &CheckedStep<'_>), mut reply: ToolReply) -> StepResult {
        let unfiltered = reply.unfiltered.take();
        let reply = StepReply::from_reply(at, step.entry.spec.name, reply);
        let seen =
            if step.is_referred_to { reply.reference_values(unfiltered.map(|whole| *whole)) } else { Value::Null };
        StepResult { reply, seen }
    }
}
