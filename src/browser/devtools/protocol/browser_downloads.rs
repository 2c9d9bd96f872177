//! Downloads, which the protocol divides between the domains Browser and Page.

use serde::{Deserialize, Serialize};

use super::{page::FrameId, target::ContextId};
use crate::devtools::{Happening, Nothing};

/// Says what becomes of the downloads of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDownloadBehavior {
    /// `deny`, or `allowAndName`: as files named by their id.
    pub behavior: &'static str,
    /// The context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<ContextId>,
    /// The folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_path: Option<String>,
    /// Whether the browser's session hears of them.
    pub events_enabled: bool,
}
command!(SetDownloadBehavior => "Browser.setDownloadBehavior" -> Nothing);

/// Stops a download.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelDownload {
    /// Which.
    pub guid: String,
    /// In which context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<ContextId>,
}
command!(CancelDownload => "Browser.cancelDownload" -> Nothing);

/// The same event as the browser's own session has it: of all tabs, and of windows that were gone before they were tabs.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct OfBrowser<T>(pub T);

impl Happening for OfBrowser<DownloadWillBegin> {
    const METHOD: &'static str = "Browser.downloadWillBegin";
}

impl Happening for OfBrowser<DownloadProgress> {
    const METHOD: &'static str = "Browser.downloadProgress";
}

/// A download begins.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadWillBegin {
    /// In which frame.
    pub frame_id: FrameId,
    /// Its id.
    pub guid: String,
    /// Where it comes from.
    pub url: String,
    /// How it wants to be called.
    pub suggested_filename: String,
}
happening!(DownloadWillBegin => "Page.downloadWillBegin");

/// A download goes on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadProgress {
    /// Which.
    pub guid: String,
    /// Bytes so far.
    pub received_bytes: f64,
    /// Bytes that are expected; 0 where nobody knows.
    #[serde(default)]
    pub total_bytes: f64,
    /// `inProgress`, `completed` or `canceled`.
    pub state: String,
}
happening!(DownloadProgress => "Page.downloadProgress");
