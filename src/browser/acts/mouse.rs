//! The mouse: moves, presses, releases, sent in one go.
//!
//! All frames of one act are sent before the first is acknowledged: a dialog that opens in between would swallow the rest,
//! and a button would stay down.

use super::{Button, Modifier, chord::modifiers, keyboard, keys::hold};
use crate::{
    devtools::{
        Channel,
        protocol::input::{DispatchKeyEvent, DispatchMouseEvent, KeyEventType, Modifiers, MouseButton, MouseEventType},
    },
    errors::BrowserError,
    tab::Point,
};

/// How a button is pressed and released.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Click {
    /// Which button.
    pub button: Button,
    /// Twice.
    pub double: bool,
    /// Keys held meanwhile.
    pub modifiers: Vec<Modifier>,
}

/// The mouse of a page, with the keys that are held.
#[derive(Debug)]
pub(super) struct Mouse<'a> {
    page: &'a Channel,
    held: Modifiers,
}

impl<'a> Mouse<'a> {
    pub(super) fn new(page: &'a Channel) -> Self {
        Self {
            page,
            held: Modifiers::default(),
        }
    }

    /// Moves there and clicks; waits until the page has handled it.
    pub(super) async fn click(&mut self, at: Point, click: &Click) -> Result<(), BrowserError> {
        let keys: Vec<_> = click.modifiers.iter().map(|modifier| modifier.key()).collect();
        self.page.send(&self.moved(at, MouseButton::None));
        self.held = hold(self.page, &keys);
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

    /// Moves there with nothing pressed; waits until the page has handled it.
    pub(super) async fn move_to(&self, at: Point) -> Result<(), BrowserError> {
        self.page.call(&self.moved(at, MouseButton::None)).await?;
        Ok(())
    }

    /// The event of a move; `button` is the one that is down.
    pub(super) fn moved(&self, at: Point, button: MouseButton) -> DispatchMouseEvent {
        self.event(MouseEventType::MouseMoved, at, button, bits(button), 0)
    }

    /// The event of a press.
    pub(super) fn pressed(&self, at: Point, button: MouseButton, count: u8) -> DispatchMouseEvent {
        self.event(MouseEventType::MousePressed, at, button, bits(button), count)
    }

    /// The event of a release.
    pub(super) fn released(&self, at: Point, button: MouseButton, count: u8) -> DispatchMouseEvent {
        self.event(MouseEventType::MouseReleased, at, button, 0, count)
    }

    fn event(
        &self,
        kind: MouseEventType,
        at: Point,
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

/// The event of a key. What a key types it types only while no key but Shift is held.
pub(super) fn key_event(kind: KeyEventType, key: &keyboard::Key, held: Modifiers) -> DispatchKeyEvent {
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

/// `MouseEvent.buttons` of one button.
const fn bits(button: MouseButton) -> u8 {
    match button {
        MouseButton::None => 0,
        MouseButton::Left => 1,
        MouseButton::Right => 2,
        MouseButton::Middle => 4,
    }
}
