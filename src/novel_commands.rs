//! `fumi novel new` and `fumi novel install-commands`: commands that a person runs outside any server.
//!
//! Invariant: existing files are not overwritten unless requested, and a refused command has written nothing. A new
//! novel is created completely or not at all; after a crash the same command completes it. The text to print is
//! returned. Paths are the user's choice, and no client can call these commands.

use std::{fs, io, path::Path, sync::Arc};

use fumi_base::{
    atomic_write::replace,
    files::read as read_bytes,
    project::{Project, ProjectPath},
};
use fumi_config::ConfigError;
use fumi_novel::{
    change_set::{self, FileChange},
    project::ProjectNames,
    scaffold::{NovelTemplateValues, files, is_line},
};

/// The slash command, as the repository publishes it.
const COMMAND: &str = include_str!("../deploy/claude/commands/noveler.md");

/// The file name of the slash command.
const COMMAND_FILE: &str = "noveler.md";

/// The maximum size of an existing slash command that is compared, in bytes.
const COMMAND_BYTES: u64 = 1 << 20;

/// The action for an existing slash command that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfChanged {
    /// Leave the file and report an error.
    Keep,
    Replace,
}

/// Creates a new novel in a folder that is empty or missing. Returns the next steps, to print.
pub fn new(folder: &Path, wishes: &NovelTemplateValues, names: &ProjectNames) -> Result<String, ConfigError> {
    let given = [Some(&wishes.title), wishes.author.as_ref(), wishes.genre.as_ref()];
    if let Some(bad) = given.into_iter().flatten().find(|text| !is_line(text)) {
        return Err(ConfigError(format!("{bad:?} is not a valid title, author or genre: use one line of text")));
    }
    let shown = folder.display();
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) if !is_interrupted(folder) => {
            return Err(ConfigError(format!("{shown} is not empty: name a folder that is empty or does not exist")));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder).map_err(|error| ConfigError(format!("cannot create {shown}: {error}")))?;
        }
        Err(error) => return Err(ConfigError(format!("cannot use {shown}: {error}"))),
    }
    let project = open(folder)?;
    let made = files(wishes, names);
    change_set::finish(&project).map_err(|error| ConfigError(format!("cannot use {shown}: {error}")))?;
    // The interrupted call may have been another one, in an existing novel.
    let mut changes = Vec::with_capacity(made.len());
    for file in &made {
        match project.resolve(&file.path) {
            Ok(there) if read(&there)? == file.text.as_bytes() => {}
            Ok(_) => {
                return Err(ConfigError(format!(
                    "{shown} already has {}: name a folder that is empty or does not exist",
                    file.path
                )));
            }
            Err(_) => changes.push(FileChange::write(&*file.path, &*file.text).if_still(None)),
        }
    }
    change_set::apply(&project, None, changes)
        .map_err(|error| ConfigError(format!("cannot write to {shown}: {error}")))?;
    let root = project.root().display();
    let title = wishes.title.trim();
    Ok(format!(
        "{root}: {title} ({} files)\n\
         \n\
         Next: serve it, and call status, then noveler_write with {{\"episode\": 1}}.\n\
         次の手順: 下のコマンドで起動し、status、続けて noveler_write（{{\"episode\": 1}}）を呼び出してください。\n\
         \n\
         \x20 fumi serve --root '{root}'\n\
         \x20 fumi call --root '{root}' status\n\
         \x20 fumi novel install-commands",
        made.len()
    ))
}

/// True if a crash interrupted this command in a folder: the folder contains a note of pending changes, or only the
/// state folder with files prepared for one.
fn is_interrupted(folder: &Path) -> bool {
    let is_only = |folder: &Path, is_ours: &dyn Fn(&str) -> bool| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten();
        names.map(|entry| entry.file_name()).all(|name| name.to_str().is_some_and(is_ours))
    };
    let state = Path::new(change_set::FOLDER).parent().unwrap_or(folder);
    let is_left = Project::open(folder).is_ok_and(|project| change_set::is_interrupted(&project));
    is_left
        || is_only(folder, &|name| Path::new(name) == state)
            && is_only(&folder.join(state), &|name| {
                Path::new(change_set::FOLDER).ends_with(name) || name.starts_with('.')
            })
}

/// Writes the slash command into `.claude/commands` below a folder. Returns a message to print.
pub fn install(below: &Path, changed: IfChanged) -> Result<String, ConfigError> {
    let folder = below.join(".claude/commands");
    let shown = folder.join(COMMAND_FILE);
    let shown = shown.display();
    fs::create_dir_all(&folder).map_err(|error| ConfigError(format!("cannot create {}: {error}", folder.display())))?;
    // Opened as a project of its own: a user who links to these folders from elsewhere wants the command there.
    let commands = open(&folder)?;
    let there = match commands.resolve(COMMAND_FILE) {
        Ok(file) => Some(read(&file)?),
        Err(_) => None,
    };
    match there {
        Some(there) if there == COMMAND.as_bytes() => return Ok(format!("{shown} is already up to date")),
        Some(_) if changed == IfChanged::Keep => {
            return Err(ConfigError(format!("{shown} exists and differs: --force replaces it")));
        }
        _ => {}
    }
    replace(&commands, COMMAND_FILE, COMMAND.as_bytes())
        .map_err(|error| ConfigError(format!("cannot write {shown}: {error}")))?;
    Ok(format!("{shown}\n\n  /noveler status"))
}

fn open(folder: &Path) -> Result<Arc<Project>, ConfigError> {
    Project::open(folder).map_err(|error| ConfigError(format!("cannot open {}: {error}", folder.display())))
}

fn read(file: &ProjectPath) -> Result<Vec<u8>, ConfigError> {
    read_bytes(file, COMMAND_BYTES)
        .map_err(|error| ConfigError(format!("cannot read {}: {error}", file.shown_absolute())))
}
