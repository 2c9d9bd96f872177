//! The content of resources: the files of the project, their language and lines, and statistics of the project.

use std::{sync::Arc, time::SystemTime};

use fumi_base::{
    encoding::Decoded,
    project::{Project, ProjectPath},
};
use fumi_code::{
    index::CodeIndexes,
    languages::detect::guess,
    listing::{FileFilter, FileOptions, ListingDetail, ListingRequest, ListingSort},
    parser_pool::ParserPool,
    section::{SectionContent, SectionCutter, SectionFormat, SectionRange},
};
use fumi_config::Config;
use fumi_kernel::{
    ToolError,
    resources::{ProjectResources, ProjectStatistics},
};
use tokio_util::sync::CancellationToken;

use super::statistics::{self, StatisticsLimits};

/// Resources of code projects; every project with files is one.
#[derive(Debug)]
pub struct CodeResources {
    limits: StatisticsLimits,
    parsers: Arc<ParserPool>,
    indexes: Arc<CodeIndexes>,
}

impl CodeResources {
    /// Creates the resources from the configuration.
    pub fn new(config: &Config, parsers: Arc<ParserPool>, indexes: Arc<CodeIndexes>) -> Self {
        Self {
            limits: StatisticsLimits { file_bytes: config.limits.file_bytes, reply_bytes: config.limits.caps().bytes },
            parsers,
            indexes,
        }
    }

    /// Returns a filter over the whole project.
    fn filter(&self, project: &Arc<Project>, options: &FileOptions) -> Result<FileFilter, ToolError> {
        FileFilter::new(project, &[], options, SystemTime::now())
            .map(|filter| filter.with_index(&self.indexes))
            .map_err(|errors| ToolError::combine_same_kind(&errors))
    }
}

impl ProjectResources for CodeResources {
    fn files(&self, project: &Arc<Project>, cancel: &CancellationToken) -> Result<Vec<ProjectPath>, ToolError> {
        let options = FileOptions { types: vec!["f".to_owned()], ..FileOptions::default() };
        let filter = self.filter(project, &options)?;
        let wanted = ListingRequest { detail: ListingDetail::Names, sort: ListingSort::Path, keep: usize::MAX };
        let listed = filter.list(wanted, cancel)?;
        let mut paths: Vec<_> = listed.entries.into_iter().map(|file| file.path).collect();
        paths.sort_by_cached_key(ProjectPath::shown);
        Ok(paths)
    }

    fn language(&self, path: &str, text: &str) -> Option<&'static str> {
        guess(path, text).map(|language| language.name)
    }

    fn lines(
        &self,
        path: &str,
        decoded: &Decoded,
        range: Option<(usize, Option<usize>)>,
    ) -> Result<(usize, Option<String>), ToolError> {
        let cutter = SectionCutter::new(path, decoded);
        let Some((start, end)) = range else {
            return Ok((cutter.total_lines(), None));
        };
        let section = cutter.cut(&SectionRange::lines(start, end), SectionFormat::Raw)?;
        let text = match section.content {
            SectionContent::One(text) => text,
            SectionContent::Lines(lines) => lines.join("\n"),
        };
        Ok((cutter.total_lines(), Some(text)))
    }

    fn statistics(
        &self,
        project: &Arc<Project>,
        name: &str,
        cancel: &CancellationToken,
    ) -> Result<ProjectStatistics, ToolError> {
        if name == "index" {
            return Ok(statistics::of_index(self.indexes.is_enabled(), self.indexes.size(project)));
        }
        let filter = self.filter(project, &FileOptions::default())?;
        statistics::count(&filter, name, self.limits, &self.parsers, cancel)
    }
}
