//! Content that a reply leaves out is reported: broken syntax, declared encodings, prose that is not code.

use serde_json::{Value, json};

use crate::{
    harness::{Server, Stateless},
    sample::{Sample, call},
    taught::refused,
};

const BROKEN: &str = "def first():\n    pass\n\ndef (:\n  ((\n\ndef last():\n    pass\n";

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_that_reads_a_tree_says_that_it_could_not_read_all_of_it() {
    let sample = Sample::empty();
    sample.file("a.py", BROKEN).file("b.py", "def fine(): pass\n");
    let app = sample.app();
    for (tool, arguments) in [
        ("query_code", json!({"file_path": "a.py", "query_key": "functions"})),
        ("query_code", json!({"roots": ["."], "query_key": "functions", "filter": "name=~x*"})),
        ("query_code", json!({"roots": ["."], "pattern": "def $F(): pass"})),
        ("analyze_code_structure", json!({"file_path": "a.py"})),
        ("check_code_scale", json!({"file_path": "a.py"})),
        ("search_content", json!({"roots": ["."], "query": "pass", "ranked": true})),
    ] {
        let reply = call(&app, tool, arguments.clone()).await;
        assert!(!reply.is_error, "{}", reply.text);
        let said = reply.structured.to_string();
        assert!(
            said.contains("parse_errors") || said.contains("\"broken\":{\"files\":1,\"examples\":[\"a.py:"),
            "{tool} {arguments}: {said}"
        );
        assert!(reply.text.contains("a.py:") || reply.text.contains("line "), "{}", reply.text);
    }
    for format in ["full", "compact", "signatures", "csv", "json"] {
        let reply = call(&app, "analyze_code_structure", json!({"file_path": "a.py", "format_type": format})).await;
        let errors = reply.structured["parse_errors"].as_array().unwrap().len();
        // Each error is told once.
        let said = reply.text.matches("Syntax error at line ").count();
        assert!(said == errors && !reply.text.contains("Parse errors"), "{format}: {}", reply.text);
        assert!(reply.text.ends_with("lements there may be missing."), "{format}: {}", reply.text);
    }
    let reply = call(&app, "extract_code_section", json!({"file_path": "a.py", "element": "hidden"})).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("has syntax errors"), "{message}");
    let fine = call(&app, "query_code", json!({"file_path": "b.py", "query_key": "functions"})).await;
    assert!(!fine.structured.to_string().contains("broken"), "{}", fine.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_name_the_files_that_could_not_be_read_whole() {
    let sample = Sample::empty();
    sample.file("a.py", BROKEN).file("b.py", "def fine(): pass\n");
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let answer = client.request("resources/read", json!({"uri": "code://stats/complexity"})).await;
    let text = answer.result()["contents"][0]["text"].as_str().unwrap().to_owned();
    let statistics: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(statistics["broken_files"], 1, "{statistics}");
    assert_eq!(statistics["broken_examples"], json!(["a.py:1"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_in_a_test_of_the_shell_hide_no_function() {
    let sample = Sample::empty();
    let test = "f() {\n  if [ \\( ! -h \"$a\" -a -d \"$a\" \\) -o -f b ]; then echo; fi\n}\nafter() { [ \\( \\( a \\) \\) ]; }\nlast() { :; }\n";
    sample.file("a.sh", test);
    let app = sample.app();
    let reply = call(&app, "query_code", json!({"file_path": "a.sh", "query_key": "functions"})).await;
    assert_eq!(reply.structured["query_result"]["total_matches"], 3, "{}", reply.text);
    let cut = json!({"file_path": "a.sh", "element": "f", "format": "raw"});
    let cut = call(&app, "extract_code_section", cut).await;
    assert!(cut.text.contains("[ \\( ! -h"), "{}", cut.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_is_tried_in_code_and_not_in_prose() {
    let sample = Sample::empty();
    sample
        .file("a.rb", "def f\n  raise Error\nend\n")
        .file("README.md", "Use `raise PORT` if it is taken.\n\nraise money\n")
        .file("NOTES", "raise money\n# encoding: utf-8\nrequire 'json'\n")
        .file("a.yaml", "text: raise money\n")
        .file("a.html", "<p>raise money</p>\n");
    let app = sample.app();
    let ask = async |arguments| call(&app, "query_code", arguments).await;
    let reply = ask(json!({"roots": ["."], "pattern": "raise $PORT"})).await;
    assert_eq!(reply.structured["query_result"]["total_matches"], 1, "{}", reply.text);
    let prose = ask(json!({"roots": ["."], "pattern": "raise money"})).await;
    assert_eq!(prose.structured["query_result"]["total_matches"], 0, "{}", prose.text);
    let reply = ask(json!({"file_path": "README.md", "pattern": "raise $PORT"})).await;
    refused(&app, &reply, &["INVALID_QUERY"]);
    // Data formats have patterns of their own.
    let reply = ask(json!({"file_path": "a.yaml", "pattern": "text: $VALUE"})).await;
    assert!(!reply.is_error, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declared_encoding_is_believed_in_reading_and_in_searching() {
    let sample = Sample::empty();
    let latin = |head: &str| [head.as_bytes(), b"x = 'caf\xe9'\n"].concat();
    let japanese = [&b"# encoding: euc-jp\nX = '"[..], b"\xc6\xfc\xcb\xdc", b"'\n"].concat();
    sample
        .file("declared.py", latin("# -*- coding: latin-1 -*-\n"))
        .file("plain.py", latin(""))
        .file("koi.py", b"# vim: fileencoding=koi8-r\nx = '\xe4\xc1'\n")
        .file("a.html", b"<meta charset=\"windows-1251\">\n<p>\xe4\xe0\n")
        .file("a.rb", &japanese);
    let app = sample.app();
    for (path, word, encoding) in [
        ("declared.py", "café", "latin1"),
        ("plain.py", "café", "latin1"),
        ("koi.py", "Да", "koi8-r"),
        ("a.html", "да", "windows-1251"),
        ("a.rb", "日本", "euc-jp"),
    ] {
        let read = json!({"file_path": path, "start_line": 1, "format": "raw"});
        let read = call(&app, "extract_code_section", read).await;
        assert!(read.text.contains(word), "{path}: {}", read.text);
        let found = call(&app, "search_content", json!({"files": [path], "query": word})).await;
        assert_eq!(found.structured["total_matches"], 1, "{path}: {}", found.text);
        assert!(found.structured.to_string().contains(encoding), "{path}: {}", found.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_constructor_on_a_line_of_its_own_and_expect_and_actual_hide_nothing_in_kotlin() {
    let sample = Sample::empty();
    sample.file(
        "a.kt",
        "class Session\n@Inject\nconstructor(private val store: Store) : Closeable {\n    fun open() = store.open()\n}\n\n\
         class Plain\n    constructor(val x: Int)\n\n\
         class Hidden\nprivate constructor(val x: Int) {\n    fun inner() {}\n}\n\n\
         expect class Platform() {\n    fun start(): Int\n}\n\n\
         actual class Platform actual constructor() {\n    actual fun start(): Int = 1\n}\n\n\
         expect fun now(): Long\nactual fun now(): Long = 0\n\nfun last() {}\n",
    );
    let app = sample.app();
    let names = async |key: &str| {
        let reply = call(&app, "query_code", json!({"file_path": "a.kt", "query_key": key})).await;
        assert!(!reply.structured.to_string().contains("broken"), "{}", reply.structured);
        let found = reply.structured["query_result"]["matches"].as_array().unwrap().iter();
        found.map(|one| one["name"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(names("classes").await, ["Session", "Plain", "Hidden", "Platform", "Platform"]);
    assert_eq!(names("functions").await, ["now", "now", "last"]);
    for element in ["Session.open", "Hidden.inner"] {
        let cut = json!({"file_path": "a.kt", "element": element, "format": "raw"});
        let cut = call(&app, "extract_code_section", cut).await;
        let (_, method) = element.split_once('.').unwrap();
        assert!(cut.text.contains(&format!("fun {method}()")), "{}", cut.text);
    }
}
