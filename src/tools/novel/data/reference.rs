//! Files and artifacts in replies: path, hash, size, type, time. Shared by the data tools.

use fumi_novel::{
    artifacts::{ArtifactOrigin, NovelArtifact},
    errors::artifact::ArtifactError,
    references::{ContentHash, FileReference},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file by its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HashedFile {
    /// The path relative to the project.
    pub path: String,
    /// The SHA-256 of the bytes.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// The size in bytes.
    pub size_bytes: u64,
    /// The media type, derived from the extension.
    pub content_type: String,
    /// The encoding of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The part of a result that was moved to this file, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl From<FileReference> for HashedFile {
    fn from(file: FileReference) -> Self {
        Self {
            path: file.path,
            sha256: file.hash.digits().to_owned(),
            size_bytes: file.size,
            content_type: file.content_type.to_owned(),
            encoding: file.encoding,
            field: None,
        }
    }
}

impl HashedFile {
    /// Returns the file as one line of text: its path, the digits of the hash that every tool takes, its size, and the
    /// encoding if it is not UTF-8.
    pub fn line(&self) -> String {
        let digits: String = self.sha256.chars().take(12).collect();
        let encoding = self.encoding.as_ref().filter(|name| *name != "utf-8");
        let encoding = encoding.map(|name| format!(" {name}")).unwrap_or_default();
        format!("{} {digits} {} B{encoding}", self.path, self.size_bytes)
    }
}

/// The properties of an artifact.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ArtifactInfo {
    /// The id for `fetch_artifact`.
    pub artifact_id: String,
    /// The place of the artifact.
    pub place: ArtifactOrigin,
    /// The path relative to the project.
    pub path: String,
    /// SHA-256 of its bytes.
    pub hash: String,
    /// The media type, derived from the extension.
    pub content_type: String,
    /// The size in bytes.
    pub size: u64,
    /// The tool that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_tool: Option<String>,
    /// The creation time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The modification time of a file that people may edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<String>,
}

impl From<NovelArtifact> for ArtifactInfo {
    fn from(artifact: NovelArtifact) -> Self {
        let modified = artifact.modified.and_then(time);
        // Files named by their content are written only once.
        let (created_at, modified_at) = match artifact.origin {
            ArtifactOrigin::Kept => (artifact.created_at.map(String::from), None),
            ArtifactOrigin::Stage | ArtifactOrigin::Output => (modified, None),
            ArtifactOrigin::Novel => (None, modified),
        };
        Self {
            artifact_id: artifact.file.hash.artifact_id(),
            place: artifact.origin,
            path: artifact.file.path,
            hash: artifact.file.hash.digits().to_owned(),
            content_type: artifact.file.content_type.to_owned(),
            size: artifact.file.size,
            source_tool: artifact.source_tool,
            created_at,
            modified_at,
        }
    }
}

impl ArtifactInfo {
    /// Returns the artifact as one line of text.
    pub fn line(&self) -> String {
        self.line_named(&self.path)
    }

    /// Returns the folder of the file, and the artifact as a line below it. The id has the hash that is in some names.
    pub fn folder_and_line(&self) -> (&str, String) {
        let (folder, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let digits = self.hash.get(..12).unwrap_or_default();
        let name = name.replace(&self.hash, "").replace(&format!("-{digits}"), "");
        (folder, self.line_named(&name))
    }

    fn line_named(&self, name: &str) -> String {
        let mut line = format!("{} {name} {} B", self.artifact_id, self.size);
        let times = [&self.created_at, &self.modified_at].into_iter().flatten();
        // Without seconds.
        let times = times.map(|time| time.rsplit_once(':').map_or(time.as_str(), |(time, _)| time));
        for more in self.source_tool.as_deref().into_iter().chain(times) {
            line.push(' ');
            line.push_str(more);
        }
        line
    }
}

/// Formats seconds since 1970 as a time in UTC; `None` if out of range.
pub fn time(seconds: i64) -> Option<String> {
    let time = Timestamp::from_second(seconds).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Parses a hash or an artifact id sent by a client.
pub fn parse_hash(text: &str) -> Result<ContentHash, ArtifactError> {
    ContentHash::parse(text).ok_or_else(|| ArtifactError::NotAHash { asked: text.to_owned() })
}
