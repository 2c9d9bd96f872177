//! Projects for tests, and fumi's parts over them without HTTP: the fast way to call a tool.
//!
//! Each project is in a temporary folder of its own. Tests share only the fixtures, which are copied.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi::{app::App, state::State};
use fumi_base::text::Locale;
use fumi_code::parser_pool::ParserPool;
use fumi_config::Config;
use fumi_kernel::{
    Access, Answerer, CallProgress, Caller, SharedOption, ToolReply,
    catalogue::ToolEntry,
    pipeline::{self, Call},
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::catalogue::answers_as_published;

/// The folder of the sample novel in the committed sample.
pub(crate) const NOVEL: &str = ".novel";

/// True if the example of a tool always fails here: the tool was abolished, or its example needs a page.
pub(crate) fn only_teaches(entry: &ToolEntry) -> bool {
    entry.spec.name == "init" || needs_a_page(entry)
}

/// True if a tool works on a page. Those have tests of their own, with a browser.
pub(crate) fn needs_a_page(entry: &ToolEntry) -> bool {
    entry.spec.toolset == "browser"
}

/// A project in a temporary folder. The project is a folder inside it, so that there is an outside folder.
pub(crate) struct Sample {
    outer: TempDir,
}

impl Sample {
    /// Creates an empty project.
    pub(crate) fn empty() -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("project")).unwrap();
        Self { outer }
    }

    /// Creates the committed sample: a small shop in several languages, on which every tool's example runs.
    pub(crate) fn new() -> Self {
        let sample = Self::empty();
        copy(&fixtures().join("project"), &sample.root());
        // Hidden, so that the code tools do not list it.
        let novel = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/novel");
        copy(&novel, &sample.root().join(NOVEL));
        sample
    }

    /// Creates `folders` x `each` Python files of a few lines, among them the files that examples name.
    pub(crate) fn large(folders: usize, each: usize) -> Self {
        let sample = Self::new();
        for folder in 0..folders {
            let folder = sample.root().join(format!("src/part{folder:04}"));
            fs::create_dir(&folder).unwrap();
            for file in 0..each {
                let text =
                    format!("import os\n\n\ndef function_{file}(line):\n    \"\"\"One line.\"\"\"\n    return line\n");
                fs::write(folder.join(format!("module{file:03}.py")), text).unwrap();
            }
        }
        sample
    }

    /// Returns the canonical root of the project.
    pub(crate) fn root(&self) -> PathBuf {
        self.outer.path().canonicalize().unwrap().join("project")
    }

    /// Returns a folder beside the project that calls must not reach.
    pub(crate) fn outside(&self) -> PathBuf {
        let outside = self.outer.path().canonicalize().unwrap().join("outside");
        fs::create_dir_all(&outside).unwrap();
        outside
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Reads a file of the project.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns every path of the project with its content, to show that a refused call changes nothing.
    pub(crate) fn state(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        list(self.outer.path(), &mut found);
        found.sort();
        found
    }

    /// Returns the first digits of the hash of the file that examples refer to.
    fn hash(&self) -> String {
        let root = self.root();
        let readme = [root.join(NOVEL).join("README.md"), root.join("README.md")];
        let read = readme.iter().find_map(|path| fs::read(path).ok());
        fumi_base::files::sha256(&read.unwrap_or_default())[..12].to_owned()
    }

    /// Returns fumi's parts over this project.
    pub(crate) fn app(&self) -> Arc<App> {
        self.app_with(&[], |_| {})
    }

    /// Returns fumi's parts over this project, with changes to the configuration and secrets of the server.
    pub(crate) fn app_with(&self, secrets: &[&str], change: impl FnOnce(&mut Config)) -> Arc<App> {
        self.app_by(State::in_memory(), crate::program::parsers(), secrets, change)
    }

    /// As [`Sample::app_with`], with a state and parsers of the test.
    pub(crate) fn app_by(
        &self,
        state: State,
        parsers: ParserPool,
        secrets: &[&str],
        change: impl FnOnce(&mut Config),
    ) -> Arc<App> {
        let mut config = Config::default();
        config.server.listen.set_port(0);
        config.projects.allowed_roots.push(self.root());
        // As the program does: ./test runs the tests of the browser tools with more than one Chromium.
        if let Some(chromium) = env::var_os("FUMI__BROWSER__EXECUTABLE") {
            config.browser.executable = chromium.into();
        }
        change(&mut config);
        App::build_with_state(state, config, parsers, secrets.iter().map(|secret| (*secret).to_owned())).unwrap()
    }

    /// Returns the example of a tool, with this project's root for the placeholder of a root and a file's hash for that
    /// of `abc`.
    pub(crate) fn example(&self, entry: &ToolEntry) -> Map<String, Value> {
        let example = entry
            .spec
            .example
            .replace("/absolute/path/of/an/allowed/project", &self.root().to_string_lossy())
            .replace("ba7816bf8f01", &self.hash());
        match serde_json::from_str(&example) {
            Ok(Value::Object(mut example)) => {
                // A novel is a separate project.
                let novel = self.root().join(NOVEL);
                if entry.spec.family.name == "novel" && novel.is_dir() {
                    example.entry("project_root").or_insert_with(|| json!(novel.to_string_lossy()));
                    match example.get("session_id").and_then(Value::as_str) {
                        Some(REVIEW) => begun_review(&novel),
                        Some(_) => finished_session(&novel),
                        None => {}
                    }
                }
                example
            }
            other => panic!("{}: the example is not a JSON object: {other:?}", entry.spec.name),
        }
    }
}

