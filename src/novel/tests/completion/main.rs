//! Tests of finishing episodes in a copy of the sample novel: written files, kept files, episodes that become drafts
//! again, and the status of unfinished projects. The EPUB format is validated in the tests of the tools.

mod finished;
mod progress;
#[path = "../shared/sample.rs"]
mod sample;

use std::{fs, sync::Arc};

use fumi_base::project::Project;
use fumi_novel::{
    completion::{self, Bound, Completed, Extent, Record},
    errors::completion::CompletionError,
    project::{Episode, Names, NovelProject},
    status::Status,
    together,
    writing::Moment,
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
        Self {
            folder,
            project: Arc::clone(novel.project()),
        }
    }

    fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        Self { folder, project }
    }

    fn novel(&self) -> NovelProject {
        NovelProject::new(Arc::clone(&self.project), Names::default())
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
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn complete(&self, number: u32) -> Result<Completed, CompletionError> {
        self.complete_to(number, Extent::Formats)
    }

    fn complete_to(&self, number: u32, extent: Extent) -> Result<Completed, CompletionError> {
        let form = |record: &Record| yaml(record);
        let (done, changes) = completion::complete(&self.novel(), episode(number), extent, &now(), form)?;
        together::apply(&self.project, None, changes)?;
        Ok(done)
    }

    fn bind(&self) -> Option<Bound> {
        let form = |bound: &Bound| yaml(bound);
        let (bound, changes) = completion::bind(&self.novel(), None, &now(), form, &|| false).expect("bound")?;
        together::apply(&self.project, None, changes).expect("written");
        Some(bound)
    }

    fn status(&self) -> Status {
        Status::of(&self.novel()).expect("a status")
    }
}

fn episode(number: u32) -> Episode {
    Episode::new(number).expect("a number")
}

fn now() -> Moment {
    Moment::parse("2026-01-31T10:00:00.123Z").expect("a time")
}

/// Encodes a record as YAML. The tools write JSON, which is a subset of YAML.
fn yaml(value: &impl serde::Serialize) -> Vec<u8> {
    serde_saphyr::to_string(value).expect("YAML").into_bytes()
}
