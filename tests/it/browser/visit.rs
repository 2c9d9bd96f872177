//! A client of fumi with the site for tests before it: what a test of the browser's tools needs to begin.
//!
//! Everything goes over HTTP to a real server with a real Chromium of its own. Nothing is asserted but that a call which is to
//! be served is, and that it says what its schema promises.

use std::{process::Command, time::Duration};

use fumi::config::Config;
use serde_json::{Value, json};

use super::site::Site;
use crate::{
    catalogue::answers_as_published,
    harness::{Answer, Server, Session},
    sample::Sample,
};

/// A project, a site, a server, and one client.
pub(crate) struct Visit {
    pub(crate) sample: Sample,
    pub(crate) site: Site,
    pub(crate) server: Server,
    pub(crate) client: Session,
    /// A flag that no other Chromium has.
    mark: String,
}

/// What one call was answered.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) answer: Answer,
}

/// Says no to everything that can be left out.
pub(crate) fn minimal() -> Value {
    json!({
        "includeSnapshot": false,
        "includeConsole": false,
        "includeDownloads": false,
        "includeTabs": false,
        "includeCode": false,
    })
}

impl Visit {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// The same with a configuration.
    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        Self::knowing(&[], change).await
    }

    /// The same with secrets of the server's own.
    pub(crate) async fn knowing(secrets: &[&str], change: impl FnOnce(&mut Config)) -> Self {
        let sample = Sample::new();
        let site = Site::start().await;
        let mark = format!("--fumi-test={}", sample.root().display());
        let app = sample.app_with(secrets, |config| {
            config.browser.args.push(mark.clone());
            change(config);
        });
        let server = Server::start(app).await;
        let client = Session::open(&server).await;
        Self {
            sample,
            site,
            server,
            client,
            mark,
        }
    }

    /// Another client.
    pub(crate) async fn other(&self) -> Session {
        Session::open(&self.server).await
    }

    /// A call of the client.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Told {
        self.call_of(&self.client, tool, arguments).await
    }

    /// A call of some client.
    pub(crate) async fn call_of(&self, client: &Session, tool: &str, arguments: Value) -> Told {
        let told = Told {
            answer: client.call(tool, arguments).await,
        };
        if let Some(entry) = self.server.app.catalogue.find(&self.server.app.scope, tool) {
            answers_as_published(entry, told.structured());
        }
        told
    }

    /// Opens a page of the site.
    #[track_caller]
    pub(crate) fn open(&self, path: &str) -> impl Future<Output = Told> {
        self.open_of(&self.client, path)
    }

    /// The same by some client.
    pub(crate) async fn open_of(&self, client: &Session, path: &str) -> Told {
        let told = self
            .call_of(client, "browser_navigate", json!({"url": self.site.url(path)}))
            .await;
        told.done();
        told
    }

    /// A call on an element.
    pub(crate) async fn click(&self, target: &str) -> Told {
        self.call("browser_click", json!({"target": target})).await
    }

    /// Opens a page without a word about it.
    pub(crate) async fn enter(&self, path: &str) {
        let arguments = json!({"url": self.site.url(path), "expectation": minimal()});
        self.call("browser_navigate", arguments).await.done();
    }

    /// Clicks, and sees only what nobody may miss.
    pub(crate) async fn click_blindly(&self, target: &str) -> Told {
        let arguments = json!({"target": target, "expectation": minimal()});
        self.call("browser_click", arguments).await
    }

    /// Steps in one call.
    pub(crate) async fn batch(&self, steps: Value) -> Told {
        self.call("browser_batch_execute", json!({"steps": steps})).await
    }

    /// The value of a function in the page.
    pub(crate) async fn value(&self, function: &str) -> Value {
        self.value_of(&self.client, function).await
    }

    /// The same in the page of some client.
    pub(crate) async fn value_of(&self, client: &Session, function: &str) -> Value {
        let told = self
            .call_of(client, "browser_evaluate", json!({"function": function}))
            .await;
        told.done()["result"].clone()
    }

    /// What the pages of the site tell of what was done on them.
    pub(crate) async fn said(&self) -> String {
        let said = self.value("() => document.querySelector('#said').textContent").await;
        said.as_str().unwrap_or_default().trim().to_owned()
    }

    /// Waits until a text is on the page.
    pub(crate) async fn wait_for(&self, text: &str) {
        self.call("browser_wait_for", json!({"text": text})).await.done();
    }

    /// The process of this server's Chromium, which leads its group.
    pub(crate) fn chromium(&self) -> Option<u32> {
        chromium(&self.mark)
    }
}

