//! `browser_click`: clicks an element or a point.

use fumi_base::expectation::Expectation;
use fumi_browser as browser;
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, default_expectation,
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
    pub button: Option<ButtonArg>,
    /// The keys that are held during the click.
    #[serde(default)]
    pub modifiers: Vec<ModifierArg>,
}

/// A mouse button.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ButtonArg {
    /// The primary button.
    #[default]
    Left,
    /// The button that opens context menus.
    Right,
    /// The button of the wheel.
    Middle,
}

/// A key that is held during a click.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub enum ModifierArg {
    /// The Alt key.
    Alt,
    /// The Control key.
    Control,
    /// Control, or Meta on a system where that is the usual key.
    ControlOrMeta,
    /// The Meta key.
    Meta,
    /// The Shift key.
    Shift,
}

impl From<ButtonArg> for browser::PointerButton {
    fn from(button: ButtonArg) -> Self {
        match button {
            ButtonArg::Left => Self::Left,
            ButtonArg::Right => Self::Right,
            ButtonArg::Middle => Self::Middle,
        }
    }
}

impl From<ModifierArg> for browser::ModifierKey {
    fn from(modifier: ModifierArg) -> Self {
        match modifier {
            ModifierArg::Alt => Self::Alt,
            ModifierArg::Control => Self::Control,
            ModifierArg::ControlOrMeta => Self::ControlOrMeta,
            ModifierArg::Meta => Self::Meta,
            ModifierArg::Shift => Self::Shift,
        }
    }
}

/// Returns the options object of the Playwright call for this click; empty for a plain left click.
fn options(args: &Args) -> String {
    let mut options = Vec::new();
    if let Some(button) = args.button.filter(|button| !matches!(button, ButtonArg::Left)) {
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
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn expects(_args: &Args) -> Expectation {
        default_expectation::after_act()
    }

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
        let click = browser::ClickOptions {
            button: args.button.unwrap_or_default().into(),
            double: args.double_click,
            modifiers: args.modifiers.into_iter().map(Into::into).collect(),
        };
        on.tab.click(&aim(args.target.as_ref(), args.coordinate), &click).await?;
        Ok(EmptyAnswer {})
    }
}
