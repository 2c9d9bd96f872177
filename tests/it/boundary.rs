//! No argument of any tool leads out of the project, whether by `..`, an absolute path, a link or NUL.
//!
//! Every string argument is listed here as a path or as another string. A new argument in neither list fails the test,
//! so that its author decides.

use std::{fs, os::unix::fs::symlink};

use fumi_kernel::{ArgumentRule, catalogue::ToolEntry};
use serde_json::{Map, Value, json};

use crate::{
    sample::{NOVEL, Sample, call, needs_a_page},
    taught::refused,
};

/// Arguments that name files or folders of the project, or a project.
const PATHS: [&str; 10] = [
    "roots",
    "files",
    "file_path",
    "file_paths",
    "path",
    "paths",
    "project_root",
    "project_path",
    "output_file",
    "filename",
];

/// Strings that are not paths: patterns, names, choices.
const NOT_PATHS: &[&str] = &[
    "pattern",
    "types",
    "extensions",
    "exclude",
    "size",
    "changed_within",
    "changed_before",
    "sort",
    "cursor",
    "query",
    "case",
    "include_globs",
    "exclude_globs",
    "encoding",
    "max_filesize",
    "file_type",
    "language",
    "format_type",
    "include_structure",
    "format",
    "output_format",
    "element",
    "query_key",
    "roles",
    "query_string",
    "filter",
    "project_name",
    "artifact_id",
    "section",
    "place",
    "hash",
    "content",
    "expected_hash",
    "action",
    "backup_id",
    "reason",
    "route",
    "waive",
    "sites",
    "quote",
    "mode",
    "wish",
    "passages",
    "replacement",
    "from",
    "to",
    "command",
    "step",
    "stage",
    "session_id",
    "resume_session",
    "user_feedback",
    "fix_level",
    "issue_ids",
    "item_id",
    "quotes",
    "manuscript_content",
    "check_focus",
    "plot_content",
    "browser_session",
    "url",
    "target",
    "startTarget",
    "endTarget",
    "text",
    "textGone",
    "value",
    "values",
    "key",
    "button",
    "modifiers",
    "promptText",
    "function",
    "type",
    "regex",
    "role",
    "tagName",
    "excludeSelector",
    "level",
    "statusRange",
    "method",
    "part",
    "colorScheme",
    "reducedMotion",
    "media",
    "name",
    "domain",
    "sameSite",
];

/// Arguments with the name of a path that are not paths of files: the path of a cookie is that of a URL.
const NO_FILES: [(&str, &str); 1] = [("browser_cookies", "path")];

/// Folders that file names are resolved in. A name cannot lead out of them.
const NAMES: [&str; 2] = ["output_file", "filename"];

/// Texts outside the project that a reply must not contain.
const OUTSIDE: &str = "the text of a file outside";

fn strings(entry: &ToolEntry) -> Vec<(&str, bool)> {
    let properties = entry.input["properties"].as_object().unwrap();
    let named = properties.iter().filter_map(|(name, property)| {
        let is_list = property["type"] == "array";
        let kind = if is_list { &property["items"]["type"] } else { &property["type"] };
        (kind == "string").then_some((name.as_str(), is_list))
    });
    named.collect()
}

/// Returns the example with one argument set, without the arguments that it excludes.
fn with(entry: &ToolEntry, example: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut arguments = example.clone();
    for rule in entry.spec.rules {
        if let ArgumentRule::ExactlyOne(names) | ArgumentRule::AtMostOne(names) = rule
            && names.contains(&name)
        {
            arguments.retain(|other, _| !names.contains(&other.as_str()));
        }
        if let ArgumentRule::Without(alone, others) = rule
            && others.contains(&name)
        {
            arguments.remove(*alone);
        }
    }
    arguments.insert(name.to_owned(), value);
    Value::Object(arguments)
}

