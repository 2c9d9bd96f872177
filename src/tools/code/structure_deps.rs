//! Reading, decoding and parsing a file by a client's path: shared by the structure tools.

use std::sync::Arc;

use fumi_base::{
    encoding::{self, Decoded, EncodingChoice},
    files,
    project::ProjectPath,
};
use fumi_code::{
    index::CodeIndexes, outline::Outline, parse::SourceFile, parser_pool::ParserPool, user_queries::UserQueries,
};
use fumi_config::Config;
use fumi_kernel::ToolError;
use tokio_util::sync::CancellationToken;

/// The dependencies of the structure tools.
#[derive(Debug)]
pub struct StructureDeps {
    /// The size of the largest file that is read, in bytes.
    pub file_bytes: u64,
    /// The queries that the operator added.
    pub queries: UserQueries,
    /// The pool of parser processes.
    pub parsers: Arc<ParserPool>,
    /// The indexes of all projects.
    pub indexes: Arc<CodeIndexes>,
}

impl StructureDeps {
    /// Creates the dependencies from the configuration.
    pub fn new(config: &Config, queries: UserQueries, parsers: Arc<ParserPool>, indexes: Arc<CodeIndexes>) -> Self {
        Self { file_bytes: config.limits.file_bytes, queries, parsers, indexes }
    }

    /// Reads and decodes a file. The second value is its size in bytes.
    pub fn read(&self, path: &ProjectPath) -> Result<(Decoded, u64), ToolError> {
        let bytes = files::read(path, self.file_bytes)?;
        Ok((encoding::decode(&bytes, EncodingChoice::Auto), bytes.len() as u64))
    }

    /// Reads and parses a file in the requested language, or else in the detected one.
    pub fn outline(
        &self,
        path: &ProjectPath,
        language: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Outline, ToolError> {
        let (decoded, size) = self.read(path)?;
        let source = SourceFile::new(path.shown(), decoded, size, language)?;
        Ok(self.parsers.outline(source, cancel)?)
    }
}
