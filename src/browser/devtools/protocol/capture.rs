//! Screenshots and PDF: the drawing part of the domain Page, and the domain IO, which transfers long results in chunks.

use serde::{Deserialize, Serialize};

use crate::devtools::EmptyReply;

/// The encoding of a screenshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScreenshotFormat {
    /// Lossless, the largest of the three.
    #[default]
    Png,
    /// Lossy and smaller, for photographs.
    Jpeg,
    /// Lossy and the smallest.
    Webp,
}

/// A rectangle of the page, relative to its upper left corner, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clip {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Pixels of the screenshot for each CSS pixel.
    pub scale: f64,
}

/// Takes a screenshot of a part of the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureScreenshot {
    pub format: ScreenshotFormat,
    /// The quality from 0 to 100; not used for PNG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u8>,
    pub clip: Clip,
    /// True to draw parts outside the viewport too.
    pub capture_beyond_viewport: bool,
    /// True to encode fast instead of compactly.
    pub optimize_for_speed: bool,
}
command!(CaptureScreenshot => "Page.captureScreenshot" -> Captured);

/// A screenshot in base64.
#[derive(Debug, Deserialize)]
pub struct Captured {
    pub data: String,
}

/// Asks for the sizes of the viewport and of the page.
#[derive(Debug, Serialize)]
pub struct GetLayoutMetrics {}
command!(GetLayoutMetrics => "Page.getLayoutMetrics" -> LayoutMetrics);

/// Sizes in CSS pixels.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayoutMetrics {
    pub css_visual_viewport: VisualViewport,
    pub css_content_size: ContentSize,
}

/// The visible part of the page.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VisualViewport {
    /// The horizontal scroll offset.
    pub page_x: f64,
    /// The vertical scroll offset.
    pub page_y: f64,
    pub client_width: f64,
    pub client_height: f64,
}

/// The size of the whole page.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ContentSize {
    pub width: f64,
    pub height: f64,
}

/// Prints the page as PDF.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintToPdf {
    /// True to print backgrounds too.
    pub print_background: bool,
    /// True to prefer the paper size of the page's own style sheet.
    #[serde(rename = "preferCSSPageSize")]
    pub prefer_css_page_size: bool,
    /// True to add tags for screen readers.
    #[serde(rename = "generateTaggedPDF")]
    pub generate_tagged_pdf: bool,
    /// `ReturnAsStream`, to be read with [`ReadStream`].
    pub transfer_mode: &'static str,
}
command!(PrintToPdf => "Page.printToPDF" -> Printed);

/// The PDF document as a stream.
#[derive(Debug, Deserialize)]
pub struct Printed {
    pub stream: StreamHandle,
}

/// The handle of a stream in Chromium.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamHandle(pub String);

/// Reads the next chunk of a stream.
#[derive(Debug, Serialize)]
pub struct ReadStream {
    pub handle: StreamHandle,
    /// The most bytes to return.
    pub size: u32,
}
command!(ReadStream => "IO.read" -> Chunk);

/// A chunk of a stream.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// True if `data` is base64.
    #[serde(default)]
    pub base64_encoded: bool,
    pub data: String,
    /// True for the last chunk.
    pub eof: bool,
}

/// Closes a stream, so that Chromium frees it.
#[derive(Debug, Serialize)]
pub struct CloseStream {
    pub handle: StreamHandle,
}
command!(CloseStream => "IO.close" -> EmptyReply);
