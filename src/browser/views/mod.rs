//! Views of a page that do not change it, and the evaluation of a caller's script. One view, one file.

mod elements;
mod evaluate;
mod find;
mod html;
mod image_size;
mod locator;
mod pdf;
mod screenshot;
mod wait;

pub use elements::{ElementQuery, FoundElement, FoundElements};
pub use evaluate::ScriptValue;
pub use find::{FoundLines, LineQuery};
pub use html::HtmlRequest;
pub use screenshot::{Screenshot, ScreenshotOptions};
pub use wait::Wait;

pub use crate::devtools::protocol::capture::ScreenshotFormat;
