//! Files that make a grammar recurse or allocate without end, in a server that may use 2 GiB of address space.

use serde_json::{Value, json};

use crate::{program::Program, sample::Sample};

async fn call(program: &Program, tool: &str, arguments: Value) -> Value {
    let url = format!("http://{}/v1/tools/{tool}", program.address);
    let body = arguments.to_string();
    let request = reqwest::Client::new().post(url).header("Content-Type", "application/json");
    let response = request.body(body).send().await.expect("the server is there");
    serde_json::from_str(&response.text().await.expect("a body")).expect("JSON")
}

#[tokio::test]
async fn a_file_that_exhausts_its_parser_costs_an_error_for_that_file() {
    let sample = Sample::empty();
    // The first overflows a stack of 2 MiB while tree-sitter frees it, the second takes a gigabyte a second.
    sample.file("bad/stack.ts", format!("class A {{\n private static re{}", "%w(".repeat(24_000)));
    sample.file("bad/memory.c", "%b(".repeat(24_000));
    sample.file("good.c", "int survivor(void) { return 1; }\n");
    let program = Program::start_within_two_gib(&sample);
    for file in ["bad/stack.ts", "bad/memory.c"] {
        for (tool, arguments) in [
            ("analyze_code_structure", json!({"file_path": file})),
            ("check_code_scale", json!({"file_path": file})),
            ("query_code", json!({"file_path": file, "query_key": "functions"})),
            ("extract_code_section", json!({"file_path": file, "element": "A"})),
        ] {
            let answer = call(&program, tool, arguments).await;
            assert_eq!(answer["error"]["code"], "PARSER_STOPPED", "{tool} {file}: {answer}");
        }
    }
    let all = json!({"roots": ["."], "query_key": "functions"});
    let found = call(&program, "query_code", all).await;
    assert_eq!(found["query_result"]["files"][0]["matches"][0]["name"], "survivor", "{found}");
    let ranked = call(&program, "search_content", json!({"roots": ["."], "query": "survivor", "ranked": true})).await;
    assert_eq!(ranked["results"][0]["element"], "survivor", "{ranked}");
    program.survived();
}

#[tokio::test]
async fn a_pattern_that_exhausts_its_parser_is_refused() {
    let sample = Sample::empty();
    sample.file("good.c", "int survivor(void) { return 1; }\n");
    let program = Program::start_within_two_gib(&sample);
    let hostile = json!({"file_path": "good.c", "pattern": "%b(".repeat(24_000)});
    let answer = call(&program, "query_code", hostile).await;
    assert_eq!(answer["error"]["code"], "INVALID_QUERY", "{answer}");
    program.survived();
}

/// Eight megabytes on one line would take more than a gigabyte as a syntax tree.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_json_file_of_one_long_line_is_read_or_refused_within_the_memory_of_a_parser() {
    use fumi_code::parser_process::MEMORY_LIMIT;

    let sample = Sample::empty();
    let entries: Vec<String> = (0..400_000).map(|at| format!("{{\"k{at}\":\"v{at}\"}}")).collect();
    let line = format!("{{\"a\":[{}]}}", entries.join(","));
    assert!(line.len() > 8_000_000);
    sample.file("big.json", line).file("good.json", "{\"a\": 1}\n");
    let program = Program::start_within_two_gib(&sample);
    for tool in ["check_code_scale", "analyze_code_structure"] {
        let answer = call(&program, tool, json!({"file_path": "big.json"})).await;
        assert!(answer["success"] == true || answer["error"]["code"] == "PARSER_STOPPED", "{tool}: {answer}");
    }
    // The server itself never holds the tree.
    let peak = program.peak_memory();
    assert!(peak < MEMORY_LIMIT, "{peak} bytes");
    let after = call(&program, "check_code_scale", json!({"file_path": "good.json"})).await;
    assert_eq!(after["success"], true, "{after}");
    program.survived();
}
