//! `browser_emulate`: emulates a colour scheme, reduced motion or a CSS medium for the page.

use fumi_base::expectation::Expectation;
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::Line,
    texts,
};
use crate::tool::{Cx, Rule, Spec, ToolError};

#[derive(Debug)]
pub struct Emulate;

/// What the client sends. What is left out stays as it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// `prefers-color-scheme`.
    pub color_scheme: Option<ColorScheme>,
    /// `prefers-reduced-motion`.
    pub reduced_motion: Option<ReducedMotion>,
    /// The CSS medium.
    pub media: Option<Media>,
}

/// A colour scheme.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColorScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// How much may move.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReducedMotion {
    /// Little.
    Reduce,
    /// As the page likes.
    NoPreference,
}

/// A medium.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Media {
    /// A screen.
    Screen,
    /// Paper.
    Print,
}

impl From<&Args> for browser::Emulation {
    fn from(args: &Args) -> Self {
        Self {
            color_scheme: args.color_scheme.map(|scheme| match scheme {
                ColorScheme::Light => browser::ColorScheme::Light,
                ColorScheme::Dark => browser::ColorScheme::Dark,
            }),
            reduced_motion: args.reduced_motion.map(|motion| match motion {
                ReducedMotion::Reduce => browser::ReducedMotion::Reduce,
                ReducedMotion::NoPreference => browser::ReducedMotion::NoPreference,
            }),
            media: args.media.map(|media| match media {
                Media::Screen => browser::Media::Screen,
                Media::Print => browser::Media::Print,
            }),
        }
    }
}

/// Returns a member of a TypeScript object, with the value in the client's spelling.
fn member<T: Serialize>(name: &str, value: Option<T>) -> Option<String> {
    let word = serde_json::to_value(value?).ok()?;
    Some(format!("{name}: '{}'", word.as_str()?))
}

impl TabTool for Emulate {
    const SPEC: Spec = Spec {
        name: "browser_emulate",
        texts: texts!("browser_emulate"),
        example: r#"{"colorScheme": "dark"}"#,
        rules: &[Rule::AnyOf(&["colorScheme", "reducedMotion", "media"])],
        ..ACTS
    };
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::touching()
    }

    fn code(args: &Args) -> Vec<Line> {
        let members = [
            member("colorScheme", args.color_scheme),
            member("reducedMotion", args.reduced_motion),
            member("media", args.media),
        ];
        let members: Vec<String> = members.into_iter().flatten().collect();
        vec![Line::page(&format!("emulateMedia({{ {} }})", members.join(", ")))]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        on.tab.emulate(&(&args).into()).await?;
        Ok(Nothing {})
    }
}
