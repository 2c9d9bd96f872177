//! The configuration: one tree, every key with its default and its meaning.
//!
//! Layers, later ones win: defaults < file < `FUMI__SECTION__KEY` < command-line flags. Unknown keys are refused. The
//! environment is read here and nowhere else. `config/default.toml` shows every key; a test compares the two.

use std::{
    ffi::OsStr,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use figment::{
    Figment,
    providers::{Env, Format, Serialized, Toml},
};
use fumi_base::{pools::PoolSizes, text::Locale};
use fumi_code::user_queries::UserQueries;
use serde::{Deserialize, Serialize};

use crate::tool::reply::Caps;

/// Everything that can be configured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where and how fumi listens.
    pub server: Server,
    /// Which folders it serves.
    pub projects: Projects,
    /// Which tools it offers.
    pub tools: Tools,
    /// Code analysis.
    pub code: Code,
    /// Sizes that bound one call.
    pub limits: Limits,
    /// How many jobs run at once.
    pub pools: Pools,
    /// The result cache.
    pub cache: Cache,
    /// Who is told when resources change.
    pub resources: Resources,
    /// What it says of itself.
    pub log: Log,
}

/// Where and how fumi listens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Names under which clients may reach it (`Host` header). Loopback names are always allowed.
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call it (`Origin` header), such as `https://app.example.com:443`. None by default.
    pub allowed_origins: Vec<String>,
    /// Listen beyond loopback without authentication.
    pub insecure: bool,
    /// Sessions of the session era at once.
    pub max_sessions: usize,
    /// Minutes after which an idle session ends. Never while a call or a stream is open.
    pub session_idle_minutes: u64,
    /// Seconds that calls get to finish after SIGTERM.
    pub drain_seconds: u64,
    /// What seals the state that stateless clients carry from one request to the next: at least 32 bytes, the same on all
    /// replicas. Empty: a random one at every start.
    pub state_key: Secret,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8640)),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            insecure: false,
            max_sessions: 10_000,
            session_idle_minutes: 60,
            drain_seconds: 30,
            state_key: Secret::default(),
        }
    }
}

/// A value that is not for eyes: its `Debug` form says only whether there is one.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The value itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_empty() { "none" } else { "hidden" })
    }
}

/// The key that seals state: at least [`StateKey::MIN_BYTES`].
#[derive(Clone)]
pub struct StateKey(Vec<u8>);

impl StateKey {
    /// As long as the hash that it keys.
    pub const MIN_BYTES: usize = 32;

    /// The bytes.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for StateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hidden")
    }
}

/// Which folders fumi serves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Projects {
    /// Folders that may be projects, the first being the default. Empty: the folder fumi was started in.
    pub allowed_roots: Vec<PathBuf>,
}

/// Which tools fumi offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tools {
    /// Toolsets at `/mcp`. Empty: all that this build has.
    pub toolsets: Vec<String>,
    /// The language of descriptions when the caller names none: `en` or `ja`.
    pub language: Locale,
}

/// Code analysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Code {
    /// A folder of queries: `LANGUAGE/KEY.scm` there becomes a `query_key` of that language. Empty: none.
    pub query_folder: PathBuf,
}

/// Sizes that bound one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest file that is read whole, in bytes.
    pub file_bytes: u64,
    /// Rows of one reply before it is cut.
    pub reply_rows: usize,
    /// Estimated tokens of one reply before it is cut.
    pub reply_tokens: usize,
    /// Bytes of one reply before it is cut.
    pub reply_bytes: usize,
    /// Files of a project beyond which `strict` refuses a walk; otherwise it goes on and says so.
    pub project_files: usize,
    /// Refuse walks over more than `project_files` files.
    pub strict: bool,
    /// Largest request body, in bytes.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 100_000_000,
            reply_rows: 2_000,
            reply_tokens: 25_000,
            reply_bytes: 256 * 1024,
            project_files: 100_000,
            strict: false,
            body_bytes: 4 * 1024 * 1024,
        }
    }
}

/// How many jobs run at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pools {
    /// Code tools and reads. 0: one per core, at least five.
    pub analysis: usize,
    /// Writing novels, per project.
    pub write: usize,
    /// Checking novels.
    pub check: usize,
    /// Plotting novels.
    pub plot: usize,
    /// Browser contexts.
    pub browser: usize,
    /// Calls that may wait for one pool.
    pub queue: usize,
    /// Seconds that a call waits for a place.
    pub wait_seconds: u64,
}

impl Default for Pools {
    fn default() -> Self {
        Self {
            analysis: 0,
            write: 1,
            check: 3,
            plot: 2,
            browser: 8,
            queue: 64,
            wait_seconds: 30,
        }
    }
}

/// The result cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cache {
    /// Bytes of all cached results together.
    pub bytes: u64,
    /// Bytes beyond which one result is not kept.
    pub entry_bytes: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            bytes: 64 * 1024 * 1024,
            entry_bytes: 4 * 1024 * 1024,
        }
    }
}

