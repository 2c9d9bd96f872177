//! The real program with its state on a Redis server: several processes, a server that is away, credentials and TLS.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use reqwest::StatusCode;
use serde_json::json;

use crate::{
    harness::{SESSION, Session},
    program::{Served, undisturbed},
    redis_server::RedisServer,
    sample::Sample,
};

const PASSWORD: &str = "canary-password-of-redis";
/// The timeout of a recovery.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns a project with a folder of its own for one file, and the password in another file.
fn project() -> Sample {
    let sample = Sample::empty();
    sample.file("one/one.py", "a = 1\n").file("notes.txt", format!("the password is {PASSWORD}\n"));
    sample
}

/// Returns the command of a program that keeps its state on a server, and logs everything.
fn over_redis(sample: &Sample, url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
    undisturbed(&mut command);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", "redis", "--root"]).arg(sample.root());
    command.arg("--state").arg(sample.outside().join("state"));
    command.env("FUMI__STORE__URL", url).env("FUMI__LOG__FILTER", "trace");
    command.env("FUMI__SERVER__STATE_KEY", "0123456789abcdef0123456789abcdef");
    command
}

fn start(sample: &Sample, url: &str, log: &str) -> Served {
    let log = File::create(sample.outside().join(log)).unwrap();
    Served::start_logging(&mut over_redis(sample, url), log)
}

/// Returns the log of a program.
fn log(sample: &Sample, log: &str) -> String {
    fs::read_to_string(sample.outside().join(log)).unwrap()
}

/// Returns the same session at another program.
fn at(program: &Served, session: &Session) -> Session {
    Session { url: program.url.clone(), ..session.clone() }
}

/// Opens a session and chooses the folder `one` as its project.
async fn open(program: &Served, sample: &Sample) -> Session {
    let session = Session::open_at(&program.url, SESSION).await;
    let chosen = session.call("set_project_path", json!({"project_path": sample.root().join("one")})).await;
    assert!(!chosen.called().2, "{}", chosen.raw);
    session
}

/// Asserts that a session still has the project that it chose.
#[track_caller]
fn has_its_project(answer: &crate::harness::Answer) {
    let (structure, _, is_error) = answer.called();
    assert!(!is_error && structure["total_count"] == 1, "{}", answer.raw);
}

async fn list(session: &Session) -> crate::harness::Answer {
    session.call("list_files", json!({"roots": ["."]})).await
}

