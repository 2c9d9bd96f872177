//! Requirements for the error of every failed call: the whole error object, both languages, a next step that exists.
//!
//! Other tests use [`refused`] to assert that a call fails with a code; it checks the form of the error as well.

use std::{collections::BTreeSet, fs, path::Path};

use fumi::{app::App, http::router::all_errors};
use fumi_kernel::ToolReply;
use regex::Regex;
use serde_json::Value;

use crate::sample::Sample;

/// Asserts that a reply is an error in the full form, with one of these codes. Returns its message.
#[track_caller]
pub(crate) fn refused(app: &App, reply: &ToolReply, codes: &[&str]) -> String {
    assert!(reply.is_error, "served: {}", reply.structured);
    let error = &reply.structured["error"];
    let text = |pointer: &str| {
        let value = error.pointer(pointer).and_then(Value::as_str);
        value.unwrap_or_else(|| panic!("no {pointer} in {}", reply.structured)).to_owned()
    };
    assert_eq!(reply.structured["success"], false);
    let code = text("/code");
    assert!(codes.contains(&code.as_str()), "{code}, not {codes:?}: {}", text("/message"));
    assert_eq!(text("/tool"), text("/tool_name"));
    assert!(
        [
            "MCPToolError",
            "MCPValidationError",
            "MCPTimeoutError",
            "SecurityError",
            "FileRestrictionError",
            "PathTraversalError"
        ]
        .contains(&text("/type").as_str())
    );
    assert!(["validation", "queue", "execution", "delivery"].contains(&text("/context/execution_stage").as_str()));
    assert!(error["context"]["input_params"].is_object() && error["details"].is_object());
    assert!(error["guidance"]["parameters"].is_object());
    assert!(text("/timestamp").ends_with('Z'));
    let url = text("/troubleshooting_url");
    let entry = url.strip_prefix("/v1/errors#").unwrap_or_default();
    assert!(all_errors(&fumi_tools::errors()).get(entry).is_some(), "/v1/errors has no {entry}");
    let action = text("/guidance/suggested_action");
    assert!(is_tool(app, &action), "the next step {action} is not a tool");
    let (message, explanation) = (text("/message"), text("/guidance/explanation"));
    for sentence in [&message, &explanation] {
        assert!(unfilled(sentence).is_empty(), "{:?} in {sentence}", unfilled(sentence));
    }
    assert!(reply.text.starts_with(&format!("{code}: ")), "{}", reply.text);
    assert!(reply.text.contains(&explanation), "{}", reply.text);
    message
}

fn is_tool(app: &App, name: &str) -> bool {
    app.catalogue.entries().iter().any(|entry| entry.spec.name == name)
}