/// Who is told when resources change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resources {
    /// Resources that one session, or one stream of the stateless era, may subscribe to.
    pub subscriptions: usize,
    /// Streams of the stateless era (`subscriptions/listen`) at once.
    pub streams: usize,
    /// Milliseconds without a further change before a change is told.
    pub settle_ms: u64,
}

impl Default for Resources {
    fn default() -> Self {
        Self {
            subscriptions: 100,
            streams: 1_000,
            settle_ms: 150,
        }
    }
}

/// What fumi says of itself, on standard error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `pretty` or `json`.
    pub format: LogFormat,
    /// Which messages: `info`, `debug`, or a filter such as `fumi=debug,rmcp=warn`.
    pub filter: String,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            format: LogFormat::Pretty,
            filter: "info".to_owned(),
        }
    }
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// What the command line says; it wins over everything.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--listen`.
    pub listen: Option<SocketAddr>,
    /// `--root`, repeated.
    pub roots: Vec<PathBuf>,
    /// `--toolsets`.
    pub toolsets: Option<Vec<String>>,
    /// `--log`.
    pub log: Option<LogFormat>,
    /// `--insecure`.
    pub insecure: bool,
}

/// A configuration that cannot be used, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Environment variables that name the default project, as other servers of the field call them.
const ROOT_VARIABLES: [&str; 3] = ["PROJECT_ROOT", "NOVELER_TEST_PROJECT_ROOT", "NOVELER_SAMPLES_ROOT"];

/// Reads and checks the configuration.
pub fn load(
    file: Option<&Path>,
    flags: Flags,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Config, ConfigError> {
    let mut layers = Figment::from(Serialized::defaults(Config::default()));
    if let Some(file) = file {
        if !file.is_file() {
            return Err(ConfigError(format!(
                "there is no configuration file {}",
                file.display()
            )));
        }
        layers = layers.merge(Toml::file_exact(file));
    }
    let mut config: Config = layers
        .merge(Env::prefixed("FUMI__").split("__"))
        .extract()
        .map_err(|error| ConfigError(one_line(&error.to_string())))?;
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
    if !flags.roots.is_empty() {
        config.projects.allowed_roots = flags.roots;
    }
    if config.projects.allowed_roots.is_empty() {
        config.projects.allowed_roots.push(PathBuf::from("."));
    }
    if let Some(root) = ROOT_VARIABLES
        .iter()
        .find_map(|name| environment(name))
        .filter(|root| !root.is_empty())
    {
        prefer(&mut config.projects.allowed_roots, Path::new(&root))?;
    }
    config.check()?;
    Ok(config)
}

/// Moves the variable's folder to the front; it must lie inside what is allowed.
fn prefer(roots: &mut Vec<PathBuf>, wanted: &Path) -> Result<(), ConfigError> {
    let real = wanted
        .canonicalize()
        .map_err(|error| ConfigError(format!("PROJECT_ROOT {}: {error}", wanted.display())))?;
    let inside = roots
        .iter()
        .any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)));
    if !inside {
        return Err(ConfigError(format!(
            "PROJECT_ROOT {} is outside the allowed roots; allow it with --root",
            wanted.display()
        )));
    }
    roots.insert(0, real);
    Ok(())
}

/// What stands in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ConfigError> {
    let listing = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut paths: Vec<PathBuf> = listing.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError(format!("code.query_folder: {}: {error}", path.display()))
}