/// The session that examples refer to: every stage of the first episode is done.
const SESSION: &str = "session_20260131_100000_0a1b2c3d";

/// The review that examples refer to: it has begun.
const REVIEW: &str = "check_20260131_100000_0a1b2c3d";

/// Writes the review as `get_check_tasks` would, unless it exists.
fn begun_review(novel: &Path) {
    use fumi_novel::{
        reviewing::{ReviewId, ReviewStore, ReviewSubject},
        writing::UtcTime,
    };
    if novel.join(format!(".noveler/checks/{REVIEW}/manifest.json")).exists() {
        return;
    }
    let project = fumi_base::project::Project::open(novel).unwrap();
    let subject =
        ReviewSubject { episode: 1, manuscript: crate::novel::FIRST.to_owned(), sha256: String::new(), characters: 0 };
    let now = UtcTime::parse("2026-01-31T10:00:00Z").unwrap();
    let review = ReviewStore::new(project).begin(ReviewId::parse(REVIEW).unwrap(), subject, &now);
    review.save_manifest().unwrap();
}

/// Writes the session as the writing tools would, unless it exists.
fn finished_session(novel: &Path) {
    use fumi_novel::writing::{
        CallTime, NextStep, SessionAction, SessionSelector, StageRoute, TurnAnswer, WritingService, WritingSessionId,
    };
    if novel.join(format!(".noveler/sessions/{SESSION}.yaml")).exists() {
        return;
    }
    let project = fumi_base::project::Project::open(novel).unwrap();
    let named =
        fumi_novel::project::NovelProject::new(Arc::clone(&project), fumi_novel::project::ProjectNames::default());
    let episode = fumi_novel::project::EpisodeId::new(1).unwrap();
    let now = CallTime {
        moment: fumi_novel::writing::UtcTime::parse("2026-01-31T10:00:00Z").unwrap(),
        stamp: fumi_novel::backups::BackupTime::parse("20260131T100000Z").unwrap(),
        random: 0x0a1b_2c3d,
    };
    assert_eq!(WritingSessionId::new(&now.moment, now.random).to_string(), SESSION);
    let desk = WritingService::new(project, named, episode, Locale::Ja).unwrap();
    let opened = desk.open(SessionSelector::New(Some(StageRoute::Whole)), None, &now).unwrap();
    let mut next = desk.run_step(opened, SessionAction::Peek, "noveler_write", false, &now).unwrap().next;
    while let NextStep::Ask(asked) = next {
        let content = crate::novel::script::answer(&format!("{}:{}", asked.stage, asked.submit.turn));
        let answer = TurnAnswer { content, ..TurnAnswer::default() };
        let opened = desk.open(SessionSelector::Named(SESSION), None, &now).unwrap();
        next = desk.run_step(opened, SessionAction::Answer(answer), "noveler_write", false, &now).unwrap().next;
    }
}

