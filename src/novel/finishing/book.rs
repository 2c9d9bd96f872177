//! The whole novel as one EPUB: every finished episode, in order, as soon as two episodes are finished.
//!
//! The record is written with the book and lists its episodes. An episode that became a draft again is left out of the
//! next book; the existing book stays unchanged until then.

use std::sync::Arc;

use fumi_base::{errors::unless_unreadable, files, project::Project};
use serde::{Deserialize, Serialize};

use super::{
    Encode, NO_AUTHOR, PublishRecord, RECORD_BYTES, book_details::book_details, chapters::Chapters, finished,
    formats::epub_time, heading_of, manuscript_of,
};
use crate::{
    change_set::FileChange,
    errors::completion::CompletionError,
    manuscript::{Manuscript, PaperLines},
    project::{MANUSCRIPT_BYTES, NovelProject, NovelSurvey, read_if_readable, read_yaml},
    publish::{
        WorkTitle,
        epub::{self, EpubEpisode, WrittenBook},
    },
    references::ContentHash,
    writing::UtcTime,
};

/// The path of the book, relative to the project root.
pub const BOOK: &str = ".noveler/publish/book.epub";

/// The path of the record that lists the book's episodes, relative to the project root.
pub const BOOK_RECORD: &str = ".noveler/publish/book.json";

/// The largest total size of the manuscripts in one book, in bytes: about five million characters.
const BYTES: usize = 16 << 20;

/// The record of a book that was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BookRecord {
    /// The version of the record's file format.
    pub version: u32,
    pub title: String,
    /// The author's name as printed.
    pub author: String,
    /// The time at which the book was built; an unchanged book keeps its old time.
    pub created_at: UtcTime,
    /// The path of the book, relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the book's bytes.
    pub sha256: String,
    pub size_bytes: u64,
    /// The number of sheets of manuscript paper (原稿用紙) of all episodes together, by lines; 0 in records of earlier
    /// versions of fumi.
    #[serde(default)]
    pub manuscript_pages: usize,
    /// The episodes in the book, in order.
    pub episodes: Vec<BoundEpisode>,
}

/// An episode contained in a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundEpisode {
    pub episode: u32,
    /// The heading as shown in the table of contents.
    pub heading: String,
    /// The SHA-256 hash of the episode's manuscript.
    pub sha256: String,
}

/// Builds the book of all finished episodes. Returns `None` if fewer than two episodes are finished or if they are too
/// long for one book. `done` is the record of an episode that the same set of changes finishes.
pub fn build_book(
    novel: &NovelProject,
    done: Option<&PublishRecord>,
    now: &UtcTime,
    encode: Encode<BookRecord>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<(BookRecord, Vec<FileChange>)>, CompletionError> {
    let survey = novel.survey()?;
    let project = novel.project();
    let episodes = finished_episodes(project, &survey, done, is_stopped)?;
    let length: usize = episodes.iter().map(|episode| episode.manuscript.source().len()).sum();
    if episodes.len() < 2 || length > BYTES {
        return Ok(None);
    }
    let work = WorkTitle {
        title: survey.settings.title.clone().unwrap_or_else(|| name_of(project)),
        author: survey.settings.author.clone().unwrap_or_else(|| NO_AUTHOR.to_owned()),
    };
    let written = |time: &UtcTime| -> Result<WrittenBook, CompletionError> {
        Ok(epub::write(&epub::EpubBook {
            work: &work,
            details: &book_details(novel, &survey, time)?,
            modified: epub_time(time),
            episodes: episodes.iter().map(BookEpisode::bound).collect(),
        }))
    };
    // An unchanged book keeps its time, as an unchanged episode does. With other episodes it cannot be unchanged.
    let bound_before = record_of(project)?
        .filter(|before| before.episodes.iter().eq(episodes.iter().map(|episode| &episode.recorded)));
    let unchanged = match bound_before {
        Some(before) => {
            let book = written(&before.created_at)?;
            (files::sha256(&book.output) == before.sha256).then_some((book, before.created_at))
        }
        None => None,
    };
    let (book, time) = match unchanged {
        Some(unchanged) => unchanged,
        None => (written(now)?, now.clone()),
    };
    if is_stopped() {
        return Err(CompletionError::Cancelled);
    }
    let bound = BookRecord {
        version: 1,
        title: work.title,
        author: work.author,
        created_at: time,
        path: BOOK.to_owned(),
        sha256: files::sha256(&book.output),
        size_bytes: book.output.len() as u64,
        manuscript_pages: PaperLines(episodes.iter().map(|episode| episode.manuscript.paper_lines().0).sum()).sheets(),
        episodes: episodes.into_iter().map(|episode| episode.recorded).collect(),
    };
    let changes = vec![FileChange::write(BOOK, book.output), FileChange::write(BOOK_RECORD, encode(&bound))];
    Ok(Some((bound, changes)))
}

/// Returns the record of the existing book; `None` if it is missing or broken.
fn record_of(project: &Arc<Project>) -> Result<Option<BookRecord>, CompletionError> {
    let text = read_if_readable(project, BOOK_RECORD, RECORD_BYTES)?;
    Ok(text.and_then(|text| read_yaml(BOOK_RECORD, &String::from_utf8_lossy(&text)).ok()?))
}

fn name_of(project: &Project) -> String {
    let name = project.root().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A finished episode as it is bound into the book.
struct BookEpisode {
    recorded: BoundEpisode,
    /// The heading of the chapter that contains the episode.
    chapter: Option<String>,
    manuscript: Manuscript,
}

impl BookEpisode {
    fn bound(&self) -> EpubEpisode<'_> {
        EpubEpisode {
            title: self.recorded.heading.clone(),
            chapter: self.chapter.clone(),
            manuscript: &self.manuscript,
        }
    }
}

/// Returns the finished episodes. An episode whose record is broken or may not be read counts as unfinished.
fn finished_episodes(
    project: &Arc<Project>,
    survey: &NovelSurvey,
    done: Option<&PublishRecord>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<BookEpisode>, CompletionError> {
    let mut bound = Vec::new();
    let mut length = 0;
    let chapters = Chapters::read(survey)?;
    for (episode, of_episode) in &survey.episodes {
        if is_stopped() {
            return Err(CompletionError::Cancelled);
        }
        let record = match done.filter(|done| done.episode == episode.number()) {
            Some(done) => done.clone(),
            None => match unless_unreadable(finished(project, *episode, of_episode))?.flatten() {
                Some(record) => record,
                None => continue,
            },
        };
        let [file] = of_episode.manuscripts.as_slice() else {
            continue;
        };
        let bytes = files::read(file, MANUSCRIPT_BYTES)?;
        // A manuscript that changed since it was found finished is a draft.
        if ContentHash::from_bytes(&bytes).digits() != record.manuscript.sha256 {
            continue;
        }
        length += bytes.len();
        let Ok((manuscript, _)) = manuscript_of(survey, *episode, file, &bytes) else {
            continue;
        };
        let heading = heading_of(&manuscript).unwrap_or(record.heading);
        bound.push(BookEpisode {
            recorded: BoundEpisode { episode: episode.number(), heading, sha256: record.manuscript.sha256 },
            chapter: chapters.heading_of(episode.number(), of_episode)?,
            manuscript,
        });
        if length > BYTES {
            break;
        }
    }
    Ok(bound)
}
