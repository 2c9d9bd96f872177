//! Tests of projects and their paths: which strings are opened, and which are refused.

use std::fs;

use super::{PathError, Project};
use crate::errors::UserError;

fn refused(project: &std::sync::Arc<Project>, raw: &str) -> String {
    match project.resolve(raw).and_then(|path| path.open().map(|_| path)) {
        Ok(path) => format!("opened {}", path.shown()),
        Err(error) => error.error_message().code,
    }
}

#[test]
fn recreated_root_is_reopened() {
    let outer = tempfile::tempdir().expect("a folder");
    let (root, inner) = (outer.path().join("root"), outer.path().join("root/inner"));
    fs::create_dir_all(&inner).expect("folders");
    let project = Project::open(&root).expect("a project");
    let part = project.open_inside(&project.root().join("inner")).expect("inside");
    fs::remove_dir_all(&root).expect("removed");
    assert!(!project.ensure_open() && !part.ensure_open());
    for project in [&project, &part] {
        let error = project.resolve("x").expect_err("missing");
        assert!(matches!(error, PathError::ProjectMissing { .. }) && error.is_system_failure(), "{error}");
    }
    fs::create_dir_all(&inner).expect("folders");
    fs::write(inner.join("x"), "new").expect("written");
    assert!(part.ensure_open() && project.ensure_open());
    let opened = [project.resolve("inner/x"), part.resolve("x")].map(|path| path.expect("there").open().is_ok());
    assert_eq!(opened, [true, true]);
}

#[test]
fn system_failure_is_not_a_missing_or_other_file() {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join("d")).expect("a folder");
    for name in ["が", "か\u{3099}"] {
        fs::write(root.path().join(name), name).expect("written");
    }
    let project = Project::open(root.path()).expect("a project");
    let folder = project.resolve("d").expect("there");
    assert!(folder.is_dir().expect("known"));
    for failing in ["d", "が"] {
        project.failures().fail_at(failing);
    }
    let refused = [
        folder.is_dir().map(drop),
        project.find("d").map(drop),
        // Which of the two spellings is meant cannot be told.
        project.find("が").map(drop),
    ];
    for refused in refused {
        assert!(refused.as_ref().is_err_and(PathError::is_system_failure), "{refused:?}");
    }
    assert_eq!(project.failures().count(), 3);
}

#[test]
fn a_socket_is_no_file_and_no_failure_of_the_system() {
    let root = tempfile::tempdir().expect("a folder");
    let _socket = std::os::unix::net::UnixListener::bind(root.path().join("app.sock")).expect("a socket");
    let project = Project::open(root.path()).expect("a project");
    assert_eq!(refused(&project, "app.sock"), "INVALID_ARGUMENTS");
    assert_eq!(project.failures().count(), 0);
}

#[test]
fn only_paths_inside_are_opened() {
    let outer = tempfile::tempdir().expect("a folder");
    let root = outer.path().join("project");
    fs::create_dir_all(root.join("src")).expect("a folder");
    fs::write(root.join("src/main.py"), "x = 1\n").expect("a file");
    fs::write(outer.path().join("secret"), "s").expect("a file");
    std::os::unix::fs::symlink("../secret", root.join("out")).expect("a link");
    std::os::unix::fs::symlink("/etc/passwd", root.join("passwd")).expect("a link");
    std::os::unix::fs::symlink(root.join("src/main.py"), root.join("inside")).expect("a link");
    let project = Project::open(&root).expect("a project");
    let absolute = root.join("src/main.py").to_string_lossy().into_owned();
    for (raw, expected) in [
        ("src/main.py", "opened src/main.py"),
        ("./src//main.py", "opened src/main.py"),
        (absolute.as_str(), "opened src/main.py"),
        ("inside", "opened src/main.py"),
        ("out", "OUTSIDE_PROJECT"),
        ("passwd", "OUTSIDE_PROJECT"),
        ("/etc/passwd", "OUTSIDE_PROJECT"),
        ("../secret", "PATH_TRAVERSAL"),
        ("src/../../secret", "PATH_TRAVERSAL"),
        ("..\\secret", "PATH_TRAVERSAL"),
        ("．．/secret", "PATH_TRAVERSAL"),
        ("src/main.py\0.txt", "PATH_TRAVERSAL"),
        ("src", "INVALID_ARGUMENTS"),
        ("src/mian.py", "FILE_NOT_FOUND"),
        ("src/main.py/x", "FILE_NOT_FOUND"),
    ] {
        assert_eq!(refused(&project, raw), expected, "{raw:?}");
    }
}

#[test]
fn a_missing_name_offers_the_nearest() {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join("src")).expect("a folder");
    fs::write(root.path().join("src/server.rs"), "").expect("a file");
    let project = Project::open(root.path()).expect("a project");
    let Err(PathError::FileNotFound { nearest, .. }) = project.resolve("src/sevrer.rs") else {
        panic!("it does not exist");
    };
    assert_eq!(nearest, ["src/server.rs"]);
}

#[test]
fn a_link_swapped_in_after_the_check_does_not_leave() {
    let outer = tempfile::tempdir().expect("a folder");
    let root = outer.path().join("project");
    fs::create_dir_all(root.join("d")).expect("a folder");
    fs::write(root.join("d/f"), "inside").expect("a file");
    fs::create_dir(outer.path().join("e")).expect("a folder");
    fs::write(outer.path().join("e/f"), "outside").expect("a file");
    let project = Project::open(&root).expect("a project");
    let proof = project.resolve("d/f").expect("inside");
    fs::rename(root.join("d"), root.join("was")).expect("renamed");
    std::os::unix::fs::symlink("../e", root.join("d")).expect("a link");
    assert!(matches!(proof.open(), Err(PathError::OutsideProject { .. })));
}

#[test]
fn names_match_across_normalisation_forms_unless_both_exist() {
    let root = tempfile::tempdir().expect("a folder");
    fs::write(root.path().join("か\u{3099}.txt"), "nfd").expect("a file");
    let project = Project::open(root.path()).expect("a project");
    assert_eq!(project.resolve("が.txt").expect("found").shown(), "か\u{3099}.txt");
    fs::write(root.path().join("が.txt"), "nfc").expect("a file");
    assert_eq!(project.resolve("が.txt").expect("as given").shown(), "が.txt");
    assert_eq!(project.resolve("か\u{3099}.txt").expect("as given").shown(), "か\u{3099}.txt");
}
