//! The domain Emulation: the screen and the user preferences that a page sees.

protocol! {
    /// Sets the size of the viewport.
    #[derive(Clone, Copy, PartialEq)]
    command SetDeviceMetricsOverride: "Emulation.setDeviceMetricsOverride" {
        /// The width of the viewport in CSS pixels.
        width: u32,
        /// The height of the viewport in CSS pixels.
        height: u32,
        /// Device pixels for each CSS pixel.
        device_scale_factor: f64,
        /// True if the viewport behaves like a phone's.
        mobile: bool,
        /// The value of `screen.width`, in CSS pixels.
        screen_width: u32,
        /// The value of `screen.height`, in CSS pixels.
        screen_height: u32,
    }

    /// Sets the medium and the features that media queries see.
    #[derive(Clone, PartialEq, Eq)]
    command SetEmulatedMedia: "Emulation.setEmulatedMedia" {
        /// `screen` or `print`; empty for the real one.
        media: &'static str,
        /// The overridden features; an empty value restores the real one.
        features: Vec<MediaFeature>,
    }

    /// One feature of media queries.
    #[derive(Clone, Copy, PartialEq, Eq)]
    sent MediaFeature {
        /// The feature, such as `prefers-color-scheme`.
        name: &'static str,
        /// The value, such as `dark`.
        value: &'static str,
    }

    /// Makes a page behave as if it had the focus of the desktop, so that several tabs can be used at the same time.
    command SetFocusEmulationEnabled: "Emulation.setFocusEmulationEnabled" {
        enabled: bool,
    }
}
