//! Emulation of the viewport and of the user preferences that a page sees.

use fumi_base::text::BilingualText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    devtools::{
        EmptyReply,
        protocol::emulation::{MediaFeature, SetDeviceMetricsOverride, SetEmulatedMedia},
    },
    errors::BrowserError,
    tab::Tab,
};

/// The allowed length of a viewport's side in CSS pixels. Chromium draws nothing larger.
const SIDES: std::ops::RangeInclusive<u32> = 1..=10_000;

/// User preferences to emulate; a `None` leaves the present value unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Emulation {
    /// The value of `prefers-color-scheme`.
    pub color_scheme: Option<PreferredColorScheme>,
    /// The value of `prefers-reduced-motion`.
    pub reduced_motion: Option<MotionPreference>,
    /// The medium of CSS media queries.
    pub media: Option<EmulatedMedium>,
}

/// The colour scheme that a user prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreferredColorScheme {
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// The amount of animation that a user prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MotionPreference {
    /// As little animation as possible.
    Reduce,
    /// Animation as the page chooses.
    NoPreference,
}

/// The medium that a page is shown on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmulatedMedium {
    /// Styles for a screen.
    Screen,
    /// Styles for printing.
    Print,
}

impl Tab {
    /// Sets the size of the viewport in CSS pixels.
    pub async fn resize(&self, width: u32, height: u32) -> Result<(), BrowserError> {
        for (argument, side) in [("width", width), ("height", height)] {
            if !SIDES.contains(&side) {
                return Err(BrowserError::BadBrowserArgument {
                    argument,
                    reason: BilingualText::new(
                        format!("{side} is not a valid viewport size; use 1 to 10,000 CSS pixels"),
                        format!("{side} は表示領域の大きさになりません。1〜10,000（CSS ピクセル）で指定してください"),
                    ),
                });
            }
        }
        self.acting(async {
            self.page().call(&viewport(width, height)).await?;
            Ok(())
        })
        .await
    }

    /// Changes the user preferences that the page and its frames see.
    pub async fn emulate(&self, emulation: &Emulation) -> Result<(), BrowserError> {
        let media = self.set_preferences(*emulation).media();
        self.acting(async {
            let mut sessions = Vec::new();
            for frame in self.frames() {
                let channel = frame.channel();
                // Frames of one process share a session.
                if !sessions.contains(&channel.session().cloned()) {
                    sessions.push(channel.session().cloned());
                    match channel.call(&media).await {
                        // The frame was removed meanwhile.
                        Err(_) if frame.number != 0 => {}
                        Err(error) => return Err(error.into()),
                        Ok(EmptyReply {}) => {}
                    }
                }
            }
            Ok(())
        })
        .await
    }
}

impl Emulation {
    /// Returns the preferences with those of `other` taking precedence.
    pub(crate) fn overridden_by(self, other: Self) -> Self {
        Self {
            color_scheme: other.color_scheme.or(self.color_scheme),
            reduced_motion: other.reduced_motion.or(self.reduced_motion),
            media: other.media.or(self.media),
        }
    }

    /// Returns the command that sets all preferences; Chromium keeps nothing of an earlier one.
    pub(crate) fn media(self) -> SetEmulatedMedia {
        let feature = |name, value| MediaFeature { name, value };
        let color = match self.color_scheme {
            Some(PreferredColorScheme::Light) => "light",
            Some(PreferredColorScheme::Dark) => "dark",
            None => "",
        };
        let motion = match self.reduced_motion {
            Some(MotionPreference::Reduce) => "reduce",
            Some(MotionPreference::NoPreference) => "no-preference",
            None => "",
        };
        SetEmulatedMedia {
            media: match self.media {
                Some(EmulatedMedium::Screen) => "screen",
                Some(EmulatedMedium::Print) => "print",
                None => "",
            },
            features: vec![feature("prefers-color-scheme", color), feature("prefers-reduced-motion", motion)],
        }
    }
}

/// Returns the command that sets the size of the viewport and of the screen.
pub(crate) fn viewport(width: u32, height: u32) -> SetDeviceMetricsOverride {
    SetDeviceMetricsOverride {
        width,
        height,
        device_scale_factor: 1.0,
        mobile: false,
        screen_width: width,
        screen_height: height,
    }
}