fn stem(path: &Path) -> Option<&str> {
    path.file_stem().and_then(OsStr::to_str)
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Config {
    /// Checks what types cannot say.
    pub fn check(&self) -> Result<(), ConfigError> {
        let exposed = !self.server.listen.ip().is_loopback();
        if exposed && !self.server.insecure {
            return Err(ConfigError(format!(
                "refusing to listen on {} without authentication; listen on 127.0.0.1, or pass --insecure if the network is trusted",
                self.server.listen
            )));
        }
        for root in &self.projects.allowed_roots {
            if !root.is_dir() {
                return Err(ConfigError(format!("the root {} is not a folder", root.display())));
            }
        }
        for (name, size) in [
            ("limits.reply_rows", self.limits.reply_rows),
            ("limits.reply_tokens", self.limits.reply_tokens),
            ("limits.reply_bytes", self.limits.reply_bytes),
            ("limits.body_bytes", self.limits.body_bytes),
            ("server.max_sessions", self.server.max_sessions),
        ] {
            if size == 0 {
                return Err(ConfigError(format!("{name} must be at least 1")));
            }
        }
        self.queries()?;
        self.state_key()?;
        tracing_subscriber::EnvFilter::try_new(&self.log.filter)
            .map_err(|error| ConfigError(format!("log.filter: {error}")))?;
        Ok(())
    }

    /// The queries of `code.query_folder`, checked. Folders are languages, `*.scm` in them keys; other files are nothing.
    pub fn queries(&self) -> Result<UserQueries, ConfigError> {
        let folder = &self.code.query_folder;
        let mut queries = UserQueries::default();
        if folder.as_os_str().is_empty() {
            return Ok(queries);
        }
        for language in entries(folder)?.into_iter().filter(|entry| entry.is_dir()) {
            for file in entries(&language)? {
                let (Some(key), Some("scm")) = (stem(&file), file.extension().and_then(OsStr::to_str)) else {
                    continue;
                };
                let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?;
                queries
                    .add(stem(&language).unwrap_or_default(), key, text)
                    .map_err(|error| ConfigError(format!("{}: {error}", file.display())))?;
            }
        }
        Ok(queries)
    }

    /// The key that seals state: the configured one, else a new random one.
    pub fn state_key(&self) -> Result<StateKey, ConfigError> {
        let configured = self.server.state_key.expose().as_bytes();
        if configured.is_empty() {
            let mut key = vec![0; StateKey::MIN_BYTES];
            getrandom::fill(&mut key)
                .map_err(|error| ConfigError(format!("the system gives no random bytes: {error}")))?;
            return Ok(StateKey(key));
        }
        if configured.len() < StateKey::MIN_BYTES {
            return Err(ConfigError(format!(
                "server.state_key has {} bytes; it must have at least {}, such as the output of: openssl rand -base64 48",
                configured.len(),
                StateKey::MIN_BYTES
            )));
        }
        Ok(StateKey(configured.to_vec()))
    }

    /// The pools as the foundation takes them.
    #[must_use]
    pub fn pool_sizes(&self) -> PoolSizes {
        let pools = &self.pools;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let analysis = if pools.analysis == 0 {
            cores.max(5)
        } else {
            pools.analysis
        };
        PoolSizes {
            places: [analysis, pools.write, pools.check, pools.plot, pools.browser],
            queue: pools.queue,
            wait: Duration::from_secs(pools.wait_seconds),
        }
    }

    /// What one reply may hold.
    #[must_use]
    pub fn caps(&self) -> Caps {
        Caps {
            rows: self.limits.reply_rows,
            tokens: self.limits.reply_tokens,
            bytes: self.limits.reply_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, Flags, load};

    #[test]
    fn the_shown_defaults_are_the_defaults() {
        let shown: Config = toml::from_str(include_str!("../config/default.toml")).expect("well-formed");
        assert_eq!(shown, Config::default());
        let text = include_str!("../config/default.toml");
        let toml::Value::Table(sections) = toml::Value::try_from(Config::default()).expect("serialises") else {
            panic!("a table");
        };
        for (section, keys) in sections {
            assert!(text.contains(&format!("[{section}]")), "{section} is not shown");
            for key in keys.as_table().expect("a section").keys() {
                assert!(text.contains(&format!("\n{key} = ")), "{section}.{key} is not shown");
            }
        }
    }

    #[test]
    fn bad_configurations_say_what_is_wrong() {
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("fumi.toml");
        for (toml, expected) in [
            ("[server]\nlisten = \"0.0.0.0:1\"", "refusing to listen on 0.0.0.0:1"),
            ("[server]\nlsten = \"x\"", "lsten"),
            ("[limits]\nreply_rows = 0", "limits.reply_rows must be at least 1"),
            ("[projects]\nallowed_roots = [\"/no/such\"]", "/no/such is not a folder"),
            ("[log]\nfilter = \"=%\"", "log.filter"),
            (
                "[server]\nstate_key = \"0123456789012345678901234567890\"",
                "server.state_key has 31 bytes; it must have at least 32",
            ),
        ] {
            std::fs::write(&file, toml).expect("a file");
            let error = load(Some(&file), Flags::default(), |_| None)
                .expect_err(toml)
                .to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains('\n'), "one line: {error}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let mut config = Config::default();
        let key = "a key of the operator, long enough to be one";
        config.server.state_key = key.to_owned().into();
        let shown = format!("{config:?} {:?}", config.state_key());
        assert!(!shown.contains(key) && shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn without_a_configured_key_every_start_has_its_own() {
        let keys = [Config::default().state_key(), Config::default().state_key()];
        let [one, other] = keys.map(|key| key.expect("random bytes").expose().to_vec());
        assert!(one.len() >= 32 && one != other);
    }

    #[test]
    fn the_project_variable_stays_inside_the_allowed_roots() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("inner");
        std::fs::create_dir(&inner).expect("a folder");
        let flags = || Flags {
            roots: vec![root.path().to_path_buf()],
            ..Flags::default()
        };
        let config = load(None, flags(), |name| {
            (name == "PROJECT_ROOT").then(|| inner.display().to_string())
        })
        .expect("inside");
        assert_eq!(config.projects.allowed_roots[0], inner.canonicalize().expect("real"));
        assert!(load(None, flags(), |name| (name == "PROJECT_ROOT").then(|| "/".to_owned())).is_err());
    }
}
