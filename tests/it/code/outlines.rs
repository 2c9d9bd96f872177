//! The contents of an outline in every format: decorators beside their elements, the package, imports in the language's
//! syntax; and that the compact table costs less.

use std::{fs, path::Path, process::Command};

use fumi::app::App;
use serde_json::json;
use tiktoken_rs::o200k_base_singleton;

use super::text_alone;
use crate::sample::{Sample, call};

const FORMATS: [&str; 6] = ["full", "compact", "csv", "html", "json", "signatures"];

async fn outline(app: &App, path: &str, format: &str) -> String {
    let reply = call(app, "analyze_code_structure", json!({"file_path": path, "format_type": format})).await;
    assert!(!reply.is_error, "{path} {format}: {}", reply.text);
    reply.text
}

const PYTHON: &str = r#"from flask import app

@app.route("/users/<int:id>", methods=["GET"])
@cached
def user(id): return id

class Shape:
    @property
    def size(self): return 1

    @staticmethod
    def unit(): return 1

def plain(): pass
"#;

const JAVA: &str = r#"package com.example.web;

import java.util.Iterator;
import java.util.*;
import static java.lang.Math.max;

@RestController
public class Users {
    @Autowired
    private Store store;

    @GetMapping(value = "/users/{id}", produces = "application/json")
    @Transactional
    public User get(int id) { return null; }

    @Override
    public String toString() { return ""; }

    void plain() {}
}
"#;

const TYPESCRIPT: &str = r"@Injectable()
export class Users {
    @Input() name = '';

    @HostListener('window:resize', ['$event'])
    resized(event: Event): void {}

    plain(): void {}
}
";

const CSHARP: &str = r#"[ApiController]
public class Users {
    [Required]
    public string Name { get; set; }

    [HttpGet("{id}"), Authorize(Roles = "Admin")]
    public string Get(int id) { return ""; }

    public void Plain() {}
}
"#;

const KOTLIN: &str = r#"@Serializable
data class User(val id: Int)

class Users {
    @field:NotNull
    val name = ""

    @GetMapping("/users")
    fun list(): List<User> = listOf()

    fun plain() {}
}
"#;

const PHP: &str = r"<?php
#[Entity(table: 'users')]
class Users {
    #[Column]
    public int $id = 0;

    #[Route('/users', methods: ['GET'])]
    public function list(): array { return []; }

    public function plain(): void {}
}
";

const RUST: &str = r#"#[derive(Debug, Clone)]
pub struct User {
    #[serde(rename = "ID")]
    pub id: u32,
}

#[tokio::test(flavor = "multi_thread")]
async fn opens() {}

#[inline]
fn fast() {}

fn plain() {}
"#;

const SWIFT: &str = r#"@MainActor
class Model {
    @Published var name = ""

    @discardableResult
    func load() -> Int { return 1 }

    func plain() {}
}
"#;

/// A file, its expected outlines, and the results of filters in it.
struct Case {
    path: &'static str,
    text: &'static str,
    shown: &'static [&'static str],
    filters: &'static [Filtered],
}

/// A query key, a filter, and the names that it selects.
type Filtered = (&'static str, &'static str, &'static str);

const fn case(
    path: &'static str,
    text: &'static str,
    shown: &'static [&'static str],
    filters: &'static [Filtered],
) -> Case {
    Case { path, text, shown, filters }
}

