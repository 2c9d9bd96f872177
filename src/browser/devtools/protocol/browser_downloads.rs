//! Downloads, which the protocol divides between the domains Browser and Page.

use serde::{Deserialize, Serialize};

use super::{page::FrameId, target::ContextId};
use crate::devtools::{EmptyReply, ProtocolEvent};

/// Sets what Chromium does with the downloads of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDownloadBehavior {
    /// `deny`, or `allowAndName`, which saves files under their id.
    pub behavior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<ContextId>,
    /// The folder for saved files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_path: Option<String>,
    /// True to send download events to the browser's own session.
    pub events_enabled: bool,
}
command!(SetDownloadBehavior => "Browser.setDownloadBehavior" -> EmptyReply);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelDownload {
    pub guid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<ContextId>,
}
command!(CancelDownload => "Browser.cancelDownload" -> EmptyReply);

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

/// The event that a download begins.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadWillBegin {
    pub frame_id: FrameId,
    /// The id of the download.
    pub guid: String,
    pub url: String,
    /// The file name that the server or the page suggests.
    pub suggested_filename: String,
}
event!(DownloadWillBegin => "Page.downloadWillBegin");

/// The event that a download progresses.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadProgress {
    pub guid: String,
    /// Bytes received so far.
    pub received_bytes: f64,
    /// Bytes expected in total; 0 if unknown.
    #[serde(default)]
    pub total_bytes: f64,
    /// `inProgress`, `completed` or `canceled`.
    pub state: String,
}
event!(DownloadProgress => "Page.downloadProgress");