impl Told {
    #[track_caller]
    pub(crate) fn structured(&self) -> &Value {
        self.answer.called().0
    }

    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        self.answer.called().1
    }

    #[track_caller]
    pub(crate) fn has_failed(&self) -> bool {
        self.answer.called().2
    }

    /// The structure of a call that was served.
    #[track_caller]
    pub(crate) fn done(&self) -> &Value {
        assert!(!self.has_failed(), "{}", self.text());
        self.structured()
    }

    /// The snapshot of a call that was served.
    #[track_caller]
    pub(crate) fn snapshot(&self) -> &str {
        let done = self.done();
        done["snapshot"]
            .as_str()
            .unwrap_or_else(|| panic!("no snapshot: {done}"))
    }

    /// What changed, of a call that was served.
    #[track_caller]
    pub(crate) fn changes(&self) -> &str {
        let done = self.done();
        done["changes"].as_str().unwrap_or_else(|| panic!("no changes: {done}"))
    }

    /// Code and text of a call that was refused.
    #[track_caller]
    pub(crate) fn refused(&self) -> (&str, &str) {
        assert!(self.has_failed(), "served: {}", self.text());
        let code = &self.structured()["error"]["code"];
        (code.as_str().unwrap_or_default(), self.text())
    }

    /// The handle of the browser session.
    #[track_caller]
    pub(crate) fn handle(&self) -> String {
        self.done()["browser_session"].as_str().unwrap().to_owned()
    }

    /// The images beside the text: media type and base64.
    pub(crate) fn images(&self) -> Vec<(&str, &str)> {
        let content = self.answer.result()["content"].as_array();
        let images = content.into_iter().flatten().filter(|block| block["type"] == "image");
        images
            .map(|block| {
                let kind = block["mimeType"].as_str().unwrap_or_default();
                (kind, block["data"].as_str().unwrap_or_default())
            })
            .collect()
    }

    /// The result of a step of a batch that was served.
    #[track_caller]
    pub(crate) fn step(&self, at: usize) -> &Value {
        let step = &self.done()["steps"][at];
        assert_eq!(step["success"], true, "{step}");
        &step["result"]
    }

    /// How many steps there were, succeeded, failed, and did not run.
    #[track_caller]
    pub(crate) fn counts(&self) -> [u64; 4] {
        let done = self.done();
        ["totalSteps", "succeeded", "failed", "notRun"].map(|name| done[name].as_u64().unwrap())
    }
}

/// The ref of the line of a snapshot that has this in it.
#[track_caller]
pub(crate) fn reference(snapshot: &str, part: &str) -> String {
    let line = snapshot
        .lines()
        .find(|line| line.contains(part) && line.contains("[ref="));
    let line = line.unwrap_or_else(|| panic!("no ref with {part} in\n{snapshot}"));
    let (_, rest) = line.split_once("[ref=").unwrap();
    rest.split(']').next().unwrap().to_owned()
}

/// The process that was started with a flag, if it runs.
pub(crate) fn chromium(flag: &str) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.find(|id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let mut flags = line.split(|byte| *byte == 0);
        flags.any(|given| given == flag.as_bytes()) && !line.windows(7).any(|part| part == b"--type=")
    })
}

/// How many processes of a group there are; one that only waits to be reaped is none.
pub(crate) fn group(leader: u32) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let alive = processes.filter(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // After the name, which may hold anything: state, parent, group.
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            return false;
        };
        let mut rest = rest.split(' ');
        let (state, group) = (rest.next().unwrap_or_default(), rest.nth(1).unwrap_or_default());
        state != "Z" && group == leader.to_string()
    });
    alive.count()
}

/// SIGKILL to a process, or with a minus before it to a group.
pub(crate) fn kill(which: &str) {
    let status = Command::new("kill").args(["-9", "--", which]).status().unwrap();
    assert!(status.success());
}

/// Waits for something that comes by itself; how soon is not what is tested.
pub(crate) async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..1_000 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
