//! The browser toolset: the parts that its tools share. One file is one tool; pages, sessions and Chromium are in
//! `fumi-browser`.
//!
//! Nearly all tools are [`on_tab::TabTool`]s: they do one thing on a tab, and [`on_tab::OnTab`] adds the observed
//! changes. `expectation` selects the parts of a reply; facts that no caller may miss are in every reply.

mod artifacts;
pub mod browser_click;
pub mod browser_close;
pub mod browser_console_messages;
pub mod browser_cookies;
pub mod browser_diagnose;
pub mod browser_drag;
pub mod browser_drop;
pub mod browser_emulate;
pub mod browser_evaluate;
pub mod browser_file_upload;
pub mod browser_fill;
pub mod browser_fill_form;
pub mod browser_find;
pub mod browser_find_elements;
pub mod browser_handle_dialog;
pub mod browser_hover;
pub mod browser_inspect_html;
pub mod browser_navigate;
pub mod browser_navigate_back;
pub mod browser_navigate_forward;
pub mod browser_network_request;
pub mod browser_network_requests;
pub mod browser_pdf_save;
pub mod browser_press_key;
pub mod browser_resize;
pub mod browser_select_option;
pub mod browser_snapshot;
pub mod browser_tabs;
pub mod browser_take_screenshot;
pub mod browser_type;
pub mod browser_wait_for;
mod default_expectation;
mod errors;
mod fill_reply;
mod limits;
mod observe;
pub mod on_tab;
mod playwright;
pub mod reply;
mod tab_lease;
mod target;

use std::sync::Arc;

use fumi_base::pools::Pool;
use fumi_browser::{BrowserService, BrowserSession, SessionOwner};
use fumi_kernel::{Cx, Effect, ToolError, ToolFamily, ToolSpec};

use crate::texts;
pub use default_expectation::DefaultExpectation;
pub use errors::BOOK;

/// The name of the toolset.
pub const TOOLSET: &str = "browser";

/// The properties that all browser tools share.
pub static FAMILY: ToolFamily = ToolFamily {
    // The names that other servers use for the same argument.
    renamed: &[("ref", "target"), ("selector", "target")],
    normalise: Some(target::normalise_targets),
    is_open_world: true,
    subject: &["browser_session", "target"],
    handle: Some("browser_session"),
    book: Some(|| &BOOK),
    ..ToolFamily::new("browser")
};

/// The base specification of a tool that changes pages. It has only the options that every tool has: each further option
/// would cost hundreds of tokens in a list of this many tools.
pub const ACTS: ToolSpec = ToolSpec { pool: Pool::Browser, effect: Effect::Pages, ..ToolSpec::base(TOOLSET, &FAMILY) };

/// The base specification of a tool that only reads pages, or opens one.
pub const LOOKS: ToolSpec = ToolSpec { effect: Effect::ReadOnly, ..ACTS };

/// The dependencies of browser tools.
#[derive(Debug)]
pub struct BrowserDeps {
    /// The one Chromium of this process.
    pub browser: Arc<BrowserService>,
}

impl BrowserDeps {
    /// Returns the session with this handle; without a handle the caller's own session, or a new one.
    pub async fn session(&self, cx: &Cx, handle: Option<&str>) -> Result<Arc<BrowserSession>, ToolError> {
        Ok(self.browser.session(&owner(cx), handle).await?)
    }
}

/// Returns the owner of the caller's sessions. No other owner can use them.
fn owner(cx: &Cx) -> SessionOwner {
    SessionOwner { principal: cx.caller.access.principal.to_string(), mcp_session: cx.caller.session.clone() }
}
