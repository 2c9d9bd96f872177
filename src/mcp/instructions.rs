//! The instructions that a client's model reads first: how the tools are used together.
//!
//! Invariant: they name only tools that are listed for the caller in some project that the session may have, so that
//! one text serves every scope (see [`fumi_kernel::prompts`], whose format they use). They are in the operator's language,
//! because a client requests them before it states its own.

use fumi_base::text::Locale;
use fumi_kernel::{Access, prompts::rendered};

use super::prompts;
use crate::app::App;

/// Returns the text for a caller in the default project.
pub fn for_default_project(app: &App, access: &Access) -> String {
    for_any_project(app, &app.listed_access(access, access.default_project(&app.kernel.roots)))
}

/// Returns the text for a caller whose project is not known yet.
pub fn for_any_project(app: &App, access: &Access) -> String {
    let text = match app.config.tools.language {
        Locale::En => include_str!("instructions.en.md"),
        Locale::Ja => include_str!("instructions.ja.md"),
    };
    let render = |text: &str| rendered(text, &[], |tool| prompts::can_call(app, access, tool));
    // Some clients show only the first line until the tools are needed: it lists what is available.
    let (offers, advice) = text.split_once("\n\n").unwrap_or(("", text));
    let (between, end) = match app.config.tools.language {
        Locale::En => ("; ", "."),
        Locale::Ja => ("、", "。"),
    };
    let offers = render(offers).lines().collect::<Vec<_>>().join(between);
    let offers = if offers.is_empty() { offers } else { format!("fumi: {offers}{end}\n") };
    offers + &render(advice)
}
