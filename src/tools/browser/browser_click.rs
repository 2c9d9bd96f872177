//! `browser_click`: clicks an element or a point.

use fumi_base::expectation::Expectation;
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::{self, Line},
    target::{Named, aim},
    texts,
};
use crate::tool::{Cx, Rule, Spec, ToolError};

#[derive(Debug)]
pub struct Click;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// What to click.
    pub target: Option<Named>,
    /// Where to click instead, in CSS pixels of the viewport.
    pub coordinate: Option<[f64; 2]>,
    /// Twice.
    #[serde(default)]
    pub double_click: bool,
    /// Which button.
    #[serde(default)]
    pub button: Option<Button>,
    /// Keys that are held meanwhile.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Button {
    /// The first.
    #[default]
    Left,
    /// The one of the context menu.
    Right,
    /// The wheel.
    Middle,
}

/// A key that is held.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub enum Modifier {
    /// Alt.
    Alt,
    /// Control.
    Control,
    /// Control, or Meta where that is the usual key.
    ControlOrMeta,
    /// Meta.
    Meta,
    /// Shift.
    Shift,
}

impl From<Button> for browser::Button {
    fn from(button: Button) -> Self {
        match button {
            Button::Left => Self::Left,
            Button::Right => Self::Right,
            Button::Middle => Self::Middle,
        }
    }
}

impl From<Modifier> for browser::Modifier {
    fn from(modifier: Modifier) -> Self {
        match modifier {
            Modifier::Alt => Self::Alt,
            Modifier::Control => Self::Control,
            Modifier::ControlOrMeta => Self::ControlOrMeta,
            Modifier::Meta => Self::Meta,
            Modifier::Shift => Self::Shift,
        }
    }
}

/// Returns the options object of the Playwright call for this click; empty for a plain left click.
fn options(args: &Args) -> String {
    let mut options = Vec::new();
    if let Some(button) = args.button.filter(|button| !matches!(button, Button::Left)) {
        options.push(format!("button: '{}'", format!("{button:?}").to_lowercase()));
    }
    if !args.modifiers.is_empty() {
        let held: Vec<String> = args.modifiers.iter().map(|key| format!("{key:?}")).collect();
        options.push(format!("modifiers: {}", playwright::list(&held)));
    }
    if options.is_empty() {
        String::new()
    } else {
        format!("{{ {} }}", options.join(", "))
    }
}

impl TabTool for Click {
    const SPEC: Spec = Spec {
        name: "browser_click",
        texts: texts!("browser_click"),
        example: r#"{"target": "role=button[name=\"Save\"]"}"#,
        rules: &[Rule::ExactlyOne(&["target", "coordinate"])],
        ..ACTS
    };
    const IS_HASTY: bool = true;
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        let (kind, options) = (if args.double_click { "dblclick" } else { "click" }, options(args));
        vec![match (&args.target, args.coordinate) {
            (Some(target), _) => Line::on(target.target(), &format!("{kind}({options})")),
            (None, place) => {
                let [x, y] = place.unwrap_or_default();
                let rest = if options.is_empty() {
                    options
                } else {
                    format!(", {options}")
                };
                Line::page(&format!("mouse.{kind}({x}, {y}{rest})"))
            }
        }]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        let click = browser::Click {
            button: args.button.unwrap_or_default().into(),
            double: args.double_click,
            modifiers: args.modifiers.into_iter().map(Into::into).collect(),
        };
        on.tab
            .click(&aim(args.target.as_ref(), args.coordinate), &click)
            .await?;
        Ok(Nothing {})
    }
}
