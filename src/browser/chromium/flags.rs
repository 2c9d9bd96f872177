//! The command-line flags that Chromium is started with.

use std::path::Path;

use super::Launch;

/// Flags that are always set. Without them Chromium would throttle pages in the background, contact Google's services,
/// or ask the user.
const ALWAYS: [&str; 29] = [
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-gpu",
    // A proxy cannot see QUIC, and QUIC makes the timing differ from run to run.
    "--disable-quic",
    "--disable-background-networking",
    // A page kept for going back costs a second document, and when it is restored its URL is not checked by the proxy.
    "--disable-back-forward-cache",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    // Containers often have 64 MiB of /dev/shm, and one large page needs more.
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
    // The same languages on every machine. The build without windows would send none, and some servers reject that.
    "--accept-lang=en-US,en",
    // Gives frames of other sites their own process, so that one that hangs or is hostile is isolated. The build
    // without windows does not do this by default.
    "--site-per-process",
    // Otherwise the keyring or wallet of the desktop would ask for a password.
    "--password-store=basic",
];

/// Features that are disabled because they contact Google's services, show dialogs that no user sees, or cost time.
///
/// The popups of the address bar are pages in a renderer of their own, which works at every navigation. With
/// `RenderDocument` every navigation rebuilds the render frame host. Without both and without the back-forward cache, a
/// navigation costs half the CPU time (60 instead of 115 ms here, and 28 instead of 39 ms until the load event).
/// `DeferRendererTasksAfterInput` makes a page wait for its next frame before it continues after a click (5 instead of
/// 16 ms), which only helps human eyes.
const OFF: &str = "Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,\
                   AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades,PaintHolding,\
                   WebUIOmniboxPopup,WebUIOmniboxAimPopup,RenderDocument,DeferRendererTasksAfterInput";

/// Disables pasting with the middle mouse button, which would paste the last selection of any session (see
/// `clipboard.rs`).
///
/// Gives pages a mouse: a machine without one has no pointer and nothing to hover with, and pages then choose their
/// variant for phones and leave out everything that hovering opens. 2 is `hover: hover`, 4 is `pointer: fine`.
const BLINK: &str = "middleClickPasteAllowed=false,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,\
                     availablePointerTypes=4";

/// Flags whose values are lists. Chromium uses only the last flag of each kind, so fumi's values and the configured
/// ones are joined.
const LISTS: [(&str, &str); 2] = [("--disable-features=", OFF), ("--blink-settings=", BLINK)];

/// Returns all flags: fumi's own, then the configured ones, then those of the proxy. Chromium uses the last flag of a
/// kind, so a configured proxy cannot replace the one that enforces the policy.
pub(crate) fn flags(launch: &Launch, proxy: &[String], profile: &Path) -> Vec<String> {
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
        // If a setting occurs twice in a list, the last value wins.
        let list: Vec<_> = more.chain([own]).collect();
        flags.push(format!("{flag}{}", list.join(",")));
    }
    let is_list = |arg: &&String| LISTS.iter().any(|(flag, _)| arg.starts_with(flag));
    flags.extend(launch.args.iter().filter(|arg| !is_list(arg)).cloned());
    flags.extend_from_slice(proxy);
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_wins_over_all_but_the_proxy() {
        let launch =
            Launch { args: vec!["--accept-lang=ja".to_owned()], sandbox: false, headless: false, ..Launch::default() };
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
            ("--blink-settings=", "imagesEnabled=false,", ",availablePointerTypes=4"),
        ] {
            let all: Vec<_> = flags.iter().filter_map(|flag| flag.strip_prefix(list)).collect();
            assert_eq!(all.len(), 1, "{flags:?}");
            assert!(all[0].starts_with(begins) && all[0].ends_with(ends), "{all:?}");
        }
    }
}
