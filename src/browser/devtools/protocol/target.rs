//! The domain Target: contexts, pages, frames of other origins, and the sessions that are attached to them.

use serde::{Deserialize, Serialize};

use crate::devtools::{DevtoolsSessionId, EmptyReply};

/// The id of a target: a page, a frame of another origin or a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub String);

/// The id of a browser context, which has its own cookies, storage and cache, like an incognito window.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContextId(pub String);

/// The properties of a target.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// The id of the target; for a page also the id of its main frame.
    pub target_id: TargetId,
    /// `page`, `iframe`, `worker`, `service_worker`, ...
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub url: String,
    /// The target that opened this one.
    pub opener_id: Option<TargetId>,
    /// The context that the target belongs to.
    pub browser_context_id: Option<ContextId>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateBrowserContext {
    /// True to dispose of the context when the connection closes.
    pub dispose_on_detach: bool,
}
command!(CreateBrowserContext => "Target.createBrowserContext" -> CreatedContext);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedContext {
    pub browser_context_id: ContextId,
}

/// Closes a context with all its pages.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DisposeBrowserContext {
    pub browser_context_id: ContextId,
}
command!(DisposeBrowserContext => "Target.disposeBrowserContext" -> EmptyReply);

/// Opens a page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateTarget {
    /// The first URL of the page.
    pub url: String,
    pub browser_context_id: ContextId,
}
command!(CreateTarget => "Target.createTarget" -> CreatedTarget);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedTarget {
    pub target_id: TargetId,
}

/// Closes a page without a `beforeunload` dialog.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseTarget {
    pub target_id: TargetId,
}
command!(CloseTarget => "Target.closeTarget" -> EmptyReply);

/// Attaches to every target that is created below this session, at once and each with a session of its own.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetAutoAttach {
    pub auto_attach: bool,
    /// True to let new targets wait for `Runtime.runIfWaitingForDebugger`, so that none of their events is missed.
    pub wait_for_debugger_on_start: bool,
    /// True to use one connection for all sessions, distinguished by their ids.
    pub flatten: bool,
}
command!(SetAutoAttach => "Target.setAutoAttach" -> EmptyReply);

/// The event that fumi was attached to a target.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedToTarget {
    /// The id of the new session.
    pub session_id: DevtoolsSessionId,
    pub target_info: TargetInfo,
}
event!(AttachedToTarget => "Target.attachedToTarget");

/// The event that a target was closed, or that fumi was detached from it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachedFromTarget {
    /// The id of the session that ended.
    pub session_id: DevtoolsSessionId,
}
event!(DetachedFromTarget => "Target.detachedFromTarget");

/// Asks for all targets of all contexts.
#[derive(Debug, Serialize)]
pub struct GetTargets {}
command!(GetTargets => "Target.getTargets" -> Targets);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targets {
    pub target_infos: Vec<TargetInfo>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachFromTarget {
    pub session_id: DevtoolsSessionId,
}
command!(DetachFromTarget => "Target.detachFromTarget" -> EmptyReply);
