//! A novel project: the location of settings, plots and manuscripts, by episode.
//!
//! Invariant: an unfinished project is not an error. A [`NovelSurvey`] returns the existing files and remarks on missing,
//! differently named and ambiguous ones. All files are opened through `fumi-base`; this module writes nothing.

mod book_settings;
mod episode;
mod names;
mod plot;
mod settings;
mod yaml;
mod yomi;

use std::{collections::BTreeMap, sync::Arc};

use fumi_base::{
    encoding::{self, Decoded, EncodingChoice},
    errors::unless_unreadable,
    files,
    listing::{FolderEntry, FolderEntryKind, list},
    project::{PathError, Project, ProjectPath},
    text::BilingualText,
};

pub use book_settings::{BookSeries, BookSettings, PublicationDate};
pub use episode::EpisodeId;
pub use names::{FolderRole, ProjectNames};
pub use plot::{EpisodeInfo, EpisodePlot, SceneStructure, StoryStructure};
pub use settings::{NovelSettings, StylePreset, TargetLength, WritingRoute};
pub use yaml::{UnknownKeys, YamlValue};
pub(crate) use yaml::{number_in, or_default, read as read_yaml, translate_reason};
pub use yomi::Yomi;

use crate::errors::project::ProjectError;

/// The largest number of names listed in one folder. The longest web novels have a few thousand episodes.
const NAMES_IN_FOLDER: usize = 20_000;

/// The largest plot or settings file that is read, in bytes; usual files have some kilobytes.
const YAML_BYTES: u64 = 1 << 20;

/// The largest manuscript that is read, in bytes; equal to the limit for writing.
pub(crate) const MANUSCRIPT_BYTES: u64 = 4 << 20;

/// A folder that contains a novel or will contain one.
#[derive(Clone, Debug)]
pub struct NovelProject {
    project: Arc<Project>,
    names: ProjectNames,
}

/// The existing parts of a novel.
#[derive(Debug)]
pub struct NovelSurvey {
    /// The settings; empty if the file is missing or broken.
    pub settings: NovelSettings,
    /// The folders that were found.
    pub folders: BTreeMap<FolderRole, ProjectPath>,
    /// The episodes that have a plot or a manuscript, by number.
    pub episodes: BTreeMap<EpisodeId, EpisodeFiles>,
    /// Missing or unusual parts of the project.
    pub remarks: Vec<SurveyRemark>,
}

/// The files of an episode. More than one file of a kind is a [`SurveyRemark`]; none of them is preferred.
#[derive(Clone, Debug, Default)]
pub struct EpisodeFiles {
    /// The title in the name of the manuscript, otherwise of the plot.
    pub title: Option<String>,
    pub manuscripts: Vec<ProjectPath>,
    pub plots: Vec<ProjectPath>,
}

/// A remark about a project for its owner.
#[derive(Debug)]
pub enum SurveyRemark {
    /// The settings file is missing.
    NoSettings(String),
    /// A file is broken; the other files are used.
    Broken(ProjectError),
    /// A folder is missing.
    NoFolder(FolderRole, String),
    /// A folder was found under another name than the configured one.
    OtherName(FolderRole, String),
    /// A file in a folder of episodes has no number in its name.
    NoNumber(String),
    /// Several files have the number of the same episode.
    SeveralFiles(EpisodeId, Vec<String>),
    /// A folder contains more names than are listed.
    Cut(String),
}

impl SurveyRemark {
    /// Returns the remark as a sentence, in both languages.
    pub fn message(&self) -> BilingualText {
        match self {
            Self::NoSettings(name) => BilingualText::new(
                format!("{name} is missing: title, author and style are unknown."),
                format!("{name} がないため、題名・作者・文体の設定が分かりません。"),
            ),
            Self::Broken(error) => fumi_base::errors::UserError::error_message(error).message,
            Self::NoFolder(_, name) => BilingualText::new(
                format!("The folder {name} is missing."),
                format!("フォルダー {name} がありません。"),
            ),
            Self::OtherName(role, found) => BilingualText::new(
                format!("{found} is used for {}.", role.en()),
                format!("{}として {found} を使いました。", role.ja()),
            ),
            Self::NoNumber(path) => BilingualText::new(
                format!("{path} has no episode number in its name, such as 第001話."),
                format!("{path} の名前に第001話のような話数がありません。"),
            ),
            Self::SeveralFiles(episode, files) => BilingualText::new(
                format!("Episode {} has several files of the same kind: {}.", episode.number(), files.join(", ")),
                format!("第{}話に同じ種類のファイルが複数あります（{}）。", episode.number(), files.join("、")),
            ),
            Self::Cut(path) => BilingualText::new(
                format!("{path} contains more than {NAMES_IN_FOLDER} names; the others were ignored."),
                format!("{path} にあるファイルとフォルダーが {NAMES_IN_FOLDER} 個を超えるため、残りは調べていません。"),
            ),
        }
    }
}

