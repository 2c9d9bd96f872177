//! Screenshots and PDF: the drawing part of the domain Page, and the domain IO, which transfers long results in chunks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The encoding of a screenshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// The handle of a stream in Chromium.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamHandle(pub String);

protocol! {
    /// A rectangle of the page, relative to its upper left corner, in CSS pixels.
    #[derive(Clone, Copy, PartialEq)]
    sent Clip {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        /// Pixels of the screenshot for each CSS pixel.
        scale: f64,
    }

    /// Takes a screenshot of a part of the page.
    command CaptureScreenshot: "Page.captureScreenshot" -> Captured {
        format: ScreenshotFormat,
        /// The quality from 0 to 100; not used for PNG.
        #[serde(skip_serializing_if = "Option::is_none")]
        quality: Option<u8>,
        clip: Clip,
        /// True to draw parts outside the viewport too.
        capture_beyond_viewport: bool,
        /// True to encode fast instead of compactly.
        optimize_for_speed: bool,
    }

    /// A screenshot in base64.
    received Captured {
        data: String,
    }

    /// Asks for the sizes of the viewport and of the page.
    command GetLayoutMetrics: "Page.getLayoutMetrics" -> LayoutMetrics {}

    /// Sizes in CSS pixels.
    received LayoutMetrics {
        css_visual_viewport: VisualViewport,
        css_content_size: ContentSize,
    }

    /// The visible part of the page.
    #[derive(Clone, Copy)]
    received VisualViewport {
        /// The horizontal scroll offset.
        page_x: f64,
        /// The vertical scroll offset.
        page_y: f64,
        client_width: f64,
        client_height: f64,
    }

    /// The size of the whole page.
    #[derive(Clone, Copy)]
    received ContentSize {
        width: f64,
        height: f64,
    }

    /// Prints the page as PDF.
    command PrintToPdf: "Page.printToPDF" -> Printed {
        /// True to print backgrounds too.
        print_background: bool,
        /// True to prefer the paper size of the page's own style sheet.
        #[serde(rename = "preferCSSPageSize")]
        prefer_css_page_size: bool,
        /// True to add tags for screen readers.
        #[serde(rename = "generateTaggedPDF")]
        generate_tagged_pdf: bool,
        /// `ReturnAsStream`, to be read with [`ReadStream`].
        transfer_mode: &'static str,
    }

    /// The PDF document as a stream.
    received Printed {
        stream: StreamHandle,
    }

    /// Reads the next chunk of a stream.
    command ReadStream: "IO.read" -> Chunk {
        handle: StreamHandle,
        /// The most bytes to return.
        size: u32,
    }

    /// A chunk of a stream.
    received Chunk {
        /// True if `data` is base64.
        #[serde(default)]
        base64_encoded: bool,
        data: String,
        /// True for the last chunk.
        eof: bool,
    }

    /// Closes a stream, so that Chromium frees it.
    command CloseStream: "IO.close" {
        handle: StreamHandle,
    }
}