const CASES: [Case; 8] = [
    case(
        "a.py",
        PYTHON,
        &[r#"@app.route("/users/<int:id>", methods=["GET"]) @cached"#, "@property", "@staticmethod"],
        &[
            ("functions", "decorator=~route", "user"),
            ("functions", "decorator=app.route", "user"),
            ("functions", "decorator=@cached", "user"),
            ("functions", "decorator!=cached", "plain"),
            ("methods", "decorator=~*", "size unit"),
        ],
    ),
    case(
        "A.java",
        JAVA,
        &[
            "@RestController",
            "@Autowired",
            r#"@GetMapping(value = "/users/{id}", produces = "application/json") @Transactional"#,
            "@Override",
        ],
        &[
            ("classes", "decorator=RestController", "Users"),
            ("methods", "decorator=~*Mapping", "get"),
            ("methods", "decorator!~*", "plain"),
        ],
    ),
    case(
        "a.ts",
        TYPESCRIPT,
        &["@Injectable()", "@Input()", "@HostListener('window:resize', ['$event'])"],
        &[("classes", "decorator=Injectable", "Users"), ("methods", "decorator=~Host*", "resized")],
    ),
    case(
        "A.cs",
        CSHARP,
        &["[ApiController]", "[Required]", r#"[HttpGet("{id}")] [Authorize(Roles = "Admin")]"#],
        &[
            ("classes", "decorator=ApiController", "Users"),
            ("methods", "decorator=HttpGet", "Get"),
            ("methods", "decorator=[Authorize]", "Get"),
        ],
    ),
    case(
        "a.kt",
        KOTLIN,
        &["@Serializable", "@field:NotNull", r#"@GetMapping("/users")"#],
        &[
            ("classes", "decorator=Serializable", "User"),
            ("variables", "decorator=NotNull", "name"),
            ("methods", "decorator=GetMapping", "list"),
        ],
    ),
    case(
        "a.php",
        PHP,
        &["#[Entity(table: 'users')]", "#[Column]", "#[Route('/users', methods: ['GET'])]"],
        &[("classes", "decorator=#[Entity]", "Users"), ("methods", "decorator=Route", "list")],
    ),
    case(
        "a.rs",
        RUST,
        &[
            "#[derive(Debug, Clone)]",
            r#"#[serde(rename = "ID")]"#,
            r#"#[tokio::test(flavor = "multi_thread")]"#,
            "#[inline]",
        ],
        &[
            ("functions", "decorator=test", "opens"),
            ("functions", "decorator=tokio::test", "opens"),
            ("functions", "decorator!=test", "fast plain"),
        ],
    ),
    case(
        "a.swift",
        SWIFT,
        &["@MainActor", "@Published", "@discardableResult"],
        &[("classes", "decorator=MainActor", "Model"), ("methods", "decorator=discardableResult", "load")],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn decorators_stand_with_what_they_decorate_in_every_format() {
    let sample = Sample::empty();
    for Case { path, text, .. } in CASES {
        sample.file(path, text);
    }
    let app = sample.app();
    for Case { path, shown: decorators, .. } in CASES {
        for format in FORMATS {
            let shown = outline(&app, path, format).await;
            let (shown, all) = (shown.replace("\\\"", "\"").replace("\"\"", "\""), decorators.len());
            let found = decorators.iter().filter(|decorator| shown.contains(**decorator)).count();
            assert_eq!(found, all, "{path} {format}: {shown}");
            // An element without decorators is listed without them.
            let plain = shown.lines().find(|line| line.to_lowercase().contains("plain"));
            assert!(!plain.unwrap().contains(['@', '#']), "{path} {format}: {shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_cut_as_the_compact_table_shows_it() {
    let sample = Sample::empty();
    sample.file("a.py", PYTHON);
    let app = sample.app();
    let compact = outline(&app, "a.py", "compact").await;
    assert!(compact.contains("|@property .size(self)|8-9|"), "{compact}");
    let cut = json!({"file_path": "a.py", "element": ".size", "format": "raw"});
    let cut = call(&app, "extract_code_section", cut).await;
    assert!(cut.text.contains("def size"), "{}", cut.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leading_dot_is_part_of_a_name_before_it_tells_a_depth() {
    let sample = Sample::empty();
    sample.file("a.css", "button { color: red }\n.button { color: blue }\nfooter { margin: 0 }\n");
    sample.file("a.json", "{\"github\": 1, \".github\": 2}\n");
    sample.file("a.py", "def get():\n    pass\n\nclass S:\n    def get(self):\n        return 5\n");
    let app = sample.app();
    for (path, element, found) in [
        ("a.css", ".button", Some("blue")),
        ("a.css", "button", Some("red")),
        ("a.css", ".footer", None),
        ("a.json", ".github", Some("2")),
        ("a.py", ".get", Some("return 5")),
        ("a.py", "get", Some("pass")),
    ] {
        let cut = json!({"file_path": path, "element": element, "format": "raw"});
        let cut = call(&app, "extract_code_section", cut).await;
        match found {
            Some(found) => assert!(cut.text.contains(found), "{path} {element}: {}", cut.text),
            None => assert!(cut.text.contains("Element not found"), "{path} {element}: {}", cut.text),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_tells_decorators_that_its_text_does_not_begin_with() {
    let sample = Sample::empty();
    sample.file("a.py", "@app.get(\"/x\")\ndef f():\n    return app.db\n");
    let app = sample.app();
    let query = json!({"file_path": "a.py", "query_string": "(function_definition) @f"});
    let reply = call(&app, "query_code", query).await;
    assert!(reply.text.contains("@app.get"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_show_decorators_and_filter_by_them() {
    let sample = Sample::empty();
    for Case { path, text, .. } in CASES {
        sample.file(path, text);
    }
    let app = sample.app();
    for Case { path, filters, .. } in CASES {
        for (key, filter, names) in filters {
            let arguments = json!({"file_path": path, "query_key": key, "filter": filter, "output_format": "summary"});
            let reply = call(&app, "query_code", arguments).await;
            assert!(!reply.is_error, "{path} {filter}: {}", reply.text);
            let rows = reply.structured["query_result"]["matches"].as_array().unwrap();
            let found: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
            assert_eq!(found.join(" "), *names, "{path} {key} {filter}: {}", reply.text);
        }
    }
    let route =
        json!({"roots": ["."], "query_key": "functions", "filter": "decorator=~route", "output_format": "summary"});
    let reply = call(&app, "query_code", route).await;
    let row = &reply.structured["query_result"]["files"][0]["matches"][0];
    let shown = r#"@app.route("/users/<int:id>", methods=["GET"]) @cached"#;
    assert_eq!(row["decorators"], shown, "{}", reply.structured);
    assert!(reply.text.contains(&format!("function {shown} user")), "{}", reply.text);
    // A text that contains them shows them itself; the node of a query does not contain them.
    let whole = json!({"file_path": "a.py", "query_key": "functions", "filter": "name=user"});
    let whole = call(&app, "query_code", whole).await;
    assert_eq!(whole.text.matches("@cached").count(), 1, "{}", whole.text);
    let node = json!({"file_path": "a.py", "query_string": "(function_definition) @f", "filter": "decorator=cached"});
    let node = call(&app, "query_code", node).await;
    assert_eq!(node.text.matches("@cached").count(), 1, "{}", node.text);
    let wrong = json!({"file_path": "a.py", "query_key": "functions", "filter": "decorators=x"});
    let wrong = call(&app, "query_code", wrong).await;
    assert!(wrong.is_error && wrong.text.contains("lines, decorator."), "{}", wrong.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_decorator_is_cut() {
    let options: Vec<_> = (0..200).map(|at| format!("    option{at}: 'value',\n")).collect();
    let many: Vec<_> = (0..40).map(|at| format!("@option('--flag{at}', help='What it does')\n")).collect();
    let sample = Sample::empty();
    sample
        .file("a.ts", format!("@Component({{\n{}}})\nexport class A {{}}\n", options.concat()))
        .file("a.py", many.concat() + "def main(): pass\n");
    let app = sample.app();
    for format in FORMATS {
        let shown = outline(&app, "a.ts", format).await;
        assert!(shown.contains("@Component({ option0: 'value', option1:"), "{format}: {shown}");
        assert!(!shown.contains("option9:"), "{format}: {shown}");
        let shown = outline(&app, "a.py", format).await;
        assert!(shown.contains("@option('--flag0', help='What it does') @option"), "{format}: {shown}");
        assert!(!shown.contains("flag9'"), "{format}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_package_is_in_every_format_and_imports_read_as_the_language_writes_them() {
    let sample = Sample::empty();
    sample
        .file("A.java", JAVA)
        .file("a.go", "package store\n\nimport \"fmt\"\n\nfunc Open() { fmt.Println() }\n")
        .file("a.kt", "package com.example\n\nimport kotlin.math.max as most\n\nfun open() {}\n")
        .file("a.rs", "use std::collections::{HashMap, HashSet};\nuse std::fs;\n\nfn open() {}\n")
        .file("a.scala", "package com.example\n\nimport java.util.{List => JList, Map}\n\nclass A\n");
    let app = sample.app();
    for (path, package) in
        [("A.java", "com.example.web"), ("a.go", "store"), ("a.kt", "com.example"), ("a.scala", "com.example")]
    {
        for format in FORMATS {
            let shown = outline(&app, path, format).await;
            let is_there = shown.lines().any(|line| line.to_lowercase().contains("package") && line.contains(package));
            assert!(is_there, "{path} {format}: {shown}");
        }
    }
    for (path, imports) in [
        ("A.java", &["java.util.Iterator", "java.util.*", "java.lang.Math.max"][..]),
        ("a.kt", &["kotlin.math.max as most"]),
        ("a.rs", &["std::collections::{HashMap, HashSet}", "std::fs"]),
        ("a.scala", &["java.util.{List as JList, Map}"]),
    ] {
        for format in ["full", "csv", "json"] {
            let shown = outline(&app, path, format).await;
            for import in imports {
                assert!(shown.contains(import), "{path} {format}: {shown}");
            }
        }
        let compact = outline(&app, path, "compact").await;
        assert!(!compact.contains(": Iterator"), "{compact}");
    }
}

fn tokens(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

/// Overloads of a few names with a Javadoc each, hundreds of them as in utility libraries.
fn utilities(doc: bool) -> String {
    let mut text = "package org.example.lang;\n\nimport java.util.Iterator;\nimport java.util.List;\n\n/** Operations on strings. */\npublic class StringUtils {\n".to_owned();
    let names = ["abbreviate", "center", "contains", "indexOf", "join", "leftPad", "replace", "substring"];
    for (at, name) in names.iter().cycle().take(160).enumerate() {
        if doc {
            text.push_str(&format!(
                "    /**\n     * <p>Finds the {at}. place of a character sequence in another one, handling {{@code null}} as an empty text.</p>\n     *\n     * @param text the text\n     * @return the place\n     */\n"
            ));
        }
        let visibility = ["public", "private", "protected", "public"][at % 4];
        text.push_str(&format!(
            "    {visibility} static int {name}(final CharSequence text, final int start{at}, final String... others) {{\n        return start{at} > 0 && text != null ? 1 : 2;\n    }}\n\n"
        ));
    }
    text + "}\n"
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs python3"]
async fn the_compact_table_never_costs_more_than_the_full_one() {
    let sample = Sample::empty();
    sample.file("StringUtils.java", utilities(true)).file("Bare.java", utilities(false));
    let mut paths = vec!["StringUtils.java".to_owned(), "Bare.java".to_owned()];
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/code/languages");
    for folder in fs::read_dir(languages).unwrap().flatten() {
        for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with("fixture.") {
                sample.file(&name, fs::read(file.path()).unwrap());
                paths.push(name);
            }
        }
    }
    // The largest of Python's own files, as input from outside fumi.
    let folder = Command::new("python3").args(["-c", "import os; print(os.path.dirname(os.__file__))"]).output();
    let folder = String::from_utf8(folder.expect("python3").stdout).unwrap();
    let mut files: Vec<_> = fs::read_dir(folder.trim()).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    files.sort_by_key(|path| std::cmp::Reverse(fs::metadata(path).unwrap().len()));
    for file in files.iter().take(20) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        sample.file(&name, fs::read(file).unwrap());
        paths.push(name);
    }
    let app = sample.app_with(&[], |config| {
        config.limits.reply_tokens = 1_000_000;
        config.limits.reply_bytes = 100_000_000;
    });
    assert!(paths.len() > 40, "{paths:?}");
    let mut wrong = Vec::new();
    for path in paths {
        let (compact, full) = (outline(&app, &path, "compact").await, outline(&app, &path, "full").await);
        let (compact, full) = (tokens(&compact), tokens(&full));
        println!("{path}: {compact} {full}");
        if compact > full {
            wrong.push(format!("{path}: {compact} > {full}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_begins_with_the_file_for_a_client_that_gets_only_text() {
    let sample = Sample::empty();
    sample.file("A.java", JAVA).file("none.py", "# nothing\n");
    let app = sample.app();
    let alone = async |path: &str, format: &str| {
        let arguments = json!({"file_path": path, "format_type": format});
        text_alone(&app, "analyze_code_structure", arguments).await
    };
    for format in FORMATS {
        let text = alone("A.java", format).await;
        assert!(text.starts_with("# A.java (Java, 20 lines)\n"), "{format}: {text}");
    }
    let csv = alone("A.java", "csv").await;
    assert_eq!(alone("A.java", "json").await, csv);
    // Beside the structure, and in a file, CSV is nothing but CSV.
    assert_eq!(csv.split_once('\n').unwrap().1, outline(&app, "A.java", "csv").await);
    assert_eq!(alone("none.py", "signatures").await, "# none.py (Python, 1 line)\nNo elements.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_table_names_the_calls_that_read_the_rest() {
    let sample = Sample::empty();
    sample.file("a.py", "def f(): pass\n".repeat(90));
    let app = sample.app_with(&[], |config| config.limits.reply_rows = 9);
    for format in ["signatures", "compact", "csv", "json"] {
        let arguments = json!({"file_path": "a.py", "format_type": format});
        let text = text_alone(&app, "analyze_code_structure", arguments).await;
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("… 9 / 9") && last.contains("query_code with query_key"), "{format}: {text}");
    }
}
