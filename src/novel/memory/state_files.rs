//! The files of states: `.noveler/states/00003.yaml`.

use std::sync::Arc;

use fumi_base::{files, listing::list, project::Project};

use super::EpisodeState;
use crate::{
    errors::project::ProjectError,
    project::{EpisodeId, read_yaml},
};

const FOLDER: &str = ".noveler/states";

/// The maximum number of states that are read.
const STATES: usize = 5_000;

/// The largest file that is read, in bytes.
const BYTES: u64 = 1 << 20;

/// Returns the path of the state of an episode, relative to the project root.
pub fn state_path(episode: EpisodeId) -> String {
    format!("{FOLDER}/{:05}.yaml", episode.number())
}

/// Returns all states in the order of the episodes. Fails if a file is not a state; an author may have edited it.
pub fn states(project: &Arc<Project>) -> Result<Vec<EpisodeState>, ProjectError> {
    let Some(folder) = project.find(FOLDER)? else {
        return Ok(Vec::new());
    };
    let (listed, _) = list(&folder, STATES)?;
    let mut states = Vec::new();
    for file in listed.iter().filter(|file| file.name.ends_with(".yaml")) {
        let text = String::from_utf8_lossy(&files::read(&file.path, BYTES)?).into_owned();
        states.extend(read_yaml::<Option<EpisodeState>>(&file.path.shown(), &text)?);
    }
    states.sort_by_key(|state| state.episode);
    Ok(states)
}

/// Returns the states of the episodes before one.
pub fn earlier_states(project: &Arc<Project>, episode: EpisodeId) -> Result<Vec<EpisodeState>, ProjectError> {
    let mut states = states(project)?;
    states.retain(|state| state.episode < episode.number());
    Ok(states)
}
