//! The input of a check: an episode's manuscript with the context of its novel, read once.

use fumi_base::encoding::{Decoded, EncodingChoice};
use fumi_base::{encoding, files};

use super::ReviewSubject;
use crate::{
    checks::{AnalysedDraft, NovelContext, Tuning},
    errors::reviewing::ReviewError,
    manuscript::{ManuscriptOptions, ManuscriptPart},
    project::{EpisodeId, NovelProject},
    references::ContentHash,
};

/// The largest manuscript that is checked, in characters: about a hundred times an episode.
const CHARACTERS: usize = 200_000;

/// A manuscript with the context for checking it.
#[derive(Debug)]
pub struct CheckedManuscript {
    pub draft: AnalysedDraft,
    /// The data of the novel around the episode.
    pub context: NovelContext,
    /// The project's changes to the checks.
    pub tuning: Tuning,
    /// The description of the manuscript for the review.
    pub subject: ReviewSubject,
    /// The encoding of the file.
    pub encoding: String,
    /// The errors of files of earlier readings that are left out.
    pub faults: Vec<ReviewError>,
    /// True if some bytes could not be decoded: the text is checked but never written back.
    pub is_damaged: bool,
}

/// Reads the manuscript of an episode, or a given text in its place.
pub fn read_manuscript(
    novel: &NovelProject,
    episode: EpisodeId,
    given: Option<&str>,
    tuning: &Tuning,
) -> Result<CheckedManuscript, ReviewError> {
    let (path, bytes) = if let Some(text) = given {
        (String::new(), text.as_bytes().to_vec())
    } else {
        let file = novel.manuscript(episode)?;
        let bytes = files::read(&file, crate::project::MANUSCRIPT_BYTES)?;
        (file.shown(), bytes)
    };
    let Decoded { text, encoding, bom, damaged } = encoding::decode(&bytes, EncodingChoice::Auto);
    // The byte order mark is a character of the file that a rule may remove.
    let text = if bom { format!("\u{feff}{text}") } else { text };
    let characters = text.chars().count();
    if characters > CHARACTERS {
        return Err(ReviewError::ManuscriptTooLong { path, characters, limit: CHARACTERS });
    }
    let context = NovelContext::of_project(novel, episode)?;
    let tuning = tuning.clone().overlaid_with(&context.tuning()?);
    let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
    let subject = ReviewSubject {
        episode: episode.number(),
        manuscript: path,
        sha256: ContentHash::from_bytes(&bytes).digits().to_owned(),
        characters: draft.manuscript.count(ManuscriptPart::Body).characters,
    };
    Ok(CheckedManuscript { faults: Vec::new(), encoding, is_damaged: damaged, draft, context, tuning, subject })
}
