//! Tests of a connection whose other end is the test itself, which sends Chromium's messages byte by byte.

use tokio::{io::AsyncWriteExt, net::unix::pipe, time::timeout};

use super::*;
use crate::devtools::{
    CallError, Connection, DevtoolsSessionId,
    protocol::{browser::GetVersion, page::GetFrameTree, target::AttachedToTarget},
};

/// The other end of the connection, in place of Chromium.
struct Peer {
    connection: Arc<Connection>,
    says: pipe::Sender,
    _hears: std::io::PipeReader,
}

impl Peer {
    fn new() -> Self {
        let (from, says) = std::io::pipe().expect("a pipe");
        let (hears, to) = std::io::pipe().expect("a pipe");
        Self {
            connection: Connection::open(from.into(), to.into()).expect("open"),
            says: pipe::Sender::from_owned_fd(says.into()).expect("a pipe"),
            _hears: hears,
        }
    }

    async fn say(&mut self, frame: impl AsRef<[u8]>) {
        self.says.write_all(frame.as_ref()).await.expect("said");
        self.says.write_all(&[0]).await.expect("said");
    }

    /// Attaches a session below another one, or below the browser.
    async fn attach(&mut self, parent: Option<&str>, session: &str) -> DevtoolsSessionId {
        let below = parent.map_or_else(String::new, |parent| format!(r#","sessionId":"{parent}""#));
        self.say(format!(
            r#"{{"method":"Target.attachedToTarget","params":{{"sessionId":"{session}","waitingForDebugger":false,
                "targetInfo":{{"targetId":"T","type":"page","title":"","url":""}}}}{below}}}"#
        ))
        .await;
        let parent = parent.map(|parent| DevtoolsSessionId(parent.to_owned()));
        let event = within(self.connection.events(parent.as_ref()).recv()).await.expect("told");
        event.get::<AttachedToTarget>().expect("an attachment").session_id
    }
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), work).await.expect("it ends")
}

#[tokio::test]
async fn calls_end_with_their_session_and_with_those_above_it() {
    let mut peer = Peer::new();
    let page = peer.attach(None, "page").await;
    let frame = peer.attach(Some("page"), "frame").await;
    let call = |session: Option<DevtoolsSessionId>| {
        let connection = Arc::clone(&peer.connection);
        tokio::spawn(async move { connection.call(session.as_ref(), &GetFrameTree {}).await.map(drop) })
    };
    let [of_page, of_frame] = [Some(page.clone()), Some(frame.clone())].map(call);
    let version = peer.connection.call(None, &GetVersion {});
    let said = async {
        // The two calls above have been sent before.
        tokio::task::yield_now().await;
        peer.says
            .write_all(b"{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"page\"}}\0")
            .await
            .expect("said");
        let ends = within(async { [of_page.await, of_frame.await] }).await;
        for end in ends {
            assert!(matches!(end.expect("a task"), Err(CallError::Gone { .. })));
        }
        for id in 1..=3 {
            let answer = format!("{{\"id\":{id},\"result\":{{\"product\":\"Chrome\"}}}}\0");
            peer.says.write_all(answer.as_bytes()).await.expect("said");
        }
    };
    let (version, ()) = within(async { tokio::join!(version, said) }).await;
    assert_eq!(version.expect("the browser answers still").product, "Chrome");
    let late = within(peer.connection.call(Some(&frame), &GetFrameTree {})).await;
    assert!(matches!(late, Err(CallError::Gone { .. })));
}

#[tokio::test]
async fn too_long_answer_is_an_error() {
    let mut peer = Peer::new();
    let version = peer.connection.call(None, &GetVersion {});
    let said = async {
        peer.says.write_all(b"{\"id\":1,\"result\":{\"product\":\"").await.expect("said");
        for _ in 0..65 {
            peer.says.write_all(&vec![b'x'; 1 << 20]).await.expect("said");
        }
        peer.says.write_all(b"\"}}\0").await.expect("said");
    };
    let (version, ()) = within(async { tokio::join!(version, said) }).await;
    assert!(version.is_err_and(|error| error.says("too long")));
    let version = peer.connection.call(None, &GetVersion {});
    let said = peer.says.write_all(b"{\"id\":2,\"result\":{\"product\":\"Chrome\"}}\0");
    let (version, said) = within(async { tokio::join!(version, said) }).await;
    said.expect("said");
    assert_eq!(version.expect("the next one").product, "Chrome");
}

#[tokio::test]
async fn what_a_page_writes_faster_than_it_is_read_is_dropped_and_nothing_else() {
    let mut peer = Peer::new();
    let page = peer.attach(None, "page").await;
    let mut events = peer.connection.events(Some(&page));
    for method in ["Runtime.consoleAPICalled", "Page.frameNavigated"] {
        for _ in 0..10_100 {
            peer.say(format!(r#"{{"method":"{method}","params":{{}},"sessionId":"page"}}"#)).await;
        }
    }
    peer.say(r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"page"}}"#).await;
    // The last message ends the session.
    within(peer.connection.call(Some(&page), &GetFrameTree {})).await.expect_err("gone");
    let (mut written, mut others) = (0, 0);
    while let Some(event) = within(events.recv()).await {
        let count = if &*event.method == "Page.frameNavigated" { &mut others } else { &mut written };
        *count += 1;
    }
    assert_eq!((written, others), (10_000, 10_100));
}
