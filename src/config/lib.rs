//! The configuration: one tree, every key with its default and its meaning; one file for each concern.
//!
//! Layers, later ones win: `config/default.toml` < file < `FUMI__SECTION__KEY` < command-line flags. Unknown keys are
//! refused. The environment is read here and nowhere else.

mod auth;
mod batch;
mod browser;
mod layers;
mod limits;
mod novel;
mod projects;
mod provider;
mod server;
mod state_key;
mod store;
mod telemetry;
mod tools;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use fumi_base::path_maps::{PathMap, PathMaps};
use serde::Deserialize;

pub use auth::{AuthConfig, AuthMode, ConfiguredToken, OAuthConfig, SubjectBounds, is_tamperproof_url};
pub use batch::BatchConfig;
pub use browser::{BrowserConfig, BrowserPolicy, ExpectationConfig};
pub use limits::{CacheConfig, LimitsConfig, PoolsConfig, ResourcesConfig};
pub use novel::NovelConfig;
pub use projects::{PathMapping, ProjectsConfig};
pub use provider::{AuthorChoice, ProviderConfig, ProviderKind};
pub use server::ServerConfig;
pub use state_key::{Secret, StateKey};
pub use store::{StoreConfig, StoreFlag, StoreKind, state_folder};
pub use telemetry::{LogConfig, LogFormat, TelemetryConfig};
pub use tools::{CodeConfig, IndexConfig, ToolsConfig};

/// Environment variables that name the default project, as related servers call them.
const ROOT_VARIABLES: [&str; 3] = ["PROJECT_ROOT", "NOVELER_TEST_PROJECT_ROOT", "NOVELER_SAMPLES_ROOT"];

/// The environment variable with the digest of one token that has all rights: enough for a container.
const TOKEN_VARIABLE: &str = "FUMI_TOKEN_SHA256";

/// The name of the principal with that token.
const TOKEN_NAME: &str = "environment";

/// All settings of fumi.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The settings of listening and of connections.
    pub server: ServerConfig,
    /// The folders that fumi serves.
    pub projects: ProjectsConfig,
    /// The mappings between the clients' paths and the server's paths.
    #[serde(default)]
    pub path_map: Vec<PathMapping>,
    /// The settings of authentication and authorisation.
    pub auth: AuthConfig,
    /// The tools that fumi offers.
    pub tools: ToolsConfig,
    /// The settings of code analysis.
    pub code: CodeConfig,
    /// The settings of novel writing.
    pub novel: NovelConfig,
    /// The settings of browsers.
    pub browser: BrowserConfig,
    /// The settings of batches.
    pub batch: BatchConfig,
    /// The limits of files, replies and requests.
    pub limits: LimitsConfig,
    /// The maximum number of concurrent jobs of each kind.
    pub pools: PoolsConfig,
    /// The settings of the result cache.
    pub cache: CacheConfig,
    /// The settings of the store of state that outlives a call.
    pub store: StoreConfig,
    /// The settings of notifications about changed resources.
    pub resources: ResourcesConfig,
    /// The settings of the log.
    pub log: LogConfig,
    /// The settings of telemetry for a collector, and of the metrics address.
    pub telemetry: TelemetryConfig,
}

/// The settings of the command line, which override all other layers.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    pub listen: Option<SocketAddr>,
    pub roots: Vec<PathBuf>,
    pub toolsets: Option<Vec<String>>,
    pub log: Option<LogFormat>,
    pub insecure: bool,
    pub store: Option<StoreFlag>,
    pub state: Option<PathBuf>,
}

