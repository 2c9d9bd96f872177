//! Tests of files: what is written, and what is left alone.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
};

use super::{SERVER, client};
use crate::{Change, ConnectError, Server};

#[test]
fn missing_file_and_folders_are_created() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/b/mcp.json");
    let cursor = client("cursor");
    assert_eq!(cursor.remove_from(&path).expect("nothing to do"), Change::Unchanged);
    assert!(!folder.path().join("a").exists());
    assert_eq!(cursor.add_to(&path, &SERVER).expect("written"), Change::Created);
    assert_eq!(fs::read_to_string(&path).expect("there"), cursor.snippet(&SERVER));
    assert_eq!(cursor.remove_from(&path).expect("read"), Change::OnlyOurs);
    assert!(path.exists(), "the caller deletes it");
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("there").count(), 1);
}

#[test]
fn file_is_replaced_with_its_permissions_and_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    let old = "a = 1\r\n";
    fs::write(&path, old).expect("written");
    fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
    let codex = client("codex");
    assert_eq!(codex.add_to(&path, &SERVER).expect("written"), Change::Updated);
    assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o640);
    let inode = fs::metadata(&path).expect("there").ino();
    assert_eq!(codex.add_to(&path, &SERVER).expect("read"), Change::Unchanged);
    assert_eq!(fs::metadata(&path).expect("there").ino(), inode, "not written again");
    let other = Server { url: "http://127.0.0.1:1/mcp", ..SERVER };
    assert_eq!(codex.add_to(&path, &other).expect("written"), Change::Updated);
    assert_eq!(codex.remove_from(&path).expect("written"), Change::Updated);
    assert_eq!(fs::read_to_string(&path).expect("there"), old);
}

#[test]
fn symbolic_link_stays_and_its_target_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("dotfiles/mcp.json");
    fs::create_dir(outside.path().join("dotfiles")).expect("a folder");
    fs::write(&target, "{}").expect("written");
    symlink(&target, folder.path().join("absolute")).expect("a link");
    symlink("absolute", folder.path().join("relative")).expect("a link");
    let link = folder.path().join("relative");
    assert_eq!(client("cursor").add_to(&link, &SERVER).expect("written"), Change::Updated);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert!(fs::read_to_string(&target).expect("there").contains(SERVER.url));
    assert_eq!(client("cursor").remove_from(&link).expect("written"), Change::Updated);
    assert_eq!(fs::read_to_string(&target).expect("there"), "{}");

    let dangling = folder.path().join("dangling");
    symlink(outside.path().join("new/mcp.json"), &dangling).expect("a link");
    assert_eq!(client("cursor").add_to(&dangling, &SERVER).expect("written"), Change::Created);
    assert!(outside.path().join("new/mcp.json").is_file());

    symlink("loop", folder.path().join("loop")).expect("a link");
    let error = client("cursor").add_to(&folder.path().join("loop"), &SERVER).expect_err("a loop");
    assert!(matches!(error, ConnectError::Io { .. }), "{error}");
}

#[test]
fn unsuitable_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mcp.json");
    let refuse = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let error = client("cursor").add_to(&path, &SERVER).expect_err("refused");
        assert_eq!(fs::read(&path).expect("there"), bytes);
        error
    };
    let error = refuse(b"{\n\"a\": \"\xff\"}");
    assert!(matches!(error, ConnectError::NotUtf8 { line: 2, .. }), "{error}");
    let error = refuse(b"{");
    assert!(matches!(error, ConnectError::Text { .. }), "{error}");
    assert!(error.to_string().starts_with(&format!("{}, line 1, column 1: ", path.display())), "{error}");
    let error = refuse(&b" ".repeat(10_000_001));
    assert!(matches!(error, ConnectError::TooLarge { .. }), "{error}");
    let error = client("cursor").add_to(folder.path(), &SERVER).expect_err("a folder");
    assert!(matches!(error, ConnectError::NotAFile { .. }), "{error}");
    let below = path.join("mcp.json");
    assert!(matches!(client("cursor").add_to(&below, &SERVER), Err(ConnectError::Io { .. })));
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "no temporary file is left");
}
