//! Tests of the store on a Redis server only: a server that is away, slow, full or empty, or that denies access.

#![allow(clippy::disallowed_methods, reason = "a thread of a test waits")]

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::{SECOND, TestStore, redis_server::RedisServer};
use crate::store::{
    ExpectedState, Store as _, StoreError,
    redis::{KeySpace, RedisAddress, RedisStore, Timeouts},
};

/// The time-outs of the stores below: short, and long enough for a busy machine.
const TIMEOUTS: Timeouts = Timeouts { connect: SECOND, reply: SECOND };
/// The maximum duration of one operation with these time-outs.
const BOUND: Duration = Duration::from_secs(5);

fn store_at(url: &str, prefix: &str) -> RedisStore {
    let address = RedisAddress::parse(url).expect("valid");
    RedisStore::with(address, KeySpace::parse(prefix).expect("valid"), TIMEOUTS, None).expect("opens")
}

fn store(server: &RedisServer) -> RedisStore {
    store_at(&format!("redis://127.0.0.1:{}", server.port), "fumi")
}

async fn put(store: &RedisStore, key: &str, value: &str) -> Result<(), StoreError> {
    store.put(key, value.as_bytes().to_vec(), ExpectedState::Anything, None).await.map(drop)
}

async fn value(store: &RedisStore, key: &str) -> Option<String> {
    let entry = store.get(key).await.expect("readable")?;
    Some(String::from_utf8(entry.value).expect("text"))
}

