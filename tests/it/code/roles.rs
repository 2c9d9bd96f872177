//! Roles and elements of search hits, in every format with rows, and `roles` as a filter.

use serde_json::{Value, json};

use super::text_alone;
use crate::{
    sample::{Sample, call},
    taught::refused,
};

const SHOP: &str = "\
import tax

class Cart:
    def total(self):
        return tax.rate() * self.sum  # without tax

def tax_of(cart):
    rate = tax.rate()
    return rate
";

fn shop() -> Sample {
    let sample = Sample::empty();
    sample.file("shop.py", SHOP).file("notes.txt", "the tax\n");
    sample
}

fn tax() -> Value {
    json!({"query": "tax", "roots": ["."]})
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_stand_below_their_element_with_their_role() {
    let (sample, mut grouped) = (shop(), tax());
    let app = sample.app();
    let rows = "\
1 import:import tax
 Cart.total
5:        return tax.rate() * self.sum  # without tax
 -
7 def:def tax_of(cart):
 tax_of
8:    rate = tax.rate()";
    let normal = text_alone(&app, "search_content", tax()).await;
    assert!(normal.contains(&format!("shop.py\n{rows}")), "{normal}");
    assert!(normal.contains("notes.txt\n1:the tax\n"), "{normal}");
    grouped["group_by_file"] = json!(true);
    let grouped = text_alone(&app, "search_content", grouped).await;
    assert!(grouped.contains(&format!("shop.py (5)\n{rows}")), "{grouped}");
    let reply = call(&app, "search_content", tax()).await;
    let hit = reply.structured["results"].as_array().unwrap().iter().find(|row| row["line"] == 5);
    assert_eq!((&hit.unwrap()["role"], &hit.unwrap()["element"]), (&json!("mention"), &json!("Cart.total")));
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_filter_rows_and_counts_in_both_tools() {
    let sample = shop();
    let app = sample.app();
    for (roles, query, lines, total) in [
        (json!(["comment"]), "tax", vec![5], 1),
        (json!(["definition", "import"]), "tax", vec![1, 7], 2),
        (json!(["call"]), "rate", vec![5, 8], 2),
        (json!(["write"]), "rate", vec![8], 1),
        (json!(["string"]), "tax", vec![], 0),
    ] {
        for tool in ["search_content", "find_and_grep"] {
            let mut arguments = json!({"query": query, "roots": ["."], "roles": roles});
            let reply = call(&app, tool, arguments.clone()).await;
            assert!(!reply.is_error, "{}", reply.text);
            let rows = reply.structured["results"].as_array().unwrap();
            let found: Vec<u64> = rows.iter().map(|row| row["line"].as_u64().unwrap()).collect();
            assert_eq!((found, &reply.structured["total_matches"]), (lines.clone(), &json!(total)), "{tool} {roles}");
            arguments["total_only"] = json!(true);
            let reply = call(&app, tool, arguments).await;
            assert_eq!(reply.text, total.to_string(), "{tool} {roles}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn summary_counts_rows_by_role() {
    let sample = shop();
    let app = sample.app();
    let arguments = json!({"query": "tax", "roots": ["."], "summary_only": true});
    let text = text_alone(&app, "search_content", arguments).await;
    assert!(text.contains("\nby role: def 1, import 1, mention 2\n"), "{text}");
}

/// A search in very many files stays as fast as before.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_files_have_no_roles_and_a_filter_is_refused() {
    let sample = Sample::empty();
    for at in 0..201 {
        sample.file(&format!("f{at}.py"), "tax = 1\n");
    }
    let app = sample.app();
    let text = text_alone(&app, "search_content", tax()).await;
    assert!(text.contains("\n1:tax = 1\n") && text.contains("Without roles: 201 files"), "{text}");
    let mut arguments = tax();
    arguments["roles"] = json!(["write"]);
    let message = refused(&app, &call(&app, "search_content", arguments).await, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("201 files"), "{message}");
}

/// What is not parsed is said, and what is cut off a long line is not taken for nothing.
#[tokio::test(flavor = "multi_thread")]
async fn filter_says_what_it_could_not_parse() {
    let sample = shop();
    let calls = "tax();".repeat(200);
    sample.file("long.js", format!("{calls} function tax() {{}}\n"));
    let app = sample.app();
    let mut arguments = tax();
    arguments["roles"] = json!(["definition"]);
    let text = text_alone(&app, "search_content", arguments).await;
    assert!(text.contains("Left out, since not parsed: 2 (long.js, notes.txt)"), "{text}");
    let all = json!({"query": "tax", "files": ["shop.py"], "roles": ["call", "mention"], "total_only": true});
    assert_eq!(call(&app, "search_content", all).await.text, "2");
    // Several matches of one row: only those of the role are counted and shown.
    sample.file("twice.py", "tax = tax()\n");
    let twice = json!({"query": "tax", "files": ["twice.py"], "roles": ["call"]});
    let reply = call(&app, "search_content", twice).await;
    assert_eq!(reply.structured["results"][0]["matches"], json!([[6, 9]]), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_role_is_refused_with_the_known_ones() {
    let sample = shop();
    let app = sample.app();
    let mut arguments = tax();
    arguments["roles"] = json!(["caller"]);
    let message = refused(&app, &call(&app, "search_content", arguments).await, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("call") && message.contains("definition"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn query_by_name_comes_with_the_text_of_few_short_matches() {
    let sample = Sample::empty();
    let long = format!("def long():\n{}", "    x = 1\n".repeat(130));
    sample
        .file(
            "a.py",
            format!("class A:\n    def run(self):\n        y = 2\n        return y{}\n\n{long}", " ".repeat(600)),
        )
        .file("b.py", "def run():\n    return 3\n");
    let app = sample.app();
    let by_name = |name: &str| json!({"roots": ["."], "query_key": "functions", "filter": format!("name={name}")});
    let mut methods = by_name("run");
    methods["query_key"] = json!("methods");
    let text = text_alone(&app, "query_code", methods).await;
    assert!(text.contains(&format!("        return y{}", " ".repeat(600)).trim_end().to_owned()), "{text}");
    assert!(!text.contains("extract_code_section"), "{text}");
    let text = text_alone(&app, "query_code", by_name("long")).await;
    assert!(text.contains("function long: long()") && !text.contains("x = 1"), "{text}");
    assert!(text.contains(r#"→ extract_code_section {"file_path":"a.py","element":"long"}"#), "{text}");
}
