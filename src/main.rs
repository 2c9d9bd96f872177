//! The command line. Its output is a contract: results and the ready line on standard output, everything else on
//! standard error; exit 0 for success, 1 for a tool error, 2 for all other errors, such as invalid arguments or an
//! unusable configuration.

mod command_line;
mod progress_bar;
mod terminal;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::{Command, CommandFactory as _, Parser as _};
use clap_complete::Shell;
use command_line::{Cli, CliCommand, Common, Connect, DEFAULT_URL, NovelCommand, PARSER_COMMAND, Serve, TokenCommand};
use fumi::{
    app::App,
    http, mcp,
    novel_commands::{self, IfChanged},
    setup::{
        SetUpPlace,
        connect::{self, ConnectAction},
        doctor,
    },
    state::{self, State},
    telemetry::{self, export::Exporters},
};
use fumi_base::{errors::UserError as _, pools::Pool, redact::Redactor, text::Locale};
use fumi_code::{
    parser_pool::{ParserPool, ParserProgram},
    parser_process,
};
use fumi_config::{Config, ConfigError, Flags};
use fumi_connect::Place;
use fumi_kernel::{Access, CallProgress, Caller, conversation::CallRunner};
use fumi_novel::scaffold::NovelTemplateValues;
use progress_bar::{LogOutput, show_call, show_index};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_appender::non_blocking::NonBlockingBuilder;

/// The allocator, which returns memory of a large call to the system soon after it; see Cargo.toml.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return exit_with_error(&first_paragraph(&error.to_string())),
        // --help and --version.
        Err(error) => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
    };
    let done = match cli.command.unwrap_or(CliCommand::Serve(cli.serve)) {
        CliCommand::Serve(flags) => serve(flags),
        CliCommand::Stdio(common) => stdio(common),
        CliCommand::Call { tool, arguments, json, common } => call(&tool, &arguments, json, common),
        CliCommand::Tools { json, common } => tools(json, common),
        CliCommand::Token { command: TokenCommand::New { name } } => new_token(&name),
        CliCommand::Connect(options) => connect(options),
        CliCommand::Doctor(flags) => examine(flags),
        CliCommand::Openapi { common } => openapi(common),
        CliCommand::Novel { command } => novel(command),
        CliCommand::ParserProcess => parser_process::serve()
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| ConfigError(format!("the parser process ended: {error}"))),
        CliCommand::CheckConfig { file } => check_config(file),
        CliCommand::Completions { shell } => completions(shell),
        CliCommand::Man { folder } => manual(folder.as_deref()),
    };
    done.unwrap_or_else(|error| exit_with_error(&error.to_string()))
}

/// Prints an error on one line and returns exit code 2.
fn exit_with_error(message: &str) -> ExitCode {
    eprintln!("fumi: {}", message.trim_start_matches("error: "));
    ExitCode::from(2)
}