impl FolderRole {
    const fn en(self) -> &'static str {
        match self {
            Self::Planning => "plans",
            Self::ChapterPlots => "plots of chapters",
            Self::EpisodePlots => "plots of episodes",
            Self::World => "characters, terms and the world",
            Self::Manuscripts => "manuscripts",
            Self::Management => "outline and foreshadowing",
            Self::Prompts => "prompts",
            Self::Backups => "backups",
        }
    }

    const fn ja(self) -> &'static str {
        match self {
            Self::Planning => "企画",
            Self::ChapterPlots => "章別プロット",
            Self::EpisodePlots => "話別プロット",
            Self::World => "設定集",
            Self::Manuscripts => "原稿",
            Self::Management => "管理資料",
            Self::Prompts => "プロンプト",
            Self::Backups => "バックアップ",
        }
    }
}

impl NovelProject {
    /// Creates a novel project with the configured names.
    pub fn new(project: Arc<Project>, names: ProjectNames) -> Self {
        Self { project, names }
    }

    /// Returns the project folder.
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns the configured names.
    pub fn names(&self) -> &ProjectNames {
        &self.names
    }

    /// Looks for all parts of the novel. Returns an error only if the project itself cannot be read, or if a configured
    /// name leads out of the project.
    pub fn survey(&self) -> Result<NovelSurvey, ProjectError> {
        let mut survey = NovelSurvey {
            settings: NovelSettings::default(),
            folders: BTreeMap::new(),
            episodes: BTreeMap::new(),
            remarks: Vec::new(),
        };
        match self.settings() {
            Ok(Some(settings)) => survey.settings = settings,
            Ok(None) => survey.remarks.push(SurveyRemark::NoSettings(self.names.settings.clone())),
            Err(error @ ProjectError::BrokenYaml { .. }) => survey.remarks.push(SurveyRemark::Broken(error)),
            Err(error) => return Err(error),
        }
        for role in FolderRole::ALL {
            let named = role.name(&self.names);
            match self.folder(role)? {
                Some((folder, is_named)) => {
                    if !is_named {
                        survey.remarks.push(SurveyRemark::OtherName(role, folder.shown()));
                    }
                    survey.folders.insert(role, folder);
                }
                None if role.is_made_when_needed() => {}
                None => survey.remarks.push(SurveyRemark::NoFolder(role, named.to_owned())),
            }
        }
        for kind in [FileKind::Manuscript, FileKind::Plot] {
            let folder = survey.folders.get(&kind.role()).cloned();
            match folder {
                Some(folder) => survey.add_folder(kind, &folder)?,
                // The simplest novel is a folder of numbered texts.
                None if kind == FileKind::Manuscript => survey.add_root_files(&self.project)?,
                None => {}
            }
        }
        survey.remark_several();
        Ok(survey)
    }

    /// Returns the novel's own files: the settings and the folders except backups; without folders, the episodes.
    pub fn own_files(&self) -> Result<Vec<ProjectPath>, ProjectError> {
        let survey = self.survey()?;
        let settings = self.find(&self.names.settings)?;
        let folders = survey.folders.into_iter().filter(|(role, _)| *role != FolderRole::Backups);
        let episodes = survey.episodes.into_values();
        let texts = episodes.flat_map(|files| files.manuscripts.into_iter().chain(files.plots));
        let mut own: Vec<ProjectPath> = Vec::new();
        for path in settings.into_iter().chain(folders.map(|(_, folder)| folder)).chain(texts) {
            if !own.iter().any(|top| path.relative().starts_with(top.relative())) {
                own.push(path);
            }
        }
        Ok(own)
    }

    /// Returns the settings, or `None` if the file is missing.
    pub fn settings(&self) -> Result<Option<NovelSettings>, ProjectError> {
        let Some(file) = self.find(&self.names.settings)? else {
            return Ok(None);
        };
        let path = file.shown();
        NovelSettings::read(&path, &read_yaml_text(&file)?).map(Some)
    }

