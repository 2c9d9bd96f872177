//! The cost of the protocol and the pipeline: a cached call beside a bare axum route that returns the same bytes.

use axum::{Router, http::header::CONTENT_TYPE, routing::post};
use serde_json::{Value, json};

use crate::{
    Bench,
    client::{Client, Server},
    measure::{Cpu, Peer, rounds},
    report::{Bar, Report},
};

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "a\n").expect("written");
    let server = Server::start(&[folder.path()], &[]);
    let mut client = server.client();
    let request = client.request("list_files", &json!({"roots": ["."], "absolute": false}));
    let reply = client.send(&request);

    let runtime = tokio::runtime::Runtime::new().expect("threads start");
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    // The request is parsed as JSON, as fumi must; the reply is a copy of fumi's.
    let copy = reply.clone();
    let route =
        post(move |axum::Json(_): axum::Json<Value>| async move { ([(CONTENT_TYPE, "application/json")], copy) });
    runtime.spawn(async move { axum::serve(listener, Router::new().route("/mcp", route)).await });
    let mut bare = Client::connect(&address);
    let same = bare.post("/mcp", "", &String::from_utf8_lossy(body_of(&request)));

    let taken = rounds(
        vec![
            Peer::new("bare axum route", Cpu::Own, || bare.send(&same).len() as u64),
            Peer::new("fumi over HTTP", Cpu::Of(server.id()), || {
                client.send(&request).len() as u64
            }),
        ],
        bench.rounds * 50,
    );
    report.compare("list_files of one file, cached, one client", &taken, 1, Bar::None);
}

fn body_of(request: &[u8]) -> &[u8] {
    let at = request
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .expect("headers end");
    &request[at + 4..]
}
