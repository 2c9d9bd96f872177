//! `browser_click`: clicks an element or a point.

use fumi_browser::{ClickOptions, ModifierKey, PointerButton};
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    target::{TargetArg, aim},
    texts,
};

#[derive(Debug)]
pub struct ClickTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The element to click.
    pub target: Option<TargetArg>,
    /// The point to click instead, in CSS pixels of the viewport.
    pub coordinate: Option<[f64; 2]>,
    /// True for a double click.
    #[serde(default)]
    pub double_click: bool,
    /// The mouse button; the left one by default.
    #[serde(default)]
    pub button: Option<PointerButton>,
    /// The keys that are held during the click.
    #[serde(default)]
    pub modifiers: Vec<ModifierKey>,
}

/// Returns the options object of the Playwright call for this click; empty for a plain left click.
fn options(args: &Args) -> String {
    let mut options = Vec::new();
    if let Some(button) = args.button.filter(|button| *button != PointerButton::Left) {
        options.push(format!("button: '{}'", format!("{button:?}").to_lowercase()));
    }
    if !args.modifiers.is_empty() {
        let held: Vec<String> = args.modifiers.iter().map(|key| format!("{key:?}")).collect();
        options.push(format!("modifiers: {}", playwright::list(&held)));
    }
    if options.is_empty() { String::new() } else { format!("{{ {} }}", options.join(", ")) }
}

impl TabTool for ClickTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_click",
        texts: texts!("browser_click"),
        example: r#"{"target": "role=button[name=\"Save\"]"}"#,
        rules: &[ArgumentRule::ExactlyOne(&["target", "coordinate"])],
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Args) -> Vec<CodeLine> {
        let (kind, options) = (if args.double_click { "dblclick" } else { "click" }, options(args));
        vec![match (&args.target, args.coordinate) {
            (Some(target), _) => CodeLine::on(target.target(), &format!("{kind}({options})")),
            (None, place) => {
                let [x, y] = place.unwrap_or_default();
                let rest = if options.is_empty() { options } else { format!(", {options}") };
                CodeLine::page(&format!("mouse.{kind}({x}, {y}{rest})"))
            }
        }]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        let click = ClickOptions {
            button: args.button.unwrap_or_default(),
            double: args.double_click,
            modifiers: args.modifiers,
        };
        on.tab.click(&aim(args.target.as_ref(), args.coordinate), &click).await?;
        Ok(EmptyAnswer {})
    }
}
