//! The domain Page: documents and frames, navigation, dialogs, file choosers, downloads.

use serde::{Deserialize, Serialize};

use super::dom::BackendNodeId;

/// The id of a frame. A navigation does not change it, nor does a move to another process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(pub String);

/// The id of one load of one document; also the id of the request for that document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LoaderId(pub String);

protocol! {
    /// Starts reporting the domain's events.
    command EnablePage: "Page.enable" {}

    /// Reports the steps of every document (`init`, `DOMContentLoaded`, `load`, ...); past steps of existing documents
    /// are reported at once.
    command SetLifecycleEventsEnabled: "Page.setLifecycleEventsEnabled" {
        enabled: bool,
    }

    /// Asks for the frames of a target, as far as they run in its process.
    command GetFrameTree: "Page.getFrameTree" -> FrameTreeReply {}

    received FrameTreeReply {
        /// The tree, from the root frame down.
        frame_tree: FrameTree,
    }

    /// A frame with its child frames.
    received FrameTree {
        frame: FrameInfo,
        /// The frames inside this one.
        #[serde(default)]
        child_frames: Vec<FrameTree>,
    }

    /// The properties of a frame and its document.
    #[derive(Clone)]
    received FrameInfo {
        id: FrameId,
        /// The frame that contains this one.
        parent_id: Option<FrameId>,
        /// The id of the load of its document.
        loader_id: LoaderId,
        /// The document's URL without its fragment.
        url: String,
        /// The fragment of the URL, with `#`.
        url_fragment: Option<String>,
        /// The URL that could not be loaded, if the document is Chromium's error page.
        unreachable_url: Option<String>,
    }

    /// Runs a script at the start of every document, in a world of its own.
    command AddScriptToEvaluateOnNewDocument: "Page.addScriptToEvaluateOnNewDocument" {
        source: &'static str,
        world_name: &'static str,
        /// True to run the script in existing documents too.
        run_immediately: bool,
    }

    /// Creates a world in a frame, or returns the existing one of that name.
    command CreateIsolatedWorld: "Page.createIsolatedWorld" {
        frame_id: FrameId,
        world_name: &'static str,
    }

    /// Makes Chromium report file choosers instead of showing them.
    command SetInterceptFileChooserDialog: "Page.setInterceptFileChooserDialog" {
        enabled: bool,
    }

    /// Navigates to a URL. The reply comes when the document has arrived or failed.
    command NavigateToUrl: "Page.navigate" -> Navigated {
        url: String,
    }

    /// The result of a navigation.
    received Navigated {
        /// The id of the new load; `None` if the document stays the same.
        loader_id: Option<LoaderId>,
        /// The network error, such as `net::ERR_CONNECTION_REFUSED`.
        error_text: Option<String>,
        /// True if the response became a download.
        #[serde(default)]
        is_download: bool,
    }

    /// Stops all loading in the page.
    command StopLoading: "Page.stopLoading" {}

    /// Asks for the history of a tab.
    command GetNavigationHistory: "Page.getNavigationHistory" -> NavigationHistory {}

    /// The navigation history of a tab.
    received NavigationHistory {
        /// The index of the current entry, counted from 0.
        current_index: i64,
        /// The entries, the oldest first.
        entries: Vec<HistoryEntry>,
    }

    /// One entry of a tab's history.
    received HistoryEntry {
        /// The id to pass to [`NavigateToHistoryEntry`].
        id: i64,
        url: String,
    }

    command NavigateToHistoryEntry: "Page.navigateToHistoryEntry" {
        entry_id: i64,
    }

    /// Accepts or dismisses an open dialog.
    command HandleJavaScriptDialog: "Page.handleJavaScriptDialog" {
        /// True for OK, false for cancel.
        accept: bool,
        /// The text to enter into a prompt.
        #[serde(skip_serializing_if = "Option::is_none")]
        prompt_text: Option<String>,
    }

    command BringToFront: "Page.bringToFront" {}

    /// The event that a frame was created, or came back into this process.
    event FrameAttached: "Page.frameAttached" {
        frame_id: FrameId,
        /// The frame that contains the new one.
        parent_frame_id: FrameId,
    }

    /// The event that a frame was removed, or moved to another process.
    event FrameDetached: "Page.frameDetached" {
        frame_id: FrameId,
        /// `remove` or `swap`.
        reason: String,
    }

    /// The event that a frame has a new document.
    event FrameNavigated: "Page.frameNavigated" {
        /// The frame after the navigation.
        frame: FrameInfo,
        /// `Navigation`, or `BackForwardCacheRestore`: a document restored as it was left, whose lifecycle events are
        /// not repeated.
        #[serde(rename = "type", default)]
        kind: String,
    }

    /// The event that the URL changed within a document, by a fragment or by the history interface.
    event NavigatedWithinDocument: "Page.navigatedWithinDocument" {
        frame_id: FrameId,
        /// The URL after the change.
        url: String,
    }

    /// The event that the page requested a navigation.
    event FrameRequestedNavigation: "Page.frameRequestedNavigation" {
        frame_id: FrameId,
        /// `currentTab`, `newTab`, `newWindow` or `download`.
        disposition: String,
    }

    /// The event that a navigation started.
    event FrameStartedNavigating: "Page.frameStartedNavigating" {
        frame_id: FrameId,
        url: String,
        /// The id of the load that has started.
        loader_id: LoaderId,
        /// `differentDocument`, `sameDocument`, `reload`, `historySameDocument`, ...
        navigation_type: String,
    }

    /// The event that a frame has stopped loading, with or without success.
    event FrameStoppedLoading: "Page.frameStoppedLoading" {
        frame_id: FrameId,
    }

    /// The event that a document reached a step of its lifecycle.
    event LifecycleEvent: "Page.lifecycleEvent" {
        frame_id: FrameId,
        loader_id: LoaderId,
        /// The step: `init`, `DOMContentLoaded`, `load`, ...
        name: String,
    }

    /// The event that a dialog opened. The page is blocked until the dialog is answered.
    event JavascriptDialogOpening: "Page.javascriptDialogOpening" {
        /// The text that the dialog shows.
        message: String,
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        #[serde(rename = "type")]
        kind: String,
        /// The initial text of a prompt.
        default_prompt: Option<String>,
    }

    /// The event that the page asks for files.
    event FileChooserOpened: "Page.fileChooserOpened" {
        /// `selectSingle` or `selectMultiple`.
        mode: String,
        /// The field that receives the files; `None` if a script asks without a field.
        backend_node_id: Option<BackendNodeId>,
    }

    /// The event that the process of the target crashed.
    event TargetCrashed: "Inspector.targetCrashed" {}

    /// Starts reporting crashes.
    command EnableInspector: "Inspector.enable" {}
}
