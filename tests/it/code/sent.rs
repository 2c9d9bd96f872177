//! Arguments as models really send them: if the meaning is certain, the call is served as if the right ones had been
//! given; otherwise the error shows the right call with the caller's own values.

use serde_json::{Value, json};

use crate::{
    sample::{Sample, call},
    taught::refused,
};

fn project() -> Sample {
    let sample = Sample::empty();
    sample
        .file("src/main.py", "def main():\n    return 1\n")
        .file("src/deep/util.py", "def util():\n    return 2\n")
        .file("src/deep/twice.py", "")
        .file("docs/twice.py", "")
        .file("docs/guide.md", "main\n");
    sample
}

/// Returns the reply to a call, without the parts that differ from call to call.
async fn answered(sample: &Sample, tool: &str, arguments: Value) -> Value {
    let reply = call(&sample.app(), tool, arguments.clone()).await;
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    let mut structured = reply.structured;
    structured["elapsed_ms"] = json!(0);
    structured["meta"] = json!(0);
    structured
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_in_another_spelling_is_the_file_that_it_names() {
    let sample = project();
    let root = sample.root().to_string_lossy().into_owned();
    for (tool, rest) in [
        ("extract_code_section", json!({"start_line": 1})),
        ("analyze_code_structure", json!({})),
        ("check_code_scale", json!({})),
        ("query_code", json!({"query_key": "functions"})),
    ] {
        let with = |path: &str| {
            let mut arguments = rest.clone();
            arguments["file_path"] = json!(path);
            arguments
        };
        let right = answered(&sample, tool, with("src/deep/util.py")).await;
        for path in [
            &format!("file://{root}/src/deep/util.py"),
            "file:///src/deep/util.py",
            "src\\deep\\util.py",
            ".\\src\\deep\\util.py",
            "/src/deep/util.py",
            "util.py",
        ] {
            assert_eq!(answered(&sample, tool, with(path)).await, right, "{tool} {path}");
        }
    }
    let (right, sent) = (json!(["src/deep/util.py"]), json!(["/src\\deep/util.py"]));
    assert_eq!(
        answered(&sample, "search_content", json!({"query": "def", "files": sent})).await,
        answered(&sample, "search_content", json!({"query": "def", "files": right})).await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_several_files_have_or_a_place_outside_is_refused() {
    let sample = project();
    std::fs::write(sample.outside().join("secret.py"), "x = 1\n").unwrap();
    std::os::unix::fs::symlink("nowhere", sample.root().join("dangling.py")).unwrap();
    let app = sample.app();
    let ask = async |path: &str| {
        let arguments = json!({"file_path": path, "start_line": 1});
        let reply = call(&app, "extract_code_section", arguments).await;
        refused(&app, &reply, &["FILE_NOT_FOUND", "OUTSIDE_PROJECT", "PATH_TRAVERSAL"])
    };
    let message = ask("twice.py").await;
    assert!(message.contains("docs/twice.py, src/deep/twice.py"), "{message}");
    let outside = sample.outside().join("secret.py");
    for path in [
        &format!("file://{}", outside.display()),
        "file:///../outside/secret.py",
        "file:///%2e%2e/outside/secret.py",
        "\\..\\outside\\secret.py",
        "secret.py",
        "/",
        "main",
    ] {
        ask(path).await;
    }
    assert!(!ask("dangling.py").await.contains("Nearest: dangling.py"));
}

#[tokio::test(flavor = "multi_thread")]
async fn path_stands_for_roots_or_for_the_file() {
    let sample = project();
    for (tool, sent, right) in [
        ("search_content", json!({"query": "main", "path": "src"}), json!({"query": "main", "roots": ["src"]})),
        ("find_and_grep", json!({"query": "main", "path": ["src"]}), json!({"query": "main", "roots": ["src"]})),
        ("list_files", json!({"path": "docs"}), json!({"roots": ["docs"]})),
        (
            "query_code",
            json!({"query_key": "functions", "path": "src"}),
            json!({"query_key": "functions", "roots": ["src"]}),
        ),
        ("analyze_code_structure", json!({"path": "src/main.py"}), json!({"file_path": "src/main.py"})),
    ] {
        let right = answered(&sample, tool, right).await;
        assert_eq!(answered(&sample, tool, sent).await, right, "{tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_glob_as_a_root_is_its_folder_and_include_globs() {
    let sample = project();
    for (tool, more) in [
        ("search_content", json!({"query": "def"})),
        ("find_and_grep", json!({"query": "def"})),
        ("query_code", json!({"query_key": "functions"})),
    ] {
        let with = |roots: Value, globs: Value| {
            let mut arguments = more.clone();
            arguments["roots"] = roots;
            arguments["include_globs"] = globs;
            arguments
        };
        for (root, folder, glob) in [
            ("src/**/*.py", "src", "**/*.py"),
            ("src/deep/*.py", "src/deep", "*.py"),
            ("/src/*.py", "src", "src/*.py"),
            ("*.py", ".", "*.py"),
        ] {
            let mut right = answered(&sample, tool, with(json!([folder]), json!([glob]))).await;
            let mut sent = answered(&sample, tool, with(json!([root]), Value::Null)).await;
            // The number of searched files depends on the arguments.
            for answer in [&mut right, &mut sent] {
                answer["searched_files"] = json!(0);
            }
            assert_eq!(sent, right, "{tool} {root}");
        }
    }
    let listed = |arguments| answered(&sample, "list_files", arguments);
    assert_eq!(
        listed(json!({"roots": ["src/**/*.py"]})).await,
        listed(json!({"roots": ["src"], "pattern": "*.py", "glob": true})).await
    );
    sample.file("app/[slug]/page.tsx", "def\n").file("a, b/one.py", "def\n");
    for (root, found) in
        [("app/[slug]/*.tsx", "app/[slug]/page.tsx"), ("a, b/*.py", "a, b/one.py"), ("sr{c,d}/mai?.py", "src/main.py")]
    {
        let reply = call(&sample.app(), "list_files", json!({"roots": [root], "absolute": false})).await;
        assert_eq!(reply.structured["results"][0]["path"].as_str().unwrap_or(""), found, "{}", reply.text);
    }
    let app = sample.app();
    for root in ["src/{a,b", "src/{a,b*", "app/[slug]/pgae.tsx", "app/[slgu]/*.tsx", "*.nothing", "src/*.md"] {
        for tool in ["list_files", "search_content"] {
            let mut arguments = json!({"roots": [root], "query": "def"});
            if tool == "list_files" {
                arguments.as_object_mut().unwrap().remove("query");
            }
            let message = refused(&app, &call(&app, tool, arguments).await, &["FILE_NOT_FOUND"]);
            assert!(!message.contains(&*sample.root().to_string_lossy()), "{message}");
        }
    }
    let reply = call(&app, "list_files", json!({"roots": ["src/*.py"], "pattern": "main"})).await;
    let message = refused(&app, &reply, &["FILE_NOT_FOUND"]);
    assert!(message.contains("include_globs") && message.contains("glob"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_glob_as_a_root_finds_nothing_hidden_or_ignored() {
    let sample = project();
    sample
        .file(".ignore", "vendor\n*.log\n")
        .file(".env", "password = 'def f(): main'\n")
        .file("src/.env", "password\n")
        .file("src/.hidden/secret.py", "def password(): pass\n")
        .file("src/build.log", "password\n")
        .file("vendor/lib.py", "def password(): pass\n")
        .file("src/main.py", "def main():\n    password = 1\n");
    for roots in [json!([".", "*.py"]), json!(["src", "*.py"]), json!(["src/**"]), json!(["**/*"]), json!(["*"])] {
        for (tool, more) in [
            ("search_content", json!({"query": "password"})),
            ("search_content", json!({"query": "password", "ranked": true})),
            ("find_and_grep", json!({"query": "password"})),
            ("query_code", json!({"query_key": "functions"})),
            ("list_files", json!({})),
        ] {
            let mut arguments = more.clone();
            arguments["roots"] = roots.clone();
            let answer = answered(&sample, tool, arguments).await.to_string();
            assert!(answer.contains("main.py"), "{tool} {roots}: {answer}");
            for kept_out in [".env", "secret", "build.log", "vendor"] {
                assert!(!answer.contains(kept_out), "{tool} {roots}: {answer}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_name_is_compared_in_its_case_and_only_one_file_may_have_it() {
    let sample = project();
    for folder in ["a", "b", "c", "d", "e"] {
        sample.file(&format!("{folder}/README.md"), "");
    }
    sample.file("f/readme.md", "").file("g/readme.md", "");
    let app = sample.app();
    let arguments = json!({"query": "def", "files": ["readme.md", "util.py", "guide.md"]});
    let message = refused(&app, &call(&app, "search_content", arguments).await, &["FILE_NOT_FOUND"]);
    assert!(message.contains("f/readme.md, g/readme.md"), "{message}");
    assert!(!message.contains("README") && !message.contains("util.py"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extension_may_be_written_as_a_glob_and_nothing_else_is_silently_nothing() {
    let sample = project();
    let right = answered(&sample, "list_files", json!({"roots": ["."], "extensions": ["py"]})).await;
    assert_eq!(right["count"], 4);
    for extension in [".py", "*.py", "PY"] {
        let sent = answered(&sample, "list_files", json!({"roots": ["."], "extensions": [extension]})).await;
        assert_eq!(sent, right, "{extension}");
    }
    let app = sample.app();
    for extension in ["py,md", "{py,md}", "src/*.py", "**/*.py", ""] {
        let arguments = json!({"roots": ["."], "query": "main", "extensions": [extension]});
        let message = refused(&app, &call(&app, "find_and_grep", arguments).await, &["INVALID_ARGUMENTS"]);
        assert!(message.contains("extensions"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_problems_of_one_call_are_reported_in_plain_words() {
    let sample = project();
    let app = sample.app();
    let arguments = json!({"roots": ["."], "query": "main", "encoding": "klingon", "max_count": 0});
    let message = refused(&app, &call(&app, "search_content", arguments).await, &["INVALID_ARGUMENTS"]);
    for part in ["klingon", "an integer from 1 to 10000, not 0"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let arguments = json!({"roots": ["."], "query": "main", "expectation": {"maxTokens": "5"}});
    let reply = call(&app, "search_content", arguments).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("maxTokens: must be an integer"), "{message}");
    assert!(!reply.structured.to_string().contains("[redacted]"), "{}", reply.structured);
    let arguments = json!({"roots": ["."], "query": "a\n\t(", "multiline": true});
    let message = refused(&app, &call(&app, "search_content", arguments).await, &["INVALID_QUERY"]);
    assert!(message.contains("\"a\\n\\t(\""), "{message}");
}
