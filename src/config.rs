//! The configuration: one tree, every key with its default and its meaning.
//!
//! Layers, later ones win: defaults < file < `FUMI__SECTION__KEY` < command-line flags. Unknown keys are refused. The
//! environment is read here and nowhere else. `config/default.toml` shows every key; a test compares the two.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use figment::{
    Figment,
    providers::{Env, Format, Serialized, Toml},
};
use fumi_base::{
    path_maps::{PathMap, PathMaps},
    pools::PoolSizes,
    text::Locale,
};
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
    /// Where clients see other paths than fumi does.
    pub path_map: Vec<PathMapping>,
    /// Who may call, and what.
    pub auth: Auth,
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
    /// What outlives a call.
    pub store: Store,
    /// Who is told when resources change.
    pub resources: Resources,
    /// What it says of itself.
    pub log: Log,
    /// What a collector receives, and where metrics are read.
    pub telemetry: Telemetry,
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
    /// Connections at once; as many as the limit of open files leaves room for, if that is less.
    pub max_connections: usize,
    /// Seconds that a client has for the head of a request, from its first byte on.
    pub header_seconds: u64,
    /// Seconds that a client may leave between two pieces of a request's body, and in which it takes some of a reply.
    pub body_seconds: u64,
    /// Seconds after which a connection that nothing came over since its last reply is closed.
    pub keep_alive_seconds: u64,
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
            max_connections: 4_096,
            header_seconds: 10,
            body_seconds: 30,
            keep_alive_seconds: 75,
        }
    }
}

/// Which folders fumi serves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Projects {
    /// Folders that may be projects, the first being the default. Empty: the folder fumi was started in.
    pub allowed_roots: Vec<PathBuf>,
    /// Projects by name, for URLs: `/projects/NAME/mcp`. They are allowed roots too.
    pub named: BTreeMap<String, PathBuf>,
}

/// One folder under two names: the client's and ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathMapping {
    /// The absolute path as the client writes it, such as `/home/me/app` or `C:\Users\me\app`.
    pub client: String,
    /// The absolute path here.
    pub server: PathBuf,
}

/// Who may call, and what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// `none` (loopback only), `tokens` or `oauth`.
    pub mode: AuthMode,
    /// Calls a minute that one principal may make, unless its entry says otherwise. 0: as many as it likes.
    pub rate_per_minute: u32,
    /// The principals of mode `tokens`.
    pub tokens: Vec<Token>,
    /// The authorization server of mode `oauth`.
    pub oauth: OAuth,
}

impl Default for Auth {
    fn default() -> Self {
        Self {
            mode: AuthMode::None,
            rate_per_minute: 600,
            tokens: Vec::new(),
            oauth: OAuth::default(),
        }
    }
}

/// How callers prove who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuthMode {
    /// Not at all: whoever reaches the port may call.
    None,
    /// By a token of the list.
    Tokens,
    /// By an access token of an OAuth 2.1 authorization server.
    OAuth,
}

/// A principal with a token. `fumi token new` makes one.
// The bounds stand in each of the two entries: serde cannot refuse a misspelt key of a flattened group, and here one
// would widen what a token may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// How logs call it. Unique.
    pub name: String,
    /// SHA-256 of the token, 64 hexadecimal digits. The token itself is written nowhere.
    pub sha256: String,
    /// Its toolsets. Empty: all.
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// Its folders, inside the allowed roots, the first being its default. Empty: all.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// Whether it may only read.
    #[serde(default)]
    pub readonly: bool,
    /// Its calls a minute; without, `auth.rate_per_minute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
}

/// An authorization server, and what its tokens allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuth {
    /// The issuer, exactly as its tokens say it in `iss`.
    pub issuer: String,
    /// What tokens for this server say in `aud`: the URL under which clients know it, such as `https://fumi.example.com/mcp`.
    pub audience: String,
    /// Where the issuer's keys are. Empty: asked of the issuer (RFC 8414, `OpenID` Connect discovery).
    pub jwks_uri: String,
    /// Accepted signature algorithms.
    pub algorithms: Vec<String>,
    /// The scope that each toolset needs. One that is not named needs `fumi:TOOLSET`.
    pub scopes: BTreeMap<String, String>,
    /// The scope without which a token may only read. Empty: every token may write.
    pub write_scope: String,
    /// Seconds for which the issuer's keys are kept. An unknown key is asked for at once, but not again and again.
    pub jwks_seconds: u64,
    /// Narrower bounds for single subjects.
    pub subjects: Vec<Subject>,
}

