//! The whole novel as one book: every finished episode, in order, as soon as there are two.
//!
//! Its record is written after it and names the episodes that are in it. An episode that became a draft again is left out the
//! next time; the book that is there stays as it is until then.

use std::sync::Arc;

use fumi_base::{files, project::Project};
use serde::{Deserialize, Serialize};

use super::{Encode, NO_AUTHOR, RECORD_BYTES, Record, finished, formats::modified, heading_of, manuscript_of};
use crate::{
    errors::completion::CompletionError,
    manuscript::Manuscript,
    project::{Episode, MANUSCRIPT_BYTES, NovelProject, Survey, read_yaml},
    publish::{
        Work,
        epub::{self, Chapter},
    },
    references::ContentHash,
    together::Change,
    writing::Moment,
};

/// The book.
pub const BOOK: &str = ".noveler/publish/book.epub";

/// What it is made of.
pub const BOOK_RECORD: &str = ".noveler/publish/book.json";

/// The most text that is bound into one book: some five million characters.
const BYTES: usize = 16 << 20;

/// A book that was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// The form of the file.
    pub version: u32,
    /// The title of the novel.
    pub title: String,
    /// As printed.
    pub author: String,
    /// When it was made.
    pub created_at: Moment,
    /// Relative to the project.
    pub path: String,
    /// Of its bytes.
    pub sha256: String,
    /// Their number.
    pub size_bytes: u64,
    /// What is in it.
    pub episodes: Vec<BoundEpisode>,
}

/// An episode of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundEpisode {
    /// Its number.
    pub episode: u32,
    /// As the table of contents has it.
    pub heading: String,
    /// Of its manuscript.
    pub sha256: String,
}

/// Binds the finished episodes; `None` where there are not two of them, or where they are too long for one book. `done` is finished
/// by the same changes.
pub fn bind(
    novel: &NovelProject,
    done: Option<&Record>,
    now: &Moment,
    encode: Encode<Bound>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<(Bound, Vec<Change>)>, CompletionError> {
    let survey = novel.survey()?;
    let project = novel.project();
    let chapters = chapters(project, &survey, done, is_stopped)?;
    let length: usize = chapters.iter().map(|(_, manuscript)| manuscript.source().len()).sum();
    if chapters.len() < 2 || length > BYTES {
        return Ok(None);
    }
    let work = Work {
        title: survey.settings.title.clone().unwrap_or_else(|| name_of(project)),
        author: survey.settings.author.clone().unwrap_or_else(|| NO_AUTHOR.to_owned()),
    };
    // What nobody changed keeps its time, as an episode does.
    let before = record_of(project).filter(|before| {
        let episodes = chapters.iter().map(|(episode, _)| episode);
        before.title == work.title && before.author == work.author && before.episodes.iter().eq(episodes)
    });
    let time = before.map_or_else(|| now.clone(), |before| before.created_at);
    let book = epub::write(&epub::Book {
        work: &work,
        modified: modified(&time),
        chapters: chapters
            .iter()
            .map(|(episode, manuscript)| Chapter {
                title: episode.heading.clone(),
                manuscript,
            })
            .collect(),
    });
    if is_stopped() {
        return Err(CompletionError::Cancelled);
    }
    let bound = Bound {
        version: 1,
        title: work.title,
        author: work.author,
        created_at: time,
        path: BOOK.to_owned(),
        sha256: files::sha256(&book.output),
        size_bytes: book.output.len() as u64,
        episodes: chapters.into_iter().map(|(episode, _)| episode).collect(),
    };
    let changes = vec![
        Change::write(BOOK, book.output),
        Change::write(BOOK_RECORD, encode(&bound)),
    ];
    Ok(Some((bound, changes)))
}

/// What the book that is there says of itself.
fn record_of(project: &Arc<Project>) -> Option<Bound> {
    let file = project.resolve(BOOK_RECORD).ok()?;
    let text = files::read(&file, RECORD_BYTES).ok()?;
    read_yaml(BOOK_RECORD, &String::from_utf8_lossy(&text)).ok()?
}

fn name_of(project: &Project) -> String {
    let name = project.root().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The finished episodes. One whose record or manuscript cannot be read is not finished.
fn chapters(
    project: &Arc<Project>,
    survey: &Survey,
    done: Option<&Record>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<(BoundEpisode, Manuscript)>, CompletionError> {
    let mut chapters = Vec::new();
    let mut length = 0;
    for (episode, of_episode) in &survey.episodes {
        if is_stopped() {
            return Err(CompletionError::Cancelled);
        }
        let record = match done.filter(|done| done.episode == episode.number()) {
            Some(done) => done.clone(),
            None => match finished(project, *episode, of_episode) {
                Ok(Some(record)) => record,
                _ => continue,
            },
        };
        let [file] = of_episode.manuscripts.as_slice() else {
            continue;
        };
        let bytes = files::read(file, MANUSCRIPT_BYTES)?;
        // What was changed since it was found finished is a draft.
        if ContentHash::of(&bytes).digits() != record.manuscript.sha256 {
            continue;
        }
        length += bytes.len();
        let Ok(manuscript) = manuscript_of(*episode, file, &bytes) else {
            continue;
        };
        let heading = heading_of(&manuscript).unwrap_or(record.heading);
        chapters.push((of(*episode, heading, record.manuscript.sha256), manuscript));
        if length > BYTES {
            break;
        }
    }
    Ok(chapters)
}

fn of(episode: Episode, heading: String, sha256: String) -> BoundEpisode {
    BoundEpisode {
        episode: episode.number(),
        heading,
        sha256,
    }
}
