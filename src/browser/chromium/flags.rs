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

/// Features that talk to Google's services or offer dialogs that nobody sees, and those that cost time.
///
/// The popups of the address bar are pages in a renderer of their own, which works at every navigation; with `RenderDocument` every
/// navigation builds what shows a page anew. Without these and the cache for going back a navigation costs half the CPU time (60
/// instead of 115 ms here, 28 instead of 39 ms to the load event). `DeferRendererTasksAfterInput` makes a page wait for its next frame
/// before it goes on after a click (5 instead of 16 ms), which is for eyes.
const OFF: &str = "Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,\
                   AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades,PaintHolding,\
                   WebUIOmniboxPopup,WebUIOmniboxAimPopup,RenderDocument,DeferRendererTasksAfterInput";

/// Chromium heeds only the last of several lists.
const DISABLE: &str = "--disable-features=";

/// All flags: fumi's own, those of the configuration, and last those of the gate: Chromium heeds the last of a kind, and no
/// other proxy may take the place of the one that keeps the policy.
pub(crate) fn flags(launch: &Launch, gate: &[String], profile: &Path) -> Vec<String> {
    let mut flags: Vec<String> = ALWAYS.iter().map(|flag| (*flag).to_owned()).collect();
    if launch.headless {
        flags.push("--headless".to_owned());
    }
    if !launch.sandbox || rustix::process::geteuid().is_root() {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push(format!("--user-data-dir={}", profile.display()));
    let (off, args): (Vec<&String>, Vec<&String>) = launch.args.iter().partition(|arg| arg.starts_with(DISABLE));
    let off = off.iter().filter_map(|arg| arg.strip_prefix(DISABLE));
    flags.push(format!(
        "{DISABLE}{}",
        std::iter::once(OFF).chain(off).collect::<Vec<_>>().join(",")
    ));
    flags.extend(args.into_iter().cloned());
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
        assert_eq!(flags[flags.len() - 2..], ["--lang=ja", "--proxy-server=a"]);
    }

    #[test]
    fn features_that_the_configuration_turns_off_join_those_of_fumi() {
        let launch = Launch {
            args: vec!["--disable-features=Mine,Yours".to_owned()],
            ..Launch::default()
        };
        let flags = flags(&launch, &[], Path::new("/p"));
        let off: Vec<_> = flags.iter().filter(|flag| flag.starts_with(DISABLE)).collect();
        assert_eq!(off.len(), 1, "{flags:?}");
        assert!(
            off[0].contains("Translate,") && off[0].ends_with(",Mine,Yours"),
            "{off:?}"
        );
    }
}
