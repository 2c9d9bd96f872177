//! Files as real projects have them, each reduced to the few lines that showed a wrong or missing answer.

use serde_json::{Value, json};

use super::text_alone;
use crate::sample::{Sample, call};

/// Returns the rows of `query_code` for a file: line and name.
async fn queried(sample: &Sample, arguments: Value) -> Vec<(u64, String)> {
    let reply = call(&sample.app(), "query_code", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    let rows = reply.structured["query_result"]["matches"].as_array().unwrap().clone();
    rows.iter().map(|row| (row["start_line"].as_u64().unwrap(), row["name"].as_str().unwrap().to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_of_unknown_files_are_not_headings() {
    let sample = Sample::empty();
    sample
        .file("Dockerfile", "# The image of the program.\n\nFROM scratch\n# COPY says where.\nCOPY a /a\n")
        .file("Makefile", "# Variables\nCC=gcc\n# Targets\nall:\n\tgcc x.c\n")
        .file("requirements.txt", "# Tools\n\nruff==1\n")
        .file("nginx.conf", "# Servers\n\nserver { listen 80; }\n")
        .file("README", "# Title\n\nSee [the guide](docs/guide.md).\n\n## Use\n\ntext\n")
        .file("NOTES", "---\ntitle: x\n---\n\n# Title\n\n```sh\nls\n```\n");
    let app = sample.app();
    for (path, language) in [
        ("Dockerfile", "text"),
        ("Makefile", "text"),
        ("requirements.txt", "text"),
        ("nginx.conf", "text"),
        ("README", "markdown"),
        ("NOTES", "markdown"),
    ] {
        let reply = call(&app, "check_code_scale", json!({"file_path": path})).await;
        assert_eq!(reply.structured["file_info"]["language"], language, "{path}");
    }
    let text = text_alone(&app, "search_content", json!({"query": "COPY", "files": ["Dockerfile"]})).await;
    assert_eq!(text, "4:# COPY says where.\n5:COPY a /a");
}

#[tokio::test(flavor = "multi_thread")]
async fn header_for_cpp_compilers_alone_is_cpp() {
    let guarded = "#ifndef G_H\n#define G_H\n#ifdef __cplusplus\nnamespace n {\ntemplate <typename T>\nT twice(T x) { return x * 2; }\nclass K { public: int m(); };\n}\n#endif\n#endif\n";
    let pragma = "#pragma once\n\n#ifdef __cplusplus\n\n#include \"b.h\"\n\nnamespace n {\nclass K {};\n}\n\n#endif\n";
    let c = "#ifndef G_H\n#define G_H\n#ifdef __cplusplus\nextern \"C\" {\nclass B;\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
    let sample = Sample::empty();
    sample.file("guarded.h", guarded).file("pragma.h", pragma).file("c.h", c);
    let app = sample.app();
    for (path, language) in [("guarded.h", "cpp"), ("pragma.h", "cpp"), ("c.h", "c")] {
        let reply = call(&app, "check_code_scale", json!({"file_path": path})).await;
        assert_eq!(reply.structured["file_info"]["language"], language, "{path}");
    }
    let rows = queried(&sample, json!({"file_path": "guarded.h", "query_key": "classes"})).await;
    assert_eq!(rows, [(7, "K".to_owned())]);
}
