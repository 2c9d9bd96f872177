//! Files as real projects have them, each reduced to the few lines that showed a wrong or missing answer.

use fumi_base::text::Locale;
use fumi_kernel::Caller;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::text_alone;
use crate::{
    sample::{Sample, call, call_as, whole},
    taught::refused,
};

/// Returns a project of one file.
fn with(path: &str, text: &str) -> Sample {
    let sample = Sample::empty();
    sample.file(path, text);
    sample
}

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
async fn globs_that_match_no_file_are_reported_in_every_form() {
    let sample = with("src/a.rs", "fn main() {}\n");
    let app = sample.app();
    let ask = |globs: &str, more: Value| {
        let mut arguments = json!({"query": "fn main", "include_globs": [globs]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for form in ["total_only", "count_only_matches", "summary_only", "group_by_file", "optimize_paths", "ranked"] {
        let arguments = ask("src", json!({form: true}));
        for (locale, said) in [(Locale::En, "No file was searched"), (Locale::Ja, "検索したファイルがありません")]
        {
            let caller = Caller { locale, ..whole(&app) };
            let reply = call_as(&app, "search_content", arguments.clone(), caller, CancellationToken::new()).await;
            assert!(reply.text.contains(said), "{form}: {}", reply.text);
            assert_eq!(reply.structured["no_file_searched"], true, "{form}: {}", reply.structured);
        }
    }
    let found = json!({"roots": ["."], "query": "x", "extensions": ["py"], "total_only": true});
    let reply = call(&app, "find_and_grep", found).await;
    assert!(reply.text.starts_with("0\nNo file was searched"), "{}", reply.text);
    // A search of files without a match stays a bare number.
    assert_eq!(call(&app, "search_content", json!({"query": "q", "total_only": true})).await.text, "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn globs_may_begin_at_the_project() {
    let sample = with("src/a.rs", "fn main() {}\n");
    sample.file("other/src/b.rs", "fn main() {}\n");
    let app = sample.app();
    let absolute = format!("{}/src/**/*.rs", sample.root().display());
    for glob in ["./src/**/*.rs", absolute.as_str()] {
        let arguments = json!({"query": "fn main", "include_globs": [glob], "total_only": true});
        assert_eq!(call(&app, "search_content", arguments).await.text, "1", "{glob}");
        let arguments = json!({"query": "fn main", "exclude_globs": [glob], "total_only": true});
        assert_eq!(call(&app, "search_content", arguments).await.text, "1", "{glob}");
        let arguments = json!({"query_key": "functions", "include_globs": [glob]});
        let reply = call(&app, "query_code", arguments).await;
        assert_eq!(reply.structured["query_result"]["total_matches"], 1, "{glob}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn globs_under_another_name_never_become_the_opposite() {
    let sample = with("a.rs", "fn main() {}\n");
    sample.file("b.py", "fn main\n");
    let app = sample.app();
    for arguments in [
        json!({"query": "fn main", "globs": ["*.rs"], "total_only": true}),
        json!({"query": "fn main", "glob": "*.rs", "total_only": true}),
        json!({"query": "fn main", "include": ["*.rs"], "total_only": true}),
    ] {
        let reply = call(&app, "search_content", arguments.clone()).await;
        if reply.is_error {
            let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
            assert!(message.contains("did you mean include_globs?"), "{message}");
            let next = &reply.structured["error"]["guidance"]["parameters"];
            assert_eq!(next["include_globs"], json!(["*.rs"]), "{}", reply.text);
        } else {
            assert_eq!(reply.text, "1", "{arguments}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ranked_query_with_a_kind_finds_what_has_the_name() {
    let sample = Sample::empty();
    sample
        .file(
            "client.py",
            "class HTTPSConnection:\n    \"\"\"The class of an HTTPConnection class with HTTPConnection.\"\"\"\n    def a(self):\n        return HTTPConnection\n\nclass HTTPConnection:\n    def b(self):\n        pass\n",
        )
        .file("m.rs", "/// A struct: Mutex, like the struct Mutex.\npub struct MutexGuard {}\n/// Locks.\npub struct Mutex {}\nfn mutex() {}\n")
        .file("p.rs", "struct Parser {}\nfn parse_all() { parse() }\nfn parse() { }\n");
    let app = sample.app();
    for (query, element) in [
        ("class HTTPConnection", "HTTPConnection"),
        ("HTTPConnection class", "HTTPConnection"),
        ("struct Mutex", "Mutex"),
        ("fn parse", "parse"),
    ] {
        let reply = call(&app, "search_content", json!({"query": query, "ranked": true})).await;
        assert_eq!(reply.structured["results"][0]["element"], element, "{query}: {}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn constant_is_found_as_definition_and_as_write() {
    let sample = Sample::empty();
    sample
        .file("a.py", "LIMIT = 5\n\ndef f():\n    LIMIT = 6\n    return LIMIT\n")
        .file("b.rb", "LIMIT = 1\n")
        .file("c.lua", "local limit = 1\nprint(limit)\n");
    let app = sample.app();
    for (file, query, lines) in [("a.py", "LIMIT", vec![1]), ("b.rb", "LIMIT", vec![1]), ("c.lua", "limit", vec![1])] {
        let arguments = json!({"query": query, "roles": ["definition"], "files": [file]});
        let reply = call(&app, "search_content", arguments).await;
        let rows = reply.structured["results"].as_array().unwrap();
        let found: Vec<u64> = rows.iter().map(|row| row["line"].as_u64().unwrap()).collect();
        assert_eq!(found, lines, "{file}: {}", reply.text);
    }
    let arguments = json!({"query": "LIMIT", "roles": ["write"], "files": ["a.py"], "total_only": true});
    assert_eq!(call(&app, "search_content", arguments).await.text, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn filter_by_role_says_which_roles_the_other_matches_have() {
    let sample = with("a.py", "x = 5\nx = 6\nprint(x)\n");
    let app = sample.app();
    let arguments = json!({"query": "x", "roles": ["call"], "files": ["a.py"]});
    let text = text_alone(&app, "search_content", arguments.clone()).await;
    assert!(text.contains("Matches with other roles: write 2, mention 1"), "{text}");
    let caller = Caller { locale: Locale::Ja, ..whole(&app) };
    let reply = call_as(&app, "search_content", arguments, caller, CancellationToken::new()).await;
    assert!(reply.text.contains("ほかの役割の一致: write 2, mention 1"), "{}", reply.text);
    assert_eq!(reply.structured["other_roles"], json!({"write": 2, "mention": 1}), "{}", reply.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn function_asked_for_by_name_may_be_a_method_in_every_language() {
    for (path, text, line) in [
        ("a.py", "class A:\n    def run(self):\n        pass\n", 2),
        ("a.ts", "class A {\n  run(): void {}\n}\n", 2),
        ("a.js", "class A {\n  run() {}\n}\n", 2),
        ("a.rb", "class A\n  def run\n  end\nend\n", 2),
        ("a.php", "<?php\nclass A {\n  function run() {}\n}\n", 3),
        ("a.kt", "class A {\n  fun run() {}\n}\n", 2),
        ("a.cpp", "class A {\n  void run() {}\n};\n", 2),
        ("a.lua", "local A = {}\nfunction A:run() end\n", 2),
        ("a.rs", "struct A;\nimpl A {\n  fn run() {}\n}\n", 3),
    ] {
        let sample = with(path, text);
        let app = sample.app();
        let arguments = json!({"roots": ["."], "query_key": "functions", "filter": "name=run"});
        let reply = call(&app, "query_code", arguments).await;
        let result = &reply.structured["query_result"];
        assert_eq!(result["total_matches"], 1, "{path}: {}", reply.text);
        assert_eq!(result["files"][0]["matches"][0]["start_line"], line, "{path}");
    }
    // A list of functions stays one of functions.
    let sample = with("a.py", "class A:\n    def run(self):\n        pass\n\ndef go():\n    pass\n");
    let rows = queried(&sample, json!({"file_path": "a.py", "query_key": "functions"})).await;
    assert_eq!(rows, [(5, "go".to_owned())]);
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

#[tokio::test(flavor = "multi_thread")]
async fn kotlin_class_keeps_its_members_after_an_annotated_constructor() {
    let text = "package a\n\nclass Registry\n@DoNotStrip\nprivate constructor(private val x: Int) {\n\n  private external fun init(): Int\n\n  fun two() {}\n\n  companion object {\n    fun register(): Int = 1\n  }\n}\n\nfun after() {}\n";
    let sample = with("K.kt", text);
    let app = sample.app();
    let reply = call(&app, "analyze_code_structure", json!({"file_path": "K.kt", "format_type": "signatures"})).await;
    assert_eq!(reply.structured.get("parse_errors"), None, "{}", reply.text);
    for name in ["Registry.two", "Registry.init", "register", "after"] {
        let reply = call(&app, "extract_code_section", json!({"file_path": "K.kt", "element": name})).await;
        assert!(!reply.is_error, "{name}: {}", reply.text);
    }
    let reply =
        call(&app, "extract_code_section", json!({"file_path": "K.kt", "element": "Registry", "format": "raw"})).await;
    assert!(reply.text.ends_with("  }\n}\n"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn python_targets_of_one_assignment_are_siblings() {
    let text = "Y = Z = 4\n\nclass A:\n    def f(self): pass\n    __str__ = __repr__ = f\n";
    let sample = with("a.py", text);
    let app = sample.app();
    for (name, line) in [("Z", 1), ("A.__repr__", 5), ("A.__str__", 5)] {
        let reply = call(&app, "extract_code_section", json!({"file_path": "a.py", "element": name})).await;
        assert!(!reply.is_error, "{name}: {}", reply.text);
        assert_eq!(reply.structured["partial_content_result"]["start_line"], line, "{name}");
        assert_eq!(reply.structured["partial_content_result"]["element"], name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rust_path_is_found_in_types_and_in_expressions() {
    let text =
        "fn a() -> Result<(), fmt::Error> {\n    Err(fmt::Error)\n}\nfn b(x: Kind) -> Kind {\n    Kind::new(Kind)\n}\n";
    let sample = with("a.rs", text);
    for (pattern, lines) in
        [("fmt::Error", vec![1, 2]), ("$A::Error", vec![1, 2]), ("fmt::$B", vec![1, 2]), ("Kind", vec![4, 4, 5, 5])]
    {
        let rows = queried(&sample, json!({"file_path": "a.rs", "pattern": pattern})).await;
        let found: Vec<u64> = rows.iter().map(|(line, _)| *line).collect();
        assert_eq!(found, lines, "{pattern}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decorated_element_has_its_name_once() {
    let sample = Sample::empty();
    sample
        .file("a.rs", "mod m {\n    #[test]\n    fn t() {}\n}\n")
        .file("a.py", "class A:\n    @property\n    def p(self):\n        return 1\n");
    let app = sample.app();
    for (arguments, said) in [
        (json!({"file_path": "a.rs", "pattern": "fn $F($$$) { $$$ }"}), " m.t"),
        (json!({"file_path": "a.py", "query_string": "(function_definition) @f"}), " A.p"),
    ] {
        let text = text_alone(&app, "query_code", arguments).await;
        let row = text.lines().nth(1).unwrap();
        assert!(row.contains(said) && !row.contains("p.p") && !row.contains("t.t"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headings_of_an_example_in_a_document_are_not_its_own() {
    let text =
        "# Title\n\n## Install\n\nRun it.\n\n```md\n# Install\n## Sub\n```\n\n```python\ndef f():\n    pass\n```\n";
    let sample = with("a.md", text);
    let app = sample.app();
    let rows = queried(&sample, json!({"file_path": "a.md", "query_key": "headings"})).await;
    assert_eq!(rows, [(1, "Title".to_owned()), (3, "Install".to_owned())]);
    for (name, line) in [("Install", 3), ("## Install", 3), ("f", 13)] {
        let reply = call(&app, "extract_code_section", json!({"file_path": "a.md", "element": name})).await;
        assert!(!reply.is_error, "{name}: {}", reply.text);
        assert_eq!(reply.structured["partial_content_result"]["start_line"], line, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filter_takes_the_qualified_name_that_rows_show() {
    let sample = Sample::empty();
    sample.file("a.py", "class A:\n    def p(self): pass\n\nclass B:\n    def p(self): pass\n");
    for (filter, lines) in
        [("name=A.p", vec![2]), ("name=p", vec![2, 5]), ("name=A::p", vec![2]), ("name!=A.p", vec![5])]
    {
        let arguments = json!({"file_path": "a.py", "query_key": "methods", "filter": filter});
        let rows = queried(&sample, arguments).await;
        assert_eq!(rows.iter().map(|(line, _)| *line).collect::<Vec<_>>(), lines, "{filter}");
    }
    let app = sample.app();
    let arguments = json!({"roots": ["."], "query_key": "functions", "filter": "name=B.p"});
    let reply = call(&app, "query_code", arguments).await;
    assert_eq!(reply.structured["query_result"]["total_matches"], 1, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_table_does_not_advise_the_format_that_it_has() {
    let functions: Vec<String> = (0..3_000).map(|n| format!("def function_number_{n}(value): pass\n")).collect();
    let functions = functions.concat();
    let sample = with("a.py", &functions);
    let app = sample.app();
    let ask = |form: &str| json!({"file_path": "a.py", "format_type": form});
    let text = text_alone(&app, "analyze_code_structure", ask("signatures")).await;
    assert!(text.contains("lines of the table") && !text.contains("format_type signatures"), "{text}");
    let text = text_alone(&app, "analyze_code_structure", ask("full")).await;
    assert!(text.contains("or format_type signatures"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_file_is_not_poured_out() {
    let sample = Sample::empty();
    let bytes: Vec<u8> = (0..=255).cycle().step_by(7).take(20_000).collect();
    sample.file("a.bin", bytes);
    let app = sample.app();
    let reply = call(&app, "extract_code_section", json!({"file_path": "a.bin", "start_line": 1})).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("binary"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_missing_file_does_not_hide_the_scales_of_others() {
    let sample = with("a.py", "x = 1\n");
    let app = sample.app();
    let reply = call(&app, "check_code_scale", json!({"file_paths": ["a.py", "none.py"]})).await;
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(reply.structured["files"][0]["file_info"]["path"], "a.py");
    assert_eq!(reply.structured["failed"][0]["path"], "none.py");
    assert!(reply.text.contains("\nnone.py: "), "{}", reply.text);
    // Without any file that can be read it is an error.
    let reply = call(&app, "check_code_scale", json!({"file_paths": ["none.py"]})).await;
    assert!(reply.is_error, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_key_and_known_keys_are_two_sentences_in_japanese() {
    let sample = with("a.rs", "fn a() {}\n");
    let app = sample.app();
    let caller = Caller { locale: Locale::Ja, ..whole(&app) };
    let arguments = json!({"file_path": "a.rs", "query_key": "function"});
    let reply = call_as(&app, "query_code", arguments, caller, CancellationToken::new()).await;
    let message = refused(&app, &reply, &["INVALID_QUERY"]);
    assert!(message.contains("functions") && message.contains("。使えるキー"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tag_is_found_by_its_id() {
    let text = "<div id=\"main\">\n<form id=\"f\"></form>\n</div>\n<script>\nfunction f() {}\n</script>\n";
    let sample = with("a.html", text);
    let app = sample.app();
    for (name, line) in [("#main", 1), ("#f", 2), ("f", 5)] {
        let reply = call(&app, "extract_code_section", json!({"file_path": "a.html", "element": name})).await;
        assert!(!reply.is_error, "{name}: {}", reply.text);
        assert_eq!(reply.structured["partial_content_result"]["start_line"], line, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn named_containers_and_pages_of_css_are_valid() {
    let text = "@container card (min-width: 1px) { .a { color: red } }\n@page :first { margin: 1cm }\n@page toc, index:blank { margin: 1cm }\n";
    let sample = with("a.css", text);
    let reply = call(&sample.app(), "analyze_code_structure", json!({"file_path": "a.css"})).await;
    assert_eq!(reply.structured.get("parse_errors"), None, "{}", reply.text);
    for header in ["@container card (min-width: 1px)", "@page :first", "@page toc, index:blank"] {
        assert!(reply.text.contains(header), "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_outside_of_a_template_belong_to_the_template() {
    let text = "template <typename T> class Arr { public: void f(); };\ntemplate <> class Arr<int> { public: void f(); };\ntemplate <typename T>\nvoid Arr<T>::f() {\n}\nvoid Arr<int>::f() {\n}\n";
    let sample = with("a.cpp", text);
    let app = sample.app();
    for (name, line) in [("Arr.f", 3), ("Arr<int>.f", 6)] {
        let reply = call(&app, "extract_code_section", json!({"file_path": "a.cpp", "element": name})).await;
        assert!(!reply.is_error, "{name}: {}", reply.text);
        assert_eq!(reply.structured["partial_content_result"]["start_line"], line, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suggested_call_keeps_what_narrows_it() {
    let sample = with("a.rs", "fn main() {}\n");
    let app = sample.app();
    for (arguments, kept) in [
        (json!({"query": "x", "include_globs": "*.rs", "total_only": true}), ("include_globs", json!(["*.rs"]))),
        (json!({"query": "x", "ranked": true, "context_before": 2}), ("ranked", json!(true))),
    ] {
        let reply = call(&app, "search_content", arguments.clone()).await;
        refused(&app, &reply, &["INVALID_ARGUMENTS"]);
        assert_eq!(reply.structured["error"]["guidance"]["parameters"][kept.0], kept.1, "{arguments}: {}", reply.text);
    }
    let reply = call(&app, "extract_code_section", json!({"file": "a.rs", "start_line": 1, "format": "raw"})).await;
    assert_eq!(reply.text, "fn main() {}\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn size_of_the_first_row_is_not_that_of_the_list() {
    let sample = with("a.txt", &"needle in a line of some words\n".repeat(60));
    let arguments = json!({"query": "needle", "expectation": {"maxTokens": 20}});
    let reply = call(&sample.app(), "search_content", arguments).await;
    assert!(reply.text.contains("even the first row takes about"), "{}", reply.text);
}