#[test]
fn every_string_argument_is_known_to_be_a_path_or_not() {
    let app = Sample::new().app();
    for entry in app.catalogue.entries() {
        for (name, _) in strings(entry) {
            let (path, other) = (PATHS.contains(&name), NOT_PATHS.contains(&name));
            assert!(path || other, "{} {name}: say in this file whether it is a path", entry.spec.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_argument_leaves_the_project() {
    let sample = Sample::new();
    let outside = sample.outside();
    fs::write(outside.join("secret.py"), OUTSIDE).unwrap();
    // The novel is a separate project inside the other.
    for root in [sample.root(), sample.root().join(NOVEL)] {
        fs::create_dir_all(root.join("src")).unwrap();
        symlink(&outside, root.join("linked")).unwrap();
        symlink(outside.join("secret.py"), root.join("linked.py")).unwrap();
        symlink(&outside, root.join("src/up")).unwrap();
        symlink("/etc", root.join("etc")).unwrap();
    }
    let app = sample.app();
    let absolute = outside.join("secret.py").to_string_lossy().into_owned();
    let evils = [
        "../outside/secret.py",
        "src/../../outside/secret.py",
        "src/./../../outside",
        "..",
        &absolute,
        "/etc/passwd",
        "/proc/self/environ",
        "/",
        "linked/secret.py",
        "linked",
        "linked.py",
        "src/up/secret.py",
        "etc/passwd",
        "src/main.py\u{0}",
        "src\u{0}/../../outside/secret.py",
        "~/secret",
        "file:///etc/passwd",
        "..\\outside\\secret.py",
        "%2e%2e/outside/secret.py",
        // Full-width dots and slash, which NFKC would fold into `../`.
        "．．／outside/secret.py",
    ];
    for entry in app.catalogue.entries() {
        let example = sample.example(entry);
        let is_path = |name: &str| PATHS.contains(&name) && !NO_FILES.contains(&(entry.spec.name, name));
        for (name, is_list) in strings(entry).into_iter().filter(|(name, _)| is_path(name)) {
            for evil in evils {
                // Below .fumi a name is only a name: no link of that name exists there.
                let plain =
                    !evil.starts_with(['/', '.', '\\']) && !evil.contains("..") && !evil.contains(['\0', '\\', ':']);
                let is_name = NAMES.contains(&name) && plain;
                if is_name && needs_a_page(entry) {
                    continue;
                }
                let before = sample.state();
                let value = if is_list { json!([evil]) } else { json!(evil) };
                let reply = call(&app, entry.spec.name, with(entry, &example, name, value)).await;
                let shown = format!("{} {name}={evil:?}", entry.spec.name);
                assert!(
                    !reply.text.contains(OUTSIDE) && !reply.structured.to_string().contains(OUTSIDE),
                    "{shown} reads outside"
                );
                assert!(!reply.text.contains("root:x:0"), "{shown} reads the password file");
                if is_name {
                    continue;
                }
                // A name with a tilde or an escape in it is an ordinary name of a file that does not exist. A URL of a
                // file means its path.
                let odd = ["~", "file:", "%2e", "．．", "..\\"].iter().any(|odd| evil.starts_with(odd));
                let exact = match name {
                    "project_root" | "project_path" => vec!["ROOT_NOT_ALLOWED"],
                    "output_file" => vec!["READ_ONLY"],
                    "filename" => vec!["PATH_TRAVERSAL"],
                    _ if evil.starts_with("file:") => vec!["FILE_NOT_FOUND", "OUTSIDE_PROJECT", "PATH_TRAVERSAL"],
                    _ if odd => vec!["FILE_NOT_FOUND", "PATH_TRAVERSAL"],
                    _ if evil.contains('\0') || evil.contains("..") => vec!["PATH_TRAVERSAL"],
                    _ => vec!["OUTSIDE_PROJECT"],
                };
                refused(&app, &reply, &exact);
                assert_eq!(sample.state(), before, "{shown} wrote something");
            }
        }
    }
}

/// The target of a link is never shown, whichever call finds the link.
#[tokio::test(flavor = "multi_thread")]
async fn walks_do_not_follow_links_out_of_the_project() {
    let sample = Sample::new();
    let outside = sample.outside();
    fs::write(outside.join("line.py"), format!("line = '{OUTSIDE}'\n")).unwrap();
    symlink(&outside, sample.root().join("src/out")).unwrap();
    symlink("..", sample.root().join("src/loop")).unwrap();
    let app = sample.app();
    for entry in
        app.catalogue.entries().iter().filter(|entry| entry.input["properties"].get("follow_symlinks").is_some())
    {
        for follow in [false, true] {
            let mut arguments = crate::sample::wide(entry, &sample.example(entry));
            arguments.insert("follow_symlinks".to_owned(), json!(follow));
            let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
            assert!(!reply.is_error, "{}: {}", entry.spec.name, reply.text);
            let all = format!("{}{}", reply.text, reply.structured);
            assert!(
                !all.contains(OUTSIDE) && !all.contains("out/line.py"),
                "{} leaves the project: {all}",
                entry.spec.name
            );
        }
    }
}

/// Paths are shown as the caller wrote them: an error does not reveal the real location.
#[tokio::test(flavor = "multi_thread")]
async fn errors_do_not_resolve_paths_outside() {
    let sample = Sample::new();
    let outside = sample.outside();
    symlink(&outside, sample.root().join("linked")).unwrap();
    let app = sample.app();
    let reply = call(&app, "list_files", json!({"roots": ["linked"]})).await;
    refused(&app, &reply, &["OUTSIDE_PROJECT"]);
    let all = format!("{}{}", reply.text, reply.structured);
    assert!(!all.contains(&*outside.to_string_lossy()), "{all}");
    // The error does not reveal either whether the path exists.
    for path in ["/etc/passwd", "/etc/surely-not-there"] {
        let reply = call(&app, "list_files", json!({"roots": [path]})).await;
        refused(&app, &reply, &["OUTSIDE_PROJECT"]);
    }
}
