//! The files of states: `.noveler/states/00003.yaml`.

use std::sync::Arc;

use fumi_base::{
    errors::UserError as _,
    files,
    listing::list,
    project::{Project, ProjectPath},
};

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

/// The states of a novel.
#[derive(Debug, Default)]
pub struct EpisodeStates {
    /// In the order of the episodes.
    pub states: Vec<EpisodeState>,
    /// The errors of files that are not states; an author may have edited them.
    pub faults: Vec<ProjectError>,
}

/// Returns the states up to an episode. A system failure is an error: the file may be sound.
pub fn states_until(project: &Arc<Project>, episode: EpisodeId) -> Result<EpisodeStates, ProjectError> {
    let mut read = EpisodeStates::default();
    let Some(folder) = project.find(FOLDER)? else {
        return Ok(read);
    };
    let (listed, _) = list(&folder, STATES)?;
    for file in listed {
        let number = file.name.strip_suffix(".yaml").and_then(|stem| stem.parse::<u32>().ok());
        if number.is_none_or(|number| number > episode.number()) {
            continue;
        }
        match read_state(&file.path) {
            Ok(Some(state)) if Some(state.episode) != number => read.faults.push(ProjectError::StateOfAnotherEpisode {
                path: file.path.shown(),
                says: state.episode,
                number: number.unwrap_or_default(),
            }),
            Ok(state) => read.states.extend(state),
            Err(error) if error.is_system_failure() => return Err(error),
            Err(error) => read.faults.push(error),
        }
    }
    Ok(read)
}

fn read_state(file: &ProjectPath) -> Result<Option<EpisodeState>, ProjectError> {
    let text = String::from_utf8_lossy(&files::read(file, BYTES)?).into_owned();
    read_yaml::<Option<EpisodeState>>(&file.shown(), &text)
}