/// The error of an unusable configuration, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Reads and checks the configuration.
pub fn load(
    file: Option<&Path>,
    flags: Flags,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Config, ConfigError> {
    let mut text = String::new();
    if let Some(file) = file {
        if !file.is_file() {
            return Err(ConfigError(format!("the configuration file {} does not exist", file.display())));
        }
        text = std::fs::read_to_string(file)
            .map_err(|error| ConfigError(format!("the configuration file {}: {error}", file.display())))?;
        // The file alone first: errors of merged layers have no line numbers.
        layers::parse(&text).map_err(|error| {
            ConfigError(format!("{}, {}", file.display(), layers::describe_with_line(&text, &error)))
        })?;
    }
    let config = layers::with_variables(&text, &layers::variables()?)?;
    with_flags(config, flags, &environment)
}

/// Applies the flags and the variables that belong to several keys or to none, then checks everything.
fn with_flags(
    mut config: Config,
    flags: Flags,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Config, ConfigError> {
    if let Some(listen) = flags.listen {
        config.server.listen = listen;
    }
    config.server.insecure |= flags.insecure;
    if let Some(toolsets) = flags.toolsets {
        config.tools.toolsets = toolsets;
    }
    if let Some(format) = flags.log {
        config.log.format = format;
    }
    if let Some(store) = flags.store {
        config.store.apply(store);
    }
    if let Some(state) = flags.state {
        config.store.dir = state;
    }
    if !flags.roots.is_empty() {
        config.projects.allowed_roots = flags.roots;
    }
    if config.projects.allowed_roots.is_empty() {
        config.projects.allowed_roots.push(PathBuf::from("."));
    }
    if let Some(root) = ROOT_VARIABLES.iter().find_map(|name| environment(name)).filter(|root| !root.is_empty()) {
        config.projects.move_to_front(Path::new(&root))?;
    }
    if let Some(sha256) = environment(TOKEN_VARIABLE) {
        // As an unset variable in a script leaves it: without the token the server would be open.
        if sha256.is_empty() {
            return Err(ConfigError(format!(
                "{TOKEN_VARIABLE} is empty; set it to the sha256 that `fumi token new` prints, or remove it"
            )));
        }
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens.push(ConfiguredToken {
            name: TOKEN_NAME.to_owned(),
            sha256,
            toolsets: Vec::new(),
            roots: Vec::new(),
            readonly: false,
            rate_per_minute: None,
        });
    }
    config.telemetry.read_environment(environment)?;
    config.novel.provider.read_key(environment);
    config.check()?;
    Ok(config)
}

impl Default for Config {
    fn default() -> Self {
        layers::parse("").expect("the embedded defaults are well-formed; a test reads them")
    }
}

impl Config {
    /// Returns the names of the sections in which a new configuration differs from this one.
    pub fn differing_sections(&self, new: &Self) -> Vec<&'static str> {
        macro_rules! differences {
            ($($section:ident),*) => {{
                // Without one of the sections this does not compile.
                let Self { $($section),* } = new;
                [$((stringify!($section), self.$section != *$section)),*]
            }};
        }
        let sections = differences!(
            server, projects, path_map, auth, tools, code, novel, browser, batch, limits, pools, cache, store,
            resources, log, telemetry
        );
        sections.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }

    /// True if other processes may serve the same sessions.
    pub fn has_replicas(&self) -> bool {
        self.store.kind == StoreKind::Redis || !self.server.replica_url.is_empty()
    }

    fn check_replicas(&self) -> Result<(), ConfigError> {
        if !self.has_replicas() {
            return Ok(());
        }
        if self.server.state_key.expose().is_empty() {
            return Err(ConfigError(
                "server.state_key is empty, but replicas need the same, since each opens what another has sealed; set FUMI__SERVER__STATE_KEY to the output of: openssl rand -base64 48".to_owned(),
            ));
        }
        if self.server.replica_url.is_empty() && self.server.listen.ip().is_unspecified() {
            return Err(ConfigError(format!(
                "server.replica_url is empty, but the store is shared, and {} is not an address at which other replicas reach this one; set FUMI__SERVER__REPLICA_URL, such as http://10.0.0.7:{}",
                self.server.listen,
                self.server.listen.port()
            )));
        }
        Ok(())
    }

    /// Checks the rules that types cannot express.
    pub fn check(&self) -> Result<(), ConfigError> {
        let exposed = !self.server.listen.ip().is_loopback();
        if exposed && !self.server.insecure && self.auth.mode == AuthMode::None {
            return Err(ConfigError(format!(
                "refusing to listen on {} without authentication; listen on 127.0.0.1, create a token with `fumi token new`, or pass --insecure if you trust the network",
                self.server.listen
            )));
        }
        self.server.check()?;
        self.projects.check()?;
        self.path_map.iter().try_for_each(PathMapping::check)?;
        self.auth.check()?;
        self.browser.check()?;
        self.batch.check()?;
        self.limits.check()?;
        self.code.queries()?;
        self.novel.check()?;
        self.store.check()?;
        self.check_replicas()?;
        self.log.check()?;
        self.telemetry.check()
    }

    /// True if others than the person who started the server may use it.
    pub fn is_shared(&self) -> bool {
        self.auth.mode != AuthMode::None || !self.server.listen.ip().is_loopback()
    }

    /// Returns the maps between the clients' paths and the server's paths.
    pub fn path_maps(&self) -> PathMaps {
        PathMaps::new(
            self.path_map.iter().map(|map| PathMap { client: map.client.clone(), server: map.server.clone() }),
        )
    }
}

#[cfg(test)]
mod tests {
    use fumi_novel::{checks::Tuning, project::ProjectNames};

    use super::{Config, Flags, load};

    #[test]
    fn the_defaults_of_a_novel_are_those_of_its_crate() {
        let novel = Config::default().novel;
        assert_eq!((novel.names, novel.checks), (ProjectNames::default(), Tuning::default()));
    }

    #[test]
    fn bad_configurations_say_what_is_wrong() {
        let entry = |name: &str, hash: String| format!("[[auth.tokens]]\nname = \"{name}\"\nsha256 = \"{hash}\"\n");
        let (small, large) = ("a".repeat(64), "A".repeat(64));
        let twice = format!("[auth]\nmode = \"tokens\"\n{}{}", entry("a", small), entry("b", large));
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("fumi.toml");
        for (toml, expected) in [
            ("[server]\nlisten = \"0.0.0.0:1\"", "refusing to listen on 0.0.0.0:1"),
            ("[server]\nlsten = \"x\"", "line 2, lsten: unknown field `lsten`"),
            ("[server]\nlsten = \"x\"", "did you mean `listen`?"),
            ("[limits]\nreply_rows = 0", "limits.reply_rows must be at least 1"),
            ("[limits]\nheader_bytes = 100", "limits.header_bytes must be at least 8192"),
            ("[limits]\nreply_bytes = 100", "limits.reply_bytes must be at least 8192"),
            ("[limits]\nbodies_bytes = 100", "limits.bodies_bytes must be at least"),
            ("[server]\nheader_seconds = 0", "server.header_seconds must be from 1 to 86400"),
            ("[server]\nsession_idle_minutes = 0", "server.session_idle_minutes must be from 1 to 525600"),
            ("[server]\ndrain_seconds = 9223372036854775807", "server.drain_seconds must be from 0 to 86400"),
            ("[projects]\nallowed_roots = [\"/no/such\"]", "/no/such is not a folder"),
            ("[batch]\nmax_steps = 51", "batch.max_steps must be from 1 to 50"),
            ("[browser.expectation]\nprofile = \"fat\"", "profile"),
            ("[browser]\nmemory_mib = 1", "browser.memory_mib must be 0 or at least 256"),
            ("[browser]\nargs = [\"lang\"]", "is not a flag"),
            ("[browser]\nidle_minutes = 0", "browser.idle_minutes must be from 1"),
            ("[browser.policy]\ndeny_hosts = [\"http://a.example\"]", "is not a host such as"),
            ("[log]\nfilter = \"=%\"", "log.filter"),
            ("[auth]\nmode = \"tokens\"", "auth.tokens is empty"),
            ("[auth]\nmode = \"tokens\"\n[[auth.tokens]]\nname = \"a\"\nsha256 = \"12\"", "64 hexadecimal digits"),
            ("[auth]\n[[auth.tokens]]\nname = \"a\"\nsha256 = \"12\"\nreadolny = true", "readolny"),
            (&twice, "\"b\" has the sha256 of an earlier entry"),
            ("[auth]\nmode = \"oauth\"", "auth.oauth.issuer is empty"),
            (
                "[auth]\nmode = \"oauth\"\n[auth.oauth]\nissuer = \"https://a\"\naudience = \"b\"\nalgorithms = [\"HS256\"]",
                "\"HS256\" is not one of",
            ),
            ("[projects.named]\nshop = \"/no/such\"", "projects.named.shop: /no/such is not a folder"),
            ("[[path_map]]\nclient = \"/a\"\nserver = \"b\"", "both paths must be absolute"),
            (
                "[server]\nstate_key = \"0123456789012345678901234567890\"",
                "server.state_key has 31 bytes; it must have at least 32",
            ),
        ] {
            std::fs::write(&file, toml).expect("a file");
            let error = load(Some(&file), Flags::default(), |_| None).expect_err(toml).to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains('\n'), "one line: {error}");
        }
    }

    #[test]
    fn an_empty_token_variable_does_not_leave_the_server_open() {
        let error = load(None, Flags::default(), |name| (name == super::TOKEN_VARIABLE).then(String::new))
            .expect_err("refused")
            .to_string();
        assert!(error.contains("FUMI_TOKEN_SHA256 is empty"), "{error}");
    }

    #[test]
    fn the_project_variable_stays_inside_the_allowed_roots() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("inner");
        std::fs::create_dir(&inner).expect("a folder");
        let flags = || Flags { roots: vec![root.path().to_path_buf()], ..Flags::default() };
        let config =
            load(None, flags(), |name| (name == "PROJECT_ROOT").then(|| inner.display().to_string())).expect("inside");
        assert_eq!(config.projects.allowed_roots[0], inner.canonicalize().expect("real"));
        assert!(load(None, flags(), |name| (name == "PROJECT_ROOT").then(|| "/".to_owned())).is_err());
    }
}
