//! The scenarios of the requirements, one test each, with the exact errors that they specify.

use fumi_base::text::Locale;
use fumi_kernel::{Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::text_alone;
use crate::{
    sample::{Sample, call, call_as, whole},
    taught::refused,
};

const FORMATS: [&str; 5] = ["total_only", "count_only_matches", "summary_only", "group_by_file", "optimize_paths"];

fn project() -> Sample {
    let sample = Sample::empty();
    for n in 0..3 {
        sample.file(
            &format!("src/m{n}.py"),
            "import os\nclass UserService:\n    def process_a(self): pass\n    def process_b(self): pass\n",
        );
    }
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn each_format_alone_is_served_and_any_two_are_refused_by_name() {
    let sample = project();
    let app = sample.app();
    for tool in ["search_content", "find_and_grep"] {
        for (at, first) in FORMATS.iter().enumerate() {
            let mut arguments = json!({"query": "process_", "roots": ["src"]});
            arguments[*first] = json!(true);
            let reply = call(&app, tool, arguments.clone()).await;
            assert!(!reply.is_error, "{tool} {first}: {}", reply.text);
            for second in &FORMATS[at + 1..] {
                let mut both = arguments.clone();
                both[*second] = json!(true);
                for (locale, said, given) in [
                    (Locale::En, "mutually exclusive", format!("several were given: {first}, {second}")),
                    (Locale::Ja, "出力形式パラメータは排他的です", format!("複数指定できません: {first}, {second}")),
                ] {
                    let caller = Caller { locale, ..whole(&app) };
                    let reply = call_as(&app, tool, both.clone(), caller, CancellationToken::new()).await;
                    let message = refused(&app, &reply, &["EXCLUSIVE_PARAMETERS"]);
                    for part in [said, &given, "{\"total_only\": true}"].into_iter().chain(FORMATS) {
                        assert!(message.contains(part), "{part} is missing: {message}");
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn false_formats_and_suppress_output_do_not_count_as_formats() {
    let sample = project();
    let app = sample.app();
    let arguments = json!({"query": "process_", "roots": ["src"], "total_only": false, "summary_only": true, "output_file": "o.json", "suppress_output": true});
    let reply = call(&app, "search_content", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(reply.structured["output_file_path"], ".fumi/output/o.json");
}

#[tokio::test(flavor = "multi_thread")]
async fn max_count_bounds_each_file_and_has_a_range() {
    let sample = Sample::empty();
    sample.file("a.txt", "x\n".repeat(9)).file("b.txt", "x\n".repeat(3));
    let app = sample.app();
    let ask = async |count: Value| {
        call(&app, "search_content", json!({"query": "x", "roots": ["."], "max_count": count})).await
    };
    let five = ask(json!(5)).await;
    assert_eq!((five.structured["count"].as_u64(), five.structured["total_matches"].as_u64()), (Some(8), Some(8)));
    let most = ask(json!(50_000)).await;
    assert_eq!((&most.structured["max_count_adjusted"], &most.structured["count"]), (&json!(10_000), &json!(12)));
    for bad in [json!(0), json!(-3), json!("ten"), json!(1.5)] {
        let message = refused(&app, &ask(bad.clone()).await, &["INVALID_ARGUMENTS"]);
        for part in ["max_count", "an integer from 1 to 10000"] {
            assert!(message.contains(part), "{bad}: {part} is missing: {message}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_max_count_listing_is_bounded_and_counting_is_not() {
    let sample = Sample::empty();
    for n in 0..30 {
        sample.file(&format!("f{n:02}.txt"), "needle\n".repeat(100));
    }
    let app = sample.app();
    let ask = async |more: Value| {
        let mut arguments = json!({"query": "needle", "roots": ["."]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&app, "search_content", arguments).await
    };
    let rows = ask(json!({})).await;
    assert!(rows.structured["count"].as_u64().unwrap() <= 2_000);
    assert_eq!((&rows.structured["total_matches"], &rows.structured["truncated"]), (&json!(3_000), &json!(true)));
    assert!(
        rows.structured["next"]["cursor"].is_string() && rows.text.contains("cursor="),
        "{}",
        rows.structured["next"]
    );
    assert_eq!(ask(json!({"total_only": true})).await.structured, json!({"total_matches": 3_000}));
    // All pages together are the whole list, file by file.
    let (mut cursor, mut seen) =
        (rows.structured["next"]["cursor"].clone(), rows.structured["count"].as_u64().unwrap());
    while cursor.is_string() {
        let page = ask(json!({"cursor": cursor})).await;
        assert!(!page.is_error, "{}", page.text);
        seen += page.structured["count"].as_u64().unwrap();
        cursor = page.structured["next"]["cursor"].clone();
    }
    assert_eq!(seen, 3_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_continues_its_own_call_only() {
    let sample = Sample::empty();
    sample.file("a.txt", "needle\n".repeat(5_000));
    let app = sample.app();
    let first = call(&app, "search_content", json!({"query": "needle", "roots": ["."]})).await;
    let cursor = first.structured["next"]["cursor"].clone();
    for other in [
        json!({"query": "needles", "roots": ["."], "cursor": cursor}),
        json!({"query": "needle", "roots": ["."], "cursor": "zzz"}),
        json!({"query": "needle", "roots": ["."], "cursor": "1-2-3"}),
    ] {
        let message = refused(&app, &call(&app, "search_content", other).await, &["INVALID_ARGUMENTS"]);
        assert!(message.contains("cursor"), "{message}");
    }
    sample.file("b.txt", "needle\n");
    let stale = call(&app, "search_content", json!({"query": "needle", "roots": ["."], "cursor": cursor})).await;
    assert!(refused(&app, &stale, &["INVALID_ARGUMENTS"]).contains("files changed since"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shapes_keep_their_fields() {
    let sample = project();
    let app = sample.app();
    let fields = async |tool: &str, more: Value| {
        let mut arguments = json!({"roots": ["src"]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = call(&app, tool, arguments).await;
        let names: Vec<String> = reply.structured.as_object().unwrap().keys().cloned().collect();
        names.join(",")
    };
    for (format, expected) in [
        (json!({}), "success,count,total_matches,total_files,truncated,elapsed_ms,results"),
        (json!({"total_only": true}), "total_matches"),
        (json!({"count_only_matches": true}), "success,count_only,total_matches,file_counts"),
        (json!({"summary_only": true}), "success,count,truncated,elapsed_ms,summary"),
        (json!({"group_by_file": true}), "success,count,total_matches,files"),
        (json!({"optimize_paths": true}), "success,count,total_matches,total_files,truncated,elapsed_ms,root,results"),
    ] {
        let mut arguments = format.clone();
        arguments["query"] = json!("class.*Service");
        assert_eq!(fields("search_content", arguments.clone()).await, expected, "{format}");
        let with_meta = if format["total_only"] == true { expected.to_owned() } else { format!("{expected},meta") };
        assert_eq!(fields("find_and_grep", arguments).await, with_meta, "{format}");
    }
    assert_eq!(fields("list_files", json!({})).await, "success,count,total_count,truncated,elapsed_ms,results");
    assert_eq!(fields("list_files", json!({"count_only": true})).await, "success,count_only,total_count");
}

#[expect(clippy::too_many_lines, reason = "a list, one entry a scenario")]
#[tokio::test(flavor = "multi_thread")]
async fn the_error_scenarios_of_the_tools() {
    let sample = Sample::new();
    sample.file("two\nlines.txt", "x").file("empty.py", "").file("blob.bin", b"\0\x01\x02");
    let app = sample.app();
    let outside = sample.outside().display().to_string();
    let before = sample.state();
    for (tool, arguments, code, part) in [
        (
            "check_code_scale",
            json!({}),
            "INVALID_ARGUMENTS",
            "file_path | file_paths: exactly one of file_path, file_paths is needed",
        ),
        ("check_code_scale", json!({"file_path": "src/mian.py"}), "FILE_NOT_FOUND", "src/main.py"),
        ("check_code_scale", json!({"file_path": "src"}), "INVALID_ARGUMENTS", "regular file"),
        (
            "check_code_scale",
            json!({"file_path": "src/main.py", "language": "cobol"}),
            "UNSUPPORTED_LANGUAGE",
            "python",
        ),
        ("check_code_scale", json!({"file_path": "/etc/passwd"}), "OUTSIDE_PROJECT", "outside the project boundary"),
        ("check_code_scale", json!({"file_path": "../x"}), "PATH_TRAVERSAL", "'..'"),
        ("check_code_scale", json!({"file_path": "a\0b"}), "PATH_TRAVERSAL", "NUL"),
        ("check_code_scale", json!({"file_path": "x".repeat(5000)}), "PATH_TRAVERSAL", "4,096"),
        (
            "analyze_code_structure",
            json!({"file_path": "src/main.py", "format_type": "fulll"}),
            "INVALID_ARGUMENTS",
            "did you mean full",
        ),
        ("analyze_code_structure", json!({"file_path": "blob.bin"}), "UNSUPPORTED_LANGUAGE", "blob.bin"),
        (
            "extract_code_section",
            json!({"file_path": "src/main.py"}),
            "INVALID_ARGUMENTS",
            "exactly one of start_line, sections, element",
        ),
        (
            "extract_code_section",
            json!({"file_path": "src/main.py", "start_line": 0}),
            "INVALID_ARGUMENTS",
            "at least 1",
        ),
        (
            "extract_code_section",
            json!({"file_path": "src/main.py", "start_line": 9, "end_line": 3}),
            "INVALID_ARGUMENTS",
            "9",
        ),
        (
            "extract_code_section",
            json!({"file_path": "src/main.py", "start_line": 99_999}),
            "INVALID_ARGUMENTS",
            "99999",
        ),
        (
            "extract_code_section",
            json!({"file_path": "src/main.py", "start_line": 1, "element": "x"}),
            "INVALID_ARGUMENTS",
            "start_line and element",
        ),
        (
            "extract_code_section",
            json!({"file_path": "src/main.py", "end_line": 3, "element": "x"}),
            "INVALID_ARGUMENTS",
            "end_line: it needs start_line",
        ),
        ("query_code", json!({"file_path": "src/main.py"}), "INVALID_ARGUMENTS", "query_key, query_string"),
        ("query_code", json!({"file_path": "src/main.py", "query_key": "methds"}), "INVALID_QUERY", "methods"),
        (
            "query_code",
            json!({"file_path": "src/main.py", "query_key": "functions", "filter": "name"}),
            "INVALID_QUERY",
            "operator",
        ),
        ("list_files", json!({"roots": []}), "INVALID_ARGUMENTS", "not empty"),
        ("list_files", json!({"roots": ["."], "types": ["q"]}), "INVALID_ARGUMENTS", "q"),
        ("list_files", json!({"roots": ["."], "size": ["huge"]}), "INVALID_ARGUMENTS", "size"),
        ("list_files", json!({"roots": ["."], "changed_within": "soon"}), "INVALID_ARGUMENTS", "changed_within"),
        ("list_files", json!({"roots": ["."], "limit": 0}), "INVALID_ARGUMENTS", "limit"),
        ("search_content", json!({"query": "x", "files": []}), "INVALID_ARGUMENTS", "not empty"),
        ("search_content", json!({"roots": ["."]}), "INVALID_ARGUMENTS", "query: required"),
        ("search_content", json!({"query": "", "roots": ["."]}), "INVALID_ARGUMENTS", "not empty"),
        ("search_content", json!({"query": "x", "files": ["nope.py"]}), "FILE_NOT_FOUND", "nope.py"),
        (
            "search_content",
            json!({"query": "x", "roots": ["."], "case": "upper"}),
            "INVALID_ARGUMENTS",
            "smart, insensitive, sensitive",
        ),
        (
            "search_content",
            json!({"query": "x", "roots": ["."], "encoding": "klingon"}),
            "INVALID_ARGUMENTS",
            "klingon",
        ),
        (
            "search_content",
            json!({"query": "x", "roots": ["."], "max_filesize": "big"}),
            "INVALID_ARGUMENTS",
            "max_filesize",
        ),
        ("search_content", json!({"query": "(?<=a)b", "roots": ["."]}), "INVALID_QUERY", "pcre2"),
        ("set_project_path", json!({"project_path": outside}), "ROOT_NOT_ALLOWED", "outside the allowed roots"),
        ("set_project_path", json!({"project_path": "src"}), "ROOT_NOT_ALLOWED", "not absolute"),
        (
            "set_project_path",
            json!({"project_path": sample.root().join("src/main.py").display().to_string()}),
            "ROOT_NOT_ALLOWED",
            "not a folder",
        ),
        (
            "list_files",
            json!({"roots": ["."], "project_root": "/etc"}),
            "ROOT_NOT_ALLOWED",
            "outside the allowed roots",
        ),
        ("list_files", json!({"roots": ["."], "output_file": "../x.json"}), "READ_ONLY", ".fumi/output/"),
    ] {
        let reply = call(&app, tool, arguments.clone()).await;
        let message = refused(&app, &reply, &[code]);
        assert!(message.contains(part), "{tool} {arguments}: {part:?} is missing in: {message}");
    }
    assert_eq!(sample.state(), before, "a refused call wrote something");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_project_is_said_and_refused_where_the_operator_is_strict() {
    let sample = project();
    for (tool, arguments) in [
        ("list_files", json!({"roots": ["."]})),
        ("search_content", json!({"roots": ["."], "query": "x"})),
        ("find_and_grep", json!({"roots": ["."], "query": "x"})),
    ] {
        let app = sample.app_with(&[], |config| config.limits.project_files = 2);
        let reply = call(&app, tool, arguments.clone()).await;
        assert!(reply.structured["large_project"].as_u64() > Some(2), "{tool}: {}", reply.structured);
        let strict = sample.app_with(&[], |config| {
            (config.limits.project_files, config.limits.strict) = (2, true);
        });
        let message = refused(&strict, &call(&strict, tool, arguments).await, &["FILE_TOO_LARGE"]);
        assert!(message.contains("project_files"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_language_when_the_caller_named_it() {
    let sample = project();
    let app = sample.app();
    let ask = async |locale: Locale| -> ToolReply {
        let caller = Caller { locale, ..Caller::default() };
        call_as(
            &app,
            "search_content",
            json!({"query": "x", "roots": ["."], "total_only": true, "summary_only": true}),
            caller,
            CancellationToken::new(),
        )
        .await
    };
    let (en, ja) = (ask(Locale::En).await, ask(Locale::Ja).await);
    assert!(!crate::taught::is_japanese(&en.text), "{}", en.text);
    assert!(ja.text.contains("出力形式パラメータは排他的です") && !ja.text.contains("mutually"), "{}", ja.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_says_what_it_did_not_look_at_and_what_it_does_not_show() {
    let sample = project();
    let app = sample.app();
    for format in FORMATS.into_iter().filter(|format| *format != "total_only") {
        let mut arguments = json!({"roots": ["."], "extensions": ["py"], "query": "no such text", "file_limit": 2});
        arguments[format] = json!(true);
        let reply = call(&app, "find_and_grep", arguments).await;
        let said = "No matches in 2 files; only the first 2 of 3 files were searched";
        assert_eq!(reply.text, said, "{format}");
        let stages = &reply.structured["meta"];
        assert_eq!(
            (&stages["searched_file_count"], &stages["found_file_count"], &stages["truncated"]),
            (&json!(2), &json!(3), &json!(true)),
            "{format}"
        );
    }
    let nothing = call(&app, "search_content", json!({"roots": ["."], "query": "no such text"})).await;
    assert_eq!((nothing.text.as_str(), &nothing.structured["searched_files"]), ("No matches in 3 files", &json!(3)));

    for n in 3..60 {
        sample.file(&format!("src/m{n}.py"), "def process_a(): pass\ndef process_b(): pass\n");
    }
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let mut arguments = json!({"roots": ["."], "query": "process", "count_only_matches": true});
        arguments["expectation"] = json!({"maxTokens": 300});
        if let Some(cursor) = cursor {
            arguments["cursor"] = cursor;
        }
        let page = call(&app, "search_content", arguments).await;
        assert!(!page.is_error, "{}", page.text);
        cursor = page.structured["next"].get("cursor").cloned();
        pages.push(page);
        if cursor.is_none() {
            break;
        }
    }
    assert!(pages.len() > 1, "one page: {}", pages[0].text);
    for page in &pages {
        assert_eq!((&page.structured["total_files"], &page.structured["truncated"]), (&json!(60), &json!(true)));
    }
    let last = pages.last().unwrap();
    assert!(last.text.contains("to 60 of 120 matches in 60 files]"), "{}", last.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_tells_what_makes_its_number_wrong() {
    let sample = Sample::empty();
    sample.file("a.txt", "x\n".repeat(9)).file("b.txt", "x\n").file(".blob.bin", b"x\n\0\nx\n");
    let app = sample.app_with(&[], |config| config.limits.project_files = 1);
    let counted = json!({"query": "x", "roots": ["."], "max_count": 2, "total_only": true});
    assert_eq!(
        text_alone(&app, "search_content", counted).await,
        "3 matches in 2 files\n\
         Only 2 lines per file were searched for (max_count): the totals may be larger.\n\
         2 files walked, a large project: narrow roots."
    );
    // Below max_count there is nothing to tell.
    let all = json!({"query": "x", "files": ["b.txt"], "max_count": 2, "total_only": true});
    assert_eq!(text_alone(&app, "search_content", all).await, "1 match in 1 file");
    let named = json!({"query": "x", "files": ["b.txt", ".blob.bin"]});
    assert_eq!(
        text_alone(&app, "search_content", named).await,
        ".blob.bin\n1:x\nb.txt\n1:x\n[2 rows of 3 matches in 2 files]\n\
         Skipped 1: .blob.bin (binary, not all its matches are shown)\n\
         2 files walked, a large project: narrow roots."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_stand_in_brackets_below_their_folders() {
    let sample = project();
    sample.file("lib/deep/one.py", "def process_c(): pass\n");
    let app = sample.app();
    let arguments = json!({"query": "process_", "roots": ["."], "count_only_matches": true});
    assert_eq!(
        text_alone(&app, "search_content", arguments).await,
        "lib/deep/one.py (1)\nsrc/\n m0.py (2)\n m1.py (2)\n m2.py (2)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_names_its_folder_once_and_tells_times_limits_and_links() {
    let sample = project();
    std::os::unix::fs::symlink(sample.outside(), sample.root().join("src/out")).unwrap();
    let app = sample.app();
    let list = async |more: Value| {
        let mut arguments = json!({"roots": ["src"], "types": ["f"], "follow_symlinks": true});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text_alone(&app, "list_files", arguments).await
    };
    let (root, size) = (sample.root().display().to_string(), sample.read("src/m0.py").len());
    let skipped = "Skipped 1: src/out (leads out of the project)";
    let rows = [0, 1, 2].map(|n| format!("src/m{n}.py\t{size}\n")).concat();
    assert_eq!(list(json!({})).await, format!("3 entries in {root}\n{rows}{skipped}"));
    assert_eq!(
        list(json!({"limit": 1, "absolute": false})).await,
        format!("first 1 of 3 (limit)\nsrc/m0.py\t{size}\n{skipped}")
    );
    assert_eq!(list(json!({"count_only": true})).await, format!("total: 3\n{skipped}"));
    assert_eq!(list(json!({"pattern": "nothing", "follow_symlinks": false})).await, "No files found.");
    for more in [json!({"sort": "mtime"}), json!({"changed_within": "1d"})] {
        let text = list(more).await;
        let row = text.lines().nth(1).unwrap();
        let time = row.split('\t').nth(2).unwrap_or_else(|| panic!("no time: {text}"));
        // The time is one that the tool takes.
        let since = list(json!({"changed_before": time, "absolute": false})).await;
        assert!(since.starts_with("No files found."), "{since}");
    }
}

/// The whole project is searched without roots, as `rg` and `fd` search the working folder.
#[tokio::test(flavor = "multi_thread")]
async fn project_is_the_default_root() {
    let sample = project();
    let app = sample.app();
    for (tool, mut arguments) in [
        ("search_content", json!({"query": "process_", "count_only_matches": true})),
        ("find_and_grep", json!({"query": "process_", "extensions": ["py"]})),
        ("list_files", json!({"extensions": ["py"]})),
        ("query_code", json!({"query_key": "methods", "include_globs": ["*1.py"]})),
    ] {
        let text = text_alone(&app, tool, arguments.clone()).await;
        assert!(text.contains("m1.py"), "{tool}: {text}");
        arguments["roots"] = json!(["."]);
        assert_eq!(text_alone(&app, tool, arguments).await, text, "{tool}");
    }
    let file = json!({"query": "process_", "files": ["src/m1.py"], "count_only_matches": true});
    assert!(!text_alone(&app, "search_content", file).await.contains("m0.py"));
}