/// Waits until a store can be used again.
async fn recovered(store: &RedisStore) {
    let began = Instant::now();
    while let Err(error) = put(store, "recovered", "").await {
        assert!(began.elapsed() < 4 * BOUND, "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn calls_fail_while_the_server_is_away_and_succeed_when_it_is_back() {
    let mut server = RedisServer::start(&[]);
    let store = store(&server);
    put(&store, "a", "1").await.expect("it is put");
    server.stop();
    for _ in 0..20 {
        let began = Instant::now();
        let away = put(&store, "a", "2").await;
        assert!(matches!(away, Err(StoreError::Unavailable { .. } | StoreError::ReplyLost { .. })), "{away:?}");
        assert!(matches!(store.get("a").await, Err(StoreError::Unavailable { .. })));
        assert!(matches!(store.lease("novel", "ann", SECOND).await, Err(StoreError::Unavailable { .. })));
        assert!(matches!(store.check().await, Err(StoreError::Unavailable { .. })));
        assert!(began.elapsed() < BOUND);
    }
    server.run();
    recovered(&store).await;
    tokio::time::sleep(SECOND).await;
    store.check().await.expect("the server is back");
    assert_eq!(value(&store, "a").await, None, "a server without a disk forgets");
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_connection_that_the_server_closed_while_idle_is_noticed_before_it_is_used() {
    let server = RedisServer::start(&[]);
    let store = store(&server);
    for round in 0..2 {
        put(&store, "a", &round.to_string()).await.expect("it is put");
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        assert!(server.command("CLIENT KILL TYPE normal").starts_with(':'));
    }
    put(&store, "a", "2").await.expect("on a new connection");
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_server_that_lost_its_data_repeats_neither_number_nor_version() {
    let server = RedisServer::start(&[]);
    let store = store(&server);
    let mut fence = 0;
    for round in 0..5 {
        let version = store.put("a", Vec::new(), ExpectedState::Anything, None).await.expect("it is put");
        let lease = store.lease("novel", "ann", SECOND * 60).await.expect("free");
        assert!(lease.fence > fence, "round {round}: {} after {fence}", lease.fence);
        fence = lease.fence;
        assert_eq!(server.command("FLUSHALL"), "+OK");
        assert!(matches!(store.renew(&lease, SECOND).await, Err(StoreError::Lost)));
        store.release(&lease).await.expect("nothing");
        let put = store.put("a", Vec::new(), ExpectedState::Version(version), None).await;
        assert!(matches!(put, Err(StoreError::Conflict)));
    }
    assert_eq!(server.command("SCRIPT FLUSH"), "+OK");
    put(&store, "a", "the scripts are sent again").await.expect("it is put");
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_full_server_says_so_and_changes_nothing() {
    let server = RedisServer::start(&["--maxmemory-policy", "noeviction"]);
    let store = store(&server);
    put(&store, "kept", "1").await.expect("it is put");
    let lease = store.lease("novel", "ann", SECOND * 60).await.expect("free");
    assert_eq!(server.command("CONFIG SET maxmemory 8mb"), "+OK");
    let large = "x".repeat(1 << 20);
    let mut filled = 0;
    let full = loop {
        match put(&store, &format!("large/{filled}"), &large).await {
            Ok(()) => filled += 1,
            Err(error) => break error,
        }
        assert!(filled < 20, "it has no limit");
    };
    assert!(matches!(full, StoreError::OutOfMemory), "{full:?}");
    assert_eq!(server.command("CONFIG SET maxmemory 4mb"), "+OK");
    let put_kept = put(&store, "kept", "2").await;
    assert!(matches!(put_kept, Err(StoreError::OutOfMemory)), "{put_kept:?}");
    assert_eq!(value(&store, "kept").await.as_deref(), Some("1"));
    let checked = store.check().await;
    assert!(matches!(checked, Err(StoreError::OutOfMemory)), "{checked:?}");
    // Renewals need no further memory.
    assert!(store.touch("kept", Some(SECOND * 60)).await.expect("extended"));
    let lease = store.renew(&lease, SECOND * 90).await.expect("renewed");
    assert_eq!(store.list("large/").await.expect("listed").keys.len(), filled);
    store.release(&lease).await.expect("a lease can be released on a full server");
    for at in 0..filled {
        assert!(store.delete(&format!("large/{at}"), ExpectedState::Anything).await.expect("answered"));
    }
    put(&store, "kept", "2").await.expect("there is room again");
    store.check().await.expect("there is room again");
    store.lease("novel", "bob", SECOND).await.expect("it was released");
}

/// After a failover the URL may still lead to the former primary, which is a replica by then.
#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_server_that_became_a_replica_is_not_ready() {
    let (server, primary) = (RedisServer::start(&[]), RedisServer::start(&[]));
    let store = store(&server);
    put(&store, "a", "1").await.expect("it is put");
    assert_eq!(server.command(&format!("REPLICAOF 127.0.0.1 {}", primary.port)), "+OK");
    let refused = put(&store, "a", "2").await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    let checked = store.check().await;
    assert!(matches!(checked, Err(StoreError::Unavailable { .. })), "{checked:?}");
    assert_eq!(server.command("REPLICAOF NO ONE"), "+OK");
    recovered(&store).await;
    store.check().await.expect("a primary again");
}

/// Passes connections on to a server; its answers are late by a time that the test sets. Returns the port.
fn slow_proxy(server: &RedisServer, delay_ms: Arc<AtomicU64>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let (port, behind) = (listener.local_addr().expect("known").port(), server.port);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = TcpStream::connect(("127.0.0.1", behind)).expect("the server runs");
            let mut requests = client.try_clone().expect("open");
            let mut to_server = server.try_clone().expect("open");
            thread::spawn(move || io::copy(&mut requests, &mut to_server));
            let (mut answers, mut to_client, delay_ms) = (server, client, Arc::clone(&delay_ms));
            thread::spawn(move || {
                let mut bytes = vec![0; 65_536];
                while let Ok(read @ 1..) = answers.read(&mut bytes) {
                    thread::sleep(Duration::from_millis(delay_ms.load(Ordering::SeqCst)));
                    if to_client.write_all(&bytes[..read]).is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_late_answer_is_an_error_and_no_other_call_gets_it() {
    let server = RedisServer::start(&[]);
    let delay_ms = Arc::new(AtomicU64::new(0));
    let port = slow_proxy(&server, Arc::clone(&delay_ms));
    let store = store_at(&format!("redis://127.0.0.1:{port}"), "fumi");
    put(&store, "a", "1").await.expect("it is put");
    put(&store, "b", "other").await.expect("it is put");
    let version = store.get("a").await.expect("readable").expect("there").version;

    delay_ms.store(3_000, Ordering::SeqCst);
    let began = Instant::now();
    let late = store.put("a", b"2".to_vec(), ExpectedState::Version(version), None).await;
    assert!(matches!(late, Err(StoreError::ReplyLost { .. })), "{late:?}");
    let late = store.get("b").await;
    assert!(matches!(late, Err(StoreError::Unavailable { .. })), "{late:?}");
    assert!(began.elapsed() < 2 * BOUND);

    delay_ms.store(0, Ordering::SeqCst);
    recovered(&store).await;
    // The change was made, once; who repeats it as it was finds out.
    assert_eq!(value(&store, "a").await.as_deref(), Some("2"));
    assert_eq!(value(&store, "b").await.as_deref(), Some("other"));
    let again = store.put("a", b"2".to_vec(), ExpectedState::Version(version), None).await;
    assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn credentials_are_checked_and_may_change_while_the_store_is_open() {
    let server = RedisServer::start(&["--requirepass", "canary-pw"]);
    let url = |credentials: &str| format!("redis://{credentials}127.0.0.1:{}/1", server.port);
    let right = store_at(&url(":canary-pw@"), "fumi");
    put(&right, "a", "1").await.expect("allowed");
    let no_database = format!("redis://:canary-pw@127.0.0.1:{}/99", server.port);
    let no_password = format!("redis://127.0.0.1:{}", server.port);
    for credentials in [&url(""), &url(":wrong@"), &url("ann:canary-pw@"), &no_password, &no_database] {
        let denied = store_at(credentials, "fumi").check().await;
        assert!(matches!(denied, Err(StoreError::Denied { .. })), "{credentials}: {denied:?}");
        assert!(!format!("{denied:?}").contains("canary"), "{denied:?}");
    }

    let admin = |line: &str| {
        let client = redis::Client::open(url(":canary-pw@")).expect("valid");
        let mut connection = client.get_connection().expect("allowed");
        let mut words = line.split(' ');
        let mut command = redis::cmd(words.next().expect("a word"));
        command.arg(words.collect::<Vec<_>>()).exec(&mut connection).expect("done");
    };
    admin("ACL SETUSER ann on >canary-two ~{fumi}:* +@all");
    let ann = store_at(&url("ann:canary-two@"), "fumi");
    put(&ann, "a", "2").await.expect("allowed");
    assert_eq!(value(&right, "a").await.as_deref(), Some("2"));
    let other = put(&store_at(&url("ann:canary-two@"), "other"), "a", "2").await;
    assert!(matches!(other, Err(StoreError::Denied { .. })), "{other:?}");

    // The categories that docs/deployment.md names.
    admin("ACL SETUSER ann -@all +@read +@write +@connection +@scripting +time +info");
    put(&ann, "a", "3").await.expect("allowed");
    assert_eq!(ann.list("").await.expect("allowed").keys, ["a"]);
    ann.check().await.expect("allowed");
    let reader = store_at(&url("ann:canary-two@"), "fumi");
    admin("ACL SETUSER ann -@write");
    for denied in [reader.check().await, put(&ann, "a", "4").await] {
        let Err(StoreError::Denied { detail }) = denied else { panic!("{denied:?}") };
        assert!(detail.ends_with("can't run this command or subcommand"), "{detail}");
    }
    assert_eq!(value(&reader, "a").await.as_deref(), Some("3"));

    admin("ACL SETUSER ann +@write off");
    admin("CLIENT KILL USER ann");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert!(matches!(put(&ann, "a", "3").await, Err(StoreError::Denied { .. })));
    admin("ACL SETUSER ann on");
    recovered(&ann).await;
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn stores_share_a_prefix_or_do_not_see_each_other() {
    let server = RedisServer::start(&[]);
    let url = format!("redis://127.0.0.1:{}", server.port);
    let (one, two, other) = (store_at(&url, "fumi"), store_at(&url, "fumi"), store_at(&url, "fumi2"));
    put(&one, "a", "1").await.expect("it is put");
    assert_eq!(value(&two, "a").await.as_deref(), Some("1"));
    assert_eq!(value(&other, "a").await, None);
    assert_eq!(other.list("").await.expect("listed").keys, [""; 0]);
    let lease = one.lease("novel", "ann", SECOND * 60).await.expect("free");
    assert!(matches!(two.lease("novel", "bob", SECOND).await, Err(StoreError::Held { .. })));
    assert!(other.lease("novel", "bob", SECOND).await.is_ok());
    two.release(&lease).await.expect("any process may release it");
    assert!(two.lease("novel", "bob", SECOND).await.expect("free").fence > lease.fence);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn expiry_follows_the_clock_of_the_server_and_frees_its_memory() {
    let server = RedisServer::start(&[]);
    let store = store(&server);
    let hour = SECOND * 3_600;
    store.put("a", Vec::new(), ExpectedState::Anything, Some(hour)).await.expect("it is put");
    let lease = store.lease("novel", "ann", hour).await.expect("free");
    let expires = store.get("a").await.expect("readable").expect("there").expires.expect("it expires");
    for expires in [expires, lease.expires] {
        let left = expires.duration_since(SystemTime::now()).expect("later");
        assert!(left.abs_diff(hour) < SECOND * 60, "{left:?}");
    }
    let left_ms = |key: &str| -> u64 { server.command(&format!("PTTL {key}"))[1..].parse().expect("a number") };
    let (entry, lease_key) = (left_ms("{fumi}:e:a"), left_ms("{fumi}:l:novel"));
    assert!((3_600_000..=3_660_000).contains(&entry), "{entry}");
    assert!((80_000_000..=90_000_000).contains(&lease_key), "{lease_key}");
    assert!(store.touch("a", None).await.expect("answered"));
    assert_eq!(server.command("PTTL {fumi}:e:a"), ":-1");

    store.put("b", Vec::new(), ExpectedState::Anything, Some(SECOND / 10)).await.expect("it is put");
    store.put("forever", Vec::new(), ExpectedState::Anything, Some(Duration::MAX)).await.expect("it is put");
    tokio::time::sleep(SECOND / 5).await;
    assert_eq!(value(&store, "b").await, None);
    assert_eq!(store.sweep().await.expect("swept").expired, 1);
    assert_eq!(server.command("EXISTS {fumi}:e:b"), ":0");
    assert_eq!(store.list("").await.expect("listed").keys, ["a", "forever"]);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn listing_and_sweeping_go_on_after_the_first_page() {
    let rig = TestStore::redis();
    let mut expected = Vec::new();
    for at in 0..2_500 {
        let key = format!("k/{at:05}");
        rig.put_for(&key, "", (at % 5 != 0).then_some(SECOND)).await;
        if at % 5 == 0 {
            expected.push(key);
        }
    }
    assert_eq!(rig.keys("k/").await.len(), 2_500);
    rig.advance(SECOND);
    assert_eq!(rig.keys("k/").await, expected);
    assert_eq!(rig.store.sweep().await.expect("swept").expired, 2_000);
    assert_eq!(rig.keys("").await, expected);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_key_of_another_program_is_an_error() {
    let server = RedisServer::start(&[]);
    let store = store(&server);
    assert_eq!(server.command("SET {fumi}:e:a something"), "+OK");
    assert_eq!(server.command("HSET {fumi}:e:b value x version y expires z"), ":3");
    for key in ["a", "b"] {
        assert!(matches!(store.get(key).await, Err(StoreError::Unavailable { .. })), "{key}");
    }
    assert!(put(&store, "a", "1").await.is_err());
    assert_eq!(server.command("GET {fumi}:e:a"), "$9", "it was overwritten");
}
