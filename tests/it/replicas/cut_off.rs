//! Replicas that cannot reach Redis, or cannot write there, while each still runs: no session moves, and none is served twice.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use serde_json::json;

use super::{
    Cluster, TTL, files, folders, home,
    redis::{PATIENCE, probes_answer},
    redis_route::RedisRoute,
};
use crate::{
    harness::{SESSION, Session},
    redis_server::RedisServer,
};

/// Starts two replicas, each with a way of its own to Redis.
async fn two_ways() -> (Cluster, [RedisRoute; 2]) {
    let redis = RedisServer::start(&[]);
    let ways = [RedisRoute::to(&redis), RedisRoute::to(&redis)];
    let replicas = ways.each_ref().map(|way| (way.port, ""));
    (Cluster::over_redis(folders(), redis, &replicas).await, ways)
}

/// Chooses at both replicas in turn. What one acknowledges, both show.
async fn both_agree(cluster: &Cluster, session: &Session) {
    for (at, folder) in [(0, "one"), (1, "two"), (0, "two"), (1, "one")] {
        cluster.choose(&cluster.at(session, at), folder).await;
        for replica in 0..2 {
            assert_eq!(files(&cluster.at(session, replica)).await, [format!("{folder}.py")], "at {replica}");
        }
    }
}

/// The same for longer than an entry lives.
async fn both_agree_for_long(cluster: &Cluster, session: &Session) {
    let end = Instant::now() + TTL + Duration::from_secs(3);
    while Instant::now() < end {
        both_agree(cluster, session).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn replica_that_alone_is_cut_off_keeps_its_sessions() {
    let (mut cluster, ways) = two_ways().await;
    let session = cluster.session().await;
    let home = home(&cluster).await;
    // The other replica learns where the session lives.
    files(&cluster.at(&session, 1 - home)).await;
    ways[home].cut();
    both_agree_for_long(&cluster, &session).await;
    ways[home].lead_to(&cluster.redis);
    probes_answer(&cluster, StatusCode::OK).await;
    both_agree(&cluster, &session).await;
    assert_eq!(super::home(&cluster).await, home, "it moved");
    cluster.kill(home);
    assert_eq!(files(&cluster.at(&session, 1 - home)).await, ["one.py"]);
}

/// What is chosen while Redis cannot be reached is stored when it can, without another call, and outlives the replica.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn choice_during_an_outage_is_stored_after_it() {
    let (mut cluster, ways) = two_ways().await;
    let session = cluster.session().await;
    let home = home(&cluster).await;
    cluster.choose(&session, "one").await;
    for way in &ways {
        way.cut();
    }
    cluster.choose(&cluster.at(&session, home), "two").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    for way in &ways {
        way.lead_to(&cluster.redis);
    }
    let began = Instant::now();
    while !cluster.log(home).contains("is entered in the store again") {
        assert!(began.elapsed() < PATIENCE, "{}", cluster.log(home));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    cluster.kill(home);
    assert_eq!(files(&cluster.at(&session, 1 - home)).await, ["two.py"]);
}

/// The other replica reaches Redis first, when the entry of the home has expired.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_and_streams_of_living_replicas_outlast_an_outage() {
    let (cluster, ways) = two_ways().await;
    let session = cluster.session().await;
    let home = home(&cluster).await;
    let elsewhere = cluster.at(&session, 1 - home);
    let mut stream = elsewhere.listen().await;
    cluster.choose(&elsewhere, "two").await;
    for way in &ways {
        way.cut();
    }
    tokio::time::sleep(TTL + Duration::from_secs(2)).await;
    ways[1 - home].lead_to(&cluster.redis);
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end {
        for replica in 0..2 {
            assert_eq!(files(&cluster.at(&session, replica)).await, ["two.py"]);
        }
    }
    assert_eq!(super::home(&cluster).await, home, "it moved");
    ways[home].lead_to(&cluster.redis);
    probes_answer(&cluster, StatusCode::OK).await;
    assert_eq!(super::home(&cluster).await, home, "it moved");
    while let Ok(read) = tokio::time::timeout(Duration::from_secs(4), stream.chunk()).await {
        assert!(read.unwrap().is_some(), "the stream ended");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_go_on_while_redis_accepts_no_writes() {
    for (begin, end) in
        [("ACL SETUSER default -@write", "ACL SETUSER default +@all"), ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE")]
    {
        let (cluster, _ways) = two_ways().await;
        let session = cluster.session().await;
        cluster.choose(&session, "one").await;
        assert_eq!(cluster.redis.command(begin), "+OK");
        probes_answer(&cluster, StatusCode::SERVICE_UNAVAILABLE).await;
        both_agree_for_long(&cluster, &session).await;
        assert_eq!(cluster.redis.command(end), "+OK");
        probes_answer(&cluster, StatusCode::OK).await;
        both_agree(&cluster, &session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn session_that_is_opened_while_connections_break_is_known_to_both() {
    let (cluster, ways) = two_ways().await;
    for _ in 0..20 {
        // The connection was used a moment ago, so it is not tested before it is used again.
        ways[0].break_connections();
        let session = Session::open_at(&cluster.replicas[0].url, SESSION).await;
        cluster.choose(&cluster.at(&session, 1), "two").await;
        assert_eq!(files(&session).await, ["two.py"]);
    }
}

/// One line tells that sessions cannot be looked up, however many requests are refused.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn outage_is_logged_once() {
    let (cluster, ways) = two_ways().await;
    let session = cluster.session().await;
    let unknown = Session { id: "00000000-0000-4000-8000-000000000001".to_owned(), ..session };
    ways[0].cut();
    for _ in 0..50 {
        let refused = cluster.at(&unknown, 0).call("list_files", json!({"roots": ["."]})).await;
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{}", refused.raw);
    }
    tokio::time::sleep(Duration::from_secs(6)).await;
    ways[0].lead_to(&cluster.redis);
    let began = Instant::now();
    while cluster.at(&unknown, 0).call("list_files", json!({"roots": ["."]})).await.status != StatusCode::NOT_FOUND {
        assert!(began.elapsed() < PATIENCE);
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let log = cluster.log(0);
    for line in [
        "sessions cannot be looked up",
        "cannot be renewed",
        "the Redis server cannot be used; trying",
        "is entered in the store again",
    ] {
        assert_eq!(log.matches(line).count(), 1, "{line}: {log}");
    }
}
