//! The folders that may be a project: the operator's allowed roots, and everything inside them.
//!
//! Invariant: every [`Project`] returned by this module lies inside an allowed root, by its canonical path. The choice
//! among them for a call (argument, session, client, default) is made by the callers.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    errors::{ErrorCatalog, ErrorShape, Facts, UserError},
    path_maps::PathMaps,
    project::{BOOK, MAX_PATH_BYTES, Project, quoted},
    system::{is_out_of_descriptors, is_system_failure, unless_unreadable},
    text::BilingualText,
};

/// The number of attempts to open a folder that is being moved.
const TRIES: usize = 4;

/// The roots that the operator allowed, or the part of them that one principal may use. Never empty.
#[derive(Debug)]
pub struct AllowedRoots {
    default: Arc<Project>,
    others: Vec<Arc<Project>>,
    /// Projects with names of their own, which URLs use. They lie inside the roots above.
    named: BTreeMap<String, Arc<Project>>,
    maps: Arc<PathMaps>,
}

/// The reason for a missing folder inside the allowed roots, in both languages.
const MISSING: (&str, &str) = ("the folder does not exist", "そのフォルダーは存在しません");

/// The error of a folder that cannot be the project root.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.english())]
pub struct RootError {
    /// The path as the client wrote it.
    pub path: String,
    /// The reason, in English and in Japanese.
    pub reason: (&'static str, &'static str),
    /// The allowed roots, as the client writes them.
    pub allowed: Box<[String]>,
    /// Paths of the client that are mapped to allowed roots, to a parent of one, or to a folder inside one.
    pub mapped: Box<[String]>,
    /// The names of projects that a URL can use.
    pub named: Box<[String]>,
    /// The system failure that prevented opening the folder, if any; the folder may be allowed.
    pub failure: Option<io::Error>,
}

impl UserError for RootError {
    fn entry(&self) -> &'static str {
        match self.failure {
            Some(_) => "SYSTEM_FAILURE",
            None if self.reason == MISSING => "ROOT_MISSING",
            None => "ROOT_NOT_ALLOWED",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        &BOOK
    }

    fn facts(&self) -> Facts {
        let path = ("path", BilingualText::same(quoted(&self.path)));
        if let Some(failure) = &self.failure {
            return vec![
                path,
                ("action", BilingualText::new("opened", "開くことが")),
                ("reason", BilingualText::same(failure.to_string())),
            ];
        }
        let maps = match self.mapped.join(", ") {
            maps if maps.is_empty() => BilingualText::same(""),
            maps => BilingualText::new(
                format!(" Mapped from the client: {maps}."),
                format!(" クライアント側で対応付けられているパス: {maps}。"),
            ),
        };
        let named = match self.named.join(", ") {
            named if named.is_empty() => BilingualText::same(""),
            named => BilingualText::new(
                format!(" Named projects (/projects/NAME/mcp): {named}."),
                format!(" 名前付きプロジェクト（/projects/NAME/mcp）: {named}。"),
            ),
        };
        let (en, ja) = self.reason;
        vec![
            path,
            ("reason", BilingualText::new(en, ja)),
            ("allowed", BilingualText::same(self.allowed.join(", "))),
            ("maps", maps),
            ("named", named),
        ]
    }

    fn shapes() -> Vec<ErrorShape> {
        let shape =
            |entry| ErrorShape { entry, catalog: &BOOK, facts: &["path", "reason", "allowed", "maps", "named"] };
        vec![shape("ROOT_MISSING"), shape("ROOT_NOT_ALLOWED")]
    }
}

impl AllowedRoots {
    /// Opens the allowed roots; the first is the default project. Returns `None` if the list is empty.
    pub fn open(roots: &[PathBuf]) -> Result<Option<Self>, (PathBuf, io::Error)> {
        Self::open_with(roots, &BTreeMap::new(), PathMaps::default())
    }

    /// Opens the allowed roots with path maps and named projects, which become allowed roots too.
    pub fn open_with(
        roots: &[PathBuf],
        named: &BTreeMap<String, PathBuf>,
        maps: PathMaps,
    ) -> Result<Option<Self>, (PathBuf, io::Error)> {
        let maps = Arc::new(maps);
        let open =
            |root: &PathBuf| Project::open_mapped(root, Arc::clone(&maps)).map_err(|error| (root.clone(), error));
        let mut all = roots.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let mut projects = BTreeMap::new();
        for (name, root) in named {
            let project = open(root)?;
            if !all.iter().any(|known| project.root().starts_with(known.root())) {
                all.push(Arc::clone(&project));
            }
            projects.insert(name.clone(), project);
        }
        let mut all = all.into_iter();
        Ok(all.next().map(|default| Self { default, others: all.collect(), named: projects, maps }))
    }

