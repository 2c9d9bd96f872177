//! `fumi doctor`: checks what a server needs, and names the step that mends each fault.
//!
//! It starts nothing and changes nothing, except that it creates the state folder as a server does.

use std::{
    fs, io,
    net::{SocketAddr, TcpListener},
    path::Path,
    time::Duration,
};

use fumi_base::{errors::UserError as _, text::Locale};
use fumi_browser::BrowserService;
use fumi_config::{Config, ConfigError, StoreKind};
use fumi_connect::{Client, Folders, Place, Server};

use super::{
    connect::{EntryState, entry_state},
    text, told,
};
use crate::state::{self, State};

/// The timeout of each question to a running server.
const PATIENCE: Duration = Duration::from_secs(3);

/// One result of the examination.
#[derive(Debug)]
pub struct Finding {
    pub text: String,
    /// The step that mends a fault; `None` if this is none.
    pub next: Option<String>,
}

/// Makes findings in one language.
#[derive(Clone, Copy, Debug)]
struct Report(Locale);

impl Report {
    fn good(self, name: &str, facts: &[(&str, &str)]) -> Finding {
        Finding { text: text(self.0, name, facts), next: None }
    }

    /// Returns a fault; its step is the text `NAME_next`.
    fn fault(self, name: &str, facts: &[(&str, &str)]) -> Finding {
        let next = text(self.0, &format!("{name}_next"), facts);
        Finding { text: text(self.0, name, facts), next: Some(next) }
    }
}

/// Examines what a server with a configuration needs, and the configuration files of clients that are installed. `file` is the
/// configuration file of fumi, if one was named; `server` is how clients reach it.
pub async fn examine(
    config: &Config,
    file: Option<&Path>,
    clients: (Folders<'_>, Server<'_>),
    locale: Locale,
) -> Vec<Finding> {
    let report = Report(locale);
    let no_file = text(locale, "no_file", &[]);
    let file = file.map_or(no_file, |file| file.display().to_string());
    let mut findings = vec![report.good("config_good", &[("file", &file)])];
    findings.push(self::server(report, config.server.listen).await);
    findings.extend(config.projects.allowed_roots.iter().map(|root| self::root(report, root)));
    let (folders, server) = clients;
    findings.extend(state(report, config, folders.environment).await);
    findings.push(chromium(report, config, locale));
    findings.extend(Client::all().iter().filter_map(|client| self::client(report, client, folders, &server)));
    findings
}

/// Returns the finding about a configuration that cannot be loaded.
pub fn unusable(error: &ConfigError, locale: Locale) -> Finding {
    let text = text(locale, "config_bad", &[("error", &error.to_string())]);
    Finding { text, next: Some(super::text(locale, "config_bad_next", &[])) }
}

/// Checks that a server can listen on an address, or that fumi already does.
async fn server(report: Report, listen: SocketAddr) -> Finding {
    let address = listen.to_string();
    match TcpListener::bind(listen) {
        Ok(_) => return report.good("server_free", &[("address", &address)]),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
        Err(error) => return report.fault("server_denied", &[("address", &address), ("error", &error.to_string())]),
    }
    // A server that listens on every address is reached at loopback.
    let hosts = match listen {
        SocketAddr::V4(listen) if listen.ip().is_unspecified() => vec![format!("127.0.0.1:{}", listen.port())],
        SocketAddr::V6(listen) if listen.ip().is_unspecified() => {
            vec![format!("[::1]:{}", listen.port()), format!("127.0.0.1:{}", listen.port())]
        }
        listen => vec![listen.to_string()],
    };
    for host in hosts {
        if ask(&format!("http://{host}/livez")).await.as_deref() != Some("ok") {
            continue;
        }
        let url = format!("http://{host}/mcp");
        return match ask(&format!("http://{host}/readyz")).await.as_deref() {
            Some("ok") => report.good("server_runs", &[("url", &url)]),
            reason => report.fault("server_unready", &[("url", &url), ("reason", reason.unwrap_or_default())]),
        };
    }
    report.fault("server_taken", &[("address", &address)])
}

/// Returns the first line that a URL answers; `None` if it does not answer in time or not in text. No more than one piece of the
/// answer is read.
async fn ask(url: &str) -> Option<String> {
    let http = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build().ok()?;
    let piece = http.get(url).send().await.ok()?.chunk().await.ok()??;
    std::str::from_utf8(&piece).ok()?.lines().next().map(str::to_owned)
}

fn root(report: Report, root: &Path) -> Finding {
    let path = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()).display().to_string();
    match fs::read_dir(root) {
        Ok(_) => report.good("root_good", &[("path", &path)]),
        Err(error) => report.fault("root_bad", &[("path", &path), ("error", &error.to_string())]),
    }
}

/// Opens the store as a server does, and measures the index in its folder.
async fn state(report: Report, config: &Config, environment: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let bad = |error: &str| vec![report.fault("state_bad", &[("error", error)])];
    let State { store, folder } = match state::open(&config.store, environment).await {
        Ok(state) => state,
        Err(error) => return bad(&error.to_string()),
    };
    if let Err(error) = store.check().await {
        return bad(&error.to_string());
    }
    let index = folder.as_deref().and_then(|folder| config.code.index_folders(folder));
    let mut findings = match (config.store.kind, folder) {
        (StoreKind::Memory, _) => vec![report.good("state_memory", &[])],
        (StoreKind::Fs, None) => return bad(&text(report.0, "state_none", &[])),
        (StoreKind::Redis, _) => vec![report.good("state_good", &[("place", "Redis")])],
        (StoreKind::Fs, Some(folder)) => {
            vec![report.good("state_good", &[("place", &folder.display().to_string())])]
        }
    };
    if let Some(index) = index.map(|index| index.folder).filter(|folder| folder.is_dir()) {
        let megabytes = bytes_in(&index).div_ceil(1_000_000).to_string();
        let path = index.display().to_string();
        findings.push(report.good("index", &[("megabytes", &megabytes), ("path", &path)]));
    }
    findings
}

/// Returns the size of the files in a folder and the folders in it, in bytes. What cannot be read counts as 0.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let size = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_in(&entry.path()),
        _ => entry.metadata().map_or(0, |meta| meta.len()),
    };
    entries.map(size).sum()
}

/// Looks for fumi in the user's configuration file of a client; `None` if the client has none.
fn client(report: Report, client: &Client, folders: Folders<'_>, server: &Server<'_>) -> Option<Finding> {
    let file = client.file(Place::User, folders)?;
    let path = file.display().to_string();
    let facts = [("client", &*client.name), ("id", &*client.id), ("path", &*path), ("url", server.url)];
    Some(match entry_state(client, &file, server) {
        Ok(EntryState::NoFile) => return None,
        Ok(EntryState::Missing) => report.good("client_none", &facts),
        Ok(EntryState::Current) => report.good("client_good", &facts),
        Ok(EntryState::Different) => report.good("client_other", &facts),
        Err(error) => {
            let error = told(&error, report.0);
            report.fault("client_bad", &[facts.as_slice(), &[("error", &error)]].concat())
        }
    })
}

fn chromium(report: Report, config: &Config, locale: Locale) -> Finding {
    let settings = match config.browser.settings(config.is_shared()) {
        Ok(settings) => settings,
        Err(error) => return unusable(&error, locale),
    };
    match BrowserService::new(settings).missing_chromium() {
        None => report.good("chromium_good", &[]),
        Some(missing) => {
            let lesson = missing.error_message();
            Finding {
                text: format!("Chromium: {}", lesson.message.get(locale)),
                next: Some(lesson.next.get(locale).to_owned()),
            }
        }
    }
}
