//! The flags that Chromium is started with.

use std::path::Path;

use super::Launch;

/// Without these a page would be throttled in the background, call home, or ask a human.
const ALWAYS: [&str; 29] = [
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
    // The same on every machine; the build without windows would ask for none, which some servers refuse.
    "--accept-lang=en-US,en",
    // A frame of another site that hangs or is hostile has a process of its own; the build without windows would not give it one.
    "--site-per-process",
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

/// The button of a wheel would paste what was selected last in any session (see `clipboard.rs`).
const BLINK: &str = "middleClickPasteAllowed=false";

/// Flags that take lists, of which Chromium heeds only the last: those of the configuration join fumi's own.
const LISTS: [(&str, &str); 2] = [("--disable-features=", OFF), ("--blink-settings=", BLINK)];

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
    for (flag, own) in LISTS {
        let more = launch.args.iter().filter_map(|arg| arg.strip_prefix(flag));
        // Of two values for one setting the last is heeded.
        let list: Vec<_> = more.chain([own]).collect();
        flags.push(format!("{flag}{}", list.join(",")));
    }
    let is_list = |arg: &&String| LISTS.iter().any(|(flag, _)| arg.starts_with(flag));
    flags.extend(launch.args.iter().filter(|arg| !is_list(arg)).cloned());
    flags.extend_from_slice(gate);
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_wins_over_all_but_the_gate() {
        let launch = Launch {
            args: vec!["--accept-lang=ja".to_owned()],
            sandbox: false,
            headless: false,
            ..Launch::default()
        };
        let flags = flags(&launch, &["--proxy-server=a".to_owned()], Path::new("/p"));
        assert!(flags.contains(&"--no-sandbox".to_owned()) && !flags.contains(&"--headless".to_owned()));
        assert_eq!(flags[flags.len() - 2..], ["--accept-lang=ja", "--proxy-server=a"]);
    }

    #[test]
    fn lists_of_the_configuration_join_those_of_fumi() {
        let launch = Launch {
            args: vec![
                "--disable-features=Mine,Yours".to_owned(),
                "--blink-settings=imagesEnabled=false,middleClickPasteAllowed=true".to_owned(),
            ],
            ..Launch::default()
        };
        let flags = flags(&launch, &[], Path::new("/p"));
        for (list, begins, ends) in [
            ("--disable-features=", "Mine,Yours,Translate,", "Input"),
            (
                "--blink-settings=",
                "imagesEnabled=false,",
                ",middleClickPasteAllowed=false",
            ),
        ] {
            let all: Vec<_> = flags.iter().filter_map(|flag| flag.strip_prefix(list)).collect();
            assert_eq!(all.len(), 1, "{flags:?}");
            assert!(all[0].starts_with(begins) && all[0].ends_with(ends), "{all:?}");
        }
    }
}
