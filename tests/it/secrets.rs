//! Canaries go through every tool: no reply and no log line contains a secret.
//!
//! There are two canaries: a secret that the server was started with and that is also in the project's files, and a
//! value that the caller sends under a name such as `password`.

use std::{
    io,
    sync::{Arc, Mutex},
};

use fumi::telemetry;
use fumi_config::Config;
use serde_json::{Value, json};
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

use crate::{
    harness::{Server, Session, Stateless},
    novel,
    sample::{Sample, call, delivering, wide},
};

const OWN: &str = "canary-secret-0123456789";
const SENT: &str = "several words, bird-of-the-caller-9876543210";
/// Its end, which would remain if only the first word were removed.
const TAIL: &str = "bird-of-the-caller-9876543210";

/// Log lines, collected in memory.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Returns all log lines so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Subscribes to the whole log with its spans, at the most verbose level.
pub(crate) fn listen() -> Lines {
    let lines = Lines::default();
    tracing_subscriber::fmt()
        .with_env_filter(telemetry::filter("trace"))
        .with_span_events(FmtSpan::FULL)
        .with_writer(lines.clone())
        .init();
    lines
}

#[track_caller]
fn silent(what: &str, said: &str) {
    for canary in [OWN, TAIL] {
        if let Some(at) = said.find(canary) {
            let from = said[..at].char_indices().rev().nth(200).map_or(0, |(at, _)| at);
            panic!("{what} contains {canary}: …{}", &said[from..(at + canary.len())]);
        }
    }
}

fn without_chromium(config: &mut Config) {
    config.browser.executable = "/nonexistent/chromium".into();
}

