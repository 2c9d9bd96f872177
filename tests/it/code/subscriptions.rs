//! Subscriptions over HTTP in both eras, on real files: who is notified, of which resources, how often, and how it
//! ends.
//!
//! The absence of a notification is shown by a later one: a marker file is changed twice, so a notification of an
//! earlier change would arrive in between.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use reqwest::Response;
use serde_json::{Value, json};

use crate::{
    harness::{SESSION, STATELESS, Server, Session, Stateless, next_id},
    sample::Sample,
};

/// Far longer than a change needs, so that a failing test ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// The URI of the marker file.
const MARKER: &str = "code://file/marker.txt";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Session,
    Stateless,
}

const ERAS: [Era; 2] = [Era::Session, Era::Stateless];

/// A stream of notifications.
struct Told {
    response: Response,
    rest: String,
    /// Keeps the session open.
    session: Option<Session>,
}

impl Told {
    /// Subscribes a client of an era to some URIs, and to the marker.
    async fn subscribe(server: &Server, era: Era, uris: &[&str]) -> Self {
        let mut uris = uris.to_vec();
        uris.push(MARKER);
        match era {
            Era::Session => {
                let session = Session::open(server).await;
                let told = Self::of(session.listen().await, Some(session.clone()));
                for uri in uris {
                    let answer = session.request("resources/subscribe", json!({"uri": uri})).await;
                    assert!(answer.result().is_object(), "{}", answer.raw);
                }
                told
            }
            Era::Stateless => {
                let mut told = Self::of(listen(server, json!({"resourceSubscriptions": uris})).await, None);
                let confirmed = told.message().await.unwrap();
                assert_eq!(confirmed["method"], "notifications/subscriptions/acknowledged", "{confirmed}");
                assert_eq!(confirmed["params"]["notifications"], json!({"resourceSubscriptions": uris}));
                told
            }
        }
    }

    fn of(response: Response, session: Option<Session>) -> Self {
        assert!(response.status().is_success(), "{}", response.status());
        Self { response, rest: String::new(), session }
    }

