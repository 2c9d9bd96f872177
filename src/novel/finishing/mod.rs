//! Finishing an episode: its manuscript in every published format, with a record of sources and results.
//!
//! Invariant: the record and the files that it lists change together or not at all. An episode is finished while its
//! manuscript equals, byte for byte, the one in its record; any change turns it into a draft again without separate
//! bookkeeping. Nothing is ever posted to a site.

mod book;
mod book_details;
mod chapters;
mod formats;
mod posting;
mod record;

use std::sync::Arc;

use fumi_base::{
    encoding::{self, EncodingChoice},
    errors::{UserError as _, unless_unreadable},
    files,
    listing::{FolderEntryKind, list},
    project::{Project, ProjectPath},
    text::BilingualText,
};

pub use book::{BOOK, BOOK_RECORD, BookRecord, BoundEpisode, build_book};
pub(crate) use chapters::Chapters;
pub use formats::PublishFormat;
pub use posting::PostingGuide;
pub use record::{
    FormatLoss, ManuscriptSource, NOT_EVALUATED, PublicationStatus, PublishRecord, PublishedFile, RecordStatus,
    RecordedQuality,
};

use crate::{
    change_set::FileChange,
    errors::{completion::CompletionError, project::ProjectError},
    manuscript::{
        CharacterCounts, Manuscript, ManuscriptOptions, ManuscriptPart, MarkupIssue, MarkupIssueKind, is_kanji,
    },
    numbering::OtherNumber,
    project::{
        EpisodeFiles, EpisodeId, EpisodePlot, MANUSCRIPT_BYTES, NovelProject, NovelSettings, NovelSurvey, read_yaml,
    },
    publish::WorkTitle,
    references::ContentHash,
    reviewing,
    writing::{UtcTime, WritingSession, WritingSessionStore},
};

/// The folder of all published files, relative to the project root.
pub const FOLDER: &str = ".noveler/publish";

/// The file name of an episode's record in its folder.
pub const RECORD: &str = "metadata.json";

/// The largest record that is read, in bytes.
const RECORD_BYTES: u64 = 4 << 20;

/// The largest number of names listed in an episode's folder.
const NAMES: usize = 1_000;

/// The length of the preview of a finished episode, in characters.
const PREVIEW: usize = 200;

/// Serialises a record to the bytes of its file, in a format chosen by the caller.
pub type Encode<T> = fn(&T) -> Vec<u8>;

/// The set of files to make for an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PublishExtent {
    /// Only the formats.
    #[default]
    Formats,
    /// The formats and a form sheet for each site.
    WithFormSheets,
}

/// A finished episode, with its record and hints for its author.
#[derive(Debug)]
pub struct FinishedEpisode {
    /// The contents of the record file.
    pub record: PublishRecord,
    /// The path of the record file, relative to the project root.
    pub path: String,
    /// The heading of the episode, such as 第一話　雨.
    pub heading: String,
    /// The beginning of the story, on one line.
    pub preview: String,
    /// The steps for each site; empty unless they were requested.
    pub posts: Vec<PostingGuide>,
    /// Remarks for the author, such as a missing author name or broken markup.
    pub remarks: Vec<BilingualText>,
}

/// Returns the folder for an episode's published files.
fn folder_of(episode: EpisodeId) -> String {
    format!("{FOLDER}/episode_{:03}", episode.number())
}

/// Finishes an episode: returns every format of its manuscript and the record, as changes that must be applied
/// together.
pub fn complete(
    novel: &NovelProject,
    episode: EpisodeId,
    extent: PublishExtent,
    now: &UtcTime,
    encode: Encode<PublishRecord>,
) -> Result<(FinishedEpisode, Vec<FileChange>), CompletionError> {
    let story = EpisodeSource::read(novel, episode)?;
    let project = novel.project();
    let folder = folder_of(episode);
    let before = unless_unreadable(record_of(project, episode))?.flatten();
    let posts = match extent {
        PublishExtent::Formats => Vec::new(),
        PublishExtent::WithFormSheets => posting::posts(&story, &folder),
    };
    // The time is part of the EPUB: an unchanged episode keeps its time, so that a repeated call makes the same files.
    let unchanged = before
        .as_ref()
        .map(|before| (formats::write_formats(&story, &before.created_at), before))
        .filter(|(made, before)| made.iter().all(|file| file.is_in(before)));
    let (mut made, time) = match unchanged {
        Some((made, before)) => (made, before.created_at.clone()),
        None => (formats::write_formats(&story, now), now.clone()),
    };
    made.extend(posts.iter().map(PostingGuide::form_sheet));
    let mut record = story.record(&time, before.as_ref())?;
    let mut changes = Vec::new();
    for file in made {
        let path = format!("{folder}/{}", file.format.file());
        record.artifacts.push(file.artifact(path.clone()));
        changes.push(FileChange::write(path, file.bytes));
    }
    changes.extend(old_files(project, &folder, &record)?.into_iter().map(FileChange::remove));
    let path = format!("{folder}/{RECORD}");
    changes.push(FileChange::write(&*path, encode(&record)));
    let done = FinishedEpisode {
        record,
        path,
        preview: story.preview(),
        heading: story.heading(),
        posts,
        remarks: story.remarks,
    };
    Ok((done, changes))
}

