//! Screenshots of the page, drawn, scaled and cut by Chromium itself.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;

use super::image_size;
use crate::{
    devtools::protocol::capture::{CaptureScreenshot, Clip, GetLayoutMetrics, LayoutMetrics, ScreenshotFormat},
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{AimOptions, Tab},
    target::Target,
};

/// The maximum pixels of one side. Chromium's surfaces end at 16,384; beyond that it silently repeats the last part.
const LONGEST: f64 = 16_000.0;
/// The maximum pixels of an image, so that Chromium needs no more than about 160 MB to draw one.
const MOST: f64 = 40e6;

/// The area and the format of a screenshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenshotOptions {
    /// The element to show alone.
    pub target: Option<Target>,
    /// True to show the whole page instead of the viewport.
    pub full_page: bool,
    pub format: ScreenshotFormat,
    /// The quality from 1 to 100; ignored for PNG.
    pub quality: Option<u8>,
    /// The maximum width in pixels. The image is made smaller to fit, never larger.
    pub max_width: Option<u32>,
    /// The maximum height in pixels, likewise.
    pub max_height: Option<u32>,
}

/// A part of a page, in CSS pixels.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Rect {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct AimReply {
    #[serde(rename = "box")]
    area: Rect,
}

/// An encoded screenshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screenshot {
    /// The bytes of the encoded image.
    pub bytes: Vec<u8>,
    /// The media type: `image/png`, `image/jpeg` or `image/webp`.
    pub mime: &'static str,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// If the image ends before the page does: the height shown and the full height, in CSS pixels.
    pub cut: Option<(u32, u32)>,
    /// True if the image was made smaller than requested, since it would have had too many pixels.
    pub is_reduced: bool,
}

impl Tab {
    /// Takes a screenshot of the viewport, the whole page, or an element (scrolled into view, as far as its frames show
    /// it).
    pub async fn screenshot(&self, shot: &ScreenshotOptions) -> Result<Screenshot, BrowserError> {
        let area = match &shot.target {
            Some(target) => Some(self.area_of(target).await?),
            None => None,
        };
        let metrics = self.page().call(&GetLayoutMetrics {}).await?;
        let ScreenshotArea { clip, cut, is_reduced } = framed(shot, area, &metrics);
        let capture = CaptureScreenshot {
            format: shot.format,
            quality: shot.quality.filter(|_| shot.format != ScreenshotFormat::Png),
            clip,
            capture_beyond_viewport: !is_in_viewport(clip, &metrics),
            optimize_for_speed: false,
        };
        let data = self.page().call(&capture).await?.data;
        // The commands of the protocol also draw a document that is not allowed.
        self.check_readable()?;
        let unreadable = |reason: String| BrowserError::ChromiumFailed { reason };
        let bytes =
            STANDARD.decode(data).map_err(|error| unreadable(format!("drew a picture that is not base64: {error}")))?;
        let (width, height) =
            image_size::size(&bytes).ok_or_else(|| unreadable("drew a picture of an unknown form".to_owned()))?;
        let mime = match shot.format {
            ScreenshotFormat::Png => "image/png",
            ScreenshotFormat::Jpeg => "image/jpeg",
            ScreenshotFormat::Webp => "image/webp",
        };
        Ok(Screenshot { bytes, mime, width, height, cut, is_reduced })
    }

    /// Returns the box of an element, scrolled into view, in CSS pixels of the viewport.
    async fn area_of(&self, target: &Target) -> Result<Rect, BrowserError> {
        let located = self.locate(target).await?;
        self.scroll_to(&located).await?;
        let aim = AimOptions { force: true, ..AimOptions::default() };
        let aim = (&located.reference, aim);
        let said: ScriptReply<AimReply> = self.ask(&located.frame, "aim", aim).await?;
        let mut area = said.into_result(&located.called)?.area;
        let mut frame = located.frame;
        while let Some((corner, scale)) = self.frame_corner(&frame).await? {
            area = Rect {
                x: corner.x + area.x * scale.x,
                y: corner.y + area.y * scale.y,
                width: area.width * scale.x,
                height: area.height * scale.y,
            };
            match self.parent(&frame) {
                Some(above) => frame = above,
                None => break,
            }
        }
        Ok(area)
    }
}

/// The part of the page that is drawn, in CSS pixels from the page's upper left corner, and the limits that were
/// applied.
struct ScreenshotArea {
    clip: Clip,
    cut: Option<(u32, u32)>,
    is_reduced: bool,
}

fn framed(shot: &ScreenshotOptions, area: Option<Rect>, metrics: &LayoutMetrics) -> ScreenshotArea {
    let seen = metrics.css_visual_viewport;
    let all = match area {
        // Whole pixels, so that no edge is blurred.
        Some(area) => Rect {
            x: (area.x + seen.page_x).floor().max(0.0),
            y: (area.y + seen.page_y).floor().max(0.0),
            width: area.width.ceil().max(1.0),
            height: area.height.ceil().max(1.0),
        },
        None if shot.full_page => Rect {
            x: 0.0,
            y: 0.0,
            width: metrics.css_content_size.width.max(seen.client_width),
            height: metrics.css_content_size.height.max(seen.client_height),
        },
        None => Rect { x: seen.page_x, y: seen.page_y, width: seen.client_width, height: seen.client_height },
    };
    let fits = |limit: Option<u32>, side: f64| limit.map_or(1.0, |limit| f64::from(limit.max(1)) / side);
    let (width, height) = (all.width.min(LONGEST), all.height.min(LONGEST));
    let wanted = fits(shot.max_width, width).min(fits(shot.max_height, height)).min(1.0);
    // Only sharpness is lost, and image readers make such large images smaller anyway.
    let scale = wanted.min((MOST / (width * height)).sqrt());
    let clip = Clip { x: all.x, y: all.y, width, height, scale };
    ScreenshotArea {
        clip,
        cut: (height < all.height || width < all.width).then(|| (whole(height), whole(all.height))),
        is_reduced: scale < wanted,
    }
}

/// True if the viewport shows the whole area. Chromium then need not change the page's layout, which pages can detect.
fn is_in_viewport(clip: Clip, metrics: &LayoutMetrics) -> bool {
    let seen = metrics.css_visual_viewport;
    clip.x >= seen.page_x
        && clip.y >= seen.page_y
        && clip.x + clip.width <= seen.page_x + seen.client_width
        && clip.y + clip.height <= seen.page_y + seen.client_height
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes of pages are small and positive")]
fn whole(pixels: f64) -> u32 {
    pixels.round() as u32
}
