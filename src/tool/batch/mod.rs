//! Several calls in one: a plan of steps, checked as a whole before the first runs.
//!
//! A tool only says the plan ([`super::Outcome::Batch`]); the pipeline runs it here, each step on the whole path of a call of
//! its own, so that a step may do nothing that its caller could not do by a single call. The batch itself holds no place in
//! any pool: with one place it would wait for itself.

mod check;
mod reference;
mod reply;
mod run;

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fumi_base::project::Project;
use serde_json::{Map, Value};

pub use reply::{BatchReply, StepReply};
pub use run::Whole;

/// What a batch is to do.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The calls, in order.
    pub steps: Vec<Step>,
    /// Whether the first failure ends it, whatever a step says.
    pub stop_on_first_error: bool,
    /// Whether all steps run at once, which must neither write nor need one another.
    pub parallel: bool,
    /// What replies hold where a step does not say, as the client wrote it.
    pub expectation: Option<Value>,
    /// The only toolset whose tools it takes; all without.
    pub only: Option<&'static str>,
}

/// One call of a batch.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The tool's name, as the client wrote it.
    pub tool: String,
    /// Its arguments, in which references to earlier results may stand.
    pub arguments: Map<String, Value>,
    /// Whether the batch goes on when it fails.
    pub continue_on_error: bool,
    /// What its reply holds, as the client wrote it; wins over one in the arguments.
    pub expectation: Option<Value>,
}

/// What a call knows of being a step.
#[derive(Clone, Debug)]
pub struct Part {
    /// The batch.
    pub batch: Arc<Batch>,
    /// Whether a later step needs the result before it is narrowed.
    pub needs_whole: bool,
    /// How long it may work at most, whatever its tool may.
    pub limit: Duration,
    /// Whether a step of the same toolset comes right after it.
    pub is_followed: bool,
}

/// What the steps of one batch share. It ends with the batch, and what is kept in it too.
///
/// A family whose steps need something for the whole length of a batch (one lock instead of one per step, one session for
/// all steps that name none) keeps a type of its own here and asks for it in each step:
///
/// ```ignore
/// #[derive(Default)]
/// struct Held { turn: tokio::sync::OnceCell<Turn> } // the guard is dropped with the batch
/// if let Some(batch) = &cx.batch {
///     let held = batch.kept(Held::default);
///     let turn = held.turn.get_or_try_init(|| session.alone()).await?;
/// }
/// ```
#[derive(Debug)]
pub struct Batch {
    id: u64,
    /// One value of each type. Std mutex: locked to look up and to put in.
    kept: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    /// Std mutex: locked to copy and to replace.
    project: Mutex<Arc<Project>>,
}

impl Batch {
    fn new(project: Arc<Project>) -> Self {
        static IDS: AtomicU64 = AtomicU64::new(1);
        Self {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            kept: Mutex::default(),
            project: Mutex::new(project),
        }
    }

    /// Which one it is, in this process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The value of a type that the steps share; made by the first that asks. `make` must not ask for another.
    ///
    /// # Panics
    /// Never: a value stands under its own type.
    pub fn kept<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make()));
        let value = Arc::clone(value).downcast();
        value.expect("a value stands under its own type")
    }

    /// The project of the steps that name none.
    #[must_use]
    pub fn project(&self) -> Arc<Project> {
        Arc::clone(&self.project.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Chooses another one for the steps that follow.
    pub fn choose(&self, project: Arc<Project>) {
        *self.project.lock().unwrap_or_else(PoisonError::into_inner) = project;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use fumi_base::project::Project;

    use super::Batch;

    /// What one family keeps.
    #[derive(Default)]
    struct Held(AtomicUsize);

    #[test]
    fn what_is_kept_is_made_once_for_each_type_and_ends_with_the_batch() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let batch = Batch::new(project);
        assert_ne!(batch.id(), Batch::new(batch.project()).id());
        batch.kept(Held::default).0.fetch_add(1, Ordering::Relaxed);
        batch.kept(Held::default).0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(batch.kept(Held::default).0.load(Ordering::Relaxed), 2);
        assert_eq!(*batch.kept(|| 7_u8), 7);
        let held = Arc::downgrade(&batch.kept(Held::default));
        drop(batch);
        assert!(held.upgrade().is_none());
    }
}