fn sample() -> Sample {
    let sample = Sample::new();
    let comment = |path: &str, open: &str, close: &str| {
        let text = sample.read(path);
        sample.file(path, format!("{text}\n{open} line {OWN} {close}\n"));
    };
    comment("src/main.py", "#", "");
    comment("src/shop.py", "#", "");
    comment("src/price.ts", "//", "");
    comment("web/style.css", "/*", "*/");
    comment("web/index.html", "<!--", "-->");
    sample.file("docs/line.txt", format!("line password={OWN}\n"));
    sample.file(&format!("src/{OWN}.py"), format!("def {}(): return '{OWN}'\n", OWN.replace('-', "_")));
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reply_and_no_log_line_contains_a_secret() {
    let lines = listen();
    let sample = sample();
    // Pages are tested in `browser::secrets`. Here Chromium is not started, so that no call waits for hosts of the
    // examples.
    let app = sample.app_with(&[OWN], without_chromium);
    for entry in app.catalogue.entries() {
        let name = entry.spec.name;
        let example = sample.example(entry);
        let mut calls = vec![Value::Object(example.clone()), Value::Object(wide(entry, &example))];
        for property in entry.input["properties"].as_object().unwrap().keys() {
            for value in [json!(OWN), json!([OWN]), json!(format!("{OWN}(")), json!({"token": SENT})] {
                let mut arguments = example.clone();
                arguments.insert(property.clone(), value);
                calls.push(Value::Object(arguments));
            }
        }
        for key in ["password", "token", "API_KEY", "authToken", "client_secret", OWN] {
            let mut arguments = example.clone();
            arguments.insert(key.to_owned(), json!(if key == OWN { OWN } else { SENT }));
            calls.push(Value::Object(arguments.clone()));
            arguments.insert(key.to_owned(), json!({"deep": [{"secret": OWN}]}));
            calls.push(Value::Object(arguments));
        }
        for arguments in calls {
            let shown = format!("{name} {arguments}");
            let reply = call(&app, name, arguments).await;
            silent(&shown, &reply.structured.to_string());
            silent(&shown, &reply.text);
            silent(&shown, &reply.meta().to_string());
        }
    }
    silent("the log", &String::from_utf8_lossy(&lines.0.lock().unwrap()));
    assert!(!lines.0.lock().unwrap().is_empty(), "nothing was logged: the test listens to nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_does_a_response_over_http() {
    let lines = listen();
    let sample = sample();
    let server = Server::start(sample.app_with(&[OWN], without_chromium)).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    for entry in server.app.catalogue.entries() {
        let mut arguments = sample.example(entry);
        for _ in 0..2 {
            let sent = Value::Object(arguments.clone());
            silent("the stateless era", &stateless.call(entry.spec.name, sent.clone()).await.raw);
            silent("the session era", &session.call(entry.spec.name, sent).await.raw);
            arguments.insert("password".to_owned(), json!(SENT));
        }
    }
    // Unknown names of a tool, a method and a resource.
    silent("an unknown tool", &stateless.call(&format!("x{OWN}"), json!({})).await.raw);
    silent(
        "an unknown resource",
        &session.request("resources/read", json!({"uri": format!("code://file/{OWN}")})).await.raw,
    );
    silent("the log", &String::from_utf8_lossy(&lines.0.lock().unwrap()));
}

/// A result in a file is part of the project, but a tool that reads the file returns a reply.
#[tokio::test(flavor = "multi_thread")]
async fn a_delivered_file_is_announced_without_the_secret() {
    let sample = sample();
    let app = sample.app_with(&[OWN], |_| {});
    for entry in delivering(&app) {
        let mut arguments = sample.example(entry);
        arguments.insert("output_file".to_owned(), json!(format!("{OWN}.json")));
        let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
        silent(entry.spec.name, &format!("{}{}", reply.structured, reply.text));
    }
}

/// A client must not be able to join the secret from the parts of a line or of a binary file.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_a_file_do_not_add_up_to_a_secret() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};

    let sample = Sample::empty();
    sample.file("line.txt", format!("key = {OWN};\n"));
    sample.file("data.bin", [&b"\x89\0\x01"[..], OWN.as_bytes(), b"\0\xff"].concat());
    let app = sample.app_with(&[OWN], without_chromium);
    let mut line = String::new();
    for (start, end) in [(0, 9), (9, 15), (15, 31)] {
        let range = json!({"file_path": "line.txt", "start_line": 1, "end_line": 1, "start_column": start, "end_column": end, "format": "raw"});
        let part = call(&app, "extract_code_section", range).await;
        line += part.structured["partial_content_result"]["content"].as_str().unwrap();
    }
    assert_eq!(line, format!("key = {};", "*".repeat(OWN.len())));
    let novel = novel::novel();
    let text = format!("# 第一話\n\n{}{OWN}\n", "あ".repeat(990));
    novel.file("40_原稿/第001話.md", &text);
    let fetching = novel.app_with(&[OWN], without_chromium);
    let id = format!("artifact:{}", fumi_base::files::sha256(text.as_bytes()));
    for section in ["1-3", "3:992-3", "3:1001-3"] {
        let asked = json!({"artifact_id": id, "section": section});
        let part = call(&fetching, "fetch_artifact", asked).await;
        let part = part.structured["content"].as_str().unwrap();
        assert!(part.contains('*') && !part.contains(&OWN[1..8]) && !part.contains(&OWN[10..]), "{part}");
    }
    let server = Server::start(app).await;
    let session = Session::open(&server).await;
    let mut bytes = Vec::new();
    for query in ["", "?bytes=0-9", "?bytes=10-20", "?bytes=21-"] {
        let uri = format!("code://file/data.bin{query}");
        let read = session.request("resources/read", json!({"uri": uri})).await;
        let blob = read.result()["contents"][0]["blob"].as_str().unwrap().to_owned();
        bytes.extend(STANDARD.decode(blob).unwrap());
    }
    silent("the whole and its ranges", &String::from_utf8_lossy(&bytes));
    assert_eq!(bytes.len() % 2, 0);
    assert_eq!(bytes[..bytes.len() / 2], bytes[bytes.len() / 2..], "ranges are parts of the whole");
}
