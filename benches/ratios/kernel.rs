//! fumi in the process of the benchmark: the whole pipeline of a call, without HTTP and the protocol.

use std::{path::Path, sync::Arc};

use fumi::app::App;
use fumi_config::Flags;
use fumi_kernel::{
    Answerer, CallProgress, Caller, ResultForm, ToolReply,
    pipeline::{self, Call},
};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// The shared parts without an index, and the threads they run on.
pub(crate) struct Kernel {
    app: Arc<App>,
    runtime: Runtime,
}

impl Kernel {
    pub(crate) fn new(roots: &[&Path], cached: bool) -> Self {
        let flags = Flags {
            roots: roots.iter().map(|root| root.to_path_buf()).collect(),
            ..Flags::default()
        };
        let mut config = fumi_config::load(None, flags, |_| None).expect("defaults are valid");
        config.code.index.enabled = false;
        if !cached {
            config.cache.entry_bytes = 0;
        }
        Self {
            app: App::build(config, []).expect("the roots are there"),
            runtime: tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .expect("threads start"),
        }
    }

    /// Calls a tool and returns its structured result.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.reply(tool, arguments).structured
    }

    /// Calls a tool and returns the whole reply, as for a client that gets text and structure.
    pub(crate) fn reply(&self, tool: &str, arguments: &Value) -> ToolReply {
        self.reply_in(ResultForm::Both, tool, arguments)
    }

    /// Calls a tool and returns the whole reply, cut and rendered for a client that gets this form.
    pub(crate) fn reply_in(&self, form: ResultForm, tool: &str, arguments: &Value) -> ToolReply {
        let app = Arc::clone(&self.app);
        let entry = app.catalogue.find(&app.scope, tool).expect("a tool");
        let call = Call {
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            caller: Caller {
                form,
                ..Caller::default()
            },
            answerer: Answerer::Host,
            project: Arc::clone(app.kernel.roots.default_project()),
            cancel: CancellationToken::new(),
            progress: CallProgress::default(),
            batch: None,
        };
        let reply = self
            .runtime
            .block_on(pipeline::run(&app.kernel, &app.catalogue, entry, call));
        assert!(!reply.is_error, "{tool} {arguments} failed: {}", reply.structured);
        reply
    }
}
