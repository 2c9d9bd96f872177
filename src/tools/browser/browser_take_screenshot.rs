//! `browser_take_screenshot`: takes a screenshot of the viewport, the whole page or one element.

use std::io::Cursor;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use fumi_base::{
    expectation::{Expectation, ImageFormat, ImageOptions},
    text::Locale,
};
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, expected,
    on_tab::{Done, On, TabTool},
    playwright::Line,
    refused::Refused,
    saved,
    target::Named,
    texts,
};
use crate::tool::{Block, Cx, Rule, Spec, ToolError};

/// The maximum bytes of an image in a reply, about as large as the APIs of models accept.
const LARGEST: usize = 5 << 20;

#[derive(Debug)]
pub struct TakeScreenshot;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Only this element.
    pub target: Option<Named>,
    /// The whole page instead of the viewport.
    #[serde(default)]
    pub full_page: bool,
    /// Its format.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Save it instead of sending it.
    #[schemars(length(min = 1))]
    pub filename: Option<String>,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Exact.
    Png,
    /// Small.
    Jpeg,
    /// Smaller.
    Webp,
}

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Taken {
    /// Pixels.
    width: u32,
    /// Pixels.
    height: u32,
    /// Its size.
    bytes: usize,
    /// Its media type.
    mime_type: &'static str,
    /// Whether it is smaller than asked for, since it would have had too many pixels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reduced: bool,
    /// How much this one shows of what is too large for a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<Cut>,
    /// Where it was saved, in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip)]
    image: Option<Block>,
}

/// Heights in CSS pixels.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cut {
    /// What is shown.
    shown: u32,
    /// What there is.
    of: u32,
}

impl Done for Taken {
    fn text(&self, locale: Locale) -> String {
        let cut = self.cut.as_ref().map(|Cut { shown, of }| match locale {
            Locale::En => format!("\nthe first {shown} of {of} CSS pixels: take the rest by target"),
            Locale::Ja => {
                format!("\n縦 {of} CSS ピクセルのうち先頭 {shown} だけです。残りは target を指定して撮ってください")
            }
        });
        let file = self.file.as_ref().map(|file| format!(" → {file}"));
        let (width, height, bytes, mime) = (self.width, self.height, self.bytes, self.mime_type);
        let (file, cut) = (file.unwrap_or_default(), cut.unwrap_or_default());
        let reduced = match (self.reduced, locale) {
            (false, _) => "",
            (true, Locale::En) => "\nmade smaller: it would have had too many pixels",
            (true, Locale::Ja) => "\n画素数が多すぎるため縮小しました",
        };
        format!("{mime} {width}x{height}, {bytes} bytes{file}{reduced}{cut}")
    }

    fn blocks(&self) -> Vec<Block> {
        self.image.iter().cloned().collect()
    }
}

/// Returns the image format: the call's type first, then the ending of its filename, then the expectation's format,
/// then PNG.
fn format(args: &Args, options: &ImageOptions) -> browser::ImageFormat {
    let named = || {
        let (_, extension) = args.filename.as_deref()?.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(Kind::Png),
            "jpg" | "jpeg" => Some(Kind::Jpeg),
            "webp" => Some(Kind::Webp),
            _ => None,
        }
    };
    let expected = || {
        Some(match options.format? {
            ImageFormat::Png => Kind::Png,
            ImageFormat::Jpeg => Kind::Jpeg,
            ImageFormat::Webp => Kind::Webp,
        })
    };
    match args.kind.or_else(named).or_else(expected).unwrap_or(Kind::Png) {
        Kind::Png => browser::ImageFormat::Png,
        Kind::Jpeg => browser::ImageFormat::Jpeg,
        Kind::Webp => browser::ImageFormat::Webp,
    }
}

impl TabTool for TakeScreenshot {
    const SPEC: Spec = Spec {
        name: "browser_take_screenshot",
        texts: texts!("browser_take_screenshot"),
        example: r#"{"type": "jpeg"}"#,
        rules: &[Rule::Without("fullPage", &["target"])],
        ..LOOKS
    };
    type Args = Args;
    type Done = Taken;

    fn expects(_args: &Args) -> Expectation {
        expected::answering()
    }

    fn code(args: &Args) -> Vec<Line> {
        vec![match &args.target {
            Some(target) => Line::on(target.target(), "screenshot()"),
            None if args.full_page => Line::page("screenshot({ fullPage: true })"),
            None => Line::page("screenshot()"),
        }]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        let place = args.filename.as_deref().map(|filename| saved::place(cx, filename));
        place.transpose().map(drop)
    }

    async fn act(args: Args, on: &mut On<'_>, cx: &Cx) -> Result<Taken, ToolError> {
        let options = &cx.expectation.image_options;
        let shot = browser::Shot {
            target: args.target.as_ref().map(Named::target),
            full_page: args.full_page,
            format: format(&args, options),
            quality: options.quality,
            max_width: options.max_width,
            max_height: options.max_height,
        };
        let picture = on.tab.screenshot(&shot).await?;
        let mut taken = Taken {
            width: picture.width,
            height: picture.height,
            bytes: picture.bytes.len(),
            mime_type: picture.mime,
            reduced: picture.is_reduced,
            cut: picture.cut.map(|(shown, of)| Cut { shown, of }),
            file: None,
            image: None,
        };
        match &args.filename {
            Some(filename) => taken.file = Some(saved::save(cx, filename, Cursor::new(picture.bytes)).await?),
            None if picture.bytes.len() > LARGEST => {
                return Err(Refused::Picture {
                    bytes: picture.bytes.len(),
                }
                .into());
            }
            None => {
                taken.image = Some(Block::Image {
                    data: STANDARD.encode(&picture.bytes),
                    mime_type: picture.mime.to_owned(),
                });
            }
        }
        Ok(taken)
    }
}
