//! A client that gets only texts goes from a search to an edit: every argument of a later call is read from an earlier
//! text.

use regex::Regex;
use serde_json::{Value, json};

use crate::{
    harness::{Server, Session},
    sample::Sample,
};

/// Returns the text of a result that has no structure.
async fn ask(session: &Session, tool: &str, arguments: Value) -> String {
    let answer = session.call(tool, arguments).await;
    let result = answer.result();
    assert!(result["isError"] == false && result.get("structuredContent").is_none(), "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// Returns the groups of the first match in a text.
#[track_caller]
fn read<const N: usize>(pattern: &str, text: &str) -> [String; N] {
    let found = Regex::new(pattern).unwrap().captures(text);
    let found = found.unwrap_or_else(|| panic!("{pattern} is not in: {text}"));
    std::array::from_fn(|at| found[at + 1].to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_a_flow_is_made_from_the_texts_before_it() {
    let sample = Sample::empty();
    for n in 0..8 {
        sample.file(
            &format!("src/part{n}/service.py"),
            format!("class Service{n}:\n    def open(self):\n        return {n}\n\n    def handle(self, request):\n        return request\n"),
        );
    }
    let app = sample.app_with(&[], |config| config.limits.reply_rows = 3);
    let server = Server::start(app).await;
    let headers = [("x-fumi-result", "text")].map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    let http = reqwest::Client::builder().default_headers(headers.into_iter().collect()).build().unwrap();
    let session = Session::open_bearing(&server, http, json!({})).await;

    let mut search = json!({"query": "def handle", "roots": ["."]});
    let first = ask(&session, "search_content", search.clone()).await;
    let [total] = read(r"of (\d+) matches in 8 files", &first);
    let [cursor] = read(r"cursor=(\S+)", &first);
    search["cursor"] = json!(cursor);
    let second = ask(&session, "search_content", search).await;
    assert!(second.contains(&format!("of {total} matches")), "{second}");

    let [file, line, found] = read(r"(?m)^(\S+\.py)\n \S+\n(\d+) def:(.+)$", &second);
    let line: usize = line.parse().unwrap();
    assert!(!first.contains(&file), "the second page repeats the first: {second}");
    let section = json!({"file_path": file, "start_line": line, "end_line": line + 1});
    let section = ask(&session, "extract_code_section", section).await;
    let [file, start, end, of] = read(r"(?m)^(\S+):(\d+)-(\d+) of (\d+)$", &section);
    let lines = [start, end, of].map(|number| number.parse::<usize>().unwrap());
    assert_eq!(lines, [line, line + 1, 6]);
    assert!(section.contains(&format!("\n{line}:{found}\n")), "{section}");

    let methods = json!({"file_path": file, "query_key": "methods", "output_format": "summary"});
    let methods = ask(&session, "query_code", methods).await;
    let [element] = read(&format!(r"(?m)^{line}-\d+ method (\S+)$"), &methods);
    for format in ["text", "raw"] {
        let arguments = json!({"file_path": file, "element": element, "format": format});
        let text = ask(&session, "extract_code_section", arguments).await;
        let [file, start, named] = read(r"(?m)^(\S+):(\d+)-\d+ of \d+ (\S+)$", &text);
        assert_eq!((start, &named), (line.to_string(), &element), "{text}");
        assert!(text.contains(&found), "{text}");
        // The code can be found again as the text has it.
        let name = named.rsplit('.').next().unwrap();
        let again = json!({"query": format!("def {name}"), "files": [file], "total_only": true});
        assert_eq!(ask(&session, "search_content", again).await, "1 match in 1 file");
    }
    let scale = ask(&session, "check_code_scale", json!({"file_path": file})).await;
    let [advised] = read(r"→ read whole: (\w+) with start_line 1 ", &scale);
    let start = ask(&session, &advised, json!({"file_path": file, "start_line": 1})).await;
    let [next] = read(r"… start_line (\d+)", &start);
    let next: usize = next.parse().unwrap();
    let rest = ask(&session, &advised, json!({"file_path": file, "start_line": next})).await;
    assert!(rest.contains(&format!("\n{line}:{found}\n")), "{rest}");
}
