//! What a check looks at: an episode's manuscript, read once, with what its novel says.

use fumi_base::files::{self, Decoded, EncodingChoice};

use super::Subject;
use crate::{
    checks::{Context, Draft, Tuning},
    errors::reviewing::ReviewError,
    manuscript::{Part, Reading},
    project::{Episode, NovelProject},
    references::ContentHash,
};

/// The largest manuscript that is checked, in characters: some hundred times an episode.
const CHARACTERS: usize = 200_000;

/// A manuscript and what surrounds it.
#[derive(Clone, Debug)]
pub struct Looked {
    /// The text, read.
    pub draft: Draft,
    /// What the novel says.
    pub context: Context,
    /// What is changed about the checks.
    pub tuning: Tuning,
    /// What it is.
    pub subject: Subject,
    /// The encoding of the file.
    pub encoding: String,
    /// Whether bytes had no meaning in it: such a text is checked, and never written back.
    pub is_damaged: bool,
}

/// Reads the manuscript of an episode, or a text in its place.
pub fn manuscript(
    novel: &NovelProject,
    episode: Episode,
    given: Option<&str>,
    tuning: &Tuning,
) -> Result<Looked, ReviewError> {
    let (path, bytes) = if let Some(text) = given {
        (String::new(), text.as_bytes().to_vec())
    } else {
        let file = novel.manuscript(episode)?;
        let bytes = files::read(&file, crate::project::MANUSCRIPT_BYTES)?;
        (file.shown(), bytes)
    };
    let Decoded {
        text,
        encoding,
        bom,
        damaged,
    } = files::decode(&bytes, EncodingChoice::Auto);
    // The mark is a character of the file that a rule may mend.
    let text = if bom { format!("\u{feff}{text}") } else { text };
    let characters = text.chars().count();
    if characters > CHARACTERS {
        return Err(ReviewError::TooLong {
            path,
            characters,
            limit: CHARACTERS,
        });
    }
    let context = Context::of_project(novel, episode)?;
    let tuning = tuning.clone().over(&context.tuning()?);
    let draft = Draft::read(text, Reading::default());
    let subject = Subject {
        episode: episode.number(),
        manuscript: path,
        sha256: ContentHash::of(&bytes).digits().to_owned(),
        characters: draft.manuscript.count(Part::Body).characters,
    };
    Ok(Looked {
        encoding,
        is_damaged: damaged,
        draft,
        context,
        tuning,
        subject,
    })
}
