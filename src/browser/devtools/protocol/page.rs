//! The domain Page: documents and frames, navigation, dialogs, file choosers, downloads.

use serde::{Deserialize, Serialize};

use super::dom::BackendNodeId;
use crate::devtools::Nothing;

/// A frame; the same over navigations, also when another process takes it over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(pub String);

/// One loading of one document; also the id of the request of that document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LoaderId(pub String);

/// Begins to report the domain's events.
#[derive(Debug, Default, Serialize)]
pub struct Enable {}
command!(Enable => "Page.enable" -> Nothing);

/// Reports `init`, `DOMContentLoaded`, `load` and the like of every document; those of documents that exist at once.
#[derive(Debug, Serialize)]
pub struct SetLifecycleEventsEnabled {
    /// On or off.
    pub enabled: bool,
}
command!(SetLifecycleEventsEnabled => "Page.setLifecycleEventsEnabled" -> Nothing);

/// The frames of this process below the target.
#[derive(Debug, Default, Serialize)]
pub struct GetFrameTree {}
command!(GetFrameTree => "Page.getFrameTree" -> FrameTreeReply);

/// The frames.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTreeReply {
    /// From the root on.
    pub frame_tree: FrameTree,
}

/// A frame with those inside it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTree {
    /// The frame.
    pub frame: FrameInfo,
    /// Those inside it.
    #[serde(default)]
    pub child_frames: Vec<FrameTree>,
}

/// What is known of a frame and its document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameInfo {
    /// Its id.
    pub id: FrameId,
    /// The frame that it is in.
    pub parent_id: Option<FrameId>,
    /// Its document.
    pub loader_id: LoaderId,
    /// The document's URL without its fragment.
    pub url: String,
    /// The fragment, with `#`.
    pub url_fragment: Option<String>,
    /// The URL that could not be loaded, where this is Chromium's page about that.
    pub unreachable_url: Option<String>,
}

/// Runs a script at the start of every document, in a world of its own.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddScriptToEvaluateOnNewDocument {
    /// The script.
    pub source: &'static str,
    /// The name of the world.
    pub world_name: &'static str,
    /// Also in documents that exist.
    pub run_immediately: bool,
}
command!(AddScriptToEvaluateOnNewDocument => "Page.addScriptToEvaluateOnNewDocument" -> Nothing);

/// Makes a world in a frame, or finds it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateIsolatedWorld {
    /// Where.
    pub frame_id: FrameId,
    /// Its name.
    pub world_name: &'static str,
}
command!(CreateIsolatedWorld => "Page.createIsolatedWorld" -> Nothing);

/// File choosers are reported and not shown.
#[derive(Debug, Serialize)]
pub struct SetInterceptFileChooserDialog {
    /// On or off.
    pub enabled: bool,
}
command!(SetInterceptFileChooserDialog => "Page.setInterceptFileChooserDialog" -> Nothing);

/// Goes to a URL. Answered when the document has arrived or failed.
#[derive(Debug, Serialize)]
pub struct Navigate {
    /// Where to.
    pub url: String,
}
command!(Navigate => "Page.navigate" -> Navigated);

/// What came of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Navigated {
    /// The new document; none if the same stays.
    pub loader_id: Option<LoaderId>,
    /// Such as `net::ERR_CONNECTION_REFUSED`.
    pub error_text: Option<String>,
    /// It became a download.
    #[serde(default)]
    pub is_download: bool,
}

/// Stops loading.
#[derive(Debug, Default, Serialize)]
pub struct StopLoading {}
command!(StopLoading => "Page.stopLoading" -> Nothing);

/// Where this tab has been.
#[derive(Debug, Default, Serialize)]
pub struct GetNavigationHistory {}
command!(GetNavigationHistory => "Page.getNavigationHistory" -> History);

/// Where this tab has been.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Where it is now, from 0.
    pub current_index: i64,
    /// The oldest first.
    pub entries: Vec<HistoryEntry>,
}

