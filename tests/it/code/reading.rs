//! Reading by structure: scale, tables, sections and queries on a file that fits on this screen.

use serde_json::{Value, json};

use super::text_alone;
use crate::sample::{Sample, call};

const SHOP: &str = r#""""A small shop."""
import os
from decimal import Decimal as D


class Cart:
    """Holds items."""

    limit: int = 10

    def __init__(self, owner):
        self.owner = owner

    async def total(self, *, tax=0):
        if tax and self.limit:
            return D(1)
        return D(0)


def main():
    return Cart("文")
"#;

fn shop() -> Sample {
    let sample = Sample::empty();
    sample.file("shop.py", SHOP);
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn scale_counts_lines_and_elements_and_leaves_out_what_is_not_wanted() {
    let sample = shop();
    let app = sample.app();
    let reply = call(&app, "check_code_scale", json!({"file_path": "shop.py", "include_details": true})).await;
    let of = |pointer: &str| reply.structured.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(of("/file_info/line_count"), 21);
    assert_eq!(of("/file_info/lines_blank"), 7);
    assert_eq!(of("/scale_assessment/category"), "small");
    assert_eq!(of("/complexity_metrics/methods"), 2);
    assert_eq!(of("/complexity_metrics/cyclomatic/max_element"), "Cart.total");
    assert_eq!(of("/complexity_metrics/cyclomatic/max"), 3);
    assert!(
        of("/details")
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["name"] == "Cart.total" && row["start_line"] == 14 && row["end_line"] == 17)
    );
    let less = call(
        &app,
        "check_code_scale",
        json!({"file_path": "shop.py", "include_complexity": false, "include_guidance": false}),
    )
    .await;
    for absent in ["complexity_metrics", "llm_guidance", "details"] {
        assert!(less.structured.get(absent).is_none(), "{absent}");
    }
    sample.file("notes.txt", "one\n\ntwo");
    let text = call(&app, "check_code_scale", json!({"file_path": "notes.txt"})).await;
    assert_eq!(
        (&text.structured["file_info"]["language"], &text.structured["file_info"]["line_count"]),
        (&json!("text"), &json!(3))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_is_cut_by_lines_by_columns_by_name_and_in_several() {
    let sample = shop();
    let app = sample.app();
    let cut = async |arguments: Value| {
        let mut arguments = arguments;
        arguments["file_path"] = json!("shop.py");
        arguments["format"] = json!("raw");
        call(&app, "extract_code_section", arguments).await
    };
    assert_eq!(
        cut(json!({"start_line": 2, "end_line": 3})).await.text,
        "import os\nfrom decimal import Decimal as D\n"
    );
    assert_eq!(cut(json!({"start_line": 21, "end_line": 21, "start_column": 17, "end_column": 18})).await.text, "文");
    let by_name = cut(json!({"element": "Cart.__init__"})).await;
    assert_eq!(by_name.text, "    def __init__(self, owner):\n        self.owner = owner\n");
    let clamped = cut(json!({"start_line": 20, "end_line": 99})).await;
    let part = &clamped.structured["partial_content_result"];
    assert_eq!((&part["end_line"], &part["clamped"], &part["total_lines"]), (&json!(21), &json!(true), &json!(21)));
    let several = cut(json!({"sections": [{"start_line": 2, "end_line": 2}, {"start_line": 20}]})).await;
    let parts = several.structured["partial_content_results"].as_array().unwrap();
    assert_eq!((parts[0]["content"].as_str(), parts[1]["start_line"].as_u64()), (Some("import os\n"), Some(20)));
    let lines = call(
        &app,
        "extract_code_section",
        json!({"file_path": "shop.py", "start_line": 2, "end_line": 3, "format": "json"}),
    )
    .await;
    assert_eq!(
        lines.structured["partial_content_result"]["content"],
        json!(["import os", "from decimal import Decimal as D"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_concatenate_to_the_file() {
    let sample = shop();
    let app = sample.app();
    for step in 1..=7 {
        let mut whole = String::new();
        for start in (1..=21).step_by(step) {
            let reply = call(
                &app,
                "extract_code_section",
                json!({"file_path": "shop.py", "start_line": start, "end_line": start + step - 1, "format": "raw"}),
            )
            .await;
            whole.push_str(&reply.text);
        }
        assert_eq!(whole, SHOP, "in steps of {step}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_select_and_filters_narrow() {
    let sample = shop();
    let app = sample.app();
    let names = async |more: Value| {
        let mut arguments = json!({"file_path": "shop.py"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = call(&app, "query_code", arguments).await;
        assert!(!reply.is_error, "{}", reply.text);
        let rows = reply.structured["query_result"]["matches"].as_array().unwrap().clone();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(json!({"query_key": "methods"})).await, "__init__ total");
    assert_eq!(names(json!({"query_key": "methods", "filter": "async=true"})).await, "total");
    assert_eq!(names(json!({"query_key": "methods", "filter": "name=~__*__"})).await, "__init__");
    assert_eq!(names(json!({"query_key": "functions"})).await, "main");
    assert_eq!(names(json!({"query_key": "classes", "output_format": "summary"})).await, "Cart");
    assert_eq!(names(json!({"query_string": "(call function: (identifier) @f (#eq? @f \"Cart\"))"})).await, "Cart");
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_source_gives_what_parses_and_says_where_it_breaks() {
    let sample = Sample::empty();
    sample.file("broken.py", "def good():\n    return 1\n\ndef bad(:\n    return\n\nclass Fine:\n    pass\n");
    let app = sample.app();
    let reply = call(&app, "analyze_code_structure", json!({"file_path": "broken.py", "format_type": "compact"})).await;
    assert!(!reply.is_error && reply.text.contains("good") && reply.text.contains("Fine"), "{}", reply.text);
    assert_eq!(reply.structured["parse_errors"][0]["line"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_in_six_tables() {
    let sample = shop();
    let app = sample.app();
    for (format, part) in [
        ("full", "## Imports"),
        ("compact", "|async .total(self, *, tax=0)|"),
        ("csv", "total"),
        ("signatures", "total(self, *, tax=0)"),
        ("html", "Cart"),
        // As text the rows of `csv`, which cost half as much.
        ("json", "type,name,parent,signature,"),
    ] {
        let reply = call(&app, "analyze_code_structure", json!({"file_path": "shop.py", "format_type": format})).await;
        assert!(reply.text.contains(part), "{format}: {}", reply.text);
        assert_eq!(reply.structured["analysis_result"]["format_type"], format);
        let elements = reply.structured["elements"].as_array();
        let has_complexity = elements.map(|rows| rows.iter().any(|row| row["complexity"] == 3));
        assert_eq!(has_complexity, (format == "json").then_some(true), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_tells_its_place_in_every_format() {
    let sample = shop();
    let app = sample.app();
    let cut = async |mut arguments: Value| {
        arguments["file_path"] = json!("shop.py");
        text_alone(&app, "extract_code_section", arguments).await
    };
    let imports = "import os\nfrom decimal import Decimal as D";
    for (format, body) in [
        ("raw", format!("{imports}\n")),
        ("json", imports.to_owned()),
        ("text", "2:import os\n3:from decimal import Decimal as D".to_owned()),
    ] {
        assert_eq!(
            cut(json!({"start_line": 2, "end_line": 3, "format": format})).await,
            format!("shop.py:2-3 of 21\n{body}")
        );
    }
    assert_eq!(
        cut(json!({"element": "__init__", "format": "raw"})).await,
        "shop.py:11-12 of 21 Cart.__init__\n    def __init__(self, owner):\n        self.owner = owner\n"
    );
    assert_eq!(
        cut(json!({"start_line": 21, "end_line": 21, "start_column": 17, "end_column": 18})).await,
        "shop.py:21 columns 17-18 of 21\n21:文"
    );
    let sections =
        json!({"sections": [{"start_line": 2, "end_line": 2}, {"start_line": 20, "end_line": 99}], "format": "raw"});
    assert_eq!(
        cut(sections.clone()).await,
        "shop.py:2 of 21\nimport os\nshop.py:20-21 of 21 (end of file)\ndef main():\n    return Cart(\"文\")\n"
    );
    // Several exact contents would read as one without their places, also beside the structure.
    let mut beside = sections;
    beside["file_path"] = json!("shop.py");
    let beside = call(&app, "extract_code_section", beside).await;
    assert!(beside.text.contains("\nshop.py:20-21 of 21"), "{}", beside.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_section_tells_the_call_that_reads_on_before_its_content() {
    let sample = Sample::empty();
    let body = "    value = 1\n".repeat(3_000);
    sample
        .file("long.py", format!("def long():\n{body}\ndef after(): pass\n"))
        .file("one.js", format!("const x = \"{}\";\n", "文".repeat(30_000)));
    let app = sample.app();
    for format in ["raw", "text", "json"] {
        let arguments = json!({"file_path": "long.py", "element": "long", "format": format});
        let text = text_alone(&app, "extract_code_section", arguments).await;
        let (next, header) = (text.lines().next().unwrap(), text.lines().nth(1).unwrap());
        let end: usize =
            header.strip_prefix("long.py:1-").and_then(|rest| rest.split(' ').next()).unwrap().parse().unwrap();
        let on = format!("… start_line {}, end_line 3001; ", end + 1);
        assert!(next.starts_with(&on), "{format}: {on} is not in {next}");
        // In a long line the column counts its characters, without the number before it.
        let arguments = json!({"file_path": "one.js", "start_line": 1, "format": format});
        let reply = call(&app, "extract_code_section", arguments.clone()).await;
        let part = &reply.structured["partial_content_result"];
        let content = match &part["content"] {
            Value::Array(pieces) => pieces.iter().map(|piece| piece.as_str().unwrap()).collect(),
            content => content.as_str().unwrap().to_owned(),
        };
        let shown = content.trim_start_matches("1:").chars().count();
        assert_eq!(part["end_column"], json!(shown), "{format}");
        let text = text_alone(&app, "extract_code_section", arguments).await;
        assert!(text.starts_with("… start_line 1, start_column "), "{format}: {text:.80}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scale_advises_in_one_line_and_does_not_repeat_itself() {
    let sample = shop();
    sample.file("blob.bin", b"\0\x01\x02\n").file("b.py", "x = 1\n");
    let app = sample.app_with(&[], |config| config.limits.reply_rows = 4);
    let scale = async |arguments: Value| text_alone(&app, "check_code_scale", arguments).await;
    let whole = scale(json!({"file_path": "shop.py"})).await;
    let lines: Vec<&str> = whole.lines().collect();
    assert!(lines[0].starts_with("shop.py python 21 lines (14 code, 7 blank) "), "{whole}");
    assert!(lines[1].starts_with("classes 1, methods 2, functions 1, fields "), "{whole}");
    assert!(lines[1].ends_with("; complexity 5, average 1.67, max 3 Cart.total"), "{whole}");
    let advice = "→ read whole: extract_code_section with start_line 1 returns all of it.";
    assert_eq!(lines[2..], [advice]);
    let several = scale(json!({"file_paths": ["shop.py", "b.py"]})).await;
    let lines: Vec<&str> = several.lines().collect();
    assert_eq!(lines.len(), 2, "{several}");
    assert!(lines[0].ends_with(" tokens, complexity max 3 Cart.total → read whole"), "{several}");
    let binary = scale(json!({"file_path": "blob.bin"})).await;
    assert!(binary.starts_with("blob.bin binary ") && binary.contains("\n→ not text: "), "{binary}");
    // The second page has only elements.
    let details = json!({"file_path": "shop.py", "include_details": true});
    let first = call(&app, "check_code_scale", details.clone()).await;
    let mut rest = details;
    rest["cursor"] = first.structured["next"]["cursor"].clone();
    let rest = scale(rest).await;
    assert!(rest.starts_with("shop.py\n"), "{rest}");
    assert!(rest.contains("\n14-17 method Cart.total complexity 3\n"), "{rest}");
}

/// One call tells what two told.
#[tokio::test(flavor = "multi_thread")]
async fn scale_includes_the_table_of_elements() {
    let sample = shop();
    let app = sample.app();
    for format in ["compact", "signatures"] {
        let scale = json!({"file_path": "shop.py", "include_structure": format});
        let table = json!({"file_path": "shop.py", "format_type": format});
        let scale = text_alone(&app, "check_code_scale", scale).await;
        let table = text_alone(&app, "analyze_code_structure", table).await;
        let rows: Vec<&str> = table.lines().skip(1).filter(|row| row.contains("Cart")).collect();
        assert!(!rows.is_empty(), "{table}");
        let [first, rest @ ..] = &scale.lines().collect::<Vec<_>>()[..] else { panic!("{scale}") };
        assert!(first.starts_with("shop.py python 21 lines"), "{scale}");
        for row in rows {
            assert!(rest.contains(&row), "{row} in {scale}");
        }
    }
    let both = json!({"file_path": "shop.py", "include_structure": "compact", "include_details": true});
    let refused = call(&app, "check_code_scale", both).await;
    assert_eq!(refused.structured["error"]["code"], "INVALID_ARGUMENTS");
}

/// The rest of several sections is named by its lines, wherever the reply is cut.
#[tokio::test(flavor = "multi_thread")]
async fn cut_sections_name_the_sections_that_are_left() {
    let sample = Sample::empty();
    sample.file("long.txt", "line\n".repeat(40));
    let sections = json!([{"start_line": 1, "end_line": 4}, {"start_line": 10, "end_line": 13}, {"start_line": 20, "end_line": 21}]);
    for (rows, rest) in [
        (
            2,
            r#"[{"start_line": 3, "end_line": 4}, {"start_line": 10, "end_line": 13}, {"start_line": 20, "end_line": 21}]"#,
        ),
        (4, r#"[{"start_line": 10, "end_line": 13}, {"start_line": 20, "end_line": 21}]"#),
        (6, r#"[{"start_line": 12, "end_line": 13}, {"start_line": 20, "end_line": 21}]"#),
        (8, r#"[{"start_line": 20, "end_line": 21}]"#),
    ] {
        let app = sample.app_with(&[], |config| config.limits.reply_rows = rows);
        let arguments = json!({"file_path": "long.txt", "sections": sections});
        let text = text_alone(&app, "extract_code_section", arguments).await;
        assert!(text.contains(&format!("sections {rest}")), "{rows}: {text}");
    }
}
