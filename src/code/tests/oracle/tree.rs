//! The tree that both sides walk: every kind of ignore file at every level, and every kind of file that is hard to
//! read.
//!
//! Deterministic: the same names, bytes and times on every run. No link leads out of the project, and every text file
//! is UTF-8 or marked: for those the programs and we agree by design.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use fumi_base::project::Project;

/// A project inside an outer folder with its own ignore files, and an empty home.
pub(crate) struct Tree {
    _outer: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) project: Arc<Project>,
}

/// The position of the tree in a git repository (`.gitignore` files count only in one).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Git {
    /// The repository begins in the outer folder.
    Outer,
    /// The repository is the project.
    Root,
    /// No repository, except for the one in `vendor/`.
    None,
}

/// The text that a search for ordinary words finds; each line tests something.
const CODE: &str = "fn main() {\n    let needle = Needle::new();\n    needle.find(\"foo bar\");\n}\n\n// TODO: needle needle NEEDLE\n--version is text\nstruct Needle;\n";

impl Tree {
    pub(crate) fn new(git: Git) -> Self {
        let outer = tempfile::tempdir().expect("a folder");
        let base = outer.path().canonicalize().expect("it exists");
        let root = base.join("outer/project");
        let home = base.join("home");
        fs::create_dir_all(&root).expect("a folder");
        fs::create_dir_all(&home).expect("a folder");
        let mut plant = Plant { root: &root };
        plant.ignore_files(git);
        plant.texts();
        plant.odd_files();
        plant.links();
        plant.times();
        let project = Project::open(&root).expect("a project");
        Self { _outer: outer, root, home, project }
    }
}

struct Plant<'a> {
    root: &'a Path,
}

