//! What a client's model reads first: how the tools are used together.
//!
//! Invariant: it names no tool that its caller cannot call, so that one text serves every scope (see [`super::prompts`], whose form it
//! has). It is in the operator's language, because a client asks for it before it says its own.

use fumi_base::text::Locale;

use super::prompts;
use crate::{app::App, tool::Access};

/// The text for a caller.
#[must_use]
pub fn of(app: &App, access: &Access) -> String {
    let text = match app.config.tools.language {
        Locale::En => include_str!("instructions.en.md"),
        Locale::Ja => include_str!("instructions.ja.md"),
    };
    prompts::rendered(text, &[], |tool| prompts::can_call(app, access, tool))
}
