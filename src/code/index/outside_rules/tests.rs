//! Tests of the rules outside a project: every change of them alters the state.

use std::{fs, os::unix::fs::symlink};

use super::outside_rules;

#[test]
fn a_repository_above_alters_the_state() {
    let outer = tempfile::tempdir().expect("a folder");
    let root = outer.path().join("project");
    fs::create_dir(&root).expect("a folder");
    let state = || outside_rules(&root, 0);
    let before = state();
    assert!(before.is_some() && before == state());
    assert_ne!(outside_rules(&root, 1), before);
    for name in [".git", ".jj"] {
        fs::create_dir(outer.path().join(name)).expect("a folder");
        assert!(state().is_some() && state() != before, "{name}");
        fs::remove_dir(outer.path().join(name)).expect("removed");
        assert_eq!(state(), before, "{name}");
    }
    // What is inside the project is not outside.
    fs::create_dir(root.join(".git")).expect("a folder");
    assert_eq!(state(), before);
}

#[test]
fn a_worktree_above_has_rules_elsewhere() {
    let outer = tempfile::tempdir().expect("a folder");
    let root = outer.path().join("project");
    fs::create_dir(&root).expect("a folder");
    fs::write(outer.path().join(".git"), "gitdir: /elsewhere").expect("a file");
    assert_eq!(outside_rules(&root, 0), None);
    fs::remove_file(outer.path().join(".git")).expect("removed");
    symlink("elsewhere", outer.path().join(".git")).expect("a link");
    assert_eq!(outside_rules(&root, 0), None);
}
