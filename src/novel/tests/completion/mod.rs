//! Tests of finishing episodes in a copy of the sample novel: written files, kept files, episodes that become drafts
//! again, and the status of unfinished projects. The EPUB format is validated in the tests of the tools.

mod book;
mod finished;
mod progress;

use std::{fs, sync::Arc};

use crate::sample;
use fumi_base::project::Project;
use fumi_novel::{
    change_set,
    errors::completion::CompletionError,
    finishing::{self, BookRecord, FinishedEpisode, PublishExtent, PublishRecord},
    project::{EpisodeId, NovelProject, ProjectNames},
    status::NovelStatus,
    writing::UtcTime,
};
use tempfile::TempDir;

/// A copy of the sample novel in a temporary folder.
struct Novel {
    folder: TempDir,
    project: Arc<Project>,
}

impl Novel {
    fn sample() -> Self {
        let (folder, novel) = sample::copied();
        Self { folder, project: Arc::clone(novel.project()) }
    }

    fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        Self { folder, project }
    }

    fn novel(&self) -> NovelProject {
        NovelProject::new(Arc::clone(&self.project), ProjectNames::default())
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, content).expect("written");
        self
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).expect("text")
    }

    /// Returns the sorted names in a folder.
    fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join(path)).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn complete(&self, number: u32) -> Result<FinishedEpisode, CompletionError> {
        self.complete_to(number, PublishExtent::Formats)
    }

    fn complete_to(&self, number: u32, extent: PublishExtent) -> Result<FinishedEpisode, CompletionError> {
        let form = |record: &PublishRecord| yaml(record);
        let (done, changes) = finishing::complete(&self.novel(), episode(number), extent, &now(), form)?;
        change_set::apply(&self.project, None, changes)?;
        Ok(done)
    }

    fn bind(&self) -> Option<BookRecord> {
        let form = |bound: &BookRecord| yaml(bound);
        let (bound, changes) = finishing::build_book(&self.novel(), None, &now(), form, &|| false).expect("bound")?;
        change_set::apply(&self.project, None, changes).expect("written");
        Some(bound)
    }

    fn status(&self) -> NovelStatus {
        NovelStatus::read(&self.novel()).expect("a status")
    }
}

fn episode(number: u32) -> EpisodeId {
    EpisodeId::new(number).expect("a number")
}

fn now() -> UtcTime {
    UtcTime::parse("2026-01-31T10:00:00.123Z").expect("a time")
}

/// Encodes a record as YAML. The tools write JSON, which is a subset of YAML.
fn yaml(value: &impl serde::Serialize) -> Vec<u8> {
    serde_saphyr::to_string(value).expect("YAML").into_bytes()
}
