//! Resources: the files and statistics of a project, as clients read them by URI. A family provides their content.

use std::{fmt, sync::Arc};

use fumi_base::{
    encoding::Decoded,
    project::{Project, ProjectPath},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::ToolError;

/// The names of all statistics.
pub const STATISTICS: [&str; 5] = ["overview", "languages", "complexity", "files", "index"];

/// The content of resources. All functions block.
pub trait ProjectResources: fmt::Debug + Send + Sync {
    /// Returns all files that a plain walk finds, sorted by their shown path.
    fn files(&self, project: &Arc<Project>, cancel: &CancellationToken) -> Result<Vec<ProjectPath>, ToolError>;

    /// Returns the name of a text's language; `None` for a plain text. With an empty text it is guessed by the path.
    fn language(&self, path: &str, text: &str) -> Option<&'static str>;

    /// Returns the number of lines of a file, and those of a range: the first and the last, from 1; without a last line
    /// to the end.
    fn lines(
        &self,
        path: &str,
        decoded: &Decoded,
        range: Option<(usize, Option<usize>)>,
    ) -> Result<(usize, Option<String>), ToolError>;

    /// Counts the statistics of a name of [`STATISTICS`].
    fn statistics(
        &self,
        project: &Arc<Project>,
        name: &str,
        cancel: &CancellationToken,
    ) -> Result<ProjectStatistics, ToolError>;
}

/// Counted statistics of a project.
#[derive(Debug)]
pub struct ProjectStatistics {
    pub body: Map<String, Value>,
    /// False if the statistics may change while the files do not: a file could not be parsed, or the statistics are about
    /// the server.
    pub is_complete: bool,
}
