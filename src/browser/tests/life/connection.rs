//! A connection whose other end is this test: what Chromium would say, byte by byte.

use tokio::{io::AsyncWriteExt, net::unix::pipe, time::timeout};

use super::*;
use crate::devtools::{
    CallError, Connection, SessionId,
    protocol::{browser::GetVersion, page::GetFrameTree, target::AttachedToTarget},
};

/// The other end.
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

    /// A session begins below another one, or below the browser.
    async fn attach(&mut self, parent: Option<&str>, session: &str) -> SessionId {
        let below = parent.map_or_else(String::new, |parent| format!(r#","sessionId":"{parent}""#));
        self.say(format!(
            r#"{{"method":"Target.attachedToTarget","params":{{"sessionId":"{session}","waitingForDebugger":false,
                "targetInfo":{{"targetId":"T","type":"page","title":"","url":""}}}}{below}}}"#
        ))
        .await;
        let parent = parent.map(|parent| SessionId(parent.to_owned()));
        let event = within(self.connection.events(parent.as_ref()).recv())
            .await
            .expect("told");
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
    let call = |session: Option<SessionId>| {
        let connection = Arc::clone(&peer.connection);
        tokio::spawn(async move { connection.call(session.as_ref(), &GetFrameTree {}).await.map(drop) })
    };
    let [of_page, of_frame] = [Some(page.clone()), Some(frame.clone())].map(call);
    let version = peer.connection.call(None, &GetVersion {});
    let said = async {
        // The two above have asked before.
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
