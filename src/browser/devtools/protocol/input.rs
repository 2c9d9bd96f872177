//! The domain Input: mouse, keyboard and drag events that fumi sends to a page.

use serde::{Deserialize, Serialize};

/// The modifier keys that are held, as bits: Alt 1, Control 2, Meta 4, Shift 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Modifiers(pub u8);

impl Modifiers {
    /// The Alt key, or Option on a Mac.
    pub const ALT: Self = Self(1);
    pub const CONTROL: Self = Self(2);
    /// The Meta key, or Command on a Mac.
    pub const META: Self = Self(4);
    pub const SHIFT: Self = Self(8);

    /// Returns the union of both sets of modifiers.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MouseEventType {
    MousePressed,
    MouseReleased,
    MouseMoved,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    #[default]
    None,
    /// The main button of the mouse.
    Left,
    /// The button under the wheel.
    Middle,
    /// The button that opens context menus.
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventType {
    /// The key goes down and types text.
    KeyDown,
    /// The key goes down and types no text.
    RawKeyDown,
    KeyUp,
}

/// The data that a drag carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DragData {
    /// The dragged texts, one of each media type.
    pub items: Vec<DragDataItem>,
    /// Absolute paths of the dragged files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The allowed operations, as bits: copy 1, link 2, move 16; all bits set (a negative number) allows any.
    pub drag_operations_mask: i64,
}

/// One text of a drag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DragDataItem {
    /// The media type of the text.
    pub mime_type: String,
    pub data: String,
    /// The title of a dragged link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The URL against which relative links in dragged markup are resolved.
    #[serde(rename = "baseURL", skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DragEventType {
    /// The drag enters the page.
    DragEnter,
    /// The drag moves over the page.
    DragOver,
    /// The dragged data is dropped.
    Drop,
    /// The drag is cancelled.
    DragCancel,
}

protocol! {
    /// Moves the mouse or presses one of its buttons. Acknowledged when the page has handled the event.
    #[derive(Clone, Copy)]
    command DispatchMouseEvent: "Input.dispatchMouseEvent" {
        #[serde(rename = "type")]
        kind: MouseEventType,
        /// CSS pixels from the left of the page's viewport.
        x: f64,
        /// CSS pixels from the top of the page's viewport.
        y: f64,
        modifiers: Modifiers,
        /// The button that goes down or up; for a move, the button that is held.
        button: MouseButton,
        /// Buttons that are down, as bits: left 1, right 2, middle 4.
        buttons: u8,
        /// 1 for a click, 2 for the second click of a double click, 0 for a move.
        click_count: u8,
        /// The pressure; 0.5 while a button is down.
        force: f64,
    }

    #[derive(Clone, Copy)]
    command DispatchKeyEvent: "Input.dispatchKeyEvent" {
        #[serde(rename = "type")]
        kind: KeyEventType,
        /// The held modifier keys, including this one while it goes down.
        modifiers: Modifiers,
        key: &'static str,
        code: &'static str,
        windows_virtual_key_code: u32,
        /// The text that the key types; empty for none.
        #[serde(skip_serializing_if = "str::is_empty")]
        text: &'static str,
        /// The text that the key would type without modifiers.
        #[serde(skip_serializing_if = "str::is_empty")]
        unmodified_text: &'static str,
        location: u32,
        /// True if the key is on the numeric keypad.
        is_keypad: bool,
    }

    /// Inserts text at the caret without keys, as an input method or an emoji picker does.
    command InsertText<'a>: "Input.insertText" {
        text: &'a str,
    }

    /// Makes Chromium report drags with [`DragIntercepted`] instead of passing them to the system.
    command SetInterceptDrags: "Input.setInterceptDrags" {
        enabled: bool,
    }

    /// An intercepted drag, started by the page.
    event DragIntercepted: "Input.dragIntercepted" {
        data: DragData,
    }

    /// Moves, drops or cancels a drag over a page.
    command DispatchDragEvent<'a>: "Input.dispatchDragEvent" {
        #[serde(rename = "type")]
        kind: DragEventType,
        /// CSS pixels from the left of the page's viewport.
        x: f64,
        /// CSS pixels from the top of the page's viewport.
        y: f64,
        data: &'a DragData,
        modifiers: Modifiers,
    }
}
