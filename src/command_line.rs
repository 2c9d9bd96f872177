//! The commands and options of the command line, with their help texts. [`crate`] runs them.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use fumi_config::{ConfigError, Flags, LogFormat, StoreFlag};
use fumi_novel::project::StylePreset;

/// The command of a parser process.
pub(crate) const PARSER_COMMAND: &str = "parser-process";

/// Token-efficient tools over text for AI clients, served through MCP.
#[derive(Debug, Parser)]
#[command(name = "fumi", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
    #[command(flatten)]
    pub(crate) serve: Serve,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Serve MCP over HTTP (the default).
    Serve(Serve),
    /// Serve one MCP client over standard input and output.
    Stdio(Common),
    /// Run one tool once and print its result: as text on a terminal, as JSON into a pipe.
    Call {
        /// The tool's name.
        tool: String,
        /// Its arguments, as a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
        /// Print JSON on a terminal too.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        common: Common,
    },
    /// List the tools: as text on a terminal, as JSON with all their data into a pipe.
    Tools {
        /// Print JSON on a terminal too.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Create a token for the clients of a server with token authentication.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Check what a server with these options needs, and name what mends each fault.
    Doctor(Serve),
    /// Add this server to the configuration of a client, and for Claude Code a skill; without a client, list the clients.
    Connect(Connect),
    /// Print the `OpenAPI` document of the JSON routes (/v1).
    Openapi {
        #[command(flatten)]
        common: Common,
    },
    /// Create novels, and install the slash command for clients.
    Novel {
        #[command(subcommand)]
        command: NovelCommand,
    },
    /// Parse files for a server; started by fumi itself.
    #[command(name = PARSER_COMMAND, hide = true)]
    ParserProcess,
    /// Check a configuration file.
    CheckConfig {
        /// The path of the configuration file.
        file: PathBuf,
    },
    /// Print the completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder.
    Man {
        /// The folder; it is created if it does not exist.
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token. It is printed once and stored nowhere.
    New {
        /// The name of the client in logs.
        #[arg(long, default_value = "client")]
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum NovelCommand {
    /// Create a small, complete novel project in an empty folder.
    New {
        /// The folder; it is created if it does not exist.
        dir: PathBuf,
        /// The title of the novel.
        #[arg(long)]
        title: String,
        /// The author, as printed.
        #[arg(long)]
        author: Option<String>,
        /// The genre.
        #[arg(long)]
        genre: Option<String>,
        /// The publisher or site whose conventions the novel follows.
        #[arg(long, value_name = "bunko|narou|kakuyomu|custom", default_value = "bunko", value_parser = preset)]
        preset: StylePreset,
        /// The configuration file, which may set other names for files and folders.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Install the slash command /noveler in ~/.claude/commands.
    InstallCommands {
        /// Install it in DIR/.claude/commands instead.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Replace an existing command file that was changed.
        #[arg(long)]
        force: bool,
    },
}

fn preset(name: &str) -> Result<StylePreset, String> {
    let known = StylePreset::ALL.into_iter().find(|preset| preset.name() == name);
    known.ok_or_else(|| "use bunko, narou, kakuyomu or custom".to_owned())
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Common {
    /// A folder that may be a project; the first is the default. Repeat for more.
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Toolsets, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) toolsets: Option<Vec<String>>,
    /// The format of log lines.
    #[arg(long, value_enum)]
    pub(crate) log: Option<LogFormat>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) common: Common,
    /// The address to listen on, 127.0.0.1:8640 by default; port 0 picks a free port.
    #[arg(long, value_name = "ADDR:PORT", value_parser = parse_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// The folder for sessions and other state.
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// The store for this state: fs, memory, or a server such as <redis://127.0.0.1:6379/0>.
    #[arg(long, value_name = "KIND|URL")]
    pub(crate) store: Option<String>,
    /// Listen beyond loopback without authentication.
    #[arg(long)]
    pub(crate) insecure: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The client, such as claude-code.
    pub(crate) client: Option<String>,
    /// The URL at which the client reaches the server, <http://127.0.0.1:8640/mcp> by default.
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The environment variable in which the client finds its token.
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) token_variable: Option<String>,
    /// Use the client's file for the project in this folder, not the user's file.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    pub(crate) project: Option<PathBuf>,
    /// Print what would be added, and write nothing.
    #[arg(long, requires = "client", conflicts_with = "undo")]
    pub(crate) print: bool,
    /// Take fumi out of the configuration again.
    #[arg(long, requires = "client")]
    pub(crate) undo: bool,
}

/// The URL of a server with the default configuration.
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:8640/mcp";

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "it must be an IP address and a port, such as 127.0.0.1:8640 or [::1]:8640".to_owned())
}

impl Serve {
    /// Returns the options of all commands, and those of a server.
    pub(crate) fn split(self) -> Result<(Common, Flags), ConfigError> {
        let own = Flags {
            listen: self.listen,
            insecure: self.insecure,
            store: self.store.as_deref().map(StoreFlag::parse).transpose()?,
            state: self.state,
            ..Flags::default()
        };
        Ok((self.common, own))
    }
}
