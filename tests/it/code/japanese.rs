//! Japanese source in every tool: identifiers, comments and file names, in UTF-8, `Shift_JIS` and EUC-JP.
//!
//! Columns count characters, whatever the encoding of the file: every expected value is counted by hand on the text
//! below.

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, UTF_8};
use fumi::app::App;
use serde_json::{Value, json};

use crate::sample::{Sample, call};

/// Names, comments and texts; the last byte of 表 and ソ in `Shift_JIS` is a backslash.
const SOURCE: &str = "\
# 在庫を管理する
import os

class 在庫表(辞書):
    \"\"\"商品の一覧。\"\"\"
    上限 = 100

    def 追加する(self, 商品, 個数=1):
        # 表示用のソート
        合計 = self.数える(商品) + 個数
        if 合計 > self.上限:
            raise ValueError(\"上限を超えました: 表\")
        return 合計

    async def 数える(self, 商品):
        return len(self.一覧[商品])


def 報告する(表):
    print(\"報告\", 表.追加する(\"りんご\"))
";

const WRITTEN: [(&str, &Encoding); 3] = [("utf-8", UTF_8), ("shift_jis", SHIFT_JIS), ("euc-jp", EUC_JP)];

/// Returns one project for each encoding, with the same file in it.
fn projects() -> Vec<(&'static str, Sample)> {
    let written = |encoding: &'static Encoding| {
        let (bytes, _, failed) = encoding.encode(SOURCE);
        assert!(!failed, "the source can be written in {}", encoding.name());
        let sample = Sample::empty();
        sample.file("倉庫/在庫.py", bytes);
        sample
    };
    WRITTEN.iter().map(|(name, encoding)| (*name, written(encoding))).collect()
}

async fn ask(app: &App, tool: &str, arguments: Value) -> Value {
    let reply = call(app, tool, arguments.clone()).await;
    assert!(!reply.is_error && reply.structured["success"] != false, "{tool} {arguments}: {}", reply.text);
    let said = format!("{} {}", reply.text, reply.structured);
    assert!(!said.contains('\u{fffd}'), "{tool} {arguments}: {said}");
    reply.structured
}

/// Returns the part of a 1-based line of the source between two columns.
fn part(line: usize, columns: [usize; 2]) -> String {
    let line = SOURCE.lines().nth(line - 1).unwrap();
    line.chars().skip(columns[0]).take(columns[1] - columns[0]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_found_by_japanese_names() {
    let sample = Sample::empty();
    // The third is decomposed: か and a mark, as some systems write names.
    for path in ["倉庫/在庫.py", "倉庫/棚卸し/一覧.txt", "倉庫/か\u{3099}ぎ.txt", "src/main.py"] {
        sample.file(path, "x\n");
    }
    let app = sample.app();
    let found = async |arguments| -> Vec<String> {
        let listed = ask(&app, "list_files", arguments).await;
        let paths = listed["results"].as_array().unwrap().iter();
        paths.map(|row| row["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        found(json!({"roots": ["倉庫"], "types": ["f"], "absolute": false, "extensions": ["py"]})).await,
        ["倉庫/在庫.py"]
    );
    assert_eq!(
        found(json!({"roots": ["."], "pattern": "*一覧*", "glob": true, "absolute": false})).await,
        ["倉庫/棚卸し/一覧.txt"]
    );
    assert_eq!(found(json!({"roots": ["倉庫/棚卸し"], "absolute": false})).await, ["倉庫/棚卸し/一覧.txt"]);
    let both = ask(&app, "find_and_grep", json!({"roots": ["."], "pattern": "在庫", "query": "x"})).await;
    assert_eq!((&both["total_matches"], &both["results"][0]["file"]), (&json!(1), &json!("倉庫/在庫.py")));
}

#[tokio::test(flavor = "multi_thread")]
async fn japanese_is_searched_in_every_encoding_with_true_columns() {
    for (encoding, sample) in projects() {
        let app = sample.app();
        // Detected and reported.
        for choice in ["auto", encoding] {
            for tool in ["search_content", "find_and_grep"] {
                let found = ask(&app, tool, json!({"roots": ["."], "query": "表", "encoding": choice})).await;
                let rows: Vec<(u64, Vec<[usize; 2]>)> = found["results"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| {
                        let line = row["line"].as_u64().unwrap();
                        assert_eq!(row["text"], SOURCE.lines().nth(usize::try_from(line).unwrap() - 1).unwrap());
                        (line, serde_json::from_value(row["matches"].clone()).unwrap())
                    })
                    .collect();
                assert_eq!(
                    rows,
                    [
                        (4, vec![[8, 9]]),
                        (9, vec![[10, 11]]),
                        (12, vec![[40, 41]]),
                        (19, vec![[9, 10]]),
                        (20, vec![[16, 17]]),
                    ],
                    "{encoding} {choice} {tool}"
                );
                for (line, columns) in rows {
                    assert_eq!(part(usize::try_from(line).unwrap(), columns[0]), "表");
                }
            }
        }
        let words = json!({"roots": ["."], "query": r"\w+する", "word": true, "context_before": 1, "max_count": 2});
        let found = ask(&app, "search_content", words).await;
        assert_eq!(found["results"][1]["line"], 8, "{encoding}: {found}");
        assert_eq!(found["results"][1]["matches"], json!([[8, 12]]), "{encoding}");
        let total = ask(&app, "search_content", json!({"roots": ["."], "query": "商品", "total_only": true})).await;
        assert_eq!(total["total_matches"], 5, "{encoding}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn japanese_is_cut_by_name_by_lines_and_by_columns() {
    for (encoding, sample) in projects() {
        let app = sample.app();
        let cut = async |more: Value| {
            let mut arguments = json!({"file_path": "倉庫/在庫.py", "format": "raw"});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let found = ask(&app, "extract_code_section", arguments).await;
            assert_eq!(found["partial_content_result"]["encoding"], encoding);
            found["partial_content_result"].clone()
        };
        let method = cut(json!({"element": "在庫表.数える"})).await;
        assert_eq!(
            (&method["content"], &method["start_line"], &method["end_line"]),
            (
                &json!("    async def 数える(self, 商品):\n        return len(self.一覧[商品])\n"),
                &json!(15),
                &json!(16)
            ),
            "{encoding}"
        );
        assert_eq!(cut(json!({"element": "報告する"})).await["start_line"], 19);
        let columns = json!({"start_line": 8, "end_line": 8, "start_column": 8, "end_column": 12});
        assert_eq!(cut(columns).await["content"], "追加する", "{encoding}");
        let across = json!({"start_line": 12, "end_line": 13, "start_column": 30, "end_column": 16});
        assert_eq!(cut(across).await["content"], "上限を超えました: 表\")\n        return 合", "{encoding}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn japanese_elements_are_asked_for_with_true_places() {
    for (encoding, sample) in projects() {
        let app = sample.app();
        let query = async |more: Value| -> Vec<Value> {
            let mut arguments = json!({"file_path": "倉庫/在庫.py"});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let found = ask(&app, "query_code", arguments).await;
            found["query_result"]["matches"].as_array().unwrap().clone()
        };
        let methods = query(json!({"query_key": "methods"})).await;
        let names: Vec<&str> = methods.iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["追加する", "数える"], "{encoding}");
        assert_eq!(query(json!({"query_key": "methods", "filter": "name=追加する"})).await.len(), 1);
        assert_eq!(query(json!({"query_key": "methods", "filter": "name=~数*"})).await.len(), 1);
        let calls = "((call function: (attribute attribute: (identifier) @called)) (#match? @called \"する$\"))";
        let called = query(json!({"query_string": calls})).await;
        let place = |row: &Value| {
            let number = |name: &str| usize::try_from(row[name].as_u64().unwrap()).unwrap();
            (number("start_line"), [number("start_column"), number("end_column")])
        };
        assert_eq!(called.iter().map(place).collect::<Vec<_>>(), [(20, [18, 22])], "{encoding}");
        assert_eq!(part(20, [18, 22]), "追加する");
        let found = query(json!({"pattern": "self.数える($ARGUMENT)"})).await;
        assert_eq!(found.iter().map(place).collect::<Vec<_>>(), [(10, [13, 25])], "{encoding}");
        assert_eq!(part(10, [13, 25]), "self.数える(商品)");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn japanese_structure_and_scale_are_those_of_the_text() {
    let mut first: Option<(Value, Value)> = None;
    for (encoding, sample) in projects() {
        let app = sample.app();
        let file = json!({"file_path": "倉庫/在庫.py"});
        for format in ["full", "compact", "csv", "html", "signatures"] {
            let mut arguments = file.clone();
            arguments["format_type"] = json!(format);
            let table = call(&app, "analyze_code_structure", arguments).await;
            for name in ["在庫表", "追加する", "数える", "報告する", "商品, 個数=1"] {
                assert!(table.text.contains(name), "{encoding} {format}: {name} is missing: {}", table.text);
            }
        }
        let mut arguments = file.clone();
        arguments["format_type"] = json!("json");
        let structure = ask(&app, "analyze_code_structure", arguments).await;
        let mut scale = ask(&app, "check_code_scale", file).await;
        assert_eq!(scale["file_info"]["encoding"], encoding);
        assert_eq!(
            (&scale["file_info"]["line_count"], &scale["file_info"]["lines_comment"]),
            (&json!(20), &json!(2)),
            "{scale}"
        );
        assert_eq!(scale["complexity_metrics"]["cyclomatic"]["max_element"], "在庫表.追加する");
        // Only the byte counts differ between encodings.
        let info = scale["file_info"].as_object_mut().unwrap();
        for differing in ["encoding", "size_bytes"] {
            info.shift_remove(differing);
        }
        assert_eq!(structure["analysis_result"]["encoding"], encoding);
        scale.as_object_mut().unwrap().shift_remove("elapsed_ms");
        let told = (structure["elements"].clone(), scale);
        match &first {
            None => first = Some(told),
            Some(first) => assert_eq!(&told, first, "{encoding}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_may_have_a_japanese_name() {
    let sample = Sample::empty();
    sample.file("小説の道具/設定.py", "def 読む(): pass\n");
    let app = sample.app();
    let path = sample.root().join("小説の道具").display().to_string();
    let set = ask(&app, "set_project_path", json!({"project_path": path})).await;
    assert_eq!(set["project_path"], json!(path));
    let found =
        ask(&app, "query_code", json!({"project_root": path, "file_path": "設定.py", "query_key": "functions"})).await;
    assert_eq!(found["query_result"]["matches"][0]["name"], "読む");
}

#[tokio::test(flavor = "multi_thread")]
async fn japanese_names_are_told_apart_in_other_languages_too() {
    let sample = Sample::empty();
    let java = "class 会員 {\n    /** 名前を返す。 */\n    String 名前() { return \"山田\"; }\n}\n";
    let script = "export const 合計 = (値段) => 値段 * 1.1;\nclass 店 { async 開く() {} }\n";
    let (java, _, _) = SHIFT_JIS.encode(java);
    let (script, _, _) = EUC_JP.encode(script);
    sample.file("会員.java", java).file("店.ts", script);
    sample.file("見出し.md", "# はじめに\n\n## 使い方\n");
    let app = sample.app();
    for (file, element, content) in [
        ("会員.java", "会員.名前", "    String 名前() { return \"山田\"; }\n"),
        ("店.ts", "合計", "export const 合計 = (値段) => 値段 * 1.1;\n"),
        ("見出し.md", "使い方", "## 使い方\n"),
    ] {
        let arguments = json!({"file_path": file, "element": element, "format": "raw"});
        let cut = ask(&app, "extract_code_section", arguments).await;
        assert_eq!(cut["partial_content_result"]["content"], content, "{file}");
    }
    let methods = ask(&app, "query_code", json!({"roots": ["."], "query_key": "methods"})).await;
    assert_eq!(methods["query_result"]["total_matches"], 2, "{methods}");
}
