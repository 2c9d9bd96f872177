//! `browser_emulate`: emulates a colour scheme, reduced motion or a CSS medium for the page.

use fumi_browser::Emulation;
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use serde::Serialize;

use super::{
    ACTS, DefaultExpectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct Emulate;

/// Returns a member of a TypeScript object, with the value in the client's spelling.
fn member<T: Serialize>(name: &str, value: Option<T>) -> Option<String> {
    let word = serde_json::to_value(value?).ok()?;
    Some(format!("{name}: '{}'", word.as_str()?))
}

impl TabTool for Emulate {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_emulate",
        texts: texts!("browser_emulate"),
        example: r#"{"colorScheme": "dark"}"#,
        rules: &[ArgumentRule::AnyOf(&["colorScheme", "reducedMotion", "media"])],
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::MinorAct;
    type Args = Emulation;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Emulation) -> Vec<CodeLine> {
        let members = [
            member("colorScheme", args.color_scheme),
            member("reducedMotion", args.reduced_motion),
            member("media", args.media),
        ];
        let members: Vec<String> = members.into_iter().flatten().collect();
        vec![CodeLine::page(&format!("emulateMedia({{ {} }})", members.join(", ")))]
    }

    async fn act(args: Emulation, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        on.tab.emulate(&args).await?;
        Ok(EmptyAnswer {})
    }
}
