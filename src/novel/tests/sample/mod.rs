//! A copy of the sample novel that a test may change. The sample itself is never changed.

use std::{fs, path::Path, sync::Arc};

use fumi_base::project::Project;
use fumi_novel::project::{NovelProject, ProjectNames};
use tempfile::TempDir;

/// Copies the sample to a temporary folder.
pub(crate) fn copied() -> (TempDir, NovelProject) {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel"), folder.path());
    let project: Arc<Project> = Project::open(folder.path()).expect("a project");
    (folder, NovelProject::new(project, ProjectNames::default()))
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}
