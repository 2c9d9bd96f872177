//! The domain Page: documents and frames, navigation, dialogs, file choosers, downloads.

use serde::{Deserialize, Serialize};

use super::dom::BackendNodeId;
use crate::devtools::EmptyReply;

/// The id of a frame. A navigation does not change it, nor does a move to another process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(pub String);

/// The id of one load of one document; also the id of the request for that document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LoaderId(pub String);

/// Starts reporting the domain's events.
#[derive(Debug, Default, Serialize)]
pub struct EnablePage {}
command!(EnablePage => "Page.enable" -> EmptyReply);

/// Reports the steps of every document (`init`, `DOMContentLoaded`, `load`, ...); past steps of existing documents are
/// reported at once.
#[derive(Debug, Serialize)]
pub struct SetLifecycleEventsEnabled {
    pub enabled: bool,
}
command!(SetLifecycleEventsEnabled => "Page.setLifecycleEventsEnabled" -> EmptyReply);

/// Asks for the frames of a target, as far as they run in its process.
#[derive(Debug, Default, Serialize)]
pub struct GetFrameTree {}
command!(GetFrameTree => "Page.getFrameTree" -> FrameTreeReply);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTreeReply {
    /// The tree, from the root frame down.
    pub frame_tree: FrameTree,
}

/// A frame with its child frames.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTree {
    pub frame: FrameInfo,
    /// The frames inside this one.
    #[serde(default)]
    pub child_frames: Vec<FrameTree>,
}

/// The properties of a frame and its document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameInfo {
    pub id: FrameId,
    /// The frame that contains this one.
    pub parent_id: Option<FrameId>,
    /// The id of the load of its document.
    pub loader_id: LoaderId,
    /// The document's URL without its fragment.
    pub url: String,
    /// The fragment of the URL, with `#`.
    pub url_fragment: Option<String>,
    /// The URL that could not be loaded, if the document is Chromium's error page.
    pub unreachable_url: Option<String>,
}

/// Runs a script at the start of every document, in a world of its own.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddScriptToEvaluateOnNewDocument {
    pub source: &'static str,
    pub world_name: &'static str,
    /// True to run the script in existing documents too.
    pub run_immediately: bool,
}
command!(AddScriptToEvaluateOnNewDocument => "Page.addScriptToEvaluateOnNewDocument" -> EmptyReply);

/// Creates a world in a frame, or returns the existing one of that name.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateIsolatedWorld {
    pub frame_id: FrameId,
    pub world_name: &'static str,
}
command!(CreateIsolatedWorld => "Page.createIsolatedWorld" -> EmptyReply);

/// Makes Chromium report file choosers instead of showing them.
#[derive(Debug, Serialize)]
pub struct SetInterceptFileChooserDialog {
    pub enabled: bool,
}
command!(SetInterceptFileChooserDialog => "Page.setInterceptFileChooserDialog" -> EmptyReply);

/// Navigates to a URL. The reply comes when the document has arrived or failed.
#[derive(Debug, Serialize)]
pub struct NavigateToUrl {
    pub url: String,
}
command!(NavigateToUrl => "Page.navigate" -> Navigated);

/// The result of a navigation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Navigated {
    /// The id of the new load; `None` if the document stays the same.
    pub loader_id: Option<LoaderId>,
    /// The network error, such as `net::ERR_CONNECTION_REFUSED`.
    pub error_text: Option<String>,
    /// True if the response became a download.
    #[serde(default)]
    pub is_download: bool,
}

/// Stops all loading in the page.
#[derive(Debug, Default, Serialize)]
pub struct StopLoading {}
command!(StopLoading => "Page.stopLoading" -> EmptyReply);

/// Asks for the history of a tab.
#[derive(Debug, Default, Serialize)]
pub struct GetNavigationHistory {}
command!(GetNavigationHistory => "Page.getNavigationHistory" -> NavigationHistory);

/// The navigation history of a tab.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigationHistory {
    /// The index of the current entry, counted from 0.
    pub current_index: i64,
    /// The entries, the oldest first.
    pub entries: Vec<HistoryEntry>,
}

