//! Acting on a page as a person does: with a pointer, keys and files. One act, one file.
//!
//! Every act finds its element first, does its work through [`Tab::acting`] (which races dialogs and settles afterwards)
//! and reports nothing but failure: what changed is for whoever observes the tab.

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
mod select;
mod slide;
mod typing;
mod upload;

pub use drop::Dropping;
pub use fill::{Difference, Differing};
pub use form::{Field, FieldKind};
pub use mouse::Click;
pub use typing::Typing;

use crate::{
    devtools::protocol::input::MouseButton,
    errors::BrowserError,
    tab::{Point, Tab},
    target::Target,
};

/// Where a pointer goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    /// To an element.
    Target(Target),
    /// To a point of the viewport, in CSS pixels.
    Point(f64, f64),
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Button {
    /// The main one.
    #[default]
    Left,
    /// The one of context menus.
    Right,
    /// The wheel.
    Middle,
}

impl From<Button> for MouseButton {
    fn from(button: Button) -> Self {
        match button {
            Button::Left => Self::Left,
            Button::Right => Self::Right,
            Button::Middle => Self::Middle,
        }
    }
}

/// A key that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// Alt.
    Alt,
    /// Control.
    Control,
    /// The key of shortcuts: Control here.
    ControlOrMeta,
    /// Meta, or Command.
    Meta,
    /// Shift.
    Shift,
}

impl Modifier {
    fn key(self) -> keyboard::Key {
        match self {
            Self::Alt => keyboard::ALT,
            Self::Control | Self::ControlOrMeta => keyboard::CONTROL,
            Self::Meta => keyboard::META,
            Self::Shift => keyboard::SHIFT,
        }
    }
}

impl Tab {
    /// Where a pointer goes, in CSS pixels of the viewport.
    async fn point_of(&self, aim: &Aim) -> Result<Point, BrowserError> {
        match aim {
            Aim::Point(x, y) => Ok(Point { x: *x, y: *y }),
            Aim::Target(target) => {
                let located = self.locate(target).await?;
                self.aim_again(&located, target).await
            }
        }
    }
}

#[cfg(test)]
#[path = "../tests/acts/mod.rs"]
mod tests;