/// Prints one line on standard output. A reader that closed the pipe (`fumi tools | head`) is not an error.
fn say(line: &str) -> Result<(), ConfigError> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(ConfigError(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns clap's message without its tips, on one line, such as the missing argument or the possible values.
fn first_paragraph(message: &str) -> String {
    let lines = message.lines().take_while(|line| !line.trim().is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

fn config(common: Common, mut flags: Flags) -> Result<Config, ConfigError> {
    flags.roots = common.roots;
    flags.toolsets = common.toolsets;
    flags.log = common.log;
    fumi_config::load(common.config.as_deref(), flags, environment)
}

/// Builds the parts of a process that serves only its own user: it logs, but exports no telemetry.
fn app(mut config: Config) -> Result<Arc<App>, ConfigError> {
    config.telemetry.otlp_endpoint.clear();
    telemetry::start(&config.log, None, || LogOutput);
    App::build_with_state(State::in_memory(), config, parsers()?, secrets())
}

/// Creates the pool of parser processes, which run this same program: on Linux even after its file was replaced.
fn parsers() -> Result<ParserPool, ConfigError> {
    let path = if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe()
            .map_err(|error| ConfigError(format!("the path of this program cannot be determined: {error}")))?
    };
    Ok(ParserPool::new(ParserProgram { path, arguments: vec![PARSER_COMMAND.to_owned()] }))
}

/// Returns the secrets to remove from all replies.
fn secrets() -> Vec<String> {
    let environment =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Redactor::secrets_of(environment).collect()
}

/// The time that work on other threads gets to end after shutdown. Some of it cannot be interrupted.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Raises the limit of open files to the maximum: the usual soft limit of 1,024 is for programs that use `select`.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    // Best effort: the old limit still applies.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// The maximum number of threads for blocking work. The pools limit their own work to far less; this limits all other
/// work, to stay under the process limit of containers.
const BLOCKING_THREADS: usize = 128;

fn runtime() -> Result<tokio::runtime::Runtime, ConfigError> {
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(|error| ConfigError(format!("cannot start threads: {error}")))?;
    let inside = runtime.enter();
    // Caught, a write beyond the limit of file sizes is an error (EFBIG) and does not end the process.
    let _ = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    drop(inside);
    Ok(runtime)
}

/// The number of lines of the log that may wait until standard error takes them. Further ones are dropped: a terminal that is
/// paused, or a log driver that hangs, must not stop the server.
const LOG_LINES: usize = 10_000;

fn serve(flags: Serve) -> Result<ExitCode, ConfigError> {
    let (common, own) = flags.split()?;
    let file = common.config.clone();
    let read = move || config(common.clone(), own.clone());
    let config = read()?;
    let runtime = runtime()?;
    // The exporters need a runtime context.
    let inside = runtime.enter();
    let exporters = Exporters::open(&config.telemetry).map_err(|error| ConfigError(format!("telemetry: {error}")))?;
    // The thread of the log ends last, and writes what is left.
    let (log, _log_writer) = NonBlockingBuilder::default().buffered_lines_limit(LOG_LINES).finish(LogOutput);
    let unwritten = log.error_counter();
    telemetry::start(&config.log, exporters.as_ref(), move || log.clone());
    let state = runtime.block_on(state::open(&config.store, environment))?;
    let app = App::build_with_state(state, config, parsers()?, secrets())?;
    let about = "Lines of the log that were dropped because standard error was not read";
    app.kernel
        .metrics
        .register_counter(("fumi.log.dropped", "{line}"), about, move || unwritten.dropped_lines() as u64);
    drop(inside);
    let own = Arc::clone(&app);
    let served = runtime.block_on(async {
        fumi_tools::novel::finish_interrupted(&app.kernel.roots, &app.kernel.writers).await;
        let bound = http::router::bind(app).await?;
        let unknown = |error: std::io::Error| ConfigError(error.to_string());
        let address = bound.address().map_err(unknown)?;
        let metrics = bound.metrics_address().map_err(unknown)?;
        tokio::spawn(http::reload::at_hangup(bound.edge().clone(), read));
        log_start(&bound.edge().app.config, file.as_deref(), address, metrics);
        warn_of_missing_browser(&bound.edge().app);
        // Registered first: a reader of the line may send a signal at once.
        let stop = http::shutdown::requested();
        // A server without standard output serves too.
        let _ = say(&format!("fumi listening on http://{address}/mcp"));
        if terminal::is_terminal() {
            tokio::spawn(show_index(terminal::language(environment), index_counts(Arc::clone(&own))));
        }
        bound.serve(Box::pin(stop)).await.map_err(|error| ConfigError(error.to_string()))
    });
    own.metrics.shutdown();
    if let Some(exporters) = exporters {
        exporters.shutdown();
    }
    let pools = &own.kernel.pools;
    let running: usize = Pool::ALL.iter().map(|pool| pools.load(*pool).running).sum();
    if running > 0 {
        tracing::warn!(running, "calls are still running; not waiting for them");
    }
    drop(own);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a function that counts the files in the indexes, and those that are to be read.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts, which are not negative")]
fn index_counts(app: Arc<App>) -> impl Fn() -> (u64, u64) {
    move || (app.metrics.gauge("fumi_index_files") as u64, app.metrics.gauge("fumi_index_unread") as u64)
}

/// Logs the facts that an operator looks for first.
fn log_start(config: &Config, file: Option<&Path>, address: SocketAddr, metrics: SocketAddr) {
    let shown = |paths: &[PathBuf]| {
        let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        paths.join(", ")
    };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        roots = shown(&config.projects.allowed_roots),
        auth = config.auth.mode.name(),
        config = file.map_or_else(|| "none".to_owned(), |file| file.display().to_string()),
        listen = %address,
        metrics = format!("{metrics}/metrics"),
        "fumi starts"
    );
}

/// Warns if Chromium is missing. The browser tools are listed nevertheless: their errors explain how to install
/// Chromium, and no restart is needed afterwards.
fn warn_of_missing_browser(app: &App) {
    if app.scope.contains(fumi_tools::browser::TOOLSET)
        && let Some(missing) = app.browser.missing_chromium()
    {
        let lesson = missing.error_message();
        tracing::warn!("{} {}", lesson.message.en, lesson.next.en);
    }
}

fn stdio(common: Common) -> Result<ExitCode, ConfigError> {
    let app = app(config(common, Flags::default())?)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        fumi_tools::novel::finish_interrupted(&app.kernel.roots, &app.kernel.writers).await;
        mcp::stdio::serve(app).await
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served.map_err(ConfigError)?;
    Ok(ExitCode::SUCCESS)
}

fn call(tool: &str, arguments: &str, as_json: bool, common: Common) -> Result<ExitCode, ConfigError> {
    let arguments: Value = serde_json::from_str(arguments).map_err(|error| {
        ConfigError(format!("the arguments are not JSON: {error}; write an object, such as '{{\"roots\": [\".\"]}}'"))
    })?;
    let Value::Object(arguments) = arguments else {
        return Err(ConfigError("the arguments must be a JSON object, such as {\"roots\": [\".\"]}".to_owned()));
    };
    let is_for_a_person = !as_json && terminal::is_terminal();
    let mut config = config(common, Flags::default())?;
    if is_for_a_person && config.log.filter == Config::default().log.filter {
        // A refused call is a line of the log too, which would stand before the same error.
        "warn".clone_into(&mut config.log.filter);
    }
    let app = app(config)?;
    let Some(entry) = app.catalogue.find(&app.scope, tool) else {
        let problem = app.catalogue.unknown_tool(&Access::full(app.scope.clone()), tool).en;
        return Err(ConfigError(format!("{problem}; `fumi tools` lists all")));
    };
    let caller = Caller {
        access: Arc::new(Access::full(app.scope.clone())),
        locale: caller_language(&app.config),
        ..Caller::default()
    };
    let progress = CallProgress::default();
    let talk = CallRunner {
        kernel: &app.kernel,
        catalogue: &app.catalogue,
        caller: &caller,
        project: app.kernel.roots.default_project(),
        cancel: &CancellationToken::new(),
        progress: &progress,
    };
    let call = talk.call(entry, arguments, |question| app.provider_for(question));
    let reply = runtime()?.block_on(async {
        let reply = if is_for_a_person { show_call(&progress, caller.locale, call).await } else { call.await };
        app.browser.shut_down().await;
        reply
    });
    if is_for_a_person {
        terminal::print_reply(&reply);
    } else {
        say(&reply.structured.to_string())?;
    }
    Ok(if reply.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the language of a call from the command line: the configured one, else that of the person's locale, also if
/// another program reads the output.
fn caller_language(config: &Config) -> Locale {
    let is_configured = environment("FUMI__TOOLS__LANGUAGE").is_some_and(|value| !value.is_empty());
    let configured = config.tools.language;
    if is_configured || configured != Locale::default() { configured } else { terminal::language(environment) }
}

/// Checks a configuration by building all parts of a server, without listening.
fn check_config(file: PathBuf) -> Result<ExitCode, ConfigError> {
    let common = Common { config: Some(file), ..Common::default() };
    let app = app(config(common, Flags::default())?)?;
    http::auth::Authenticator::open(&app.config.auth, &app)?;
    say("ok")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a completion script. The generator of clap would also complete hidden commands.
fn completions(shell: Shell) -> Result<ExitCode, ConfigError> {
    let all = Cli::command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set());
    let mut command = Command::new("fumi")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments().cloned())
        .subcommands(shown.cloned());
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "fumi", &mut script);
    say(String::from_utf8_lossy(&script).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes that of every command into a folder.
fn manual(folder: Option<&Path>) -> Result<ExitCode, ConfigError> {
    let command = Cli::command().disable_help_subcommand(true);
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map_err(|error| ConfigError(format!("cannot write manual pages to {}: {error}", folder.display())))?;
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).expect("memory can be written to");
        say(String::from_utf8_lossy(&page).trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn openapi(common: Common) -> Result<ExitCode, ConfigError> {
    let app = app(config(common, Flags::default())?)?;
    say(&format!("{:#}", http::openapi::document(&app.catalogue, &app.scope)))?;
    Ok(ExitCode::SUCCESS)
}

fn novel(command: NovelCommand) -> Result<ExitCode, ConfigError> {
    let done = match command {
        NovelCommand::New { dir, title, author, genre, preset, config: file } => {
            let common = Common { config: file, ..Common::default() };
            let names = config(common, Flags::default())?.novel.names;
            let wishes = NovelTemplateValues { title, author, genre, preset };
            novel_commands::new(&dir, &wishes, &names)?
        }
        NovelCommand::InstallCommands { dir, force } => {
            let home = || std::env::var_os("HOME").map(PathBuf::from);
            let below =
                dir.or_else(home).ok_or_else(|| ConfigError("HOME is not set: name a folder with --dir".to_owned()))?;
            let changed = if force { IfChanged::Replace } else { IfChanged::Keep };
            novel_commands::install(&below, changed)?
        }
    };
    say(&done)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what keeps a server with these options from working. Exit code 1 if there is a fault.
fn examine(flags: Serve) -> Result<ExitCode, ConfigError> {
    let (common, own) = flags.split()?;
    let (file, locale) = (common.config.clone(), terminal::language(environment));
    let findings = match config(common, own) {
        Ok(config) => {
            let place = SetUpPlace::new(None, environment, locale)?;
            let url = format!("http://{}/mcp", config.server.listen);
            let clients = (place.folders(), place.server(&url, None));
            runtime()?.block_on(doctor::examine(&config, file.as_deref(), clients, locale))
        }
        Err(error) => vec![doctor::unusable(&error, locale)],
    };
    terminal::print_findings(&findings);
    let has_fault = findings.iter().any(|finding| finding.next.is_some());
    Ok(if has_fault { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Adds this server to the configuration of a client, or lists the clients.
fn connect(options: Connect) -> Result<ExitCode, ConfigError> {
    let scope = if options.project.is_some() { Place::Project } else { Place::User };
    let action = match (options.print, options.undo) {
        (true, _) => ConnectAction::Print,
        (_, true) => ConnectAction::Undo,
        _ => ConnectAction::Add,
    };
    let locale = terminal::language(environment);
    let place = SetUpPlace::new(options.project, environment, locale)?;
    let url = options.url.as_deref();
    let server = place.server(url.unwrap_or(DEFAULT_URL), options.token_variable.as_deref());
    if let Some(client) = options.client.as_deref().filter(|_| url.is_some() || server.token_variable.is_some()) {
        connect::check_takes_url(client, locale)?;
    }
    say(&match &options.client {
        None => connect::list(place.folders(), scope, &server, locale),
        Some(client) => connect::run(client, action, (place.folders(), scope), &server, locale)?,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a new token for a client, and its entry for the configuration.
fn new_token(name: &str) -> Result<ExitCode, ConfigError> {
    let (token, sha256) = http::auth::tokens::generate()
        .map_err(|error| ConfigError(format!("the system provides no randomness: {error}")))?;
    let name = Value::from(name);
    say(&format!("{token}\n\n[[auth.tokens]]\nname = {name}\nsha256 = \"{sha256}\""))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a variable of the environment, if it is set and valid text.
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn tools(as_json: bool, common: Common) -> Result<ExitCode, ConfigError> {
    let app = app(config(common, Flags::default())?)?;
    if as_json || !terminal::is_terminal() {
        say(&fumi_tools::published(&app.catalogue, &app.scope).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let (access, locale) = (Access::full(app.scope.clone()), terminal::language(environment));
    let listed = app.catalogue.list(&access).map(|entry| terminal::ListedTool {
        toolset: entry.spec.toolset,
        name: entry.spec.name,
        summary: &entry.published(locale).summary,
    });
    terminal::print_tools(listed);
    Ok(ExitCode::SUCCESS)
}
