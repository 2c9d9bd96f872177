//! A client of fumi with the site for tests, as a start for tests of the browser tools.
//!
//! Everything goes over HTTP to a real server with a real Chromium of its own. The only assertions are that a call
//! which must succeed does, and that its reply is valid under its schema.

use std::{process::Command, time::Duration};

use fumi_config::Config;
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

/// The reply to one call.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) answer: Answer,
}

/// Returns an expectation that leaves out everything optional.
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

    /// The same with secrets of the server.
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
        Self { sample, site, server, client, mark }
    }

    /// Opens another client.
    pub(crate) async fn other(&self) -> Session {
        Session::open(&self.server).await
    }

    /// Calls a tool as the client.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Told {
        self.call_of(&self.client, tool, arguments).await
    }

    /// Calls a tool as the given client.
    pub(crate) async fn call_of(&self, client: &Session, tool: &str, arguments: Value) -> Told {
        let told = Told { answer: client.call(tool, arguments).await };
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

    /// The same as the given client.
    pub(crate) async fn open_of(&self, client: &Session, path: &str) -> Told {
        let told = self.call_of(client, "browser_navigate", json!({"url": self.site.url(path)})).await;
        told.done();
        told
    }

    /// Clicks an element.
    pub(crate) async fn click(&self, target: &str) -> Told {
        self.call("browser_click", json!({"target": target})).await
    }

    /// Opens a page with a minimal reply.
    pub(crate) async fn enter(&self, path: &str) {
        let arguments = json!({"url": self.site.url(path), "expectation": minimal()});
        self.call("browser_navigate", arguments).await.done();
    }

    /// Clicks with a minimal reply.
    pub(crate) async fn click_blindly(&self, target: &str) -> Told {
        let arguments = json!({"target": target, "expectation": minimal()});
        self.call("browser_click", arguments).await
    }

    /// Runs steps in one call.
    pub(crate) async fn batch(&self, steps: Value) -> Told {
        self.call("browser_batch_execute", json!({"steps": steps})).await
    }

    /// Returns the value of a function in the page.
    pub(crate) async fn value(&self, function: &str) -> Value {
        self.value_of(&self.client, function).await
    }

    /// The same in the page of the given client.
    pub(crate) async fn value_of(&self, client: &Session, function: &str) -> Value {
        let told = self.call_of(client, "browser_evaluate", json!({"function": function})).await;
        told.done()["result"].clone()
    }

    /// Returns the text in which the site's pages report the acts on them.
    pub(crate) async fn said(&self) -> String {
        let said = self.value("() => document.querySelector('#said').textContent").await;
        said.as_str().unwrap_or_default().trim().to_owned()
    }

    /// Waits until a text is on the page.
    pub(crate) async fn wait_for(&self, text: &str) {
        self.call("browser_wait_for", json!({"text": text})).await.done();
    }

    /// Returns the process of this server's Chromium, which leads its group.
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

    /// Returns the structure of a successful call.
    #[track_caller]
    pub(crate) fn done(&self) -> &Value {
        assert!(!self.has_failed(), "{}", self.text());
        self.structured()
    }

    /// Returns the snapshot of a successful call.
    #[track_caller]
    pub(crate) fn snapshot(&self) -> &str {
        let done = self.done();
        done["snapshot"].as_str().unwrap_or_else(|| panic!("no snapshot: {done}"))
    }

    /// Returns the changes that a successful call reports.
    #[track_caller]
    pub(crate) fn changes(&self) -> &str {
        let done = self.done();
        done["changes"].as_str().unwrap_or_else(|| panic!("no changes: {done}"))
    }

    /// Returns code and text of a failed call.
    #[track_caller]
    pub(crate) fn refused(&self) -> (&str, &str) {
        assert!(self.has_failed(), "served: {}", self.text());
        let code = &self.structured()["error"]["code"];
        (code.as_str().unwrap_or_default(), self.text())
    }

    /// Returns the handle of the browser session.
    #[track_caller]
    pub(crate) fn handle(&self) -> String {
        self.done()["browser_session"].as_str().unwrap().to_owned()
    }

    /// Returns the images beside the text: media type and base64.
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

    /// Returns the result of a step of a successful batch.
    #[track_caller]
    pub(crate) fn step(&self, at: usize) -> &Value {
        let step = &self.done()["steps"][at];
        assert_eq!(step["success"], true, "{step}");
        &step["result"]
    }

    /// Returns how many steps there were, and how many succeeded, failed and did not run.
    #[track_caller]
    pub(crate) fn counts(&self) -> [u64; 4] {
        let done = self.done();
        ["totalSteps", "succeeded", "failed", "notRun"].map(|name| done[name].as_u64().unwrap())
    }
}

/// Returns the ref of the snapshot's line that contains this text.
#[track_caller]
pub(crate) fn reference(snapshot: &str, part: &str) -> String {
    let line = snapshot.lines().find(|line| line.contains(part) && line.contains("[ref="));
    let line = line.unwrap_or_else(|| panic!("no ref with {part} in\n{snapshot}"));
    let (_, rest) = line.split_once("[ref=").unwrap();
    rest.split(']').next().unwrap().to_owned()
}

/// Returns the process that was started with a flag, if it runs.
pub(crate) fn chromium(flag: &str) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.find(|id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let mut flags = line.split(|byte| *byte == 0);
        flags.any(|given| given == flag.as_bytes()) && !line.windows(7).any(|part| part == b"--type=")
    })
}

/// Returns the number of processes of a group, without zombies.
pub(crate) fn group(leader: u32) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let alive = processes.filter(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // After the name, which may contain anything: state, parent, group.
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            return false;
        };
        let mut rest = rest.split(' ');
        let (state, group) = (rest.next().unwrap_or_default(), rest.nth(1).unwrap_or_default());
        state != "Z" && group == leader.to_string()
    });
    alive.count()
}

/// Sends SIGKILL to a process, or with a minus before it to a group.
pub(crate) fn kill(which: &str) {
    let status = Command::new("kill").args(["-9", "--", which]).status().unwrap();
    assert!(status.success());
}

/// Waits for an asynchronous change; the duration is not tested.
pub(crate) async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..1_000 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