async fn readiness(program: &Served) -> (u16, String) {
    let answer = reqwest::get(program.url.replace("/mcp", "/readyz")).await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Waits until a program is ready again.
async fn ready(program: &Served) {
    let began = Instant::now();
    while readiness(program).await != (200, "ok\n".to_owned()) {
        assert!(began.elapsed() < PATIENCE, "{:?}", readiness(program).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn a_session_continues_at_another_process() {
    let (sample, server) = (project(), RedisServer::start(&["--requirepass", PASSWORD]));
    let url = format!("redis://:{PASSWORD}@127.0.0.1:{}/2", server.port);
    let mut first = start(&sample, &url, "first.log");
    let second = start(&sample, &url, "second.log");
    let session = open(&first, &sample).await;
    let ended = open(&first, &sample).await;
    has_its_project(&list(&at(&second, &session)).await);
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    has_its_project(&list(&at(&second, &session)).await);
    assert!(at(&second, &ended).end().await.is_success());
    let third = start(&sample, &url, "third.log");
    has_its_project(&list(&at(&third, &session)).await);
    assert_eq!(at(&third, &ended).request("tools/list", json!({})).await.status, StatusCode::NOT_FOUND);

    // The password is in no reply and no line of a log, though the project contains it.
    let shown = at(&third, &session);
    shown.call("set_project_path", json!({"project_path": sample.root()})).await;
    let found = shown.call("search_content", json!({"roots": ["."], "query": "the password is"})).await;
    assert!(found.raw.contains("the password is"), "{}", found.raw);
    for said in [found.raw, log(&sample, "first.log"), log(&sample, "second.log"), log(&sample, "third.log")] {
        assert!(!said.contains(PASSWORD), "{said}");
    }
    assert!(log(&sample, "third.log").contains(&format!("redis://127.0.0.1:{}/2", server.port)));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn readyz_fails_while_the_server_is_away_and_fumi_recovers_by_itself() {
    let sample = project();
    let mut server = RedisServer::start(&[]);
    let url = format!("redis://127.0.0.1:{}", server.port);
    server.stop();
    // Started before its server.
    let program = start(&sample, &url, "program.log");
    let away = (503, "the store cannot be used\n".to_owned());
    assert_eq!(readiness(&program).await, away);
    server.run();
    ready(&program).await;
    let session = open(&program, &sample).await;
    let other = start(&sample, &url, "other.log");
    let elsewhere = open(&other, &sample).await;

    server.stop();
    let began = Instant::now();
    while readiness(&program).await != away {
        assert!(began.elapsed() < PATIENCE, "it does not notice");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // What needs no store is served: calls without a session, and sessions of this process.
    has_its_project(&list(&session).await);
    let calls = program.url.replace("/mcp", "/v1/tools/list_files");
    let called = reqwest::Client::new().post(calls).json(&json!({"roots": ["."]})).send().await.unwrap();
    assert_eq!(called.status(), StatusCode::OK);
    let began = Instant::now();
    let unknown = at(&program, &elsewhere).request("tools/list", json!({})).await;
    assert_eq!(unknown.status, StatusCode::SERVICE_UNAVAILABLE, "{}", unknown.raw);
    assert!(unknown.raw.contains("The session is not lost"), "{}", unknown.raw);
    assert!(began.elapsed() < PATIENCE);

    server.run();
    ready(&program).await;
    let session = open(&program, &sample).await;
    has_its_project(&list(&at(&other, &session)).await);
}

#[test]
#[ignore = "needs redis-server"]
fn a_server_that_denies_access_is_an_error_at_the_start() {
    let (sample, server) = (project(), RedisServer::start(&["--requirepass", PASSWORD]));
    let url = |credentials: &str| format!("redis://{credentials}127.0.0.1:{}", server.port);
    for url in [url(":wrong-canary@"), url("")] {
        let ended = over_redis(&sample, &url).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.contains("denies access") && said.contains("FUMI__STORE__URL"), "{said}");
        assert!(!said.contains("canary"), "{said}");
    }
}

/// Makes the certificates of an authority and of a server.
fn make_certificates(folder: &Path) {
    fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    for arguments in [
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=authority -keyout ca.key -out ca.pem",
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=redis -keyout key.pem -out request.pem",
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile names -out cert.pem",
    ] {
        let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
        let made = made.expect("openssl is missing; install it: apt-get install openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn a_server_is_reached_by_tls_and_must_have_a_trusted_certificate() {
    let sample = project();
    let folder = sample.outside();
    make_certificates(&folder);
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = RedisServer::start(&[
        "--tls-port",
        &port.to_string(),
        "--tls-cert-file",
        &file("cert.pem"),
        "--tls-key-file",
        &file("key.pem"),
        "--tls-auth-clients",
        "no",
        "--maxmemory-policy",
        "allkeys-lru",
        "--maxmemory",
        "100mb",
    ]);
    let url = format!("rediss://127.0.0.1:{port}");
    let trusting = |log: &str| {
        let log = File::create(folder.join(log)).unwrap();
        Served::start_logging(over_redis(&sample, &url).env("SSL_CERT_FILE", file("ca.pem")), log)
    };
    let (first, second) = (trusting("first.log"), trusting("second.log"));
    let session = open(&first, &sample).await;
    has_its_project(&list(&at(&second, &session)).await);
    assert_eq!(readiness(&first).await.0, 200);
    let said = log(&sample, "first.log");
    assert!(said.contains("maxmemory-policy to noeviction") && said.contains("allkeys-lru"), "{said}");

    let suspicious = start(&sample, &url, "suspicious.log");
    assert_eq!(readiness(&suspicious).await.0, 503);
    let said = log(&sample, "suspicious.log");
    assert!(said.contains("certificate"), "{said}");
    assert_eq!(server.command("PING"), "+PONG");
}
