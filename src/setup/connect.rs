//! `fumi connect`: adds this server to the configuration of a client, shows what it would add, or takes it out again.
//!
//! Invariant: nothing of another server, and nothing that a person wrote, is changed. The files themselves are edited in
//! `fumi-connect`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use fumi_base::text::Locale;
use fumi_config::ConfigError;
use fumi_connect::{Change, Client, ConnectError, Folders, Place, Server};

use super::{text, told};

/// The skill that tells a model how to use fumi.
const SKILL: &str = include_str!("skill.md");
/// The client that reads skills, and the folder of this skill below the home folder or the project.
const SKILL_CLIENT: &str = "claude-code";
const SKILL_FOLDER: &str = ".claude/skills/fumi";
const SKILL_FILE: &str = "SKILL.md";

/// The action of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectAction {
    Add,
    /// Show what would be added.
    Print,
    Undo,
}

/// The entry fumi of a client's configuration file, compared with the one that `fumi connect` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    NoFile,
    Missing,
    Current,
    Different,
}

/// Compares the entry fumi of a client's configuration file with a server.
pub fn entry_state(client: &Client, file: &Path, server: &Server<'_>) -> Result<EntryState, ConnectError> {
    let Some(text) = fumi_connect::read_text(file)? else { return Ok(EntryState::NoFile) };
    let in_file = |source| ConnectError::Text { path: file.to_owned(), source };
    Ok(if client.add(&text, server).map_err(in_file)? == text {
        EntryState::Current
    } else if client.remove(&text).map_err(in_file)? == text {
        EntryState::Missing
    } else {
        EntryState::Different
    })
}

/// Returns the known clients with the state of their files, to print.
pub fn list(folders: Folders<'_>, place: Place, server: &Server<'_>, locale: Locale) -> String {
    let mut lines = Vec::new();
    for client in Client::all() {
        let Some(file) = client.file(place, folders) else { continue };
        let state = match entry_state(client, &file, server) {
            Ok(EntryState::NoFile) => text(locale, "listed_no_file", &[]),
            Ok(EntryState::Missing) => text(locale, "listed_none", &[]),
            Ok(EntryState::Current) => text(locale, "listed_current", &[]),
            Ok(EntryState::Different) => text(locale, "listed_different", &[]),
            // It names the file.
            Err(error) => {
                lines.push(format!("{:<16} {}", client.id, told(&error, locale)));
                continue;
            }
        };
        lines.push(format!("{:<16} {}: {state}", client.id, file.display()));
    }
    lines.push(text(locale, "list_help", &[("url", server.url)]));
    lines.join("\n")
}

