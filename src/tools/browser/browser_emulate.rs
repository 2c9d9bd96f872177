//! `browser_emulate`: emulates a colour scheme, reduced motion or a CSS medium for the page.

use fumi_base::expectation::Expectation;
use fumi_browser as browser;
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, default_expectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct Emulate;

/// The preferences to change; omitted ones keep their value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The value of `prefers-color-scheme`.
    pub color_scheme: Option<ColorSchemeArg>,
    /// The value of `prefers-reduced-motion`.
    pub reduced_motion: Option<ReducedMotionArg>,
    /// The medium of CSS media queries.
    pub media: Option<MediaArg>,
}

/// A colour scheme.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColorSchemeArg {
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// The amount of animation that a user prefers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReducedMotionArg {
    /// As little animation as possible.
    Reduce,
    /// Animation as the page chooses.
    NoPreference,
}

/// A medium of CSS media queries.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MediaArg {
    /// Styles for a screen.
    Screen,
    /// Styles for printing.
    Print,
}

impl From<&Args> for browser::Emulation {
    fn from(args: &Args) -> Self {
        Self {
            color_scheme: args.color_scheme.map(|scheme| match scheme {
                ColorSchemeArg::Light => browser::PreferredColorScheme::Light,
                ColorSchemeArg::Dark => browser::PreferredColorScheme::Dark,
            }),
            reduced_motion: args.reduced_motion.map(|motion| match motion {
                ReducedMotionArg::Reduce => browser::MotionPreference::Reduce,
                ReducedMotionArg::NoPreference => browser::MotionPreference::NoPreference,
            }),
            media: args.media.map(|media| match media {
                MediaArg::Screen => browser::EmulatedMedium::Screen,
                MediaArg::Print => browser::EmulatedMedium::Print,
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
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_emulate",
        texts: texts!("browser_emulate"),
        example: r#"{"colorScheme": "dark"}"#,
        rules: &[ArgumentRule::AnyOf(&["colorScheme", "reducedMotion", "media"])],
        ..ACTS
    };
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn expects(_args: &Args) -> Expectation {
        default_expectation::after_minor_act()
    }

    fn code(args: &Args) -> Vec<CodeLine> {
        let members = [
            member("colorScheme", args.color_scheme),
            member("reducedMotion", args.reduced_motion),
            member("media", args.media),
        ];
        let members: Vec<String> = members.into_iter().flatten().collect();
        vec![CodeLine::page(&format!("emulateMedia({{ {} }})", members.join(", ")))]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        on.tab.emulate(&(&args).into()).await?;
        Ok(EmptyAnswer {})
    }
}