    /// Returns the part of these roots that a principal may use: folders inside them, the first being its default. A
    /// folder outside is an error.
    pub fn narrowed(&self, to: &[PathBuf]) -> Result<Option<Self>, RootError> {
        let opened = to.iter().map(|root| self.project(&root.to_string_lossy()));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        let named = self.named.iter().filter(|(_, project)| {
            let inside = |root: &Arc<Project>| project.root().starts_with(root.root());
            opened.iter().any(inside)
        });
        let named = named.map(|(name, project)| (name.clone(), Arc::clone(project))).collect();
        let mut opened = opened.into_iter();
        Ok(opened.next().map(|default| Self { default, others: opened.collect(), named, maps: Arc::clone(&self.maps) }))
    }

    /// Returns the project of a call that names none.
    pub fn default_project(&self) -> &Arc<Project> {
        &self.default
    }

    /// Returns the project with a name, as used in URLs.
    pub fn named(&self, name: &str) -> Option<&Arc<Project>> {
        self.named.get(name)
    }

    /// Returns the names that URLs can use, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Project>> {
        std::iter::once(&self.default).chain(&self.others)
    }

    /// Returns every project that the configuration names, the default first.
    pub fn projects(&self) -> impl Iterator<Item = &Arc<Project>> {
        self.all().chain(self.named.values())
    }

    /// Returns the canonical allowed roots, the default first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all().map(|project| project.root())
    }

    /// True if every allowed root exists.
    pub fn ensure_open(&self) -> bool {
        self.all().all(|project| project.ensure_open())
    }

    /// True if no file can be opened, because there is no file descriptor left.
    pub fn lacks_descriptors(&self) -> bool {
        self.default.try_opening().is_err_and(|error| is_out_of_descriptors(&error))
    }

    /// True if a project that was opened some time ago is still allowed.
    pub fn allows(&self, project: &Project) -> bool {
        self.paths().any(|root| project.root().starts_with(root))
    }

    /// Opens a project again by its canonical path on the server, if it still exists and is allowed.
    ///
    /// # Errors
    /// `SYSTEM_FAILURE`: the project may exist.
    pub fn reopen(&self, root: &Path) -> Result<Option<Arc<Project>>, RootError> {
        if let Some(known) = self.all().find(|project| project.root() == root) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(allowed) = self.all().find(|project| root.starts_with(project.root())) else {
            return Ok(None);
        };
        match allowed.open_inside(root) {
            Ok(project) => Ok(Some(project)),
            Err(error) if is_system_failure(&error) => {
                let shown = self.maps.to_client(root);
                Err(RootError {
                    failure: Some(error),
                    ..self.refuse(&shown, "it cannot be opened", "開くことができません")
                })
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns the client's paths that are mapped to these roots. A principal that is restricted to some roots sees no
    /// other paths.
    fn mapped(&self) -> Box<[String]> {
        let leads_here = |server: &Path| self.paths().any(|root| root.starts_with(server) || server.starts_with(root));
        let maps = self.maps.maps().iter();
        maps.filter(|map| leads_here(&map.server)).map(|map| map.client.clone()).collect()
    }

    fn refuse(&self, raw: &str, en: &'static str, ja: &'static str) -> RootError {
        RootError {
            path: raw.to_owned(),
            reason: (en, ja),
            allowed: self.all().map(|project| project.shown_root()).collect(),
            mapped: self.mapped(),
            named: self.names().map(str::to_owned).collect(),
            failure: None,
        }
    }

    /// Opens a project by its absolute path (in the client's or the server's form), if it is an existing folder inside
    /// an allowed root.
    pub fn project(&self, raw: &str) -> Result<Arc<Project>, RootError> {
        let refuse = |en, ja| self.refuse(raw, en, ja);
        if raw.len() > MAX_PATH_BYTES || raw.contains('\0') {
            return Err(refuse("it is too long or contains NUL", "長すぎるか、NUL 文字を含んでいます"));
        }
        let cannot = || refuse("it cannot be opened", "開くことができません");
        let here = Path::new(raw);
        let mapped = self.maps.to_server(raw);
        // The string may be a client's path or, if no folder exists where the maps lead, already a path of the server.
        let path = match &mapped {
            Some(path) => match unless_unreadable(path.metadata()) {
                Ok(Some(_)) => path,
                Ok(None) => here,
                Err(failure) => return Err(RootError { failure: Some(failure), ..cannot() }),
            },
            None => here,
        };
        if !path.is_absolute() {
            return Err(match mapped {
                Some(_) => refuse(MISSING.0, MISSING.1),
                None => refuse("it is not absolute", "絶対パスではありません"),
            });
        }
        if let Some(known) = self.all().find(|project| project.root() == path) {
            return Ok(Arc::clone(known));
        }
        let outside = || refuse("it is outside the allowed roots", "許可されたルートの外にあります");
        let opened = (0..TRIES).find_map(|_| match self.real(path, mapped.as_deref(), &refuse, &outside) {
            Ok((allowed, real)) if allowed.ensure_open() => match allowed.open_inside(&real) {
                Ok(project) => Some(Ok(project)),
                Err(error) if is_system_failure(&error) => Some(Err(RootError { failure: Some(error), ..cannot() })),
                // A folder of the path was moved or replaced between the two steps.
                Err(_) => None,
            },
            Ok(_) => None,
            Err(refused) => Some(Err(refused)),
        });
        opened.unwrap_or_else(|| Err(cannot()))
    }

    /// Returns the canonical path of a folder, and the allowed root that contains it.
    fn real(
        &self,
        path: &Path,
        mapped: Option<&Path>,
        refuse: &dyn Fn(&'static str, &'static str) -> RootError,
        outside: &dyn Fn() -> RootError,
    ) -> Result<(&Arc<Project>, PathBuf), RootError> {
        let unusable = |error: io::Error, en, ja| RootError {
            failure: is_system_failure(&error).then_some(error),
            ..refuse(en, ja)
        };
        // Paths outside get the same error whether they exist or not, so that nothing about the rest of the disk is
        // revealed.
        let real = path.canonicalize().map_err(|error| {
            let meant = mapped.unwrap_or(path);
            if self.paths().any(|root| meant.starts_with(root)) {
                unusable(error, MISSING.0, MISSING.1)
            } else {
                outside()
            }
        })?;
        let allowed = self.all().find(|project| real.starts_with(project.root()));
        let allowed = allowed.ok_or_else(outside)?;
        match real.metadata() {
            Ok(meta) if meta.is_dir() => Ok((allowed, real)),
            Ok(_) => Err(refuse("it is not a folder", "フォルダーではありません")),
            Err(error) => Err(unusable(error, "it cannot be opened", "開くことができません")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        path::Path,
        sync::atomic::{AtomicBool, Ordering},
        time::Duration,
    };

    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use tokio_util::sync::CancellationToken;

    use super::AllowedRoots;
    use crate::{atomic_write::replace, files::read, project_locks::ProjectLocks};

    /// Replaces a folder of an allowed root by a link out of it and back, as fast as possible, while the other work
    /// runs.
    fn exchanged<T>(root: &Path, work: impl FnOnce() -> T) -> T {
        /// Stops the loop, also when the work panics.
        struct StopOnDrop<'a>(&'a AtomicBool);
        impl Drop for StopOnDrop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let has_ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let _ends = StopOnDrop(&has_ended);
            scope.spawn(|| {
                while !has_ended.load(Ordering::Relaxed) {
                    renameat_with(CWD, root.join("d"), CWD, root.join("l"), RenameFlags::EXCHANGE).expect("exchanged");
                }
            });
            work()
        })
    }

    #[test]
    fn a_folder_that_is_exchanged_for_a_link_leads_nowhere_else() {
        let outer = tempfile::tempdir().expect("a folder");
        let (root, outside) = (outer.path().join("allowed"), outer.path().join("outside"));
        fs::create_dir_all(root.join("d")).expect("folders");
        fs::create_dir(&outside).expect("a folder");
        fs::write(root.join("d/x.md"), "inside").expect("written");
        fs::write(outside.join("x.md"), "outside").expect("written");
        symlink("../outside", root.join("l")).expect("a link");
        let roots = AllowedRoots::open(std::slice::from_ref(&root)).expect("there").expect("one");
        let name = roots.default_project().root().join("d").to_string_lossy().into_owned();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let writers = ProjectLocks::new(Duration::from_secs(10)).expect("made");
        let (mut read_inside, mut written) = (0, 0);
        exchanged(&root, || {
            for at in 0..100_000 {
                let Ok(project) = roots.project(&name) else { continue };
                if let Ok(bytes) = project.resolve("x.md").and_then(|file| read(&file, 100)) {
                    assert_eq!(bytes, b"inside");
                    read_inside += 1;
                }
                if at % 500 == 0 {
                    let _ = replace(&project, "planted.md", b"x").map(|_| written += 1);
                    if let Ok(turn) = runtime.block_on(writers.acquire(&project, "me", &CancellationToken::new())) {
                        runtime.block_on(turn.release());
                    }
                }
            }
        });
        assert!(read_inside > 0 && written > 0, "{read_inside} {written}");
        let names = fs::read_dir(&outside).expect("there").map(|entry| entry.expect("there").file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["x.md"]);
        drop(writers);
    }

    #[test]
    fn only_folders_inside_the_allowed_roots() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().canonicalize().expect("real").join("allowed");
        std::fs::create_dir_all(root.join("inner")).expect("a folder");
        std::fs::write(root.join("file"), "").expect("a file");
        std::os::unix::fs::symlink("/", root.join("out")).expect("a link");
        let roots = AllowedRoots::open(std::slice::from_ref(&root)).expect("readable").expect("one root");
        let at = |path: &str| root.join(path).to_string_lossy().into_owned();
        for (path, reason) in [
            (at("inner"), "ok"),
            (at(""), "ok"),
            (at("file"), "it is not a folder"),
            (at("missing"), "the folder does not exist"),
            (at("out"), "it is outside the allowed roots"),
            (at("../"), "it is outside the allowed roots"),
            ("/etc".to_owned(), "it is outside the allowed roots"),
            ("/no/such/place".to_owned(), "it is outside the allowed roots"),
            ("inner".to_owned(), "it is not absolute"),
        ] {
            let answer = roots.project(&path).map_or_else(|error| error.reason.0, |_| "ok");
            assert_eq!(answer, reason, "{path}");
        }
    }
}