/// Adds a server to a client's configuration, shows it, or removes it. Returns the text to print.
pub fn run(
    id: &str,
    action: ConnectAction,
    (folders, place): (Folders<'_>, Place),
    server: &Server<'_>,
    locale: Locale,
) -> Result<String, ConfigError> {
    let failed = |error: ConnectError| ConfigError(told(&error, locale));
    let client = Client::find(id).map_err(failed)?;
    check_values(server, locale)?;
    if place == Place::User && folders.home.as_os_str().is_empty() && action != ConnectAction::Print {
        return Err(ConfigError(text(locale, "no_home", &[("client", &client.name)])));
    }
    let file = client
        .file(place, folders)
        .ok_or_else(|| ConfigError(text(locale, "no_project_file", &[("client", &client.name)])))?;
    let path = file.display().to_string();
    let facts = [("client", &*client.name), ("path", &*path)];
    let skill = (client.id == SKILL_CLIENT).then(|| skill_file(folders, place));
    let mut lines = Vec::new();
    match action {
        ConnectAction::Print => {
            lines.push(text(locale, "printed", &facts));
            lines.push(client.snippet(server).trim_end().to_owned());
            if let Some(link) = client.deep_link(server) {
                lines.push(text(locale, "deep_link", &[("link", &link)]));
            }
        }
        ConnectAction::Add => {
            let state = entry_state(client, &file, server).map_err(failed)?;
            // First, because it fails if its folder cannot be written: then nothing is changed.
            let skill = skill.map(|skill| add_skill(&skill, locale)).transpose()?.flatten();
            client.add_to(&file, server).map_err(failed)?;
            let done = match state {
                EntryState::NoFile => "created",
                EntryState::Missing => "connected",
                EntryState::Different => "replaced",
                EntryState::Current => "already_connected",
            };
            lines.push(text(locale, done, &facts));
            lines.extend(skill);
        }
        ConnectAction::Undo => {
            let state = entry_state(client, &file, server).map_err(failed)?;
            if state == EntryState::Different {
                return Err(ConfigError(text(locale, "not_ours", &[("path", &path), ("url", server.url)])));
            }
            let skill = skill.map(|skill| remove_skill(&skill, locale)).transpose()?.flatten();
            if client.remove_from(&file).map_err(failed)? == Change::OnlyOurs {
                // A symbolic link stays, with an empty file at its end.
                let emptied = if file.is_symlink() { fs::write(&file, "") } else { fs::remove_file(&file) };
                emptied.map_err(|error| ConfigError(format!("{path}: {error}")))?;
            }
            let was_there = state == EntryState::Current;
            lines.push(text(locale, if was_there { "disconnected" } else { "not_connected" }, &facts));
            lines.extend(skill);
        }
    }
    Ok(lines.join("\n"))
}

/// Refuses a URL or a token for a client that starts fumi itself.
///
/// # Errors
/// If the client is such a one, or unknown.
pub fn check_takes_url(id: &str, locale: Locale) -> Result<(), ConfigError> {
    let client = Client::find(id).map_err(|error| ConfigError(told(&error, locale)))?;
    if client.takes_url() {
        return Ok(());
    }
    Err(ConfigError(text(locale, "takes_no_url", &[("client", &client.name)])))
}

/// Checks what is written into files that clients read as a URL and the name of a variable.
fn check_values(server: &Server<'_>, locale: Locale) -> Result<(), ConfigError> {
    let is_url = server.url.parse::<http::Uri>().is_ok_and(|url| {
        matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some_and(|host| !host.is_empty())
    });
    if !is_url {
        return Err(ConfigError(text(locale, "bad_url", &[("url", &format!("{:?}", server.url))])));
    }
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
    };
    match server.token_variable {
        Some(name) if !is_name(name) => Err(ConfigError(text(locale, "bad_variable", &[]))),
        _ => Ok(()),
    }
}

fn skill_file(folders: Folders<'_>, place: Place) -> PathBuf {
    let base = if place == Place::User { folders.home } else { folders.project };
    base.join(SKILL_FOLDER).join(SKILL_FILE)
}

/// Writes the skill, unless a person has changed it. Returns the line to print, if anything is to be said.
fn add_skill(file: &Path, locale: Locale) -> Result<Option<String>, ConfigError> {
    let path = file.display().to_string();
    let failed = |error: io::Error| ConfigError(format!("{path}: {error}"));
    match read_skill(file)? {
        Some(text) if text == SKILL => return Ok(None),
        Some(_) => return Ok(Some(text(locale, "skill_kept", &[("path", &path)]))),
        None => {}
    }
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(failed)?;
    fs::write(file, SKILL).map_err(failed)?;
    Ok(Some(text(locale, "skill_added", &[("path", &path)])))
}

fn read_skill(file: &Path) -> Result<Option<String>, ConfigError> {
    fumi_connect::read_text(file).map_err(|error| ConfigError(error.to_string()))
}

/// Removes the skill and its folder, unless a person has changed it.
fn remove_skill(file: &Path, locale: Locale) -> Result<Option<String>, ConfigError> {
    let path = file.display().to_string();
    let failed = |error: io::Error| ConfigError(format!("{path}: {error}"));
    match read_skill(file)? {
        Some(text) if text == SKILL => {}
        Some(_) => return Ok(Some(text(locale, "skill_kept", &[("path", &path)]))),
        None => return Ok(None),
    }
    fs::remove_file(file).map_err(failed)?;
    // A folder with other files stays.
    let _ = fs::remove_dir(file.parent().unwrap_or(file));
    Ok(Some(text(locale, "skill_removed", &[("path", &path)])))
}
