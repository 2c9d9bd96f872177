//! `browser_take_screenshot`: takes a screenshot of the viewport, the whole page or one element.

use std::io::Cursor;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use fumi_base::{
    expectation::{ImageFormat, ImageOptions},
    text::Locale,
};
use fumi_browser::{self as browser, ScreenshotFormat};
use fumi_kernel::{ArgumentRule, Block, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS,
    artifacts::{self, SavedFile},
    errors::BrowserCallError,
    on_tab::{TabAnswer, TabContext, TabTool},
    playwright::CodeLine,
    target::TargetArg,
    texts,
};

/// The maximum bytes of an image in a reply, about as large as the APIs of models accept.
const LARGEST: usize = 5 << 20;

#[derive(Debug)]
pub struct TakeScreenshot;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The element to show alone.
    pub target: Option<TargetArg>,
    /// True for the whole page instead of the viewport.
    #[serde(default)]
    pub full_page: bool,
    /// The image format.
    #[serde(rename = "type")]
    pub kind: Option<ScreenshotFormat>,
    /// The name under which the image is saved; it is then not part of the reply.
    #[schemars(length(min = 1))]
    pub filename: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ScreenshotOutput {
    /// The width in pixels.
    width: u32,
    /// The height in pixels.
    height: u32,
    /// The size in bytes.
    bytes: usize,
    /// The media type.
    mime_type: &'static str,
    /// True if the image is smaller than requested, because it would have had too many pixels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reduced: bool,
    /// The shown part of a page that is too tall for one image.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<ScreenshotTruncation>,
    /// The path of the saved file in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// True if the file replaced an earlier one of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replaced: bool,
    #[serde(skip)]
    image: Option<Block>,
}

/// The shown and the full height, in CSS pixels.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScreenshotTruncation {
    /// The shown height.
    shown: u32,
    /// The full height.
    of: u32,
}

impl TabAnswer for ScreenshotOutput {
    fn text(&self, locale: Locale) -> String {
        let cut = self.cut.as_ref().map(|ScreenshotTruncation { shown, of }| match locale {
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
        let replaced = SavedFile::replaced(self.replaced, locale);
        format!("{mime} {width}x{height}, {bytes} bytes{file}{replaced}{reduced}{cut}")
    }

    fn blocks(&self) -> Vec<Block> {
        self.image.iter().cloned().collect()
    }
}

/// Returns the image format: the call's type first, then the ending of its filename, then the expectation's format,
/// then PNG.
fn format(args: &Args, options: &ImageOptions) -> ScreenshotFormat {
    let named = || {
        let (_, extension) = args.filename.as_deref()?.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(ScreenshotFormat::Png),
            "jpg" | "jpeg" => Some(ScreenshotFormat::Jpeg),
            "webp" => Some(ScreenshotFormat::Webp),
            _ => None,
        }
    };
    let expected = || {
        Some(match options.format? {
            ImageFormat::Png => ScreenshotFormat::Png,
            ImageFormat::Jpeg => ScreenshotFormat::Jpeg,
            ImageFormat::Webp => ScreenshotFormat::Webp,
        })
    };
    args.kind.or_else(named).or_else(expected).unwrap_or_default()
}

impl TabTool for TakeScreenshot {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_take_screenshot",
        texts: texts!("browser_take_screenshot"),
        example: r#"{"type": "jpeg"}"#,
        rules: &[ArgumentRule::Without("fullPage", &["target"])],
        ..LOOKS
    };
    type Args = Args;
    type TabAnswer = ScreenshotOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        vec![match &args.target {
            Some(target) => CodeLine::on(target.target(), "screenshot()"),
            None if args.full_page => CodeLine::page("screenshot({ fullPage: true })"),
            None => CodeLine::page("screenshot()"),
        }]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        let place = args.filename.as_deref().map(|filename| artifacts::output_path(cx, filename));
        place.transpose().map(drop)
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<ScreenshotOutput, ToolError> {
        let options = &cx.expectation.image_options;
        let shot = browser::ScreenshotOptions {
            target: args.target.as_ref().map(TargetArg::target),
            full_page: args.full_page,
            format: format(&args, options),
            quality: options.quality,
            max_width: options.max_width,
            max_height: options.max_height,
        };
        let picture = on.tab.screenshot(&shot).await?;
        let mut taken = ScreenshotOutput {
            width: picture.width,
            height: picture.height,
            bytes: picture.bytes.len(),
            mime_type: picture.mime,
            reduced: picture.is_reduced,
            cut: picture.cut.map(|(shown, of)| ScreenshotTruncation { shown, of }),
            file: None,
            replaced: false,
            image: None,
        };
        match &args.filename {
            Some(filename) => {
                let extension = picture.mime.trim_start_matches("image/");
                let saved = artifacts::save(cx, filename, extension, Cursor::new(picture.bytes)).await?;
                taken.file = Some(saved.path);
                taken.replaced = saved.is_replacement;
            }
            None if picture.bytes.len() > LARGEST => {
                return Err(BrowserCallError::PictureTooLarge { bytes: picture.bytes.len() }.into());
            }
            None => {
                taken.image =
                    Some(Block::Image { data: STANDARD.encode(&picture.bytes), mime_type: picture.mime.to_owned() });
            }
        }
        Ok(taken)
    }
}
