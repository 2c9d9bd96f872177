//! The rules of ARCHITECTURE.md about forbidden names and imports, checked in the source text.
//!
//! Cargo enforces what a crate may use; a test lists what each manifest may contain. The other rules are functions from
//! a file to its violations, each also tried on a made-up offender, so that it can fail. They work on lines and do not
//! parse Rust.

use std::{
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// A source file: its path from the root of the repository, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn of(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// Returns the lines outside the test module, with their numbers, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("#[cfg(test)]\nmod ").unwrap_or(self.text.len());
        self.text[..end].lines().enumerate().map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
    }

    /// Returns the places that match.
    fn hits(&self, pattern: &str) -> Vec<String> {
        let pattern = Regex::new(pattern).unwrap();
        self.code()
            .filter(|(_, line)| pattern.is_match(line))
            .map(|(at, line)| format!("{}:{at}: {}", self.path, line.trim()))
            .collect()
    }
}

type Rule = fn(&Source) -> Vec<String>;

/// Returns the uses of a name outside some folders.
fn only_in(source: &Source, pattern: &str, folders: &[&str]) -> Vec<String> {
    if folders.iter().any(|folder| source.is_in(folder)) { Vec::new() } else { source.hits(pattern) }
}

/// Returns the uses of a name in a folder.
fn never_in(source: &Source, folder: &str, pattern: &str) -> Vec<String> {
    if source.is_in(folder) { source.hits(pattern) } else { Vec::new() }
}

