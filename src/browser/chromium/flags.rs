//! The flags that Chromium is started with.

use std::path::Path;

use super::Launch;

/// Without these a page would be throttled in the background, call home, or ask a human.
const ALWAYS: [&str; 27] = [
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-gpu",
    // A proxy sees nothing of it, and it makes timing differ from run to run.
    "--disable-quic",
    "--disable-background-networking",
    // A page kept for going back costs a second document, and one that comes back out of it has not asked the gate.
    "--disable-back-forward-cache",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    // Containers often have 64 MiB of /dev/shm, which one large page exceeds.
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-popup-blocking",
    "--metrics-recording-only",
    "--mute-audio",
    "--hide-scrollbars",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-ipc-flooding-protection",
    "--force-color-profile=srgb",
    // Neither keyring nor wallet of the desktop is asked for a password.
    "--password-store=basic",
];

/// Features that talk to Google's services or offer dialogs that nobody sees. The popups of the address bar are pages in a renderer of
/// their own, which works at every navigation; with `RenderDocument` every navigation builds what shows a page anew. Without these
/// and the cache for going back a navigation costs half the CPU time (60 instead of 115 ms here, 28 instead of 39 ms to the load event).
const OFF: &str = "--disable-features=Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,\
                   AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades,PaintHolding,\
                   WebUIOmniboxPopup,WebUIOmniboxAimPopup,RenderDocument";

/// All flags: fumi's own, those of the configuration, and last those of the gate: Chromium heeds the last of a kind, and no
/// other proxy may take the place of the one that keeps the policy.
pub(crate) fn flags(launch: &Launch, gate: &[String], profile: &Path) -> Vec<String> {
    let mut flags: Vec<String> = ALWAYS.iter().map(|flag| (*flag).to_owned()).collect();
    flags.push(OFF.to_owned());
    if launch.headless {
        flags.push("--headless".to_owned());
    }
    if !launch.sandbox || rustix::process::geteuid().is_root() {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push(format!("--user-data-dir={}", profile.display()));
    flags.extend_from_slice(&launch.args);
    flags.extend_from_slice(gate);
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_wins_over_all_but_the_gate() {
        let launch = Launch {
            args: vec!["--lang=ja".to_owned()],
            sandbox: false,
            headless: false,
            ..Launch::default()
        };
        let flags = flags(&launch, &["--proxy-server=a".to_owned()], Path::new("/p"));
        assert!(flags.contains(&"--no-sandbox".to_owned()) && !flags.contains(&"--headless".to_owned()));
        assert_eq!(
            flags[flags.len() - 3..],
            ["--user-data-dir=/p", "--lang=ja", "--proxy-server=a"]
        );
    }
}
