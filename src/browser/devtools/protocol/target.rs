//! The domain Target: contexts, pages, frames of other origins, and the sessions that are attached to them.

use serde::{Deserialize, Serialize};

use crate::devtools::DevtoolsSessionId;

/// The id of a target: a page, a frame of another origin or a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub String);

/// The id of a browser context, which has its own cookies, storage and cache, like an incognito window.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContextId(pub String);

protocol! {
    /// The properties of a target.
    #[derive(Clone)]
    received TargetInfo {
        /// The id of the target; for a page also the id of its main frame.
        target_id: TargetId,
        /// `page`, `iframe`, `worker`, `service_worker`, ...
        #[serde(rename = "type")]
        kind: String,
        title: String,
        url: String,
        /// The target that opened this one.
        opener_id: Option<TargetId>,
        /// The context that the target belongs to.
        browser_context_id: Option<ContextId>,
    }

    #[derive(Default)]
    command CreateBrowserContext: "Target.createBrowserContext" -> CreatedContext {
        /// True to dispose of the context when the connection closes.
        dispose_on_detach: bool,
    }

    received CreatedContext {
        browser_context_id: ContextId,
    }

    /// Closes a context with all its pages.
    command DisposeBrowserContext: "Target.disposeBrowserContext" {
        browser_context_id: ContextId,
    }

    /// Opens a page.
    command CreateTarget: "Target.createTarget" -> CreatedTarget {
        /// The first URL of the page.
        url: String,
        browser_context_id: ContextId,
    }

    received CreatedTarget {
        target_id: TargetId,
    }

    /// Closes a page without a `beforeunload` dialog.
    command CloseTarget: "Target.closeTarget" {
        target_id: TargetId,
    }

    /// Attaches to every target that is created below this session, at once and each with a session of its own.
    command SetAutoAttach: "Target.setAutoAttach" {
        auto_attach: bool,
        /// True to let new targets wait for `Runtime.runIfWaitingForDebugger`, so that none of their events is missed.
        wait_for_debugger_on_start: bool,
        /// True to use one connection for all sessions, distinguished by their ids.
        flatten: bool,
    }

    /// The event that fumi was attached to a target.
    event AttachedToTarget: "Target.attachedToTarget" {
        /// The id of the new session.
        session_id: DevtoolsSessionId,
        target_info: TargetInfo,
    }

    /// The event that a target was closed, or that fumi was detached from it.
    event DetachedFromTarget: "Target.detachedFromTarget" {
        /// The id of the session that ended.
        session_id: DevtoolsSessionId,
    }

    /// Asks for all targets of all contexts.
    command GetTargets: "Target.getTargets" -> Targets {}

    received Targets {
        target_infos: Vec<TargetInfo>,
    }

    command DetachFromTarget: "Target.detachFromTarget" {
        session_id: DevtoolsSessionId,
    }
}
