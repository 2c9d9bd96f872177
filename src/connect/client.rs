//! The known clients, from `clients.toml`: where their files are, and what fumi's entry in them looks like.

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    SERVER_NAME,
    edit::repeat,
    error::{ConnectError, TextError},
    file::{self, Change},
    json, toml_text,
};

/// The characters that `encodeURIComponent` escapes.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| {
    let file: ClientsFile = toml::from_str(include_str!("clients.toml")).expect("a test reads it");
    file.client
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientsFile {
    client: Vec<Client>,
}

/// An MCP client of `clients.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// The name on the command line.
    pub id: String,
    /// The name to show.
    pub name: String,
    format: Format,
    user: String,
    user_override: Option<UserOverride>,
    project: Option<String>,
    table: Vec<String>,
    entry: String,
    token: Option<String>,
    #[serde(default)]
    contradicts: Vec<String>,
    command: Option<String>,
    deep_link: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Json,
    Toml,
}

/// An environment variable that moves the user's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UserOverride {
    variable: String,
    file: String,
}

/// The scope of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    User,
    Project,
}

/// The operating system whose paths apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Platform {
    /// Returns the platform of this program.
    pub fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(target_os = "windows") {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// The folders from which the paths of configuration files are derived.
#[derive(Clone, Copy)]
pub struct Folders<'a> {
    pub platform: Platform,
    pub home: &'a Path,
    pub project: &'a Path,
    /// Returns the value of an environment variable.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
}

impl Folders<'_> {
    /// Returns the folder that an environment variable names; relative paths are ignored.
    fn variable(&self, name: &str) -> Option<PathBuf> {
        (self.environment)(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
    }

    /// Returns the folder of the settings of programs.
    fn config(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.variable("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config")),
            Platform::MacOs => self.home.join("Library").join("Application Support"),
            Platform::Windows => self.variable("APPDATA").unwrap_or_else(|| self.home.join("AppData").join("Roaming")),
        }
    }
}

/// The server to which a client shall connect.
#[derive(Clone, Copy, Debug)]
pub struct Server<'a> {
    pub url: &'a str,
    /// The environment variable in which the client finds its token.
    pub token_variable: Option<&'a str>,
    /// The absolute path of fumi's program, for clients that start it.
    pub program: &'a str,
    /// The absolute path of the folder that fumi serves, for clients that start it.
    pub root: &'a str,
}

impl Client {
    /// Returns all known clients.
    pub fn all() -> &'static [Self] {
        &CLIENTS
    }

    /// Returns the client with this id.
    pub fn find(id: &str) -> Result<&'static Self, ConnectError> {
        CLIENTS.iter().find(|client| client.id == id).ok_or_else(|| ConnectError::UnknownClient {
            id: id.to_owned(),
            known: CLIENTS.iter().map(|client| client.id.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Returns the path of the configuration file, or `None` if the client has no file for a project.
    pub fn file(&self, place: Place, folders: Folders) -> Option<PathBuf> {
        if place == Place::Project {
            return self.project.as_ref().map(|file| folders.project.join(file));
        }
        let moved = self.user_override.as_ref();
        if let Some((folder, moved)) = moved.and_then(|moved| Some((folders.variable(&moved.variable)?, moved))) {
            return Some(folder.join(&moved.file));
        }
        Some(match self.user.strip_prefix("{config}/") {
            Some(file) => folders.config().join(file),
            None => folders.home.join(self.user.trim_start_matches("~/")),
        })
    }

    /// True if the client reaches a server by its URL; false if it starts fumi itself.
    pub fn takes_url(&self) -> bool {
        !self.entry.contains("{program}")
    }

    /// Returns the text of a configuration file that contains only fumi's entry.
    #[expect(clippy::missing_panics_doc, reason = "an empty text has no errors")]
    pub fn snippet(&self, server: &Server) -> String {
        self.add("", server).expect("an empty text has no errors")
    }

    /// Returns the command of the client itself that adds fumi, if it has one.
    pub fn command(&self, server: &Server) -> Option<String> {
        self.command.as_ref().map(|command| command.replace("{url}", server.url))
    }

    /// Returns the link that asks the client to add fumi, if the client supports one.
    pub fn deep_link(&self, server: &Server) -> Option<String> {
        let template = self.deep_link.as_ref()?;
        let entry = self.entry(server);
        let mut named = Map::new();
        named.insert("name".to_owned(), SERVER_NAME.into());
        named.extend(entry.clone());
        let escaped = |text: &str| utf8_percent_encode(text, COMPONENT).to_string();
        Some(
            template
                .replace("{base64}", &escaped(&STANDARD.encode(Value::Object(entry).to_string())))
                .replace("{json}", &escaped(&Value::Object(named).to_string())),
        )
    }

    /// Returns the text of a configuration file with fumi's entry, which is inserted or updated.
    pub fn add(&self, text: &str, server: &Server) -> Result<String, TextError> {
        let entry = self.entry(server);
        repeat(text, |text| match self.format {
            Format::Json => json::next_addition(text, &self.table, &entry, &self.contradicts),
            Format::Toml => toml_text::next_addition(text, &self.table, &entry, &self.contradicts),
        })
    }

    /// Returns the text of a configuration file without fumi's entry. An empty text means that nothing else is left.
    pub fn remove(&self, text: &str) -> Result<String, TextError> {
        repeat(text, |text| match self.format {
            Format::Json => json::removal(text, &self.table),
            Format::Toml => toml_text::removal(text, &self.table),
        })
    }

    /// Adds or updates fumi's entry in a file, which is created if it is missing.
    pub fn add_to(&self, path: &Path, server: &Server) -> Result<Change, ConnectError> {
        file::change(path, |text| self.add(text, server))
    }

    /// Removes fumi's entry from a file. A file that would be left empty is not written: the caller deletes it.
    pub fn remove_from(&self, path: &Path) -> Result<Change, ConnectError> {
        file::change(path, |text| self.remove(text))
    }

    fn entry(&self, server: &Server) -> Map<String, Value> {
        let mut entry = template(&self.entry, server);
        if server.token_variable.is_some() {
            entry.extend(self.token.iter().flat_map(|token| template(token, server)));
        }
        entry
    }
}

/// Parses a template and fills the placeholders in its strings.
fn template(text: &str, server: &Server) -> Map<String, Value> {
    let mut values: Map<String, Value> = serde_json::from_str(text).expect("a test reads it");
    values.values_mut().for_each(|value| fill(value, server));
    values
}

fn fill(value: &mut Value, server: &Server) {
    match value {
        Value::String(text) => {
            for (placeholder, replacement) in [
                ("{url}", server.url),
                ("{token_variable}", server.token_variable.unwrap_or_default()),
                ("{program}", server.program),
                ("{root}", server.root),
            ] {
                // Only one placeholder is in each text, so a replacement is never searched for others.
                if text.contains(placeholder) {
                    *text = text.replace(placeholder, replacement);
                    break;
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, server)),
        Value::Object(values) => values.values_mut().for_each(|value| fill(value, server)),
        _ => {}
    }
}
