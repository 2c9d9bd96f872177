//! The domain Emulation: what a page believes of its screen and its user's preferences.

use serde::Serialize;

use crate::devtools::Nothing;

/// The size of the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDeviceMetricsOverride {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// Device pixels of one CSS pixel.
    pub device_scale_factor: f64,
    /// Whether the viewport behaves as a phone's.
    pub mobile: bool,
    /// What `screen.width` says.
    pub screen_width: u32,
    /// What `screen.height` says.
    pub screen_height: u32,
}
command!(SetDeviceMetricsOverride => "Emulation.setDeviceMetricsOverride" -> Nothing);

/// The medium and the features of media queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetEmulatedMedia {
    /// `screen` or `print`; the real one if empty.
    pub media: &'static str,
    /// Features with a value of their own; an empty value gives the real one back.
    pub features: Vec<MediaFeature>,
}
command!(SetEmulatedMedia => "Emulation.setEmulatedMedia" -> Nothing);

/// One feature of media queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MediaFeature {
    /// Such as `prefers-color-scheme`.
    pub name: &'static str,
    /// Such as `dark`.
    pub value: &'static str,
}

/// Lets a page behave as if it had the focus of the desktop, so that several tabs can be used at once.
#[derive(Debug, Serialize)]
pub struct SetFocusEmulationEnabled {
    /// On or off.
    pub enabled: bool,
}
command!(SetFocusEmulationEnabled => "Emulation.setFocusEmulationEnabled" -> Nothing);
