//! The domain Emulation: the screen and the user preferences that a page sees.

use serde::Serialize;

use crate::devtools::EmptyReply;

/// Sets the size of the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDeviceMetricsOverride {
    /// The width of the viewport in CSS pixels.
    pub width: u32,
    /// The height of the viewport in CSS pixels.
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub device_scale_factor: f64,
    /// True if the viewport behaves like a phone's.
    pub mobile: bool,
    /// The value of `screen.width`, in CSS pixels.
    pub screen_width: u32,
    /// The value of `screen.height`, in CSS pixels.
    pub screen_height: u32,
}
command!(SetDeviceMetricsOverride => "Emulation.setDeviceMetricsOverride" -> EmptyReply);

/// Sets the medium and the features that media queries see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetEmulatedMedia {
    /// `screen` or `print`; empty for the real one.
    pub media: &'static str,
    /// The overridden features; an empty value restores the real one.
    pub features: Vec<MediaFeature>,
}
command!(SetEmulatedMedia => "Emulation.setEmulatedMedia" -> EmptyReply);

/// One feature of media queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MediaFeature {
    /// The feature, such as `prefers-color-scheme`.
    pub name: &'static str,
    /// The value, such as `dark`.
    pub value: &'static str,
}

/// Makes a page behave as if it had the focus of the desktop, so that several tabs can be used at the same time.
#[derive(Debug, Serialize)]
pub struct SetFocusEmulationEnabled {
    pub enabled: bool,
}
command!(SetFocusEmulationEnabled => "Emulation.setFocusEmulationEnabled" -> EmptyReply);