/// Every rule with its description and an offender that it must find.
const RULES: &[(&str, Rule, (&str, &str))] = &[
    (
        "rmcp is named only in src/mcp",
        |source| only_in(source, r"\brmcp::|\buse rmcp\b", &["src/mcp/"]),
        ("src/tools/x.rs", "//! x\nuse rmcp::model::Tool;"),
    ),
    (
        "axum, tower and tower-http are named only in src/http",
        |source| only_in(source, r"\b(axum|tower|tower_http)::", &["src/http/"]),
        ("src/mcp/x.rs", "//! x\nuse tower_http::trace::TraceLayer;"),
    ),
    (
        "only providers, an issuer's keys, replicas and, by fumi doctor, a running server are asked over HTTP",
        |source| {
            only_in(
                source,
                r"\breqwest::",
                &[
                    "src/provider/",
                    "src/http/auth/",
                    "src/http/forward.rs",
                    "src/mcp/replicas.rs",
                    "src/setup/doctor.rs",
                ],
            )
        },
        ("src/tools/x.rs", "//! x\nuse reqwest::Client;"),
    ),
    (
        "domains and the foundation do not use free-form JSON",
        |source| match () {
            () if ["src/base/", "src/code/", "src/novel/", "src/browser/"]
                .iter()
                .any(|folder| source.is_in(folder)) =>
            {
                source.hits(r"\bserde_json::[^;]*\b(Value|Map|to_value|from_value)\b|\bjson!")
            }
            () => Vec::new(),
        },
        ("src/code/x.rs", "//! x\npub fn f(v: serde_json::Value) {}"),
    ),
    (
        "the output for a novel depends on the novel alone: times are passed in, and random values are not used",
        |source| never_in(source, "src/novel/", r"::now\(|\bgetrandom\b|\brand::"),
        ("src/novel/x.rs", "//! x\nlet today = jiff::Timestamp::now();"),
    ),
    (
        "the protocol and the edge name no family",
        |source| {
            let families = r"\bfumi_(code|novel|browser|tools)\b";
            [never_in(source, "src/mcp/", families), never_in(source, "src/http/", families)].concat()
        },
        ("src/mcp/x.rs", "//! x\nuse fumi_novel::project::EpisodeId;"),
    ),
    (
        "the protocol does not use the edge",
        |source| never_in(source, "src/mcp/", r"\bcrate::http\b"),
        ("src/mcp/x.rs", "//! x\nuse crate::http::router;"),
    ),
    (
        "a tool reads no delivery option, timeout, semaphore or cache, and calls no tool",
        |source| {
            let pattern = r"\boutput_file\b|\bsuppress_output\b|\btokio::time\b|\bSemaphore\b|\bResultCache\b|\bpipeline::|\bWorkPools\b";
            never_in(source, "src/tools/", pattern)
        },
        ("src/tools/code/x.rs", "//! x\ntokio::time::timeout(limit, work).await;"),
    ),
    (
        "files are opened through the proof that they are inside",
        |source| {
            // The operator chooses the configuration. Ignore files are hashed for stamps, and read by walks. The store and the indexes have
            // their own folders, with names that a client cannot choose.
            let exempt = [
                "src/config/lib.rs",
                "src/config/server.rs",
                "src/config/tools.rs",
                // Files of clients and of fumi, which belong to the user who runs the command.
                "src/connect/file.rs",
                "src/setup/connect.rs",
                "src/setup/doctor.rs",
                "src/base/project/project_path.rs",
                "src/base/files.rs",
                "src/base/outside_rules.rs",
                "src/base/rule_file.rs",
                // Unfinished files, with names that a client cannot choose, in an open folder.
                "src/base/atomic_write.rs",
                // The kernel's facts about the process.
                "src/code/parser_process.rs",
                // The kernel's list of mounts.
                "src/base/mounts.rs",
                // The memory of the process itself.
                "src/telemetry/metrics.rs",
                "src/base/store/fs.rs",
                "src/base/private_folder.rs",
                // The lock that distinguishes a living writer from a dead one, beside its lease.
                "src/base/project_locks.rs",
                // Chromium's own folder, and the kernel's facts about its processes and connections.
                "src/browser/chromium/",
                "src/browser/proxy/peer.rs",
                "src/browser/tab/downloads.rs",
                // The kernel's lists of the machine's own addresses.
                "src/browser/policy/addresses.rs",
            ];
            only_in(
                source,
                r"\bFile::open\b|\bfs::(read|read_to_string|write|copy|rename|remove_file)\b|\bOpenOptions\b",
                &exempt,
            )
        },
        ("src/code/x.rs", "//! x\nlet text = std::fs::read_to_string(path)?;"),
    ),
    (
        "the environment is read in config, through main",
        |source| {
            // A test build reads where a test wants it to abort.
            let exempt = [
                "src/config/layers.rs",
                "src/main.rs",
                "src/base/failpoints.rs",
                // The search path of programs.
                "src/browser/chromium/find.rs",
            ];
            only_in(source, r"\benv::(var|vars|var_os|vars_os)\b", &exempt)
        },
        ("src/tools/x.rs", "//! x\nlet home = std::env::var(\"HOME\");"),
    ),
    (
        "only the command line prints",
        |source| {
            // Test builds report to their test where they are.
            let exempt = ["src/main.rs", "src/base/failpoints.rs"];
            only_in(source, r"\be?println!|\bprint!|\bdbg!", &exempt)
        },
        ("src/mcp/x.rs", "//! x\nprintln!(\"here\");"),
    ),
    (
        "no unwrap on a path that a request can reach",
        |source| source.hits(r"\.unwrap\(\)"),
        ("src/kernel/x.rs", "//! x\nlet a = b.unwrap();"),
    ),
    (
        "no code is for another system than Unix, for which one line refuses to compile",
        |source| {
            // The second is a fixture that fumi parses.
            let exempt = ["src/base/lib.rs", "src/code/languages/rust/fixture.rs"];
            only_in(source, r"\bcfg!?\(.*\bunix\b", &exempt)
        },
        ("src/code/x.rs", "//! x\n#[cfg(not(unix))]\nfn f() {}"),
    ),
    (
        "nothing is left for later",
        |source| {
            let note = Regex::new(r"//.*\b(TODO|FIXME|XXX|HACK)\b|\b(todo|unimplemented)!\(").unwrap();
            let lines = source.text.lines().enumerate();
            lines
                .filter(|(_, line)| note.is_match(line))
                .map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim()))
                .collect()
        },
        ("src/kernel/x.rs", "//! x\n// TODO: later"),
    ),
    (
        "every file begins with a description",
        |source| {
            let says = source.text.starts_with("//! ");
            if says { Vec::new() } else { vec![format!("{}: does not begin with //!", source.path)] }
        },
        ("src/kernel/x.rs", "use std::fs;"),
    ),
    (
        "a file is named for its content",
        |source| {
            let vague = Regex::new(r"(^|/)(utils?|common|helpers?|manager|misc)(\.rs|/)").unwrap();
            if vague.is_match(&source.path) { vec![source.path.clone()] } else { Vec::new() }
        },
        ("src/kernel/utils.rs", "//! x"),
    ),
];

