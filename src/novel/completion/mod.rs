//! An episode is finished: its manuscript in every format that is published, with a record of what was made of what.
//!
//! Invariant: the record and what it names change together, or nothing does. An episode is finished as
//! long as its manuscript is the one of its record, byte for byte: whoever changes it has a draft again, without anybody keeping
//! a list. Nothing is ever posted.

mod book;
mod formats;
mod posting;
mod record;

use std::sync::Arc;

use fumi_base::{
    files::{self, EncodingChoice},
    listing::{ListedKind, list},
    project::{PathError, Project, ProjectPath},
    text::Text,
};

pub use book::{BOOK, BOOK_RECORD, Bound, BoundEpisode, bind};
pub use formats::Format;
pub use posting::{Post, Site};
pub use record::{Artifact, Lost, NOT_EVALUATED, Publication, Quality, Record, Source, State};

use crate::{
    errors::{completion::CompletionError, project::ProjectError},
    manuscript::{Counts, Manuscript, Part, Reading},
    project::{Episode, EpisodeFiles, MANUSCRIPT_BYTES, NovelProject, Plot, Settings, read_yaml},
    publish::Work,
    references::ContentHash,
    reviewing,
    together::Change,
    writing::{Moment, Route, Sessions},
};

/// Where everything that is published lies.
pub const FOLDER: &str = ".noveler/publish";

/// The record of an episode, in its folder.
pub const RECORD: &str = "metadata.json";

/// The largest record that is read.
const RECORD_BYTES: u64 = 4 << 20;

/// How many names of an episode's folder are looked at.
const NAMES: usize = 1_000;

/// How many characters of the story are shown of a finished episode.
const PREVIEW: usize = 200;

/// Makes a record into the bytes of its file, in the form that the caller wants.
pub type Encode<T> = fn(&T) -> Vec<u8>;

/// What is wanted beside the formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The formats.
    #[default]
    Formats,
    /// Also a sheet for each site, in the order of its form.
    WithPosts,
}

/// A finished episode.
#[derive(Debug)]
pub struct Completed {
    /// What its file says.
    pub record: Record,
    /// Where that file is.
    pub path: String,
    /// What the episode calls itself, such as 第一話　雨.
    pub heading: String,
    /// The beginning of the story.
    pub preview: String,
    /// What to do at each site; empty unless it was wanted.
    pub posts: Vec<Post>,
    /// What its author should know.
    pub remarks: Vec<Text>,
}

/// The folder of an episode.
fn folder_of(episode: Episode) -> String {
    format!("{FOLDER}/episode_{:03}", episode.number())
}

/// Finishes an episode: every format of its manuscript and the record, as changes that belong together.
pub fn complete(
    novel: &NovelProject,
    episode: Episode,
    extent: Extent,
    now: &Moment,
    encode: Encode<Record>,
) -> Result<(Completed, Vec<Change>), CompletionError> {
    let story = Story::read(novel, episode)?;
    let project = novel.project();
    let folder = folder_of(episode);
    let before = record_of(project, episode).ok().flatten();
    let posts = match extent {
        Extent::Formats => Vec::new(),
        Extent::WithPosts => posting::posts(&story, &folder),
    };
    // The time is in the book: what nobody changed keeps it, so that a call that is repeated makes the same files.
    let unchanged = before
        .as_ref()
        .map(|before| (formats::of(&story, &before.created_at), before))
        .filter(|(made, before)| made.iter().all(|file| file.is_in(before)));
    let (mut made, time) = match unchanged {
        Some((made, before)) => (made, before.created_at.clone()),
        None => (formats::of(&story, now), now.clone()),
    };
    made.extend(posts.iter().map(Post::made));
    let mut record = story.record(&time, before.as_ref());
    let mut changes = Vec::new();
    for file in made {
        let path = format!("{folder}/{}", file.format.file());
        record.artifacts.push(file.artifact(path.clone()));
        changes.push(Change::write(path, file.bytes));
    }
    changes.extend(old_files(project, &folder, &record)?.into_iter().map(Change::remove));
    let path = format!("{folder}/{RECORD}");
    changes.push(Change::write(&*path, encode(&record)));
    let done = Completed {
        record,
        path,
        preview: story.preview(),
        heading: story.heading(),
        posts,
        remarks: story.remarks,
    };
    Ok((done, changes))
}

