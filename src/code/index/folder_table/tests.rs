//! Tests of the table: it lists what a walk finds, follows changes, and refuses what it cannot tell.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::project::Project;
use ignore::overrides::{Override, OverrideBuilder};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{ChangedPath, FolderTable, KeptTable, list_whole};

/// A repository whose folders are listed.
struct Listed {
    folder: tempfile::TempDir,
    project: Arc<Project>,
    kept: KeptTable,
}

/// An edit of a project, with the path of a folder outside.
type Edit = fn(&Listed, &Path);

/// The state of the rules outside the project, which is the same in all tests.
const OUTSIDE: Option<u64> = Some(0);

impl Listed {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::open(folder.path()).expect("a project");
        let mut listed = Self { folder, project, kept: KeptTable::default() };
        fs::create_dir(listed.path(".git")).expect("a folder");
        for file in files {
            listed.write(file);
        }
        listed.kept.change(&[], OUTSIDE, &listed.project);
        assert!(listed.kept.want() && listed.kept.begin());
        listed.kept.finish(list_whole(&listed.project), &listed.project);
        listed
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("there").join(relative)
    }

    /// Writes a file; the text after `=` is its content.
    fn write(&self, file: &str) {
        let (name, content) = file.split_once('=').unwrap_or((file, ""));
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    /// Reports changed paths.
    fn change(&mut self, paths: &[&str]) {
        let root = self.path("");
        let look = |path: &&str| ChangedPath::new(&root, path.into()).expect("the system works");
        let changed: Vec<_> = paths.iter().map(look).collect();
        self.kept.change(&changed, OUTSIDE, &self.project);
    }

    /// Returns the files of the table. `None` without a table, or if it cannot tell.
    fn files(&self, folder: &str, globs: &[&str]) -> Option<String> {
        let root = self.path("");
        let mut builder = OverrideBuilder::new(&root);
        for glob in globs {
            builder.add(glob).expect("valid");
        }
        let globs: Override = builder.build().expect("valid");
        let table: Arc<FolderTable> = self.kept.get()?;
        let folder_at = table.folder(Path::new(folder))?;
        let mut files = Vec::new();
        let mut path = root.join(folder);
        let is_known = folder_at.each_file(&mut path, &globs, |path: &Path| {
            files.push(path.strip_prefix(&root).expect("below").display().to_string());
            true
        });
        if globs.is_empty() {
            let counted = is_known.then_some(files.len() as u64);
            assert_eq!(folder_at.files(), counted, "{files:?}");
            assert!(!is_known || files.iter().all(|file| table.has_file(Path::new(file))));
        }
        is_known.then(|| files.join(" "))
    }

    fn all(&self) -> Option<String> {
        self.files("", &[])
    }
}

#[test]
fn files_are_those_of_a_walk() {
    let listed = Listed::new(&[
        ".gitignore=target\n*.log\n",
        "a.rs",
        "b.log",
        ".env",
        "src/c.rs",
        "src/.gitignore=!b.log\n",
        "src/b.log",
        "target/d.rs",
    ]);
    symlink("a.rs", listed.path("link.rs")).expect("a link");
    assert_eq!(listed.all().expect("listed"), "a.rs src/b.log src/c.rs");
    assert_eq!(listed.files("src", &[]).expect("listed"), "src/b.log src/c.rs");
    // A glob admits files that are ignored or hidden, but not the folders.
    assert_eq!(listed.files("", &["*.log"]).expect("listed"), "b.log src/b.log");
    assert_eq!(listed.files("", &[".env"]).expect("listed"), ".env");
    assert_eq!(listed.files("", &["!src"]).expect("listed"), "a.rs");
    assert_eq!(listed.files("src", &["!src"]).expect("listed"), "src/b.log src/c.rs");
    // These must be walked: an ignored folder, as a root or by a glob.
    assert_eq!(listed.files("target", &[]), None);
    assert_eq!(listed.files("", &["target"]), None);
    assert_eq!(listed.files("", &["*"]), None);
    let table = listed.kept.get().expect("a table");
    for (file, is_there) in [("a.rs", true), (".env", false), ("src", false), ("target/d.rs", false)] {
        assert_eq!(table.has_file(Path::new(file)), is_there, "{file}");
    }
}

#[test]
fn changes_are_followed() {
    let mut listed = Listed::new(&["a.rs", "src/b.rs", "src/deep/c.rs"]);
    listed.write("src/new.rs");
    listed.change(&["src/new.rs"]);
    assert_eq!(listed.all().expect("listed"), "a.rs src/b.rs src/deep/c.rs src/new.rs");
    fs::rename(listed.path("src/deep"), listed.path("lib")).expect("moved");
    listed.change(&["src/deep", "lib"]);
    assert_eq!(listed.all().expect("listed"), "a.rs lib/c.rs src/b.rs src/new.rs");
    // Another folder under the same name.
    fs::rename(listed.path("lib"), listed.path("between")).expect("moved");
    fs::rename(listed.path("src"), listed.path("lib")).expect("moved");
    fs::rename(listed.path("between"), listed.path("src")).expect("moved");
    listed.change(&["src", "lib"]);
    assert_eq!(listed.all().expect("listed"), "a.rs lib/b.rs lib/new.rs src/c.rs");
    fs::remove_dir_all(listed.path("lib")).expect("removed");
    symlink("src", listed.path("lib")).expect("a link");
    listed.change(&["lib"]);
    assert_eq!(listed.all().expect("listed"), "a.rs src/c.rs");
    fs::remove_file(listed.path("lib")).expect("removed");
    listed.write("lib/d.rs");
    listed.change(&["lib"]);
    assert_eq!(listed.all().expect("listed"), "a.rs lib/d.rs src/c.rs");
}

