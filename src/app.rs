//! The shared parts of a process: the kernel, the catalogue and the projects of sessions. Built once, passed to all
//! users.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use fumi_base::{
    cache::ResultCache, freshness::Freshness, pools::WorkPools, project::Project, project_locks::ProjectLocks,
    redact::Redactor, roots::AllowedRoots, store::Store,
};

use fumi_browser::{BrowserService, BrowserSettings};
use fumi_code::{index::CodeIndexes, parser_pool::ParserPool};
use fumi_config::{Config, ConfigError, StateKey};
use fumi_kernel::{
    Access, Audience, SessionProjects,
    catalogue::{Catalogue, ToolsetScope},
    conversation::{ModelQuestion, TextModel},
    metrics::ServerMetrics,
    pipeline::{self, Kernel},
    resources::ProjectResources,
};
use fumi_provider::ProviderClient;
use fumi_tools::{code::resources::CodeResources, family_metrics};

use crate::{
    mcp::{
        replicas::Replicas,
        request_state::{self, RequestStateCodec},
    },
    state::State,
    telemetry::metrics::MetricsExporter,
};

/// The maximum size of all cached statistics, in bytes. One entry has at most some 200 KB.
const STATISTICS_BYTES: usize = 4 << 20;

/// The shared parts of a process.
#[derive(Debug)]
pub struct App {
    /// The configuration from which the parts were built.
    pub config: Config,
    /// The kernel on which calls run.
    pub kernel: Kernel,
    pub metrics: MetricsExporter,
    /// The catalogue of all tools.
    pub catalogue: Catalogue,
    /// The toolsets at `/mcp`.
    pub scope: ToolsetScope,
    /// The content of resources.
    pub resources: Arc<dyn ProjectResources>,
    /// The projects that sessions chose.
    pub sessions: Arc<SessionProjects>,
    /// The browser. Chromium is started by the first call that needs it.
    pub browser: Arc<BrowserService>,
    /// The pool of parser processes for source files.
    pub parsers: Arc<ParserPool>,
    /// The store of state that outlives a call, and perhaps the process.
    pub store: Arc<dyn Store>,
    /// The other processes that serve the same sessions; `None` if there are none.
    pub replicas: Option<Arc<Replicas>>,
    /// Cached statistics of projects: the JSON text, and the time of counting.
    pub statistics: ResultCache<(Arc<str>, Arc<str>)>,
    /// The codec that seals and opens the state which stateless clients carry.
    pub seals: RequestStateCodec,
    /// The provider of models, if one is configured and may be asked.
    pub provider: Option<ProviderClient>,
}

impl App {
    /// Builds everything for a benchmark: files are parsed in this process, and the store is lost when the process
    /// ends.
    pub fn build(config: Config, secrets: impl IntoIterator<Item = String>) -> Result<Arc<Self>, ConfigError> {
        let parsers = ParserPool::in_process();
        Self::build_with_state(State::in_memory(), config, parsers, secrets)
    }