/// Returns each `{name}` that was not filled. A JSON example (`{"a": 1}`) and a glob (`{a,b}`) are not placeholders.
fn unfilled(text: &str) -> Vec<String> {
    let placeholder = Regex::new(r"\{[a-z_]{2,}\}").unwrap();
    placeholder.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

/// True if a text has Japanese letters.
pub(crate) fn is_japanese(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'))
}

/// One entry of an `errors.toml`, with its file.
struct Lesson {
    file: String,
    name: String,
    entry: toml::Table,
}

impl Lesson {
    fn text(&self, key: &str) -> &str {
        self.entry.get(key).and_then(toml::Value::as_str).unwrap_or_default()
    }
}

/// Returns the entries of every error catalogue in the source tree. Catalogues are found by their form, so that a new
/// one is included.
fn lessons() -> Vec<Lesson> {
    fn walk(folder: &Path, found: &mut Vec<Lesson>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ext| ext == "toml") {
                let text = fs::read_to_string(&path).unwrap();
                if !text.contains("\nnext_en = ") {
                    continue;
                }
                let book: toml::Table = text.parse().unwrap();
                found.extend(book.into_iter().map(|(name, entry)| Lesson {
                    file: path.display().to_string(),
                    name,
                    entry: entry.as_table().unwrap().clone(),
                }));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn every_error_names_a_next_step_that_exists_in_both_languages() {
    let app = Sample::new().app();
    let lessons = lessons();
    assert!(lessons.len() > 20, "only {} errors were found", lessons.len());
    let mut wrong = Vec::new();
    for lesson in &lessons {
        let mut complain = |what: String| wrong.push(format!("{} {}: {what}", lesson.file, lesson.name));
        for (en, ja) in [("en", "ja"), ("next_en", "next_ja")] {
            if lesson.text(en).is_empty() || is_japanese(lesson.text(en)) {
                complain(format!("{en} is not English"));
            }
            if !is_japanese(lesson.text(ja)) {
                complain(format!("{ja} is not Japanese"));
            }
        }
        let tool = lesson.text("tool");
        if !tool.is_empty() && !is_tool(&app, tool) {
            complain(format!("suggests {tool}, which is not a tool"));
        }
        let example: Result<Value, _> =
            serde_json::from_str(lesson.entry.get("example").and_then(toml::Value::as_str).unwrap_or("{}"));
        let Ok(Value::Object(example)) = example else {
            complain("the example is not a JSON object".to_owned());
            continue;
        };
        // An example for a named tool uses only arguments of the tool.
        if let Some(entry) = app.catalogue.entries().iter().find(|entry| entry.spec.name == tool) {
            for name in example.keys().filter(|name| entry.input["properties"].get(name.as_str()).is_none()) {
                complain(format!("the example passes {name}, which {tool} does not have"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Code names facts as string literals, as fields of an error or in its attributes; a placeholder that the code does not
/// name is never filled. The tests of the catalogues compare each entry with its own facts.
#[test]
fn every_placeholder_has_a_fact() {
    let mut wrong = Vec::new();
    let code = code_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for lesson in lessons() {
        for key in ["en", "ja", "next_en", "next_ja"] {
            for placeholder in unfilled(lesson.text(key)) {
                let name = placeholder.trim_matches(['{', '}']);
                // A time is named after its unit.
                let time = name.strip_suffix("_ms").unwrap_or(name);
                let forms = [
                    format!("\"{name}\""),
                    format!(" {name}: "),
                    format!("fact({name} = "),
                    format!(" {time}: Duration"),
                ];
                if !forms.iter().any(|form| code.contains(form)) {
                    wrong.push(format!("{} {}: {key} uses {placeholder}", lesson.file, lesson.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn code_of(folder: &Path) -> String {
    let mut code = String::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            code.push_str(&code_of(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            code.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    code
}

#[test]
fn the_published_list_of_errors_is_complete() {
    let published: BTreeSet<String> = all_errors(&fumi_tools::errors()).as_object().unwrap().keys().cloned().collect();
    let written: BTreeSet<String> = lessons().into_iter().map(|lesson| lesson.name).collect();
    assert_eq!(published, written);
}

#[test]
fn the_page_of_errors_says_what_each_code_means_in_both_languages() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .split("## Codes")
        .nth(1)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    for row in &rows {
        let [_, english, japanese] = row[..] else { panic!("not a code with two meanings: {row:?}") };
        assert!(!english.is_empty() && !is_japanese(english), "{row:?}");
        assert!(is_japanese(japanese), "{row:?}");
    }
    let listed: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    let errors = all_errors(&fumi_tools::errors());
    let codes: BTreeSet<&str> =
        errors.as_object().unwrap().values().map(|error| error["code"].as_str().unwrap()).collect();
    assert_eq!(listed, codes.into_iter().collect::<Vec<_>>(), "docs/errors.md lists every code once, in order");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_in_the_language_of_the_caller() {
    use fumi_base::text::Locale;
    use fumi_kernel::Caller;
    use tokio_util::sync::CancellationToken;

    let sample = Sample::new();
    let app = sample.app();
    for locale in Locale::ALL {
        let caller = Caller { locale, ..Caller::default() };
        let arguments = serde_json::json!({"roots": ["nowhere"]});
        let reply = crate::sample::call_as(&app, "list_files", arguments, caller, CancellationToken::new()).await;
        let message = refused(&app, &reply, &["FILE_NOT_FOUND"]);
        assert_eq!(message.contains("File or folder not found"), locale == Locale::En, "{message}");
        assert_eq!(is_japanese(&message), locale == Locale::Ja, "{message}");
    }
}