#[test]
fn ignore_files_concern_the_folders_below() {
    let mut listed = Listed::new(&["a.rs", "src/b.rs", "src/deep/b.rs", "target/t.rs"]);
    for (rules, content, files) in [
        ("src/.gitignore", "b.rs\n", "a.rs target/t.rs"),
        ("src/deep/.ignore", "!b.rs\n", "a.rs src/deep/b.rs target/t.rs"),
        (".git/info/exclude", "target\n", "a.rs src/deep/b.rs"),
        (".rgignore", "a.rs\n", "src/deep/b.rs"),
        ("src/.gitignore", "", "src/b.rs src/deep/b.rs"),
    ] {
        listed.write(&format!("{rules}={content}"));
        listed.change(&[rules]);
        assert_eq!(listed.all().expect("listed"), files, "{rules}");
    }
    // Without a repository, the ignore files of git do not count.
    fs::remove_dir_all(listed.path(".git")).expect("removed");
    listed.change(&[".git"]);
    assert_eq!(listed.all().expect("listed"), "src/b.rs src/deep/b.rs target/t.rs");
    // Other files of git have no rules.
    let before = listed.kept.get().expect("a table");
    fs::create_dir(listed.path(".git")).expect("a folder");
    listed.write(".git/index");
    listed.change(&[".git/index", "a.rs"]);
    assert!(Arc::ptr_eq(&before, &listed.kept.get().expect("a table")));
}

#[test]
fn rules_that_change_without_an_event_have_no_table() {
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("rules"), "a.rs\n").expect("a file");
    fs::create_dir(outside.path().join("info")).expect("a folder");
    let edits: [(&str, Edit); 4] = [
        ("src/.gitignore", |listed, outside| {
            symlink(outside.join("rules"), listed.path("src/.gitignore")).expect("a link");
        }),
        ("src/.gitignore", |listed, outside| {
            fs::hard_link(outside.join("rules"), listed.path("src/.gitignore")).expect("a name");
        }),
        (".git/info", |listed, outside| {
            symlink(outside.join("info"), listed.path(".git/info")).expect("a link");
        }),
        ("src/.jj", |listed, outside| {
            symlink(outside.join("info"), listed.path("src/.jj")).expect("a link");
        }),
    ];
    for (path, edit) in edits {
        let mut listed = Listed::new(&["a.rs", "src/b.rs"]);
        assert!(listed.all().is_some());
        edit(&listed, outside.path());
        listed.change(&[path]);
        assert_eq!(listed.all(), None, "{path}");
        assert!(list_whole(&listed.project).is_err(), "{path}");
    }
}

#[test]
fn an_ignore_file_that_gets_another_name_has_no_table() {
    let mut listed = Listed::new(&[".gitignore=b.rs\n", "a.rs", "b.rs"]);
    assert_eq!(listed.all().expect("listed"), "a.rs");
    fs::hard_link(listed.path(".gitignore"), listed.path("other")).expect("a name");
    // The kernel names only the new one.
    listed.change(&["other"]);
    assert_eq!(listed.all(), None);
}

#[test]
fn other_rules_outside_end_the_table_and_the_one_being_made() {
    let mut listed = Listed::new(&["a.rs"]);
    listed.kept.change(&[], Some(1), &listed.project);
    assert_eq!(listed.all(), None);
    assert!(listed.kept.want() && listed.kept.begin());
    let made = list_whole(&listed.project);
    listed.kept.change(&[], Some(2), &listed.project);
    listed.kept.finish(made, &listed.project);
    assert_eq!(listed.all(), None);
    // Rules that cannot be told: no table is wanted.
    listed.kept.change(&[], None, &listed.project);
    assert!(!listed.kept.want());
}

#[test]
fn changes_while_the_table_is_made_are_followed() {
    let mut listed = Listed::new(&["a.rs"]);
    listed.kept.forget();
    assert!(listed.kept.want() && listed.kept.begin());
    let made = list_whole(&listed.project);
    listed.write("b.rs");
    listed.change(&["b.rs"]);
    assert_eq!(listed.all(), None);
    listed.kept.finish(made, &listed.project);
    assert_eq!(listed.all().expect("listed"), "a.rs b.rs");
}

#[test]
fn a_change_of_many_folders_is_left_to_the_background() {
    let many: Vec<String> = (0..200).map(|n| format!("many/{n}/a.rs")).collect();
    let mut listed = Listed::new(&["a.rs"]);
    for file in &many {
        listed.write(file);
    }
    listed.change(&["many"]);
    assert_eq!(listed.files("many", &[]).expect("listed").split(' ').count(), 200);
    for n in 0..10_000 {
        listed.write(&format!("large/{n}"));
    }
    listed.change(&["large"]);
    assert_eq!(listed.all(), None);
    assert!(listed.kept.want());
}

