//! Replicas that cannot reach Redis, or cannot write there, while each still runs: no session moves, and none is served twice.

use std::{
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

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

/// Waits until a replica has logged a line.
async fn logs(cluster: &Cluster, replica: usize, line: &str) {
    let began = Instant::now();
    while !cluster.log(replica).contains(line) {
        assert!(began.elapsed() < PATIENCE, "{line}: {}", cluster.log(replica));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Returns two replicas, and a session of one whose entry has expired, because that alone is cut off from Redis.
async fn home_is_cut_off(chosen: &str) -> (Cluster, [RedisRoute; 2], Session, usize) {
    let (cluster, ways) = two_ways().await;
    let session = cluster.session().await;
    let home = home(&cluster).await;
    cluster.choose(&session, chosen).await;
    // The other replica learns where the session lives.
    files(&cluster.at(&session, 1 - home)).await;
    ways[home].cut();
    tokio::time::sleep(TTL + Duration::from_secs(1)).await;
    (cluster, ways, session, home)
}

/// Fills the queue of connections that a stopped replica does not accept.
fn fill_queue(cluster: &Cluster, replica: usize) -> Vec<TcpStream> {
    let address = cluster.replicas[replica].url.trim_start_matches("http://").trim_end_matches("/mcp");
    let address: SocketAddr = address.parse().unwrap();
    let waiting: Vec<_> =
        (0..5_000).map_while(|_| TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok()).collect();
    assert!(waiting.len() < 5_000, "the queue has no end");
    waiting
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
    logs(&cluster, home, "is entered in the store again").await;
    cluster.kill(home);
    assert_eq!(files(&cluster.at(&session, 1 - home)).await, ["two.py"]);
}

/// The home accepts no connection while the other replica asks whether it lives.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn home_that_is_cut_off_and_stops_for_a_moment_keeps_its_sessions() {
    let (cluster, ways, session, home) = home_is_cut_off("one").await;
    cluster.signal(home, "-STOP");
    let waiting = fill_queue(&cluster, home);
    let elsewhere = cluster.at(&session, 1 - home);
    let asked = tokio::spawn(async move { files(&elsewhere).await });
    tokio::time::sleep(Duration::from_millis(4_600)).await;
    cluster.signal(home, "-CONT");
    drop(waiting);
    assert_eq!(asked.await.unwrap(), ["one.py"]);
    both_agree(&cluster, &session).await;
    ways[home].lead_to(&cluster.redis);
    probes_answer(&cluster, StatusCode::OK).await;
    assert_eq!(super::home(&cluster).await, home, "it moved");
}

/// A home that cannot know any more whether it has its sessions leaves them to the replicas that reach Redis.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn sessions_of_a_home_that_is_cut_off_and_was_stopped_go_on_at_another() {
    let (cluster, ways, session, home) = home_is_cut_off("two").await;
    cluster.signal(home, "-STOP");
    tokio::time::sleep(Duration::from_secs(9)).await;
    cluster.signal(home, "-CONT");
    let elsewhere = cluster.at(&session, 1 - home);
    assert_eq!(files(&elsewhere).await, ["two.py"]);
    cluster.choose(&elsewhere, "one").await;
    assert!(cluster.log(1 - home).contains("takes a session over"), "{}", cluster.log(1 - home));
    ways[home].lead_to(&cluster.redis);
    logs(&cluster, home, "is entered in the store again").await;
    both_agree(&cluster, &session).await;
}

/// Returns the sessions of one replica over a way that was cut while each of their clients chose `two`.
async fn chosen_while_cut(number: usize) -> (Cluster, [RedisRoute; 2], Vec<Session>) {
    let (cluster, ways) = two_ways().await;
    let mut sessions = Vec::new();
    for _ in 0..number {
        sessions.push(Session::open_at(&cluster.replicas[0].url, SESSION).await);
    }
    ways[0].cut();
    tokio::time::sleep(Duration::from_secs(3)).await;
    for session in &sessions {
        cluster.choose(session, "two").await;
    }
    (cluster, ways, sessions)
}

/// What was not stored when Redis was lost once more is stored when it is back.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn choices_of_an_outage_are_stored_after_another_outage() {
    let (mut cluster, ways, sessions) = chosen_while_cut(100).await;
    ways[0].delay(Duration::from_millis(20));
    ways[0].lead_to(&cluster.redis);
    tokio::time::sleep(Duration::from_secs(4)).await;
    // Shorter than the interval of renewals: none fails.
    ways[0].cut();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!cluster.log(0).contains("is entered in the store again"), "too fast to be interrupted");
    ways[0].delay(Duration::ZERO);
    ways[0].lead_to(&cluster.redis);
    logs(&cluster, 0, "is entered in the store again").await;
    cluster.kill(0);
    for session in &sessions {
        assert_eq!(files(&cluster.at(session, 1)).await, ["two.py"]);
    }
}

/// The entry of a replica that checks its sessions for longer than an entry lives does not expire meanwhile.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn entry_is_renewed_while_many_sessions_are_checked() {
    let (cluster, ways, _sessions) = chosen_while_cut(100).await;
    ways[0].delay(Duration::from_millis(35));
    ways[0].lead_to(&cluster.redis);
    let began = Instant::now();
    logs(&cluster, 0, "is entered in the store again").await;
    assert!(began.elapsed() > TTL, "too fast for the entry to expire");
    tokio::time::sleep(Duration::from_secs(6)).await;
    let log = cluster.log(0);
    assert!(!log.contains("was removed"), "{log}");
    assert_eq!(log.matches("is entered in the store again").count(), 1, "{log}");
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