impl Default for OAuth {
    fn default() -> Self {
        Self {
            issuer: String::new(),
            audience: String::new(),
            jwks_uri: String::new(),
            algorithms: ["RS256", "PS256", "ES256", "EdDSA"].map(str::to_owned).to_vec(),
            scopes: BTreeMap::new(),
            write_scope: String::new(),
            jwks_seconds: 600,
            subjects: Vec::new(),
        }
    }
}

/// What one subject of the authorization server may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The `sub` of its tokens.
    pub subject: String,
    /// Its toolsets. Empty: all.
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// Its folders, inside the allowed roots, the first being its default. Empty: all.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// Whether it may only read.
    #[serde(default)]
    pub readonly: bool,
    /// Its calls a minute; without, `auth.rate_per_minute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
}

/// Which tools fumi offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tools {
    /// Toolsets at `/mcp`. Empty: all that this build has.
    pub toolsets: Vec<String>,
    /// Nothing may be written, by anybody.
    pub readonly: bool,
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
    /// Bytes of all request bodies that are held at once.
    pub bodies_bytes: usize,
    /// Largest head of a request (its line and headers), in bytes; at least 8,192.
    pub header_bytes: usize,
    /// Requests in flight at once. Probes and streams that only listen do not count.
    pub requests: usize,
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
            bodies_bytes: 64 * 1024 * 1024,
            header_bytes: 32 * 1024,
            requests: 512,
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
    /// Writing novels, in all projects together.
    pub write_total: usize,
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
            write_total: 8,
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

/// What outlives a call: sessions, and the projects that they chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// `fs` (files in `dir`: a restart loses no session) or `memory` (gone with the process).
    pub kind: StoreKind,
    /// The state folder. Empty: `$XDG_STATE_HOME/fumi`, or `~/.local/state/fumi`; if that cannot be written, fumi warns and
    /// uses memory. One that is named must work.
    pub dir: PathBuf,
}

/// What keeps state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// Files.
    #[default]
    Fs,
    /// The process's own memory.
    Memory,
}

impl StoreKind {
    /// Reads the value of `--store`.
    pub fn parse(raw: &str) -> Result<Self, ConfigError> {
        match raw {
            "fs" => Ok(Self::Fs),
            "memory" => Ok(Self::Memory),
            raw if raw == "redis" || raw.starts_with("redis://") || raw.starts_with("rediss://") => Err(ConfigError(
                format!("--store {raw}: not in this build; use fs or memory"),
            )),
            raw => Err(ConfigError(format!("--store {raw}: use fs or memory"))),
        }
    }
}

/// The usual folder for state, as the XDG base directory specification says. `None` without a home.
#[must_use]
pub fn state_folder(environment: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".local/state")))
        .map(|state| state.join("fumi"))
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

/// What a collector of OpenTelemetry receives, and where Prometheus reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Telemetry {
    /// The collector, such as `http://localhost:4318`. Empty: `OTEL_EXPORTER_OTLP_ENDPOINT`, or none.
    pub otlp_endpoint: String,
    /// How it is spoken to: `http/protobuf` or `grpc`. `OTEL_EXPORTER_OTLP_PROTOCOL` wins.
    pub otlp_protocol: OtlpProtocol,
    /// What this server is called there. `OTEL_SERVICE_NAME` wins.
    pub service_name: String,
    /// An address of its own for `/metrics`, without authentication, such as `127.0.0.1:9464`. Empty: `/metrics` is a route like
    /// the others.
    pub metrics_listen: String,
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            otlp_endpoint: String::new(),
            otlp_protocol: OtlpProtocol::Http,
            service_name: "fumi".to_owned(),
            metrics_listen: String::new(),
        }
    }
}

/// How a collector is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OtlpProtocol {
    /// Protobuf over HTTP, port 4318.
    #[serde(rename = "http/protobuf")]
    Http,
    /// gRPC, port 4317.
    #[serde(rename = "grpc")]
    Grpc,
}