#[test]
fn folders_whose_changes_are_not_reported_are_walked() {
    let listed = Listed::new(&[".gitignore=!.fumi\n", "a.rs", ".fumi/b.rs", "src/c.rs"]);
    assert_eq!(listed.all(), None);
    assert_eq!(listed.files("src", &[]).expect("listed"), "src/c.rs");
    let deep = ["d"; 120].join("/");
    let listed = Listed::new(&["a.rs", &format!("src/{deep}/b.rs"), "lib/c.rs"]);
    assert_eq!(listed.all(), None);
    assert_eq!(listed.files("lib", &[]).expect("listed"), "lib/c.rs");
}

#[test]
fn entries_of_every_kind_are_visited_to_a_depth() {
    let listed = Listed::new(&["a.rs", "src/b.rs", "src/deep/c.rs"]);
    symlink("a.rs", listed.path("link")).expect("a link");
    let _socket = UnixListener::bind(listed.path("socket")).expect("a socket");
    let table = list_whole(&listed.project).expect("listed");
    let top = table.folder(Path::new("")).expect("the root");
    let visited = |depth| {
        let mut visited = Vec::new();
        let is_known = top.each_entry(&mut PathBuf::new(), &Override::empty(), depth, &mut |path, kind| {
            visited.push(format!("{} {kind:?}", path.display()));
            true
        });
        assert!(is_known);
        visited.join(", ")
    };
    assert_eq!(visited(Some(0)), "");
    let first = "a.rs File, link Link, socket Other, src Folder";
    assert_eq!(visited(Some(1)), first);
    assert_eq!(visited(Some(2)), format!("{first}, src/b.rs File, src/deep Folder"));
    assert_eq!(visited(None), format!("{first}, src/b.rs File, src/deep Folder, src/deep/c.rs File"));
}

#[test]
fn ignore_files_of_one_kind_of_walk_are_noticed() {
    for (name, is_as_listed) in [
        (".fdignore", false),
        ("src/.rgignore", false),
        ("../.fdignore", false),
        ("../.rgignore", false),
        ("src/.ignore", true),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("src")).expect("a folder");
        fs::write(root.join(name), "").expect("a file");
        let project = Project::open(&root).expect("a project");
        let table = list_whole(&project).expect("listed");
        assert_eq!(table.is_as_listed(), is_as_listed, "{name}");
    }
    let mut listed = Listed::new(&["src/a.rs"]);
    let is_as_listed = |listed: &Listed| listed.kept.get().expect("a table").is_as_listed();
    listed.write("src/.fdignore");
    listed.change(&["src/.fdignore"]);
    assert!(!is_as_listed(&listed));
    fs::remove_file(listed.path("src/.fdignore")).expect("removed");
    listed.change(&["src/.fdignore"]);
    assert!(is_as_listed(&listed));
}

#[test]
fn deletions_of_a_large_folder_are_counted() {
    let many: Vec<String> = (0..12_000).map(|n| format!("large/{n}")).collect();
    let mut listed = Listed::new(&["a.rs"]);
    for file in &many {
        listed.write(file);
    }
    listed.kept.forget();
    assert!(listed.kept.want() && listed.kept.begin());
    listed.kept.finish(list_whole(&listed.project), &listed.project);
    let paths: Vec<&str> = many.iter().map(String::as_str).collect();
    for (deleted, is_followed) in [(&paths[..3_000], true), (&paths[3_000..], false)] {
        for file in deleted {
            fs::remove_file(listed.path(file)).expect("removed");
        }
        listed.change(deleted);
        assert_eq!(listed.all().is_some(), is_followed);
    }
}

#[test]
fn unusable_ignore_files_have_no_table() {
    for name in [".gitignore", "src/.ignore", ".git/info/exclude"] {
        let mut listed = Listed::new(&["a.rs", "src/b.rs", ".git/info/other"]);
        mknodat(CWD, listed.path(name), FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        // Before an event tells of the pipe.
        listed.write("src/c.rs");
        listed.change(&["src/c.rs"]);
        assert_eq!(listed.all(), None, "{name}");
        assert!(list_whole(&listed.project).is_err(), "{name}");
    }
}

#[test]
fn ignore_files_of_a_table_have_a_total_size() {
    let rules = "/some/pattern/*.rs\n".repeat(1_000);
    let mut listed = Listed::new(&["a.rs"]);
    for n in 0..10 {
        listed.write(&format!("folder{n}/.gitignore={rules}"));
    }
    assert!(list_whole(&listed.project).is_ok());
    for n in 10..20 {
        listed.write(&format!("folder{n}/.gitignore={rules}"));
    }
    assert!(list_whole(&listed.project).is_err());
    // A call reads few rules, however many folders changed.
    let folders: Vec<String> = (0..10).map(|n| format!("folder{n}")).collect();
    listed.change(&folders.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(listed.all(), None);
}