/// Returns the record of an episode if it is finished, that is, if its manuscript still equals the recorded one.
pub fn finished(
    project: &Arc<Project>,
    episode: EpisodeId,
    files: &EpisodeFiles,
) -> Result<Option<PublishRecord>, ProjectError> {
    let [manuscript] = files.manuscripts.as_slice() else {
        return Ok(None);
    };
    let Some(record) = record_of(project, episode)?.filter(|record| record.status == RecordStatus::Completed) else {
        return Ok(None);
    };
    let bytes = files::read(manuscript, MANUSCRIPT_BYTES)?;
    let is_same = ContentHash::from_bytes(&bytes).digits() == record.manuscript.sha256;
    Ok(is_same.then_some(record))
}

/// Reads the record of an episode; `None` if the file does not exist or is the record of another episode.
fn record_of(project: &Arc<Project>, episode: EpisodeId) -> Result<Option<PublishRecord>, ProjectError> {
    let path = format!("{}/{RECORD}", folder_of(episode));
    let Some(file) = project.find(&path)? else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&files::read(&file, RECORD_BYTES)?).into_owned();
    // JSON is a subset of YAML.
    let record: Option<PublishRecord> = read_yaml(&path, &text)?;
    // A folder copied by hand contains the record of another episode, which is ignored.
    Ok(record.filter(|record| record.episode == episode.number()))
}

/// Returns the files of an earlier run that this run did not make. Files that others placed in the folder are not
/// included.
fn old_files(project: &Arc<Project>, folder: &str, record: &PublishRecord) -> Result<Vec<String>, CompletionError> {
    let Some(folder) = project.find(folder)? else {
        return Ok(Vec::new());
    };
    let (listed, _) = list(&folder, NAMES)?;
    let files = listed.into_iter().filter(|entry| entry.kind == FolderEntryKind::File);
    let ours = files.filter(|entry| PublishFormat::ALL.iter().any(|format| format.file() == entry.name));
    let paths = ours.map(|entry| entry.path.shown());
    let is_made = |path: &String| record.artifacts.iter().any(|artifact| artifact.path == *path);
    Ok(paths.filter(|path| !is_made(path)).collect())
}

/// A manuscript with its settings, plot and title.
struct EpisodeSource {
    project: Arc<Project>,
    episode: EpisodeId,
    path: String,
    bytes: Vec<u8>,
    manuscript: Manuscript,
    settings: NovelSettings,
    plot: EpisodePlot,
    /// The title taken from the file name.
    title: Option<String>,
    project_name: String,
    /// The summary with which the episode was written.
    summary: Option<String>,
    remarks: Vec<BilingualText>,
}