#[test]
fn the_source_keeps_the_rules_of_the_architecture() {
    let sources = sources();
    assert!(sources.len() > 40, "the walk found only {} files", sources.len());
    let broken: Vec<String> = RULES
        .iter()
        .flat_map(|(says, rule, _)| {
            sources.iter().flat_map(move |source| rule(source).into_iter().map(move |hit| format!("{says}:\n  {hit}")))
        })
        .collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn each_rule_catches_an_offender() {
    for (says, rule, (path, text)) in RULES {
        assert!(!rule(&Source::of(path, text)).is_empty(), "{says}: does not find\n{text}");
    }
}

/// The largest number of lines of a source file, tests among them. A longer file holds more than one idea.
const MOST_LINES: usize = 800;

fn is_too_long(source: &Source) -> bool {
    source.text.lines().count() > MOST_LINES
}

#[test]
fn no_source_file_is_over_800_lines() {
    let offender = Source::of("src/kernel/tests/x.rs", &"//! x\n".repeat(MOST_LINES + 1));
    assert!(is_too_long(&offender), "does not see {} lines", MOST_LINES + 1);
    let mut sources = Vec::new();
    collect(&root().join("src"), IncludedFiles::All, &mut sources);
    let long: Vec<&str> =
        sources.iter().filter(|source| is_too_long(source)).map(|source| source.path.as_str()).collect();
    assert!(long.is_empty(), "over {MOST_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn rules_look_at_code_outside_the_test_module() {
    let source = Source::of(
        "src/kernel/x.rs",
        "//! x\n// b.unwrap()\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n    b.unwrap();\n}\n",
    );
    assert!(source.hits(r"\.unwrap\(\)").is_empty());
}

/// The crates that each member may depend on, besides those of the registry; and the registry crates that it may not
/// use.
#[test]
fn manifests_contain_only_allowed_dependencies() {
    const PROTOCOL: [&str; 6] = ["rmcp", "axum", "tower", "tower-http", "serde_json", "reqwest"];
    // The browser crate uses JSON for Chromium's protocol; the novel crate stores reviews as lines of JSON.
    for (member, allowed) in [
        ("base", &["fumi-derive"][..]),
        ("derive", &[][..]),
        ("code", &["fumi-base"][..]),
        ("novel", &["fumi-base", "serde_json"][..]),
        ("browser", &["fumi-base", "serde_json"][..]),
        ("kernel", &["fumi-base", "serde_json"][..]),
        ("config", &["fumi-base", "fumi-browser", "fumi-code", "fumi-kernel", "fumi-novel", "serde_json"][..]),
        ("connect", &["serde_json"][..]),
        ("provider", &["fumi-base", "fumi-config", "fumi-kernel", "serde_json", "reqwest"][..]),
        (
            "tools",
            &["fumi-base", "fumi-browser", "fumi-code", "fumi-config", "fumi-kernel", "fumi-novel", "serde_json"][..],
        ),
    ] {
        let text = fs::read_to_string(root().join(format!("src/{member}/Cargo.toml"))).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        for name in manifest["dependencies"].as_table().unwrap().keys() {
            let needs_leave = name.starts_with("fumi") || PROTOCOL.contains(&name.as_str());
            assert!(!needs_leave || allowed.contains(&name.as_str()), "fumi-{member} depends on {name}");
        }
    }
}

#[test]
fn every_tool_is_one_file_with_its_two_texts_beside_it() {
    for source in sources().iter().filter(|source| source.text.contains("const SPEC: ToolSpec = ToolSpec {")) {
        let base = root().join(source.path.trim_end_matches(".rs"));
        for tag in ["en", "ja"] {
            let texts = base.with_extension(format!("{tag}.md"));
            assert!(texts.is_file(), "{} is missing", texts.display());
        }
        assert_eq!(
            source.text.matches("const SPEC: ToolSpec = ToolSpec {").count(),
            1,
            "{}: one file is one tool",
            source.path
        );
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join("src"), IncludedFiles::WithoutTests, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

#[derive(Clone, Copy, PartialEq)]
enum IncludedFiles {
    All,
    WithoutTests,
}

fn collect(folder: &Path, included: IncludedFiles, found: &mut Vec<Source>) {
    let all = included == IncludedFiles::All;
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && (all || path.file_name().is_some_and(|name| name != "tests")) {
            collect(&path, included, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") && (all || !is_test(&path)) {
            let shown = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            found.push(Source::of(&shown, &fs::read_to_string(&path).unwrap()));
        }
    }
}

/// True if its parent compiles a module for tests only.
fn is_test(path: &Path) -> bool {
    let declared = format!("#[cfg(test)]\nmod {};", path.file_stem().unwrap().to_string_lossy());
    ["mod.rs", "lib.rs"]
        .iter()
        .filter_map(|parent| fs::read_to_string(path.with_file_name(parent)).ok())
        .any(|parent| parent.contains(&declared))
}