impl Telemetry {
    /// The standard variables of OpenTelemetry, which win over files.
    fn read(&mut self, environment: impl Fn(&str) -> Option<String>) -> Result<(), ConfigError> {
        let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
        if let Some(endpoint) = variable("OTEL_EXPORTER_OTLP_ENDPOINT") {
            self.otlp_endpoint = endpoint;
        }
        if let Some(name) = variable("OTEL_SERVICE_NAME") {
            self.service_name = name;
        }
        match variable("OTEL_EXPORTER_OTLP_PROTOCOL").as_deref() {
            None => {}
            Some("http/protobuf") => self.otlp_protocol = OtlpProtocol::Http,
            Some("grpc") => self.otlp_protocol = OtlpProtocol::Grpc,
            Some(other) => {
                return Err(ConfigError(format!(
                    "OTEL_EXPORTER_OTLP_PROTOCOL: {other:?} is not one of http/protobuf, grpc"
                )));
            }
        }
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            self.otlp_endpoint.clear();
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ConfigError> {
        if !self.metrics_listen.is_empty() && self.metrics_listen.parse::<SocketAddr>().is_err() {
            return Err(ConfigError(format!(
                "telemetry.metrics_listen: {:?} is no address and port, such as 127.0.0.1:9464",
                self.metrics_listen
            )));
        }
        if !self.otlp_endpoint.is_empty() && !self.otlp_endpoint.starts_with("http") {
            return Err(ConfigError(format!(
                "telemetry.otlp_endpoint: {:?} is no URL, such as http://localhost:4318",
                self.otlp_endpoint
            )));
        }
        Ok(())
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
    /// `--store`.
    pub store: Option<StoreKind>,
    /// `--state`.
    pub state: Option<PathBuf>,
}

/// A configuration that cannot be used, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Environment variables that name the default project, as other servers of the field call them.
const ROOT_VARIABLES: [&str; 3] = ["PROJECT_ROOT", "NOVELER_TEST_PROJECT_ROOT", "NOVELER_SAMPLES_ROOT"];

/// The hash of one token that may do everything: enough for a container.
const TOKEN_VARIABLE: &str = "FUMI_TOKEN_SHA256";
/// The principal that it makes.
const TOKEN_NAME: &str = "environment";

/// The least buffer that the HTTP library takes.
const LEAST_HEADER_BYTES: usize = 8_192;
/// A day: beyond it a patience is none, and sums of instants stay far from overflowing.
const LONGEST_WAIT: u64 = 86_400;
/// Files that are open beside connections: those that calls read, watches, the log, the runtime's own.
const FILES_BESIDE_CONNECTIONS: usize = 256;

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
    if let Some(kind) = flags.store {
        config.store.kind = kind;
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
    if let Some(root) = ROOT_VARIABLES
        .iter()
        .find_map(|name| environment(name))
        .filter(|root| !root.is_empty())
    {
        prefer(&mut config.projects.allowed_roots, Path::new(&root))?;
    }
    if let Some(sha256) = environment(TOKEN_VARIABLE).filter(|hash| !hash.is_empty()) {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens.push(Token {
            name: TOKEN_NAME.to_owned(),
            sha256,
            toolsets: Vec::new(),
            roots: Vec::new(),
            readonly: false,
            rate_per_minute: None,
        });
    }
    config.telemetry.read(&environment)?;
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

/// The soft limit of open files, as `/proc/self/limits` shows it.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Config {
    /// Checks what types cannot say.
    pub fn check(&self) -> Result<(), ConfigError> {
        let exposed = !self.server.listen.ip().is_loopback();
        if exposed && !self.server.insecure && self.auth.mode == AuthMode::None {
            return Err(ConfigError(format!(
                "refusing to listen on {} without authentication; listen on 127.0.0.1, make a token with `fumi token new`, or pass --insecure if the network is trusted",
                self.server.listen
            )));
        }
        self.auth.check()?;
        self.telemetry.check()?;
        for root in &self.projects.allowed_roots {
            if !root.is_dir() {
                return Err(ConfigError(format!("the root {} is not a folder", root.display())));
            }
        }
        for (name, root) in &self.projects.named {
            if !root.is_dir() {
                return Err(ConfigError(format!(
                    "projects.named.{name}: {} is not a folder",
                    root.display()
                )));
            }
            if name.is_empty() || name.contains('/') {
                return Err(ConfigError(format!("projects.named: {name:?} cannot be part of a URL")));
            }
        }
        for map in &self.path_map {
            if map.client.is_empty() || !map.server.is_absolute() {
                return Err(ConfigError(format!(
                    "path_map: {:?} -> {}: both paths must be absolute",
                    map.client,
                    map.server.display()
                )));
            }
        }
        for (name, size) in [
            ("limits.reply_rows", self.limits.reply_rows),
            ("limits.reply_tokens", self.limits.reply_tokens),
            ("limits.reply_bytes", self.limits.reply_bytes),
            ("limits.body_bytes", self.limits.body_bytes),
            ("limits.requests", self.limits.requests),
            ("server.max_sessions", self.server.max_sessions),
            ("server.max_connections", self.server.max_connections),
        ] {
            if size == 0 {
                return Err(ConfigError(format!("{name} must be at least 1")));
            }
        }
        for (name, seconds) in [
            ("server.header_seconds", self.server.header_seconds),
            ("server.body_seconds", self.server.body_seconds),
            ("server.keep_alive_seconds", self.server.keep_alive_seconds),
        ] {
            if !(1..=LONGEST_WAIT).contains(&seconds) {
                return Err(ConfigError(format!("{name} must be from 1 to {LONGEST_WAIT}")));
            }
        }
        if self.limits.header_bytes < LEAST_HEADER_BYTES {
            return Err(ConfigError(format!(
                "limits.header_bytes must be at least {LEAST_HEADER_BYTES}"
            )));
        }
        if self.limits.bodies_bytes < self.limits.body_bytes {
            return Err(ConfigError(
                "limits.bodies_bytes must be at least limits.body_bytes: one body must fit".to_owned(),
            ));
        }
        self.queries()?;
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

    /// How many connections may be open. A server without a free file descriptor can serve nobody, so that the limit of
    /// open files counts too: at least half of it is left to connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        let wanted = self.server.max_connections;
        // Not Linux, or not readable: the configured number stands.
        let Some(files) = std::fs::read_to_string("/proc/self/limits")
            .ok()
            .and_then(|limits| open_files(&limits))
        else {
            return wanted;
        };
        let room = files.saturating_sub(FILES_BESIDE_CONNECTIONS).max(files / 2).max(1);
        if room < wanted {
            tracing::warn!(
                connections = room,
                wanted,
                open_files = files,
                "fewer connections than server.max_connections: raise the limit of open files (ulimit -n)"
            );
        }
        wanted.min(room)
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
            places: [analysis, pools.write_total, pools.check, pools.plot, pools.browser],
            per_key: pools.write,
            queue: pools.queue,
            wait: Duration::from_secs(pools.wait_seconds),
        }
    }

    /// The maps between clients' paths and ours.
    #[must_use]
    pub fn path_maps(&self) -> PathMaps {
        PathMaps::new(self.path_map.iter().map(|map| PathMap {
            client: map.client.clone(),
            server: map.server.clone(),
        }))
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

impl Auth {
    fn check(&self) -> Result<(), ConfigError> {
        match self.mode {
            AuthMode::None => Ok(()),
            AuthMode::Tokens => self.check_tokens(),
            AuthMode::OAuth => self.oauth.check(),
        }
    }

    fn check_tokens(&self) -> Result<(), ConfigError> {
        if self.tokens.is_empty() {
            return Err(ConfigError(
                "auth.mode is \"tokens\" but there are none; make one with `fumi token new`".to_owned(),
            ));
        }
        let mut names = BTreeSet::new();
        for token in &self.tokens {
            if token.name.is_empty() || !names.insert(&token.name) {
                return Err(ConfigError(format!(
                    "auth.tokens: the name {:?} is empty or used twice",
                    token.name
                )));
            }
            if token.sha256.len() != 64 || !token.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(ConfigError(format!(
                    "auth.tokens: sha256 of {:?} is not 64 hexadecimal digits; `fumi token new` prints it",
                    token.name
                )));
            }
        }
        Ok(())
    }
}

impl OAuth {
    fn check(&self) -> Result<(), ConfigError> {
        for (name, value) in [("issuer", &self.issuer), ("audience", &self.audience)] {
            if value.is_empty() {
                return Err(ConfigError(format!(
                    "auth.mode is \"oauth\" but auth.oauth.{name} is empty"
                )));
            }
        }
        let url = if self.jwks_uri.is_empty() {
            &self.issuer
        } else {
            &self.jwks_uri
        };
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(ConfigError(format!("auth.oauth: {url} is no URL")));
        }
        if self.algorithms.is_empty() {
            return Err(ConfigError("auth.oauth.algorithms is empty".to_owned()));
        }
        for algorithm in &self.algorithms {
            // Symmetric ones would turn a public key into a shared secret; `none` is no signature.
            if !ALGORITHMS.contains(&algorithm.as_str()) {
                return Err(ConfigError(format!(
                    "auth.oauth.algorithms: {algorithm:?} is not one of {}",
                    ALGORITHMS.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// Signature algorithms that can be configured: those with a public key.
const ALGORITHMS: [&str; 9] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
];

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
        shows(text, "", &sections);
    }

    /// Lists of tables have no default to show: they stand as a comment.
    fn shows(text: &str, above: &str, sections: &toml::Table) {
        for (name, value) in sections {
            let path = if above.is_empty() {
                name.clone()
            } else {
                format!("{above}.{name}")
            };
            let shown = match value {
                toml::Value::Table(keys) => {
                    shows(text, &path, keys);
                    text.contains(&format!("\n[{path}]"))
                }
                toml::Value::Array(items) if items.is_empty() && text.contains(&format!("\n# [[{path}]]")) => true,
                _ => text.contains(&format!("\n{name} = ")),
            };
            assert!(shown, "{path} is not shown");
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
            (
                "[limits]\nheader_bytes = 100",
                "limits.header_bytes must be at least 8192",
            ),
            ("[limits]\nbodies_bytes = 100", "limits.bodies_bytes must be at least"),
            (
                "[server]\nheader_seconds = 0",
                "server.header_seconds must be from 1 to 86400",
            ),
            ("[projects]\nallowed_roots = [\"/no/such\"]", "/no/such is not a folder"),
            ("[log]\nfilter = \"=%\"", "log.filter"),
            ("[auth]\nmode = \"tokens\"", "there are none"),
            (
                "[auth]\nmode = \"tokens\"\n[[auth.tokens]]\nname = \"a\"\nsha256 = \"12\"",
                "64 hexadecimal digits",
            ),
            (
                "[auth]\n[[auth.tokens]]\nname = \"a\"\nsha256 = \"12\"\nreadolny = true",
                "readolny",
            ),
            ("[auth]\nmode = \"oauth\"", "auth.oauth.issuer is empty"),
            (
                "[auth]\nmode = \"oauth\"\n[auth.oauth]\nissuer = \"https://a\"\naudience = \"b\"\nalgorithms = [\"HS256\"]",
                "\"HS256\" is not one of",
            ),
            (
                "[projects.named]\nshop = \"/no/such\"",
                "projects.named.shop: /no/such is not a folder",
            ),
            (
                "[[path_map]]\nclient = \"/a\"\nserver = \"b\"",
                "both paths must be absolute",
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
    fn the_limit_of_open_files_is_the_soft_one() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             95989                95989                processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(super::open_files(limits), Some(1_024));
        assert_eq!(super::open_files(&limits.replace("1024 ", "unlimited ")), None);
    }

    #[test]
    fn state_has_a_usual_place() {
        let folder = |variables: &[(&str, &str)]| {
            super::state_folder(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        for (variables, expected) in [
            (&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")][..], Some("/x/fumi")),
            (&[("HOME", "/h")], Some("/h/.local/state/fumi")),
            (
                &[("XDG_STATE_HOME", "relative"), ("HOME", "/h")],
                Some("/h/.local/state/fumi"),
            ),
            (&[("XDG_STATE_HOME", ""), ("HOME", "")], None),
            (&[], None),
        ] {
            assert_eq!(
                folder(variables),
                expected.map(std::path::PathBuf::from),
                "{variables:?}"
            );
        }
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