impl EpisodeSource {
    fn read(novel: &NovelProject, episode: EpisodeId) -> Result<Self, CompletionError> {
        let survey = novel.survey_to_write()?;
        survey.require_novel(novel.names())?;
        let file = novel.manuscript(episode)?;
        let bytes = files::read(&file, MANUSCRIPT_BYTES)?;
        let (manuscript, other_number) = manuscript_of(&survey, episode, &file, &bytes)?;
        let mut remarks: Vec<BilingualText> = other_number.into_iter().collect();
        let plot = match novel.plot(episode) {
            Ok(plot) => plot,
            Err(ProjectError::PlotNotFound { .. }) => EpisodePlot::default(),
            Err(error) if error.is_system_failure() => return Err(error.into()),
            // With a broken plot, only the tags and the summary are missing.
            Err(error) => {
                remarks.push(error.error_message().message);
                EpisodePlot::default()
            }
        };
        if survey.settings.author.is_none() {
            remarks.push(BilingualText::new(
                format!("{} does not name an author; the files use {NO_AUTHOR}.", novel.names().settings),
                format!("{} に author がないため、作者名は「{NO_AUTHOR}」としました。", novel.names().settings),
            ));
        }
        remarks.extend(markup_remarks(&file.shown(), &manuscript));
        let sessions = WritingSessionStore::new(Arc::clone(novel.project()));
        let latest = sessions.latest(episode, |session| session.route().writes_an_episode());
        let latest = unless_unreadable(latest)?.flatten();
        // An open session would change the manuscript again.
        let is_open = |session: &WritingSession| session.current().is_some() && !session.awaits_wish();
        if let Some(open) = latest.as_ref().filter(|latest| is_open(&latest.session)) {
            let id = open.session.id();
            remarks.push(BilingualText::new(
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
            summary: latest.and_then(|latest| latest.summary()),
            remarks,
        })
    }

    /// Returns the title of the novel; without one in the settings, the name of its folder.
    fn novel(&self) -> &str {
        self.settings.title.as_deref().unwrap_or(&self.project_name)
    }

    fn author(&self) -> &str {
        self.settings.author.as_deref().unwrap_or(NO_AUTHOR)
    }

    /// Returns the title that the episode was planned or saved with, without its number.
    fn planned_title(&self) -> Option<&str> {
        self.plot.episode_info.title.as_deref().or(self.title.as_deref())
    }

    /// Returns the title of the episode without its number: the one in its heading, otherwise the planned one.
    fn title(&self) -> Option<String> {
        let planned = || self.planned_title().map(str::to_owned);
        let Some(heading) = heading_of(&self.manuscript) else { return planned() };
        let is_own = |number: EpisodeId| heading.starts_with('第') || number == self.episode;
        match EpisodeId::parse_stem(&heading).filter(|(number, _)| is_own(*number)) {
            Some((_, title)) => title.or_else(planned),
            None => Some(heading),
        }
    }

    /// Returns the heading of the episode: the manuscript's own, otherwise number and title.
    fn heading(&self) -> String {
        heading_of(&self.manuscript).unwrap_or_else(|| match self.planned_title() {
            Some(title) => format!("第{}話　{title}", self.episode.number()),
            None => format!("第{}話", self.episode.number()),
        })
    }

    /// Returns title and author for a publication of this episode alone.
    fn work(&self) -> WorkTitle {
        WorkTitle { title: format!("{}　{}", self.novel(), self.heading()), author: self.author().to_owned() }
    }

    fn record(&self, now: &UtcTime, before: Option<&PublishRecord>) -> Result<PublishRecord, CompletionError> {
        let counts: CharacterCounts = self.manuscript.count(ManuscriptPart::Body);
        let sha256 = ContentHash::from_bytes(&self.bytes).digits().to_owned();
        // A judgement holds only for the same text.
        let judged = before.filter(|before| before.manuscript.sha256 == sha256);
        Ok(PublishRecord {
            version: record::VERSION,
            status: RecordStatus::Completed,
            publication_status: PublicationStatus::Prepared,
            episode: self.episode.number(),
            title: self.novel().to_owned(),
            episode_title: self.title().unwrap_or_default(),
            heading: self.heading(),
            author: self.author().to_owned(),
            genre: self.settings.genre.clone(),
            chapter_number: self.plot.episode_info.chapter_number,
            tags: record::tags(&self.settings, &self.plot),
            summary: self.summary.as_ref().or(self.plot.synopsis.as_ref()).map(|said| record::unfold_japanese(said)),
            created_at: now.clone(),
            quality: self
                .reviewed(&sha256)?
                .or_else(|| judged.map(|before| before.quality.clone()))
                .unwrap_or_default(),
            manuscript: ManuscriptSource {
                path: self.path.clone(),
                size_bytes: self.bytes.len() as u64,
                characters: counts.characters,
                characters_with_spaces: counts.with_spaces,
                manuscript_pages: self.manuscript.paper_lines().sheets(),
                sha256,
            },
            artifacts: Vec::new(),
        })
    }

    /// Returns the score of the newest complete review of exactly this text.
    fn reviewed(&self, sha256: &str) -> Result<Option<RecordedQuality>, CompletionError> {
        let reviews = unless_unreadable(reviewing::scores(&self.project))?.unwrap_or_default();
        let mut of_text = reviews.into_iter().rev().filter(|one| one.episode == self.episode && one.is_of(sha256));
        Ok(of_text.find_map(|one| Some(RecordedQuality { overall_score: Some(one.score?), method: one.method })))
    }

    /// Returns the beginning of the story on one line, cut to [`PREVIEW`] characters.
    fn preview(&self) -> String {
        let lines = self.manuscript.lines().iter().filter(|line| line.part == ManuscriptPart::Body);
        let words = lines.map(|line| self.manuscript.visible_in(&line.content).trim());
        let mut shown: String = words.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = shown.char_indices().nth(PREVIEW - 1) {
            shown.truncate(end);
            shown.push('…');
        }
        shown
    }
}

/// The author's name for novels without one in the settings.
const NO_AUTHOR: &str = "作者未設定";

/// The largest number of markup issues reported as remarks; the checks report all.
const REMARKS: usize = 10;

/// Reads a manuscript and checks that it can be published: it must be valid text and its body must not be empty. Its
/// heading has the number of the file; returns also a remark if the file itself has another one.
fn manuscript_of(
    survey: &NovelSurvey,
    episode: EpisodeId,
    file: &ProjectPath,
    bytes: &[u8],
) -> Result<(Manuscript, Option<BilingualText>), CompletionError> {
    let decoded = encoding::decode(bytes, EncodingChoice::Auto);
    let path = file.shown();
    if decoded.damaged {
        let encoding = decoded.encoding;
        return Err(CompletionError::DamagedManuscript { path, encoding });
    }
    let manuscript = Manuscript::read(decoded.text, ManuscriptOptions::default());
    if manuscript.count(ManuscriptPart::Body).characters == 0 {
        return Err(CompletionError::EmptyManuscript { episode, path });
    }
    let other = OtherNumber::find(&manuscript, episode);
    let Some(other) = other.filter(|other| !other.counts_from_chapter(survey, episode)) else {
        return Ok((manuscript, None));
    };
    let corrected = Manuscript::read(other.corrected(manuscript.source()), ManuscriptOptions::default());
    Ok((corrected, Some(other.published(&path))))
}

/// Returns remarks about the markup of a manuscript: one for each issue, and one for all 《…》 that could be rubies.
fn markup_remarks(path: &str, manuscript: &Manuscript) -> Vec<BilingualText> {
    let (brackets, others): (Vec<&MarkupIssue>, Vec<&MarkupIssue>) =
        manuscript.issues().iter().partition(|issue| issue.kind == MarkupIssueKind::RubyWithoutBase);
    let at = |issue: &MarkupIssue| manuscript.position(issue.range.start);
    let mut remarks: Vec<BilingualText> = Vec::new();
    remarks.extend(others.into_iter().take(REMARKS).map(|issue| {
        let (at, said) = (at(issue), issue.kind.message());
        BilingualText::new(
            format!("{path}:{}:{}: {}", at.line, at.column, said.en),
            format!("{path}:{}:{}: {}", at.line, at.column, said.ja),
        )
    }));
    let source = manuscript.source();
    let could_be_ruby = |issue: &&&MarkupIssue| {
        let follows_word = source[..issue.range.start].chars().next_back().is_some_and(char::is_alphanumeric);
        follows_word && !source[issue.range.clone()].chars().any(is_kanji)
    };
    let unread: Vec<&&MarkupIssue> = brackets.iter().filter(could_be_ruby).collect();
    if !unread.is_empty() {
        let shown = unread.iter().take(REMARKS).map(|issue| format!("{}:{}", at(issue).line, at(issue).column));
        let (places, count) = (shown.collect::<Vec<_>>(), unread.len());
        let (are, en_places) = (if count == 1 { "place" } else { "places" }, places.join(", "));
        remarks.push(BilingualText::new(
            format!(
                "{path}: 《…》 in {count} {are} ({en_places}) is not a ruby; every format shows it with its brackets. For a ruby, write ｜ where its base begins."
            ),
            format!(
                "{path}: {count} か所の《…》（{}）はルビではないものとして、どの形式でも括弧のまま載せました。ルビにするなら、ルビを振る言葉の前に｜を置いてください。",
                places.join("、")
            ),
        ));
    }
    remarks
}

/// Returns the heading that names the episode, as plain text.
fn heading_of(manuscript: &Manuscript) -> Option<String> {
    let lines = manuscript.lines().iter().filter(|line| line.part == ManuscriptPart::Title);
    let mut words = lines.map(|line| manuscript.visible_in(&line.content).trim());
    words.find(|words| !words.is_empty()).map(str::to_owned)
}
