//! The mouse: moves, presses and releases, sent in one go.
//!
//! All events of one act are sent before the first is acknowledged: a dialog that opens in between would swallow the
//! rest, and a button would stay down.

use super::{ModifierKey, PointerButton, chord::modifiers, keyboard, keys::press_modifiers};
use crate::{
    devtools::{
        Channel,
        protocol::input::{DispatchKeyEvent, DispatchMouseEvent, KeyEventType, Modifiers, MouseButton, MouseEventType},
    },
    errors::BrowserError,
    tab::ViewportPoint,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClickOptions {
    pub button: PointerButton,
    /// True for a double click.
    pub double: bool,
    /// The keys that are held during the click.
    pub modifiers: Vec<ModifierKey>,
}

/// The mouse of a page, with the modifiers that are held.
#[derive(Debug)]
pub(super) struct Mouse<'a> {
    page: &'a Channel,
    held: Modifiers,
}

impl<'a> Mouse<'a> {
    pub(super) fn new(page: &'a Channel) -> Self {
        Self { page, held: Modifiers::default() }
    }

    /// Moves to a point and clicks. Waits until the page has handled the click.
    pub(super) async fn click(&mut self, at: ViewportPoint, click: &ClickOptions) -> Result<(), BrowserError> {
        let keys: Vec<_> = click.modifiers.iter().map(|modifier| modifier.key()).collect();
        self.page.send(&self.moved(at, MouseButton::None));
        self.held = press_modifiers(self.page, &keys);
        let button = click.button.into();
        let last = if click.double { 2 } else { 1 };
        for count in 1..=last {
            self.page.send(&self.pressed(at, button, count));
            if count < last {
                self.page.send(&self.released(at, button, count));
            }
        }
        let released = self.released(at, button, last);
        if keys.is_empty() {
            self.page.call(&released).await?;
            return Ok(());
        }
        self.page.send(&released);
        for (left, key) in keys.iter().enumerate().rev() {
            self.held = modifiers(&keys[..left]);
            let up = key_event(KeyEventType::KeyUp, key, self.held);
            if left == 0 {
                self.page.call(&up).await?;
            } else {
                self.page.send(&up);
            }
        }
        Ok(())
    }

    /// Moves to a point with no button pressed. Waits until the page has handled the move.
    pub(super) async fn move_to(&self, at: ViewportPoint) -> Result<(), BrowserError> {
        self.page.call(&self.moved(at, MouseButton::None)).await?;
        Ok(())
    }

    /// Returns the event of a move; `button` is the one that is down.
    pub(super) fn moved(&self, at: ViewportPoint, button: MouseButton) -> DispatchMouseEvent {
        self.event(MouseEventType::MouseMoved, at, button, bits(button), 0)
    }

    /// Returns the event of a press.
    pub(super) fn pressed(&self, at: ViewportPoint, button: MouseButton, count: u8) -> DispatchMouseEvent {
        self.event(MouseEventType::MousePressed, at, button, bits(button), count)
    }

    pub(super) fn released(&self, at: ViewportPoint, button: MouseButton, count: u8) -> DispatchMouseEvent {
        self.event(MouseEventType::MouseReleased, at, button, 0, count)
    }

    fn event(
        &self,
        kind: MouseEventType,
        at: ViewportPoint,
        button: MouseButton,
        buttons: u8,
        click_count: u8,
    ) -> DispatchMouseEvent {
        DispatchMouseEvent {
            kind,
            x: at.x,
            y: at.y,
            modifiers: self.held,
            button,
            buttons,
            click_count,
            force: if buttons == 0 { 0.0 } else { 0.5 },
        }
    }
}

/// Returns the event of a key. Only a `KeyDown` event carries the key's text.
pub(super) fn key_event(kind: KeyEventType, key: &keyboard::KeyboardKey, held: Modifiers) -> DispatchKeyEvent {
    let types = kind == KeyEventType::KeyDown;
    let text = if types { key.text } else { "" };
    DispatchKeyEvent {
        kind,
        modifiers: held,
        key: key.key,
        code: key.code,
        windows_virtual_key_code: key.key_code,
        text,
        unmodified_text: text,
        location: key.location,
        is_keypad: key.location == 3,
    }
}

/// Returns the `MouseEvent.buttons` bit of a button.
const fn bits(button: MouseButton) -> u8 {
    match button {
        MouseButton::None => 0,
        MouseButton::Left => 1,
        MouseButton::Right => 2,
        MouseButton::Middle => 4,
    }
}
