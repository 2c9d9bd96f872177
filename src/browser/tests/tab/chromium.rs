//! A real Chromium with one tab, for one test.

use std::{path::PathBuf, process::Stdio, sync::Arc};

use command_fds::{CommandFdExt, FdMapping};
use serde::Serialize;
use tokio::process::Child;

use crate::{
    chromium::{Launch, find},
    devtools::{
        Channel, Connection, EmptyReply, ProtocolCommand,
        protocol::{
            runtime::EvaluateExpression,
            target::{AttachedToTarget, CreateBrowserContext, CreateTarget, SetAutoAttach},
        },
    },
    errors::BrowserError,
    tab::{Tab, TabSettings},
};

pub(super) struct Chromium {
    pub(super) tab: Arc<Tab>,
    connection: Arc<Connection>,
    _child: Child,
    folder: tempfile::TempDir,
}

impl Chromium {
    pub(super) async fn new() -> Self {
        Self::with(TabSettings::default()).await
    }

    /// Starts Chromium with these settings. Downloads go to [`Chromium::downloads`].
    pub(super) async fn with(mut settings: TabSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let downloads = folder.path().join("downloads");
        std::fs::create_dir(&downloads).unwrap();
        settings.downloads = Some(downloads);
        let (to_chromium, to) = std::io::pipe().unwrap();
        let (from, from_chromium) = std::io::pipe().unwrap();
        let mut command = tokio::process::Command::new(find(&Launch::default()).expect("Chromium").0);
        command.args("--headless --no-sandbox --disable-gpu --remote-debugging-pipe --no-startup-window".split(' '));
        command.args(
            "--no-first-run --disable-background-networking --disable-dev-shm-usage --mute-audio --site-per-process"
                .split(' '),
        );
        command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let mapped = |parent_fd, child_fd| FdMapping { parent_fd, child_fd };
        command.fd_mappings(vec![mapped(to_chromium.into(), 3), mapped(from_chromium.into(), 4)]).unwrap();
        let child = command.spawn().unwrap();
        drop(command);
        let connection = Connection::open(from.into(), to.into()).unwrap();
        let browser = Channel::for_browser(Arc::clone(&connection));
        let mut events = browser.events();
        let auto = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true };
        browser.call(&auto).await.unwrap();
        let context = CreateBrowserContext { dispose_on_detach: true };
        let browser_context_id = browser.call(&context).await.unwrap().browser_context_id;
        let url = "about:blank".to_owned();
        let made = browser.call(&CreateTarget { url, browser_context_id }).await.unwrap().target_id;
        let attached = loop {
            let event = events.recv().await.unwrap();
            if let Some(attached) = event.get::<AttachedToTarget>().filter(|it| it.target_info.target_id == made) {
                break attached;
            }
        };
        // Other targets, such as popups, are ignored.
        tokio::spawn(async move { while events.recv().await.is_some() {} });
        let channel = browser.with_session(attached.session_id);
        let tab = Tab::attach(channel, attached.target_info, Arc::new(settings)).await.unwrap();
        Self { tab, connection, _child: child, folder }
    }

    pub(super) fn downloads(&self) -> PathBuf {
        self.folder.path().join("downloads")
    }

    /// Evaluates an expression in the page's own world as a user gesture, and waits until the page has settled.
    pub(super) async fn act(&self, expression: &str) -> Result<(), BrowserError> {
        let expression = format!("void ({expression})");
        let act = EvaluateExpression { expression, user_gesture: true, ..EvaluateExpression::default() };
        self.tab.acting(async { Ok(self.tab.page().call(&act).await.map(drop)?) }).await
    }

    /// Returns the value of an expression in the page's own world, as JSON.
    pub(super) async fn value(&self, expression: &str) -> String {
        let evaluate = EvaluateExpression {
            expression: expression.to_owned(),
            return_by_value: true,
            await_promise: true,
            ..EvaluateExpression::default()
        };
        let evaluated = self.tab.page().call(&evaluate).await.unwrap();
        evaluated.result.value.map_or_else(|| "null".to_owned(), |value| value.get().to_owned())
    }

    /// Crashes the page's process.
    pub(super) fn crash(&self) {
        self.tab.page().send(&Crash {});
    }

    /// Presses the mouse at a point of the tab.
    pub(super) async fn press(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        self.tab
            .acting(async {
                for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
                    self.tab.page().call(&Mouse { kind, x, y, button: "left", click_count: 1 }).await?;
                }
                Ok(())
            })
            .await
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.connection.close();
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mouse {
    #[serde(rename = "type")]
    kind: &'static str,
    x: f64,
    y: f64,
    button: &'static str,
    click_count: u32,
}

impl ProtocolCommand for Mouse {
    const METHOD: &'static str = "Input.dispatchMouseEvent";
    type Reply = EmptyReply;
}

#[derive(Serialize)]
struct Crash {}

impl ProtocolCommand for Crash {
    const METHOD: &'static str = "Page.crash";
    type Reply = EmptyReply;
}
