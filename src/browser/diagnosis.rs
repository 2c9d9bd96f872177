//! The state of the browser, for people who look for the cause of a problem.
//!
//! Does not start Chromium, and reveals nothing about other principals' sessions.

use std::{path::Path, process::Stdio, time::Duration};

use fumi_base::text::BilingualText;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{browser::BrowserService, chromium, errors::BrowserError};

/// The longest time that a program may take to print its version.
const VERSION: Duration = Duration::from_secs(5);

/// The state of the browser.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// The program that runs, or would be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<String>,
    /// The searched places, if no program was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looked_for: Vec<String>,
    /// The version that the program reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True if Chromium is running.
    pub running: bool,
    /// Seconds since the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_s: Option<u64>,
    /// The command-line flags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// The number of times that Chromium was started.
    pub starts: u64,
    /// The number of sessions.
    pub sessions: usize,
    /// The most sessions that may exist at once.
    pub max_sessions: usize,
    /// The number of sessions that have tabs.
    pub contexts: usize,
    /// The memory that its processes use, in MiB.
    pub memory_mib: u64,
    /// True if the policy denies hosts.
    pub policy: bool,
    /// The last crash: an end that fumi did not request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_crash: Option<Crash>,
    /// The advice for a person, if there is a problem.
    #[serde(skip)]
    pub advice: Option<BilingualText>,
}

/// A crash of Chromium.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Crash {
    /// The time since the crash, in seconds.
    pub seconds_ago: u64,
    /// The exit status or the signal.
    pub how: String,
    /// The last lines on standard error.
    pub said: Vec<String>,
}

impl BrowserService {
    /// Returns the error with which a start would fail because Chromium is not installed. Starts nothing.
    pub fn missing_chromium(&self) -> Option<BrowserError> {
        chromium::find(&self.settings().launch).err()
    }

    /// Returns the number of sessions that have tabs. Tabs lost in a crash do not count.
    pub fn contexts(&self) -> usize {
        let all = self.all();
        all.iter().filter(|session| session.state.live_context().is_some()).count()
    }

    /// Returns the number of times that a Chromium was started.
    pub fn starts(&self) -> u64 {
        self.history().starts
    }

    /// Reports the state of the browser.
    pub async fn diagnose(&self) -> Diagnosis {
        let running = self.current();
        let (executable, looked_for) = match chromium::find(&self.settings().launch) {
            Ok(program) => (Some(program.0), Vec::new()),
            Err(BrowserError::NoChromium { looked }) => (None, looked),
            Err(_) => (None, Vec::new()),
        };
        let executable = running.as_ref().map(|running| running.process().program().clone()).or(executable);
        let version = match (&running, &executable) {
            (Some(running), _) => Some(running.process().version().to_owned()),
            (None, Some(program)) => version(program).await,
            (None, None) => None,
        };
        let memory = match &running {
            Some(running) => running.process().memory().await,
            None => 0,
        };
        let (starts, last_crash) = {
            let history = self.history();
            let crash = history.crash.as_ref().map(|(at, ended)| Crash {
                seconds_ago: at.elapsed().as_secs(),
                how: ended.how.clone(),
                said: ended.last_lines.clone(),
            });
            (history.starts, crash)
        };
        let advice = advice(executable.is_some(), version.is_some(), last_crash.is_some());
        Diagnosis {
            executable: executable.map(|program| program.display().to_string()),
            looked_for,
            version,
            running: running.is_some(),
            uptime_s: running.as_ref().map(|running| running.process().started().elapsed().as_secs()),
            flags: running
                .as_ref()
                .map(|running| redacted_flags(running.process().flags(), &self.settings().launch.args))
                .unwrap_or_default(),
            starts,
            sessions: self.all().len(),
            max_sessions: self.settings().max_sessions,
            contexts: self.contexts(),
            memory_mib: memory >> 20,
            policy: self.settings().policy.denies_hosts(),
            last_crash,
            advice,
        }
    }
}

/// Returns the flags that any caller may see. Configured values may contain a proxy password, so only their names are
/// shown.
fn redacted_flags(flags: &[String], configured: &[String]) -> Vec<String> {
    let shown = flags.iter().map(|flag| match flag.split_once('=') {
        Some((name, _)) if configured.contains(flag) => format!("{name}=…"),
        _ => flag.clone(),
    });
    shown.collect()
}

/// Runs a program with `--version` and returns its output.
#[expect(clippy::disallowed_methods, reason = "this is where the browser starts Chromium")]
async fn version(program: &Path) -> Option<String> {
    let asked = tokio::process::Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let said = tokio::time::timeout(VERSION, asked).await.ok()?.ok()?;
    let said = String::from_utf8_lossy(&said.stdout).trim().chars().take(200).collect::<String>();
    (!said.is_empty()).then_some(said)
}

fn advice(is_there: bool, speaks: bool, crashed: bool) -> Option<BilingualText> {
    if !is_there {
        return Some(BilingualText::new(
            "Install Chromium on the server (Debian: apt-get install chromium-headless-shell; elsewhere Chromium or Google Chrome), or set [browser] executable. No restart is needed.",
            "サーバーに Chromium を入れるか（Debian: apt-get install chromium-headless-shell、ほかでは Chromium か Google Chrome）、設定の [browser] executable で指定してください。再起動は不要です。",
        ));
    }
    if !speaks {
        return Some(BilingualText::new(
            "The program does not respond to --version: check that it is a Chromium and that its libraries are installed.",
            "このプログラムは --version に応答しません。Chromium であること、必要なライブラリーが入っていることを確かめてください。",
        ));
    }
    crashed.then(|| {
        BilingualText::new(
            "Chromium crashed; the next call restarts it. If it crashes again, give the server more memory, or set [browser] sandbox = false in a container that forbids user namespaces.",
            "Chromium は異常終了しましたが、次の呼び出しで起動し直します。繰り返す場合はサーバーのメモリーを増やすか、ユーザー名前空間を禁じたコンテナーでは [browser] sandbox = false を設定してください。",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_configured_flags_are_redacted() {
        let own = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>();
        let configured = own(&["--proxy-server=http://me:secret@proxy.test", "--mute"]);
        let flags = own(&["--headless", "--user-data-dir=/p"]);
        assert_eq!(
            redacted_flags(&[flags, configured.clone()].concat(), &configured),
            ["--headless", "--user-data-dir=/p", "--proxy-server=…", "--mute"]
        );
    }
}
