//! A test page in a tab of a real Chromium, with a record of the events that the page received.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::{
    chromium::{ChromiumProcess, Launch},
    devtools::{
        Channel, EventStream,
        protocol::target::{AttachedToTarget, CreateBrowserContext, CreateTarget, SetAutoAttach},
    },
    emulate::viewport,
    tab::{Tab, TabSettings},
    target::Target,
};

/// Records every event of a kind that a person can cause in `seen`: its name, the id of its target, and `!` if it is
/// untrusted.
const RECORDER: &str = "<script>
  const seen = [];
  const kinds = 'pointerdown mousedown pointerup mouseup click dblclick auxclick contextmenu focusin keydown keyup \
    beforeinput input change submit dragstart dragenter drop dragend'.split(' ');
  for (const kind of kinds) {
    addEventListener(kind, (event) => {
      const at = event.composedPath()[0];
      seen.push(`${kind}${event.isTrusted ? '' : '!'}${at.id ? '@' + at.id : ''}`);
    }, true);
  }
</script>";

/// A page in a tab of its own Chromium, which ends with it.
pub(super) struct Page {
    pub(super) tab: Arc<Tab>,
    process: ChromiumProcess,
    pub(super) folder: tempfile::TempDir,
}

impl Page {
    /// Opens the page of the path `/`. In the bodies, `{other}` is replaced by the same site under its other name,
    /// which is another origin and therefore another process.
    pub(super) async fn with_pages(pages: &[(&'static str, &str)]) -> Self {
        let site = serve(pages).await;
        let process = ChromiumProcess::start(&Launch::default(), &[]).await.expect("Chromium starts");
        let (tab, events) = open(&process).await;
        // Popups attach here too; they wait until the debugger lets them run.
        tokio::spawn(drain(events, Channel::for_browser(Arc::clone(process.connection()))));
        tab.navigate(&format!("http://127.0.0.1:{site}/")).await.expect("the page loads");
        let folder = tempfile::tempdir().expect("a folder");
        Self { tab, process, folder }
    }

    /// Opens a page with this body.
    pub(super) async fn with_body(body: &str) -> Self {
        Self::with_pages(&[("/", body)]).await
    }

    /// Returns the value of an expression in the main frame, as JSON.
    pub(super) async fn value(&self, expression: &str) -> String {
        self.tab.evaluate(expression, None).await.expect("a value").json
    }

    /// Returns the events that the page received since the last call, without moves.
    pub(super) async fn seen(&self) -> String {
        let seen = self.value("seen.splice(0).join(' ')").await;
        serde_json::from_str(&seen).expect("a string")
    }

    /// Creates a file in the test's folder and returns its path.
    pub(super) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Ends Chromium. If a test fails before this call, Chromium ends with the test process.
    pub(super) async fn close(self) {
        self.process.kill().await;
    }
}

/// Returns the target with this selector.
pub(super) fn at(selector: &str) -> Target {
    Target::Written(selector.to_owned())
}

/// Returns the English text of an error's reason.
pub(super) fn reason<T: std::fmt::Debug, E: std::fmt::Display>(result: Result<T, E>) -> String {
    result.map_err(|error| error.to_string()).expect_err("an error")
}

async fn open(process: &ChromiumProcess) -> (Arc<Tab>, EventStream) {
    let browser = Channel::for_browser(Arc::clone(process.connection()));
    let mut events = browser.events();
    let attach = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true };
    browser.call(&attach).await.expect("attached");
    let context = CreateBrowserContext { dispose_on_detach: true };
    let browser_context_id = browser.call(&context).await.expect("a context").browser_context_id;
    let url = "about:blank".to_owned();
    let page = CreateTarget { url, browser_context_id };
    let made = browser.call(&page).await.expect("a page").target_id;
    loop {
        let event = events.recv().await.expect("an event");
        let attached = event.get::<AttachedToTarget>();
        if let Some(attached) = attached.filter(|it| it.target_info.target_id == made) {
            let channel = browser.with_session(attached.session_id);
            channel.send(&viewport(1280, 720));
            let settings = Arc::new(TabSettings::default());
            let tab = Tab::attach(channel, attached.target_info, settings).await.expect("a tab");
            return (tab, events);
        }
    }
}

async fn drain(mut events: EventStream, browser: Channel) {
    while let Some(event) = events.recv().await {
        if let Some(attached) = event.get::<AttachedToTarget>() {
            browser
                .with_session(attached.session_id)
                .send(&crate::devtools::protocol::runtime::RunIfWaitingForDebugger {});
        }
    }
}

/// Starts a site with one connection per request and returns its port.
async fn serve(pages: &[(&'static str, &str)]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let other = format!("http://localhost:{port}");
    let pages: HashMap<String, String> =
        pages.iter().map(|(path, body)| ((*path).to_owned(), body.replace("{other}", &other))).collect();
    let pages = Arc::new(pages);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let pages = Arc::clone(&pages);
            tokio::spawn(async move {
                let mut head = vec![0; 8 << 10];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]);
                let path = head.split(' ').nth(1).unwrap_or("/");
                let (status, body) = match pages.get(path) {
                    Some(body) => ("200 OK", format!("<!doctype html><meta charset=utf-8>{RECORDER}{body}")),
                    None => ("404 Not Found", String::new()),
                };
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    port
}