/// One place in the history.
#[derive(Debug, Deserialize)]
pub struct HistoryEntry {
    /// Its number for [`NavigateToHistoryEntry`].
    pub id: i64,
    /// Its URL.
    pub url: String,
}

/// Goes back or forward.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigateToHistoryEntry {
    /// Where to.
    pub entry_id: i64,
}
command!(NavigateToHistoryEntry => "Page.navigateToHistoryEntry" -> Nothing);

/// Answers an open dialog.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandleJavaScriptDialog {
    /// OK or cancel.
    pub accept: bool,
    /// What is typed into a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_text: Option<String>,
}
command!(HandleJavaScriptDialog => "Page.handleJavaScriptDialog" -> Nothing);

/// Brings the tab to the front.
#[derive(Debug, Default, Serialize)]
pub struct BringToFront {}
command!(BringToFront => "Page.bringToFront" -> Nothing);

/// A frame came into being, or came back into this process.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameAttached {
    /// Which.
    pub frame_id: FrameId,
    /// Inside which.
    pub parent_frame_id: FrameId,
}
happening!(FrameAttached => "Page.frameAttached");

/// A frame went, or went into another process.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameDetached {
    /// Which.
    pub frame_id: FrameId,
    /// `remove` or `swap`.
    pub reason: String,
}
happening!(FrameDetached => "Page.frameDetached");

/// A frame has another document.
#[derive(Debug, Deserialize)]
pub struct FrameNavigated {
    /// The frame as it is now.
    pub frame: FrameInfo,
    /// `Navigation`, or `BackForwardCacheRestore`: a document as it was left, whose steps are not told again.
    #[serde(rename = "type", default)]
    pub kind: String,
}
happening!(FrameNavigated => "Page.frameNavigated");

/// A document has another URL: a fragment or the history interface.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NavigatedWithinDocument {
    /// Which frame.
    pub frame_id: FrameId,
    /// The URL now.
    pub url: String,
}
happening!(NavigatedWithinDocument => "Page.navigatedWithinDocument");

/// The page asked for a navigation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameRequestedNavigation {
    /// Of which frame.
    pub frame_id: FrameId,
    /// `currentTab`, `newTab`, `newWindow` or `download`.
    pub disposition: String,
}
happening!(FrameRequestedNavigation => "Page.frameRequestedNavigation");

/// A navigation began.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameStartedNavigating {
    /// Of which frame.
    pub frame_id: FrameId,
    /// The document that will be.
    pub loader_id: LoaderId,
    /// `differentDocument`, `sameDocument`, `reload`, `historySameDocument`, ...
    pub navigation_type: String,
}
happening!(FrameStartedNavigating => "Page.frameStartedNavigating");

/// Nothing of a frame is on its way any more, whatever came of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameStoppedLoading {
    /// Which.
    pub frame_id: FrameId,
}
happening!(FrameStoppedLoading => "Page.frameStoppedLoading");

/// A document got further.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleEvent {
    /// In which frame.
    pub frame_id: FrameId,
    /// Which document.
    pub loader_id: LoaderId,
    /// `init`, `DOMContentLoaded`, `load`, ...
    pub name: String,
}
happening!(LifecycleEvent => "Page.lifecycleEvent");

/// A dialog opened; the page stands still until it is answered.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JavascriptDialogOpening {
    /// What it says.
    pub message: String,
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What a prompt holds already.
    pub default_prompt: Option<String>,
}
happening!(JavascriptDialogOpening => "Page.javascriptDialogOpening");

/// The page asks for files.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChooserOpened {
    /// `selectSingle` or `selectMultiple`.
    pub mode: String,
    /// The field that will hold them; none where a script asks without one.
    pub backend_node_id: Option<BackendNodeId>,
}
happening!(FileChooserOpened => "Page.fileChooserOpened");

/// The process of this target crashed.
#[derive(Debug, Deserialize)]
pub struct TargetCrashed {}
happening!(TargetCrashed => "Inspector.targetCrashed");

/// Begins to report crashes.
#[derive(Debug, Default, Serialize)]
pub struct EnableInspector {}
command!(EnableInspector => "Inspector.enable" -> Nothing);