    /// Surveys the novel for a writing operation: broken settings are an error here, not a remark.
    pub fn survey_to_write(&self) -> Result<NovelSurvey, ProjectError> {
        self.settings()?;
        self.survey()
    }

    /// Returns the manuscript file of an episode.
    pub fn manuscript(&self, episode: EpisodeId) -> Result<ProjectPath, ProjectError> {
        let survey = self.survey()?;
        let files = survey.files(episode)?;
        single_file(episode, &files.manuscripts).ok_or_else(|| ProjectError::ManuscriptNotFound {
            episode,
            known: survey.episodes_where(|files| !files.manuscripts.is_empty()),
        })?
    }

    /// Returns the text of an episode's manuscript in any encoding, with a flag for undecodable bytes.
    pub fn manuscript_text(&self, episode: EpisodeId) -> Result<Decoded, ProjectError> {
        let bytes = files::read(&self.manuscript(episode)?, MANUSCRIPT_BYTES)?;
        Ok(encoding::decode(&bytes, EncodingChoice::Auto))
    }

    /// Returns the parsed plot of an episode.
    pub fn plot(&self, episode: EpisodeId) -> Result<EpisodePlot, ProjectError> {
        let survey = self.survey()?;
        let files = survey.files(episode)?;
        let file = single_file(episode, &files.plots).ok_or_else(|| ProjectError::PlotNotFound {
            episode,
            known: survey.episodes_where(|files| !files.plots.is_empty()),
        })??;
        EpisodePlot::read(&file.shown(), &read_yaml_text(&file)?)
    }

    /// Returns the path for a new manuscript of an episode, relative to the project root.
    pub fn new_manuscript(&self, episode: EpisodeId, title: &str) -> Result<String, ProjectError> {
        let folder = self.folder(FolderRole::Manuscripts)?;
        let folder = folder.map_or_else(|| self.names.manuscripts.clone(), |(folder, _)| folder.shown());
        Ok(format!("{folder}/{}.md", episode.file_stem(title)))
    }

    /// Returns the path for a new plot of an episode, relative to the project root.
    pub fn new_plot(&self, episode: EpisodeId) -> Result<String, ProjectError> {
        let folder = self.folder(FolderRole::EpisodePlots)?;
        let folder = folder.map_or_else(|| self.names.episode_plots.clone(), |(folder, _)| folder.shown());
        Ok(format!("{folder}/{episode}.yaml"))
    }

    /// Returns the folder of a role, and true if it has the configured name.
    fn folder(&self, role: FolderRole) -> Result<Option<(ProjectPath, bool)>, ProjectError> {
        let named = role.name(&self.names);
        let others = role.others().iter().map(|other| (*other, false));
        for (name, is_named) in std::iter::once((named, true)).chain(others) {
            if let Some(folder) = self.find(name)?
                && folder.is_dir()?
            {
                return Ok(Some((folder, is_named)));
            }
        }
        Ok(None)
    }

    /// Returns a path of the project, or `None` if it does not exist.
    fn find(&self, name: &str) -> Result<Option<ProjectPath>, ProjectError> {
        Ok(self.project.find(name)?)
    }
}

/// Returns the single file of an episode: `None` without a file, an error with several.
fn single_file(episode: EpisodeId, files: &[ProjectPath]) -> Option<Result<ProjectPath, ProjectError>> {
    match files {
        [] => None,
        [file] => Some(Ok(file.clone())),
        several => Some(Err(ProjectError::AmbiguousEpisode {
            episode,
            files: several.iter().map(ProjectPath::shown).collect(),
        })),
    }
}

/// Returns the bytes of a file; `None` if it is missing, too large or cannot be read.
pub(crate) fn read_if_readable(project: &Arc<Project>, path: &str, most: u64) -> Result<Option<Vec<u8>>, PathError> {
    match unless_unreadable(project.find(path))?.flatten() {
        Some(file) => unless_unreadable(files::read(&file, most)),
        None => Ok(None),
    }
}

