//! The domain Input: what a mouse and a keyboard do.

use serde::{Deserialize, Serialize};

use crate::devtools::Nothing;

/// Held modifier keys, as bits: Alt 1, Control 2, Meta 4, Shift 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Modifiers(pub u8);

impl Modifiers {
    /// Alt, or Option.
    pub const ALT: Self = Self(1);
    /// Control.
    pub const CONTROL: Self = Self(2);
    /// Meta, or Command.
    pub const META: Self = Self(4);
    /// Shift.
    pub const SHIFT: Self = Self(8);

    /// With another one held too.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What happens to a mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MouseEventType {
    /// A button goes down.
    MousePressed,
    /// A button comes up.
    MouseReleased,
    /// It moves.
    MouseMoved,
}

/// A button of a mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    /// None.
    #[default]
    None,
    /// The main one.
    Left,
    /// The wheel.
    Middle,
    /// The one of context menus.
    Right,
}

/// Moves a mouse or presses a button of it. Acknowledged when the page has handled it.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DispatchMouseEvent {
    /// What happens.
    #[serde(rename = "type")]
    pub kind: MouseEventType,
    /// CSS pixels from the left of the page's viewport.
    pub x: f64,
    /// CSS pixels from its top.
    pub y: f64,
    /// Held keys.
    pub modifiers: Modifiers,
    /// The button that goes down or up; of a move the one that is held.
    pub button: MouseButton,
    /// Buttons that are down, as bits: left 1, right 2, middle 4.
    pub buttons: u8,
    /// 1 for a click, 2 for the second of a double click; 0 for a move.
    pub click_count: u8,
    /// How hard; 0.5 while a button is down.
    pub force: f64,
}
command!(DispatchMouseEvent => "Input.dispatchMouseEvent" -> Nothing);

/// What happens to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventType {
    /// It goes down and types something.
    KeyDown,
    /// It goes down and types nothing.
    RawKeyDown,
    /// It comes up.
    KeyUp,
}

/// Presses or releases a key.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DispatchKeyEvent {
    /// What happens.
    #[serde(rename = "type")]
    pub kind: KeyEventType,
    /// Held keys, this one included while it goes down.
    pub modifiers: Modifiers,
    /// `KeyboardEvent.key`.
    pub key: &'static str,
    /// `KeyboardEvent.code`.
    pub code: &'static str,
    /// `KeyboardEvent.keyCode`.
    pub windows_virtual_key_code: u32,
    /// What it types; empty for nothing.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub text: &'static str,
    /// The same without modifiers.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unmodified_text: &'static str,
    /// `KeyboardEvent.location`.
    pub location: u32,
    /// Whether it is on the keypad.
    pub is_keypad: bool,
}
command!(DispatchKeyEvent => "Input.dispatchKeyEvent" -> Nothing);

/// Inserts text at the caret without keys, as an input method or an emoji picker does.
#[derive(Debug, Serialize)]
pub struct InsertText<'a> {
    /// The text.
    pub text: &'a str,
}

impl crate::devtools::Command for InsertText<'_> {
    const METHOD: &'static str = "Input.insertText";
    type Reply = Nothing;
}

/// Whether drags are held back and announced by [`DragIntercepted`] instead of being done by the system.
#[derive(Debug, Serialize)]
pub struct SetInterceptDrags {
    /// On or off.
    pub enabled: bool,
}
command!(SetInterceptDrags => "Input.setInterceptDrags" -> Nothing);

/// A drag of the page was held back.
#[derive(Debug, Deserialize)]
pub struct DragIntercepted {
    /// What it carries.
    pub data: DragData,
}
happening!(DragIntercepted => "Input.dragIntercepted");

/// What a drag carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DragData {
    /// Texts of several types.
    pub items: Vec<DragDataItem>,
    /// Absolute paths of files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What may be done with it, as bits: copy 1, link 2, move 16; all bits, which is negative, for anything.
    pub drag_operations_mask: i64,
}

/// One text of a drag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DragDataItem {
    /// Its media type.
    pub mime_type: String,
    /// The text.
    pub data: String,
    /// Title of a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where relative links of markup start.
    #[serde(rename = "baseURL", skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

/// What a drag does over a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DragEventType {
    /// It comes over the page.
    DragEnter,
    /// It moves there.
    DragOver,
    /// It is let go.
    Drop,
    /// It is given up.
    DragCancel,
}

/// Drags something over a page.
#[derive(Debug, Serialize)]
pub struct DispatchDragEvent<'a> {
    /// What happens.
    #[serde(rename = "type")]
    pub kind: DragEventType,
    /// CSS pixels from the left of the page's viewport.
    pub x: f64,
    /// CSS pixels from its top.
    pub y: f64,
    /// What it carries.
    pub data: &'a DragData,
    /// Held keys.
    pub modifiers: Modifiers,
}

impl crate::devtools::Command for DispatchDragEvent<'_> {
    const METHOD: &'static str = "Input.dispatchDragEvent";
    type Reply = Nothing;
}
