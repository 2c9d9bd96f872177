//! Downloads, which the protocol divides between the domains Browser and Page.

use serde::Deserialize;

use super::{page::FrameId, target::ContextId};
use crate::devtools::ProtocolEvent;

/// A download event as the browser's own session receives it: for all tabs, and for windows that were closed before
/// they became tabs.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct BrowserWideEvent<T>(pub T);

impl ProtocolEvent for BrowserWideEvent<DownloadWillBegin> {
    const METHOD: &'static str = "Browser.downloadWillBegin";
}

impl ProtocolEvent for BrowserWideEvent<DownloadProgress> {
    const METHOD: &'static str = "Browser.downloadProgress";
}

protocol! {
    /// Sets what Chromium does with the downloads of a context.
    command SetDownloadBehavior: "Browser.setDownloadBehavior" {
        /// `deny`, or `allowAndName`, which saves files under their id.
        behavior: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        browser_context_id: Option<ContextId>,
        /// The folder for saved files.
        #[serde(skip_serializing_if = "Option::is_none")]
        download_path: Option<String>,
        /// True to send download events to the browser's own session.
        events_enabled: bool,
    }

    command CancelDownload: "Browser.cancelDownload" {
        guid: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        browser_context_id: Option<ContextId>,
    }

    /// The event that a download begins.
    event DownloadWillBegin: "Page.downloadWillBegin" {
        frame_id: FrameId,
        /// The id of the download.
        guid: String,
        url: String,
        /// The file name that the server or the page suggests.
        suggested_filename: String,
    }

    /// The event that a download progresses.
    event DownloadProgress: "Page.downloadProgress" {
        guid: String,
        /// Bytes received so far.
        received_bytes: f64,
        /// Bytes expected in total; 0 if unknown.
        #[serde(default)]
        total_bytes: f64,
        /// `inProgress`, `completed` or `canceled`.
        state: String,
    }
}
