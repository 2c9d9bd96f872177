//! Several processes that serve the same sessions, behind a balancer that sends each request to the next of them.

pub(crate) mod balancer;
mod cut_off;
mod interrupted;
mod redis;
mod redis_route;

use std::{
    fs::{self, File},
    net::TcpListener,
    path::PathBuf,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use fumi::{http::auth::tokens::sha256_of, state::State};
use fumi_base::store::{Store, memory::MemoryStore};
use fumi_config::{AuthMode, ConfiguredToken};
use reqwest::{
    StatusCode,
    header::{AUTHORIZATION, HeaderValue},
};
use serde_json::{Value, json};

use self::balancer::Balancer;
use crate::{
    harness::{SESSION, Server, Session, Stateless},
    program::{Served, undisturbed},
    redis_server::RedisServer,
    sample::Sample,
};

/// The time after which the sessions of a silent replica are taken over.
const TTL: Duration = fumi::mcp::replicas::TTL;

/// A key that all replicas have.
const KEY: &str = "0123456789abcdef0123456789abcdef";

/// Returns an address of this machine that no process listens on.
pub(crate) fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

pub(crate) struct Cluster {
    sample: Sample,
    redis: RedisServer,
    replicas: Vec<Served>,
    pub(crate) balancer: Balancer,
}

impl Cluster {
    /// Starts replicas over a project with the folders `one` and `two`, each with a file of its own.
    pub(crate) async fn start(number: usize) -> Self {
        Self::over(folders(), &vec![""; number]).await
    }

    /// Starts replicas over a sample, each with a failpoint of its own; empty: none.
    async fn over(sample: Sample, failpoints: &[&str]) -> Self {
        let redis = RedisServer::start(&[]);
        let replicas: Vec<_> = failpoints.iter().map(|failpoint| (redis.port, *failpoint)).collect();
        Self::over_redis(sample, redis, &replicas).await
    }

    /// The same over a server that each replica reaches through a port of its own.
    async fn over_redis(sample: Sample, redis: RedisServer, replicas: &[(u16, &str)]) -> Self {
        let start = |(number, (port, failpoint)): (usize, &(u16, &str))| {
            let log = File::create(log_of(&sample, number)).unwrap();
            Served::start_logging(&mut replica(&sample, *port, failpoint), log)
        };
        let replicas: Vec<_> = replicas.iter().enumerate().map(start).collect();
        let bases = replicas.iter().map(|replica| replica.url.trim_end_matches("/mcp").to_owned()).collect();
        Self { sample, redis, replicas, balancer: Balancer::start(bases).await }
    }

    /// Returns what a replica has logged.
    fn log(&self, replica: usize) -> String {
        fs::read_to_string(log_of(&self.sample, replica)).unwrap()
    }

    async fn session(&self) -> Session {
        Session::open_at(&self.balancer.url(), SESSION).await
    }

    /// Returns the same session as a client that knows one replica sees it.
    fn at(&self, session: &Session, replica: usize) -> Session {
        Session { url: self.replicas[replica].url.clone(), ..session.clone() }
    }

    async fn choose(&self, session: &Session, folder: &str) {
        let path = self.sample.root().join(folder);
        let chosen = session.call("set_project_path", json!({"project_path": path.to_str().unwrap()})).await;
        assert!(!chosen.called().2, "{}", chosen.raw);
    }

    fn kill(&mut self, replica: usize) {
        self.replicas[replica].child.kill().unwrap();
        self.replicas[replica].child.wait().unwrap();
    }

    fn signal(&self, replica: usize, signal: &str) {
        let id = self.replicas[replica].child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

/// Returns a project with the folders `one` and `two`, each with a file of its own.
fn folders() -> Sample {
    let sample = Sample::empty();
    for folder in ["one", "two"] {
        sample.file(&format!("{folder}/{folder}.py"), "x = 1\n");
    }
    sample
}

fn log_of(sample: &Sample, replica: usize) -> PathBuf {
    sample.outside().join(format!("replica{replica}.log"))
}

fn replica(sample: &Sample, redis: u16, failpoint: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
    undisturbed(&mut command);
    command
        .env("FUMI__SERVER__STATE_KEY", KEY)
        .env("FUMI_FAILPOINT", failpoint)
        .args(["serve", "--listen", "127.0.0.1:0", "--store", &format!("redis://127.0.0.1:{redis}"), "--root"])
        .arg(sample.root())
        .arg("--state")
        .arg(sample.outside().join("state"));
    command
}

/// The calls of a principal count together, whichever replica gets them.
#[tokio::test(flavor = "multi_thread")]
async fn rate_limit_is_one_over_all_replicas() {
    let sample = Sample::empty();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut servers = Vec::new();
    for _ in 0..3 {
        let state = State { store: Arc::clone(&store), ..State::in_memory() };
        let app = sample.app_by(state, crate::program::parsers(), &[], |config| {
            config.server.state_key = KEY.to_owned().into();
            config.server.listen = free_address().parse().unwrap();
            config.server.replica_url = format!("http://{}", config.server.listen);
            config.auth.mode = AuthMode::Tokens;
            config.auth.tokens = vec![ConfiguredToken {
                name: "ann".to_owned(),
                sha256: sha256_of("token"),
                toolsets: Vec::new(),
                roots: Vec::new(),
                readonly: false,
                rate_per_minute: Some(6),
            }];
        });
        servers.push(Server::start(app).await);
    }
    let balancer = Balancer::start(servers.iter().map(|server| server.base.clone()).collect()).await;
    let headers = [(AUTHORIZATION, HeaderValue::from_static("Bearer token"))].into_iter().collect();
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    let client = Stateless { http, url: balancer.url() };
    for _ in 0..6 {
        assert_eq!(client.call("list_files", json!({"roots": ["."]})).await.status, StatusCode::OK);
    }
    for _ in 0..3 {
        let refused = client.call("list_files", json!({"roots": ["."]})).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{}", refused.raw);
    }
}

/// Returns the names of the files in the session's project.
async fn files(session: &Session) -> Vec<String> {
    let listed = session.call("list_files", json!({"roots": ["."], "pattern": "*.py", "glob": true})).await;
    let (structured, text, is_error) = listed.called();
    assert!(!is_error, "{text}");
    let results = structured["results"].as_array().unwrap_or_else(|| panic!("{structured}"));
    let name = |result: &Value| result["path"].as_str().and_then(|path| path.rsplit('/').next()).unwrap().to_owned();
    results.iter().map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn session_is_one_whichever_replica_gets_its_requests() {
    let cluster = Cluster::start(3).await;
    let session = cluster.session().await;
    cluster.choose(&session, "one").await;
    for _ in 0..4 {
        assert_eq!(files(&session).await, ["one.py"]);
    }
    for replica in 0..3 {
        cluster.choose(&cluster.at(&session, replica), "two").await;
        assert_eq!(files(&session).await, ["two.py"]);
        cluster.choose(&session, "one").await;
    }
    assert_eq!(session.end().await, StatusCode::NO_CONTENT);
    for replica in 0..3 {
        let after = cluster.at(&session, replica).call("list_files", json!({"roots": ["."]})).await;
        assert_eq!(after.status, StatusCode::NOT_FOUND, "{}", after.raw);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn session_that_several_requests_end_is_ended_by_one_of_them() {
    let cluster = Cluster::start(2).await;
    for _ in 0..10 {
        let session = cluster.session().await;
        let end = |number: usize| {
            let session = cluster.at(&session, number % 2);
            tokio::spawn(async move { session.end().await })
        };
        let mut answers = Vec::new();
        for end in (0..8).map(end).collect::<Vec<_>>() {
            answers.push(end.await.unwrap());
        }
        answers.sort();
        let (ended, rest) = answers.split_first().unwrap();
        assert_eq!(*ended, StatusCode::NO_CONTENT, "{answers:?}");
        assert!(rest.iter().all(|answer| *answer == StatusCode::NOT_FOUND), "{answers:?}");
    }
}

/// Returns the number of the replica that has a session: the only one with a session.
async fn home(cluster: &Cluster) -> usize {
    for (number, replica) in cluster.replicas.iter().enumerate() {
        let url = replica.url.replace("/mcp", "/metrics");
        let metrics = reqwest::get(url).await.unwrap().text().await.unwrap();
        if metrics.lines().any(|line| line.starts_with("fumi_sessions") && line.ends_with(" 1")) {
            return number;
        }
    }
    panic!("no replica has a session");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn session_of_a_killed_replica_continues_in_another() {
    let mut cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    cluster.choose(&session, "two").await;
    let home = home(&cluster).await;
    cluster.kill(home);
    let began = Instant::now();
    assert_eq!(files(&session).await, ["two.py"]);
    assert!(began.elapsed() < TTL + Duration::from_secs(10), "{:?}", began.elapsed());
    cluster.choose(&session, "one").await;
    assert_eq!(files(&session).await, ["one.py"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn session_of_a_replica_that_shuts_down_continues_at_once() {
    let mut cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    cluster.choose(&session, "two").await;
    let home = home(&cluster).await;
    let elsewhere = cluster.at(&session, 1 - home);
    cluster.signal(home, "-TERM");
    let began = Instant::now();
    while cluster.replicas[home].child.try_wait().unwrap().is_none() {
        let call = |session: Session| tokio::spawn(async move { files(&session).await });
        let calls: Vec<_> = (0..8).map(|_| call(elsewhere.clone())).collect();
        for call in calls {
            assert_eq!(call.await.unwrap(), ["two.py"]);
        }
    }
    assert_eq!(files(&session).await, ["two.py"]);
    assert!(began.elapsed() < TTL, "{:?}", began.elapsed());
}

/// What the stopped replica remembers of the session is not used when it goes on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn replica_that_was_stopped_does_not_serve_a_session_that_moved() {
    let cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    cluster.choose(&session, "one").await;
    let home = home(&cluster).await;
    cluster.signal(home, "-STOP");
    tokio::time::sleep(TTL + Duration::from_secs(1)).await;
    let elsewhere = cluster.at(&session, 1 - home);
    cluster.choose(&elsewhere, "two").await;
    cluster.signal(home, "-CONT");
    for _ in 0..20 {
        assert_eq!(files(&cluster.at(&session, home)).await, ["two.py"]);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(files(&elsewhere).await, ["two.py"]);
}

/// The stopped replica does not continue from what it remembers, although the one that had the session since has ended.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn session_that_comes_back_to_a_replica_that_was_stopped_has_its_last_choice() {
    let mut cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    cluster.choose(&session, "one").await;
    let home = home(&cluster).await;
    let (here, elsewhere) = (cluster.at(&session, home), cluster.at(&session, 1 - home));
    cluster.signal(home, "-STOP");
    tokio::time::sleep(TTL + Duration::from_secs(1)).await;
    cluster.choose(&elsewhere, "two").await;
    cluster.signal(1 - home, "-TERM");
    cluster.replicas[1 - home].child.wait().unwrap();
    // Requests that wait for the replica are read before it has renewed its entry.
    let waiting: Vec<_> = (0..20).map(|_| tokio::spawn(files_once_served(here.clone()))).collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    cluster.signal(home, "-CONT");
    for files in waiting {
        assert_eq!(files.await.unwrap(), ["two.py"]);
    }
}

/// The same as [`files`]; a refusal with 503 is followed by another attempt.
async fn files_once_served(session: Session) -> Vec<String> {
    let ask = || session.call("list_files", json!({"roots": ["."]}));
    while ask().await.status == StatusCode::SERVICE_UNAVAILABLE {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    files(&session).await
}

/// The request may have been executed, so it is not sent to another replica.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn request_to_a_replica_that_stops_while_it_works_is_answered_with_an_error() {
    let cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    let home = home(&cluster).await;
    cluster.signal(home, "-STOP");
    let answer = cluster.at(&session, 1 - home).call("list_files", json!({"roots": ["."]})).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY, "{}", answer.raw);
    assert_eq!(answer.error()["data"]["code"], "RESULT_LOST", "{}", answer.raw);
    cluster.signal(home, "-CONT");
    assert!(!session.call("list_files", json!({"roots": ["."]})).await.called().2);
}

/// Without the store no replica takes over a session, so each serves what it has and forwards to where the rest was last.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_go_on_while_the_store_is_away_and_end_when_it_is_emptied() {
    let mut cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    cluster.choose(&session, "two").await;
    let at = [0, 1].map(|replica| cluster.at(&session, replica));
    for session in &at {
        assert_eq!(files(session).await, ["two.py"]);
    }
    cluster.redis.stop();
    let end = Instant::now() + TTL + Duration::from_secs(5);
    while Instant::now() < end {
        for session in &at {
            assert_eq!(files(session).await, ["two.py"]);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    // It has kept nothing.
    cluster.redis.run();
    tokio::time::sleep(Duration::from_secs(5)).await;
    for session in &at {
        let ended = session.call("list_files", json!({"roots": ["."]})).await;
        assert_eq!(ended.status, StatusCode::NOT_FOUND, "{}", ended.raw);
    }
    let session = cluster.session().await;
    cluster.choose(&session, "one").await;
    for replica in 0..2 {
        assert_eq!(files(&cluster.at(&session, replica)).await, ["one.py"]);
    }
}

/// A store that accepts commands and does not answer them.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn calls_without_a_session_do_not_wait_for_the_store() {
    let cluster = Cluster::start(2).await;
    assert_eq!(cluster.redis.command("CLIENT PAUSE 4000 ALL"), "+OK");
    let client = Stateless { http: reqwest::Client::new(), url: cluster.balancer.url() };
    let began = Instant::now();
    for _ in 0..20 {
        assert!(!client.call("list_files", json!({"roots": ["."]})).await.called().2);
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    tokio::time::sleep(Duration::from_secs(4)).await;
    let session = cluster.session().await;
    cluster.choose(&session, "one").await;
    assert_eq!(files(&session).await, ["one.py"]);
}

/// Clients of both eras and of the REST API, each with files and a session of its own.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn mixed_load_over_four_replicas_has_no_error() {
    let cluster = Arc::new(Cluster::start(4).await);
    let clients: Vec<_> = (0..8).map(|number| tokio::spawn(mixed_calls(Arc::clone(&cluster), number))).collect();
    for client in clients {
        client.await.unwrap();
    }
}

/// Makes 100 calls of a client, which must all succeed and tell what the client has done before.
async fn mixed_calls(cluster: Arc<Cluster>, number: usize) {
    let session = cluster.session().await;
    let stateless = Stateless { http: reqwest::Client::new(), url: cluster.balancer.url() };
    let file = format!("client{number}.md");
    let mut files_expected = None;
    for round in 0..20 {
        let folder = ["one", "two"][(round + number) % 2];
        if round % 3 == 0 {
            cluster.choose(&session, folder).await;
            files_expected = Some(format!("{folder}.py"));
        }
        assert_eq!(files(&session).await, files_expected.iter().map(String::as_str).collect::<Vec<_>>());
        let content = format!("round {round} of {number}\n");
        let arguments = json!({"file_path": file, "content": content, "overwrite": true});
        let written = stateless.call("write", arguments).await;
        assert!(!written.called().2, "{}", written.raw);
        let found = stateless.call("search_content", json!({"query": content.trim(), "roots": [file]})).await;
        assert_eq!(found.called().0["count"], 1, "{}", found.raw);
        let url = format!("{}/v1/tools/extract_code_section", cluster.balancer.base);
        let arguments = json!({"file_path": file, "start_line": 1});
        let read = reqwest::Client::new().post(url).json(&arguments).send().await.unwrap();
        let (status, text) = (read.status(), read.text().await.unwrap());
        assert!(status == StatusCode::OK && text.contains(content.trim()), "{status} {text}");
        let resource = json!({"uri": format!("code://file/{folder}.py")});
        if files_expected.as_deref() == Some(&format!("{folder}.py")) {
            let resource = session.request("resources/read", resource).await;
            assert!(resource.raw.contains("x = 1"), "{}", resource.raw);
        }
    }
    assert_eq!(session.end().await, StatusCode::NO_CONTENT);
}
