//! Reading by structure: scale, tables, sections and queries on a file that fits on this screen.

use serde_json::{Value, json};

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
    let reply = call(
        &app,
        "check_code_scale",
        json!({"file_path": "shop.py", "include_details": true}),
    )
    .await;
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
        (
            &text.structured["file_info"]["language"],
            &text.structured["file_info"]["line_count"]
        ),
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
    assert_eq!(
        cut(json!({"start_line": 21, "end_line": 21, "start_column": 17, "end_column": 18}))
            .await
            .text,
        "文"
    );
    let by_name = cut(json!({"element": "Cart.__init__"})).await;
    assert_eq!(
        by_name.text,
        "    def __init__(self, owner):\n        self.owner = owner\n"
    );
    let clamped = cut(json!({"start_line": 20, "end_line": 99})).await;
    let part = &clamped.structured["partial_content_result"];
    assert_eq!(
        (&part["end_line"], &part["clamped"], &part["total_lines"]),
        (&json!(21), &json!(true), &json!(21))
    );
    let several = cut(json!({"sections": [{"start_line": 2, "end_line": 2}, {"start_line": 20}]})).await;
    let parts = several.structured["partial_content_results"].as_array().unwrap();
    assert_eq!(
        (parts[0]["content"].as_str(), parts[1]["start_line"].as_u64()),
        (Some("import os\n"), Some(20))
    );
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
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let reply = call(&app, "query_code", arguments).await;
        assert!(!reply.is_error, "{}", reply.text);
        let rows = reply.structured["query_result"]["matches"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(json!({"query_key": "methods"})).await, "__init__ total");
    assert_eq!(
        names(json!({"query_key": "methods", "filter": "async=true"})).await,
        "total"
    );
    assert_eq!(
        names(json!({"query_key": "methods", "filter": "name=~__*__"})).await,
        "__init__"
    );
    assert_eq!(names(json!({"query_key": "functions"})).await, "main");
    assert_eq!(
        names(json!({"query_key": "classes", "output_format": "summary"})).await,
        "Cart"
    );
    assert_eq!(
        names(json!({"query_string": "(call function: (identifier) @f (#eq? @f \"Cart\"))"})).await,
        "Cart"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_source_gives_what_parses_and_says_where_it_breaks() {
    let sample = Sample::empty();
    sample.file(
        "broken.py",
        "def good():\n    return 1\n\ndef bad(:\n    return\n\nclass Fine:\n    pass\n",
    );
    let app = sample.app();
    let reply = call(
        &app,
        "analyze_code_structure",
        json!({"file_path": "broken.py", "format_type": "compact"}),
    )
    .await;
    assert!(
        !reply.is_error && reply.text.contains("good") && reply.text.contains("Fine"),
        "{}",
        reply.text
    );
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
        ("json", "\"complexity\":3"),
    ] {
        let reply = call(
            &app,
            "analyze_code_structure",
            json!({"file_path": "shop.py", "format_type": format}),
        )
        .await;
        assert!(reply.text.contains(part), "{format}: {}", reply.text);
        assert_eq!(reply.structured["analysis_result"]["format_type"], format);
    }
}
