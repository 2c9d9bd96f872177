//! Acts on a page with a pointer, keys and files, as a person would do them. One act, one file.
//!
//! Every act finds its element first and does its work through [`Tab::acting`], which races dialogs and settles the
//! page afterwards. An act reports errors and, for fields, values that differ; other changes are reported by observing
//! the tab.

mod chord;
mod click;
mod drag;
mod drop;
mod fill;
mod form;
mod hover;
mod keyboard;
mod keys;
mod mouse;
mod pointer;
mod select;
mod slide;
mod typing;
mod upload;

pub use drop::DropContent;
pub use fill::{FieldMismatch, MismatchKind};
pub use form::{FieldKind, FilledForm, FormError, FormField};
pub use mouse::ClickOptions;
pub use typing::Typing;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{devtools::protocol::input::MouseButton, target::Target};

/// The element or point that a pointer goes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    Target(Target),
    /// A point of the viewport, in CSS pixels.
    Point(f64, f64),
}

/// A mouse button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PointerButton {
    /// The primary button.
    #[default]
    Left,
    /// The button that opens context menus.
    Right,
    /// The button of the wheel.
    Middle,
}

impl From<PointerButton> for MouseButton {
    fn from(button: PointerButton) -> Self {
        match button {
            PointerButton::Left => Self::Left,
            PointerButton::Right => Self::Right,
            PointerButton::Middle => Self::Middle,
        }
    }
}

/// A modifier key that is held during a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum ModifierKey {
    /// The Alt key.
    Alt,
    /// The Control key.
    Control,
    /// The modifier of shortcuts, which is Control here.
    ControlOrMeta,
    /// Meta, or Command on a Mac.
    Meta,
    /// The Shift key.
    Shift,
}

impl ModifierKey {
    fn key(self) -> keyboard::KeyboardKey {
        match self {
            Self::Alt => keyboard::ALT,
            Self::Control | Self::ControlOrMeta => keyboard::CONTROL,
            Self::Meta => keyboard::META,
            Self::Shift => keyboard::SHIFT,
        }
    }
}

#[cfg(test)]
#[path = "../tests/acts/mod.rs"]
mod tests;
