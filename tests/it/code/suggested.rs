//! Every call that guidance or an error suggests is valid and succeeds, or is marked as a template. The tests make the
//! suggested calls of real replies.

use serde_json::{Value, json};

use crate::sample::{Sample, call};

fn project() -> Sample {
    let sample = Sample::empty();
    sample
        .file("src/main.py", "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n")
        .file("src/style.css", "a { color: red }\n")
        .file("web/.env", "A=1\n")
        .file("notes.txt", "word\n".repeat(300))
        .file("one.txt", "x ".repeat(60_000))
        .file("a.bin", b"\0\x01\x02\n")
        .file("empty.txt", "")
        .file("empty.py", "");
    std::fs::write(sample.outside().join("secret.txt"), "s").unwrap();
    sample
}

/// Calls that fail, one for every kind of error of the code tools, except errors of the system.
fn failing() -> Vec<(&'static str, Value)> {
    let search = |more: Value| {
        let mut arguments = json!({"roots": ["src"], "query": "def"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("search_content", arguments)
    };
    let cut = |more: Value| {
        let mut arguments = json!({"file_path": "src/main.py"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("extract_code_section", arguments)
    };
    vec![
        search(json!({"query": "foo("})),
        search(json!({"query": "(?<=a)b"})),
        search(json!({"query": "a\nb"})),
        search(json!({"query": "\\w{5000}{5000}"})),
        search(json!({"roots": ["scr"]})),
        search(json!({"roots": ["../x"]})),
        search(json!({"roots": ["/etc"]})),
        search(json!({"include_globs": ["["]})),
        search(json!({"max_filesize": "10MB"})),
        search(json!({"encoding": "klingon"})),
        search(json!({"encoding": "klingon", "max_count": 0})),
        search(json!({"fixd_strings": true})),
        search(json!({"total_only": true, "group_by_file": true})),
        search(json!({"cursor": "AAAA"})),
        search(json!({"output_file": "../x"})),
        search(json!({"output_file": "../x", "suppress_output": true})),
        search(json!({"ranked": true, "multiline": true})),
        ("search_content", json!({"query": "x", "files": []})),
        ("list_files", json!({"roots": ["."], "pattern": "*.py"})),
        ("list_files", json!({"roots": ["."], "pattern": "["})),
        ("list_files", json!({"roots": ["."], "pattern": "src/main"})),
        ("list_files", json!({"roots": ["."], "pattern": "src/*.py"})),
        ("list_files", json!({"roots": ["."], "pattern": "**/*.py"})),
        ("list_files", json!({"roots": ["."], "pattern": "src/*.py", "glob": true})),
        ("list_files", json!({"roots": ["."], "pattern": "^\\.env"})),
        ("list_files", json!({"roots": ["."], "types": ["q"], "size": ["10"]})),
        ("list_files", json!({"roots": ["."], "changed_within": "soon", "extensions": ["py,md"]})),
        ("list_files", json!({"roots": ["."], "limit": 0})),
        ("list_files", json!({"roots": ["src/main.py/x"]})),
        cut(json!({"start_line": 90})),
        cut(json!({"start_line": 1, "start_column": 900})),
        cut(json!({"start_line": 1, "end_line": 1, "start_column": 9, "end_column": 2})),
        cut(json!({"sections": []})),
        cut(json!({"element": "run"})),
        cut(json!({"element": "rnu"})),
        cut(json!({"file_path": "src", "start_line": 1})),
        cut(json!({"file_path": "src/mian.py", "start_line": 1})),
        cut(json!({"file_path": ".", "start_line": 1})),
        cut(json!({"file_path": "src/main.py", "start_line": 1, "element": "A"})),
        cut(json!({"end_line": 3})),
        ("analyze_code_structure", json!({"file_path": "notes.txt"})),
        cut(json!({"file_path": "a.bin", "start_line": 1})),
        cut(json!({"file_path": "empty.txt", "start_line": 1})),
        cut(json!({"file_path": "empty.py", "start_line": 1, "end_line": 50})),
        cut(json!({"file_path": "empty.py", "element": "f"})),
        ("analyze_code_structure", json!({"file_path": "empty.txt"})),
        ("query_code", json!({"file_path": "empty.txt", "query_key": "functions"})),
        ("analyze_code_structure", json!({"file_path": "src/main.py", "language": "klingon"})),
        ("analyze_code_structure", json!({"file_path": "src/main.py", "format_type": "ful"})),
        ("analyze_code_structure", json!({"file_pth": "src/main.py"})),
        ("query_code", json!({"file_path": "src/style.css", "query_key": "methodz"})),
        ("query_code", json!({"file_path": "src/main.py", "query_key": "functons"})),
        ("query_code", json!({"file_path": "src/main.py", "query_string": "(foo) @x"})),
        ("query_code", json!({"file_path": "src/main.py", "pattern": "$A"})),
        ("query_code", json!({"file_path": "src/main.py", "query_key": "methods", "filter": "nam=x"})),
        ("query_code", json!({"file_path": "src/main.py"})),
        ("check_code_scale", json!({"file_path": "none.py"})),
        ("check_code_scale", json!({})),
        ("find_and_grep", json!({"roots": ["."], "query": "x", "pattern": "*.py"})),
        ("set_project_path", json!({"project_path": "/etc"})),
        ("set_project_path", json!({"project_path": "src"})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_that_an_error_suggests_succeeds_or_is_a_template() {
    let sample = project();
    let app = sample.app();
    let mut wrong = Vec::new();
    let mut called = 0;
    for (tool, arguments) in failing() {
        for has_root in [false, true] {
            let mut arguments = arguments.clone();
            if has_root && tool != "set_project_path" {
                arguments["project_root"] = json!(sample.root());
            }
            let reply = call(&app, tool, arguments.clone()).await;
            assert!(reply.is_error, "served: {tool} {arguments}");
            let guidance = &reply.structured["error"]["guidance"];
            let (action, parameters) = (guidance["suggested_action"].as_str().unwrap(), &guidance["parameters"]);
            if guidance["template"] == true {
                continue;
            }
            called += 1;
            if has_root && action != "set_project_path" {
                assert_eq!(parameters["project_root"], arguments["project_root"], "{tool} {arguments}");
            }
            let next = call(&app, action, parameters.clone()).await;
            if next.is_error {
                wrong.push(format!("{tool} {arguments} -> {action} {parameters}: {}", next.text));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    // Most suggestions are complete calls, not templates.
    assert!(called > 70, "only {called} suggestions were calls");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_suggests_the_call_with_the_callers_own_values() {
    let sample = project();
    let app = sample.app();
    for (tool, arguments, wanted) in [
        (
            "list_files",
            json!({"roots": ["src"], "pattern": "*.py"}),
            json!({"roots": ["src"], "pattern": "*.py", "glob": true}),
        ),
        (
            "list_files",
            json!({"roots": ["."], "pattern": "src/*.py"}),
            json!({"roots": ["."], "pattern": "**/src/*.py", "glob": true, "full_path_match": true}),
        ),
        ("list_files", json!({"roots": ["."], "pattern": "["}), json!({"roots": ["."], "pattern": "\\["})),
        (
            "query_code",
            json!({"file_path": "src/main.py", "query_key": "methods", "filter": "nam=x"}),
            json!({"file_path": "src/main.py", "query_key": "methods", "filter": "name=~get*"}),
        ),
        (
            "search_content",
            json!({"roots": ["src"], "query": "foo("}),
            json!({"roots": ["src"], "query": "foo(", "fixed_strings": true}),
        ),
        (
            "analyze_code_structure",
            json!({"file_path": "notes.txt"}),
            json!({"file_path": "notes.txt", "start_line": 1, "end_line": 50}),
        ),
        (
            "query_code",
            json!({"file_path": "src/style.css", "query_key": "selectors", "outputformat": "summary"}),
            json!({"file_path": "src/style.css", "query_key": "selectors", "output_format": "summary"}),
        ),
    ] {
        let reply = call(&app, tool, arguments.clone()).await;
        let guidance = &reply.structured["error"]["guidance"];
        assert_eq!(guidance["parameters"], wanted, "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_scale_recommends_can_be_called() {
    let sample = project();
    let app = sample.app();
    for (path, category) in [
        ("src/main.py", "small"),
        ("notes.txt", "medium"),
        ("one.txt", "very_large"),
        ("empty.txt", "small"),
        ("empty.py", "small"),
    ] {
        let reply = call(&app, "check_code_scale", json!({"file_path": path})).await;
        assert_eq!(reply.structured["scale_assessment"]["category"], category, "{}", reply.text);
        for (tool, arguments) in [
            ("analyze_code_structure", json!({"file_path": path, "format_type": "compact"})),
            ("query_code", json!({"file_path": path, "query_key": "functions"})),
            ("extract_code_section", json!({"file_path": path, "start_line": 1, "end_line": 1})),
            ("search_content", json!({"files": [path], "query": "word"})),
        ] {
            if reply.structured["llm_guidance"].to_string().contains(tool) {
                let next = call(&app, tool, arguments).await;
                assert!(!next.is_error, "{path}: {tool}: {}", next.text);
            }
        }
    }
}
