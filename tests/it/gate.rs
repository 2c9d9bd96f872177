//! A tool for tests only: its work lasts until the test opens the gate or stops the call, and the reply says which of
//! the two happened.
//!
//! The tool polls its token, as all work must, so that a test can see a call stop without measuring time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use fumi::app::App;
use fumi_base::{pools::Pool, text::Locale};
use fumi_code::index::CodeIndexes;
use fumi_kernel::{
    Cx, Effect, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles,
    catalogue::{Catalogue, ToolEntry},
};
use fumi_tools::{
    batch::batch_execute::BatchExecute,
    code::{ProjectDeps, SearchDeps, list_files::ListFiles, set_project_path::SetProjectPath},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::sample::Sample;

/// The gate, with counters of the calls that began and stopped.
#[derive(Debug)]
pub(crate) struct Gate {
    /// Calls that began to work: acquire one permit for each.
    pub(crate) entered: Semaphore,
    /// Calls whose work saw its token cancelled.
    pub(crate) stopped: Semaphore,
    /// The number of opened gates; work ends while it is not zero.
    open: AtomicUsize,
}

impl Gate {
    /// Lets every call pass from now on.
    pub(crate) fn open(&self) {
        self.open.store(1, Ordering::SeqCst);
    }

    /// Closes the gate for later calls.
    pub(crate) fn close(&self) {
        self.open.store(0, Ordering::SeqCst);
    }

    /// Returns when another call has begun to work.
    pub(crate) async fn entered(&self) {
        self.entered.acquire().await.unwrap().forget();
    }

    /// Returns when another call's work has stopped.
    pub(crate) async fn stopped(&self) {
        self.stopped.acquire().await.unwrap().forget();
    }
}

#[derive(Debug)]
pub(crate) struct Wait;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    /// Panics instead of waiting.
    #[serde(default)]
    panics: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
}

impl Tool for Wait {
    const SPEC: ToolSpec = ToolSpec {
        name: "wait_at_gate",
        aliases: &["wait"],
        toolset: "code",
        other_toolsets: &[],
        family: &fumi_tools::code::FAMILY,
        listed: true,
        texts: ToolTextFiles {
            en: "# Wait\nsummary: Wait at the gate.\nWaits at the gate.",
            ja: "# 待つ\nsummary: 門の前で待つ。\n門の前で待ちます。",
        },
        example: "{}",
        options: &[SharedOption::Timeout],
        rules: &[],
        pool: Pool::Analysis,
        exclusive: false,
        timeout: Duration::from_mins(1),
        cached: false,
        effect: Effect::ReadOnly,
    };
    type Deps = Gate;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, gate: &Gate, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        assert!(!args.panics, "the call asked for a panic");
        gate.entered.add_permits(1);
        cx.progress.set_total(10);
        cx.progress.advance(1);
        while gate.open.load(Ordering::SeqCst) == 0 {
            tokio::select! {
                () = cx.cancel.cancelled() => {
                    gate.stopped.add_permits(1);
                    break;
                }
                () = tokio::time::sleep(Duration::from_millis(2)) => {}
            }
        }
        Ok(ToolOutcome::Done(Output { success: true }))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        "through".to_owned()
    }
}

/// Returns fumi's parts with the gate among its tools.
pub(crate) fn app_with_gate(sample: &Sample, change: impl FnOnce(&mut fumi_config::Config)) -> (Arc<App>, Arc<Gate>) {
    let gate = Arc::new(Gate { entered: Semaphore::new(0), stopped: Semaphore::new(0), open: AtomicUsize::new(0) });
    let app = Arc::into_inner(sample.app_with(&[], change)).expect("no other reference exists yet");
    let project = Arc::new(ProjectDeps { roots: Arc::clone(&app.kernel.roots), sessions: Arc::clone(&app.sessions) });
    let catalogue = Catalogue::new(vec![
        ToolEntry::for_tool::<ListFiles>(Arc::new(SearchDeps::new(
            &app.config,
            Arc::clone(&app.parsers),
            CodeIndexes::new(Arc::default(), None, None, None),
        ))),
        ToolEntry::for_tool::<SetProjectPath>(project),
        ToolEntry::for_tool::<Wait>(Arc::clone(&gate)),
        ToolEntry::for_tool::<BatchExecute>(Arc::new(())),
    ]);
    (Arc::new(App { catalogue, ..app }), gate)
}
