//! From a client's path to a file that is read, decoded and taken apart: what the structure tools share.

use fumi_base::{
    files::{self, Decoded, EncodingChoice},
    project::ProjectPath,
};
use fumi_code::{
    elements::Elements,
    extract::extract,
    parse::{Parsed, Source, parse},
    user_queries::UserQueries,
};
use tokio_util::sync::CancellationToken;

use crate::{config::Config, tool::ToolError};

/// What the structure tools need.
#[derive(Debug)]
pub struct StructureDeps {
    /// Largest file that is read, in bytes.
    pub file_bytes: u64,
    /// Queries that the operator added.
    pub queries: UserQueries,
}

impl StructureDeps {
    /// From the configuration.
    #[must_use]
    pub fn new(config: &Config, queries: UserQueries) -> Self {
        Self {
            file_bytes: config.limits.file_bytes,
            queries,
        }
    }

    /// Reads and decodes a file. The second value is its size in bytes.
    pub fn read(&self, path: &ProjectPath) -> Result<(Decoded, u64), ToolError> {
        let bytes = files::read(path, self.file_bytes)?;
        Ok((files::decode(&bytes, EncodingChoice::Auto), bytes.len() as u64))
    }

    /// Reads a file and takes it apart, in the language asked for or the one that it shows.
    pub fn take_apart(
        &self,
        path: &ProjectPath,
        language: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<(Parsed, Elements), ToolError> {
        let (decoded, size) = self.read(path)?;
        let source = Source::new(path.shown(), decoded, size, language)?;
        let parsed = parse(source, cancel)?;
        let elements = extract(&parsed, cancel)?;
        Ok((parsed, elements))
    }
}