    /// Builds everything from a checked configuration over a state that may be older than the process, and outlive it.
    /// `secrets` are removed from all replies.
    pub fn build_with_state(
        state: State,
        config: Config,
        parsers: ParserPool,
        secrets: impl IntoIterator<Item = String>,
    ) -> Result<Arc<Self>, ConfigError> {
        let roots = AllowedRoots::open_with(&config.projects.allowed_roots, &config.projects.named, config.path_maps())
            .map_err(|(root, error)| ConfigError(format!("the root {} cannot be opened: {error}", root.display())))?
            .ok_or_else(|| ConfigError("at least one root is needed".to_owned()))?;
        let roots = Arc::new(roots);
        let sessions = Arc::new(SessionProjects::default());
        let index_folders = state.folder.as_deref().and_then(|folder| config.code.index_folders(folder));
        let elements = index_folders.as_ref().map(|folders| folders.folder.with_file_name("elements"));
        let parsers = Arc::new(parsers.keeping_answers(elements.as_deref()));
        let store = state.store;
        let replicas = config.has_replicas().then(|| Replicas::new(Arc::clone(&store)));
        let replicas = replicas.transpose().map_err(|error| ConfigError(error.to_string()))?.map(Arc::new);
        let browser = BrowserService::new(BrowserSettings {
            replica: replicas.as_ref().map(|replicas| replicas.id().to_owned()),
            ..config.browser.settings(config.is_shared())?
        });
        let freshness = Arc::new(Freshness::default());
        let indexes = CodeIndexes::new(
            Arc::clone(&freshness),
            config.code.index_limits(config.limits.file_bytes),
            index_folders,
            Some(Arc::clone(&parsers)),
        );
        let catalogue = fumi_tools::catalogue(
            &config,
            config.code.queries()?,
            &indexes,
            &roots,
            &sessions,
            &browser,
            &parsers,
            &store,
        );
        let scope = scope(&catalogue, &config.tools.toolsets)?;
        check_always_load(&catalogue, &config)?;
        let exporter = MetricsExporter::open(&config.telemetry)?;
        let metrics = ServerMetrics::new(exporter.meter());
        family_metrics::register(&metrics, &browser, &indexes);
        let seals = RequestStateCodec::new(
            &StateKey::from_config(&config.server.state_key)?,
            request_state::TTL,
            Arc::clone(&store),
        );
        let provider = ProviderClient::open(&config.novel, &metrics)?;
        let own = [&config.server.state_key, &config.novel.provider.key].map(|secret| secret.expose().to_owned());
        let kernel = Kernel {
            metrics: Arc::clone(&metrics),
            pools: WorkPools::new(config.pools.sizes()),
            cache: ResultCache::new(config.cache.bytes, config.cache.entry_bytes),
            freshness,
            roots,
            writers: Arc::new(
                ProjectLocks::new(Duration::from_secs(config.pools.wait_seconds)).map_err(no_random_numbers)?,
            ),
            top_markers: BTreeMap::from([(fumi_tools::novel::FAMILY.name, config.novel.names.settings.clone())]),
            redactor: Arc::new(Redactor::new(secrets.into_iter().chain(own).chain(config.store.secrets()))),
            caps: config.limits.caps(),
            expectation: config.browser.expectation.policy(),
            most_steps: config.batch.max_steps,
        };
        let resources = Arc::new(CodeResources::new(&config, Arc::clone(&parsers), Arc::clone(&indexes)));
        Ok(Arc::new(Self {
            config,
            kernel,
            metrics: exporter,
            catalogue,
            scope,
            resources,
            sessions,
            browser,
            parsers,
            store,
            replicas,
            statistics: ResultCache::new(STATISTICS_BYTES as u64, STATISTICS_BYTES),
            seals,
            provider,
        }))
    }

    /// Returns the access of a caller with the tools that are listed in a project: if no toolsets were named, those for
    /// novels in a novel, else those for code. All other tools can be called too.
    pub fn listed_access(&self, access: &Access, project: &Arc<Project>) -> Access {
        if !access.by_project {
            return access.clone();
        }
        access.with_listed(if self.is_novel(access, project) { "novel" } else { "code" })
    }

    /// True if a project is a novel. Reads its folder.
    pub fn is_novel(&self, access: &Access, project: &Arc<Project>) -> bool {
        pipeline::is_of_family(&self.kernel, fumi_tools::novel::FAMILY.name, access, project)
    }

    /// Returns the provider, if it may answer the question.
    pub fn provider_for(&self, question: &ModelQuestion) -> Option<&dyn TextModel> {
        let provider = self.provider.as_ref()?;
        (question.audience() == Audience::AnyModel).then_some(provider)
    }
}

fn no_random_numbers(error: impl std::fmt::Display) -> ConfigError {
    ConfigError(format!("the system provides no random numbers: {error}"))
}

/// Checks the names of `tools.always_load`. A batch that is switched off is no error, since the default names it.
fn check_always_load(catalogue: &Catalogue, config: &Config) -> Result<(), ConfigError> {
    let is_known = |name: &str| catalogue.entries().iter().any(|entry| entry.spec.name == name);
    let is_off = |name: &str| !config.batch.enabled && name.ends_with("batch_execute");
    let mut names = config.tools.always_load.iter();
    match names.find(|name| !is_known(name) && !is_off(name)) {
        Some(name) => Err(ConfigError(format!(
            "tools.always_load: unknown tool {name:?}; `fumi tools` lists the tools of this build"
        ))),
        None => Ok(()),
    }
}

fn scope(catalogue: &Catalogue, wanted: &[String]) -> Result<ToolsetScope, ConfigError> {
    let known: Vec<_> = catalogue.toolsets().into_iter().collect();
    let names: Vec<&str> = if wanted.is_empty() { known.clone() } else { wanted.iter().map(String::as_str).collect() };
    catalogue.scope(names).map_err(|unknown| {
        ConfigError(format!("unknown toolset {}; this build has {}", unknown.join(", "), known.join(", ")))
    })
}