/// The record of an episode, if it is finished: with the manuscript that is there now.
pub fn finished(
    project: &Arc<Project>,
    episode: Episode,
    files: &EpisodeFiles,
) -> Result<Option<Record>, ProjectError> {
    let [manuscript] = files.manuscripts.as_slice() else {
        return Ok(None);
    };
    let Some(record) = record_of(project, episode)?.filter(|record| record.status == State::Completed) else {
        return Ok(None);
    };
    let bytes = files::read(manuscript, MANUSCRIPT_BYTES)?;
    let is_same = ContentHash::of(&bytes).digits() == record.manuscript.sha256;
    Ok(is_same.then_some(record))
}

/// What the record of an episode says.
fn record_of(project: &Arc<Project>, episode: Episode) -> Result<Option<Record>, ProjectError> {
    let path = format!("{}/{RECORD}", folder_of(episode));
    let file = match project.resolve(&path) {
        Ok(file) => file,
        Err(PathError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = String::from_utf8_lossy(&files::read(&file, RECORD_BYTES)?).into_owned();
    // JSON is YAML.
    let record: Option<Record> = read_yaml(&path, &text)?;
    // A folder that was copied by hand is not the record of the episode that it is named after.
    Ok(record.filter(|record| record.episode == episode.number()))
}

/// The files of an earlier run that this one did not make. What others put beside them is none of them.
fn old_files(project: &Arc<Project>, folder: &str, record: &Record) -> Result<Vec<String>, CompletionError> {
    let folder = match project.resolve(folder) {
        Ok(folder) => folder,
        Err(PathError::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let (listed, _) = list(&folder, NAMES)?;
    let files = listed.into_iter().filter(|entry| entry.kind == ListedKind::File);
    let ours = files.filter(|entry| Format::ALL.iter().any(|format| format.file() == entry.name));
    let paths = ours.map(|entry| entry.path.shown());
    let is_made = |path: &String| record.artifacts.iter().any(|artifact| artifact.path == *path);
    Ok(paths.filter(|path| !is_made(path)).collect())
}

/// A manuscript with everything that is said of it elsewhere.
struct Story {
    project: Arc<Project>,
    episode: Episode,
    path: String,
    bytes: Vec<u8>,
    manuscript: Manuscript,
    settings: Settings,
    plot: Plot,
    /// From the names of files.
    title: Option<String>,
    project_name: String,
    remarks: Vec<Text>,
}

impl Story {
    fn read(novel: &NovelProject, episode: Episode) -> Result<Self, CompletionError> {
        let survey = novel.survey()?;
        survey.is_a_novel(novel.names())?;
        let file = novel.manuscript(episode)?;
        let bytes = files::read(&file, MANUSCRIPT_BYTES)?;
        let manuscript = manuscript_of(episode, &file, &bytes)?;
        let mut remarks = Vec::new();
        let plot = match novel.plot(episode) {
            Ok(plot) => plot,
            Err(ProjectError::NoPlot { .. }) => Plot::default(),
            // What is broken there costs the tags and the summary, not the episode.
            Err(error) => {
                remarks.push(fumi_base::errors::Teach::lesson(&error).message);
                Plot::default()
            }
        };
        if survey.settings.author.is_none() {
            remarks.push(Text::new(
                format!("{} names no author; the files say {NO_AUTHOR}.", novel.names().settings),
                format!(
                    "{} に author がないため、作者名は「{NO_AUTHOR}」としました。",
                    novel.names().settings
                ),
            ));
        }
        remarks.extend(manuscript.issues().iter().take(REMARKS).map(|issue| {
            let at = manuscript.position(issue.range.start);
            let said = issue.kind.message();
            Text::new(
                format!("{}:{}:{}: {}", file.shown(), at.line, at.column, said.en),
                format!("{}:{}:{}: {}", file.shown(), at.line, at.column, said.ja),
            )
        }));
        // Whoever goes on with it changes the manuscript again.
        if let Ok(Some(open)) = Sessions::of(Arc::clone(novel.project())).open(episode, Route::Whole) {
            let id = open.session.id();
            remarks.push(Text::new(
                format!("Writing session {id} of this episode is not finished."),
                format!("この話の執筆セッション {id} がまだ終わっていません。"),
            ));
        }
        let root = novel.project().root().file_name().map(|name| name.to_string_lossy());
        Ok(Self {
            title: survey.files(episode)?.title.clone(),
            project_name: root.unwrap_or_default().into_owned(),
            settings: survey.settings,
            path: file.shown(),
            project: Arc::clone(novel.project()),
            episode,
            bytes,
            manuscript,
            plot,
            remarks,
        })
    }

    /// The title of the novel; without one in the settings, the name of its folder.
    fn novel(&self) -> &str {
        self.settings.title.as_deref().unwrap_or(&self.project_name)
    }

    fn author(&self) -> &str {
        self.settings.author.as_deref().unwrap_or(NO_AUTHOR)
    }

    /// The title of the episode alone.
    fn title(&self) -> Option<&str> {
        self.plot.episode_info.title.as_deref().or(self.title.as_deref())
    }

    /// What the episode calls itself: its own heading, else number and title.
    fn heading(&self) -> String {
        heading_of(&self.manuscript).unwrap_or_else(|| match self.title() {
            Some(title) => format!("第{}話　{title}", self.episode.number()),
            None => format!("第{}話", self.episode.number()),
        })
    }

    /// The episode as a work of its own.
    fn work(&self) -> Work {
        Work {
            title: format!("{}　{}", self.novel(), self.heading()),
            author: self.author().to_owned(),
        }
    }

    fn record(&self, now: &Moment, before: Option<&Record>) -> Record {
        let counts: Counts = self.manuscript.count(Part::Body);
        let sha256 = ContentHash::of(&self.bytes).digits().to_owned();
        // A judgement is of one text.
        let judged = before.filter(|before| before.manuscript.sha256 == sha256);
        Record {
            version: record::VERSION,
            status: State::Completed,
            publication_status: Publication::Prepared,
            episode: self.episode.number(),
            title: self.novel().to_owned(),
            episode_title: self.title().unwrap_or_default().to_owned(),
            heading: self.heading(),
            author: self.author().to_owned(),
            genre: self.settings.genre.clone(),
            chapter_number: self.plot.episode_info.chapter_number,
            tags: record::tags(&self.settings, &self.plot),
            summary: self.plot.synopsis.as_deref().map(record::unfolded),
            created_at: now.clone(),
            quality: self
                .reviewed(&sha256)
                .or_else(|| judged.map(|before| before.quality.clone()))
                .unwrap_or_default(),
            manuscript: Source {
                path: self.path.clone(),
                size_bytes: self.bytes.len() as u64,
                characters: counts.characters,
                characters_with_spaces: counts.with_spaces,
                sha256,
            },
            artifacts: Vec::new(),
        }
    }

    /// What the newest whole review said of this very text.
    fn reviewed(&self, sha256: &str) -> Option<Quality> {
        let mut scores = reviewing::scores(&self.project).ok()?;
        scores.retain(|score| score.episode == self.episode && score.is_of(sha256));
        let newest = scores.pop()?;
        Some(Quality {
            method: newest.method,
            overall_score: Some(newest.score),
        })
    }

    /// The beginning of the story, on one line.
    fn preview(&self) -> String {
        let lines = self.manuscript.lines().iter().filter(|line| line.part == Part::Body);
        let words = lines.map(|line| self.manuscript.visible_in(&line.content).trim());
        let mut shown: String = words.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = shown.char_indices().nth(PREVIEW - 1) {
            shown.truncate(end);
            shown.push('…');
        }
        shown
    }
}

/// Who wrote what nobody signed.
const NO_AUTHOR: &str = "作者未設定";

/// How many faults of the markup are told; the checks tell all.
const REMARKS: usize = 10;

/// A manuscript that can be published: it is text, and it says something.
fn manuscript_of(episode: Episode, file: &ProjectPath, bytes: &[u8]) -> Result<Manuscript, CompletionError> {
    let decoded = files::decode(bytes, EncodingChoice::Auto);
    let path = file.shown();
    if decoded.damaged {
        let encoding = decoded.encoding;
        return Err(CompletionError::Damaged { path, encoding });
    }
    let manuscript = Manuscript::read(decoded.text, Reading::default());
    if manuscript.count(Part::Body).characters == 0 {
        return Err(CompletionError::Empty { episode, path });
    }
    Ok(manuscript)
}

/// The heading that names the episode, as plain text.
fn heading_of(manuscript: &Manuscript) -> Option<String> {
    let lines = manuscript.lines().iter().filter(|line| line.part == Part::Title);
    let mut words = lines.map(|line| manuscript.visible_in(&line.content).trim());
    words.find(|words| !words.is_empty()).map(str::to_owned)
}