/// Runs one call through the pipeline.
pub(crate) async fn call(app: &App, tool: &str, arguments: Value) -> ToolReply {
    call_as(app, tool, arguments, whole(app), CancellationToken::new()).await
}

/// Returns a caller without restrictions.
pub(crate) fn whole(app: &App) -> Caller {
    Caller { access: Arc::new(Access::full(app.scope.clone())), ..Caller::default() }
}

/// Runs one call of a caller, with a token that cancels it.
pub(crate) async fn call_as(
    app: &App,
    tool: &str,
    arguments: Value,
    caller: Caller,
    cancel: CancellationToken,
) -> ToolReply {
    let entry = app.catalogue.find(&app.scope, tool).unwrap_or_else(|| panic!("no tool {tool}"));
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object: {arguments}");
    };
    let call = Call {
        arguments,
        caller,
        answerer: Answerer::Host,
        project: Arc::clone(app.kernel.roots.default_project()),
        cancel,
        progress: CallProgress::default(),
        batch: None,
    };
    let reply = pipeline::run(&app.kernel, &app.catalogue, entry, call).await;
    answers_as_published(entry, &reply.structured);
    reply
}

/// Returns the tools that can write their result to a file.
pub(crate) fn delivering(app: &App) -> impl Iterator<Item = &ToolEntry> {
    let delivers = |entry: &&ToolEntry| entry.spec.options.contains(&SharedOption::Delivery);
    app.catalogue.entries().iter().filter(delivers)
}

/// Arguments that select what is searched, for `wide`.
const SCOPES: [&str; 4] = ["roots", "files", "file_path", "file_paths"];

/// Returns the arguments for the largest possible scope: the whole project, with only the required arguments of the
/// example.
pub(crate) fn wide(entry: &ToolEntry, example: &Map<String, Value>) -> Map<String, Value> {
    let properties = entry.input["properties"].as_object().unwrap();
    let required: Vec<&str> =
        entry.input.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let ruled = |name: &str| {
        use fumi_kernel::ArgumentRule;
        entry.spec.rules.iter().any(|rule| match rule {
            ArgumentRule::ExactlyOne(names) | ArgumentRule::AnyOf(names) => names.contains(&name),
            ArgumentRule::AtMostOne(_)
            | ArgumentRule::Needs(..)
            | ArgumentRule::Without(..)
            | ArgumentRule::Encoding(_)
            | ArgumentRule::ClampedTo(..) => false,
        })
    };
    let mut wide = example.clone();
    let is_where = |name: &str| name == "project_root";
    // The session does not narrow the scope.
    wide.retain(|name, _| name == "session_id" || required.contains(&name.as_str()) || ruled(name) || is_where(name));
    if properties.contains_key("roots") && !required.contains(&"file_path") {
        wide.retain(|name, _| !SCOPES.contains(&name.as_str()));
        wide.insert("roots".to_owned(), json!(["."]));
    }
    // A pattern that occurs in every generated file.
    if wide.contains_key("query") {
        wide.insert("query".to_owned(), json!("line"));
    }
    wide
}

/// Returns the folder of the committed fixtures.
pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn list(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.push((path.clone(), Vec::new()));
            list(&path, found);
        } else {
            let content = fs::read(&path).unwrap_or_default();
            found.push((path, content));
        }
    }
}