impl Plant<'_> {
    fn write(&mut self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    fn ignore_files(&mut self, git: Git) {
        self.write("../.gitignore", "*.outer-git\n/project/from_parent.txt\n");
        self.write("../.ignore", "*.outer-ignore\n!kept.outer-ignore\n");
        self.write("../.rgignore", "outer_rg.txt\n");
        self.write("../.fdignore", "outer_fd.txt\n");
        match git {
            Git::Outer => self.write("../.git/info/exclude", "excluded_by_outer.txt\n"),
            Git::Root => self.write(".git/info/exclude", "excluded.txt\n*.excluded\n"),
            Git::None => {}
        }
        if git == Git::Root {
            self.write(".git/config", "needle = foo\n");
        }
        self.write(
            ".gitignore",
            "# a comment\n*.log\n!important.log\n/build/\ntarget/\nsrc/gen_*.rs\n**/deep/skip.txt\n\\#odd\ntrailing\\ \n[invalid\n",
        );
        self.write(".ignore", "*.tmp\n!src/keep.tmp\nignored_dir/\n");
        self.write(".rgignore", "rg_only.txt\n");
        self.write(".fdignore", "fd_only.txt\n");
        self.write("src/.gitignore", "local.txt\n!*.log\nnested/*\n!nested/kept.rs\n");
        self.write("src/.ignore", "!build\nsecret.*\n");
        self.write("docs/.rgignore", "!*.tmp\ndraft.md\n");
        self.write("docs/.fdignore", "!*.tmp\ndraft.txt\n");
        self.write("vendor/.git/info/exclude", "vendored_excluded.txt\n");
        self.write("vendor/.gitignore", "*.gen\n");
        for name in [
            "a.outer-git",
            "a.outer-ignore",
            "kept.outer-ignore",
            "outer_rg.txt",
            "outer_fd.txt",
            "from_parent.txt",
            "excluded_by_outer.txt",
            "excluded.txt",
            "b.excluded",
            "debug.log",
            "important.log",
            "build/out.txt",
            "src/build/kept.txt",
            "lib/target/debug.txt",
            "src/gen_code.rs",
            "lib/deep/skip.txt",
            "#odd",
            "trailing ",
            "scratch.tmp",
            "src/keep.tmp",
            "src/other.tmp",
            "ignored_dir/inner.txt",
            "rg_only.txt",
            "fd_only.txt",
            "src/local.txt",
            "src/trace.log",
            "src/nested/dropped.rs",
            "src/nested/kept.rs",
            "src/nested/deeper/dropped.rs",
            "src/secret.txt",
            "docs/page.tmp",
            "docs/draft.md",
            "docs/draft.txt",
            "vendor/lib.c",
            "vendor/made.gen",
            "vendor/vendored_excluded.txt",
        ] {
            self.write(name, format!("{name}: needle foo\nNeedle bar\n"));
        }
    }

    fn texts(&mut self) {
        self.write("src/main.rs", CODE);
        self.write("src/lib.rs", CODE.repeat(20));
        self.write("src/a/b/c/deep.rs", CODE);
        self.write("src/Upper.RS", CODE.to_uppercase());
        self.write("lib/util.py", "def needle():\n    return 'foo'\n\n\ndef other():\n\treturn needle()\n");
        self.write("lib/__init__.py", "from .util import needle\n");
        self.write("docs/README.md", "# Needle\n\nfoo bar baz\nfoo\n\nfoo needle\n");
        self.write(".hidden/inside.txt", "hidden needle foo\n");
        self.write(".env", "NEEDLE=foo\n");
        self.write("lib/.config.toml", "needle = 'foo'\n");
        self.write("日本語/文書.txt", "これは needle です。\n猫と foo と猫。\n名前はまだ無い。\n");
        self.write("日本語/か\u{3099}.txt", "needle NFD 名前\n");
        self.write("space name/with space.txt", "foo needle foo\n");
        self.write("-dash.txt", "needle --version\n");
        self.write("lib/[bracket]{brace}.txt", "needle\n");
        self.write("crlf.txt", "first needle\r\nsecond foo\r\n\r\nneedle needle\r\n");
        self.write("no_newline.txt", "foo\nneedle at the end");
        self.write("empty.txt", "");
        self.write("only_newlines.txt", "\n\n\n");
        self.write("lib/empty.py", "");
        fs::create_dir_all(self.root.join("empty_dir")).expect("a folder");
        self.write(
            "context.txt",
            "1\n2\nneedle 3\n4\n5\nneedle 6\n7\n8\n9\n10\nneedle 11\nneedle 12\n13\n14\n15\n16\n17 foo\nneedle 18\n",
        );
        let mut large = String::new();
        for line in 0..4_000 {
            large.push_str(if line % 977 == 0 { "a needle in line " } else { "nothing to see in line " });
            large.push_str(&line.to_string());
            large.push('\n');
        }
        self.write("large.txt", large);
    }

    fn odd_files(&mut self) {
        let long = format!("{}needle{}foo needle{}\n", "x".repeat(20_000), "あ".repeat(10_000), "y".repeat(20_000));
        self.write("min.js", format!("short needle\n{long}foo\n"));
        self.write("huge_line.txt", "foo ".repeat(20_000) + "needle\n");
        let text = "UTF-16 needle の行\n二行目 foo\n";
        let utf_16 = |mark: [u8; 2], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
        };
        self.write("utf16le.txt", utf_16([0xff, 0xfe], u16::to_le_bytes));
        self.write("lib/utf16be.txt", utf_16([0xfe, 0xff], u16::to_be_bytes));
        self.write("bom.txt", "\u{feff}needle after the mark\nfoo\n");
        // Mostly UTF-8, with one invalid byte.
        self.write("broken.txt", ["名前 needle\n".repeat(9).as_bytes(), b"foo \xff needle\n"].concat());
        self.write("early.bin", b"\0\x01\x02needle\nfoo\n");
        self.write("lib/middle.bin", [b"needle\n".repeat(9_000), b"\0needle\n".to_vec()].concat());
        self.write("late.bin", [b"foo needle\n".repeat(30_000), b"\0\nneedle\n".to_vec()].concat());
        for script in ["run.sh", "lib/tool"] {
            self.write(script, "#!/bin/sh\necho needle\n");
            fs::set_permissions(self.root.join(script), fs::Permissions::from_mode(0o755)).expect("set");
        }
    }

    fn links(&mut self) {
        for (target, name) in [
            ("src/main.rs", "link_to_file.rs"),
            ("src", "link_to_dir"),
            ("..", "src/a/loop"),
            ("nowhere", "broken_link"),
            ("../.hidden", "lib/link_to_hidden"),
            ("link_to_file.rs", "link_to_link.rs"),
        ] {
            symlink(target, self.root.join(name)).expect("a link");
        }
        symlink(self.root.join("docs"), self.root.join("absolute_link")).expect("a link");
    }

    /// Sets times far enough apart that a slow run does not matter.
    fn times(&mut self) {
        let now = SystemTime::now();
        let hours = |hours| now - Duration::from_hours(hours);
        for (path, time) in [
            ("src/main.rs", hours(24 * 3)),
            ("docs/README.md", hours(24 * 40)),
            ("lib/util.py", hours(24 * 400)),
            ("context.txt", hours(5)),
        ] {
            let file = fs::File::options().write(true).open(self.root.join(path)).expect("a file");
            file.set_modified(time).expect("set");
        }
    }
}
