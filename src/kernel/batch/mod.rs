//! Batches: several calls in one, checked as a whole before the first runs.
//!
//! A tool only returns the plan ([`super::ToolOutcome::Batch`]); the pipeline runs it here, each step on the whole path
//! of a separate call, so that a step may do nothing that its caller could not do by a single call. The batch itself
//! holds no permit of any pool: otherwise it could wait for itself.

mod check;
mod reference;
mod reply;
mod run;

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fumi_base::project::Project;
use parking_lot::Mutex;
use serde_json::{Map, Value};

pub use reply::{BatchReply, StepReply};
pub use run::BatchRun;

#[derive(Clone, Debug, Default)]
pub struct BatchPlan {
    /// The calls, in order.
    pub steps: Vec<PlannedStep>,
    /// True if the first failure ends the batch, whatever a step requests.
    pub stop_on_first_error: bool,
    /// True if all steps run at once; such steps must not write or depend on each other.
    pub parallel: bool,
    /// The expectation of steps that set none, as the client wrote it.
    pub expectation: Option<Value>,
    /// The only toolset whose tools may be steps; `None` means all.
    pub only: Option<&'static str>,
}

/// One call of a batch.
#[derive(Clone, Debug, Default)]
pub struct PlannedStep {
    /// The tool's name, as the client wrote it.
    pub tool: String,
    /// The arguments, which may contain references to earlier results.
    pub arguments: Map<String, Value>,
    /// True if the batch continues after a failure of this step.
    pub continue_on_error: bool,
    /// The expectation of the step, as the client wrote it; it takes precedence over one in the arguments.
    pub expectation: Option<Value>,
}

/// The batch context of a call that is a step.
#[derive(Clone, Debug)]
pub struct StepContext {
    /// The batch of the step.
    pub batch: Arc<BatchState>,
    /// True if a later step needs the result before it is narrowed.
    pub needs_whole: bool,
    /// The longest time of the step, whatever its tool allows.
    pub limit: Duration,
    /// True if the next step is of the same toolset.
    pub is_followed: bool,
}

/// The state that the steps of one batch share. It is dropped with the batch.
///
/// A family whose steps need something for the whole length of a batch (one lock instead of one per step, one session
/// for all steps that name none) stores a type of its own here and requests it in each step:
///
/// ```ignore
/// #[derive(Default)]
/// struct SharedGuard { guard: tokio::sync::OnceCell<SessionGuard> } // dropped with the batch
/// if let Some(batch) = &cx.batch {
/// let shared = batch.get_or_create(SharedGuard::default);
/// let guard = shared.guard.get_or_try_init(|| session.lock()).await?;
/// }
/// ```
#[derive(Debug)]
pub struct BatchState {
    id: u64,
    /// One value of each type. Locked only to look up and to insert.
    kept: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    /// Locked only to copy and to replace.
    project: Mutex<Arc<Project>>,
}

impl BatchState {
    fn new(project: Arc<Project>) -> Self {
        static IDS: AtomicU64 = AtomicU64::new(1);
        Self { id: IDS.fetch_add(1, Ordering::Relaxed), kept: Mutex::default(), project: Mutex::new(project) }
    }

    /// Returns the id of the batch, unique in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the shared value of a type, created by the first step that requests it. `make` must not request another
    /// value.
    ///
    /// # Panics
    /// Never: a value is stored under its own type.
    pub fn get_or_create<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut kept = self.kept.lock();
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make()));
        let value = Arc::clone(value).downcast();
        value.expect("a value is stored under its own type")
    }

    /// Returns the project of the steps that name none.
    pub fn project(&self) -> Arc<Project> {
        Arc::clone(&self.project.lock())
    }

    /// Sets the project of the following steps.
    pub fn choose(&self, project: Arc<Project>) {
        *self.project.lock() = project;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use fumi_base::project::Project;

    use super::BatchState;

    /// The stored value of one family.
    #[derive(Default)]
    struct Held(AtomicUsize);

    #[test]
    fn shared_value_is_created_once_per_type_and_dropped_with_batch() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let batch = BatchState::new(project);
        assert_ne!(batch.id(), BatchState::new(batch.project()).id());
        batch.get_or_create(Held::default).0.fetch_add(1, Ordering::Relaxed);
        batch.get_or_create(Held::default).0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(batch.get_or_create(Held::default).0.load(Ordering::Relaxed), 2);
        assert_eq!(*batch.get_or_create(|| 7_u8), 7);
        let held = Arc::downgrade(&batch.get_or_create(Held::default));
        drop(batch);
        assert!(held.upgrade().is_none());
    }
}