    /// Returns the next message, or `None` at the end of the stream.
    async fn message(&mut self) -> Option<Value> {
        loop {
            while let Some(end) = self.rest.find('\n') {
                let line: String = self.rest.drain(..=end).collect();
                let message = line.trim().strip_prefix("data:").and_then(|data| serde_json::from_str(data).ok());
                if message.is_some() {
                    return message;
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await;
            match chunk.expect("no notification arrived") {
                Ok(Some(chunk)) => self.rest.push_str(&String::from_utf8_lossy(&chunk)),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Returns the next URI that is reported as changed.
    async fn updated(&mut self) -> String {
        let message = self.message().await.expect("the stream ended");
        assert_eq!(message["method"], "notifications/resources/updated", "{message}");
        message["params"]["uri"].as_str().unwrap().to_owned()
    }

    /// Returns the notifications until the marker has been changed twice, without the marker's.
    async fn rest(&mut self, sample: &Sample) -> Vec<String> {
        let mut others = Vec::new();
        for _ in 0..2 {
            sample.file("marker.txt", next_id().to_string());
            loop {
                let uri = self.updated().await;
                if uri == MARKER {
                    break;
                }
                others.push(uri);
            }
        }
        others
    }
}

async fn listen(server: &Server, notifications: Value) -> Response {
    let params = json!({"notifications": notifications});
    let request = Stateless::new(server).prepare(next_id(), "subscriptions/listen", None, params);
    request.send().await.unwrap()
}

fn project() -> Sample {
    let sample = Sample::empty();
    sample
        .file("marker.txt", "0")
        .file("a.txt", "1\n")
        .file("other.txt", "1\n")
        .file("dir/deep.txt", "1\n")
        .file(".gitignore", "ignored/\n")
        .file(".git/HEAD", "x")
        .file("ignored/i.txt", "1\n");
    symlink("a.txt", sample.root().join("link.txt")).unwrap();
    symlink("dir", sample.root().join("way")).unwrap();
    sample
}

async fn begun(server: &Server, wanted: usize) {
    let all = async {
        while server.edge.sessions.subscriptions().live() != wanted {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, all).await.expect("a subscription does not begin");
}

async fn ended(server: &Server) {
    let over = async {
        while server.edge.sessions.subscriptions().live() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, over).await.expect("the subscription did not end");
}

type Change = (&'static str, &'static str, fn(&Path));

/// The subscribed URIs, and how they change.
const CHANGES: &[Change] = &[
    ("edit", "a.txt", |root| fs::write(root.join("a.txt"), "2\n").unwrap()),
    ("the same content again", "a.txt", |root| {
        fs::write(root.join("a.txt"), "2\n").unwrap();
    }),
    ("delete", "a.txt", |root| fs::remove_file(root.join("a.txt")).unwrap()),
    ("create", "a.txt", |root| fs::write(root.join("a.txt"), "3\n").unwrap()),
    ("rename over", "a.txt", |root| {
        fs::write(root.join("temporary"), "4\n").unwrap();
        fs::rename(root.join("temporary"), root.join("a.txt")).unwrap();
    }),
    ("rename away", "a.txt", |root| {
        fs::rename(root.join("a.txt"), root.join("b.txt")).unwrap();
    }),
    ("rename back", "a.txt", |root| {
        fs::rename(root.join("b.txt"), root.join("a.txt")).unwrap();
    }),
    ("an ignored file", "ignored/i.txt", |root| {
        fs::write(root.join("ignored/i.txt"), "2\n").unwrap();
    }),
    ("the target of a link", "link.txt", |root| {
        fs::write(root.join("a.txt"), "5\n").unwrap();
    }),
    ("a link itself", "link.txt", |root| {
        symlink("other.txt", root.join("link.new")).unwrap();
        fs::rename(root.join("link.new"), root.join("link.txt")).unwrap();
    }),
    ("through a linked folder", "way/deep.txt", |root| {
        fs::write(root.join("dir/deep.txt"), "2\n").unwrap();
    }),
    ("a folder in which nothing was", "new/folder/c.txt", |root| {
        fs::create_dir_all(root.join("new/folder")).unwrap();
        fs::write(root.join("new/folder/c.txt"), "1\n").unwrap();
    }),
    ("the folder moved away", "dir/deep.txt", |root| {
        fs::rename(root.join("dir"), root.join("gone")).unwrap();
    }),
    ("the folder came back", "dir/deep.txt", |root| {
        fs::rename(root.join("gone"), root.join("dir")).unwrap();
    }),
    ("the folder deleted", "dir/deep.txt", |root| {
        fs::remove_dir_all(root.join("dir")).unwrap();
    }),
    ("fumi's own folder", ".fumi/output/o.json", |root| {
        fs::create_dir_all(root.join(".fumi/output")).unwrap();
        fs::write(root.join(".fumi/output/o.json"), "1\n").unwrap();
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_change_is_notified_once() {
    let told_once = async |era| {
        let sample = project();
        let server = Server::start(sample.app()).await;
        for (name, path, change) in CHANGES {
            let uri = format!("code://file/{path}");
            let mut told = Told::subscribe(&server, era, &[&uri]).await;
            change(&sample.root());
            assert_eq!(told.updated().await, uri, "{era:?}: {name}");
            assert_eq!(told.rest(&sample).await, Vec::<String>::new(), "{era:?}: {name} is notified again");
        }
    };
    tokio::join!(told_once(Era::Session), told_once(Era::Stateless));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_is_notified_once() {
    for era in ERAS {
        let sample = project();
        let server = Server::start(sample.app_with(&[], |config| config.resources.settle_ms = 400)).await;
        let mut told = Told::subscribe(&server, era, &["code://file/a.txt"]).await;
        for n in 0..50 {
            sample.file("a.txt", n.to_string());
            if n % 10 == 0 {
                // A call reads the same queue, without taking notifications from subscribers.
                let listed = Stateless::new(&server).call("list_files", json!({"roots": ["."]})).await;
                assert!(!listed.called().2);
            }
        }
        assert_eq!(told.updated().await, "code://file/a.txt", "{era:?}");
        assert_eq!(told.rest(&sample).await, Vec::<String>::new(), "{era:?}: a burst is notified again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_files_other_sessions_and_outside_files_are_not_notified() {
    for era in ERAS {
        let sample = project();
        symlink(sample.outside().join("later"), sample.root().join("out.txt")).unwrap();
        let server = Server::start(sample.app()).await;
        let mut told = Told::subscribe(&server, era, &["code://file/a.txt", "code://file/out.txt"]).await;
        let mut neighbour = Told::subscribe(&server, era, &["code://file/other.txt"]).await;
        sample.file("other.txt", "2\n").file("a.txt.bak", "1").file("dir/a.txt", "1");
        fs::write(sample.outside().join("later"), "1").unwrap();
        assert_eq!(told.rest(&sample).await, Vec::<String>::new(), "{era:?}");
        // The neighbour is notified of its own file, and of the marker that both watch.
        while neighbour.updated().await != "code://file/other.txt" {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsubscribed_client_is_not_notified() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let mut told = Told::subscribe(&server, Era::Session, &["code://file/a.txt"]).await;
    let session = told.session.clone().unwrap();
    for _ in 0..2 {
        // A second subscription to the same URI does not count.
        let answer = session.request("resources/subscribe", json!({"uri": "code://file/a.txt"})).await;
        assert!(answer.result().is_object(), "{}", answer.raw);
    }
    sample.file("a.txt", "2\n");
    assert_eq!(told.updated().await, "code://file/a.txt");
    assert_eq!(told.rest(&sample).await, Vec::<String>::new());
    for _ in 0..2 {
        let answer = session.request("resources/unsubscribe", json!({"uri": "code://file/a.txt"})).await;
        assert!(answer.result().is_object(), "{}", answer.raw);
    }
    sample.file("a.txt", "3\n");
    assert_eq!(told.rest(&sample).await, Vec::<String>::new());
}

/// One change at once: a file that is moved in whole, or deleted. Writing would be two changes, and the marker's
/// changes follow so closely that a check may come between them.
fn replace(sample: &Sample, path: &str, content: Option<&str>) {
    let (new, at) = (sample.outside().join("new"), sample.root().join(path));
    match content {
        Some(content) => {
            fs::write(&new, content).unwrap();
            fs::rename(&new, at).unwrap();
        }
        None => fs::remove_file(at).unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_notified_of_every_counted_file_and_of_no_other() {
    let told_once = async |era| {
        let sample = project();
        // The statistics would count the marker too, so it is ignored.
        sample.file(".ignore", "marker.txt\n");
        let server = Server::start(sample.app()).await;
        for stats in ["overview", "languages", "complexity", "files"] {
            let uri = format!("code://stats/{stats}");
            let mut told = Told::subscribe(&server, era, &[&uri]).await;
            sample.file("ignored/i.txt", next_id().to_string()).file(".git/index", next_id().to_string());
            assert_eq!(
                told.rest(&sample).await,
                Vec::<String>::new(),
                "{era:?}: {uri} was notified of a file that it does not count"
            );
            for (path, content) in [
                ("other.txt", Some("2\n")),
                ("dir/new.py", Some("x = 1\n")),
                ("dir/new.py", None),
                (".gitignore", Some("ignored/\nother.txt\n")),
                (".gitignore", Some("ignored/\n")),
            ] {
                replace(&sample, path, content);
                assert_eq!(told.updated().await, uri, "{era:?}");
                assert_eq!(
                    told.rest(&sample).await,
                    Vec::<String>::new(),
                    "{era:?}: {uri} was notified of {path} again"
                );
            }
        }
    };
    tokio::join!(told_once(Era::Session), told_once(Era::Stateless));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_without_subscriptions_is_explained() {
    let sample = project();
    let outside = sample.outside();
    symlink(&outside, sample.root().join("elsewhere")).unwrap();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    for (uri, said) in [
        ("code://file/../outside/x", "'..'"),
        ("code://file//etc/passwd", "outside the project"),
        ("code://file/elsewhere/later.txt", "outside the project"),
        ("code://file/dir", "a regular file is required"),
        ("code://file/a.txt?project_root=/etc", "not allowed"),
        ("code://stats/nope", "overview, languages, complexity, files"),
        ("file:///etc/passwd", "code://file/PATH"),
    ] {
        let answer = session.request("resources/subscribe", json!({"uri": uri})).await;
        let error = answer.error();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said), "{uri}: {message}");
        assert!(error["data"]["code"].is_string(), "{uri}: {error}");
        // The stateless era confirms the accepted URIs, and ends with the reason if there are none.
        let mut told = Told::of(listen(&server, json!({"resourceSubscriptions": [uri]})).await, None);
        let confirmed = told.message().await.unwrap();
        assert_eq!(confirmed["params"]["notifications"], json!({}), "{uri}: {confirmed}");
        let end = told.message().await.unwrap();
        assert!(end["error"]["message"].as_str().unwrap().contains(said), "{uri}: {end}");
        assert_eq!(told.message().await, None);
    }
    assert_eq!(server.edge.sessions.subscriptions().live(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_are_bounded() {
    let sample = project();
    let server = Server::start(sample.app_with(&[], |config| {
        config.resources.subscriptions = 3;
        config.resources.streams = 2;
    }))
    .await;
    let uris = ["code://file/a.txt", "code://file/other.txt"];
    let told = Told::subscribe(&server, Era::Session, &uris).await;
    let session = told.session.clone().unwrap();
    let one_more = json!({"uri": "code://file/dir/deep.txt"});
    let answer = session.request("resources/subscribe", one_more.clone()).await;
    let error = answer.error();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("3 resources") && message.contains("code://stats/files"), "{message}");
    assert_eq!(error["data"]["code"], "TOO_MANY_SUBSCRIPTIONS");
    // Another session has its own limit, and a subscription that was ended makes room for another.
    let neighbour = Session::open(&server).await;
    assert!(neighbour.request("resources/subscribe", one_more.clone()).await.result().is_object());
    session.request("resources/unsubscribe", json!({"uri": uris[0]})).await;
    assert!(session.request("resources/subscribe", one_more).await.result().is_object());
    // The server reports which of the requested URIs a stream gets.
    let many: Vec<_> = (0..5).map(|n| format!("code://file/f{n}.txt")).collect();
    let mut first = Told::of(listen(&server, json!({"resourceSubscriptions": many})).await, None);
    let confirmed = first.message().await.unwrap();
    assert_eq!(confirmed["params"]["notifications"]["resourceSubscriptions"], json!(many[..3]));
    let _second = Told::subscribe(&server, Era::Stateless, &[]).await;
    let mut third = Told::of(listen(&server, json!({"resourceSubscriptions": [MARKER]})).await, None);
    third.message().await.unwrap();
    let end = third.message().await.unwrap();
    assert!(end["error"]["message"].as_str().unwrap().contains("2 streams"), "{end}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_ends_with_its_session_and_with_its_stream() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let told = Told::subscribe(&server, Era::Session, &["code://stats/files"]).await;
    begun(&server, 2).await;
    assert!(told.session.as_ref().unwrap().end().await.is_success());
    ended(&server).await;
    let told = Told::subscribe(&server, Era::Stateless, &["code://stats/files"]).await;
    begun(&server, 2).await;
    drop(told);
    ended(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_end_is_the_subscriptions_end() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let mut session = Told::subscribe(&server, Era::Session, &[]).await;
    let params = json!({"notifications": {"resourceSubscriptions": [MARKER]}});
    let request = Stateless::new(&server).prepare(4711, "subscriptions/listen", None, params);
    let mut stream = Told::of(request.send().await.unwrap(), None);
    stream.message().await.unwrap();
    let streams = std::sync::Arc::clone(&server.edge.sessions);
    let stopping = tokio::spawn(server.stop());
    // It ends with a result, which shows that the server ended it and not the network.
    let end = stream.message().await.expect("a result");
    assert_eq!(end["id"], 4711, "{end}");
    assert_eq!(end["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 4711, "{end}");
    assert_eq!(stream.message().await, None);
    assert_eq!(session.message().await, None);
    stopping.await.unwrap();
    assert_eq!(streams.subscriptions().live(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_takes_its_subscriptions_into_its_next_project() {
    let sample = Sample::empty();
    sample.file("marker.txt", "0").file("a.txt", "outer").file("inner/a.txt", "inner").file("inner/marker.txt", "0");
    let server = Server::start(sample.app()).await;
    let root = sample.root();
    let pinned = format!("code://file/a.txt?project_root={}", root.display());
    let mut told = Told::subscribe(&server, Era::Session, &["code://file/a.txt", &pinned]).await;
    let session = told.session.clone().unwrap();
    let chosen = session.call("set_project_path", json!({"project_path": root.join("inner")})).await;
    assert!(!chosen.called().2, "{}", chosen.raw);
    // Its URIs now refer to other files.
    let mut moved = [told.updated().await, told.updated().await];
    moved.sort();
    assert_eq!(moved, ["code://file/a.txt", MARKER]);
    sample.file("inner/a.txt", "2");
    assert_eq!(told.updated().await, "code://file/a.txt");
    sample.file("a.txt", "2");
    assert_eq!(told.updated().await, pinned);
    sample.file("inner/marker.txt", "1");
    assert_eq!(told.updated().await, MARKER);
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_capabilities_are_implemented() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    let discovered = Stateless::new(&server).request("server/discover", json!({})).await;
    for capabilities in [&session.initialized["capabilities"], &discovered.result()["capabilities"]] {
        assert_eq!(capabilities["resources"], json!({"subscribe": true}));
    }
    // Lists do not change, so the server does not promise notifications of them.
    let lists = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let mut told = Told::of(listen(&server, lists).await, None);
    let confirmed = told.message().await.unwrap();
    assert_eq!(confirmed["params"]["notifications"], json!({}), "{confirmed}");
    // Each era subscribes in its own way.
    let answer = Stateless::new(&server).request("resources/subscribe", json!({"uri": MARKER})).await;
    assert_eq!(answer.error()["code"], -32601);
    let listen = json!({"notifications": {"resourceSubscriptions": [MARKER]}});
    assert_eq!(session.request("subscriptions/listen", listen).await.error()["code"], -32601);
}

/// The one client of standard input and output is notified in both eras too.
#[test]
fn over_standard_input_and_output() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let hello = json!({"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let in_session = vec![
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": MARKER}}),
    ];
    let listen = json!({"notifications": {"resourceSubscriptions": [MARKER]}, "_meta": meta});
    let stateless = vec![json!({"jsonrpc": "2.0", "id": 2, "method": "subscriptions/listen", "params": listen})];
    for (messages, confirmed) in
        [(in_session, r#""id":2,"result":{}"#), (stateless, "notifications/subscriptions/acknowledged")]
    {
        let sample = project();
        let mut fumi = Command::new(env!("CARGO_BIN_EXE_fumi"))
            .args(["stdio", "--root"])
            .arg(sample.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = fumi.stdin.take().unwrap();
        let mut lines = BufReader::new(fumi.stdout.take().unwrap()).lines();
        for message in messages {
            writeln!(input, "{message}").unwrap();
        }
        let mut until = |said: &str| lines.find(|line| line.as_ref().unwrap().contains(said)).unwrap().unwrap();
        until(confirmed);
        sample.file("marker.txt", "1");
        let told: Value = serde_json::from_str(&until("notifications/resources/updated")).unwrap();
        assert_eq!(told["params"]["uri"], MARKER);
        drop(input);
        assert!(fumi.wait().unwrap().success());
    }
}
