//! A Redis server that is full, or that another takes over from, under sessions that go on.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use serde_json::json;

use super::{Cluster, TTL, files, folders, redis_route::RedisRoute};
use crate::{
    harness::{SESSION, Session},
    redis_server::RedisServer,
};

pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until the probe of each replica answers with a status.
pub(super) async fn probes_answer(cluster: &Cluster, wanted: StatusCode) {
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
    // The entries of the replicas are renewed: each still knows where the session lives.
    let (http, end) = (reqwest::Client::new(), Instant::now() + TTL + Duration::from_secs(3));
    while Instant::now() < end {
        for replica in 0..2 {
            assert_eq!(files(&cluster.at(&session, replica)).await, ["two.py"]);
        }
        // The other replica would not know it.
        let refused = Session::initialize(&http, &cluster.replicas[0].url, SESSION, None).await;
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{}", refused.raw);
        assert!(refused.headers.contains_key("retry-after"), "{}", refused.raw);
        assert!(refused.raw.contains("No session was opened"), "{}", refused.raw);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(cluster.redis.command("CONFIG SET maxmemory 0"), "+OK");
    probes_answer(&cluster, StatusCode::OK).await;
    cluster.choose(&session, "one").await;
    for replica in 0..2 {
        assert_eq!(files(&cluster.at(&session, replica)).await, ["one.py"]);
    }
}

/// The choice is acknowledged, so it is stored once there is room, at the latest before the home ends.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn choice_that_a_full_server_refuses_is_stored_when_it_has_room() {
    for signal in ["-KILL", "-TERM"] {
        let mut cluster = Cluster::start(2).await;
        let session = Session::open_at(&cluster.replicas[0].url, SESSION).await;
        cluster.choose(&session, "one").await;
        assert_eq!(cluster.redis.command("CONFIG SET maxmemory 1"), "+OK");
        for _ in 0..20 {
            cluster.choose(&session, "two").await;
            cluster.choose(&session, "one").await;
        }
        cluster.choose(&session, "two").await;
        assert_eq!(cluster.redis.command("CONFIG SET maxmemory 0"), "+OK");
        if signal == "-KILL" {
            tokio::time::sleep(Duration::from_secs(4)).await;
        }
        cluster.signal(0, signal);
        cluster.replicas[0].child.wait().unwrap();
        assert_eq!(files(&cluster.at(&session, 1)).await, ["two.py"], "{signal}");
        let log = cluster.log(0);
        assert_eq!(log.matches("sessions and their choices cannot be stored").count(), 1, "{log}");
    }
}

/// The subscriptions of some sessions are larger than a record: those are not stored, and those of others are.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn choices_that_are_too_large_do_not_keep_those_of_others_from_being_stored() {
    let mut cluster = Cluster::start(2).await;
    for _ in 0..4 {
        let large = Session::open_at(&cluster.replicas[0].url, SESSION).await;
        for number in 0..15 {
            let uri = format!("code://file/{}one/one.py", "%2E%2F".repeat(1_900 - number));
            let subscribed = large.request("resources/subscribe", json!({"uri": uri})).await;
            assert!(subscribed.result().is_object(), "{}", subscribed.raw);
        }
    }
    let mut sessions = Vec::new();
    for _ in 0..6 {
        sessions.push(Session::open_at(&cluster.replicas[0].url, SESSION).await);
    }
    assert_eq!(cluster.redis.command("CONFIG SET maxmemory 1"), "+OK");
    for session in &sessions {
        cluster.choose(session, "two").await;
    }
    assert_eq!(cluster.redis.command("CONFIG SET maxmemory 0"), "+OK");
    tokio::time::sleep(Duration::from_secs(4)).await;
    cluster.kill(0);
    assert!(cluster.log(0).contains("a value of "), "nothing is too large: {}", cluster.log(0));
    for session in &sessions {
        assert_eq!(files(&cluster.at(session, 1)).await, ["two.py"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_go_on_when_another_server_takes_over() {
    let (primary, mut standby) = (RedisServer::start(&[]), RedisServer::start(&[]));
    assert_eq!(standby.command(&format!("REPLICAOF 127.0.0.1 {}", primary.port)), "+OK");
    let name = RedisRoute::to(&primary);
    let mut cluster = Cluster::over_redis(folders(), primary, &[(name.port, ""), (name.port, "")]).await;
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
