//! The domain Target: contexts, pages, frames of other origins, and how fumi is attached to them.

use serde::{Deserialize, Serialize};

use crate::devtools::{Nothing, SessionId};

/// A target: a page, a frame of another origin, a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub String);

/// An incognito-like context: cookies, storage and cache of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContextId(pub String);

/// What is known of a target.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// Its id; of a page also the id of its main frame.
    pub target_id: TargetId,
    /// `page`, `iframe`, `worker`, `service_worker`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Title.
    pub title: String,
    /// URL.
    pub url: String,
    /// The target that opened it.
    pub opener_id: Option<TargetId>,
    /// The context that it lives in.
    pub browser_context_id: Option<ContextId>,
}

/// Makes a context.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateBrowserContext {
    /// Dispose of it when the connection ends.
    pub dispose_on_detach: bool,
}
command!(CreateBrowserContext => "Target.createBrowserContext" -> CreatedContext);

/// The context made.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedContext {
    /// Its id.
    pub browser_context_id: ContextId,
}

/// Ends a context with all its pages.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DisposeBrowserContext {
    /// Which.
    pub browser_context_id: ContextId,
}
command!(DisposeBrowserContext => "Target.disposeBrowserContext" -> Nothing);

/// Opens a page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateTarget {
    /// Its first URL.
    pub url: String,
    /// The context.
    pub browser_context_id: ContextId,
}
command!(CreateTarget => "Target.createTarget" -> CreatedTarget);

/// The page opened.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedTarget {
    /// Its id.
    pub target_id: TargetId,
}

/// Closes a page without asking it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseTarget {
    /// Which.
    pub target_id: TargetId,
}
command!(CloseTarget => "Target.closeTarget" -> Nothing);

/// Attaches to whatever comes into being below this session, at once and each with a session of its own.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetAutoAttach {
    /// On or off.
    pub auto_attach: bool,
    /// New targets wait for `Runtime.runIfWaitingForDebugger`, so that nothing of them is missed.
    pub wait_for_debugger_on_start: bool,
    /// Sessions of one connection, told apart by their id.
    pub flatten: bool,
}
command!(SetAutoAttach => "Target.setAutoAttach" -> Nothing);

/// Fumi is attached to a target.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedToTarget {
    /// The new session.
    pub session_id: SessionId,
    /// Of this target.
    pub target_info: TargetInfo,
}
happening!(AttachedToTarget => "Target.attachedToTarget");

/// A target is gone, or fumi no longer attached to it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachedFromTarget {
    /// Its session.
    pub session_id: SessionId,
}
happening!(DetachedFromTarget => "Target.detachedFromTarget");

/// Asks for all targets, of all contexts.
#[derive(Debug, Serialize)]
pub struct GetTargets {}
command!(GetTargets => "Target.getTargets" -> Targets);

/// The targets.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targets {
    /// What they are now.
    pub target_infos: Vec<TargetInfo>,
}

/// Ends an attachment.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachFromTarget {
    /// Which.
    pub session_id: SessionId,
}
command!(DetachFromTarget => "Target.detachFromTarget" -> Nothing);
