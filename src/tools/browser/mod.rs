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

use std::{sync::Arc, time::Duration};

use fumi_base::pools::Pool;
use fumi_browser::{BrowserService, BrowserSession, SessionOwner};
use fumi_kernel::{Cx, Effect, ToolError, ToolFamily, ToolSpec, ToolTextFiles, validate::MAX_STRING};

pub use default_expectation::DefaultExpectation;
pub use errors::BOOK;

/// The name of the toolset.
pub const TOOLSET: &str = "browser";

/// The properties that all browser tools share.
pub static FAMILY: ToolFamily = ToolFamily {
    name: "browser",
    // The names that other servers use for the same argument.
    renamed: &[("ref", "target"), ("selector", "target")],
    normalise: Some(target::normalise_targets),
    is_open_world: true,
    max_string_bytes: MAX_STRING,
    subject: &["browser_session", "target"],
    handle: Some("browser_session"),
    project: None,
    details: &[],
    book: Some(|| &BOOK),
    unlisted: &[],
    guides: None,
};

/// The base specification of a tool that changes pages, to be completed with its name, texts and example.
pub const ACTS: ToolSpec = ToolSpec {
    name: "",
    aliases: &[],
    toolset: TOOLSET,
    other_toolsets: &[],
    family: &FAMILY,
    listed: true,
    texts: ToolTextFiles { en: "", ja: "" },
    example: "{}",
    // Only the options that every tool has: each further option would cost hundreds of tokens in a list of this many
    // tools.
    options: &[],
    rules: &[],
    pool: Pool::Browser,
    exclusive: false,
    timeout: Duration::from_secs(30),
    cached: false,
    effect: Effect::Pages,
};

/// The base specification of a tool that only reads pages, or opens one.
pub const LOOKS: ToolSpec = ToolSpec { effect: Effect::ReadOnly, ..ACTS };

/// Embeds the two text files of a tool, which are beside its source file.
macro_rules! texts {
    ($name:literal) => {
        fumi_kernel::ToolTextFiles {
            en: include_str!(concat!($name, ".en.md")),
            ja: include_str!(concat!($name, ".ja.md")),
        }
    };
}
pub(crate) use texts;

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
