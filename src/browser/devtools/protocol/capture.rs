//! Pictures and paper: the part of the domain Page that draws, and IO, which hands out what is long.

use serde::{Deserialize, Serialize};

use crate::devtools::Nothing;

/// How a picture is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// Lossless.
    #[default]
    Png,
    /// Smaller, for photographs.
    Jpeg,
    /// Smaller still.
    Webp,
}

/// A part of the page, from its upper left corner, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clip {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Pixels of the picture for one CSS pixel.
    pub scale: f64,
}

/// Draws a picture.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureScreenshot {
    /// The encoding.
    pub format: ImageFormat,
    /// 0 to 100; not for PNG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u8>,
    /// What is drawn.
    pub clip: Clip,
    /// Also what lies outside the viewport.
    pub capture_beyond_viewport: bool,
    /// Encode fast rather than small.
    pub optimize_for_speed: bool,
}
command!(CaptureScreenshot => "Page.captureScreenshot" -> Captured);

/// A picture or a document, in base64.
#[derive(Debug, Deserialize)]
pub struct Captured {
    /// The bytes.
    pub data: String,
}

/// Sizes of the page.
#[derive(Debug, Serialize)]
pub struct GetLayoutMetrics {}
command!(GetLayoutMetrics => "Page.getLayoutMetrics" -> LayoutMetrics);

/// Sizes in CSS pixels.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayoutMetrics {
    /// What is seen.
    pub css_visual_viewport: VisualViewport,
    /// Everything.
    pub css_content_size: ContentSize,
}

/// The part of the page that is seen.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VisualViewport {
    /// Scrolled by this much, horizontally.
    pub page_x: f64,
    /// And vertically.
    pub page_y: f64,
    /// Width.
    pub client_width: f64,
    /// Height.
    pub client_height: f64,
}

/// The whole page.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ContentSize {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Prints the page as PDF.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintToPdf {
    /// Backgrounds too.
    pub print_background: bool,
    /// The size of the page's own style sheet, if it has one.
    #[serde(rename = "preferCSSPageSize")]
    pub prefer_css_page_size: bool,
    /// Tags for screen readers.
    #[serde(rename = "generateTaggedPDF")]
    pub generate_tagged_pdf: bool,
    /// `ReturnAsStream`, read by [`ReadStream`].
    pub transfer_mode: &'static str,
}
command!(PrintToPdf => "Page.printToPDF" -> Printed);

/// The document as a stream.
#[derive(Debug, Deserialize)]
pub struct Printed {
    /// The stream.
    pub stream: StreamHandle,
}

/// A stream of Chromium's.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamHandle(pub String);

/// Reads on.
#[derive(Debug, Serialize)]
pub struct ReadStream {
    /// Which stream.
    pub handle: StreamHandle,
    /// At most so many bytes.
    pub size: u32,
}
command!(ReadStream => "IO.read" -> Chunk);

/// A piece of a stream.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// Whether `data` is base64.
    #[serde(default)]
    pub base64_encoded: bool,
    /// The piece.
    pub data: String,
    /// Nothing follows.
    pub eof: bool,
}

/// Gives a stream up.
#[derive(Debug, Serialize)]
pub struct CloseStream {
    /// Which.
    pub handle: StreamHandle,
}
command!(CloseStream => "IO.close" -> Nothing);
