//! An episode as the checks of a novel read it.

use fumi_base::{
    encoding::{self, EncodingChoice},
    files,
};

use crate::{
    checks::CheckMaterial,
    errors::{project::ProjectError, reviewing::ReviewError},
    project::{EpisodeFiles, EpisodeId, MANUSCRIPT_BYTES},
    references::ContentHash,
};

/// The largest manuscript that is checked, in characters: as for the check of one episode.
const CHARACTERS: usize = 200_000;

/// An analysed episode.
pub(super) struct BookEpisode<'m, 'a> {
    pub number: u32,
    /// The SHA-256 hash of the file, in hexadecimal digits.
    pub sha256: String,
    pub material: &'m CheckMaterial<'a>,
}

/// The text of an episode.
pub(super) struct EpisodeText {
    pub text: String,
    pub sha256: String,
}

/// Reads the manuscript of an episode.
pub(super) fn read_text(episode: EpisodeId, files: &EpisodeFiles) -> Result<EpisodeText, ReviewError> {
    let Some(file) = files.manuscripts.first() else {
        return Err(ProjectError::ManuscriptNotFound { episode, known: Vec::new() }.into());
    };
    let bytes = files::read(file, MANUSCRIPT_BYTES).map_err(ProjectError::from)?;
    let text = encoding::decode(&bytes, EncodingChoice::Auto).text;
    let characters = text.chars().count();
    if characters > CHARACTERS {
        return Err(ReviewError::ManuscriptTooLong { path: file.shown(), characters, limit: CHARACTERS });
    }
    Ok(EpisodeText { text, sha256: ContentHash::from_bytes(&bytes).digits().to_owned() })
}
