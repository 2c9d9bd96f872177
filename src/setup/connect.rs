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

use super::text;

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

/// What a client's configuration file says about fumi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    NoFile,
    Missing,
    Current,
    Different,
}

/// Reads what a client's configuration file says about a server.
pub fn entry_state(client: &Client, file: &Path, server: &Server<'_>) -> Result<EntryState, ConnectError> {
    let bytes = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(EntryState::NoFile),
        Err(source) => return Err(ConnectError::Io { path: file.to_owned(), source }),
    };
    let in_file = |source| ConnectError::Text { path: file.to_owned(), source };
    Ok(if client.add(&bytes, server).map_err(in_file)? == bytes {
        EntryState::Current
    } else if client.remove(&bytes).map_err(in_file)? == bytes {
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
            Err(error) => error.to_string(),
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
    let failed = |error: ConnectError| ConfigError(error.to_string());
    let client = Client::find(id).map_err(failed)?;
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
            let change = client.add_to(&file, server).map_err(failed)?;
            let is_new = change != Change::Unchanged;
            lines.push(text(locale, if is_new { "connected" } else { "already_connected" }, &facts));
            lines.extend(skill.map(|skill| add_skill(&skill, locale)).transpose()?.flatten());
        }
        ConnectAction::Undo => {
            let change = client.remove_from(&file).map_err(failed)?;
            if change == Change::OnlyOurs {
                fs::remove_file(&file).map_err(|error| ConfigError(format!("{path}: {error}")))?;
            }
            let was_there = change != Change::Unchanged;
            lines.push(text(locale, if was_there { "disconnected" } else { "not_connected" }, &facts));
            lines.extend(skill.map(|skill| remove_skill(&skill, locale)).transpose()?.flatten());
        }
    }
    Ok(lines.join("\n"))
}

fn skill_file(folders: Folders<'_>, place: Place) -> PathBuf {
    let base = if place == Place::User { folders.home } else { folders.project };
    base.join(SKILL_FOLDER).join(SKILL_FILE)
}

/// Writes the skill, unless a person has changed it. Returns the line to print, if anything is to be said.
fn add_skill(file: &Path, locale: Locale) -> Result<Option<String>, ConfigError> {
    let path = file.display().to_string();
    let failed = |error: io::Error| ConfigError(format!("{path}: {error}"));
    match fs::read_to_string(file) {
        Ok(text) if text == SKILL => return Ok(None),
        Ok(_) => return Ok(Some(text(locale, "skill_kept", &[("path", &path)]))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(failed)?;
    fs::write(file, SKILL).map_err(failed)?;
    Ok(Some(text(locale, "skill_added", &[("path", &path)])))
}

/// Removes the skill and its folder, unless a person has changed it.
fn remove_skill(file: &Path, locale: Locale) -> Result<Option<String>, ConfigError> {
    let path = file.display().to_string();
    let failed = |error: io::Error| ConfigError(format!("{path}: {error}"));
    match fs::read_to_string(file) {
        Ok(text) if text == SKILL => {}
        Ok(_) => return Ok(Some(text(locale, "skill_kept", &[("path", &path)]))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    fs::remove_file(file).map_err(failed)?;
    // A folder with other files stays.
    let _ = fs::remove_dir(file.parent().unwrap_or(file));
    Ok(Some(text(locale, "skill_removed", &[("path", &path)])))
}