/// One entry of a tab's history.
#[derive(Debug, Deserialize)]
pub struct HistoryEntry {
    /// The id to pass to [`NavigateToHistoryEntry`].
    pub id: i64,
    pub url: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigateToHistoryEntry {
    pub entry_id: i64,
}
command!(NavigateToHistoryEntry => "Page.navigateToHistoryEntry" -> EmptyReply);

/// Accepts or dismisses an open dialog.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandleJavaScriptDialog {
    /// True for OK, false for cancel.
    pub accept: bool,
    /// The text to enter into a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_text: Option<String>,
}
command!(HandleJavaScriptDialog => "Page.handleJavaScriptDialog" -> EmptyReply);

#[derive(Debug, Default, Serialize)]
pub struct BringToFront {}
command!(BringToFront => "Page.bringToFront" -> EmptyReply);

/// The event that a frame was created, or came back into this process.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameAttached {
    pub frame_id: FrameId,
    /// The frame that contains the new one.
    pub parent_frame_id: FrameId,
}
event!(FrameAttached => "Page.frameAttached");

/// The event that a frame was removed, or moved to another process.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameDetached {
    pub frame_id: FrameId,
    /// `remove` or `swap`.
    pub reason: String,
}
event!(FrameDetached => "Page.frameDetached");

/// The event that a frame has a new document.
#[derive(Debug, Deserialize)]
pub struct FrameNavigated {
    /// The frame after the navigation.
    pub frame: FrameInfo,
    /// `Navigation`, or `BackForwardCacheRestore`: a document restored as it was left, whose lifecycle events are not
    /// repeated.
    #[serde(rename = "type", default)]
    pub kind: String,
}
event!(FrameNavigated => "Page.frameNavigated");

/// The event that the URL changed within a document, by a fragment or by the history interface.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigatedWithinDocument {
    pub frame_id: FrameId,
    /// The URL after the change.
    pub url: String,
}
event!(NavigatedWithinDocument => "Page.navigatedWithinDocument");

/// The event that the page requested a navigation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameRequestedNavigation {
    pub frame_id: FrameId,
    /// `currentTab`, `newTab`, `newWindow` or `download`.
    pub disposition: String,
}
event!(FrameRequestedNavigation => "Page.frameRequestedNavigation");

/// The event that a navigation started.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameStartedNavigating {
    pub frame_id: FrameId,
    pub url: String,
    /// The id of the load that has started.
    pub loader_id: LoaderId,
    /// `differentDocument`, `sameDocument`, `reload`, `historySameDocument`, ...
    pub navigation_type: String,
}
event!(FrameStartedNavigating => "Page.frameStartedNavigating");

/// The event that a frame has stopped loading, with or without success.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameStoppedLoading {
    pub frame_id: FrameId,
}
event!(FrameStoppedLoading => "Page.frameStoppedLoading");

/// The event that a document reached a step of its lifecycle.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleEvent {
    pub frame_id: FrameId,
    pub loader_id: LoaderId,
    /// The step: `init`, `DOMContentLoaded`, `load`, ...
    pub name: String,
}
event!(LifecycleEvent => "Page.lifecycleEvent");

/// The event that a dialog opened. The page is blocked until the dialog is answered.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JavascriptDialogOpening {
    /// The text that the dialog shows.
    pub message: String,
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The initial text of a prompt.
    pub default_prompt: Option<String>,
}
event!(JavascriptDialogOpening => "Page.javascriptDialogOpening");

/// The event that the page asks for files.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChooserOpened {
    /// `selectSingle` or `selectMultiple`.
    pub mode: String,
    /// The field that receives the files; `None` if a script asks without a field.
    pub backend_node_id: Option<BackendNodeId>,
}
event!(FileChooserOpened => "Page.fileChooserOpened");

/// The event that the process of the target crashed.
#[derive(Debug, Deserialize)]
pub struct TargetCrashed {}
event!(TargetCrashed => "Inspector.targetCrashed");

/// Starts reporting crashes.
#[derive(Debug, Default, Serialize)]
pub struct EnableInspector {}
command!(EnableInspector => "Inspector.enable" -> EmptyReply);