/// Returns the text of a YAML file in any encoding. A file with undecodable bytes is an error, because its keys would
/// be wrong.
pub(crate) fn read_yaml_text(file: &ProjectPath) -> Result<String, ProjectError> {
    let decoded = encoding::decode(&files::read(file, YAML_BYTES)?, EncodingChoice::Auto);
    if decoded.damaged {
        return Err(ProjectError::BrokenYaml {
            path: file.shown(),
            line: 0,
            column: 0,
            reason: format!("it has bytes that are not valid {}", decoded.encoding),
        });
    }
    Ok(decoded.text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Manuscript,
    Plot,
}

impl FileKind {
    const fn role(self) -> FolderRole {
        match self {
            Self::Manuscript => FolderRole::Manuscripts,
            Self::Plot => FolderRole::EpisodePlots,
        }
    }

    /// Returns the name without extension if the file is of this kind.
    fn stem(self, name: &str) -> Option<&str> {
        let (stem, extension) = name.rsplit_once('.')?;
        let extensions: &[&str] = match self {
            Self::Manuscript => &["md", "txt"],
            Self::Plot => &["yaml", "yml"],
        };
        // Hidden files belong to programs.
        let is_one = extensions.iter().any(|known| extension.eq_ignore_ascii_case(known));
        (is_one && !stem.is_empty() && !stem.starts_with('.')).then_some(stem)
    }
}

impl NovelSurvey {
    pub fn files(&self, episode: EpisodeId) -> Result<&EpisodeFiles, ProjectError> {
        self.episodes
            .get(&episode)
            .ok_or_else(|| ProjectError::EpisodeNotFound { episode, known: self.episodes_where(|_| true) })
    }

    /// Returns an error if the folder contains no part of a novel.
    pub fn require_novel(&self, names: &ProjectNames) -> Result<(), ProjectError> {
        let has_settings = !self.remarks.iter().any(|remark| matches!(remark, SurveyRemark::NoSettings(_)));
        if has_settings || !self.folders.is_empty() || !self.episodes.is_empty() {
            return Ok(());
        }
        Err(ProjectError::NovelNotFound { settings: names.settings.clone() })
    }

    /// Returns the episodes that have a plot.
    pub fn plotted(&self) -> Vec<EpisodeId> {
        self.episodes_where(|files| !files.plots.is_empty())
    }

    /// Returns the episodes that satisfy a condition.
    fn episodes_where(&self, is: impl Fn(&EpisodeFiles) -> bool) -> Vec<EpisodeId> {
        let matching = self.episodes.iter().filter(|(_, files)| is(files));
        matching.map(|(episode, _)| *episode).collect()
    }

    /// Adds the numbered files of a folder.
    fn add_folder(&mut self, kind: FileKind, folder: &ProjectPath) -> Result<(), ProjectError> {
        for file in self.listed(folder)? {
            let Some(stem) = kind.stem(&file.name) else { continue };
            match EpisodeId::parse_stem(stem) {
                Some((episode, title)) => self.add(kind, episode, title, file.path),
                None if stem.eq_ignore_ascii_case("readme") => {}
                None => self.remarks.push(SurveyRemark::NoNumber(file.path.shown())),
            }
        }
        Ok(())
    }

    /// Adds files in the project root whose names begin as an episode's (第…話).
    fn add_root_files(&mut self, project: &Arc<Project>) -> Result<(), ProjectError> {
        for file in self.listed(&project.root_path())? {
            let stem = FileKind::Manuscript.stem(&file.name).filter(|stem| stem.starts_with('第'));
            if let Some((episode, title)) = stem.and_then(EpisodeId::parse_stem) {
                self.add(FileKind::Manuscript, episode, title, file.path);
            }
        }
        Ok(())
    }

    fn listed(&mut self, folder: &ProjectPath) -> Result<Vec<FolderEntry>, ProjectError> {
        let (mut listed, has_more) = list(folder, NAMES_IN_FOLDER)?;
        if has_more {
            self.remarks.push(SurveyRemark::Cut(folder.shown()));
        }
        listed.retain(|entry| entry.kind == FolderEntryKind::File);
        Ok(listed)
    }

    fn add(&mut self, kind: FileKind, episode: EpisodeId, title: Option<String>, path: ProjectPath) {
        let files = self.episodes.entry(episode).or_default();
        files.title = files.title.take().or(title);
        match kind {
            FileKind::Manuscript => files.manuscripts.push(path),
            FileKind::Plot => files.plots.push(path),
        }
    }

    fn remark_several(&mut self) {
        for (episode, files) in &self.episodes {
            for several in [&files.manuscripts, &files.plots].into_iter().filter(|files| files.len() > 1) {
                let names = several.iter().map(ProjectPath::shown).collect();
                self.remarks.push(SurveyRemark::SeveralFiles(*episode, names));
            }
        }
    }
}
