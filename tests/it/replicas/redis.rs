//! A Redis server that is full, or that another takes over from, under sessions that go on.

#![allow(clippy::disallowed_methods, reason = "a thread of a test waits")]

use std::{
    io,
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use reqwest::StatusCode;
use serde_json::json;

use super::{Cluster, TTL, files, folders};
use crate::{
    harness::{SESSION, Session},
    redis_server::RedisServer,
};

const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until the probe of each replica answers with a status.
async fn probes_answer(cluster: &Cluster, wanted: StatusCode) {
    for replica in &cluster.replicas {
        let url = replica.url.replace("/mcp", "/readyz");
        let began = Instant::now();
        loop {
            let answer = reqwest::get(&url).await.unwrap();
            if answer.status() == wanted {
                break;
            }
            let (status, text) = (answer.status(), answer.text().await.unwrap());
            assert!(began.elapsed() < PATIENCE, "{status} instead of {wanted}: {text}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_go_on_over_a_full_server() {
    let cluster = Cluster::start(2).await;
    let session = cluster.session().await;
    cluster.choose(&session, "two").await;
    assert_eq!(cluster.redis.command("CONFIG SET maxmemory 1"), "+OK");
    probes_answer(&cluster, StatusCode::SERVICE_UNAVAILABLE).await;
    let new = Session::open_at(&cluster.replicas[0].url, SESSION).await;
    // The entries of the replicas are renewed: each still knows where the session lives.
    let end = Instant::now() + TTL + Duration::from_secs(3);
    while Instant::now() < end {
        for replica in 0..2 {
            assert_eq!(files(&cluster.at(&session, replica)).await, ["two.py"]);
        }
        // It could not be stored, so it lives in its replica alone.
        assert!(!new.call("list_files", json!({"roots": ["."]})).await.called().2);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(cluster.redis.command("CONFIG SET maxmemory 0"), "+OK");
    probes_answer(&cluster, StatusCode::OK).await;
    cluster.choose(&session, "one").await;
    for replica in 0..2 {
        assert_eq!(files(&cluster.at(&session, replica)).await, ["one.py"]);
    }
}

/// Passes connections on to the port that it is told, as a name that leads to the current primary.
struct Name {
    port: u16,
    behind: Arc<AtomicU16>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Name {
    fn of(server: &RedisServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let name = Self { port, behind: Arc::new(AtomicU16::new(server.port)), open: Arc::default() };
        let (behind, open) = (Arc::clone(&name.behind), Arc::clone(&name.open));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", behind.load(Ordering::SeqCst))) else { continue };
                open.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                let (mut requests, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || io::copy(&mut requests, &mut to_server));
                let (mut answers, mut to_client) = (server, client);
                thread::spawn(move || io::copy(&mut answers, &mut to_client));
            }
        });
        name
    }

    /// Leads to another server from now on. Open connections break.
    fn lead_to(&self, server: &RedisServer) {
        self.behind.store(server.port, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_go_on_when_another_server_takes_over() {
    let (primary, mut standby) = (RedisServer::start(&[]), RedisServer::start(&[]));
    assert_eq!(standby.command(&format!("REPLICAOF 127.0.0.1 {}", primary.port)), "+OK");
    let name = Name::of(&primary);
    let mut cluster = Cluster::over_redis(folders(), primary, name.port, &["", ""]).await;
    let session = cluster.session().await;
    cluster.choose(&session, "two").await;
    // The standby has what was acknowledged.
    let began = Instant::now();
    while !cluster.redis.command("WAIT 1 1000").starts_with(":1") {
        assert!(began.elapsed() < PATIENCE, "the standby does not follow");
    }
    cluster.redis.stop();
    for replica in 0..2 {
        assert_eq!(files(&cluster.at(&session, replica)).await, ["two.py"]);
    }
    // The name leads to the standby before that accepts writes.
    name.lead_to(&standby);
    probes_answer(&cluster, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(standby.command("REPLICAOF NO ONE"), "+OK");
    probes_answer(&cluster, StatusCode::OK).await;
    for replica in 0..2 {
        assert_eq!(files(&cluster.at(&session, replica)).await, ["two.py"]);
    }
    let new = cluster.session().await;
    for (session, folder) in [(&session, "one"), (&new, "two")] {
        cluster.choose(session, folder).await;
        for replica in 0..2 {
            assert_eq!(files(&cluster.at(session, replica)).await, [format!("{folder}.py")]);
        }
    }
    let listed = new.call("list_files", json!({"roots": ["."]})).await;
    assert!(!listed.called().2, "{}", listed.raw);
    standby.stop();
}
