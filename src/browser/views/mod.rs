//! Views of a page that do not change it, and the evaluation of a caller's script. One view, one file.

mod elements;
mod evaluate;
mod find;
mod html;
mod locator;
mod pdf;
mod pixels;
mod screenshot;
mod wait;

pub use elements::{Element, ElementQuery, Elements};
pub use evaluate::Evaluated;
pub use find::{Find, Found};
pub use html::HtmlRequest;
pub use screenshot::{Picture, Shot};
pub use wait::Wait;

pub use crate::devtools::protocol::capture::ImageFormat;
